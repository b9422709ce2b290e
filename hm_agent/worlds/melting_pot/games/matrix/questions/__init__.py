"""What is asked of a model about a matrix game, by who asks."""
