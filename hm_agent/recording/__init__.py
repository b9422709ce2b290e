"""Consumers of steps, none of which knows a world: a trace, a replay, a video; and the result of an episode."""
