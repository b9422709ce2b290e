"""The part of the built-in reasoner that answers questions about matrix games."""
