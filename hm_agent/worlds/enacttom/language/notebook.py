"""Tells from an agent's views what has happened: messages, what partners do in its sight, and its own failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hm_agent.core import Event
from hm_agent.worlds.enacttom.house.commands import CLOSE_IT, OPEN_IT
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.language.situation import (
    COMES,
    HANDLES,
    LEAVES,
    WRITES,
    HouseSituation,
    OwnActionFailed,
    PartnerAct,
    PartnerActed,
)
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    IS_CLOSED,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_OPEN,
    Proposition,
)


class HouseNotebook:
    """One agent's views through an episode."""

    def __init__(self) -> None:
        self._views: tuple[HouseView, ...] = ()
        self.situation: HouseSituation

    def read(self, view: HouseView) -> Sequence[Event]:
        """Takes a view in and says what has happened since the one before."""
        before, self._views = self._views, (*self._views, view)
        self.situation = HouseSituation(self._views)
        return list(self._events(before[-1], view)) if before else []

    def _events(self, before: HouseView, view: HouseView) -> Iterator[Event]:
        outcome, turn = view.outcome, view.turn - 1
        if outcome and outcome.kind is not OutcomeKind.DONE:
            yield OwnActionFailed(view.turn, str(outcome.command), outcome.words)
        for one in view.messages:
            about = self.situation.mentioned(one.text)
            yield PartnerActed(view.turn, PartnerAct(turn, one.sender, WRITES, about, one.text))
        if before.room == view.room:
            writers = {one.sender for one in view.messages}
            for partner in self.situation.partners:
                if partner not in writers and (act := _act_in_sight(partner, before, view)):
                    yield PartnerActed(view.turn, act)


def _act_in_sight(partner: str, before: HouseView, view: HouseView) -> PartnerAct | None:
    """What a partner did in the latest turn, as far as an agent that stayed in its room could see it."""
    turn, where = view.turn - 1, Proposition(AGENT_IN_ROOM, (partner, view.room))
    was_here, is_here = where in before.sees, where in view.sees
    if was_here != is_here:
        return PartnerAct(turn, partner, COMES if is_here else LEAVES)
    if not is_here:
        return None
    held = [one for one in before.sees ^ view.sees if one.predicate == IS_HELD_BY and one.arguments[1] == partner]
    if held:
        thing = held[0].arguments[0]
        now = sorted(one.words for one in view.sees if one.arguments[0] == thing and one.predicate != IS_IN_ROOM)
        return PartnerAct(turn, partner, HANDLES, (thing,), seen="; ".join(now))
    others = [one for one in view.sees if one.predicate == AGENT_IN_ROOM and one.arguments[0] != view.agent]
    turned = _turned(before, view)
    if not turned or len(others) > 1:
        return None
    things = tuple(one.arguments[0] for one in turned)
    return PartnerAct(turn, partner, HANDLES, things, seen="; ".join(one.words for one in turned))


def _turned(before: HouseView, view: HouseView) -> list[Proposition]:
    """The states of furniture that are new in sight, unless the agent turned a handle itself."""
    if view.outcome and view.outcome.command.verb in (OPEN_IT, CLOSE_IT):
        return []
    states = (one for one in view.sees - before.sees if one.predicate in (IS_OPEN, IS_CLOSED))
    return sorted(states, key=lambda one: one.arguments[0])
