"""Players that learn: independent PPO in self-play or against a scenario's bots, and the agent that plays by it."""
