"""Fields of dataclasses that are flags, too: one line says the field's default, its flag, its help and its bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from hm_agent.config import ConfigError

_TYPES: Mapping[type, tuple[Any, str]] = {
    int: (int, "an int"),
    float: ((int, float), "a number"),
    bool: (bool, "True or False"),
    str: (str, "a text"),
}
"""By the kind of a field that is checked: the types of its values, and these in words."""


@dataclass(frozen=True)
class FlagField:
    """A field that is a flag, too.

    name: the field's. kind: its type; of tuples, and of types with None, without the rest. flag: the flag's name.
    lower, upper: the bounds of a number, None without one. choices: the valid values, empty for any.
    """

    name: str
    kind: type
    default: Any
    flag: str
    help: str
    lower: Any = None
    upper: Any = None
    choices: tuple[str, ...] = ()

    def check(self, value: object) -> None:
        """Raises ConfigError for a value of another type than the field's, e.g. 3.0 for an int, or out of bounds.

        None is valid where it is the default. Paths, ranges and tuples are not checked.
        """
        if value is None and self.default is None:
            return
        types, words = _TYPES.get(self.kind, (object, ""))
        if not isinstance(value, types) or (isinstance(value, bool) and self.kind in (int, float)):
            raise ConfigError(f"{self.name}={value!r}: must be {words}")
        if self.choices and value not in self.choices:
            raise ConfigError(f"{self.name}={value!r}: must be {' or '.join(self.choices)}")
        if problem := number_problem(value, self.lower, self.upper):
            raise ConfigError(f"{self.name}={value}: {problem}")


def number_problem(value: Any, lower: Any, upper: Any) -> str:
    """Says what a number must be that is infinite, NaN or out of bounds; empty for any other value. None: no bound."""
    if isinstance(value, float) and not math.isfinite(value):
        return "must be a finite number"
    if lower is not None and not value >= lower:
        return f"must be at least {lower}"
    if upper is not None and not value <= upper:
        return f"must be at most {upper}"
    return ""


def flag_field(
    default: Any,
    about: str,
    flag: str | None = None,
    *,
    lower: float | None = None,
    upper: float | None = None,
    choices: tuple[str, ...] = (),
    shown: bool = True,
) -> Any:
    """Declares a field of a dataclass that is a flag, too.

    about: the flag's help. flag: its name, else the field's. shown: False for a value that no text may show.
    """
    return field(
        default=default,
        repr=shown,
        metadata={"flag": flag, "help": about, "lower": lower, "upper": upper, "choices": choices},
    )


def flag_fields(settings: type) -> Iterator[FlagField]:
    """Yields the fields of a dataclass that are flags, too, in their order."""
    hints = get_type_hints(settings)
    for each in fields(settings):
        if "flag" in each.metadata:
            said = {**each.metadata, "flag": each.metadata["flag"] or each.name}
            yield FlagField(each.name, _kind(hints[each.name]), each.default, **said)


def _kind(hint: Any) -> type:
    """The type itself: `int` for `int | None`, `tuple` for `tuple[str, ...]`."""
    plain: Any = next((part for part in get_args(hint) if NoneType in get_args(hint) and part is not NoneType), hint)
    kind: type = get_origin(plain) or plain
    return kind


def check_fields(settings: Any) -> None:
    """Raises ConfigError for an invalid value in a field that is a flag, too (FlagField.check)."""
    for each in flag_fields(type(settings)):
        each.check(getattr(settings, each.name))


def whole_numbers(flag: str, texts: Sequence[str], least: int, most: int) -> tuple[int, ...]:
    """Reads a flag's whole numbers within bounds, each once; raises ConfigError for any others, and for none."""
    if not texts or not all(text.isdecimal() and least <= int(text) <= most for text in texts):
        raise ConfigError(f"--{flag}={','.join(texts)}: say numbers from {least} to {most}, with commas")
    return tuple(dict.fromkeys(map(int, texts)))
