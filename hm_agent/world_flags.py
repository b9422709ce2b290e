"""The flags of a command of one world, apart from those of `play`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from absl import flags


class WorldFlags:
    """A command line of a world's own; `values` is what absl's DEFINE functions are to define flags in.

    command: as typed, e.g. `hm-agent export exploretom`. rest: the last line's words that are no flags.
    """

    def __init__(self, command: str) -> None:
        self.values = flags.FlagValues()  # type: ignore[no-untyped-call]
        self.rest: Sequence[str] = ()
        self._command = command
        self._holders: tuple[flags.FlagHolder[Any], ...] = ()

    def add(self, *holders: flags.FlagHolder[Any]) -> None:
        """Adds defined flags, in the order of the help, and `--help` after them."""
        own = flags.DEFINE_bool("help", False, "Show this help, and end.", flag_values=self.values)
        self._holders = (*holders, own)

    def parse(self, arguments: Sequence[str]) -> Sequence[str]:
        """Reads a command line, and returns the words that are no flags; raises absl's `flags.Error` for a bad one."""
        self.values.unparse_flags()
        self.rest = self.values((self._command, *arguments))[1:]
        return self.rest

    def get(self, name: str) -> Any:
        """The value of a flag."""
        return self.values[name].value

    def typed(self, without: Sequence[str] = ()) -> str:
        """The last command line with its flags, in the order of the help, without some of them."""
        given = [self.values[holder.name] for holder in self._holders]
        words = [f"--{one.name}={_shown(one.value)}" for one in given if one.present and one.name not in without]
        return " ".join((self._command, *map(shlex.quote, words)))

    @property
    def wants_help(self) -> bool:
        return bool(self.get("help"))

    def help(self, usage: str) -> str:
        """The usage, and a line for each flag."""
        lines = [usage, "Flags:"]
        for flag in (self.values[holder.name] for holder in self._holders):
            default = f" (default: {flag.default_as_str})" if flag.default not in (None, [], False) else ""
            lines.append(f"  --{flag.name:<16} {flag.help}{default}")
        return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
