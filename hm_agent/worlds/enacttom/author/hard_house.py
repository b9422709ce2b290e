"""The house of a hard task, and who plays in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hm_agent.worlds.enacttom.tasks.characters import CharacterRule
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition

ME = "me"
"""The role of the agent under test."""


@dataclass(frozen=True)
class StartingMind:
    """Whether a character knows at first where the other thing is, and takes the needed one to be where it is not."""

    is_told: bool = False
    is_misled: bool = False


@dataclass
class HardHouse:
    """A house with two things; of each pair, the first is for the first thing.

    holders: the furniture in which a thing is. decoys: other furniture that opens, in which somebody may believe it to
    be. targets: where it is wanted. names: the agent of each role. For scenes of orders 2 and 3 are drawn: wants, what
    the helpers bring about, by role; minds, by role and needed thing.
    """

    names: Mapping[str, str]
    rooms: tuple[str, ...]
    things: tuple[str, str]
    holders: tuple[str, str]
    decoys: tuple[str, str]
    targets: tuple[str, str]
    furniture: Mapping[str, str]
    spawns: dict[str, str] = field(default_factory=dict)
    wants: dict[str, tuple[Proposition, ...]] = field(default_factory=dict)
    minds: dict[tuple[str, int], StartingMind] = field(default_factory=dict)

    def place(self, number: int) -> Proposition:
        return Proposition(Is.INSIDE, (self.things[number], self.holders[number]))

    def decoy(self, number: int) -> Proposition:
        return Proposition(Is.INSIDE, (self.things[number], self.decoys[number]))

    def goal(self, number: int) -> Proposition:
        return Proposition(Is.ON_TOP, (self.things[number], self.targets[number]))

    def mind(self, role: str, needed: int) -> StartingMind:
        return self.minds.get((role, needed), StartingMind())

    def opened(self, number: int) -> Proposition:
        return Proposition(Is.OPEN, (self.decoys[number],))

    def cue(self, want: Proposition) -> str:
        """The thing whose place somebody has to know before it begins with a want."""
        return self.things[int(want in (self.goal(1), self.opened(1)))]

    @property
    def chores(self) -> tuple[Proposition, ...]:
        """What helpers want beside the places of things."""
        wanted_by_some = {want for wants in self.wants.values() for want in wants}
        return tuple(opened for opened in map(self.opened, (0, 1)) if opened in wanted_by_some)

    def held(self, number: int, role: str) -> Proposition:
        return Proposition(Is.HELD_BY, (self.things[number], self.names[role]))


@dataclass
class Cast:
    """Who plays in one task of a pair, by role. needed: the thing about which a message is needed.

    known: the numbers of the things whose places a character knows. unsure: characters of which the agent under test is
    not told which of the two places they know. targets: whom it may write to; others may write to everyone. more_goals:
    beside the places of both things. has_blanks: True if the agent under test is not told where things are.
    """

    characters: dict[str, CharacterRule]
    known: dict[str, tuple[int, ...]]
    targets: tuple[str, ...]
    messages: int = 1
    most_facts: int = 1
    unsure: tuple[str, ...] = ()
    more_goals: tuple[Proposition, ...] = ()
    has_blanks: bool = False
