"""The built-in reasoner at a common good: which rules others follow, and the best plan beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.melting_pot.games.commons.best_plan import tend_apples, tend_river
from hm_agent.worlds.melting_pot.games.commons.commons_conduct import CommonsConduct, takes_last
from hm_agent.worlds.melting_pot.games.commons.commons_notes import CommonsNotes
from hm_agent.worlds.melting_pot.games.commons.commons_seat import CommonsSeat
from hm_agent.worlds.melting_pot.games.commons.rules import (
    COMPANY,
    GOALS,
    SHORTCUTS,
    STAND_INS,
    TURN,
    last_company,
    rules_in,
    scripted_rules,
)
from hm_agent.worlds.melting_pot.games.open.conduct import STAYS, STRETCH, WALKS, takes, uses
from hm_agent.worlds.melting_pot.games.open.greedy import ELSE, KEPT_TO, believed_rule, best_strategy, elsewhere, review
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import NextConduct

IDLE_CLEANING, IDLE_EATING = 0.15, 0.5
"""The chance that nothing is seen of a player that cleans in a stretch, and of one that eats, for want of apples."""
STALE = TURN + STRETCH
"""Players that clean all the time, or in turns, are seen to clean within so many steps."""
SLIPS = 0.1
"""The chance that a player that spares apples is seen to take a last one."""


def does(rule: str, seat: CommonsSeat, step: int, in_company: bool) -> str:
    """What a player of a rule mostly does in the stretch that ends at a step. in_company: as in `CommonsConduct`."""
    eats, river = takes(seat.facts.apple), seat.facts.river
    if river is None:
        return takes_last(seat.facts.apple) if rule == "strips" else eats
    has_turn = (step - STRETCH // 2) // TURN % 2 == 0
    cleans = {"cleans": True, "eats": False, "reciprocates": in_company, "takes_turns": has_turn}[rule]
    return uses(river.beam) if cleans else eats


def _weigh(seat: CommonsSeat, about: str, history: Sequence[CommonsConduct]) -> Mapping[str, float]:
    """The rules' log-likelihoods by the stretches in which a player was in view.

    Where apples grow back, only those in which it took some tell anything.
    """
    telling = [each for each in history if seat.facts.river or each.behaviour not in (STAYS, WALKS)]
    return {
        rule.words: sum(log(_chance(name, seat, each)) for each in telling) for name, rule in rules_in(seat).items()
    }


def _chance(rule: str, seat: CommonsSeat, seen: CommonsConduct) -> float:
    """The chance of what a player did in a stretch if it follows a rule.

    Who strips takes as many stretches' worth of apples that are not the last; who spares them hardly ever takes those.
    """
    expected = does(rule, seat, seen.step, seen.in_company)
    is_expected = seen.behaviour == expected
    if seat.facts.river:
        idle = IDLE_CLEANING if expected == uses(seat.facts.river.beam) else IDLE_EATING
        return idle if seen.behaviour in (STAYS, WALKS) else (1 - idle) * (KEPT_TO if is_expected else ELSE)
    if rule == "strips":
        return 0.5
    return 1 - SLIPS if is_expected else SLIPS


def _foresee(words: str | None, seat: CommonsSeat, about: str, history: Sequence[CommonsConduct]) -> NextConduct:
    """What a player does next by a rule in words; words of no rule stand for what it did last."""
    name = next((name for name, rule in rules_in(seat).items() if rule.words == words), None)
    if name is None:
        return NextConduct(does=history[-1].behaviour if history else seat.behaviours[0])
    company = last_company(seat)
    return NextConduct(does=does(name, seat, seat.step, company is not None and seat.step - company < COMPANY))


def rules_believed(seat: CommonsSeat, others: Sequence[PlayerBelief]) -> Mapping[str, str]:
    """The rules that others are believed to follow, by player; those without a belief are left out.

    Where no apples are seen, who is believed to clean, but was not seen to lately, is taken to answer others that do.
    """
    names, cleaned = {rule.words: name for name, rule in rules_in(seat).items()}, dict(seat.cleaned)
    believed = {}
    for other in others:
        rule = names.get(believed_rule([other], names) or "")
        if rule in ("cleans", "takes_turns") and other.hypothesis:
            is_likely = seat.sees_apples or seat.step - cleaned.get(other.name, -STALE) < STALE
            rule = rule if is_likely else "reciprocates"
        if rule:
            believed[other.name] = rule
    return believed


def _calls(seat: CommonsSeat, question: Plan) -> Sequence[str]:
    """The plan of a shortcut's strategy, else the best beside the others, as far as these are known."""
    ruled = next((rule for rule in SHORTCUTS.values() if rule.words == question.strategy), None)
    believed, barred = rules_believed(seat, question.others), question.barred_call
    if ruled:
        plan = ruled.next(seat)
    elif seat.facts.river:
        plan = tend_river(seat, tuple(believed.values()))
    else:
        plan = tend_apples(seat, believed)
    if plan and plan[0] != barred:
        return [str(call) for call in plan]
    return [str(elsewhere(seat.unseen, barred))]


REASONER = WrittenReasoner(CommonsSeat, _weigh, _foresee, best_strategy, _calls, review)
PARTS = OpenParts(
    CommonsNotes, reasoner=REASONER, shortcuts=SHORTCUTS, rules=scripted_rules, stand_ins=STAND_INS, goals=GOALS
)
