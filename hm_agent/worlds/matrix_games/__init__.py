"""Matrix games: two players choose at once, round after round, and see what both chose."""
