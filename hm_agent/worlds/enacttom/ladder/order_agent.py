"""Agents that plan against characters: `order_0` to `order_3`, which differ only in how deep they model others.

Each runs the same search from its own view, in a model of the household in which claims about knowledge that are nested
deeper than its order do not exist. For order 0 characters do nothing; for order 1 they act on what they saw and were
told; for order 2 also on what they know of others' knowledge; for order 3 also on what they know of what others know of
others' knowledge. An agent that finds no plan waits. The shortcuts among them are variants that model less than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hm_agent.core import Agent, Decision, Observation
from hm_agent.worlds.enacttom.house.commands import EVERYONE, IDLE, HouseCommand, tell
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.probes import ProbeAnswers
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.tasks.characters import RIVAL
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.verification.character_search import CharacterSearch, Position

LATER = 2
"""After how many turns the habits begin that begin later."""


@dataclass(frozen=True)
class OrderState:
    """What recordings show: how many starts are still possible, and whether there is a plan that works from them."""

    possible_starts: int
    has_plan: bool


class OrderAgent(Agent[HouseView, HouseCommand | ProbeAnswers]):
    """Plays one seat by the best plan of its model.

    assumes_deeper: True if it takes the claims that are too deep for it to be known. sees_only_reality: True if it
    takes everyone to know what it knows, and nothing else.
    """

    def __init__(self, order: int, *, assumes_deeper: bool = False, sees_only_reality: bool = False) -> None:
        self.order, self._assumes_deeper, self._sees_only_reality = order, assumes_deeper, sees_only_reality
        self._search: CharacterSearch | None = None
        self._positions: tuple[Position, ...] = ()
        self._command = IDLE

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseCommand | ProbeAnswers]:
        view = observation.view
        if view.probes:
            return Decision(ProbeAnswers({}))
        if self._search is None:
            self._search = self._begin(view)
        else:
            self._follow(view)
        command = self._search.best(self._positions)
        self._command = command or IDLE
        return Decision(self._command, state=OrderState(len(self._positions), command is not None))

    def _begin(self, view: HouseView) -> CharacterSearch:
        tasks = [with_reality(task) if self._sees_only_reality else task for task in view.briefing.models]
        households = [Household(task, deepest=self.order, assumes_deeper=self._assumes_deeper) for task in tasks]
        first = households[0]
        self._agent = first.agents.index(view.agent)
        self._positions = tuple(Position(HouseRuntime(first, start=household.start)) for household in households)
        return CharacterSearch(first, self._agent)

    def _follow(self, view: HouseView) -> None:
        """Keeps the positions that fit what it sees; if none does, corrects the first one by what it sees."""
        then = [position.after(self._agent, self._command) for position in self._positions]
        fitting = tuple(position for position in then if _fits(position, self._agent, view))
        self._positions = fitting or (_corrected(then[0], view),)


def with_reality(task: HouseholdTask) -> HouseholdTask:
    """The task if all characters knew where things are."""
    known = tuple(sorted((fact for fact in task.init if fact.predicate in Is.ON_FURNITURE), key=str))
    characters = {name: replace(mind, believes=()) for name, mind in task.characters.items()}
    everyone = {name: (*facts, *(known if name in characters else ())) for name, facts in task.known.items()}
    return replace(task, characters=characters, known=everyone)


def _fits(position: Position, agent: int, view: HouseView) -> bool:
    runtime = position.runtime
    visible = set(runtime.household.named(runtime.state & runtime.visible(agent)))
    heard = [(message.sender, message.claims) for message in runtime.inbox[agent]]
    return visible == view.sees and heard == [(message.sender, message.claims) for message in view.messages]


def _corrected(position: Position, view: HouseView) -> Position:
    """The position with what an agent sees in place of what it expected to see; nothing else is inferred."""
    runtime = position.runtime.copy()
    household = runtime.household
    groups = [*household.place_groups.values(), *household.position_masks]
    for fact in view.sees:
        bit = household.bits[fact]
        for group in groups:
            if bit & group:
                runtime.state = runtime.state & ~group | bit
        if fact.predicate in Is.STATES:
            runtime.state = runtime.state & ~household.bits[fact.opposite] | bit
    return Position(runtime, 0)


class Broadcaster(Agent[HouseView, HouseCommand | ProbeAnswers]):
    """Tells all that it may write to all that it knows, as many facts at a time as a message may say."""

    def __init__(self) -> None:
        self._told = 0
        self._heard: list[Proposition] = []

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseCommand | ProbeAnswers]:
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


class HabitAgent(Agent[HouseView, HouseCommand | ProbeAnswers]):
    """Tells what a helper lacks to those that can be trusted with it: to all of them openly, or to each apart.

    It sees who lacks what, but not what follows from what others know of each other. The trusted are all that it may
    write to but rivals that nothing stops, and those that would tell these. wait: how many turns it says nothing.
    """

    def __init__(self, *, is_open: bool, wait: int = 0) -> None:
        self._is_open, self._wait = is_open, wait
        self._known: list[Proposition] = []
        self._planned: list[HouseCommand] | None = None

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseCommand | ProbeAnswers]:
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
