"""What replays, videos and rendered frames show of SymmToM: one description of the board, drawn twice."""
