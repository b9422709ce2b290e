"""Writes stories as JSON values, and reads them back as the same actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from hm_agent.worlds.exploretom.story.actions import KINDS, StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.beliefs import StoryError, track
from hm_agent.worlds.exploretom.story.language import check_clashes, check_names


def to_data(script: StoryScript) -> dict[str, Any]:
    """A story as JSON values, without empty fields."""
    return {"sees_contents": script.sees_contents, "actions": list(map(_action_data, script.actions))}


def _action_data(action: StoryAction) -> dict[str, Any]:
    parts = asdict(action)
    asides = {name: parts.pop(name) for name in ("peekers", "distracted")}
    return {"action": action.kind} | _without_empty(parts | asides)


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    cleaned = {name: _without_empty(value) if isinstance(value, dict) else value for name, value in values.items()}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in cleaned.items()
        if value is not None and value != () and value != ""
    }


def from_data(data: object) -> StoryScript:
    """Reads a story from JSON values; raises StoryError, with the number of the action, for invalid ones."""
    if not isinstance(data, dict) or not isinstance(data.get("actions"), list):
        raise StoryError("a story is an object with a list of actions: {'actions': [...]}")
    if unknown := set(data) - {"actions", "sees_contents"}:
        raise StoryError(f"a story has actions and sees_contents, and no {', '.join(sorted(map(str, unknown)))}")
    if not isinstance(sees_contents := data.get("sees_contents", False), bool):
        raise StoryError("sees_contents is true or false")
    actions = tuple(_action_from(number, value) for number, value in enumerate(data["actions"], 1))
    check_clashes(actions)
    script = StoryScript(actions, sees_contents)
    track(script)
    return script


def _action_from(number: int, value: object) -> StoryAction:
    if not isinstance(value, dict) or (kind := str(value.get("action"))) not in KINDS:
        raise StoryError(f"action {number}: an action is an object whose `action` is one of {', '.join(KINDS)}")
    try:
        action: StoryAction = _adapter(kind).validate_python({name: value[name] for name in value if name != "action"})
        check_names(action)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part)[:30] for part in first["loc"])
        raise StoryError(f"action {number}: {kind}: {place}: {first['msg']}") from error
    except StoryError as error:
        raise StoryError(f"action {number}: {error}") from error
    return action


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    """Returns the cached reader of a kind of action; it rejects unknown keys."""
    return TypeAdapter(KINDS[kind])
