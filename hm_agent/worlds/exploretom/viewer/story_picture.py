"""A story as pages draw it: where everyone is, what is true and what each person believes, and who sees each action.

Moment 0 is before the first action, moment i after the i-th. All data are JSON values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hm_agent.worlds.exploretom.questions.asked import Asked, AskedTime, parse_asked
from hm_agent.worlds.exploretom.questions.functional import parse_asked_action
from hm_agent.worlds.exploretom.story.actions import Inform, StoryAction, StoryScript, TalkAbout
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker, StoryError, steps_of, track
from hm_agent.worlds.exploretom.story.evidence import (
    AwayFrom,
    Key,
    Missing,
    ObjectLocation,
    Value,
    location_key,
    room_key,
    state_key,
    topic_key,
)
from hm_agent.worlds.exploretom.story.language import sentence_of

ACTS, TOLD, SEES, PEEKS, MISSES = "acts", "told", "sees", "peeks", "misses"
"""A person's role in an action; None for a person who is not there."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """People's rooms, the true values of keys, and the values that all pairs of people believe, after some actions."""

    rooms: Mapping[str, str | AwayFrom]
    truths: Mapping[Key, Value]
    beliefs: Mapping[Key, Sequence[Value | None]]


class StoryPicture:
    """What pages show of a story; raises StoryError, with the number of the action, for an impossible one."""

    def __init__(self, script: StoryScript) -> None:
        self.script = script
        self._moments, self._roles = list[_Moment](), list[Mapping[str, str | None]]()
        for action, tracker in steps_of(script):
            self._moments.append(_moment(tracker))
            self._roles.append({name: _role(tracker, name, action) for name in script.people})
        self._tracker = track(script)
        self._moments.append(_moment(self._tracker))
        self._keys = self._shown_keys()
        self._truths = {key: self._truth_over_time(key) for key in self._keys}

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The whole picture, for scripts/story.js.

        people, rooms: names. containers: [name, its room]. actions: [sentence, each person's role in it]. where: by
        person, the room at each moment, None for no room. things: by object, [room, container] at each moment, None
        before it is mentioned. subjects: what can be believed; see `_subject`.
        """
        people = self.script.people
        return {
            "people": list(people),
            "rooms": list(self.script.rooms),
            "containers": [[name, room] for name, room in self._tracker.containers.items()],
            "actions": [
                [sentence_of(action), [roles[name] for name in people]]
                for action, roles in zip(self.script.actions, self._roles, strict=True)
            ],
            "where": [
                [room if isinstance(room := moment.rooms.get(name), str) else None for moment in self._moments]
                for name in people
            ],
            "things": {
                key[1]: [list(value) if isinstance(value, ObjectLocation) else None for value in self._truths[key]]
                for key in self._keys
                if key[0] == "location"
            },
            "subjects": [self._subject(key) for key in self._keys],
        }

    def spot(self, asked: Asked) -> tuple[int, int, int] | None:
        """Where the picture shows the answer to a question: (subject, row, moment); None if nowhere, as of order 3.

        Row 0 is what is true; then follow the other rows of `_subject`.
        """
        if asked.key not in self._keys:
            return None
        subject, people = self._keys.index(asked.key), self.script.people
        if asked.person is None:
            return subject, 0, self._remembered_moment(asked)
        pair = asked.person, asked.other or asked.person
        if asked.third or not set(pair) <= set(people):
            return None
        return subject, 1 + _pairs(people).index(pair), len(self.script.actions)

    def spot_of(self, question: str) -> tuple[int, int, int] | None:
        """Like `spot`, for a question's text; for a functional item, the spot of the belief that decides the action."""
        if action := parse_asked_action(question):
            if action.key not in self._keys or action.person not in self.script.people:
                return None
            row = 1 + self.script.people.index(action.person)
            return self._keys.index(action.key), row, len(self.script.actions)
        try:
            return self.spot(parse_asked(question))
        except StoryError:
            return None

    def _remembered_moment(self, asked: Asked) -> int:
        """The moment that a question about the world asks for."""
        if asked.time is AskedTime.BEGINNING:
            return next(moment for moment, value in enumerate(self._truths[asked.key]) if value is not None)
        sentences = [sentence_of(action) for action in self.script.actions]
        if asked.time is AskedTime.BEFORE:
            moments = (at for at, sentence in enumerate(sentences) if sentence.startswith(f"{asked.clause}."))
            return next(moments, len(sentences))
        return len(sentences)

    def _shown_keys(self) -> list[Key]:
        """Objects' locations, changes, topics, then people's rooms. Containers stay, so their rooms are left out."""
        kinds = ("location", "state", "topic", "room")
        keys = {*self._moments[-1].truths, *self._tracker.known_keys()}
        keys -= {room_key(name) for name in self._tracker.containers if name not in self.script.people}
        return sorted(keys, key=lambda key: (kinds.index(key[0]), key))

    def _truth_over_time(self, key: Key) -> list[Value | None]:
        """The true value of a key at each moment.

        An object that is first mentioned when it is carried off was in that room before.
        """
        values = [moment.truths.get(key) for moment in self._moments]
        for time, thing, before in self._tracker.moves:
            if key == location_key(thing) and before is not None and values[time - 1] is None:
                values[time - 1] = before
        return values

    def _subject(self, key: Key) -> Mapping[str, Any]:
        """What is true of a key, what each person believes, and thinks that each other believes, at each moment.

        values: [a short label, words] each. rows: {who, about, values: an index of `values` or None at each moment,
        wrong: at each moment, whether that contradicts what it is about}. The first row is what is true, and has nobody
        as `who`; rows without `about` are a person's own beliefs, about what is true; the others are about what another
        person believes.
        """
        values: dict[Value, int] = {}
        number, truth = len(self.script.people), self._truths[key]
        pairs = _pairs(self.script.people)
        place = {name: index for index, name in enumerate(self.script.people)}
        held = [moment.beliefs.get(key) or [None] * number**2 for moment in self._moments]
        rows = [_row(None, None, truth, truth, values)]
        for who, about in pairs:
            own = [beliefs[place[who] * number + place[about]] for beliefs in held]
            of = truth if who == about else [beliefs[place[about] * (number + 1)] for beliefs in held]
            rows.append(_row(who, None if who == about else about, own, of, values))
        return {"title": title_of(key), "values": [list(words_of_value(key, value)) for value in values], "rows": rows}


def _pairs(people: Sequence[str]) -> list[tuple[str, str]]:
    """Each person with itself, then each with each other."""
    return [(name, name) for name in people] + [(who, other) for who in people for other in people if who != other]


def _row(
    who: str | None,
    about: str | None,
    own: Sequence[Value | None],
    of: Sequence[Value | None],
    values: dict[Value, int],
) -> Mapping[str, Any]:
    return {
        "who": who,
        "about": about,
        "values": [None if value is None else values.setdefault(value, len(values)) for value in own],
        "wrong": [int(_is_wrong(mine, real)) for mine, real in zip(own, of, strict=True)],
    }


def _is_wrong(mine: Value | None, real: Value | None) -> bool:
    """True if a belief contradicts what it is about.

    To know nothing is never wrong; to rule out a room is wrong only if the person or thing is there.
    """
    if mine is None or mine == real:
        return False
    if isinstance(mine, AwayFrom | Missing):
        return real == mine.room or (isinstance(real, ObjectLocation) and real.room == mine.room)
    return True


def _moment(tracker: BeliefTracker) -> _Moment:
    truths: dict[Key, Value] = {room_key(name): room for name, room in tracker.rooms.items()}
    truths |= {location_key(thing): location for thing, location in tracker.locations.items()}
    truths |= {state_key(*change): True for change in tracker.changes}
    beliefs = {key: tracker.beliefs(key) for key in tracker.known_keys()}
    truths |= {key: True for key in beliefs if key[0] == "topic"}
    return _Moment(dict(tracker.rooms), truths, beliefs)


def _role(tracker: BeliefTracker, name: str, action: StoryAction) -> str | None:
    if name == action.person:
        return ACTS
    if name in action.distracted:
        return MISSES
    if name in action.peekers:
        return PEEKS
    if isinstance(action, Inform | TalkAbout) and name == action.listener:
        return TOLD
    return SEES if tracker.would_witness(name, action) else None


def title_of(key: Key) -> str:
    """What beliefs of a key are about: `where the apple is`."""
    kind, subject = key[:2]
    if kind == "location":
        return f"where the {subject} is"
    if kind == "state":
        return f"whether the {subject} is {key[2]}"
    return f"the {subject}" if key == topic_key(subject) else f"where {subject} is"


def words_of_value(key: Key, value: Value) -> tuple[str, str]:
    """A value as a short label, and in words."""
    if isinstance(value, ObjectLocation):
        inside = f"in the {value.container}, in the {value.room}"
        return (value.container, inside) if value.container else (value.room, f"in the {value.room}, openly")
    if isinstance(value, AwayFrom):
        return "elsewhere", f"no longer in the {value.room}; no place known"
    if isinstance(value, Missing):
        return "not there", f"not in the {value.room}, on looking; no place known"
    if isinstance(value, str):
        return value, f"in the {value}"
    return ("knows", "knows about it") if key[0] == "topic" else ("yes", f"it is {key[-1]}")
