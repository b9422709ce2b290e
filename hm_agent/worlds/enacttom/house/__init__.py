"""The household at play: what agents do, what happens then, who knows it, and what each sees."""
