"""What questions show of a crewmate or an impostor, how that is found out, and how its plans are carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from hm_agent.core import Event, Observation
from hm_agent.models.prompts import phrase
from hm_agent.worlds.melting_pot.games.agenda.agenda_facts import AgendaFacts
from hm_agent.worlds.melting_pot.games.agenda.evidence import Ballot, EvidenceWatch, Suspicion
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.grid import Move


@dataclass(frozen=True)
class AgendaSeat(OpenSeat):
    """What a crewmate or an impostor knows at a step.

    is_impostor: which of the two it is. carries: True if it holds a gem. is_ready: True if it can tag; of a crewmate,
    if the impostor may be able to, now or soon. is_voting: True while players vote. is_out: True once it can play no
    more. votes: whom each other player that is still in the game votes for, None for nobody. suspicions: what was seen
    of these.
    """

    blocks = "melting_pot/agenda/blocks.j2"

    is_impostor: bool
    carries: bool
    is_ready: bool
    is_voting: bool
    is_out: bool
    votes: Mapping[str, str | None]
    suspicions: tuple[Suspicion, ...]

    @property
    def in_view(self) -> list[str]:
        """The others that are in view and still in the game, the nearest first."""
        return [known.name for known in self.players if not known.ago and known.name in self.votes]

    def suspicion(self, player: str) -> Suspicion:
        return next((each for each in self.suspicions if each.player == player), Suspicion(player))


class AgendaNotes(OpenNotes):
    """Perceives and remembers for a crewmate or an impostor."""

    seat_class = AgendaSeat
    _facts: AgendaFacts
    _watch: EvidenceWatch

    def _watching(self) -> EvidenceWatch:
        return EvidenceWatch(frozenset(self._facts.collects), self.own_name)

    @property
    def players(self) -> Sequence[str]:
        """The names of the other players; frozen ones, which look alike, are in VOTING."""
        return self._facts.others(self._slot)

    def read(self, observation: Observation[View]) -> list[Event]:
        if "VOTING" in observation.view:
            self._watch.ballot = Ballot.of(observation.view["VOTING"])
        events = list(super().read(observation))
        return [] if self._watch.is_out else events  # else a model would be asked what these mean

    def _told(self) -> Sequence[tuple[str, str]]:
        """Nothing: what the game tells beside the view is in the seat's own fields."""
        return ()

    def _more(self) -> Mapping[str, Any]:
        view, watch, is_impostor = self._observation.view, self._watch, self._facts.is_impostor(self._slot)
        return {
            "is_impostor": is_impostor,
            "carries": "INVENTORY" in view and float(view["INVENTORY"].sum()) > 0,
            "is_ready": float(view.get("READY_TO_SHOOT", 0)) >= 1 if is_impostor else watch.can_tag,
            "is_voting": watch.is_voting,
            "is_out": watch.is_out,
            "votes": {name: vote for name, vote in watch.ballot.votes.items() if name != self.own_name},
            "suspicions": watch.suspicions,
        }


class AgendaFollower(OpenFollower):
    """Follows plans, and interrupts them when a vote begins or ends, and by who is in view while tags are likely."""

    _was_voting = _was_ready = False
    _in_view = 0

    def _news(self, situation: OpenSeat) -> str | None:
        assert isinstance(situation, AgendaSeat)
        has_changed = situation.is_voting != self._was_voting
        count = len(situation.in_view)
        can_tag = situation.is_ready and (not self._was_ready or count != self._in_view)
        self._was_voting, self._was_ready, self._in_view = situation.is_voting, situation.is_ready, count
        if has_changed:
            return phrase("melting_pot/agenda/messages.j2", "vote_begins" if situation.is_voting else "vote_ends")
        reason = "can_tag" if situation.is_impostor else "may_tag"
        return phrase("melting_pot/agenda/messages.j2", reason) if can_tag and not situation.is_voting else None

    def reflex(self, situation: OpenSeat) -> IntEnum | None:
        """Stands still once it is out of the game: nobody is asked for plans that it can't carry out."""
        assert isinstance(situation, AgendaSeat)
        return self._actions(Move.NOOP) if situation.is_out else super().reflex(situation)
