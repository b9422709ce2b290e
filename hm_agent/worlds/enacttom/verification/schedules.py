"""All the ways to solve a task with characters, as schedules: who is told together, one message after another.

A schedule leaves out when a message is sent and about which thing it is. So whoever knows a schedule, and all that the
task would tell an agent of who knows which thing, still has to find only the turns. If the twins of a pair have no
schedule in common, nothing that they share (text, rules, house, goal) can say whom to write to.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from hm_agent.worlds.enacttom.house.commands import HouseCommand, Verb
from hm_agent.worlds.enacttom.verification.character_search import CharacterSearch, Position

Label = Callable[[int, HouseCommand], Hashable]
"""What is kept of a message, given the turn in which it is sent."""
Schedule = tuple[Hashable, ...]
"""The labels of all messages, in their order."""


def telling(turn: int, message: HouseCommand) -> Hashable:
    """The addressees of a message and, for each of its claims, whose knowledge the claim is about."""
    return tuple(sorted(message.arguments)), tuple(claim.knowers for claim in message.claims)


class ScheduleSearch(CharacterSearch):
    """The schedules of one agent that is told everything, by the same exhaustive search."""

    def schedules(self, position: Position, label: Label = telling) -> frozenset[Schedule]:
        """Every schedule that can go on from a position and end well; none if the task is lost there."""
        found: dict[object, frozenset[Schedule]] = {}

        def from_here(position: Position) -> frozenset[Schedule]:
            if position.runtime.leaked:
                return frozenset()
            if position.is_over:
                return frozenset([()] if position.is_won else [])
            if self.is_too_late(position):
                return frozenset()
            key = self._key(position)
            if key not in found:
                found[key] = frozenset(self._going_on(position, label, from_here))
            return found[key]

        return from_here(position)

    def _going_on(
        self, position: Position, label: Label, rest_from: Callable[[Position], frozenset[Schedule]]
    ) -> set[Schedule]:
        """The schedules that begin with each command of a turn. rest_from: those from the position after it."""
        schedules: set[Schedule] = set()
        after: dict[Any, frozenset[Schedule]] = {}
        for command in self._commands([position]):
            # Messages with the same effect go on alike, but count as different schedules.
            is_message = command.verb == Verb.COMMUNICATE
            effect = self._effect([position], command) if is_message else command
            if effect not in after:
                after[effect] = rest_from(position.after(self._agent, command))
            first = [label(position.runtime.turn, command)] if is_message else []
            schedules |= {(*first, *rest) for rest in after[effect]}
        return schedules
