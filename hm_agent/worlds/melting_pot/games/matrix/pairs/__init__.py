"""Matched pairs of boards: alike but for who had whom in view when something was taken, with opposite right answers."""
