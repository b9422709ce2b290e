"""Flags that take numbers, checked the same way in every command."""

from __future__ import annotations

import math
import re
from typing import Any

from absl import flags


class _FiniteParser(flags.FloatParser):
    """Reads a number; infinities and what is no number are refused, whatever the bounds."""

    def convert(self, argument: str | float) -> float:
        number = super().convert(argument)
        if not math.isfinite(number):
            raise ValueError(f"{argument} is no finite number")
        return number


class _CountParser(flags.IntegerParser):
    """Reads a whole number, also one like 1e6."""

    def convert(self, argument: str | int) -> int:
        is_power = isinstance(argument, str) and re.fullmatch(r"[0-9]{1,9}[eE][0-9]", argument)
        return int(float(argument)) if is_power else super().convert(argument)


def define_float(
    name: str,
    default: float | None,
    about: str,
    lower_bound: float | None = None,
    upper_bound: float | None = None,
    *,
    flag_values: flags.FlagValues,
) -> flags.FlagHolder[Any]:
    """Defines a flag for a finite number within bounds."""
    parser = _FiniteParser(lower_bound, upper_bound)
    serializer = flags.ArgumentSerializer[float]()
    return flags.DEFINE(parser, name, default, about, flag_values=flag_values, serializer=serializer)


def define_count(name: str, default: int, about: str, *, flag_values: flags.FlagValues) -> flags.FlagHolder[Any]:
    """Defines a flag for a whole number from 1 on, which may be written like 1e6."""
    parser = _CountParser(lower_bound=1)
    serializer = flags.ArgumentSerializer[int]()
    return flags.DEFINE(parser, name, default, about, flag_values=flag_values, serializer=serializer)
