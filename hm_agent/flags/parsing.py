"""What commands share: flags (absl) for numbers and settings, how a line is read, the help; parsers without absl."""

from __future__ import annotations

import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, TypeVar

from absl import flags

from hm_agent.config import ConfigError
from hm_agent.flags.fields import FlagField, flag_fields, number_problem
from hm_agent.storage.files import open_regular

NumberT = TypeVar("NumberT", int, float)
FlagGroups: TypeAlias = Mapping[str, Mapping[str, str]]
"""By the titles of the help: flags by name, with what it says in place of their own help and default, or empty."""


HELP = FlagField("help", bool, False, "help", "Show this help, and exit.")


def read_flags(values: flags.FlagValues, argv: Sequence[str], *, takes_words: bool = False) -> Sequence[str]:
    """Reads a command line, with `-h` for `--help`; returns the words that are no flags.

    Raises absl's `flags.Error`, and ConfigError for a --flagfile that can't be read, for such words, unless the command
    takes any, and for a flag that is given twice, unless there is a --flagfile, whose flags later ones override.
    """
    values.unparse_flags()
    words = tuple("--help" if word == "-h" else _with_home(word) for word in argv)
    _check_flag_files(words)
    try:
        rest = values(words)[1:]
    except (flags.CantOpenFlagFileError, UnicodeDecodeError) as error:
        raise ConfigError(_flag_file_problem(error.__context__)) from error
    if rest and not takes_words:
        raise ConfigError(f"unexpected argument {rest[0]!r}: all options are --flags; see --help")
    if not any(word.lstrip("-").startswith("flagfile") for word in argv):
        _refuse_repeated(values)
    return rest


def _check_flag_files(argv: Sequence[str]) -> None:
    """Raises ConfigError for a --flagfile that can't be read, or might never end, e.g. a named pipe."""
    for word, next_word in pairwise((*argv, "")):
        name, equals, value = word.partition("=")
        path = value if equals else next_word
        if path and name in ("-flagfile", "--flagfile"):
            try:
                open_regular(Path(path)).close()
            except OSError as error:
                raise ConfigError(_flag_file_problem(error)) from None


def _flag_file_problem(error: BaseException | None) -> str:
    """What is wrong with a --flagfile, from what was raised when it was read."""
    if not isinstance(error, OSError):
        return "--flagfile: it is no text"
    missing = isinstance(error, FileNotFoundError)
    return f"--flagfile={error.filename}: {'there is no such file' if missing else error.strerror}"


def argument_parser(name: str, about: str) -> ArgumentParser:
    """A parser for `hm-agent NAME`, a command without absl flags, whose help begins with a text as it stands."""
    form = RawDescriptionHelpFormatter
    return _Parser(f"hm-agent {name}", description=about, formatter_class=form, allow_abbrev=False)


class _Parser(ArgumentParser):
    """A parser whose errors are ConfigErrors, which commands tell in one line."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; see {self.prog} --help")


def _with_home(word: str) -> str:
    """A flag with `~/` at the beginning of its value, or of one of several, as the home folder, as shells have it."""
    return re.sub(r"(?<=[=,])~(?=/)", lambda _: str(Path.home()), word) if word.startswith("--") else word


def _refuse_repeated(values: flags.FlagValues) -> None:
    for flag in (values[name] for name in values):
        if flag.present > 1:  # absl counts how often a flag is given
            how = ", its values joined by commas" if isinstance(flag.parser, flags.ListParser) else ""
            raise ConfigError(f"--{flag.name} is given {flag.present} times: say it once{how}")


def help_text(usage: str, groups: FlagGroups, values: flags.FlagValues) -> str:
    """The usage, and a line for each flag with its default."""
    lines = [usage.rstrip()]
    for title, group in groups.items():
        lines += ["", f"{title}:"]
        for name, said in group.items():
            flag = values[name]
            typed = f"--[no]{name}" if flag.boolean else f"--{name}"
            lines.append(f"  {typed:<20} {said or _help_with_default(flag)}")
    return "\n".join(lines)


def _help_with_default(flag: flags.Flag[Any]) -> str:
    has_default = not (flag.default is None or flag.boolean or flag.default == [])
    return f"{flag.help} (default: {flag.default_as_str})" if has_default else str(flag.help)


class _FiniteParser(flags.FloatParser):
    """Parses a number within bounds; refuses infinities and NaN, whatever the bounds."""

    def convert(self, argument: str | float) -> float:
        try:
            number = super().convert(argument)
        except ValueError as error:
            raise ValueError("must be a number") from error
        return _within(number, self)


class _IntegerParser(flags.IntegerParser):
    """Parses an integer within bounds, which may be written like 1e6 or 1.5e6."""

    def convert(self, argument: str | int) -> int:
        if isinstance(argument, str) and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?[eE][0-9]{1,2}", argument):
            written = Decimal(argument)
            argument = int(written) if written == int(written) else argument
        try:
            number = super().convert(argument)
        except ValueError as error:
            raise ValueError("must be an integer, e.g. 20 or 1e6") from error
        return _within(number, self)


class _SwitchParser(flags.BooleanParser):
    """Parses what may be said of a flag that is on or off."""

    def parse(self, argument: str | int) -> bool:
        try:
            return super().parse(argument)
        except ValueError as error:
            raise ValueError("must be true or false") from error


def _within(number: NumberT, parser: flags.FloatParser | flags.IntegerParser) -> NumberT:
    if problem := number_problem(number, parser.lower_bound, parser.upper_bound):
        raise ValueError(problem)
    return number


def define_fields(settings: type, values: flags.FlagValues) -> Sequence[str]:
    """Defines the flags of a dataclass's fields (`flag_field`) with the fields' defaults; returns their names."""
    defined = list(flag_fields(settings))
    for each in defined:
        define_field(each, values)
    return [each.flag for each in defined]


def define_field(each: FlagField, values: flags.FlagValues) -> None:
    """Defines a field's flag: of a choice, a number or a list, with --no for a bool, else of a text."""
    if each.choices:
        flags.DEFINE_enum(each.flag, each.default, each.choices, each.help, flag_values=values)
    else:
        _DEFINE.get(each.kind, _DEFINE[str])(each, values)


def _define_switch(each: FlagField, values: flags.FlagValues) -> None:
    flag = flags.BooleanFlag(each.flag, each.default, each.help)
    flag.parser = _SwitchParser()
    flags.DEFINE_flag(flag, values)


def _define_number(each: FlagField, values: flags.FlagValues) -> None:
    parser: flags.ArgumentParser[Any] = (_IntegerParser if each.kind is int else _FiniteParser)(each.lower, each.upper)
    serializer = flags.ArgumentSerializer[Any]()
    flags.DEFINE(parser, each.flag, each.default, each.help, flag_values=values, serializer=serializer)


_DEFINE: Mapping[type, Callable[[FlagField, flags.FlagValues], object]] = {
    bool: _define_switch,
    int: _define_number,
    float: _define_number,
    str: lambda each, here: flags.DEFINE_string(each.flag, each.default, each.help, flag_values=here),
    tuple: lambda each, here: flags.DEFINE_list(each.flag, list(each.default), each.help, flag_values=here),
}


def refuse_given(values: flags.FlagValues, names: Iterable[str], why: str) -> None:
    """Raises ConfigError for the first of the flags that the command line has."""
    for name in names:
        if values[name].present:
            raise ConfigError(f"--{name} has no effect: {why}")


def read_fields(settings: type, values: flags.FlagValues) -> dict[str, Any]:
    """Returns the values of the flags of `define_fields` by the names of the fields.

    Paths are None for empty texts; tuples have no empty texts, which stray commas leave. A range is returned as text.
    """
    return {
        each.name: _READ.get(each.kind, lambda value: value)(values[each.flag].value) for each in flag_fields(settings)
    }


_READ: Mapping[type, Callable[[Any], Any]] = {
    Path: lambda text: Path(text) if text else None,
    tuple: lambda texts: tuple(filter(None, texts)),
}
"""How the value of a flag becomes the value of its field, by the field's kind, where they differ."""
