"""The names, places and things that stories are made of, read from a TOML file (scenarios/exploretom/cast.toml)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from hm_agent.config import ConfigError, data_folder, read_toml
from hm_agent.worlds.exploretom.story.actions import Change, People
from hm_agent.worlds.exploretom.story.language import change_problem, name_problem, person_problem, plain_words

CONTAINERS = 3
"""How many containers a story has for each object."""

_Names = Annotated[tuple[str, ...], Field(min_length=1)]
_Changes = tuple[tuple[str, str], ...]


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ListedObject:
    """An object, and the containers that may hold it. visible, invisible: (verb, rest) of the changes of it."""

    name: str
    containers: _Names
    visible: _Changes = ()
    invisible: _Changes = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(
            Change(self.name, verb, rest, is_visible)
            for changes, is_visible in ((self.visible, True), (self.invisible, False))
            for verb, rest in changes
        )


@dataclass(frozen=True, eq=False)
class StoryPlace:
    """The rooms, objects and topics of a story. Equal only to itself, so that it is a fast key of caches."""

    rooms: tuple[str, ...]
    objects: tuple[ListedObject, ...]
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoryCast:
    """The people of a story, and its place."""

    people: People
    place: StoryPlace


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ListedSetting:
    """A setting as the file lists it: rooms of one place, what people may talk about, and objects."""

    name: str
    rooms: _Names
    topics: _Names
    objects: Annotated[tuple[ListedObject, ...], Field(min_length=1)]


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CastLists:
    """The content of the file: names of people, and settings with their rooms, topics and objects."""

    names: _Names
    setting: Annotated[tuple[ListedSetting, ...], Field(min_length=1)]

    def draw(self, rng: Random, people: int, rooms: int) -> StoryCast:
        """Draws a cast for one story: people, one setting with its first rooms, one object, all topics.

        Raises ConfigError if the lists have too few names or rooms.
        """
        place = self.setting[int(rng.random() * len(self.setting))]
        if len(self.names) < people or len(place.rooms) < rooms:
            raise ConfigError(
                f"{people} people and {rooms} rooms are asked for: {place.name} has {len(place.rooms)} rooms"
            )
        chosen: dict[str, None] = {}
        while len(chosen) < people:
            chosen[self.names[int(rng.random() * len(self.names))]] = None
        key = (place.name, int(rng.random() * len(place.objects)), rooms)
        if key not in self._places:
            thing = place.objects[key[1]]
            found = replace(thing, containers=thing.containers[:CONTAINERS])
            self._places[key] = StoryPlace(place.rooms[:rooms], (found,), place.topics)
        return StoryCast(tuple(chosen), self._places[key])

    @cached_property
    def _places(self) -> dict[tuple[str, int, int], StoryPlace]:
        """The places drawn so far, by setting, object and number of rooms."""
        return {}


def read_cast(path: Path | None = None) -> CastLists:
    """Reads a file of names, by default the one that comes with the package.

    Raises ConfigError, in one line, for a key that is missing, unknown or of the wrong kind, and for a name that can't
    be used in sentences.
    """
    path = path or data_folder("scenarios") / "exploretom" / "cast.toml"
    return _read_cast(path, path.stat().st_mtime_ns if path.is_file() else 0)


@cache
def _read_cast(path: Path, changed: int) -> CastLists:
    """The names of a file. changed: when, so that a file that changes is read again."""
    lists = read_toml(path, TypeAdapter(CastLists))
    problem = next(cast_problems(lists), None)
    if problem:
        raise ConfigError(f"{path}: {problem}")
    return lists


def cast_problems(lists: CastLists) -> Iterator[str]:
    """Yields what is wrong with the names, in one line each."""
    yield from filter(None, map(person_problem, lists.names))
    if len(set(map(plain_words, lists.names))) < len(lists.names):
        yield "names: each stands there once"
    if len({place.name for place in lists.setting}) < len(lists.setting):
        yield "setting: each has a name of its own"
    for place in lists.setting:
        things = [*place.rooms, *(name for thing in place.objects for name in (thing.name, *thing.containers))]
        yield from filter(None, map(name_problem, [*things, *place.topics]))
        for thing in place.objects:
            own = [*place.rooms, thing.name, *thing.containers]
            if len(set(map(plain_words, own))) < len(own):
                yield f"{place.name}: {thing.name}: rooms, the object and its containers have names of their own"
            yield from filter(None, map(change_problem, thing.changes))
