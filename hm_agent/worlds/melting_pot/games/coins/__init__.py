"""Coins: two players, each with a colour; any coin pays its taker, and one of the other's colour costs the other."""
