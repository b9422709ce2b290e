"""The simulator's part of open games."""
