"""The order of cards on a leaderboard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hm_agent.cards.card import read_card
from hm_agent.cards.writing import leaderboard

CARDS = Path(__file__).parents[2] / "benchmarks" / "results" / "cards"


def test_who_plays_only_what_it_plays_best_does_not_lead() -> None:
    whole, deep = read_card(CARDS / "order_2" / "card.json"), read_card(CARDS / "order_3" / "card.json")
    specialist = replace(deep, agent="specialist", worlds=tuple(w for w in deep.worlds if w.world == "enacttom"))
    board = leaderboard([specialist, whole])
    assert [card.agent for card in board.cards] == ["order_2", "specialist"]
