"""The worlds and agents there are, by name: the package's, other packages' by entry points, and registered ones.

A world is named by where its suite is (`module:name`). Suites are imported when scenarios or flags are asked for,
a world's simulator only when one of its scenarios is opened.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hm_agent.config import ConfigError
from hm_agent.core import Agent
from hm_agent.extensions import ADDED, check_name, is_place, load_place, nearest
from hm_agent.suite import AgentSetup, OwnAgent, ScenarioInfo, Setting, Suite

if TYPE_CHECKING:
    from hm_agent.agents.agent import Recipe
    from hm_agent.agents.reflection import Reflector
    from hm_agent.questions import Model
    from hm_agent.theory_of_mind.hypotheses import Parameters
    from hm_agent.theory_of_mind.mind import Mind
    from hm_agent.theory_of_mind.strategist import Strategist

WORLDS: Mapping[str, str] = {
    "melting_pot": "hm_agent.worlds.melting_pot.suite:SUITE",
    "symmtom": "hm_agent.worlds.symmtom.suite:SUITE",
    "exploretom": "hm_agent.worlds.exploretom.suite:SUITE",
    "enacttom": "hm_agent.worlds.enacttom.suite:SUITE",
}
"""Other packages add worlds by entry points of the group `hm_agent.worlds`."""
AGENTS = "hm_agent.agents.registry:AGENTS"
"""Other packages add agents by entry points of the group `hm_agent.agents`."""


SharedAgent: TypeAlias = "Recipe | OwnAgent"
"""An agent that is no world's own: a recipe plays any world with a body, an `OwnAgent` any world that it knows."""


def _added(group: str, read: Callable[[str, Any], Any]) -> dict[str, Any]:
    """What other packages add to a group, by name; warns of what can't be loaded, and leaves it out.

    read: makes of a name and an object what is wanted, or raises ConfigError.
    """
    found = {}
    for entry in entry_points(group=group):
        try:
            found[entry.name] = read(entry.name, entry.load())
        except Exception as error:  # noqa: BLE001 - whatever another package raises must not stop every command
            package = entry.dist.name if entry.dist else "another package"
            problem = f"{type(error).__name__}: {error}"
            warnings.warn(f"{entry.name} of {package} ({group}) is left out: {problem}", stacklevel=3)
    return found


def _as_suite(name: str, value: object) -> Suite:
    if not isinstance(value, Suite):
        raise ConfigError(f"world {name} is {type(value).__name__}: it has to be a Suite")
    return value


@cache
def _installed_suites() -> Mapping[str, Suite]:
    found: dict[str, Suite] = {name: load_place(place) for name, place in WORLDS.items()}
    return found | {name: suite for name, suite in _added("hm_agent.worlds", _as_suite).items() if name not in found}


def suites() -> Mapping[str, Suite]:
    """Every world's suite by name."""
    return {**_installed_suites(), **ADDED.worlds} if ADDED.worlds else _installed_suites()


@cache
def _installed_agents() -> Mapping[str, SharedAgent]:
    found: dict[str, SharedAgent] = dict(load_place(AGENTS))
    return found | {name: agent for name, agent in _added("hm_agent.agents", as_agent).items() if name not in found}


def shared_agents() -> Mapping[str, SharedAgent]:
    """The agents that no single world owns, by name."""
    return {**_installed_agents(), **ADDED.agents} if ADDED.agents else _installed_agents()


def shared_agent(name: str) -> SharedAgent | None:
    """The one of a name or, as `module:name`, of a place; None if there is none; ConfigError if it can't be loaded."""
    found = shared_agents().get(name)
    return as_agent(name, load_place(name)) if found is None and is_place(name) else found


def as_agent(name: str, value: object) -> SharedAgent:
    """A recipe, an OwnAgent or a function that builds an agent from an `AgentSetup`, as an agent.

    Raises ConfigError for anything else.
    """
    from hm_agent.agents.agent import Recipe

    if isinstance(value, (Recipe, OwnAgent)):
        return value
    if not callable(value):
        raise ConfigError(f"agent {name} is {type(value).__name__}: it has to be a function build(setup), or a Recipe")
    about = (value.__doc__ or "").strip().partition("\n")[0]
    return OwnAgent(about or "an agent of one's own", value, is_reference=False)


def register_agent(name: str, build: Callable[[AgentSetup], Agent[Any, Any]] | Recipe | OwnAgent) -> None:
    """Makes an agent known by a name, in this process and its workers.

    build: makes the agent for one seat of one episode from an `AgentSetup`; or a `Recipe`, or an `OwnAgent`, which also
    says what it plays. A name that is registered again gets the new agent. Raises ConfigError for a name that the
    package or a world has, or that is none.
    """
    check_name(name)
    if name in _installed_agents() or name in own_agents():
        raise ConfigError(f"agent {name!r} is there already: choose another name")
    ADDED.agents[name] = as_agent(name, build)


def register_strategist(
    name: str,
    build: Callable[[Mind, Model, Parameters], Strategist],
    *,
    reflector: Callable[[Model], Reflector] | None = None,
    about: str = "a strategist of one's own",
) -> None:
    """Makes an agent known that plays any world with a body by this strategist; see `register_agent`.

    build: makes the strategist for one seat of one episode. reflector: decides what a plan learns from the latest one;
    None: nothing.
    """
    from hm_agent.agents.agent import Recipe
    from hm_agent.agents.reflection import NoReflection

    register_agent(name, Recipe(about, build, reflector or NoReflection))


def register_world(name: str, suite: Suite | str) -> None:
    """Makes a world known in this process and its workers. suite: it, or `module:name` of it.

    Raises ConfigError for a name that an installed world has, or that is not the suite's own.
    """
    check_name(name)
    found = load_place(suite) if isinstance(suite, str) else suite
    if name in _installed_suites():
        raise ConfigError(f"world {name!r} is there already: choose another name")
    if not isinstance(found, Suite) or found.name != name:
        raise ConfigError(f"world {name!r} needs a Suite of that name")
    ADDED.worlds[name] = found


def register_scenarios(folder: str | PathLike[str]) -> None:
    """Makes the games of a folder's TOML files known (docs/adding_a_game.md), in this process and its workers.

    Raises ConfigError if there is no such folder, or if a file is wrong as far as that shows without the simulator.
    """
    path = Path(folder).absolute()
    if not path.is_dir():
        raise ConfigError(f"--scenarios_dir={folder}: no such folder")
    is_new = str(path) not in ADDED.folders
    ADDED.folders[str(path)] = None
    try:
        scenarios()
    except ConfigError:
        if is_new:
            del ADDED.folders[str(path)]
        raise


def own_agents() -> Mapping[str, OwnAgent]:
    """The agents that single worlds have, by name."""
    return {name: agent for suite in suites().values() for name, agent in suite.own_agents.items()}


def agent_names() -> list[str]:
    """Every agent, those first that play any world."""
    return list(dict.fromkeys([*shared_agents(), *own_agents()]))


def find_agents(patterns: Sequence[str], played: Sequence[ScenarioInfo] = ()) -> tuple[str, ...]:
    """The agents that names or globs stand for, each once; raises ConfigError for a pattern without any.

    played: the scenarios to play; a glob stands for no agent that can't play all of them, a name always for its agent.
    """
    known = agent_names()
    able = {name for name in known if all(can_play(name, scenario) for scenario in played)}
    asked_by = {name: agent.asked_by for name, agent in own_agents().items()}
    found: dict[str, None] = {}
    for pattern in patterns:
        if is_place(pattern) and pattern not in known:
            shared_agent(pattern)
            found[pattern] = None
            continue
        globbed = [name for name in known if asked_by.get(name, "") in pattern and fnmatchcase(name, pattern)]
        matching = [pattern] if pattern in known else [name for name in globbed if name in able]
        if not globbed:
            there = [name for name in known if name in able] or known
            raise ConfigError(f"unknown agent {pattern!r}: {nearest(pattern, known)}there are {', '.join(there)}")
        if not matching:
            raise ConfigError(f"no agent of {pattern!r} can play all of these scenarios: {', '.join(globbed)}")
        found |= dict.fromkeys(matching)
    return tuple(found)


def can_play(agent: str, scenario: ScenarioInfo) -> bool:
    """True if an agent can take a seat in a scenario."""
    suite = suites()[scenario.world]
    if agent in suite.own_agents:
        return suite.own_agents[agent].plays(scenario)
    shared = shared_agent(agent)
    if isinstance(shared, OwnAgent):
        return shared.plays(scenario)
    return shared is not None and suite.plays(agent, scenario)


def check_agent(agent: str, scenario: ScenarioInfo, model: str) -> None:
    """Raises ConfigError if an agent can't play a scenario, or not with the model of its seat."""
    if not can_play(agent, scenario):
        able = [name for name in agent_names() if can_play(name, scenario)]
        raise ConfigError(f"{agent} can't play {scenario.short_name}: {', '.join(able)} can")
    own = suites()[scenario.world].own_agents.get(agent)
    if own and own.only_model not in (None, model):
        raise ConfigError(f"{agent} is an agent of the model {own.only_model} alone, and {model} is to answer it")


def check_options(agent: str, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> None:
    """Raises ConfigError if an agent can't play a scenario with the world's settled options."""
    if own := suites()[scenario.world].own_agents.get(agent):
        own.check(scenario, options)


def build_agent(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    """The agent of a name for one seat; `check_agent` says whether it can play there."""
    suite = suites()[setup.scenario.world]
    if name in suite.own_agents:
        return suite.own_agents[name].build(setup)
    shared = shared_agent(name)
    assert shared is not None, "check the agent first"
    if isinstance(shared, OwnAgent):
        return shared.build(setup)
    return shared.build(suite.body(setup), setup.model, setup.parameters)


def scenarios() -> Mapping[str, ScenarioInfo]:
    """Every scenario by its full name, world by world."""
    return _scenarios_of(tuple(suites().values()), tuple(ADDED.folders))


@cache
def _scenarios_of(found: tuple[Suite, ...], folders: tuple[str, ...]) -> Mapping[str, ScenarioInfo]:
    return {scenario.name: scenario for suite in found for scenario in suite.scenarios}


def scenario_named(name: str) -> ScenarioInfo:
    """The scenario of a full name; an unknown one stands for itself, in a group of its own."""
    try:
        found = scenarios().get(name) or _unlisted(name)
    except ConfigError:
        found = None
    return found or ScenarioInfo("", name, name, "Other scenarios")


def _unlisted(name: str) -> ScenarioInfo | None:
    """The scenario that a name means, though no world lists it; ConfigError if it means one that can't be."""
    return next(filter(None, (suite.find(name) for suite in suites().values())), None)


def find_scenarios(patterns: Iterable[str]) -> tuple[ScenarioInfo, ...]:
    """The scenarios that names or globs stand for, each once, in the order asked for; ConfigError if there is none."""
    found: dict[str, ScenarioInfo] = {}
    for pattern in patterns:
        matching = [
            scenario
            for scenario in scenarios().values()
            if scenario.asked_by in pattern
            and (fnmatchcase(scenario.short_name, pattern) or fnmatchcase(scenario.name, pattern))
        ] or [scenario for scenario in [_unlisted(pattern)] if scenario]
        if not matching:
            near = nearest(pattern, (name for one in scenarios().values() for name in (one.short_name, one.name)))
            raise ConfigError(f"unknown scenario {pattern!r}: {near}{_hint(pattern)}; see --list")
        found |= {scenario.name: scenario for scenario in matching}
    return tuple(found.values())


def _hint(pattern: str) -> str:
    """The scenarios that begin with the same word in short, numbered ones as ranges; without any, all first words."""
    names = [scenario.short_name for scenario in scenarios().values()]
    near = [name for name in names if _first_word(name) == _first_word(pattern)]
    if not near:
        return f"names begin with {', '.join(dict.fromkeys(map(_first_word, names)))}"
    groups: dict[str, list[str]] = {}
    for name in near:
        stem, _, last = name.rpartition("_")
        groups.setdefault(stem, []).append(last)
    return "; ".join(f"{stem} has {_range(lasts)}" for stem, lasts in groups.items())


def _first_word(name: str) -> str:
    return name.partition("_")[0]


def _range(lasts: Sequence[str]) -> str:
    """Endings in short: all numbers as one range."""
    numbers = [last for last in lasts if last.isdecimal()]
    others = [last for last in lasts if not last.isdecimal()]
    numbered = [f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else numbers[0]] if numbers else []
    return " and ".join([*numbered, *others])
