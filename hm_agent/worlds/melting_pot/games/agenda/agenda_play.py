"""What a crewmate and an impostor do, by what they take others for: for the reasoner, and for scripted players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from hm_agent.worlds.melting_pot.facts import slot_of
from hm_agent.worlds.melting_pot.games.agenda.agenda_facts import GEM, TAG, nearest_deposit
from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaSeat
from hm_agent.worlds.melting_pot.games.open.calls import (
    Call,
    CollectThings,
    FollowPlayer,
    KeepAway,
    LookAround,
    StandStill,
    UseAction,
    WalkTo,
)
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.grid import distance

IMPOSTOR, CREW = "It is the impostor.", "It is a crewmate."
HUNTS = "It is the impostor, and freezes whoever is nearest."
LURKS = "It is the impostor, and freezes who is alone with it."
PRETENDS = "It is the impostor, takes gems like a crewmate, and freezes who is alone with it."
SILENT = "It is a crewmate, and votes for nobody."
ACCUSES = "It is a crewmate, and votes for whoever was beside a player when that was frozen."
FOLLOWS = "It is a crewmate, and votes like the others."
IMPOSTORS = frozenset((IMPOSTOR, HUNTS, LURKS, PRETENDS))
"""The rules of impostors."""
JOINS = "Play on, and vote like the others."
"""The strategy of an agent that models nobody."""
NOBODY = 6
"""The number of the vote for nobody."""
CLOSE = 4
"""A scripted crewmate that is alone with the impostor keeps this distance."""
LAST_TWO = 2
"""With one of so many crewmates the impostor wins at once, whoever sees it."""
ABOUT = 6
"""Whoever was in view so few steps ago is still about."""
SAFE = 7
"""At this distance nobody is frozen before it can get away."""
FAR = 11
"""From whoever is taken for the impostor this distance is kept, since a plan may lead past it."""
PAUSE = 4
"""The steps between two looks at the others' votes."""


def vote(seat: AgendaSeat, player: str | None) -> Sequence[Call]:
    number = NOBODY if player is None else slot_of(player) + 1
    return [UseAction(f"vote_{number}"), StandStill(PAUSE)]


def most_voted(seat: AgendaSeat) -> str | None:
    """The other player that most of the others vote for; None if nobody does."""
    counts = Counter(vote for vote in seat.votes.values() if vote and vote != seat.own_name)
    return min(counts, key=lambda name: (-counts[name], name), default=None)


def most_suspect(seat: AgendaSeat) -> str | None:
    """Whoever was beside frozen players most often, more than it was seen elsewhere; else the only one not cleared."""
    near = [each for each in seat.suspicions if each.near > each.elsewhere]
    if near:
        return max(near, key=lambda each: (each.near - each.elsewhere, each.player)).player
    left = [each for each in seat.suspicions if not each.elsewhere]
    return left[0].player if len(left) == 1 else None


def _await(seat: AgendaSeat) -> Sequence[Call]:
    """Goes where crewmates come back to again and again, and looks around there."""
    deposit = nearest_deposit(seat.here)
    return [WalkTo(deposit)] if distance(seat.here, deposit) > CLOSE else [LookAround()]


def bring_gems(seat: AgendaSeat) -> Sequence[Call]:
    """Picks up the nearest gem, and stores it."""
    if seat.carries:
        return [WalkTo(nearest_deposit(seat.here))]
    return [CollectThings(GEM) if seat.cells_of((GEM,)) else seat.search]


def crew_calls(seat: AgendaSeat, impostors: Collection[str]) -> Sequence[Call]:
    """Brings gems, away from impostors when alone with one, and votes for one. impostors: who is taken for one."""
    suspects = [name for name in impostors if name in seat.votes]
    if seat.is_voting:
        return vote(seat, suspects[0] if suspects else None)
    alone_with = seat.in_view[:1] if len(seat.in_view) == 1 else []
    near = [known for known in seat.players if known.name in alone_with and distance(seat.here, known.cell) <= CLOSE]
    if near and near[0].name in suspects:
        return [KeepAway(near[0].name, CLOSE)]
    return bring_gems(seat)


def wary_calls(seat: AgendaSeat, impostor: str | None, unclear: Collection[str]) -> Sequence[Call]:
    """Votes for the impostor, else brings gems; while somebody may be frozen soon, it watches out.

    It looks around for the impostor, and keeps away from it, and from those that are unclear if alone with one.
    impostor: who is taken for it; None for nobody.
    """
    if seat.is_voting:
        return vote(seat, impostor)
    if not seat.is_ready:
        return bring_gems(seat)
    about = [known for known in seat.players if known.ago <= ABOUT and known.name in seat.votes]
    feared: dict[str | None, int] = dict.fromkeys(unclear, SAFE) if len(about) == 1 else {}
    feared[impostor] = FAR
    near = [known.name for known in about if distance(seat.here, known.cell) <= feared.get(known.name, -1)]
    if near:
        return [KeepAway(near[0], PAUSE)]
    is_in_sight = any(known.name == impostor for known in about)
    return bring_gems(seat) if is_in_sight else [LookAround(), *bring_gems(seat)]


def accusing_calls(seat: AgendaSeat) -> Sequence[Call]:
    """Votes for whom it suspects; where it suspects nobody, like the others, unless it saw that one elsewhere."""
    suspect, leader = most_suspect(seat), most_voted(seat)
    if suspect is None and leader and not seat.suspicion(leader).elsewhere:
        suspect = leader
    return crew_calls(seat, [suspect] if suspect and seat.is_voting else [])


def following_calls(seat: AgendaSeat) -> Sequence[Call]:
    leader = most_voted(seat) if seat.is_voting else None
    return crew_calls(seat, [leader] if leader else [])


def joining_calls(seat: AgendaSeat) -> Sequence[Call]:
    """Plays for its side as if it saw nothing of the others but their votes, which it joins."""
    return hunting_calls(seat) if seat.is_impostor else following_calls(seat)


def hunting_calls(seat: AgendaSeat, most: int | None = None) -> Sequence[Call]:
    """Tags the nearest other player if it can and at most so many are in view; until then it follows or awaits one."""
    if seat.is_voting:
        return vote(seat, most_voted(seat))
    if not seat.in_view:
        return _await(seat)
    tags = seat.is_ready and (most is None or len(seat.in_view) <= most)
    return [UseAction(TAG, seat.in_view[0]) if tags else FollowPlayer(seat.in_view[0], 5)]


def lurking_calls(seat: AgendaSeat) -> Sequence[Call]:
    """Tags a player only if no third one is in view."""
    return hunting_calls(seat, most=1)


def pretending_calls(seat: AgendaSeat) -> Sequence[Call]:
    """As `lurking_calls`, but takes gems in between, and stores none."""
    if seat.is_voting or (seat.is_ready and len(seat.in_view) == 1):
        return lurking_calls(seat)
    return [seat.search if seat.carries or not seat.cells_of((GEM,)) else CollectThings(GEM)]


def impostor_calls(seat: AgendaSeat, rules: Collection[str]) -> Sequence[Call]:
    """Freezes only who is alone with it, unless nobody accuses by what it saw or that wins, and accuses somebody first.

    rules: the others', as far as they are known.
    """
    minds_nobody = not rules or {*rules} <= {SILENT}
    if seat.is_voting and not minds_nobody and most_voted(seat) is None and seat.votes:
        return vote(seat, min(seat.votes))
    has_all_but_won = len(seat.votes) == LAST_TWO
    return lurking_calls(seat) if ACCUSES in rules and not has_all_but_won else hunting_calls(seat)


OF_IMPOSTORS: Mapping[str, PlayingRule] = {
    "hunts": PlayingRule(HUNTS, hunting_calls),
    "lurks": PlayingRule(LURKS, lurking_calls),
    "pretends": PlayingRule(PRETENDS, pretending_calls),
}
OF_CREWS: Mapping[str, PlayingRule] = {
    "follows": PlayingRule(FOLLOWS, following_calls),
    "silent": PlayingRule(SILENT, lambda seat: crew_calls(seat, ())),
    "accuses": PlayingRule(ACCUSES, accusing_calls),
}
"""What scripted players of each role do, the usual first, by the names that the game's file calls puppeteers."""
STAND_INS: Mapping[str, str] = {"hunter_impostor": "hunts", "collector_crew": "silent"}
"""The rules in place of Melting Pot's trained bots, by a part of their names."""
