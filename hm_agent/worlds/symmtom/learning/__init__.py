"""Learning to play SymmToM: networks, PPO, runs that can be cut short, and trained agents that play."""
