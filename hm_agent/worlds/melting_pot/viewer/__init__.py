"""Shows Melting Pot in replays and videos."""
