"""The household at play: commands, their effects, knowledge, and the view of each agent."""
