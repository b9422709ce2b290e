"""All the ways to solve a task with characters, as schedules: who is told together, one message after another.

A schedule leaves out when a message is sent and about which thing it is. So whoever knows a schedule, and all that the
task would tell an agent of who knows which thing, still has to find only the turns. If the twins of a pair have no
schedule in common, nothing that they share (text, rules, house, goal) can say whom to write to.
"""

from __future__ import annotations

from hm_agent.worlds.enacttom.house.commands import HouseCommand, Verb
from hm_agent.worlds.enacttom.verification.character_search import CharacterSearch, Position

Telling = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
"""The addressees of a message and, for each of its claims, whose knowledge the claim is about."""
Schedule = tuple[Telling, ...]


class ScheduleSearch(CharacterSearch):
    """The schedules of one agent that is told everything, by the same exhaustive search."""

    def schedules(self, position: Position) -> frozenset[Schedule]:
        """Every schedule that can go on from a position and end well; none if the task is lost there."""
        self._found: dict[object, frozenset[Schedule]] = {}
        return self._schedules(position)

    def _schedules(self, position: Position) -> frozenset[Schedule]:
        if position.runtime.leaked:
            return frozenset()
        if position.is_over:
            return frozenset([()] if position.is_won else [])
        if self.is_too_late(position):
            return frozenset()
        key = self._key(position)
        if key not in self._found:
            found: set[Schedule] = set()
            after: dict[object, frozenset[Schedule]] = {}
            for command in self._commands([position]):
                # Messages with the same effect go on alike, but count as different schedules.
                is_message = command.verb == Verb.COMMUNICATE
                effect = self._effect([position], command) if is_message else command
                if effect not in after:
                    after[effect] = self._schedules(position.after(self._agent, command))
                found |= {(_telling(command), *rest) for rest in after[effect]} if is_message else after[effect]
            self._found[key] = frozenset(found)
        return self._found[key]


def _telling(message: HouseCommand) -> Telling:
    return tuple(sorted(message.arguments)), tuple(claim.knowers for claim in message.claims)
