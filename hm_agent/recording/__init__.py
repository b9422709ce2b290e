"""Recorders of an episode's steps, which know nothing of any world (trace, replay, video, GIF), and its result file."""
