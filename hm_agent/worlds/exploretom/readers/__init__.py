"""The agents that answer, and what they ask a model."""
