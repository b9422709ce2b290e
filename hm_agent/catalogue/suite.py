"""What a world provides beside its environment: scenarios, bodies, agents of its own, options, metrics, a viewer.

Everything that differs between worlds in experiments, results, reports and replays comes from its suite; no other code
depends on which world it is. A suite's module imports no simulator before `open`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.config import ConfigError
from hm_agent.core import Agent, Seat, Step, World
from hm_agent.metrics import Breakdown, ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hm_agent.agents.agent import BodyBuilder
    from hm_agent.theory_of_mind.hypotheses import Parameters
    from hm_agent.theory_of_mind.mind import BasicMind

    Pixels = npt.NDArray[np.uint8]
    """(H, W, 3)"""

Setting = str | int | float | None

SMALL, FULL = "small", "full"
"""The sizes of the battery: few enough episodes to pay a language model for, and enough for confidence intervals."""

PER_ORDER: Mapping[str, int] = {SMALL: 1, FULL: 20}
"""How many episodes the battery plays of the scenarios that need one order of mind, by size."""

PRIVATE_SEEDS = 1_000_000
"""Base seeds from here on are for private draws: a world whose seeds number shipped items draws new ones for them."""


@dataclass(frozen=True)
class Option:
    """A setting of one world, which becomes a flag.

    choices: the valid values, None for any text. changes_world: True if episodes that differ in it can't be paired,
    False if it only changes agents. is_folder: True for the path of a folder, which results don't record. is_file: True
    for the path of a file, with a hash of which results do.
    """

    name: str
    help: str
    default: str | None = None
    choices: tuple[str, ...] | None = None
    changes_world: bool = False
    is_folder: bool = False
    is_file: bool = False

    @property
    def hash_setting(self) -> str | None:
        """The setting of results that holds a hash of the file that the option names; None for any other option."""
        return f"{self.name}_file" if self.is_file else None


@dataclass(frozen=True)
class AgentSetup:
    """Everything that an agent for one seat of one episode is built from.

    model: answers the agent's questions. seed: the seat's own. options: the world's settled options. parameters: of the
    Theory of Mind. max_steps: the number of steps after which the episode is cut, None if it is not.
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
    """An agent that is built directly from its `AgentSetup`: one world's own, or a user's.

    about: a few words for lists. plays: True for the scenarios that it can play. check: raises ConfigError if it can't
    play a scenario with the world's settled options, e.g. because a file is missing; called before anything is played.
    only_model: the only model that it works with, None for any. is_reference: True if other agents are measured by it
    and reports don't compare it itself. asked_by: a word that a glob must contain to match it; empty: every glob may.
    ablation_of: the agent that this one is a part of, beside which reports show it; empty for all others. uses: the
    hyperparameters of the Theory of Mind that change what it does, by name; None if that is unknown. A reference uses
    none, since others are measured by it.
    """

    about: str
    build: Callable[[AgentSetup], Agent[Any, Any]]
    plays: Callable[[ScenarioInfo], bool] = lambda scenario: True
    check: Callable[[ScenarioInfo, Mapping[str, Setting]], object] = lambda scenario, options: None
    only_model: str | None = None
    is_reference: bool = False
    asked_by: str = ""
    ablation_of: str = ""
    uses: Collection[str] | None = None


@dataclass(frozen=True)
class OwnCommand:
    """A command that a world adds to `hm-agent`. about: a few words for the help.

    place: `module:name` of a function that takes the arguments and returns the exit status.
    """

    about: str
    place: str


@dataclass(frozen=True)
class BatteryPart:
    """What the battery plays in a world without scenarios of known order. scenarios: names or globs. options: its own.

    episodes and max_steps are those of `Experiment`.
    """

    scenarios: tuple[str, ...]
    episodes: int = 1
    max_steps: int | None = None
    options: Mapping[str, Setting] = field(default_factory=dict)


class Viewer(Protocol):
    """How a world looks in replays and videos; subclasses must define `scripts` and `shown`.

    scripts: JavaScript files and style sheets of this world, which the page loads after its own
    (docs/adding_a_world.md; recording/replay/templates/viewer.js).
    """

    @property
    def scripts(self) -> Sequence[Path]: ...

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        """Returns what the scripts need to know before the first step, as JSON values; by default nothing."""
        return {}

    def frames(self, step: Step) -> Mapping[str, Pixels]:
        """Returns the pictures of a step: `world`, and each seat's own view under the seat's name; by default none."""
        return {}

    def seen(self, view: Any) -> Pixels | None:
        """Returns what a seat itself sees of its world as a picture; by default none."""
        return None

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """Returns what the scripts show of a seat's step beyond the trace, as JSON values."""
        ...

    def picture(self, scenario: ScenarioInfo, title: str) -> Callable[[Step], Pixels] | None:
        """Returns a function that draws a step for the video, (H, W, 3) of one size; None for a world without video."""
        return None


class Suite:
    """What one world provides; each world has a subclass.

    name: its folder and its key in the registry. options: its settings, which become flags. network_options: those that
    name trained networks, by the setting that holds the hash (see `networks`). packages: the packages whose versions
    results record. commands: commands that it adds to `hm-agent`, by name. breakdowns: figures of its
    reports. environments: its ids in PettingZoo's registry, with the default scenario of each. plain_agent: the one
    that asks its model what to do, and nothing else. literal: the share of an agent's statements about other minds that
    are right; None if no question asks for any. functional: how well an agent acts on other minds; None: the normalised
    score of each scenario's metric says so. battery: its part of the battery, by size, as long as no scenario states
    the order that it needs; the scenarios that do take its place, if their names match `battery_items`: `per_order`
    episodes for each order by size, with `battery_options`; not where `per_order` is 0. scored_by: the least number of
    episodes for each order of the agents that items are scored by; more than the full battery's where chance would
    leave their means unclear. shortcuts: names of agents that model no mind; where a scenario's metric has no floor
    of its own, it is the one of them with the best mean over the other scenarios of the group. needs_are: how it is
    known which order of mind scenarios need, e.g. `measured on seeds`. offers: what the minds of its bodies answer
    beyond `BasicMind`, e.g. `(MindReading,)`, so that agents that need more are refused; None for a world that only its
    own agents play. own_files: the glob of what it reads in the folders of --scenarios_dir; empty if it reads nothing.
    """

    name: str
    title: str
    options: Sequence[Option] = ()
    network_options: Mapping[str, str] = {}
    packages: Sequence[str] = ()
    commands: Mapping[str, OwnCommand] = {}
    breakdowns: Sequence[Breakdown] = ()
    environments: Mapping[str, str] = {}
    plain_agent: str = "react"
    literal: ShareMetric | None = None
    functional: ShareMetric | None = None
    battery: Mapping[str, BatteryPart] = {}
    per_order: Mapping[str, int] = PER_ORDER
    scored_by: int = 0
    battery_items: str = "*"
    battery_options: Mapping[str, Setting] = {}
    shortcuts: Sequence[str] = ()
    needs_are: str = ""
    offers: Sequence[type[BasicMind]] | None = ()
    own_files: str = ""

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        raise NotImplementedError

    def offers_in(self, scenario: ScenarioInfo) -> Sequence[type[BasicMind]] | None:
        """What the minds answer in one scenario; by default what they `offers` in all."""
        return self.offers

    @property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        """The agents that only this world has, by name."""
        return {}

    @property
    def ladder(self) -> Mapping[str, int]:
        """The order of each agent that differs from the others of the ladder in nothing else, by its name."""
        found = ((name, re.fullmatch(r"order_?([0-9])", name)) for name in self.own_agents)
        return {name: int(match[1]) for name, match in found if match}

    def find(self, name: str) -> ScenarioInfo | None:
        """Finds a scenario that is not listed, e.g. one whose name says its size; None for a name of another world.

        Raises ConfigError if the name has the form of such a scenario, but no such scenario can exist.
        """
        return None

    def chosen(self, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        """Selects this world's options; raises ConfigError for an invalid value or a folder that does not exist."""
        own = {option.name: option for option in self.options if option.name in options}
        for name, option in own.items():
            value = options[name]
            if option.choices and value != option.default and value not in option.choices:
                raise ConfigError(f"{name} is {' or '.join(option.choices)}, not {value!r}")
            if option.is_folder and value and not Path(str(value)).is_dir():
                raise ConfigError(f"--{name}={value}: no such folder")
        return {name: options[name] for name in own}

    def with_defaults(self, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        """Returns all of this world's options: those given, and the defaults of the others."""
        return {option.name: options.get(option.name, option.default) for option in self.options}

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        """Returns the options with every choice made (settled); raises ConfigError if they don't suit the scenario."""
        return options

    def lacks(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> str:
        """What a scenario needs and can't have with these options, in words, so that globs leave it out; else empty."""
        return ""

    def unused(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, str]:
        """Returns the options that change nothing if these agents play the scenario, each with the reason.

        options: as given, not settled.
        """
        return {}

    def preload(self, options: Mapping[str, Setting]) -> Sequence[str]:
        """Returns slow modules, by name, that are imported once for all worker processes. options: settled."""
        return ()

    def episodes(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> int | None:
        """Returns how many different episodes a scenario has, None for any number. options: settled."""
        return None

    def seed(self, scenario: ScenarioInfo, base: int, number: int) -> int | None:
        """Returns the seed of an episode, in a world whose seeds identify episodes; None to hash base and number.

        base: the value of --seed.
        """
        return None

    def content(self, scenario: ScenarioInfo) -> str | None:
        """Returns a hash of the user's file that a scenario was read from, by which a changed file is noticed.

        None for a scenario that ships with the package, and for one whose name determines its content.
        """
        return None

    def networks(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, Path]:
        """Returns the files of trained networks that options name, by the setting that holds the hash of each.

        `NETWORKS` is for those by which agents play, `BOTS_FILE` for those of bots.
        """
        return {}

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        """Opens the world of a scenario; the caller closes it."""
        raise NotImplementedError

    def parallel_env(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        """Opens a scenario as a `pettingzoo.ParallelEnv`."""
        name = scenario.short_name
        raise ConfigError(f"gym_env and parallel_env don't open {name}: gym_text_env and parallel_text_env do")

    def env_in_words(self, scenario: ScenarioInfo, options: Mapping[str, Setting], render_mode: str | None) -> Any:
        """Opens a scenario as a `pettingzoo.ParallelEnv` whose observations say in words what its pixels show."""
        raise ConfigError(f"{self.name} has no environment whose observations are pixels, which words could replace")

    def body(self, setup: AgentSetup) -> BodyBuilder:
        """Returns the builder of a seat's body, for every agent that is not the world's own."""
        raise ConfigError(f"{self.name} has no body for agents but its own: {', '.join(self.own_agents)}")

    def answers(self) -> ReasonerTable:
        """Returns the functions by which the built-in reasoner answers this world's questions."""
        return {}

    def viewer(self, scenario: ScenarioInfo) -> Viewer | None:
        """Returns the viewer for replays and videos; None: replays show the agents' states, and no pictures."""
        return None

    def notes(self, settings: Mapping[str, Setting]) -> Sequence[str]:
        """Returns sentences that a reader of results with these settings needs to know."""
        return ()
