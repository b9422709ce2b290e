"""The built-in reasoner in any substrate: collect and use what has paid, try what is untried, else look around.

It knows nothing of a game but what questions show, so that it is no more than a sober way to play without a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log

from hm_agent.core import Hypothesis
from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.language_questions import CallsAnswer, Plan, ReviewPlan
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.melting_pot.games.open.calls import Call, CollectThings, LookAround, UseAction, WalkTo
from hm_agent.worlds.melting_pot.games.open.conduct import Conduct
from hm_agent.worlds.melting_pot.games.open.open_facts import PLAYER
from hm_agent.worlds.melting_pot.games.open.seat import NextConduct, OpenSeat
from hm_agent.worlds.melting_pot.grid import distance

HOPED_COLLECT, HOPED_USE, HOPED_ELSE = 1.0, 0.3, 0.1
"""What is hoped of taking a thing, of an action on a thing, and of one on a player or on nothing: like one trial."""
LEAST_WORTH = 0.004
"""What is expected to pay less a step is left undone, for looking around."""
SETTING_OUT = 2
"""The steps that any deed takes beside the way to it."""
KEPT_TO, ELSE = 0.8, 0.2
"""The chance that a player does what its rule says, and that it does anything else."""


def worth(seat: OpenSeat, deed: str, hoped: float) -> float:
    """What a deed is expected to pay, by what it has paid so far."""
    known = next((done for done in seat.deeds if done.words == deed), None)
    return hoped if known is None else (hoped + known.reward) / (1 + known.times)


def candidates(seat: OpenSeat) -> Iterator[tuple[float, Call]]:
    """The calls that may pay, each with what it is expected to pay a step."""
    assert seat.pose is not None, "plans start from a known pose"
    here = seat.pose.cell
    takable, hurting = set(seat.facts.collects), set(seat.facts.avoids)
    uses = {action: targets for action, targets in seat.facts.uses.items() if action not in seat.facts.harms}
    for known in seat.things:
        ways = [(cell, distance(here, cell) + SETTING_OUT) for cell, _ in known.cells if cell != here]
        if not ways or known.kind in hurting:
            continue
        steps = ways[0][1]
        if known.kind in takable:
            yield worth(seat, f"collect({known.kind})", HOPED_COLLECT) / steps, CollectThings(known.kind)
        for action, targets in uses.items():
            if known.kind in targets:
                yield worth(seat, f"use({action}, {known.kind})", HOPED_USE) / steps, UseAction(action, known.kind)
    for action, targets in uses.items():
        players = [player for player in seat.players if not player.ago]
        if PLAYER in targets and players:
            steps = distance(here, players[0].cell) + SETTING_OUT
            yield worth(seat, f"use({action}, {PLAYER})", HOPED_ELSE) / steps, UseAction(action, players[0].name)
    for action in seat.actions:
        if action not in seat.facts.uses and action not in seat.facts.harms:
            yield worth(seat, f"use({action})", HOPED_ELSE) / SETTING_OUT, UseAction(action)


def best_calls(seat: OpenSeat, barred: Call | None = None) -> Sequence[str]:
    """The plan that is expected to pay most a step, without the call that has just failed at its beginning."""
    worthwhile = [(value, str(call)) for value, call in candidates(seat) if call != barred and value >= LEAST_WORTH]
    if worthwhile:
        return [max(worthwhile)[1]]
    return [str(elsewhere(seat, barred))]


def elsewhere(seat: OpenSeat, barred: Call | None) -> Call:
    """A walk to a cell that was out of view for long, but for a call that has just failed; without any, a look."""
    return next((place for place in map(WalkTo, seat.unseen) if place != barred), LookAround())


def plan_of(question: Plan, calls: Sequence[Call]) -> CallsAnswer:
    """The answer with these calls; if the first one has just failed, a walk to the last cell out of view, or a look."""
    seat = question.situation
    assert isinstance(seat, OpenSeat)
    if calls[0] == question.barred_call:
        calls = [WalkTo(seat.unseen[-1]) if seat.unseen else LookAround()]
    return CallsAnswer(calls=[str(call) for call in calls])


def strategy_words(seat: OpenSeat) -> str:
    """What the best call means, as a strategy."""
    return phrase(seat.blocks, "greedy_strategy")


# What others do

_RULE = re.compile(r"It mostly (.+)\.")


def rule_of(behaviour: str) -> str:
    """The rule of a player that mostly does one thing."""
    return f"It mostly {behaviour}."


REPEATS = "It does what it did last."


def _weigh(
    seat: OpenSeat, about: str, history: Sequence[Conduct], earlier: Sequence[Hypothesis]
) -> Mapping[str, float]:
    """The rules' log-likelihoods, to which the values of earlier hypotheses are added."""
    values = {hypothesis.words: hypothesis.value for hypothesis in earlier}
    seen = [each.behaviour for each in history]
    other = ELSE / max(1, len(seat.behaviours) - 1)
    fits = {
        rule_of(behaviour): sum(log(KEPT_TO if each == behaviour else other) for each in seen)
        for behaviour in dict.fromkeys((*seen, *seat.behaviours))
    }
    repeats = (log(KEPT_TO if now == before else other) for before, now in pairwise(seen))
    fits[REPEATS] = log(1 / max(1, len(seat.behaviours))) + sum(repeats)
    return {words: fit + values.get(words, 0.0) for words, fit in fits.items()}


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


REASONER = WrittenReasoner(OpenSeat, _weigh, foresee, strategy_words, best_calls, review)
ANSWERS: ReasonerTable = REASONER.answers
