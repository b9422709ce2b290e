"""Agents that think in language in a matrix game: one question a round says what to play.

situation.py: what a prompt shows, and how a play is written. body.py: notes, and carrying out a play. reasoner.py: the
built-in answers.
"""
