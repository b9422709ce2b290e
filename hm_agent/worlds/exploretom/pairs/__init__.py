"""Matched pairs of stories: one sentence stands elsewhere, and the right answer to the same question is another."""
