"""Agents that think in language in a matrix game: one question a round says what to play."""
