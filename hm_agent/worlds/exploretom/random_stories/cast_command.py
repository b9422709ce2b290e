"""`hm-agent cast`: has a language model suggest the settings of stories, and writes them for `--cast`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hm_agent.catalogue.world_command import WorldCommand, asked_models
from hm_agent.config import ConfigError, check_folder
from hm_agent.flags.fields import flag_field
from hm_agent.models.providers import ModelPool
from hm_agent.process.exit_status import FAILED
from hm_agent.process.interruptions import run_interruptibly
from hm_agent.storage.files import write_whole
from hm_agent.worlds.exploretom.random_stories.cast import CastLists, ListedSetting, read_cast
from hm_agent.worlds.exploretom.random_stories.suggested_cast import CAST_ANSWERS, CastWriter, SuggestedCast

USAGE = """Has a language model suggest settings of stories, and judge their details, as in ExploreToM's section 2.1.

    hm-agent cast --model=gpt-4o --settings=20 --out=cast.toml
    hm-agent generate exploretom --model=gpt-4o --cast=cast.toml

The file has the form of scenarios/exploretom/cast.toml. With --model=builtin it has settings of that file."""


@dataclass(frozen=True)
class CastFlags:
    settings: int = flag_field(10, "How many settings to suggest.", lower=1)
    judge: str | None = flag_field(None, "The model that judges each detail; --model unless said.")
    seed: int = flag_field(0, "The seed of the names that inspire the model, and of its sampling.")
    out: Path = flag_field("cast.toml", "The file to write, which must not be there yet.")


COMMAND = WorldCommand("hm-agent cast", USAGE, {"What to suggest": CastFlags}, asks="suggests the settings")


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for invalid flags."""
    if COMMAND.read(arguments) is None:
        return 0
    said, settings = COMMAND.values(CastFlags), COMMAND.model()
    if said.out.exists():
        raise ConfigError(f"--out={said.out}: there is such a file already")
    check_folder("out", said.out.parent)
    said.out.parent.mkdir(parents=True, exist_ok=True)  # before anything is paid for
    names = (settings.name, said.judge or settings.name)
    with asked_models(settings) as models:
        models.check(dict.fromkeys(names))

        def suggest() -> int:
            found = run_interruptibly(lambda: _suggested(models, names, said.settings, said.seed))
            return _written(said.out, found, said.settings)

        return COMMAND.until_stopped(suggest, "nothing is written")


async def _suggested(models: ModelPool, names: tuple[str, str], settings: int, seed: int) -> SuggestedCast | None:
    """The settings that the first of two models suggests, as far as the second one accepts them."""
    async with AsyncExitStack() as stack:
        suggester, judge = [await stack.enter_async_context(models.model(name, seed, CAST_ANSWERS)) for name in names]
        return await CastWriter(suggester, judge, Random(f"cast/{seed}")).write(settings)


def _written(out: Path, found: SuggestedCast | None, wanted: int) -> int:
    """Writes the settings and says what was refused; returns the exit status."""
    if found is None:
        return COMMAND.complain("no setting was suggested that can be used", FAILED)
    for detail in found.refused:
        print(f"Refused: {detail}")
    write_whole(out, text_of_cast(found.lists))
    read_cast(out)
    objects = sum(len(setting.objects) for setting in found.lists.setting)
    print(f"Settings: {len(found.lists.setting)} of {wanted}, with {objects} objects: {out}")
    return 0 if len(found.lists.setting) == wanted else FAILED


def text_of_cast(lists: CastLists) -> str:
    """Names and settings as TOML, in the form that `read_cast` reads."""
    return "\n".join(
        (f"names = {_toml(lists.names)}", *(line for one in lists.setting for line in _setting_lines(one)), "")
    )


def _setting_lines(setting: ListedSetting) -> Iterator[str]:
    yield "\n[[setting]]"
    yield from (f"{key} = {_toml(getattr(setting, key))}" for key in ("name", "rooms", "topics"))
    for thing in setting.objects:
        yield "\n[[setting.objects]]"
        yield from (f"{key} = {_toml(getattr(thing, key))}" for key in ("name", "containers", "visible", "invisible"))


def _toml(value: object) -> str:
    """A text or nested lists of texts in TOML, which writes them as JSON does."""
    return json.dumps(value, ensure_ascii=False)
