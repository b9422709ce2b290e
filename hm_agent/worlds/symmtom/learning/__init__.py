"""Learning to play SymmToM: networks, PPO and MADDPG, runs that can be resumed, and trained agents that play."""
