"""The simulator's part of common goods."""
