"""The trace: one JSON line a step, the same to the bit whenever the same episode is played again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from hm_agent.core import Decision, Event, Step, Strategy
from hm_agent.questions import Exchange, shown_fields
from hm_agent.worlds.melting_pot.grid import Facing, Move, Pose

_NON_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class TraceRecorder:
    """Writes every step as it comes, so that a killed episode loses at most its last line; errors are `OSError`."""

    def __init__(self, path: Path) -> None:
        # A model's text may hold half a surrogate pair; backslashreplace writes it as JSON's own escape.
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n", buffering=1)
        self._beliefs: dict[str, Any] = {"hypotheses": []}

    def record(self, step: Step) -> None:
        beliefs = _beliefs(step.decision)
        changed = beliefs if beliefs != self._beliefs else {}
        self._beliefs = beliefs
        self._file.write(_dumps(_line(step) | changed) + "\n")

    def close(self) -> None:
        self._file.close()


def read_trace(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a trace; one that was cut off with its process, or is no JSON object after all, is left out."""
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n") and isinstance(said := _loads(line), dict):
                yield said


def _loads(line: bytes) -> Any:
    """What a line of JSON says; None where it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def to_json(value: object) -> Any:
    """A value in JSON's terms; sets and mappings are put in order, so that equal values give equal text.

    Poses become [x, y, "north"], enums their lower-case names, non-finite floats the words JavaScript's Number reads.
    Raises TypeError for what has no such form.
    """
    match value:
        case np.generic() | np.ndarray():
            return to_json(value.tolist())
        case Enum():
            return value.name.lower()
        case float():
            return value if math.isfinite(value) else _NON_FINITE[str(value)]
        case None | int() | str():
            return value
        case Pose(x, y, facing):
            return [x, y, to_json(Facing(facing))]
    return _composed(value)


def _composed(value: object) -> Any:
    match value:
        case BaseModel():
            return {name: to_json(item) for name, item in value}
        case Mapping():
            return dict(sorted((_key(key), to_json(item)) for key, item in value.items()))
        case Sequence() if not isinstance(value, bytes):
            return [to_json(item) for item in value]
        case set() | frozenset():
            return sorted((to_json(item) for item in value), key=_dumps)
        case _ if is_dataclass(value):
            return {name: to_json(item) for name, item in shown_fields(value).items()}
    raise TypeError(f"a trace can't hold {type(value).__name__} {value!r}; see to_json for what it can")


def _line(step: Step) -> dict[str, Any]:
    """All that is said of every step; keys with nothing to say are left out."""
    decision = step.decision
    said = {
        "pose": to_json(decision.pose),
        "inventory": to_json(decision.inventory),
        "other_inventory": to_json(decision.other_inventory),
        "subgoal": decision.subgoal,
        "strategy": decision.strategy and _strategy(decision.strategy),
        "events": [_event(event) for event in decision.events],
        "understood": [to_json(evidence) for evidence in decision.understood],
        "questions": [_exchange(exchange) for exchange in decision.exchanges],
    }
    always = {"step": step.observation.step, "action": _action(decision.action), "reward": to_json(step.reward)}
    return always | _spoken(said)


def _action(action: int) -> str | int:
    """The move's name, or the number of an action that is no move."""
    return Move(action).name.lower() if action in set(Move) else int(action)


def _strategy(strategy: Strategy) -> dict[str, Any]:
    return _spoken(to_json(strategy))


def _event(event: Event) -> dict[str, Any]:
    return {"kind": type(event).__name__, "words": event.describe(), "fields": to_json(event)}


def _exchange(exchange: Exchange) -> dict[str, Any]:
    """A question with its answer and calls; how long it took is left out, for it differs from run to run."""
    kind = type(exchange.question).__name__
    said = {"question": kind, "fields": to_json(exchange.question), "answer": to_json(exchange.answer)}
    return said | _spoken({"calls": to_json(exchange.calls)})


def _beliefs(decision: Decision) -> dict[str, Any]:
    """The hypotheses, whom they are about, and the words of the validated one; written together where any changes."""
    hypotheses = [
        _spoken({"words": h.words, "value": to_json(h.value), "prediction": h.prediction}) for h in decision.hypotheses
    ]
    validated = decision.validated and decision.validated.words
    return {"hypotheses": hypotheses} | _spoken({"about": decision.about, "validated": validated})


def _spoken(said: dict[str, Any]) -> dict[str, Any]:
    """What is left without None, False and empty lists."""
    return {key: value for key, value in said.items() if value not in (None, []) and value is not False}


def _key(key: object) -> str:
    """A mapping's key as JSON wants it: a word, or the JSON of anything else."""
    form = to_json(key)
    return form if isinstance(form, str) else _dumps(form)


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
