"""`hm-agent export exploretom`: the flags, and what they write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.config import ConfigError
from hm_agent.world_flags import WorldFlags
from hm_agent.worlds.exploretom.cast import read_cast
from hm_agent.worlds.exploretom.datasets.export import ExportPlan, export
from hm_agent.worlds.exploretom.datasets.making import SourceStory, drawn_stories, stories_in
from hm_agent.worlds.exploretom.sampling import ACTION_SETS, ActionSet
from hm_agent.worlds.exploretom.suite import HIDDEN, SEEN

FLAGS = WorldFlags("hm-agent export exploretom")
_HERE: dict[str, Any] = {"flag_values": FLAGS.values}
FLAGS.add(
    flags.DEFINE_list("action_sets", ["a*"], "Action sets by name or glob, with commas.", **_HERE),
    flags.DEFINE_integer("stories", 10, "How many stories of each action set.", lower_bound=1, **_HERE),
    flags.DEFINE_integer("seed", 0, "The seed of the first story; the others follow.", lower_bound=0, **_HERE),
    flags.DEFINE_string("from", None, "A file of stories, JSON lines, instead of drawn ones.", **_HERE),
    flags.DEFINE_string("cast", None, "A file of names, rooms, objects and topics.", **_HERE),
    flags.DEFINE_enum(
        "contents", HIDDEN, [HIDDEN, SEEN], "Whether who enters a room sees what its containers hold.", **_HERE
    ),
    flags.DEFINE_list(
        "splits", ["train:8", "validation:1", "test:1"], "Splits with their shares, by seed, with commas.", **_HERE
    ),
    flags.DEFINE_bool("training", False, "Also prompts with replies, with and without reasons, of `train`.", **_HERE),
    flags.DEFINE_bool("parquet", False, "Also each file as Parquet; needs the extra hm_agent[parquet].", **_HERE),
    flags.DEFINE_string("out", None, "The folder to write to; it holds no data set yet.", **_HERE),
    flags.DEFINE_string("name", None, "What the card calls the set; the folder's name unless said.", **_HERE),
)

USAGE = """Writes stories with their questions and answers as a data set.

    hm-agent export exploretom --action_sets=a1,a5_asymmetric --stories=100 --out=sets/moves
    hm-agent export exploretom --from=runs/search/stories.jsonl --splits=test:1 --out=sets/hard
    hm-agent export exploretom --stories=1000 --training --parquet --out=sets/all

OUT gets <config>/<split>.jsonl, README.md (the card), eval.yaml for Hugging Face and inspect_ai, and lm_eval/ for
lm-evaluation-harness. docs/exploretom_datasets.md describes all of them.
"""


def main(arguments: Sequence[str]) -> int:
    """Runs one command line; returns the exit status. Raises ConfigError for one that makes no sense."""
    if FLAGS.parse(arguments):
        raise ConfigError(f"unexpected argument {FLAGS.rest[0]!r}: all options are --flags; see --help")
    if FLAGS.wants_help:
        print(FLAGS.help(USAGE))
        return 0
    if not FLAGS.get("out"):
        raise ConfigError("say where to: --out=FOLDER")
    if FLAGS.get("parquet") and find_spec("pyarrow") is None:
        raise ConfigError("pyarrow is not installed: pip install 'hm_agent[parquet]'")
    out = Path(FLAGS.get("out"))
    plan = ExportPlan(
        out=out,
        name=FLAGS.get("name") or out.name,
        splits=_splits(FLAGS.get("splits")),
        command=FLAGS.typed(without=("out", "name")),
        sees_contents=FLAGS.get("contents") == SEEN,
        has_training=FLAGS.get("training"),
        has_parquet=FLAGS.get("parquet"),
    )
    counts = export(_stories(), plan)
    for name, lines in counts.lines.items():
        print(f"{out / name}: {lines:,} lines")
    print(f"{counts.stories:,} stories; the card: {out / 'README.md'}")
    return 0


def _stories() -> Iterable[SourceStory]:
    sees_contents = FLAGS.get("contents") == SEEN
    if FLAGS.get("from"):
        return stories_in(Path(FLAGS.get("from")), sees_contents=sees_contents)
    first = FLAGS.get("seed")
    lists = read_cast(Path(FLAGS.get("cast")) if FLAGS.get("cast") else None)
    seeds = range(first, first + FLAGS.get("stories"))
    return drawn_stories(_action_sets(FLAGS.get("action_sets")), seeds, lists, sees_contents=sees_contents)


def _action_sets(patterns: Sequence[str]) -> list[ActionSet]:
    """The action sets that names or globs stand for, each once; ConfigError for a pattern without any."""
    found: dict[str, ActionSet] = {}
    for pattern in patterns:
        matching = {name: one for name, one in ACTION_SETS.items() if fnmatchcase(name, pattern)}
        if not matching:
            raise ConfigError(f"unknown action set {pattern!r}: there are {', '.join(ACTION_SETS)}")
        found |= matching
    return list(found.values())


def _splits(given: Sequence[str]) -> Mapping[str, int]:
    """Shares by name; ConfigError for what is not `name:share`."""
    found: dict[str, int] = {}
    for one in given:
        name, _, share = one.partition(":")
        if not (name.isidentifier() and name.isascii() and share.isdecimal() and int(share) >= 1) or name in found:
            raise ConfigError(f"--splits={','.join(given)}: say names with shares from 1, such as train:8,test:2")
        found[name] = int(share)
    if not found:
        raise ConfigError("--splits: say at least one, such as test:1")
    return found
