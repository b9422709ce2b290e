"""The built-in reasoner in Hidden Agenda: who the impostor is, how crewmates vote, and what is best to do then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from hm_agent.core import Hypothesis
from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.language_questions import CallsAnswer, Plan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.melting_pot.games.agenda.agenda_play import (
    ACCUSES,
    CREW,
    FOLLOWS,
    IMPOSTOR,
    IMPOSTORS,
    JOINS,
    SILENT,
    crew_calls,
    impostor_calls,
    joining_calls,
)
from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaSeat
from hm_agent.worlds.melting_pot.games.agenda.evidence import ABSTAINS, ELSEWHERE, VOTES
from hm_agent.worlds.melting_pot.games.open.calls import Call
from hm_agent.worlds.melting_pot.games.open.conduct import WALKS, Conduct
from hm_agent.worlds.melting_pot.games.open.greedy import plan_of, review
from hm_agent.worlds.melting_pot.games.open.seat import NextConduct

IS_NEAR, IS_ELSEWHERE = log(0.5 / 0.06), log(0.02 / 0.3)
"""How much being beside a player that is frozen, or in view elsewhere, speaks for being the impostor."""
VOTING: Mapping[str, float] = {SILENT: 0.05, ACCUSES: 0.5, FOLLOWS: 0.5}
"""How often crewmates of each rule vote for somebody."""


def _weigh(
    seat: AgendaSeat, about: str, history: Sequence[Conduct], earlier: Sequence[Hypothesis]
) -> Mapping[str, float]:
    """The rules' log-likelihoods: of a crewmate's, whether the player is the impostor, of the impostor's, how it votes.

    Earlier hypotheses count for nothing, since the seat keeps all that was seen.
    """
    if seat.is_impostor:
        votes = [each.behaviour == VOTES for each in history if each.behaviour in (VOTES, ABSTAINS)]
        return {rule: sum(log(share if voted else 1 - share) for voted in votes) for rule, share in VOTING.items()}
    known = seat.suspicion(about)
    others = max(1, len(seat.votes))
    return {
        CREW: log(max(1, others - 1) / others),
        IMPOSTOR: log(1 / others) + IS_NEAR * known.near + IS_ELSEWHERE * known.elsewhere,
    }


def _foresee(words: str | None, seat: AgendaSeat, about: str, history: Sequence[Conduct]) -> NextConduct:
    """What a player is seen to do next by a rule: to vote where it accuses, in view elsewhere as crew, else to walk."""
    if seat.is_impostor:
        return NextConduct(does=ABSTAINS if words == SILENT else VOTES)
    return NextConduct(does=ELSEWHERE if words == CREW and seat.suspicion(about).elsewhere else WALKS)


def rules_in(others: Sequence[PlayerBelief]) -> Mapping[str, str]:
    """The rule that each other player is believed, or known, to follow."""
    rules = {each.name: each.hypothesis or each.expected for each in others}
    return {name: rule for name, rule in rules.items() if rule}


def best_calls(seat: AgendaSeat, rules: Mapping[str, str]) -> Sequence[Call]:
    """The best plan against these rules of the others."""
    if seat.is_impostor:
        return impostor_calls(seat, frozenset(rules.values()))
    suspects = [name for name, rule in rules.items() if rule in IMPOSTORS and name in seat.votes]
    if not suspects and rules:  # the only one that was never in view elsewhere
        left = [each.player for each in seat.suspicions if not each.elsewhere]
        suspects = left if len(left) == 1 else []
    weights = {name: seat.suspicion(name).near - seat.suspicion(name).elsewhere for name in suspects}
    return crew_calls(seat, sorted(suspects, key=lambda name: (-weights[name], name)))


def _plan(question: Plan) -> CallsAnswer:
    seat = question.situation
    assert isinstance(seat, AgendaSeat)
    joins = question.strategy == JOINS
    return plan_of(question, joining_calls(seat) if joins else best_calls(seat, rules_in(question.others)))


def _strategy(seat: AgendaSeat) -> str:
    return phrase(seat.blocks, "impostor_strategy" if seat.is_impostor else "crew_strategy")


REASONER = WrittenReasoner(AgendaSeat, _weigh, _foresee, _strategy, lambda seat, barred: (), review)
ANSWERS: ReasonerTable = {**REASONER.answers, Plan: _plan}
