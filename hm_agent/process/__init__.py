"""Utilities for processes: safe interruptions, simultaneous jobs, temporary files that don't outlive the process."""
