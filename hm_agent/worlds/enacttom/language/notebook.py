"""Derives events from an agent's views: messages, what partners do in its sight, and its own failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hm_agent.agents.planning_body import Notes, PlanningState
from hm_agent.core import Event, Observation
from hm_agent.worlds.enacttom.house.commands import Verb
from hm_agent.worlds.enacttom.house.probes import HouseAction
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.language.situation import (
    HANDLES,
    WRITES,
    HouseSituation,
    OwnActionFailed,
    PartnerAct,
    PartnerActed,
    PartnerMoved,
)
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition


@dataclass(frozen=True, slots=True)
class HouseNotes:
    """What recordings show of an agent's notes."""

    room: str
    messages_left: int


class HouseNotebook(Notes[HouseView, HouseSituation, HouseAction]):
    """Keeps one agent's views of an episode and derives its events from them."""

    def __init__(self) -> None:
        self._views: tuple[HouseView, ...] = ()
        self._situation: HouseSituation
        self._noticed: set[str] = set()
        """The things that the acts noticed so far were about."""

    @property
    def situation(self) -> HouseSituation:
        return self._situation

    def shown(self, planning: PlanningState) -> PlanningState:
        return replace(planning, notes=HouseNotes(self._situation.view.room, self._situation.view.messages_left))

    def read(self, observation: Observation[HouseView]) -> Sequence[Event]:
        view = observation.view
        before, self._views = self._views, (*self._views, view)
        self._situation = HouseSituation(self._views)
        return [self._marked(event) for event in self._events(before[-1], view)] if before else []

    def _marked(self, event: Event) -> Event:
        """Marks an act about a thing that no act was about before."""
        if not isinstance(event, PartnerActed):
            return event
        act = event.interaction
        is_new = bool(act.things) and act.things[0] not in self._noticed
        self._noticed |= set(act.things)
        return replace(event, interaction=replace(act, is_new=is_new))

    def _events(self, before: HouseView, view: HouseView) -> Iterator[Event]:
        outcome, turn = view.outcome, view.turn - 1
        if outcome and outcome.kind is not OutcomeKind.DONE:
            yield OwnActionFailed(view.turn, str(outcome.command), outcome.words)
        for message in view.messages:
            about = self.situation.mentioned(message.text)
            yield PartnerActed(view.turn, PartnerAct(turn, message.sender, WRITES, about, message.text))
        if before.room == view.room:
            writers = {message.sender for message in view.messages}
            for partner in self.situation.partners:
                if (was_here := partner in before.present) != (partner in view.present):
                    yield PartnerMoved(view.turn, partner, comes=not was_here)
                elif was_here and partner not in writers and (act := _act_in_sight(partner, before, view)):
                    yield PartnerActed(view.turn, act)


def _act_in_sight(partner: str, before: HouseView, view: HouseView) -> PartnerAct | None:
    """What a partner handled in the latest turn, which it and the agent spent in one room; None if nothing was seen.

    A change of furniture counts as the partner's act only if no other agent is there.
    """
    turn = view.turn - 1
    changes = before.sees ^ view.sees
    held = [fact for fact in changes if fact.predicate == Is.HELD_BY and fact.arguments[1] == partner]
    if held:
        thing = held[0].arguments[0]
        words = sorted(fact.words for fact in view.sees if fact.arguments[0] == thing and fact.predicate != Is.IN_ROOM)
        return PartnerAct(turn, partner, HANDLES, (thing,), seen="; ".join(words))
    states = _new_states(before, view)
    if not states or len(view.present - {view.agent}) > 1:
        return None
    furniture = tuple(fact.arguments[0] for fact in states)
    return PartnerAct(turn, partner, HANDLES, furniture, seen="; ".join(fact.words for fact in states))


def _new_states(before: HouseView, view: HouseView) -> list[Proposition]:
    """The open and closed states that are new in the view; empty if the agent itself opened or closed something."""
    if view.outcome and view.outcome.command.verb in (Verb.OPEN, Verb.CLOSE):
        return []
    states = (fact for fact in view.sees - before.sees if fact.predicate in Is.STATES)
    return sorted(states, key=lambda fact: fact.arguments[0])
