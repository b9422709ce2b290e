"""What the reasoner answers about kitchens."""
