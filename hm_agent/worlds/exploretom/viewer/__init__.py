"""How stories are shown: in replays, and on the page to browse a set of them."""
