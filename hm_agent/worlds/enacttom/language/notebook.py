"""What an agent notes of every view: messages, what partners do in its sight, and what follows for its beliefs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from hm_agent.core import Event
from hm_agent.worlds.enacttom.commands import CLOSE_IT, COMMUNICATE, EVERYONE, OPEN_IT
from hm_agent.worlds.enacttom.language.situation import (
    COMES,
    HANDLES,
    LEAVES,
    WRITES,
    HouseSituation,
    LoggedMessage,
    OwnActionFailed,
    PartnerAct,
    PartnerActed,
)
from hm_agent.worlds.enacttom.propositions import (
    AGENT_IN_ROOM,
    CONTROLS,
    IS_CLOSED,
    IS_HELD_BY,
    IS_IN_ROOM,
    IS_INSIDE,
    IS_INVERSE,
    IS_ON_FLOOR,
    IS_ON_TOP,
    IS_OPEN,
    IS_RESTRICTED,
    MIRRORS,
    WANTED,
    Claim,
    Proposition,
)
from hm_agent.worlds.enacttom.runtime import HouseMessage, OutcomeKind
from hm_agent.worlds.enacttom.sentences import read_claims
from hm_agent.worlds.enacttom.view_beliefs import BeliefKeeper, Beliefs, Tidings
from hm_agent.worlds.enacttom.views import Briefing, HouseView

_LOOKED_AT = (IS_ON_TOP, IS_INSIDE, IS_ON_FLOOR, IS_OPEN, IS_CLOSED)


class HouseNotebook:
    """One agent's notes through an episode."""

    def __init__(self) -> None:
        self._keeper: BeliefKeeper | None = None
        self._before: HouseView | None = None
        self._log: tuple[LoggedMessage, ...] = ()
        self._believed = Beliefs()
        """The beliefs of the view before."""
        self.situation: HouseSituation

    def read(self, view: HouseView) -> Sequence[Event]:
        """Takes a view in and says what has happened since the one before."""
        if self._keeper is None:
            self._keeper = BeliefKeeper(view.briefing)
        before, sent = self._before, _sent(view)
        self._believed = self.situation.beliefs if before else Beliefs()
        self._log += tuple(map(_logged, before.messages)) if before else ()
        self._log += (sent,) if sent else ()
        told = [_tidings(one.sender, one.addressees, one.text, view.briefing) for one in view.messages]
        told += [_tidings(sent.sender, sent.addressees, sent.text, view.briefing)] if sent else []
        self.situation = HouseSituation(view, self._log, self._keeper.read(view, told))
        self._before = view
        return list(self._events(before, view)) if before else []

    def surprises(self, named: Collection[str]) -> list[str]:
        """The things that matter and are otherwise than the agent believed before its latest action.

        Those matter that a plan names or that the agent has read of. What it sees for the first time is no surprise to
        a plan that names it. named: by the plan that is being carried out.
        """
        situation, before = self.situation, self._believed.so
        outcome, now = situation.view.outcome, situation.beliefs.so
        own = set(outcome.command.arguments) if outcome else set()
        changed = {one.arguments[0] for one in before - now if one.predicate in _LOOKED_AT}
        new = {one.arguments[0] for one in now - before if one.predicate in _LOOKED_AT} - changed - set(named)
        return sorted(((changed | new) - own) & ({*named} | situation.read_of))

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
        return PartnerAct(turn, partner, HANDLES, (held[0].arguments[0],))
    others = [one for one in view.sees if one.predicate == AGENT_IN_ROOM and one.arguments[0] != view.agent]
    turned = _turned(before, view)
    return PartnerAct(turn, partner, HANDLES, turned) if turned and len(others) == 1 else None


def _turned(before: HouseView, view: HouseView) -> tuple[str, ...]:
    """The furniture whose state changed in sight, unless the agent turned a handle itself."""
    if view.outcome and view.outcome.command.verb in (OPEN_IT, CLOSE_IT):
        return ()
    states = (one for one in view.sees - before.sees if one.predicate in (IS_OPEN, IS_CLOSED))
    return tuple(sorted(one.arguments[0] for one in states))


def _logged(one: HouseMessage) -> LoggedMessage:
    return LoggedMessage(one.turn, one.sender, one.addressees, one.text)


def _sent(view: HouseView) -> LoggedMessage | None:
    """The message that the agent sent in the latest turn; None if it sent none."""
    outcome = view.outcome
    if outcome is None or outcome.command.verb != COMMUNICATE or outcome.kind is not OutcomeKind.DONE:
        return None
    to = view.briefing.targets if EVERYONE in outcome.command.arguments else outcome.command.arguments
    return LoggedMessage(view.turn - 1, view.agent, tuple(to), outcome.command.text)


def _tidings(sender: str, addressees: Sequence[str], text: str, briefing: Briefing) -> Tidings:
    """What a message says in sentences of the fixed form, of things that can be."""
    said = read_claims(text, briefing.plan.agents)
    return Tidings(sender, (sender, *addressees), tuple(one for one in said if _can_be(one, briefing)))


def _can_be(said: Claim, briefing: Briefing) -> bool:
    """False if a claim names furniture or rooms that there are not."""
    plan = briefing.plan
    about = said.proposition.goal if said.proposition.predicate == WANTED else said.proposition
    last = about.arguments[-1]
    if about.predicate in (AGENT_IN_ROOM, IS_IN_ROOM, IS_RESTRICTED):
        return last in plan.rooms
    if about.predicate in (IS_ON_TOP, IS_INSIDE):
        return last in plan.furniture
    if about.predicate in (IS_OPEN, IS_CLOSED, IS_INVERSE, MIRRORS, CONTROLS):
        return set(about.arguments) <= set(plan.openable)
    return about.predicate != IS_HELD_BY or last in plan.agents
