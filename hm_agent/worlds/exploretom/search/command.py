"""`hm-agent generate exploretom`: the flags, the search, and a line for whatever stopped it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.command_flags import help_text, read_flags
from hm_agent.config import ConfigError
from hm_agent.models.flags import ModelFlags
from hm_agent.models.providers import ModelPool
from hm_agent.process.exit_status import FAILED, INTERRUPTED, NO_MODEL, complain
from hm_agent.process.folder_lock import locked
from hm_agent.process.interruptions import run_interruptibly, told_of_interruptions
from hm_agent.process.job_runner import JobRunner
from hm_agent.process.output import output_console
from hm_agent.questions import ModelUnavailable
from hm_agent.row_file import Row, RowFile, check_identity
from hm_agent.wording import bill
from hm_agent.worlds.exploretom.infilling import FIRST_TRY, PLAIN, RETOLD
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, WALKS, ActionKind, find_action_sets
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.story_conditions import MAX_ACTIONS
from hm_agent.worlds.exploretom.readers.readers import MODEL_READERS, WEAK_RULES
from hm_agent.worlds.exploretom.search.live_table import LiveTable
from hm_agent.worlds.exploretom.search.methods import METHODS, SearchSettings
from hm_agent.worlds.exploretom.search.plan import SearchPlan, Writers, find_kinds
from hm_agent.worlds.exploretom.search.running import search_jobs, telling_jobs

NAME = "hm-agent generate exploretom"
STORIES, IDENTITY, ANSWERS = "stories.jsonl", "search.json", "answers.sqlite"
STORY_KEYS = ("action_set", "seed", "accuracy", "story", "text")
"""The keys that each row of stories.jsonl must have."""
TOLD, TOLD_IDENTITY = "told.jsonl", "told.json"
TOLD_KEYS = (FIRST_TRY, RETOLD, PLAIN, "is_told")
"""The keys that each row of told.jsonl must have."""
FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_HERE: dict[str, Any] = {"flag_values": FLAGS}
_WHAT = (
    flags.DEFINE_list(
        "action_sets", ["all"], "Action sets by name or glob, with commas: a1 to a9, a1_asymmetric, all.", **_HERE
    ),
    flags.DEFINE_integer("stories", 9, "How many stories for each action set.", lower_bound=1, **_HERE),
    flags.DEFINE_enum(
        "reader", "reader", [*MODEL_READERS, *WEAK_RULES], "The reader that should find them hard.", **_HERE
    ),
    flags.DEFINE_enum("method", "a_star", list(METHODS), "How to search; all methods cost the same.", **_HERE),
    flags.DEFINE_integer(
        "evaluations",
        50,
        "How many stories, or beginnings, the reader is asked about for each story to find.",
        lower_bound=1,
        **_HERE,
    ),
    flags.DEFINE_list("orders", ["1"], "Orders of the questions that count, with commas: 0, 1, 2.", **_HERE),
    flags.DEFINE_integer("seed", 0, "The seed of all random draws.", **_HERE),
)
_CONDITIONS = (
    flags.DEFINE_list(
        "people",
        ["2", "3", "4"],
        "How many people, with commas; the stories go through all pairs of this and --important.",
        **_HERE,
    ),
    flags.DEFINE_list("important", ["2", "3", "4"], "How many important actions, with commas; see --people.", **_HERE),
    flags.DEFINE_list(
        "rooms", ["1", "2"], "How many rooms, with commas; one of these is drawn for each story.", **_HERE
    ),
    flags.DEFINE_integer("max_actions", MAX_ACTIONS, "The most actions of a story.", lower_bound=1, **_HERE),
    flags.DEFINE_list(
        "must_have",
        [],
        "Kinds of actions, at least one of which each story has: move, carry, change, tell, announce, chat, discuss; "
        "the action set's own unless said.",
        **_HERE,
    ),
    flags.DEFINE_integer(
        "false_beliefs",
        0,
        "The least number of first-order questions whose answer is a false belief.",
        lower_bound=0,
        **_HERE,
    ),
    flags.DEFINE_enum(
        "contents", "hidden", ["hidden", "seen"], "Whether entering a room shows what containers hold.", **_HERE
    ),
    flags.DEFINE_string("cast", None, "A file of names, rooms, objects and topics.", **_HERE),
)
_TELLING = (
    flags.DEFINE_bool("infill", False, "Also have a model tell each story, action by action (infilling).", **_HERE),
    flags.DEFINE_string("teller", None, "The model that tells the stories; --model unless said.", **_HERE),
    flags.DEFINE_string("judge", None, "The model that checks each telling; the teller unless said.", **_HERE),
)
_WHERE = (
    flags.DEFINE_string("out", "runs/generate", "The folder to write to; a search that is in it goes on.", **_HERE),
    flags.DEFINE_integer(
        "workers", 16, "How many stories to search at once, with one model call each at a time.", lower_bound=1, **_HERE
    ),
)
_HELP = (flags.DEFINE_bool("help", False, "Show this help, and end.", **_HERE),)
MODEL_FLAGS = ModelFlags(FLAGS, "answers the questions about stories")
GROUPS = {
    "What to find": _WHAT,
    "What stories must have": _CONDITIONS,
    "How to tell them": _TELLING,
    "Where": _WHERE,
    **MODEL_FLAGS.groups,
    "Help": _HELP,
}
USAGE = """Searches stories that a reader finds hard, by A* as in ExploreToM.

    hm-agent generate exploretom --model=gpt-4o --action_sets=a1,a6_asymmetric --stories=90 --out=runs/hard
    hm-agent generate exploretom --model=local:smollm2 --action_sets=a3 --stories=3
    hm-agent generate exploretom --reader=reality --action_sets=all --method=random

OUT has stories.jsonl (a line for each story), search.json (what they have in common) and answers.sqlite (all answers of
the model, unless --cache names another file). The same command again goes on where it was cut short and pays for no
answer twice; more --stories or --action_sets add to OUT. With --infill it has told.jsonl, too: each story in the words
of a model, sentence by sentence, with the tries that each took."""


def _flag(name: str) -> Any:
    return FLAGS[name].value


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for invalid flags."""
    read_flags(FLAGS, (NAME, *arguments))
    if _flag("help"):
        print(help_text(USAGE, GROUPS, FLAGS))
        return 0
    if not _flag("infill") and (unused := [name for name in ("teller", "judge") if FLAGS[name].present]):
        raise ConfigError(f"--{unused[0]} has no effect: stories are told with --infill")
    plan = plan_from_flags()
    teller = _flag("teller") or plan.model.name
    writers = Writers(teller, _flag("judge") or teller) if _flag("infill") else None
    return run(plan, Path(_flag("out")), _flag("workers"), writers)


def plan_from_flags() -> SearchPlan:
    """The plan that the flags describe."""
    cast = _flag("cast")
    if cast is not None and not Path(cast).is_file():
        raise ConfigError(f"--cast={cast}: there is no such file")
    action_sets = find_action_sets(_flag("action_sets"))
    return SearchPlan(
        action_sets=action_sets,
        stories=_flag("stories"),
        lists=read_cast(Path(cast) if cast else None),
        model=MODEL_FLAGS.settings(),
        reader=_flag("reader"),
        method=_flag("method"),
        seed=_flag("seed"),
        orders=_numbers("orders", 0, 2),
        people=_numbers("people", 1, 8),
        important=_numbers("important", 1, MAX_ACTIONS),
        rooms=_numbers("rooms", 1, 8),
        max_actions=_flag("max_actions"),
        must_have=_must_have(action_sets),
        false_beliefs=_flag("false_beliefs"),
        sees_contents=_flag("contents") == "seen",
        settings=SearchSettings(evaluations=_flag("evaluations")),
    )


def _must_have(action_sets: Sequence[str]) -> tuple[ActionKind, ...]:
    """The kinds of --must_have; raises ConfigError if the stories of an action set have actions of none of them."""
    kinds, asked = find_kinds(_flag("must_have")), ",".join(_flag("must_have"))
    for name in action_sets if kinds else ():
        if not set(kinds).intersection(ACTION_SETS[name].kinds):
            there = ", ".join(kind.name.lower() for kind in ACTION_SETS[name].kinds if kind not in WALKS)
            raise ConfigError(f"--must_have={asked}: no story of the action set {name} has one; it has {there}")
    return kinds


def _numbers(flag: str, least: int, most: int) -> tuple[int, ...]:
    """Reads a flag's whole numbers within bounds, each once; raises ConfigError for any others, and for none."""
    texts = _flag(flag)
    if not texts or not all(text.isdecimal() and least <= int(text) <= most for text in texts):
        raise ConfigError(f"--{flag}={','.join(texts)}: say numbers from {least} to {most}, with commas")
    return tuple(dict.fromkeys(map(int, texts)))


def run(plan: SearchPlan, out: Path, workers: int, writers: Writers | None = None) -> int:
    """Searches the stories that OUT lacks, has them told if there are writers, and returns the exit status.

    Raises ConfigError, and OSError if files can't be written.
    """
    plan.check()
    settings = plan.model if plan.model.cache else replace(plan.model, cache=out / ANSWERS)
    models = ModelPool(settings)
    with closing(models), told_of_interruptions(models.hurry), locked(out):
        models.check([plan.model.name] if plan.asks_model else [])
        check_identity(out / IDENTITY, plan.identity, RowFile(out / STORIES, STORY_KEYS))
        status = _report_stops(lambda: _search(plan, out, workers, models), out)
        if writers and not status:
            models.check(dict.fromkeys((writers.teller, writers.judge)))
            check_identity(out / TOLD_IDENTITY, asdict(writers), RowFile(out / TOLD, TOLD_KEYS))
            status = _report_stops(lambda: _tell(plan, out, workers, models, writers), out)
    return status


def _report_stops(act: Callable[[], int], out: Path) -> int:
    """Runs a part of the command and returns its exit status; if a model or the user stops it, says so."""
    try:
        return act()
    except ModelUnavailable as error:
        return complain(NAME, f"{error.status}: {' '.join(str(error).split())}; what was done is in {out}", NO_MODEL)
    except KeyboardInterrupt:
        return complain(NAME, f"interrupted; what was done is in {out}", INTERRUPTED)


def _search(plan: SearchPlan, out: Path, workers: int, models: ModelPool) -> int:
    """Searches the stories of the plan; returns the exit status."""
    stories, console = RowFile(out / STORIES, STORY_KEYS), output_console()
    table = LiveTable(console, plan, stories.rows.values())
    try:
        with table:
            run_interruptibly(lambda: JobRunner(workers).do(search_jobs(plan, stories, models, table)))
    finally:
        stories.sort()
        console.print(table.table())
        console.out(f"Stories: {stories.path}{bill(table.usage)}", highlight=False)
    missing = sum(name not in stories.rows for name in _story_ids(plan))
    if missing:
        return complain(NAME, f"{missing} stories were not found: no story that was drawn meets the conditions", FAILED)
    return 0


def _tell(plan: SearchPlan, out: Path, workers: int, models: ModelPool, writers: Writers) -> int:
    """Has the stories of the plan told; returns the exit status."""
    stories, told, console = (
        RowFile(out / STORIES, STORY_KEYS),
        RowFile(out / TOLD, TOLD_KEYS),
        output_console(),
    )
    due = [stories.rows[name] for name in _story_ids(plan)]

    def report(row: Row) -> None:
        console.out(f"{row['id']} told: {_tries_words(row)} ({len(told.rows)} of {len(due)} stories)", highlight=False)

    try:
        run_interruptibly(lambda: JobRunner(workers).do(telling_jobs(due, told, writers, models, report)))
    finally:
        told.sort()
    rows = [told.rows[name] for name in _story_ids(plan)]
    totals = {how: sum(row[how] for row in rows) for how in (FIRST_TRY, RETOLD, PLAIN)}
    console.out(
        f"Told: {_tries_words(totals)}; "
        f"{sum(row['is_told'] for row in rows)} of {len(rows)} stories have no plain sentence: {told.path}",
        highlight=False,
    )
    return 0


def _tries_words(counts: Row) -> str:
    """How many actions were told at which try."""
    first, later, plain = (counts[how] for how in (FIRST_TRY, RETOLD, PLAIN))
    return f"{first} actions at the first try, {later} at a later one, {plain} by the plain sentence"


def _story_ids(plan: SearchPlan) -> list[str]:
    return [name for task in plan.tasks() for name in task.names]
