"""The built-in reasoner in Hidden Agenda: who the impostor is, how crewmates vote, and what is best to do then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner
from hm_agent.worlds.melting_pot.games.agenda.agenda_play import (
    ACCUSES,
    CREW,
    FOLLOWS,
    IMPOSTOR,
    IMPOSTORS,
    JOINS,
    OF_CREWS,
    OF_IMPOSTORS,
    SILENT,
    STAND_INS,
    crew_calls,
    impostor_calls,
    joining_calls,
    most_voted,
    wary_calls,
)
from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaFollower, AgendaNotes, AgendaSeat
from hm_agent.worlds.melting_pot.games.agenda.evidence import ABSTAINS, ELSEWHERE, VOTES, Suspicion
from hm_agent.worlds.melting_pot.games.open.calls import Call
from hm_agent.worlds.melting_pot.games.open.conduct import WALKS, Conduct
from hm_agent.worlds.melting_pot.games.open.greedy import planner, review
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import NextConduct, PlayingRule

IS_NEAR, IS_ELSEWHERE = log(0.5 / 0.06), log(0.02 / 0.3)
"""How much being beside a player that is frozen, or in view elsewhere, speaks for being the impostor."""
IDLES: Mapping[str, float] = {IMPOSTOR: 0.05, CREW: 0.01}
STORES: Mapping[str, float] = {IMPOSTOR: 0.02, CREW: 0.07}
"""In which share of the steps in view a player stays in its cell, and walks onto the deposit."""
VOTE_FROM = 0.4
"""Whoever is the impostor with this chance gets the vote: a crew that votes for nobody wins about half the time."""
UNCLEAR = 0.1
"""From this chance on it is better not to be alone with a player."""
LEAST = 0.001
"""No chance counts as smaller."""
VOTING: Mapping[str, float] = {ACCUSES: 0.5, FOLLOWS: 0.5, SILENT: 0.05}
"""How often crewmates of each rule vote for somebody; of rules that fit as well the first counts."""


def _log_odds(known: Suspicion) -> float:
    """How much all that was seen of a player speaks for its being the impostor."""
    busy = known.steps - known.idle - known.stores
    of_steps = (
        (known.idle, log(IDLES[IMPOSTOR] / IDLES[CREW])),
        (known.stores, log(STORES[IMPOSTOR] / STORES[CREW])),
        (busy, log((1 - IDLES[IMPOSTOR] - STORES[IMPOSTOR]) / (1 - IDLES[CREW] - STORES[CREW]))),
    )
    of_frozen = IS_NEAR * known.near + IS_ELSEWHERE * known.elsewhere
    return of_frozen + sum(count * weight for count, weight in of_steps)


def impostor_chances(seat: AgendaSeat) -> Mapping[str, float]:
    """The chance that each other player that is still in the game is the impostor, which one of them is."""
    weights = {known.player: exp(_log_odds(known)) for known in seat.suspicions}
    return {player: weight / sum(weights.values()) for player, weight in weights.items()}


def _weigh(seat: AgendaSeat, about: str, history: Sequence[Conduct]) -> Mapping[str, float]:
    """The log-likelihoods: of a crewmate's, whether the player is the impostor, of the impostor's, how it votes."""
    if seat.is_impostor:
        votes = [each.behaviour == VOTES for each in history if each.behaviour in (VOTES, ABSTAINS)]
        return {rule: sum(log(share if voted else 1 - share) for voted in votes) for rule, share in VOTING.items()}
    chance = min(max(impostor_chances(seat).get(about, 0.0), LEAST), 1 - LEAST)
    return {CREW: log(1 - chance), IMPOSTOR: log(chance)}


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
    """The best plan against these rules of the others; without any, as if nobody could be told from another."""
    if seat.is_impostor:
        return impostor_calls(seat, frozenset(rules.values()))
    if not rules:
        return crew_calls(seat, ())
    chances = {name: _chance(seat, name, rules) for name in seat.votes}
    suspect = max(chances, key=lambda name: (chances[name], name), default=None)
    leader = most_voted(seat)
    if suspect and chances[suspect] < VOTE_FROM:  # others may have seen more
        suspect = leader if leader and chances.get(leader, 0.0) >= UNCLEAR else None
    return wary_calls(seat, suspect, [name for name, chance in chances.items() if chance >= UNCLEAR])


def _chance(seat: AgendaSeat, player: str, rules: Mapping[str, str]) -> float:
    """The chance that a player is the impostor: certain where its rule is known, else by what was seen."""
    rule = rules.get(player)
    if rule in (IMPOSTOR, CREW, None):
        return impostor_chances(seat).get(player, 0.0)
    return float(rule in IMPOSTORS)


def _strategy(seat: AgendaSeat) -> str:
    return phrase(seat.blocks, "impostor_strategy" if seat.is_impostor else "crew_strategy")


SHORTCUTS: Mapping[str, PlayingRule] = {"joins": PlayingRule(JOINS, joining_calls)}
_calls = planner(SHORTCUTS, lambda seat, others: best_calls(seat, rules_in(others)))
REASONER = WrittenReasoner(AgendaSeat, _weigh, _foresee, _strategy, _calls, review, keeps_all=True)
PARTS = OpenParts(
    AgendaNotes,
    AgendaFollower,
    reasoner=REASONER,
    shortcuts=SHORTCUTS,
    rules=lambda facts, slot: OF_IMPOSTORS if facts.is_impostor(slot) else OF_CREWS,
    stand_ins=STAND_INS,
)
