"""EnactToM's scenarios: the household tasks that ship, and those of users' folders. Reads only what a list shows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.config import ConfigError, data_folder
from hm_agent.extensions import ADDED
from hm_agent.metrics import SHARE, Metric
from hm_agent.storage.files import read_regular

if TYPE_CHECKING:
    from hm_agent.worlds.enacttom.tasks.task import HouseholdTask

PREFIX = "enacttom_"
EVERYWHERE = "room_restriction"
"""The mechanic of every task that ships."""
METRIC = Metric(
    "functional_success",
    "share of tasks whose physical goals hold at the end",
    floor="random",
    ceiling="planner",
    bounds=SHARE,
)
HABITS_PASS = {1: 0.5}
"""By needed order, the share of pairs of hard tasks that a habit of telling (`openly`, `apart`) solves; else none."""
FILES = "*.json"
OWN = f"{PREFIX}own_"
"""The names of tasks of --scenarios_dir begin with this and end with the hash of their content."""
HASH_DIGITS = 12
UNPROVED = "unproved"
"""How lists, reports and results call a task whose certificate does not prove it, and name the metric that marks it."""
HARD = f"{PREFIX}hard_"
"""The names of the hard tasks that ship begin with this."""


def task_files() -> Mapping[str, Path]:
    """Returns the files of tasks by scenario name: those that ship, hard ones left out, and those of own folders."""
    return {info.name: path for info, path in _tasks_in(tuple(ADDED.folders)) if not info.name.startswith(HARD)}


def hard_task_files() -> Mapping[str, Path]:
    """Returns the files of the hard tasks that ship by scenario name."""
    return {info.name: path for info, path in _tasks_in(tuple(ADDED.folders)) if info.name.startswith(HARD)}


@cache
def _tasks_in(folders: tuple[str, ...]) -> tuple[tuple[ScenarioInfo, Path], ...]:
    """Lists every task with its file. Reads only what a list shows; raises ConfigError for a file without that."""
    shipped = [
        path
        for folder in (data_folder("scenarios") / "enacttom", data_folder("scenarios") / "enacttom" / "hard")
        for path in sorted(folder.glob(FILES))
    ]
    own = [path for folder in folders for path in sorted(Path(folder).glob(FILES))]
    return (*((_scenario_info(path), path) for path in shipped), *((_own_scenario_info(path), path) for path in own))


def listed_scenarios() -> Sequence[ScenarioInfo]:
    """All tasks: those that ship, hard ones too, and those of own folders."""
    return tuple(info for info, _ in _tasks_in(tuple(ADDED.folders)))


def _task_path(scenario: ScenarioInfo) -> Path:
    """Returns the file of a task; raises ConfigError if it has changed since it was listed."""
    path = {**task_files(), **hard_task_files()}.get(scenario.name)
    if path is None or (scenario.name.startswith(OWN) and not scenario.name.endswith(_content_hash(path))):
        raise ConfigError(f"{scenario.name}: no file has this content any more")
    return path


def _content_hash(path: Path) -> str:
    """Returns the beginning of a file's SHA-256."""
    return sha256(path.read_bytes()).hexdigest()[:HASH_DIGITS]


def task_of(scenario: ScenarioInfo) -> HouseholdTask:
    """The task of a scenario; raises ConfigError if its file has changed since it was listed."""
    return _load_task(_task_path(scenario))


def _load_task(path: Path) -> HouseholdTask:
    from hm_agent.worlds.enacttom.tasks.task_files import load_task

    return load_task(path)


def _scenario_info(path: Path) -> ScenarioInfo:
    """Reads what a list shows of a task; raises TaskError for a file that is no task."""
    try:
        content = json.loads(read_regular(path))
        about = _about(content)
        kind, seats = _kind(content), _seats(content)
    except (
        OSError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
    ):  # load_task raises a TaskError that says what is wrong
        content = _load_task(path).file.model_dump(mode="json")
        about, kind, seats = _about(content), _kind(content), _seats(content)
    return ScenarioInfo(
        world="enacttom",
        name=f"{PREFIX}{path.stem}",
        short_name=f"{PREFIX}{path.stem}",
        group=f"EnactToM, {kind}",
        about=about,
        seats=seats,
        metric=replace(METRIC, guessing=HABITS_PASS.get(content.get("needs_order") or 0)),
        asked_by="enacttom_hard" if path.stem.startswith("hard_") else "enacttom",
        separates_nobody=not content.get("characters"),
        needs_order=content.get("needs_order"),
        pair=f"{PREFIX}{pair}" if (pair := content.get("pair")) else "",
    )


def _kind(content: Mapping[str, Any]) -> str:
    """The kind of a task, by which reports gather tasks."""
    if content.get("characters"):
        return f"hard, order {content['needs_order']} needed"
    return f"{content['category']}, K depth {content['k_depth']}"


def _seats(content: Mapping[str, Any]) -> tuple[str, ...]:
    """The agents under test: all but the characters."""
    return tuple(agent for agent in content["agent_spawns"] if agent not in (content.get("characters") or {}))


def is_hard(scenario: ScenarioInfo) -> bool:
    return scenario.needs_order is not None


def _about(content: Mapping[str, Any]) -> str:
    """Describes a task by its title and by the features that its kind does not tell."""
    relay = (content.get("certificate") or {}).get("relay_depth")
    mechanics = (mechanic for mechanic in content.get("active_mechanics", ()) if mechanic != EVERYWHERE)
    kinds = sorted({one["kind"] for one in (content.get("characters") or {}).values()})
    facts = (
        *((" and ".join(kinds),) if kinds else ()),
        *(() if relay is None else (f"relay depth {relay}",)),
        f"{len(content['agent_spawns'])} agents, {_room_count(content['problem_pddl'])} rooms",
        *(mechanic.replace("_", " ") for mechanic in mechanics),
    )
    return f"{' '.join(content['title'].split())}: {', '.join(facts)}"


def _room_count(problem: str) -> int:
    """Counts the rooms in the `:objects` of a PDDL problem."""
    objects = re.sub(";.*", "", problem).lower().partition("(:objects")[2].partition(")")[0]
    named, *_ = re.split(r"\s-\s+room\b", objects)
    return len(re.split(r"\s-\s+\S+", named)[-1].split())


def _own_scenario_info(path: Path) -> ScenarioInfo:
    """Reads what a list shows of a user's task; its name has a hash of the file, so that each content has its own.

    A task that is not proved says so, and is in a group of its own.
    """
    from hm_agent.worlds.enacttom.tasks.proofs import unproved
    from hm_agent.worlds.enacttom.tasks.task_files import load_file

    info, is_unproved = _scenario_info(path), bool(unproved(load_file(path)))
    pair = info.pair and f"{OWN}{info.pair.removeprefix(PREFIX)}"
    return replace(
        info,
        name=f"{OWN}{path.stem}-{_content_hash(path)}",
        short_name=f"{OWN}{path.stem}",
        asked_by=OWN if is_hard(info) else info.asked_by,
        pair=pair,
        separates_nobody=False,
        group=info.group.replace("EnactToM, ", f"EnactToM, {UNPROVED}, ", 1) if is_unproved else info.group,
        about=f"{info.about}, {UNPROVED}" if is_unproved else info.about,
        is_unproved=is_unproved,
    )
