"""Agents that plan against characters: `order_0` to `order_3`, which differ only in how deep they model others.

Each runs the same search from its own view, in a model of the household in which claims about knowledge that are nested
deeper than its order do not exist. For order 0 characters do nothing; for order 1 they act on what they saw and were
told; for order 2 also on what they know of others' knowledge; for order 3 also on what they know of what others know of
others' knowledge. An agent that finds no plan waits. The shortcuts among them are variants that model less than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from hm_agent.core import Agent, Decision, Observation
from hm_agent.worlds.enacttom.house.commands import EVERYONE, IDLE, HouseCommand, tell
from hm_agent.worlds.enacttom.house.probes import HouseAction, ProbeAnswers
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.ladder.character_model import CharacterModel
from hm_agent.worlds.enacttom.tasks.characters import RIVAL
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition

LATER = 2
"""After how many turns the habits begin that begin later."""


@dataclass(frozen=True)
class OrderState:
    """What recordings show: how many starts are still possible, and whether there is a plan that works from them."""

    possible_starts: int
    has_plan: bool


class OrderAgent(Agent[HouseView, HouseAction]):
    """Plays one seat by the best plan of its model (`CharacterModel`)."""

    def __init__(self, order: int, *, assumes_deeper: bool = False, sees_only_reality: bool = False) -> None:
        self._modelled = partial(
            CharacterModel, order=order, assumes_deeper=assumes_deeper, sees_only_reality=sees_only_reality
        )
        self._model: CharacterModel | None = None
        self._command = IDLE

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseAction]:
        view = observation.view
        if view.probes:
            return Decision(ProbeAnswers({}))
        if self._model is None:
            self._model = self._modelled(view)
        else:
            self._model.follow(self._command, view)
        command = self._model.best()
        self._command = command or IDLE
        return Decision(self._command, state=OrderState(self._model.possible, command is not None))


class Broadcaster(Agent[HouseView, HouseAction]):
    """Tells all that it may write to all that it knows, as many facts at a time as a message may say."""

    def __init__(self) -> None:
        self._told = 0
        self._heard: list[Proposition] = []

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseAction]:
        view = observation.view
        if view.probes:
            return Decision(ProbeAnswers({}))
        self._heard += [claim.proposition for message in view.messages for claim in message.claims]
        told = [fact for fact in view.briefing.facts if fact.predicate in (*Is.ON_FURNITURE, Is.WANTED)]
        known = sorted((*told, *self._heard), key=lambda fact: fact.predicate == Is.WANTED)
        most = view.briefing.most_facts or len(known)
        news = known[self._told : self._told + most]
        if not (news and view.messages_left and view.briefing.targets):
            return Decision(IDLE)
        self._told += most
        return Decision(tell([Claim((), fact) for fact in news], [EVERYONE]))


class HabitAgent(Agent[HouseView, HouseAction]):
    """Tells what a helper lacks to those that can be trusted with it: to all of them openly, or to each apart.

    It sees who lacks what, but not what follows from what others know of each other. The trusted are all that it may
    write to but rivals that nothing stops, and those that would tell these. wait: how many turns it says nothing.
    """

    def __init__(self, *, is_open: bool, wait: int = 0) -> None:
        self._is_open, self._wait = is_open, wait
        self._known: list[Proposition] = []
        self._planned: list[HouseCommand] | None = None

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseAction]:
        view = observation.view
        if view.probes:
            return Decision(ProbeAnswers({}))
        heard = [claim.proposition for message in view.messages for claim in message.claims]
        told = [] if self._known else [fact for fact in view.briefing.facts if fact.predicate in Is.ON_FURNITURE]
        if told or heard:
            self._known += [*told, *heard]
            self._planned = self._messages(view)
        if not (self._planned and view.messages_left) or view.turn < self._wait:
            return Decision(IDLE)
        return Decision(self._planned.pop(0))

    def _messages(self, view: HouseView) -> list[HouseCommand]:
        task = view.briefing.models[0]
        minds = task.characters
        rivals = {name for name, mind in minds.items() if mind.kind == RIVAL and not mind.unless}
        trusted = [name for name in view.briefing.targets if name not in rivals and not rivals & set(minds[name].tells)]
        helpers = [name for name, mind in minds.items() if mind.wants and mind.kind != RIVAL]
        lacking = [fact for fact in self._known if not all(fact in task.known[name] for name in helpers)]
        groups = [trusted] if self._is_open else [[name] for name in trusted if minds[name].kind != RIVAL]
        return [tell([Claim((), fact)], group) for fact in lacking for group in groups if group]


AGENTS: Mapping[str, Callable[[], Agent[Any, Any]]] = {
    **{f"order_{order}": partial(OrderAgent, order) for order in range(4)},
    **{f"order_{order}_sure": partial(OrderAgent, order, assumes_deeper=True) for order in (1, 2)},
    "reality": partial(OrderAgent, 1, sees_only_reality=True),
    "broadcaster": Broadcaster,
    "openly": partial(HabitAgent, is_open=True),
    "apart": partial(HabitAgent, is_open=False),
    "openly_later": partial(HabitAgent, is_open=True, wait=LATER),
    "apart_later": partial(HabitAgent, is_open=False, wait=LATER),
}
"""The agents of this module by name."""
