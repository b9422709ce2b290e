"""Agents that think in language in a matrix game: one question a round says what to play.

rounds.py: what a prompt shows, and how a play is written. round_body.py: notes, and what carries a play out.
reasoner.py: the built-in answers.
"""
