"""How matrix games look in replays."""
