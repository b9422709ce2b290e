"""Reads answers that a text gives without their JSON: nothing but calls, or nothing but names to choose from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

MOST_BARE = 2_000
"""Characters up to which a text is read as an answer without its JSON."""
_CALL = r"[A-Za-z_]\w*+(?:\((?:[^()]++|\([^()]*+\))*+\)|\[[^\[\]]*+\])"
_CALLS = re.compile(rf"\s*{_CALL}(?:\s*[,;\n]\s*{_CALL})*\s*")


def bare_answer(text: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer that a text stands for which is nothing but its one field beside the reasoning; None if it is more.

    Such a text is one or several calls, e.g. `meet(player_1), say(0)`, or of the names that the schema lists.
    """
    field = only_field(schema)
    if field is None or len(text) > MOST_BARE:
        return None
    value = _bare_value(text, schema["properties"][field])
    return None if value is None else with_field(schema, field, value)


def only_field(schema: Mapping[str, Any]) -> str | None:
    """The one field of an answer beside its reasoning; None if it has others."""
    wanted = [name for name in schema["properties"] if name != "reasoning"]
    return wanted[0] if len(wanted) == 1 else None


def with_field(schema: Mapping[str, Any], field: str, value: object) -> dict[str, Any]:
    """An answer that says nothing but one field."""
    return {**dict.fromkeys(schema["properties"], ""), field: value}


def _bare_value(text: str, form: Mapping[str, Any]) -> str | Sequence[str] | None:
    match form:
        case {"type": "array", "items": {"enum": known}}:
            names = [name.strip() for name in re.split(r"[,;\n]", text)]
            return names if set(names) <= set(known) else None
        case {"type": "array"}:
            return re.findall(_CALL, text) if _CALLS.fullmatch(text) else None
        case {"enum": known}:
            return text.strip() if text.strip() in known else None
    return None
