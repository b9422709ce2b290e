"""Stories and questions as files: what an item holds, how sets are written and read, and training data from them."""
