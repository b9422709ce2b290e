"""The trace: JSON lines that are identical to the bit whenever the same episode is played again.

The first line is a header; then comes one line for every step and seat that acted (docs/formats.md).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NotRequired

from pydantic import BaseModel
from typing_extensions import TypedDict

from hm_agent.bounds import MAX_RECORDED, kept_end
from hm_agent.config import ConfigError
from hm_agent.core import Decision, Event, Hypothesis, Interaction, Seat, Step, Thoughts
from hm_agent.questions import Exchange, ModelCall, shown_fields

FILE = "trace.jsonl"
FORMAT = 2
"""The version of the format of lines."""
HEADER = {"format": FORMAT, "kind": "hm_agent trace"}
_NON_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class TraceCall(TypedDict):
    """One request to a language model (`questions.ModelCall`)."""

    prompt: str
    replies: list[str]
    problem: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None


class TraceQuestion(TypedDict):
    """A question with its fields, the answer that was used, and the calls it took, if any."""

    question: str
    fields: dict[str, Any]
    answer: dict[str, Any] | None
    calls: NotRequired[list[TraceCall]]


class TraceEvent(TypedDict):
    """kind: its class. words: the event in a few words. fields: all that is known of it."""

    kind: str
    words: str
    fields: dict[str, Any]


class TraceHypothesis(TypedDict):
    """A hypothesis as held at one time."""

    words: str
    value: float
    prediction: NotRequired[str]


class TraceLine(TypedDict):
    """One seat's part of one step; what is empty is left out.

    action: absent for a seat that was paid although it was not to act. reward: what the step paid it. state: what the
    body believes and plans, of the world's own form; Melting Pot's `asked_because` tells why a new plan was asked for
    in this step, its `skipped` which calls of the present plan were skipped because their thing was gone.
    interactions: those that were understood in this step. relied_on: for each of them, the hypothesis that was acted
    on, as held before; written if there was any. right: for each of them, whether the prediction of that hypothesis
    came true; written if any can be judged. hypotheses, about, validated: written together, only when any has changed;
    validated: the words of the validated hypothesis.
    """

    step: int
    seat: str
    action: NotRequired[Any]
    reward: float
    state: NotRequired[dict[str, Any]]
    strategy: NotRequired[dict[str, Any]]
    events: NotRequired[list[TraceEvent]]
    interactions: NotRequired[list[dict[str, Any]]]
    relied_on: NotRequired[list[TraceHypothesis | None]]
    right: NotRequired[list[bool | None]]
    questions: NotRequired[list[TraceQuestion]]
    hypotheses: NotRequired[list[TraceHypothesis]]
    about: NotRequired[str]
    validated: NotRequired[str]


class TraceRecorder:
    """Writes every step as it comes, so that a killed episode loses at most its last line; errors are `OSError`."""

    def __init__(self, path: Path) -> None:
        # A model's text may hold half a surrogate pair; backslashreplace writes it as JSON's own escape.
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n", buffering=1)
        self._is_begun = False
        self._beliefs: dict[Seat, dict[str, Any]] = {}

    def record(self, step: Step) -> None:
        if not self._is_begun:
            self._is_begun = True
            self._file.write(_dumps(HEADER) + "\n")
        for seat, decision in step.decisions.items():
            beliefs = _beliefs(decision.thoughts)
            changed = beliefs if beliefs != self._beliefs.get(seat, {"hypotheses": []}) else {}
            self._beliefs[seat] = beliefs
            self._file.write(_dumps(_line(step, seat, decision) | changed) + "\n")
        for seat, reward in step.rewards.items():
            if reward and seat not in step.decisions:
                line = {"step": step.turn.step, "seat": seat, "reward": to_json(reward)}
                self._file.write(_dumps(line) + "\n")

    def close(self) -> None:
        self._file.close()


def read_trace(path: Path, *, with_any_of: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yields the lines of a trace that have a seat, which its header has not; skips truncated lines and non-objects.

    with_any_of: if not empty, lines with none of these keys are skipped, too, which is far faster than to parse them.
    Raises ConfigError for a trace of format 1.
    """
    sought = [f'"{key}"'.encode() for key in with_any_of]
    with path.open("rb") as lines:
        for number, line in enumerate(lines):
            if number and sought and not any(key in line for key in sought):
                continue
            fields = _fields(line)
            if number == 0 and {"step", "action"} <= fields.keys() and "seat" not in fields:
                raise ConfigError(
                    f"{path} has format 1, written by hm_agent 0.1: read it with that version, or play anew"
                )
            if "seat" in fields and (not sought or fields.keys() & set(with_any_of)):
                yield fields


def why_unanswered(path: Path) -> str:
    """Why the first question without an answer has none, as its last call says; empty if nothing in a trace does."""
    for line in read_trace(path, with_any_of=("questions",)):
        for question in line["questions"]:
            if question["answer"] is None and (calls := question.get("calls")):
                return str(calls[-1]["problem"] or "")
    return ""


def _fields(line: bytes) -> dict[str, Any]:
    """The fields of a line of JSON; none for a line that is cut or holds no object."""
    try:
        fields = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def to_json(value: object) -> Any:
    """Converts a value to JSON types; sets and mappings are sorted, so that equal values give equal text.

    Enums become their lower-case names, non-finite floats the strings that JavaScript's Number parses. An object that
    has a `to_json` method is converted by it. Raises TypeError for a value of any other type.
    """
    kind: Any = type(value)
    if kind is str or kind is int or kind is bool or value is None:  # most values are of these kinds
        return value
    return _converter(kind)(value)


@cache
def _converter(kind: type) -> Callable[[Any], Any]:
    """What converts values of a class; kept, since asking what a class is takes longer than to convert its values."""
    if hasattr(kind, "tolist"):  # numpy's numbers and arrays; numpy itself is slow to import
        return lambda value: to_json(value.tolist())
    if issubclass(kind, Enum):
        return lambda value: value.name.lower()
    if issubclass(kind, float):
        return lambda value: value if math.isfinite(value) else _NON_FINITE[str(value)]
    if issubclass(kind, int | str):
        return lambda value: value
    if hasattr(kind, "to_json"):
        return lambda value: to_json(value.to_json())
    return _container_converter(kind)


def _container_converter(kind: type) -> Callable[[Any], Any]:
    if issubclass(kind, BaseModel):
        return lambda value: {name: to_json(item) for name, item in value}
    if issubclass(kind, Mapping):
        return _mapping_to_json
    if issubclass(kind, Sequence) and not issubclass(kind, bytes):
        return lambda value: [to_json(item) for item in value]
    if issubclass(kind, set | frozenset):
        return lambda value: sorted((to_json(item) for item in value), key=_dumps)
    if is_dataclass(kind):
        return lambda value: {name: to_json(item) for name, item in shown_fields(value).items()}
    return _refuse


def _mapping_to_json(value: Mapping[Any, Any]) -> dict[str, Any]:
    items = [(to_json(key), to_json(item)) for key, item in value.items()]
    # Keys of JSON objects are strings: any other key becomes its JSON text.
    return dict(sorted((key if isinstance(key, str) else _dumps(key), item) for key, item in items))


def _refuse(value: object) -> Any:
    raise TypeError(f"a trace can't hold {type(value).__name__} {value!r}; see to_json for what it can")


def _interaction(interaction: Interaction) -> dict[str, Any]:
    """The fields of an interaction, and its partner, behaviour and reward, which may be properties."""
    return {
        **to_json(interaction),
        "partner": interaction.partner,
        "behaviour": interaction.behaviour,
        "reward": to_json(interaction.reward),
    }


def _line(step: Step, seat: Seat, decision: Decision[Any]) -> dict[str, Any]:
    """The trace's line of one seat's step, beliefs apart; empty entries are left out."""
    thoughts = decision.thoughts
    line: dict[str, Any] = {
        "step": step.turn.step,
        "seat": seat,
        "action": to_json(decision.action),
        "reward": to_json(step.rewards.get(seat, 0.0)),
    }
    if decision.state is not None:
        line["state"] = _without_empty(to_json(decision.state))
    if thoughts.strategy is not None:
        line["strategy"] = _without_empty(to_json(thoughts.strategy))
    if decision.events:
        line["events"] = list(map(_event, decision.events))
    if thoughts.interactions:
        line["interactions"] = list(map(_interaction, thoughts.interactions))
    if any(thoughts.relied_on):
        line["relied_on"] = [held and _hypothesis(held) for held in thoughts.relied_on]
    if any(right is not None for right in thoughts.right):
        line["right"] = list(thoughts.right)
    if decision.exchanges:
        line["questions"] = list(map(_exchange, decision.exchanges))
    return line


def _event(event: Event) -> dict[str, Any]:
    return {"kind": type(event).__name__, "words": event.describe(), "fields": to_json(event)}


def _exchange(exchange: Exchange) -> dict[str, Any]:
    """A question with its answer and calls; the time it took is left out, since it differs between runs."""
    asked = exchange.question
    entry = {"question": asked.asked_as, "fields": to_json(asked), "answer": to_json(exchange.answer)}
    return entry | _without_empty({"calls": to_json(_bounded(exchange.calls))})


def _bounded(calls: Sequence[ModelCall]) -> Sequence[ModelCall]:
    """The calls with at most `MAX_RECORDED` characters of replies; of more, each reply gets an equal share."""
    lengths = [len(reply) for call in calls for reply in call.replies]
    if sum(lengths) <= MAX_RECORDED:
        return calls
    most = MAX_RECORDED // len(lengths)
    return [replace(call, replies=tuple(kept_end(reply, most) for reply in call.replies)) for call in calls]


def _beliefs(thoughts: Thoughts) -> dict[str, Any]:
    """The hypotheses, whom they are about, and the words of the validated one; written together when any changes."""
    hypotheses = [_hypothesis(hypothesis) for hypothesis in thoughts.hypotheses]
    validated = thoughts.validated and thoughts.validated.words
    return {"hypotheses": hypotheses} | _without_empty({"about": thoughts.about, "validated": validated})


def _hypothesis(held: Hypothesis) -> dict[str, Any]:
    return _without_empty({"words": held.words, "value": to_json(held.value), "prediction": held.prediction})


def _without_empty(entries: dict[str, Any]) -> dict[str, Any]:
    """The entries without those that are None, False or an empty list."""
    return {key: value for key, value in entries.items() if not (value is None or value is False or value == [])}


_dumps = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
