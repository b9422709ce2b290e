"""Utilities for processes: safe interruptions, simultaneous jobs, workers, output."""
