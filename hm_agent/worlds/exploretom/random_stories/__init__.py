"""Random stories: the casts and actions that they are made of, and a sampler for stories that meet conditions."""
