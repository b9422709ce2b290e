"""What EnactToM hands out to experiments, results, reports and replays."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import FULL, SMALL, AgentSetup, Option, OwnAgent, OwnCommand, Setting, Suite, Viewer
from hm_agent.config import ConfigError, data_folder
from hm_agent.core import Agent, World
from hm_agent.extensions import ADDED
from hm_agent.metrics import SHARE, Metric, ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.storage.files import read_regular
from hm_agent.theory_of_mind.mind import JointMindReading, MindPrompting, MindReading, OddsReading, StrategyMaking

if TYPE_CHECKING:
    from hm_agent.agents.agent import BodyBuilder
    from hm_agent.worlds.enacttom.tasks.task import HouseholdTask

PREFIX = "enacttom_"
EVERYWHERE = "room_restriction"
"""The mechanic of every task that ships."""
_COMMAND_LINE = "hm_agent.worlds.enacttom.command_line"
METRIC = Metric(
    "functional_success",
    "share of tasks whose physical goals hold at the end",
    floor="random",
    ceiling="planner",
    bounds=SHARE,
)
HABITS_PASS = {1: 0.5}
"""By needed order, the share of pairs of hard tasks that a habit of telling (`openly`, `apart`) solves; else none."""


OPEN = "open"
"""The value of --literal with which agents are also asked for reports (house/open_probes.py)."""
FLOOD = "flood"
AGAINST_CHARACTERS = {
    "order_0": ("in hard tasks: plans as if characters did nothing", "order_"),
    "order_1": ("in hard tasks: plans by what characters saw and were told", "order_"),
    "order_2": ("in hard tasks: also by what characters know of what others know", "order_"),
    "order_3": ("in hard tasks: also by what characters know of what others know of what others know", "order_"),
    "order_1_sure": ("order_1, but takes what characters know of others' knowledge for known", "order_"),
    "order_2_sure": ("order_2, but takes deeper knowledge for known", "order_"),
    "reality": ("in hard tasks: plans as if characters knew what it knows", "reality"),
    "broadcaster": ("in hard tasks: tells everyone whatever it knows", "broadcaster"),
    "openly": ("in hard tasks: tells what helpers lack to all that can be trusted, in one message", "openly"),
    "apart": ("in hard tasks: tells what helpers lack to each that can be trusted alone", "apart"),
    "openly_later": ("openly, after two turns", "openly"),
    "apart_later": ("apart, after two turns", "apart"),
}
"""The agents that play hard tasks alone, which have characters: by name what they do, and `asked_by`."""
LADDER = (
    ("solo", "acts on its own secrets and on what it sees; sends no message and reads none", "solo"),
    ("order1", "also tells what it knows at first hand to those whom it concerns", "order"),
    ("order2", "also passes on what it was told, and thinks of what others know", "order"),
    ("order3", "also passes on what it was told that others know", "order"),
)
"""The agents without a model, in the order of their depth of reasoning: name, what they do, `asked_by`."""
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


class EnacttomSuite(Suite):
    """Verified household tasks, one a scenario."""

    name = "enacttom"
    offers = (MindReading, JointMindReading, MindPrompting, OddsReading, StrategyMaking)
    title = "EnactToM"
    own_files = FILES
    lists_numbers = False
    needs_are = "proved of each task"
    per_order: Mapping[str, int] = {SMALL: 5, FULL: 20}  # a pair asks few questions
    shortcuts = ("random", "solo", FLOOD, "reality", "broadcaster", "openly", "apart", "openly_later", "apart_later")
    options = (
        Option(
            "literal",
            "Agents are asked at the end for every K operator of the goal, unless this is 0; open asks for structured "
            "reports as in EnactToM's appendix H, too.",
        ),
    )
    literal = ShareMetric(
        "literal_thoughts",
        "the share of rightly answered questions of what others think, in pairs that every shortcut answers alike",
        "literal_thoughts_chance",
        given_by="questions in pairs are asked in half of the tasks, unless --literal=0 leaves them out",
    )
    functional = ShareMetric(
        "functional_success",
        "the share of tasks whose physical goals hold at the end, which telling everybody everything reaches, too",
    )
    environments: Mapping[str, str] = {"hm_agent/EnactToM-v0": "enacttom_appendix_e"}
    commands: Mapping[str, OwnCommand] = {
        "verify": OwnCommand("prove tasks", f"{_COMMAND_LINE}:verify_command"),
        "depths": OwnCommand("show measures by K depth", "hm_agent.worlds.enacttom.measure_command:main"),
        "generate": OwnCommand("make tasks, with proofs", "hm_agent.worlds.enacttom.author.author_command:main"),
        "export": OwnCommand("write the PDDL of tasks", f"{_COMMAND_LINE}:export_command"),
        "browse": OwnCommand("write a page to browse tasks", f"{_COMMAND_LINE}:browse_command"),
    }

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return tuple(info for info, _ in _tasks_in(tuple(ADDED.folders)))

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.enacttom.world import EnacttomWorld

        literal = options.get("literal")
        asks = literal in (None, OPEN) or int(literal or 0) > 0
        return EnacttomWorld(_load_task(_task_path(scenario)), asks=asks, asks_open=literal == OPEN)

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        literal = options.get("literal")
        if literal not in (None, OPEN) and not str(literal).isdecimal():
            asked = f"0 to ask nothing at the end of an episode, 1, or {OPEN} to ask for reports, too"
            raise ConfigError(f"--literal={literal}: say {asked}")
        _load_task(_task_path(scenario))
        return options

    def parallel_env(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        from hm_agent.worlds.enacttom.parallel import EnacttomParallelEnv

        return EnacttomParallelEnv(_load_task(_task_path(scenario)), render_mode)

    def body(self, setup: AgentSetup) -> BodyBuilder:
        from hm_agent.worlds.enacttom.language.body import enacttom_body
        from hm_agent.worlds.enacttom.world import EnacttomWorld

        assert isinstance(setup.world, EnacttomWorld)
        return partial(enacttom_body, setup.seat, setup.world.task.agents)

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.enacttom.viewer.viewer import HouseViewer

        return HouseViewer(_load_task(_task_path(scenario)))

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.enacttom.language.reasoner import ANSWERS

        return ANSWERS

    @cached_property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return {
            "random": OwnAgent("draws every action uniformly; marks the floor", _random, is_reference=True),
            "planner": OwnAgent(
                "follows the verifier's plan and is told everything; marks the ceiling", _planner, is_reference=True
            ),
            **{
                name: OwnAgent(about, partial(_ladder, order), asked_by=asked_by, uses=())
                for order, (name, about, asked_by) in enumerate(LADDER)
            },
            FLOOD: OwnAgent(
                "order1 that repeats what it was told as if it had seen it, to everyone it can message",
                partial(_ladder, 1, floods=True),
                asked_by=FLOOD,
                uses=(),
            ),
            **{
                name: OwnAgent(
                    about,
                    partial(_against_characters, name),
                    plays=_is_hard,
                    asked_by=asked_by,
                    is_reference=name in self.shortcuts,
                    uses=(),
                )
                for name, (about, asked_by) in AGAINST_CHARACTERS.items()
            },
        }


def _task_path(scenario: ScenarioInfo) -> Path:
    """Returns the file of a task; raises ConfigError if it has changed since it was listed."""
    path = {**task_files(), **hard_task_files()}.get(scenario.name)
    if path is None or (scenario.name.startswith(OWN) and not scenario.name.endswith(_content_hash(path))):
        raise ConfigError(f"{scenario.name}: no file has this content any more")
    return path


def _content_hash(path: Path) -> str:
    """Returns the beginning of a file's SHA-256."""
    return sha256(path.read_bytes()).hexdigest()[:HASH_DIGITS]


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


def _is_hard(scenario: ScenarioInfo) -> bool:
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
        asked_by=OWN if _is_hard(info) else info.asked_by,
        pair=pair,
        separates_nobody=False,
        group=info.group.replace("EnactToM, ", f"EnactToM, {UNPROVED}, ", 1) if is_unproved else info.group,
        about=f"{info.about}, {UNPROVED}" if is_unproved else info.about,
        is_unproved=is_unproved,
    )


def _random(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.agents import RandomHouseAgent

    return RandomHouseAgent(setup.seed)


def _ladder(order: int, setup: AgentSetup, *, floods: bool = False) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.ladder.ladder_agent import LadderAgent
    from hm_agent.worlds.enacttom.world import EnacttomWorld

    assert isinstance(setup.world, EnacttomWorld)
    if order:
        setup.world.claim_readers.add(setup.seat)
    return LadderAgent(order, floods=floods)


def _against_characters(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.ladder.order_agent import AGENTS

    return AGENTS[name]()


def _planner(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.agents import PlannerHouseAgent
    from hm_agent.worlds.enacttom.world import EnacttomWorld

    assert isinstance(setup.world, EnacttomWorld)
    return PlannerHouseAgent(setup.world, setup.seat)


SUITE = EnacttomSuite()
