"""Consumers of steps: a trace to read, a video to watch."""
