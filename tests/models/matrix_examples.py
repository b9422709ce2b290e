"""The rules of games for the tests of models."""

from __future__ import annotations

from hm_agent.facts import Length
from hm_agent.games.matrix.rules import Rules

ROCK_PAPER_SCISSORS = Rules(
    behaviours=("rock", "paper", "scissors"),
    things=("yellow_box", "purple_box", "blue_box"),
    payoff=((0, -10, 10), (10, 0, -10), (-10, 10, 0)),
    initial_inventory=1,
    width=23,
    height=15,
    length=Length(1000, 100, 0.2),
)
DILEMMA = Rules(("cooperate", "defect"), ("green_box", "red_box"), ((3, 0), (5, 1)), 1, 23, 15, Length(1000, 100, 0.1))
HUNT = Rules(("stag", "hare"), ("green_box", "red_box"), ((4, 0), (2, 2)), 1, 23, 15, Length(1000, 100, 0.1))
