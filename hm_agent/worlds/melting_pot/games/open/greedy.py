"""The built-in reasoner in any substrate: collect and use what has paid, try what is untried, else look around.

It knows nothing of a game but what questions show, so that it is no more than a sober way to play without a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Any

from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.decision_questions import Plan, ReviewPlan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.melting_pot.facts import slot_of
from hm_agent.worlds.melting_pot.games.open.calls import Call, CollectThings, LookAround, StandStill, UseAction, WalkTo
from hm_agent.worlds.melting_pot.games.open.conduct import Conduct
from hm_agent.worlds.melting_pot.games.open.open_facts import PLAYER
from hm_agent.worlds.melting_pot.games.open.seat import NextConduct, OpenSeat, PlayingRule
from hm_agent.worlds.melting_pot.grid import Cell, around

HOPED_COLLECT, HOPED_USE, HOPED_ELSE = 1.0, 0.3, 0.1
"""What is hoped of taking a thing, of an action on a thing, and of one on a player or on nothing: like one trial."""
LEAST_WORTH = 0.004
"""What is expected to pay less a step is left undone, for looking around."""
SETTING_OUT = 2
"""The steps that any deed takes beside the way to it."""
REST = 5
"""The steps of a rest."""
Calls = tuple[Call, ...]
KEPT_TO, ELSE = 0.8, 0.2
"""The chance that a player does what its rule says, and that it does anything else."""


def worth(seat: OpenSeat, deed: str, hoped: float) -> float:
    """What a deed is expected to pay, by what it has paid so far; a thing that was got is as good as what is hoped."""
    known = next((done for done in seat.deeds if done.words == deed), None)
    return hoped if known is None else (hoped + known.reward + HOPED_COLLECT * known.got) / (1 + known.times)


def candidates(seat: OpenSeat) -> Iterator[tuple[float, Calls]]:
    """The plans that may pay, each with what it is expected to pay a step."""
    facts = seat.facts
    left = {*facts.avoids, own_kind(seat)}
    kinds = [known.kind for known in seat.things if known.kind not in left]
    for kind in kinds:
        if kind in facts.collects:
            yield from ways_to(seat, kind, worth(seat, f"collect({kind})", HOPED_COLLECT), None)
    for action, targets in facts.uses.items():
        if action in facts.harms:
            continue
        under = seat.own if facts.reach.get(action) == 0 else ()
        for kind in targets:
            if kind in kinds or kind in under:
                hoped = worth(seat, f"use({action}, {kind})", HOPED_USE)
                yield from ways_to(seat, kind, HOPED_USE if action in facts.later else hoped, action)
        players = [player for player in seat.players if not player.ago and player.name not in facts.spares]
        if PLAYER in targets and players:
            steps = seat.steps_to(players[0].cell) + SETTING_OUT
            yield worth(seat, f"use({action}, {PLAYER})", HOPED_ELSE) / steps, (UseAction(action, players[0].name),)
    for action in seat.actions:
        if action not in {*facts.uses, *facts.harms, *facts.kept_back}:
            yield worth(seat, f"use({action})", HOPED_ELSE) / SETTING_OUT, (UseAction(action),)


def own_kind(seat: OpenSeat) -> str | None:
    """The kind of things that are the player's own; None if the game has none."""
    return seat.facts.owned[slot_of(seat.own_name)] if seat.facts.owned else None


def ways_to(seat: OpenSeat, kind: str, pays: float, action: str | None) -> Iterator[tuple[float, Calls]]:
    """The plan for the thing of a kind that is nearest by a known way, if there is one.

    It names cells where another thing of the kind is nearer as the crow flies. action: the one to use on it; None to
    walk onto it.
    """
    if action and seat.facts.reach.get(action) == 0 and kind in seat.own:
        yield pays / SETTING_OUT, (UseAction(action, kind),)
        return
    known = seat.cells_of([kind])
    cells = [cell for cell in known if cell in seat.ways and not (action and is_covered(seat, cell, action))]
    if not cells:
        return
    cell = min(cells, key=seat.ways.__getitem__)
    value = pays / (seat.ways[cell] + SETTING_OUT)
    if cell == min(known, key=seat.steps_to):
        yield value, (UseAction(action, kind) if action else CollectThings(kind),)
    elif action:
        free = [near for near in map(seat.layout.wrapped, around(cell)) if near in seat.ways and near not in seat.solid]
        beside = min(free, key=seat.ways.__getitem__)
        yield value, (WalkTo(beside), UseAction(action, cell)) if beside != seat.here else (UseAction(action, cell),)
    else:
        yield value, (WalkTo(cell),)


def is_covered(seat: OpenSeat, cell: Cell, action: str) -> bool:
    """True for a cell in reach straight ahead that does not show what lies there, as after a beam of the player."""
    assert seat.pose is not None, "plans start from a known pose"
    ahead, right = seat.pose.offset(seat.layout.seen_from(seat.here, cell))
    return right == 0 and 0 < ahead <= seat.facts.reach.get(action, 1) and seat.seen[cell][1] < seat.step


def at_once(seat: OpenSeat) -> str | None:
    """The call that comes before all else: a rest, or what is done with what the player has; None if there is none."""
    if seat.is_tired:
        return str(StandStill(REST))
    return next((seat.facts.having[thing] for thing in seat.has), None)


def best_calls(seat: OpenSeat, barred: Call | None = None) -> Sequence[str]:
    """The plan that is expected to pay most a step, without the call that has just failed at its beginning."""
    assert seat.pose is not None, "plans start from a known pose"
    if (first := at_once(seat)) and first != str(barred):
        return [first]
    worthwhile = [
        (value, [str(call) for call in plan])
        for value, plan in candidates(seat)
        if plan[0] != barred and value >= LEAST_WORTH
    ]
    if worthwhile:
        return max(worthwhile)[1]
    return [str(elsewhere((cell for cell in seat.unseen if cell in seat.ways), barred))]


def elsewhere(cells: Iterable[Cell], barred: Call | None) -> Call:
    """A walk to the first of some cells, but for a call that has just failed; without any, a look around."""
    return next((place for place in map(WalkTo, cells) if place != barred), LookAround())


def planner(
    shortcuts: Mapping[str, PlayingRule], best: Callable[[Any, Sequence[PlayerBelief]], Sequence[Call]]
) -> Callable[[Any, Plan], Sequence[str]]:
    """What makes a plan: by the shortcut whose words are the strategy, else the best one beside the others.

    If its first call has just failed, it is a walk to the last cell out of view, or a look around.
    """

    def plan(seat: OpenSeat, question: Plan) -> Sequence[str]:
        shortcut = next((rule for rule in shortcuts.values() if rule.words == question.strategy), None)
        calls = shortcut.next(seat) if shortcut else best(seat, question.others)
        if calls[0] == question.barred_call:
            calls = [WalkTo(seat.unseen[-1]) if seat.unseen else LookAround()]
        return [str(call) for call in calls]

    return plan


def believed_rule(others: Sequence[PlayerBelief], rules: Container[str | None]) -> str | None:
    """The first of these rules, in words, that some player is believed or known to follow; None without any."""
    believed = (words for each in others for words in (each.hypothesis, each.expected))
    return next((words for words in believed if words in rules), None)


def greedy_strategy(seat: OpenSeat) -> str:
    """What the best call means, as a strategy."""
    return phrase(seat.blocks, "greedy_strategy")


def best_strategy(seat: OpenSeat) -> str:
    """To do what is best beside the others, in the words of a kind of games that can tell that."""
    return phrase(seat.blocks, "best_strategy")


# What others do

_RULE = re.compile(r"It mostly (.+)\.")


def rule_of(behaviour: str) -> str:
    """The rule of a player that mostly does one thing."""
    return f"It mostly {behaviour}."


REPEATS = "It does what it did last."


def _weigh(seat: OpenSeat, about: str, history: Sequence[Conduct]) -> Mapping[str, float]:
    """The rules' log-likelihoods."""
    seen = [each.behaviour for each in history]
    other = ELSE / max(1, len(seat.behaviours) - 1)
    fits = {
        rule_of(behaviour): sum(log(KEPT_TO if each == behaviour else other) for each in seen)
        for behaviour in dict.fromkeys((*seen, *seat.behaviours))
    }
    repeats = (log(KEPT_TO if now == before else other) for before, now in pairwise(seen))
    fits[REPEATS] = log(1 / max(1, len(seat.behaviours))) + sum(repeats)
    return fits


def foresee(words: str | None, seat: OpenSeat, about: str, history: Sequence[Conduct]) -> NextConduct:
    """What a player does next by a rule in words; words of no rule stand for the commonest of what it did."""
    seen = [each.behaviour for each in history]
    named = _RULE.fullmatch(words or "")
    if named and named[1] in seat.behaviours:
        return NextConduct(does=named[1])
    if words == REPEATS and seen:
        return NextConduct(does=seen[-1])
    commonest = Counter(seen).most_common(1)
    return NextConduct(does=commonest[0][0] if commonest else seat.behaviours[0])


def review(question: ReviewPlan) -> str:
    """A critique by the reward alone."""
    advice = "go on like this" if question.reward > 0 else "try something else"
    return f"Reward {question.reward:g}: {advice}."


REASONER = WrittenReasoner(
    OpenSeat, _weigh, foresee, greedy_strategy, lambda seat, question: best_calls(seat, question.barred_call), review
)
