"""A text player: it answers prompts of Melting Pot from their words alone."""
