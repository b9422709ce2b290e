"""`hm-agent export exploretom`: the flags, and the export that they describe."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.command_flags import help_text, read_flags
from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.datasets.export import export
from hm_agent.worlds.exploretom.datasets.export_plan import ExportPlan
from hm_agent.worlds.exploretom.datasets.making import SourceStory, drawn_stories, stories_in, told_texts
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, find_action_sets
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.suite import HIDDEN, SEEN

FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_HERE: dict[str, Any] = {"flag_values": FLAGS}
_FLAGS = (
    flags.DEFINE_list("action_sets", ["a*"], "Action sets by name or glob, with commas.", **_HERE),
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
        splits=_splits(_flag("splits")),
        command=_command_line(),
        sees_contents=_flag("contents") == SEEN,
        has_training=_flag("training"),
        has_parquet=_flag("parquet"),
    )
    counts = export(_stories(), plan)
    for name, lines in counts.lines.items():
        print(f"{out / name}: {lines:,} lines")
    print(f"{counts.stories:,} stories; the card: {out / 'README.md'}")
    return 0


def _stories() -> Iterable[SourceStory]:
    sees_contents = _flag("contents") == SEEN
    if _flag("from"):
        if unused := [name for name in _DRAWING if FLAGS[name].present]:
            raise ConfigError(f"--{unused[0]} has no effect: the stories are those of --from")
        told = told_texts(Path(_flag("told"))) if _flag("told") else None
        return stories_in(Path(_flag("from")), sees_contents=sees_contents, told=told)
    if _flag("told"):
        raise ConfigError("--told is for the stories of --from")
    first = _flag("seed")
    lists = read_cast(Path(_flag("cast")) if _flag("cast") else None)
    seeds = range(first, first + _flag("stories"))
    action_sets = [ACTION_SETS[name] for name in find_action_sets(_flag("action_sets"))]
    return drawn_stories(action_sets, seeds, lists, sees_contents=sees_contents)


def _splits(given: Sequence[str]) -> Mapping[str, int]:
    """The shares of splits by name; raises ConfigError for anything but `name:share`, and for none."""
    shares: dict[str, int] = {}
    for split in given:
        name, _, share = split.partition(":")
        if not (name.isidentifier() and name.isascii() and share.isdecimal() and int(share) >= 1) or name in shares:
            raise ConfigError(f"--splits={','.join(given)}: say names with shares from 1, such as train:8,test:2")
        shares[name] = int(share)
    if not shares:
        raise ConfigError("--splits: say at least one, such as test:1")
    return shares
