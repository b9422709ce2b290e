"""Two or more players collect resources; a zap pays by what both hold, as a matrix game does."""
