"""Seats that are taken from outside: by people, by other programs, and by tools that evaluate models."""
