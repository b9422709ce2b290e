"""What the reasoner answers about matrix games."""
