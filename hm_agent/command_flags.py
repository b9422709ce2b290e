"""What commands with absl flags share: flags for numbers, how a command line is read, and the text of the help."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from absl import flags

from hm_agent.config import ConfigError

FlagGroups: TypeAlias = Mapping[str, Sequence[flags.FlagHolder[Any]]]
"""Flags by the title of their group, as help shows them."""


def read_flags(values: flags.FlagValues, argv: Sequence[str]) -> None:
    """Reads a command line, with `-h` for `--help`.

    Raises absl's `flags.Error`, and ConfigError for positional arguments and for a flag that is given twice, unless
    there is a --flagfile, whose flags later ones override.
    """
    values.unparse_flags()
    rest = values(tuple("--help" if word == "-h" else word for word in argv))[1:]
    if rest:
        raise ConfigError(f"unexpected argument {rest[0]!r}: all options are --flags; see --help")
    if not any(word.lstrip("-").startswith("flagfile") for word in argv):
        _refuse_repeated(values)


def _refuse_repeated(values: flags.FlagValues) -> None:
    for flag in (values[name] for name in values):
        if flag.present > 1:  # absl counts how often a flag is given
            how = ", its values joined by commas" if isinstance(flag.parser, flags.ListParser) else ""
            raise ConfigError(f"--{flag.name} is given {flag.present} times: say it once{how}")


def help_text(usage: str, groups: FlagGroups, values: flags.FlagValues, helps: Mapping[str, str] | None = None) -> str:
    """The usage, and a line for each flag with its default.

    helps: texts, by name of the flag, that replace a flag's own help and default.
    """
    lines = [usage]
    for title, group in groups.items():
        lines += ["", f"{title}:"]
        for flag in (values[holder.name] for holder in group):
            name = f"--[no]{flag.name}" if flag.boolean else f"--{flag.name}"
            lines.append(f"  {name:<20} {(helps or {}).get(flag.name) or _help_with_default(flag)}")
    return "\n".join(lines)


def _help_with_default(flag: flags.Flag[Any]) -> str:
    has_default = not (flag.default is None or flag.boolean or flag.default == [])
    return f"{flag.help} (default: {flag.default_as_str})" if has_default else str(flag.help)


class _FiniteParser(flags.FloatParser):
    """Parses a number; refuses infinities and NaN, whatever the bounds."""

    def convert(self, argument: str | float) -> float:
        number = super().convert(argument)
        if not math.isfinite(number):
            raise ValueError(f"{argument} is no finite number")
        return number


class _IntegerParser(flags.IntegerParser):
    """Parses an integer, which may be written like 1e6."""

    def convert(self, argument: str | int) -> int:
        is_power = isinstance(argument, str) and re.fullmatch(r"[0-9]{1,9}[eE][0-9]", argument)
        try:
            return int(float(argument)) if is_power else super().convert(argument)
        except ValueError as error:
            raise ValueError("must be an integer, e.g. 20 or 1e6") from error


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


def define_integer(
    name: str, default: int | None, about: str, lower_bound: int | None = None, *, flag_values: flags.FlagValues
) -> flags.FlagHolder[Any]:
    """Defines a flag for an integer, which may be written like 1e6."""
    parser = _IntegerParser(lower_bound)
    serializer = flags.ArgumentSerializer[int]()
    return flags.DEFINE(parser, name, default, about, flag_values=flag_values, serializer=serializer)
