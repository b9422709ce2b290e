"""`hm-agent export exploretom`: the flags, and the export that they describe."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from absl import flags

from hm_agent.command_flags import help_text, read_flags
from hm_agent.config import ConfigError
from hm_agent.grouping import grouped
from hm_agent.process.folder_lock import locked
from hm_agent.worlds.exploretom.datasets.export import export
from hm_agent.worlds.exploretom.datasets.export_plan import TRAIN, ExportPlan
from hm_agent.worlds.exploretom.datasets.making import SourceStory, drawn_stories, stories_in, told_texts
from hm_agent.worlds.exploretom.datasets.training_mix import TrainingMix
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, find_action_sets
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.suite import HIDDEN, SEEN

FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_HERE: dict[str, Any] = {"flag_values": FLAGS}
_MIX_FLAGS = (
    flags.DEFINE_float(
        "interesting",
        None,
        "The mix's share of interesting questions; half of --tom_stories unless said.",
        lower_bound=0,
        upper_bound=1,
        **_HERE,
    ),
    flags.DEFINE_float(
        "tom_stories",
        1.0,
        "The mix's share of stories that require theory of mind: those with interesting questions.",
        lower_bound=0,
        upper_bound=1,
        **_HERE,
    ),
    flags.DEFINE_integer("per_story", 4, "The most questions of a story in the mix.", lower_bound=1, **_HERE),
    flags.DEFINE_list(
        "set_shares",
        [],
        "Action sets with their shares in the mix, with commas, such as a1:2,a4:3; 1 for the others.",
        **_HERE,
    ),
    flags.DEFINE_float(
        "told_share",
        0.5,
        "Of the mix's stories that a language model has told, the share asked about as told.",
        lower_bound=0,
        upper_bound=1,
        **_HERE,
    ),
)
"""The flags that concern the mix alone."""
_FLAGS = (
    flags.DEFINE_list("action_sets", None, "Action sets by name or glob, with commas; a1 to a9 for a mix.", **_HERE),
    flags.DEFINE_integer("stories", 10, "How many stories of each action set.", lower_bound=1, **_HERE),
    flags.DEFINE_integer("seed", 0, "The seed of the first story; the others follow.", lower_bound=0, **_HERE),
    flags.DEFINE_string("from", None, "A file of stories, JSON lines, to export instead of drawn ones.", **_HERE),
    flags.DEFINE_string(
        "told", None, "The stories of --from as told by a language model: a file of JSON lines.", **_HERE
    ),
    flags.DEFINE_string("cast", None, "A file of names, rooms, objects and topics.", **_HERE),
    flags.DEFINE_enum(
        "contents", HIDDEN, [HIDDEN, SEEN], "Whether entering a room shows what its containers hold.", **_HERE
    ),
    flags.DEFINE_list(
        "splits",
        ["train:8", "validation:1", "test:1"],
        "Splits with their shares, with commas; the seed or line of a story decides on its split.",
        **_HERE,
    ),
    flags.DEFINE_bool(
        "training", False, "Also write prompts with replies, with and without reasons, from `train`.", **_HERE
    ),
    flags.DEFINE_integer(
        "mix",
        None,
        "Write so many training questions in chat form, mixed as the next flags say, in place of `train`.",
        lower_bound=1,
        **_HERE,
    ),
    *_MIX_FLAGS,
    flags.DEFINE_bool("parquet", False, "Also write each file as Parquet; needs the extra hm_agent[parquet].", **_HERE),
    flags.DEFINE_string("out", None, "The folder to write to; it holds no data set yet.", **_HERE),
    flags.DEFINE_string("name", None, "The name of the set on its card; the folder's name unless said.", **_HERE),
    flags.DEFINE_bool("help", False, "Show this help, and end.", **_HERE),
)

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


def _flag(name: str) -> Any:
    return FLAGS[name].value


def _command_line() -> str:
    """The command line as the card shows it, without the folder and name of the set."""
    shown_flags = [FLAGS[holder.name] for holder in _FLAGS if holder.name not in ("out", "name")]
    words = [flag.serialize() for flag in shown_flags if flag.present]
    return shlex.join(["hm-agent", "export", "exploretom", *words])


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for invalid flags."""
    read_flags(FLAGS, ("hm-agent export exploretom", *arguments))
    if _flag("help"):
        print(help_text(USAGE, {"Flags": _FLAGS}, FLAGS))
        return 0
    if not _flag("out"):
        raise ConfigError("name the folder to write to: --out=FOLDER")
    if _flag("parquet") and find_spec("pyarrow") is None:
        raise ConfigError("pyarrow is not installed: pip install 'hm_agent[parquet]'")
    out = Path(_flag("out"))
    plan = ExportPlan(
        out=out,
        name=_flag("name") or out.resolve().name,
        splits=_splits(),
        command=_command_line(),
        sees_contents=_flag("contents") == SEEN,
        has_training=_flag("training"),
        mix=_mix(),
        has_parquet=_flag("parquet"),
    )
    evaluated, training = _stories(plan)
    with locked(out):
        counts = export(evaluated, plan, training)
    for name, lines in counts.lines.items():
        print(f"{out / name}: {lines:,} lines")
    mixed = sum(part.stories for part in counts.mixed)
    print(f"{counts.stories + mixed:,} stories; the card: {out / 'README.md'}")
    return 0


def _mix() -> TrainingMix | None:
    """The mix that the flags describe, None for none; raises ConfigError for flags that have no effect."""
    if not _flag("mix"):
        if unused := [flag.name for flag in _MIX_FLAGS if FLAGS[flag.name].present]:
            raise ConfigError(f"--{unused[0]} has no effect without --mix")
        return None
    if _flag("training"):
        raise ConfigError("--training is for the split `train`, which --mix replaces")
    return TrainingMix(
        size=_flag("mix"),
        interesting=_flag("tom_stories") / 2 if _flag("interesting") is None else _flag("interesting"),
        tom_stories=_flag("tom_stories"),
        per_story=_flag("per_story"),
        set_shares=_shares("set_shares"),
        told=_flag("told_share"),
        seed=_flag("seed"),
    )


_Stories: TypeAlias = Iterable[SourceStory]


def _stories(plan: ExportPlan) -> tuple[_Stories, Mapping[str, _Stories]]:
    """The stories to write, and for a mix those to train on by action set, which are then not among the first."""
    if _flag("from"):
        stories = _stories_of_file(plan)
        if not plan.mix:
            return stories, {}
        by_use = grouped((plan.split_of(story.split_by) == TRAIN, story) for story in stories)
        return by_use.get(False, []), grouped((story.action_set, story) for story in by_use.get(True, []))
    if _flag("told"):
        raise ConfigError("--told is for the stories of --from")
    first, sees_contents = _flag("seed"), plan.sees_contents
    lists = read_cast(Path(_flag("cast")) if _flag("cast") else None)
    patterns = _flag("action_sets") or (["a?"] if plan.mix else ["a*"])
    action_sets = [ACTION_SETS[name] for name in find_action_sets(patterns)]
    seeds: Collection[int] = range(first, first + _flag("stories"))
    training: Mapping[str, _Stories] = {}
    if plan.mix:
        to_train = [seed for seed in seeds if plan.split_of(seed) == TRAIN]
        seeds = [seed for seed in seeds if plan.split_of(seed) != TRAIN]
        training = {
            each.name: drawn_stories([each], to_train, lists, sees_contents=sees_contents) for each in action_sets
        }
    return drawn_stories(action_sets, seeds, lists, sees_contents=sees_contents), training


def _stories_of_file(plan: ExportPlan) -> _Stories:
    if unused := [name for name in _DRAWING if FLAGS[name].present]:
        raise ConfigError(f"--{unused[0]} has no effect: the stories are those of --from")
    told = told_texts(Path(_flag("told"))) if _flag("told") else None
    return stories_in(Path(_flag("from")), sees_contents=plan.sees_contents, told=told)


def _shares(flag: str) -> Mapping[str, int]:
    """The shares that a flag gives by name; raises ConfigError for anything but `name:share`."""
    shares: dict[str, int] = {}
    for given in _flag(flag):
        name, _, share = given.partition(":")
        is_valid = name.isidentifier() and name.isascii() and share.isdecimal() and int(share) >= 1
        if not is_valid or name in shares:
            raise ConfigError(
                f"--{flag}={','.join(_flag(flag))}: say names with shares from 1, such as {_EXAMPLES[flag]}"
            )
        shares[name] = int(share)
    return shares


_EXAMPLES = {"splits": "train:8,test:2", "set_shares": "a1:2,a4:3"}


def _splits() -> Mapping[str, int]:
    """The shares of the splits; raises ConfigError for none."""
    shares = _shares("splits")
    if not shares:
        raise ConfigError("--splits: say at least one, such as test:1")
    return shares
