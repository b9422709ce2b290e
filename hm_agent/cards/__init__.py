"""A model's card: its figures in the battery, which follow from its recorded answers."""
