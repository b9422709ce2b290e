"""A story: what happens in it, as actions and as text, and who believes what of it."""
