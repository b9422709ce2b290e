"""Matched pairs of tests of mind: one geometry, two histories of who heard what, opposite right actions."""
