"""What a world hands out beside itself: scenarios, bodies, agents of its own, options, metrics, looks.

Everything that differs between worlds in experiments, results, reports and replays comes from here; nothing else asks
which world it is. A suite's module imports no simulator: that waits until `open`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hm_agent.config import ConfigError
from hm_agent.core import Agent, Seat, Step, World
from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hm_agent.agents.agent import BodyBuilder
    from hm_agent.theory_of_mind.hypotheses import Parameters

    Pixels = npt.NDArray[np.uint8]
    """(H, W, 3)"""

Setting = str | int | float | None

SMALL, FULL = "small", "full"
"""The sizes of the battery: to be paid for a language model, and for intervals."""

TOLD_SHARE = "told_share"
"""The metric in which a ceiling agent that is told of the other players records how often: 0 for never, 1 for always.

It is the share of all steps and other players in which something was known to tell.
"""


@dataclass(frozen=True)
class Metric:
    """What the episodes of a scenario are compared by.

    name: its key in a result's metrics. unit: in words, e.g. `reward per 1,200 steps`. floor, ceiling: the agents whose
    means stand for 0 and 1 of the normalised score; None where there are none. per_steps: how many steps the
    unit is for, if the metric is a reward for so many steps; None for others. digits: how many decimals its values are
    shown with; a share of 1 needs more than a reward does.
    """

    name: str = "reward"
    unit: str = "reward per episode"
    higher_is_better: bool = True
    floor: str | None = None
    ceiling: str | None = None
    per_steps: int | None = None
    digits: int = 1


@dataclass(frozen=True)
class Breakdown:
    """A figure of reports in which a share, from 0 to 1, is told apart by kind.

    name: unique among the figures of a report. unit: of the axis. kinds: (label, metric of results) each. about: a
    sentence on what the kinds are. references: what those agents are by which others are measured, drawn in grey.
    """

    name: str
    title: str
    unit: str
    kinds: tuple[tuple[str, str], ...]
    about: str = ""
    references: str = ""


@dataclass(frozen=True)
class ShareMetric:
    """A share between 0 and 1 in the metrics of an episode.

    name: its key. about: what it is the share of, in words. base_rate: the key of what an answer that knows nothing of
    this mind would get; None if there is none. is_binary: True if that answer is `always yes`, so that `always no`
    would get the rest, and the better of both over all episodes counts.
    """

    name: str
    about: str
    base_rate: str | None = None
    is_binary: bool = False


@dataclass(frozen=True)
class ScenarioInfo:
    """A scenario as experiments and reports know it.

    name: in results and folders; short_name: as typed. group: the title under which reports gather scenarios of one
    kind, in one unit. about: a few words, e.g. on the opponents. seats: for agents. published: (mean, standard error)
    of others' results, by agent; None for an error that was not published. asked_by: a word that a glob must hold to
    stand for it, if not just any glob does. has_paid_interactions: True if each interaction pays, so that reports may
    follow the reward from one to the next. held_out: True if no constant of an agent or of its reasoner may be chosen
    by what agents reach on it, so that it tells how these do on what they were not made for; False for those that
    constants may be chosen on. order: how deep all other players look who are not agents (docs/glossary.md), None if
    they differ or nobody says. family: the title under which the study of orders gathers scenarios, whose groups may
    differ.
    """

    world: str
    name: str
    short_name: str
    group: str
    about: str = ""
    seats: tuple[Seat, ...] = ("player_0",)
    metric: Metric = field(default_factory=Metric)
    published: Mapping[str, tuple[float, float | None]] = field(default_factory=dict, hash=False)
    asked_by: str = ""
    has_paid_interactions: bool = False
    held_out: bool = False
    order: int | None = None
    family: str = ""


@dataclass(frozen=True)
class Option:
    """A setting of a world's own, which becomes a flag.

    choices: all values, None for any text. changes_world: True if episodes that differ in it can't be paired, False if
    it only changes agents. is_folder: True for a path, which results don't record.
    """

    name: str
    help: str
    default: str | None = None
    choices: tuple[str, ...] | None = None
    changes_world: bool = False
    is_folder: bool = False


@dataclass(frozen=True)
class AgentSetup:
    """What an agent in a seat is built from. seed: of this seat. options: the world's, settled.

    max_steps: after which the episode is cut, so that the agent can be told; None: it isn't.
    """

    scenario: ScenarioInfo
    world: World[Any, Any]
    seat: Seat
    model: Model
    seed: int
    options: Mapping[str, Setting]
    parameters: Parameters
    max_steps: int | None = None


@dataclass(frozen=True)
class OwnAgent:
    """An agent that one world alone has.

    plays: which of its scenarios it can play. only_model: the one model that makes it what it is; None: any will do.
    is_reference: True if others are measured by it and it is not compared itself. asked_by: a word that a glob must
    hold to stand for it, if not just any glob does. check: raises ConfigError if it can't play a scenario with the
    world's settled options, e.g. for want of a file; called before anything is played.
    """

    about: str
    build: Callable[[AgentSetup], Agent[Any, Any]]
    plays: Callable[[ScenarioInfo], bool] = lambda scenario: True
    check: Callable[[ScenarioInfo, Mapping[str, Setting]], object] = lambda scenario, options: None
    only_model: str | None = None
    is_reference: bool = True
    asked_by: str = ""


@dataclass(frozen=True)
class OwnCommand:
    """A command of `hm-agent` that a world has. about: a few words for the help.

    place: `module:name` of a function that takes the arguments and returns the exit status.
    """

    about: str
    place: str


@dataclass(frozen=True)
class BatteryPart:
    """What a battery plays in one world; all but scenarios as the flags of `hm-agent play` are called.

    scenarios: names or globs. options: the world's own.
    """

    scenarios: tuple[str, ...]
    episodes: int = 1
    max_steps: int | None = None
    options: Mapping[str, Setting] = field(default_factory=dict)


class Viewer(Protocol):
    """How a world looks in replays and videos.

    scripts: JavaScript files and style sheets that the page loads after its own, for what only this world has
    (docs/adding_a_world.md; recording/replay/templates/viewer.js).
    """

    @property
    def scripts(self) -> Sequence[Path]: ...

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        """What the scripts need to know before the first step, as JSON values."""
        ...

    def frames(self, step: Step) -> Mapping[str, Pixels]:
        """The pictures of a step by film: `world`, and each seat's own view under the seat's name."""
        ...

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """What the scripts show of a step from one seat, beyond the trace, as JSON values."""
        ...

    def picture(self, scenario: ScenarioInfo, title: str) -> Callable[[Step], Pixels] | None:
        """Draws each step as a picture of the video, (H, W, 3) of one size; None for a world that is not filmed."""
        ...


class Suite:
    """What one world hands out; worlds extend it.

    name: its folder and its key in the registry. options: become flags. packages: whose versions results record.
    commands: further ones of `hm-agent`, by name. published_source: whose results `ScenarioInfo.published` has.
    breakdowns: figures of its reports. environments: ids in PettingZoo's registry, with the scenario that each begins
    with. literal: how often what an agent says of other minds is right; None if nothing asks. functional: how well it
    acts on them, if not by the normalised score of each scenario's metric. battery: what is played here where one agent
    is measured in all worlds, by size. lists_numbers: False if a list has one line for all scenarios of a group whose
    names differ in their number alone.
    """

    name: str
    title: str
    options: Sequence[Option] = ()
    packages: Sequence[str] = ()
    commands: Mapping[str, OwnCommand] = {}
    published_source: str = ""
    breakdowns: Sequence[Breakdown] = ()
    own_agents: Mapping[str, OwnAgent] = {}
    environments: Mapping[str, str] = {}
    literal: ShareMetric | None = None
    functional: ShareMetric | None = None
    battery: Mapping[str, BatteryPart] = {}
    lists_numbers: bool = True

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        raise NotImplementedError

    def find(self, name: str) -> ScenarioInfo | None:
        """A scenario that is not listed, e.g. one whose name says its size; None if the name means none here.

        Raises ConfigError if the name means one that can't be.
        """
        return None

    def chosen(self, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        """Those of the options that are this world's; ConfigError for a value that there isn't, or no folder."""
        own = {option.name: option for option in self.options if option.name in options}
        for name, option in own.items():
            value = options[name]
            if option.choices and value != option.default and value not in option.choices:
                raise ConfigError(f"{name} is {' or '.join(option.choices)}, not {value!r}")
            if option.is_folder and value and not Path(str(value)).is_dir():
                raise ConfigError(f"--{name}={value}: no such folder")
        return {name: options[name] for name in own}

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        """The options with every choice made; raises ConfigError if the scenario can't be played with them."""
        return options

    def preload(self, options: Mapping[str, Setting]) -> Sequence[str]:
        """The modules that take long to import, which worker processes share; with settled options."""
        return ()

    def episodes(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> int | None:
        """How many different episodes a scenario has, with settled options; None if there is no end of them."""
        return None

    def seed(self, scenario: ScenarioInfo, base: int, number: int) -> int | None:
        """The seed of an episode by its number, where it must say which one it is; None for one drawn from both.

        base: as given by --seed.
        """
        return None

    def content(self, scenario: ScenarioInfo) -> str | None:
        """A hash of the user's file that a scenario was read from, by which a changed file is told from the one before.

        None for a scenario that ships, and for one whose name tells its content.
        """
        return None

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        """A world to play the scenario in; the caller closes it."""
        raise NotImplementedError

    def parallel_env(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        """The scenario as a `pettingzoo.ParallelEnv`."""
        raise ConfigError(f"{self.name} has no environment for PettingZoo")

    def body(self, setup: AgentSetup) -> BodyBuilder:
        """The body of a seat, for every agent that is not the world's own."""
        raise ConfigError(f"{self.name} has no body for agents but its own: {', '.join(self.own_agents)}")

    def plays(self, agent: str, scenario: ScenarioInfo) -> bool:
        """True if an agent that is not the world's own can play a scenario here."""
        return True

    def answers(self) -> ReasonerTable:
        """The built-in reasoner's answers to the questions of this world."""
        return {}

    def viewer(self, scenario: ScenarioInfo) -> Viewer | None:
        """None: replays show the agents' states, and no pictures."""
        return None

    def notes(self, settings: Mapping[str, Setting]) -> Sequence[str]:
        """What a reader has to know of results with these settings, in sentences."""
        return ()
