"""What replays, videos and task pages show of EnactToM: one description of the floor plan, drawn twice."""
