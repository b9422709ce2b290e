"""The page that replays an episode."""
