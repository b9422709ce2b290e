"""What commands with absl flags share: how they read a command line, and the text of their help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from absl import flags

from hm_agent.config import ConfigError

FlagGroups: TypeAlias = Mapping[str, Sequence[flags.FlagHolder[Any]]]
"""Flags by the title of their group, as help shows them."""


def read_flags(values: flags.FlagValues, argv: Sequence[str]) -> None:
    """Reads a command line, with `-h` for `--help`.

    Raises absl's `flags.Error`, and ConfigError for words that are no flags.
    """
    values.unparse_flags()
    rest = values(tuple("--help" if word == "-h" else word for word in argv))[1:]
    if rest:
        raise ConfigError(f"unexpected argument {rest[0]!r}: all options are --flags; see --help")


def help_text(usage: str, groups: FlagGroups, values: flags.FlagValues, helps: Mapping[str, str] | None = None) -> str:
    """The usage, and a line for each flag with its default.

    helps: by name, whole lines in the place of a flag's own help and default.
    """
    lines = [usage]
    for title, group in groups.items():
        lines += ["", f"{title}:"]
        for flag in (values[holder.name] for holder in group):
            name = f"--[no]{flag.name}" if flag.boolean else f"--{flag.name}"
            lines.append(f"  {name:<20} {(helps or {}).get(flag.name) or _own_help(flag)}")
    return "\n".join(lines)


def _own_help(flag: flags.Flag[Any]) -> str:
    has_default = not (flag.default is None or flag.boolean or flag.default == [])
    return f"{flag.help} (default: {flag.default_as_str})" if has_default else str(flag.help)
