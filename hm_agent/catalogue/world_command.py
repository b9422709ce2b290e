"""A command that a world adds: its flags are fields of dataclasses, and one line says what stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from absl import flags

from hm_agent.config import ConfigError
from hm_agent.flags.fields import flag_fields
from hm_agent.flags.parsing import (
    HELP,
    FlagGroups,
    define_field,
    define_fields,
    help_text,
    read_fields,
    read_flags,
    refuse_given,
)
from hm_agent.models.cache import GaveUpWaiting
from hm_agent.models.flags import ModelFlags
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.process.exit_status import INTERRUPTED, NO_MODEL, complain
from hm_agent.process.interruptions import told_of_interruptions
from hm_agent.questions import ModelUnavailable

FlagsT = TypeVar("FlagsT")


@contextmanager
def asked_models(settings: ModelSettings, answers: Path | None = None) -> Iterator[ModelPool]:
    """The models that a command asks, which hurry once the user presses Ctrl-C.

    answers: the file that keeps all their answers, unless the settings name another one.
    """
    kept = settings if settings.cache or not answers else replace(settings, cache=answers)
    with closing(ModelPool(kept)) as models, told_of_interruptions(models.hurry):
        yield models


class WorldCommand:
    """A command line. name: begins its messages, e.g. `hm-agent cast`. usage: the beginning of its help.

    groups: by titles of the help, dataclasses whose fields (`flag_field`) are its flags. asks: what a model does here;
    the flags that describe a model are left out if this is empty.
    """

    def __init__(self, name: str, usage: str, groups: Mapping[str, type], asks: str = "") -> None:
        self.name, self._usage = name, usage
        self._flags = flags.FlagValues()  # type: ignore[no-untyped-call]
        own = {title: dict.fromkeys(define_fields(group, self._flags), "") for title, group in groups.items()}
        self._model = ModelFlags(self._flags, asks) if asks else None
        define_field(HELP, self._flags)
        self._groups: FlagGroups = {**own, **(self._model.groups if self._model else {}), "Help": {"help": ""}}

    def read(self, arguments: Sequence[str], *, takes_words: bool = False) -> Sequence[str] | None:
        """Reads a command line; returns its words that are no flags, or None once it has printed the help.

        Raises ConfigError for such words, unless the command takes any, and absl's `flags.Error`.
        """
        words = read_flags(self._flags, (self.name, *arguments), takes_words=takes_words)
        if not self._flags["help"].value:
            return words
        print(help_text(self._usage, self._groups, self._flags))
        return None

    def values(self, group: type[FlagsT]) -> FlagsT:
        """What the command line says of a group's flags; raises ConfigError for an empty path that has a default."""
        said = read_fields(group, self._flags)
        if empty := [each.flag for each in flag_fields(group) if said[each.name] is None and each.default is not None]:
            raise ConfigError(f"--{empty[0]} names nothing")
        return group(**said)

    def model(self) -> ModelSettings:
        """The model that the command line describes; only of a command that asks one."""
        assert self._model is not None
        return self._model.settings()

    def given(self, names: Iterable[str]) -> list[str]:
        """Those of the flags that the command line has."""
        return [name for name in names if self._flags[name].present]

    def refuse(self, names: Iterable[str], why: str) -> None:
        """Raises ConfigError for the first of the flags that the command line has."""
        refuse_given(self._flags, names, why)

    def words_of(self, names: Iterable[str]) -> list[str]:
        """The flags as they are typed, of those that the command line has."""
        return [self._flags[name].serialize() for name in self.given(names)]

    def complain(self, message: str, status: int) -> int:
        return complain(self.name, message, status)

    def until_stopped(self, act: Callable[[], int], left: str) -> int:
        """Runs a part of the command and returns its exit status; if a model or the user stops it, says so.

        left: what is left of the work then, in words.
        """
        try:
            return act()
        except (GaveUpWaiting, KeyboardInterrupt):
            return self.complain(f"interrupted; {left}", INTERRUPTED)
        except ModelUnavailable as error:
            return self.complain(f"{error.status}: {error}; {left}", NO_MODEL)
