"""Random stories: what they are made of, and how one that meets conditions is drawn."""
