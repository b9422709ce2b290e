"""Replays, videos and rendered frames of SymmToM: one description of the board, drawn in the page and in pixels."""
