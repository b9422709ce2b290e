"""Plays an experiment's episodes: in this process, in local worker processes, or on the nodes of a Ray cluster."""
