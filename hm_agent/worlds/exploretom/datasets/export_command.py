"""`hm-agent export exploretom`: the flags, and the export that they describe."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from hm_agent.catalogue.world_command import WorldCommand
from hm_agent.config import ConfigError
from hm_agent.flags.fields import flag_field, flag_fields
from hm_agent.grouping import grouped
from hm_agent.storage.folder_lock import locked
from hm_agent.worlds.exploretom.datasets.export import export
from hm_agent.worlds.exploretom.datasets.export_plan import TRAIN, ExportPlan
from hm_agent.worlds.exploretom.datasets.making import SourceStory, drawn_stories, stories_in, told_texts
from hm_agent.worlds.exploretom.datasets.training_mix import TrainingMix
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, find_action_sets
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.suite import HIDDEN, SEEN

_DRAWING = ("action_sets", "stories", "seed", "cast")
"""The flags that concern drawn stories alone."""

USAGE = """Writes stories with their questions and answers as a data set.

    hm-agent export exploretom --action_sets=a1,a5_asymmetric --stories=100 --out=sets/moves
    hm-agent export exploretom --from=runs/search/stories.jsonl --splits=test:1 --out=sets/hard
    hm-agent export exploretom --stories=1000 --training --parquet --out=sets/all
    hm-agent export exploretom --mix=79700 --stories=20000 --splits=train:398,validation:1,test:1 --out=sets/tuning

OUT gets <config>/<split>.jsonl, README.md (the card), eval.yaml for Hugging Face and inspect_ai, and lm_eval/ for
lm-evaluation-harness. docs/exploretom_datasets.md describes all of them.
"""


@dataclass(frozen=True)
class StoryFlags:
    action_sets: tuple[str, ...] = flag_field(
        (), "Action sets by name or glob, with commas; all unless said, a1 to a9 for a mix."
    )
    stories: int = flag_field(10, "How many stories of each action set.", lower=1)
    seed: int = flag_field(0, "The seed of the first story; the others follow.", lower=0)
    source: Path | None = flag_field(None, "A file of stories, JSON lines, to export instead of drawn ones.", "from")
    told: Path | None = flag_field(None, "The stories of --from as told by a language model: a file of JSON lines.")
    cast: Path | None = flag_field(None, "A file of names, rooms, objects and topics.")
    contents: str = flag_field(
        HIDDEN, "Whether entering a room shows what its containers hold.", choices=(HIDDEN, SEEN)
    )


@dataclass(frozen=True)
class MixFlags:
    interesting: float | None = flag_field(
        None, "The mix's share of interesting questions; half of --tom_stories unless said.", lower=0, upper=1
    )
    tom_stories: float = flag_field(
        1.0,
        "The mix's share of stories that require theory of mind: those with interesting questions.",
        lower=0,
        upper=1,
    )
    per_story: int = flag_field(4, "The most questions of a story in the mix.", lower=1)
    set_shares: tuple[str, ...] = flag_field(
        (), "Action sets with their shares in the mix, with commas, such as a1:2,a4:3; 1 for the others."
    )
    told_share: float = flag_field(
        0.5, "Of the mix's stories that a language model has told, the share asked about as told.", lower=0, upper=1
    )


@dataclass(frozen=True)
class SetFlags:
    splits: tuple[str, ...] = flag_field(
        ("train:8", "validation:1", "test:1"),
        "Splits with their shares, with commas; the seed or line of a story decides on its split.",
    )
    training: bool = flag_field(False, "Also write prompts with replies, with and without reasons, from `train`.")
    mix: int | None = flag_field(
        None,
        "Write so many training questions in chat form, mixed as the flags above say, in place of `train`.",
        lower=1,
    )
    parquet: bool = flag_field(False, "Also write each file as Parquet; needs the extra hm_agent[parquet].")
    out: Path | None = flag_field(None, "The folder to write to; it holds no data set yet.")
    name: str | None = flag_field(None, "The name of the set on its card; the folder's name unless said.")


COMMAND = WorldCommand(
    "hm-agent export exploretom", USAGE, {"The stories": StoryFlags, "The mix of --mix": MixFlags, "The set": SetFlags}
)


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for invalid flags."""
    if COMMAND.read(arguments) is None:
        return 0
    said, stories = COMMAND.values(SetFlags), COMMAND.values(StoryFlags)
    if said.out is None:
        raise ConfigError("name the folder to write to: --out=FOLDER")
    if said.parquet and find_spec("pyarrow") is None:
        raise ConfigError("pyarrow is not installed: pip install 'hm_agent[parquet]'")
    plan = ExportPlan(
        out=said.out,
        name=said.name or said.out.resolve().name,
        splits=_splits(said.splits),
        command=_command_line(),
        sees_contents=stories.contents == SEEN,
        has_training=said.training,
        mix=_mix(said, stories.seed),
        has_parquet=said.parquet,
    )
    evaluated, training = _stories(plan, stories)
    with locked(said.out):
        counts = export(evaluated, plan, training)
    for name, lines in counts.lines.items():
        print(f"{said.out / name}: {lines:,} lines")
    mixed = sum(part.stories for part in counts.mixed)
    print(f"{counts.stories + mixed:,} stories; the card: {said.out / 'README.md'}")
    return 0


def _command_line() -> str:
    """The command line as the card shows it, without the folder and name of the set."""
    names = [each.flag for group in (StoryFlags, MixFlags, SetFlags) for each in flag_fields(group)]
    shown = [name for name in names if name not in ("out", "name")]
    return shlex.join([*COMMAND.name.split(), *COMMAND.words_of(shown)])


def _mix(said: SetFlags, seed: int) -> TrainingMix | None:
    """The mix that the flags describe, None for none; raises ConfigError for flags that have no effect."""
    if not said.mix:
        if unused := COMMAND.given(each.flag for each in flag_fields(MixFlags)):
            raise ConfigError(f"--{unused[0]} has no effect without --mix")
        return None
    if said.training:
        raise ConfigError("--training is for the split `train`, which --mix replaces")
    mix = COMMAND.values(MixFlags)
    return TrainingMix(
        size=said.mix,
        interesting=mix.tom_stories / 2 if mix.interesting is None else mix.interesting,
        tom_stories=mix.tom_stories,
        per_story=mix.per_story,
        set_shares=_shares("set_shares", mix.set_shares),
        told=mix.told_share,
        seed=seed,
    )


_Stories: TypeAlias = Iterable[SourceStory]


def _stories(plan: ExportPlan, said: StoryFlags) -> tuple[_Stories, Mapping[str, _Stories]]:
    """The stories to write, and for a mix those to train on by action set, which are then not among the first."""
    if said.source:
        stories = _stories_of_file(plan, said.source, said.told)
        if not plan.mix:
            return stories, {}
        by_use = grouped((plan.split_of(story.split_by) == TRAIN, story) for story in stories)
        return by_use.get(False, []), grouped((story.action_set, story) for story in by_use.get(True, []))
    if said.told:
        raise ConfigError("--told is for the stories of --from")
    sees_contents, lists = plan.sees_contents, read_cast(said.cast)
    patterns = said.action_sets or (["a?"] if plan.mix else ["a*"])
    action_sets = [ACTION_SETS[name] for name in find_action_sets(patterns)]
    seeds: Collection[int] = range(said.seed, said.seed + said.stories)
    training: Mapping[str, _Stories] = {}
    if plan.mix:
        to_train = [seed for seed in seeds if plan.split_of(seed) == TRAIN]
        seeds = [seed for seed in seeds if plan.split_of(seed) != TRAIN]
        training = {
            each.name: drawn_stories([each], to_train, lists, sees_contents=sees_contents) for each in action_sets
        }
    return drawn_stories(action_sets, seeds, lists, sees_contents=sees_contents), training


def _stories_of_file(plan: ExportPlan, source: Path, told: Path | None) -> _Stories:
    COMMAND.refuse(_DRAWING, "the stories are those of --from")
    return stories_in(source, sees_contents=plan.sees_contents, told=told_texts(told) if told else None)


def _shares(flag: str, given: Sequence[str]) -> Mapping[str, int]:
    """The shares that a flag gives by name; raises ConfigError for anything but `name:share`."""
    shares: dict[str, int] = {}
    for text in given:
        name, _, share = text.partition(":")
        is_valid = name.isidentifier() and name.isascii() and share.isdecimal() and int(share) >= 1
        if not is_valid or name in shares:
            raise ConfigError(f"--{flag}={','.join(given)}: say names with shares from 1, such as {_EXAMPLES[flag]}")
        shares[name] = int(share)
    return shares


_EXAMPLES = {"splits": "train:8,test:2", "set_shares": "a1:2,a4:3"}


def _splits(given: Sequence[str]) -> Mapping[str, int]:
    """The shares of the splits; raises ConfigError for none."""
    shares = _shares("splits", given)
    if not shares:
        raise ConfigError("--splits: say at least one, such as test:1")
    return shares
