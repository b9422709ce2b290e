"""What an agent takes to be possible in a household of characters, and the best that it can do there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hm_agent.worlds.enacttom.house.commands import HANDLING, IDLE, HouseCommand, Verb
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime, OutcomeKind
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.tasks.propositions import Is
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.verification.character_search import CharacterSearch, Position


class CharacterModel:
    """One agent's model of a household in which claims about knowledge that are nested deeper than `order` don't exist.

    view: its first view. assumes_deeper: True if it takes the claims that are too deep for it to be known.
    sees_only_reality: True if it takes everyone to know what it knows, and nothing else.
    """

    def __init__(
        self, view: HouseView, order: int, *, assumes_deeper: bool = False, sees_only_reality: bool = False
    ) -> None:
        tasks = [_with_reality(task) if sees_only_reality else task for task in view.briefing.models]
        households = [Household(task, deepest=order, assumes_deeper=assumes_deeper) for task in tasks]
        first = households[0]
        self._agent = first.agents.index(view.agent)
        self._search = CharacterSearch(first, self._agent)
        self._positions = tuple(Position(HouseRuntime(first, start=household.start)) for household in households)

    @property
    def possible(self) -> int:
        """How many of the states in which the household may have begun are still possible."""
        return len(self._positions)

    def follow(self, command: HouseCommand, view: HouseView) -> None:
        """Keeps the positions after a command that fit what it sees; if none does, corrects the first one by that."""
        then = [position.after(self._agent, command) for position in self._positions]
        fitting = tuple(position for position in then if _fits(position, self._agent, view))
        self._positions = fitting or (_corrected(then[0], view),)

    def best(self) -> HouseCommand | None:
        """The first command of a plan that works from all that is possible; None if there is no such plan."""
        return self._search.best(self._positions)

    def plan(self) -> list[HouseCommand]:
        """The commands of such a plan, up to where what the agent sees decides; empty if there is no such plan."""
        commands: list[HouseCommand] = []
        positions = self._positions
        while not positions[0].is_over and (command := self._search.best(positions)):
            commands.append(command)
            positions = tuple(position.after(self._agent, command) for position in positions)
            if len({position.seen_by(self._agent) for position in positions}) > 1:
                break
        return commands

    def foreseen(self) -> Iterator[tuple[str, HouseCommand]]:
        """The acts of characters that the agent will notice as it goes on as planned, each with its character's name.

        Of what it can't tell apart now, it goes on with what fits the first that is possible.
        """
        positions = self._positions
        while not positions[0].is_over:
            first, command = positions[0], self._search.best(positions) or IDLE
            then = [position.after(self._agent, command) for position in positions]
            yield from _noticed(first, then[0], self._agent)
            positions = tuple(one for one in then if one.seen_by(self._agent) == then[0].seen_by(self._agent))


def _with_reality(task: HouseholdTask) -> HouseholdTask:
    """The task if all characters knew where things are."""
    known = tuple(sorted((fact for fact in task.init if fact.predicate in Is.ON_FURNITURE), key=str))
    characters = {name: replace(mind, believes=()) for name, mind in task.characters.items()}
    everyone = {name: (*facts, *(known if name in characters else ())) for name, facts in task.known.items()}
    return replace(task, characters=characters, known=everyone)


def _noticed(before: Position, after: Position, agent: int) -> Iterator[tuple[str, HouseCommand]]:
    """The messages of one turn to an agent, and what was done to things by those who stayed in the room with it."""
    household, runtimes = before.runtime.household, (before.runtime, after.runtime)
    rooms = [[household.room_of(one, each.state) for each in runtimes] for one in range(len(household.agents))]
    for number, command in enumerate(before.of_characters):
        outcome = after.runtime.outcomes[number]
        is_seen = rooms[number] == rooms[agent] == [rooms[agent][0]] * 2 and command.verb in HANDLING
        is_read = command.verb == Verb.COMMUNICATE and household.agents[agent] in command.arguments
        if outcome and outcome.kind is OutcomeKind.DONE and (is_seen or is_read):
            yield household.agents[number], command


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
