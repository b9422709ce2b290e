"""`hm-agent generate exploretom`: the flags, the search, and a line for whatever stopped it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hm_agent.catalogue.world_command import WorldCommand, asked_models
from hm_agent.config import ConfigError, existing_file
from hm_agent.flags.fields import flag_field, whole_numbers
from hm_agent.models.providers import ModelPool
from hm_agent.process.exit_status import FAILED
from hm_agent.process.interruptions import run_interruptibly
from hm_agent.process.job_runner import JobRunner
from hm_agent.process.output import output_console
from hm_agent.storage.folder_lock import locked
from hm_agent.storage.row_file import Row, RowFile, check_identity
from hm_agent.wording import bill
from hm_agent.worlds.exploretom.infilling import FIRST_TRY, PLAIN, RETOLD
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, WALKS, ActionKind, find_action_sets
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import MAX_ACTIONS
from hm_agent.worlds.exploretom.readers.readers import MODEL_READERS, WEAK_RULES
from hm_agent.worlds.exploretom.search.live_table import LiveTable
from hm_agent.worlds.exploretom.search.methods import METHODS, SearchSettings
from hm_agent.worlds.exploretom.search.plan import SearchPlan, Writers, find_kinds
from hm_agent.worlds.exploretom.search.running import search_jobs, telling_jobs

STORIES, IDENTITY, ANSWERS = "stories.jsonl", "search.json", "answers.sqlite"
STORY_KEYS = ("action_set", "seed", "accuracy", "story", "text")
"""The keys that each row of stories.jsonl must have."""
TOLD, TOLD_IDENTITY = "told.jsonl", "told.json"
TOLD_KEYS = (FIRST_TRY, RETOLD, PLAIN, "is_told")
"""The keys that each row of told.jsonl must have."""
USAGE = """Searches stories that a reader finds hard, by A* as in ExploreToM.

    hm-agent generate exploretom --model=gpt-4o --action_sets=a1,a6_asymmetric --stories=90 --out=runs/hard
    hm-agent generate exploretom --model=local:smollm2 --action_sets=a3 --stories=3
    hm-agent generate exploretom --reader=reality --action_sets=all --method=random

OUT has stories.jsonl (a line for each story), search.json (what they have in common) and answers.sqlite (all answers of
the model, unless --cache names another file). The same command again goes on where it was cut short and pays for no
answer twice; more --stories or --action_sets add to OUT. With --infill it has told.jsonl, too: each story in the words
of a model, sentence by sentence, with the tries that each took."""


@dataclass(frozen=True)
class SearchFlags:
    action_sets: tuple[str, ...] = flag_field(
        ("all",), "Action sets by name or glob, with commas: a1 to a9, a1_asymmetric, all."
    )
    stories: int = flag_field(9, "How many stories for each action set.", lower=1)
    reader: str = flag_field("reader", "The reader that should find them hard.", choices=(*MODEL_READERS, *WEAK_RULES))
    method: str = flag_field("a_star", "How to search; all methods cost the same.", choices=METHODS)
    evaluations: int = flag_field(
        50, "How many stories, or beginnings, the reader is asked about for each story to find.", lower=1
    )
    orders: tuple[str, ...] = flag_field(("1",), "Orders of the questions that count, with commas: 0, 1, 2.")
    seed: int = flag_field(0, "The seed of all random draws.")


@dataclass(frozen=True)
class ConditionFlags:
    people: tuple[str, ...] = flag_field(
        ("2", "3", "4"), "How many people, with commas; the stories go through all pairs of this and --important."
    )
    important: tuple[str, ...] = flag_field(("2", "3", "4"), "How many important actions, with commas; see --people.")
    rooms: tuple[str, ...] = flag_field(
        ("1", "2"), "How many rooms, with commas; one of these is drawn for each story."
    )
    max_actions: int = flag_field(MAX_ACTIONS, "The most actions of a story.", lower=1)
    must_have: tuple[str, ...] = flag_field(
        (),
        "Kinds of actions, at least one of which each story has: move, carry, change, tell, announce, chat, discuss; "
        "the action set's own unless said.",
    )
    false_beliefs: int = flag_field(
        0, "The least number of first-order questions whose answer is a false belief.", lower=0
    )
    contents: str = flag_field(
        "hidden", "Whether entering a room shows what containers hold.", choices=("hidden", "seen")
    )
    cast: Path | None = flag_field(None, "A file of names, rooms, objects and topics.")


@dataclass(frozen=True)
class TellingFlags:
    infill: bool = flag_field(False, "Also have a model tell each story, action by action (infilling).")
    teller: str | None = flag_field(None, "The model that tells the stories; --model unless said.")
    judge: str | None = flag_field(None, "The model that checks each telling; the teller unless said.")


@dataclass(frozen=True)
class SearchPlace:
    out: Path = flag_field("runs/generate", "The folder to write to; a search that is in it goes on.")
    workers: int = flag_field(16, "How many stories to search at once, with one model call each at a time.", lower=1)


COMMAND = WorldCommand(
    "hm-agent generate exploretom",
    USAGE,
    {
        "What to find": SearchFlags,
        "What stories must have": ConditionFlags,
        "How to tell them": TellingFlags,
        "Where": SearchPlace,
    },
    asks="answers the questions about stories",
)


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for invalid flags."""
    if COMMAND.read(arguments) is None:
        return 0
    telling, place = COMMAND.values(TellingFlags), COMMAND.values(SearchPlace)
    if not telling.infill:
        COMMAND.refuse(("teller", "judge"), "stories are told with --infill")
    plan = plan_from_flags()
    teller = telling.teller or plan.model.name
    writers = Writers(teller, telling.judge or teller) if telling.infill else None
    return run(plan, place.out, place.workers, writers)


def plan_from_flags() -> SearchPlan:
    what, conditions = COMMAND.values(SearchFlags), COMMAND.values(ConditionFlags)
    action_sets = find_action_sets(what.action_sets)
    return SearchPlan(
        action_sets=action_sets,
        stories=what.stories,
        lists=read_cast(existing_file("cast", conditions.cast)),
        model=COMMAND.model(),
        reader=what.reader,
        method=what.method,
        seed=what.seed,
        orders=whole_numbers("orders", what.orders, 0, 2),
        people=whole_numbers("people", conditions.people, 1, 8),
        important=whole_numbers("important", conditions.important, 1, MAX_ACTIONS),
        rooms=whole_numbers("rooms", conditions.rooms, 1, 8),
        max_actions=conditions.max_actions,
        must_have=_must_have(action_sets, conditions.must_have),
        false_beliefs=conditions.false_beliefs,
        sees_contents=conditions.contents == "seen",
        settings=SearchSettings(evaluations=what.evaluations),
    )


def _must_have(action_sets: Sequence[str], names: Sequence[str]) -> tuple[ActionKind, ...]:
    """The kinds of --must_have; raises ConfigError if the stories of an action set have actions of none of them."""
    kinds, asked = find_kinds(names), ",".join(names)
    for name in action_sets if kinds else ():
        if not set(kinds).intersection(ACTION_SETS[name].kinds):
            there = ", ".join(kind.name.lower() for kind in ACTION_SETS[name].kinds if kind not in WALKS)
            raise ConfigError(f"--must_have={asked}: no story of the action set {name} has one; it has {there}")
    return kinds


def run(plan: SearchPlan, out: Path, workers: int, writers: Writers | None = None) -> int:
    """Searches the stories that OUT lacks, has them told if there are writers, and returns the exit status.

    Raises ConfigError, and OSError if files can't be written.
    """
    plan.check()
    left = f"what was done is in {out}"
    with asked_models(plan.model, out / ANSWERS) as models, locked(out):
        models.check([plan.model.name] if plan.asks_model else [])
        check_identity(out / IDENTITY, plan.identity, RowFile(out / STORIES, STORY_KEYS))
        status = COMMAND.until_stopped(lambda: _search(plan, out, workers, models), left)
        if writers and not status:
            models.check(dict.fromkeys((writers.teller, writers.judge)))
            check_identity(out / TOLD_IDENTITY, asdict(writers), RowFile(out / TOLD, TOLD_KEYS))
            status = COMMAND.until_stopped(lambda: _tell(plan, out, workers, models, writers), left)
    return status


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
        return COMMAND.complain(
            f"{missing} stories were not found: no story that was drawn meets the conditions", FAILED
        )
    return 0


def _tell(plan: SearchPlan, out: Path, workers: int, models: ModelPool, writers: Writers) -> int:
    """Has the stories of the plan told; returns the exit status."""
    stories, told, console = (RowFile(out / STORIES, STORY_KEYS), RowFile(out / TOLD, TOLD_KEYS), output_console())
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
