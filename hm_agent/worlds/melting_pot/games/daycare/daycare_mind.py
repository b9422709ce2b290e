"""The built-in reasoner as a parent and as a child: which rule the other follows, and what is best against that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.melting_pot.games.daycare.care import (
    ATTENDS,
    CHILDREN,
    FORAGES,
    PARENTS,
    PLAYS,
    POINTS,
    REFUSES,
    SCRIPTED,
    SPOILS,
    STAND_INS,
    child_calls,
    parent_calls,
)
from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareFollower, DaycareNotes, DaycareSeat
from hm_agent.worlds.melting_pot.games.daycare.hands import (
    EATS,
    EATS_GIVEN,
    EATS_OWN,
    GIVES_APPLE,
    GIVES_BANANA,
    ONE,
    SEVERAL,
)
from hm_agent.worlds.melting_pot.games.open.calls import Call
from hm_agent.worlds.melting_pot.games.open.conduct import STAYS, WALKS, Conduct
from hm_agent.worlds.melting_pot.games.open.greedy import believed_rule, planner, review
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import NextConduct, PlayingRule

SHOWS: Mapping[str, Mapping[str, float]] = {
    POINTS: {ONE: 0.4, SEVERAL: 0.15, EATS_GIVEN: 0.25, EATS_OWN: 0.05, WALKS: 0.1, STAYS: 0.05},
    PLAYS: {ONE: 0.15, SEVERAL: 0.5, EATS_GIVEN: 0.1, EATS_OWN: 0.1, WALKS: 0.1, STAYS: 0.05},
    REFUSES: {ONE: 0.3, SEVERAL: 0.3, EATS_GIVEN: 0.01, EATS_OWN: 0.19, WALKS: 0.15, STAYS: 0.05},
    ATTENDS: {GIVES_BANANA: 0.4, GIVES_APPLE: 0.02, EATS: 0.33, WALKS: 0.15, STAYS: 0.1},
    SPOILS: {GIVES_BANANA: 0.15, GIVES_APPLE: 0.45, EATS: 0.2, WALKS: 0.15, STAYS: 0.05},
    FORAGES: {GIVES_BANANA: 0.01, GIVES_APPLE: 0.02, EATS: 0.82, WALKS: 0.1, STAYS: 0.05},
}
"""The chances of what a player that follows a rule is seen to do in a stretch."""


def _rules(seat: DaycareSeat) -> Sequence[str]:
    """The rules that the other player may follow."""
    return PARENTS if seat.is_child else CHILDREN


def _weigh(seat: DaycareSeat, about: str, history: Sequence[Conduct]) -> Mapping[str, float]:
    """The rules' log-likelihoods."""
    return {rule: sum(log(SHOWS[rule][each.behaviour]) for each in history) for rule in _rules(seat)}


def _foresee(words: str | None, seat: DaycareSeat, about: str, history: Sequence[Conduct]) -> NextConduct:
    """What a rule shows most often; words of no rule stand for the first rule."""
    chances = SHOWS[words if words is not None and words in _rules(seat) else _rules(seat)[0]]
    return NextConduct(does=max(chances, key=chances.__getitem__))


def best_calls(seat: DaycareSeat, rule: str | None) -> Sequence[Call]:
    """The best plan against a rule; without one, as though nobody else was there.

    A child is best off if it looks after itself and takes what it is given: a parent that attends to it brings what it
    grasps at in passing. To wait for that earned less.
    """
    return child_calls(seat, rule and FORAGES) if seat.is_child else parent_calls(seat, rule)


def _strategy(seat: DaycareSeat) -> str:
    return phrase(seat.blocks, "child_strategy" if seat.is_child else "parent_strategy")


SHORTCUTS: Mapping[str, PlayingRule] = {
    "grasping": PlayingRule(f"{POINTS} {ATTENDS}", lambda seat: best_calls(seat, ATTENDS if seat.is_child else POINTS))
}
_calls = planner(SHORTCUTS, lambda seat, others: best_calls(seat, believed_rule(others, _rules(seat))))
REASONER = WrittenReasoner(DaycareSeat, _weigh, _foresee, _strategy, _calls, review)
PARTS = OpenParts(
    DaycareNotes,
    DaycareFollower,
    reasoner=REASONER,
    shortcuts=SHORTCUTS,
    rules=lambda facts, slot: SCRIPTED,
    stand_ins=STAND_INS,
)
