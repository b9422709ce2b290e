"""The scenes of hard tasks: each is a way in which it matters who hears a message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from hm_agent.worlds.enacttom.author.hard_house import ME, Cast, HardHouse
from hm_agent.worlds.enacttom.tasks.characters import GOSSIP, HELPER, RELAY, RIVAL, SILENT, CharacterRule
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition


@dataclass(frozen=True)
class Scene:
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


def _misled(house: HardHouse, needed: int, tells: tuple[str, ...] = (), unless: tuple[str, ...] = ()) -> CharacterRule:
    """A helper that believes the needed thing to be where it is not."""
    believes = (house.decoy(needed).pddl,)
    return CharacterRule(kind=HELPER, wants=_wants(house), tells=tells, unless=unless, believes=believes)


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
    "bystander": Scene(bystander, ("helper", "mate", "rival")),
    "wary": Scene(wary, ("helper", "guard", "wary")),
}
SCENES: Mapping[int, Mapping[str, Scene]] = {
    1: {
        "errand": Scene(errand, ("helper", "rival")),
        "loose_tongue": Scene(loose_tongue, ("helper", "gossip", "rival")),
        "relay": Scene(relay, ("helper", "relay", "rival")),
        "watch": Scene(watch, ("silent", "rival"), is_watched=True),
        "blanks": Scene(blanks, ("helper", "rival", "teller")),
    },
    2: _DEEP,
    3: _DEEP,
}
"""The scenes by the order of mind that they need, and by name."""
