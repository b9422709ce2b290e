"""What is asked of a model about a kitchen, by who asks."""
