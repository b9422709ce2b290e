"""Data sets of stories and questions: their items, how they are written and read, and training data made from them."""
