"""The scenes of hard tasks: the house, who plays in it, and a way in which it matters who hears a message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from hm_agent.worlds.enacttom.tasks.characters import GOSSIP, HELPER, RELAY, RIVAL, SILENT, CharacterRule
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


@dataclass(frozen=True)
class HardScene:
    """Makes the cast for a house, the needed thing's number, and the depth of mind.

    roles: those of the cast, in its order. is_watched: True if the agent under test stands where the decoys are.
    """

    cast: Callable[[HardHouse, int, int], Cast]
    roles: tuple[str, ...]
    is_watched: bool = False


def _wants(house: HardHouse) -> tuple[str, ...]:
    return tuple(house.goal(number).pddl for number in (0, 1))


def _takes(house: HardHouse, role: str) -> CharacterRule:
    return CharacterRule(kind=RIVAL, wants=tuple(house.held(number, role).pddl for number in (0, 1)))


def _misled(house: HardHouse, needed: int) -> CharacterRule:
    """A helper that believes the needed thing to be where it is not."""
    return CharacterRule(kind=HELPER, wants=_wants(house), believes=(house.decoy(needed).pddl,))


def errand(house: HardHouse, needed: int, depth: int) -> Cast:
    """A helper is wrong about one thing; a rival takes what it hears of."""
    characters = {"helper": _misled(house, needed), "rival": _takes(house, "rival")}
    return Cast(characters, {"helper": (1 - needed,)}, ("helper", "rival"))


def loose_tongue(house: HardHouse, needed: int, depth: int) -> Cast:
    """As `errand`, but it is a gossip that tells the rival."""
    names = house.names
    gossip = CharacterRule(kind=GOSSIP, tells=(names["rival"],))
    characters = {"helper": _misled(house, needed), "gossip": gossip, "rival": _takes(house, "rival")}
    return Cast(characters, {"helper": (1 - needed,)}, ("helper", "gossip"))


def relay(house: HardHouse, needed: int, depth: int) -> Cast:
    """The helper can be told only through a forgetful relay; the rival hears what it is told."""
    messenger = CharacterRule(kind=RELAY, tells=(house.names["helper"],))
    characters = {"helper": _misled(house, needed), "relay": messenger, "rival": _takes(house, "rival")}
    return Cast(characters, {"helper": (1 - needed,)}, ("relay", "rival"), most_facts=2)


def wary(house: HardHouse, needed: int, depth: int) -> Cast:
    """A rival and a helper leave aside what they know the guard to know; the rival may know the needed one."""
    unless = partial(_chain, house.names, "guard", depth)
    rival = CharacterRule(kind=RIVAL, wants=_takes(house, "wary").wants, unless=unless("wary"))
    characters = {**_workers(house, needed, {"helper": unless("helper"), "guard": ()}), "wary": rival}
    known = _known(house, needed, characters) | {"wary": (needed,) if house.mind("wary", needed).is_told else ()}
    return Cast(characters, known, tuple(characters), messages=2, more_goals=house.chores)


def bystander(house: HardHouse, needed: int, depth: int) -> Cast:
    """A helper leaves aside what it knows its mate to know; a rival must never know where anything is."""
    unless = _chain(house.names, "mate", depth, "helper")
    characters = _workers(house, needed, {"helper": unless, "mate": ()})
    known = _known(house, needed, characters)
    characters["rival"] = _takes(house, "rival")
    return Cast(characters, known, tuple(characters), messages=2, more_goals=house.chores)


def _chain(names: Mapping[str, str], knower: str, depth: int, role: str) -> tuple[str, ...]:
    """Whose knowledge a role considers: that the knower knows or, a level deeper, that it knows that the role knows."""
    return (names[knower], names[role])[: depth - 1]


def _workers(house: HardHouse, needed: int, unless: Mapping[str, tuple[str, ...]]) -> dict[str, CharacterRule]:
    """Helpers with the wants and beliefs that were drawn for them. unless: by role."""
    return {
        role: CharacterRule(
            kind=HELPER,
            wants=tuple(want.pddl for want in house.wants.get(role, ())),
            cues=tuple(house.cue(want) for want in house.wants.get(role, ())),
            unless=chain,
            believes=(house.decoy(needed).pddl,) if house.mind(role, needed).is_misled else (),
        )
        for role, chain in unless.items()
    }


def _known(house: HardHouse, needed: int, roles: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Who knows where the other thing is: the helper, and whoever was drawn to be told."""
    return {role: (1 - needed,) if role == "helper" or house.mind(role, needed).is_told else () for role in roles}


def watch(house: HardHouse, needed: int, depth: int) -> Cast:
    """A silent helper knows where one of the things is, and shows by what it opens first which one it is."""
    opens = [Proposition(Is.OPEN, (decoy,)).pddl for decoy in house.decoys]
    goals = _wants(house)
    silent = CharacterRule(kind=SILENT, wants=(*opens, *goals), cues=(*house.things, *house.things))
    characters = {"silent": silent, "rival": _takes(house, "rival")}
    return Cast(characters, {"silent": (1 - needed,)}, ("silent", "rival"), unsure=("silent",))


def blanks(house: HardHouse, needed: int, depth: int) -> Cast:
    """As `errand`, but where the things are has to be heard from a third one first."""
    cast = errand(house, needed, depth)
    cast.characters["teller"] = CharacterRule(kind=GOSSIP, tells=(house.names[ME],), announces=True)
    cast.known["teller"], cast.has_blanks = (0, 1), True
    return cast


_DEEP = {
    "bystander": HardScene(bystander, ("helper", "mate", "rival")),
    "wary": HardScene(wary, ("helper", "guard", "wary")),
}
SCENES: Mapping[int, Mapping[str, HardScene]] = {
    1: {
        "errand": HardScene(errand, ("helper", "rival")),
        "loose_tongue": HardScene(loose_tongue, ("helper", "gossip", "rival")),
        "relay": HardScene(relay, ("helper", "relay", "rival")),
        "watch": HardScene(watch, ("silent", "rival"), is_watched=True),
        "blanks": HardScene(blanks, ("helper", "rival", "teller")),
    },
    2: _DEEP,
    3: _DEEP,
}
"""The scenes by the order of mind that they need, and by name."""
