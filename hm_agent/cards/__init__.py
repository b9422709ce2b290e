"""The battery, and a model's card: its figures in it, which follow from its recorded answers; runs others check."""
