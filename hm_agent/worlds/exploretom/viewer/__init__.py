"""How stories look: in replays, and in the page that browses a set of them."""
