"""The worlds, scenarios and agents that there are: the package's own, other packages' (entry points), registered ones.

`WORLDS` says where each world's suite is (`module:name`). Suites are imported when scenarios or flags are needed, a
world's simulator only when one of its scenarios is opened.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, OwnAgent, Suite
from hm_agent.config import ConfigError
from hm_agent.core import Agent
from hm_agent.extensions import ADDED, check_call, check_name, is_place, load_place
from hm_agent.models.settings import PERSON
from hm_agent.wording import listed

if TYPE_CHECKING:
    from hm_agent.agents.agent import Recipe
    from hm_agent.agents.reflection import Reflector
    from hm_agent.questions import Model
    from hm_agent.theory_of_mind.hypotheses import Parameters
    from hm_agent.theory_of_mind.mind import BasicMind
    from hm_agent.theory_of_mind.strategist import Strategist

WORLDS: Mapping[str, str] = {
    "melting_pot": "hm_agent.worlds.melting_pot.suite:SUITE",
    "symmtom": "hm_agent.worlds.symmtom.suite:SUITE",
    "exploretom": "hm_agent.worlds.exploretom.suite:SUITE",
    "enacttom": "hm_agent.worlds.enacttom.suite:SUITE",
    "matrix_games": "hm_agent.worlds.matrix_games.suite:SUITE",
}
"""Other packages add worlds by entry points of the group `hm_agent.worlds`."""
AGENTS = "hm_agent.agents.registry:AGENTS"
"""Other packages add agents by entry points of the group `hm_agent.agents`."""
PERSON_AGENT = "hm_agent.seats.person:AGENT"
SharedAgent: TypeAlias = "Recipe | OwnAgent"
"""An agent of no single world: a recipe plays any world with a body, an `OwnAgent` the scenarios that it knows."""


def _load_entry_points(group: str, read: Callable[[str, Any], Any]) -> dict[str, Any]:
    """Loads what other packages add to a group of entry points, by name; warns of what can't be loaded and skips it.

    read: checks and converts a loaded object, given its name; may raise ConfigError.
    """
    loaded = {}
    for entry in entry_points(group=group):
        try:
            loaded[entry.name] = read(entry.name, entry.load())
        except Exception as error:  # noqa: BLE001 - no error of another package may break every command
            package = entry.dist.name if entry.dist else "another package"
            problem = f"{type(error).__name__}: {error}"
            warnings.warn(f"{entry.name} of {package} ({group}) is left out: {problem}", stacklevel=3)
    return loaded


def _as_suite(name: str, value: object) -> Suite:
    if not isinstance(value, Suite):
        raise ConfigError(f"world {name} is {type(value).__name__}: it has to be a Suite")
    return value


@cache
def _installed_suites() -> Mapping[str, Suite]:
    own: dict[str, Suite] = {name: load_place(place) for name, place in WORLDS.items()}
    others = _load_entry_points("hm_agent.worlds", _as_suite)
    return own | {name: suite for name, suite in others.items() if name not in own}


def suites() -> Mapping[str, Suite]:
    """Returns the suites of all worlds, by the world's name."""
    return {**_installed_suites(), **ADDED.worlds} if ADDED.worlds else _installed_suites()


@cache
def _installed_agents() -> Mapping[str, SharedAgent]:
    own: dict[str, SharedAgent] = {**load_place(AGENTS), PERSON: load_place(PERSON_AGENT)}
    others = _load_entry_points("hm_agent.agents", as_agent)
    return own | {name: agent for name, agent in others.items() if name not in own}


def shared_agents() -> Mapping[str, SharedAgent]:
    """Returns the agents that belong to no single world, by name."""
    return {**_installed_agents(), **ADDED.agents} if ADDED.agents else _installed_agents()


def shared_agent(name: str) -> SharedAgent | None:
    """Finds a shared agent by name, or imports it from `module:name`; None for an unknown name.

    Raises ConfigError if `module:name` can't be imported.
    """
    agent = shared_agents().get(name)
    return as_agent(name, load_place(name)) if agent is None and is_place(name) else agent


def as_agent(name: str, value: object) -> SharedAgent:
    """Returns a Recipe or an OwnAgent as it is; wraps a function that builds an agent from an `AgentSetup`.

    Raises ConfigError for anything else.
    """
    from hm_agent.agents.agent import Recipe

    if isinstance(value, (Recipe, OwnAgent)):
        return value
    if not callable(value):
        raise ConfigError(f"agent {name} is {type(value).__name__}: it has to be a function build(setup), or a Recipe")
    check_call(f"agent {name}", value, "build(setup)")
    about = (value.__doc__ or "").strip().partition("\n")[0]
    return OwnAgent(about or "a user's agent", value)


def register_agent(name: str, build: Callable[[AgentSetup], Agent[Any, Any]] | Recipe | OwnAgent) -> None:
    """Registers an agent under a name, in this process and its workers.

    build: a function that builds the agent for one seat of one episode from an `AgentSetup`; or a `Recipe`; or an
    `OwnAgent`, which also says what it can play. A name that was registered before gets the new agent. Raises
    ConfigError if the name is invalid, or taken by an agent of the package or of a world.
    """
    check_name(name)
    if name in _installed_agents() or any(name in suite.own_agents for suite in suites().values()):
        raise ConfigError(f"agent {name!r} is there already: choose another name")
    ADDED.agents[name] = as_agent(name, build)


def register_strategist(
    name: str,
    build: Callable[[Any, Model, Parameters], Strategist],
    *,
    reflector: Callable[[Model], Reflector] | None = None,
    about: str = "a user's strategist",
    needs: Sequence[type[BasicMind]] | None = None,
) -> None:
    """Registers an agent that plays by this strategist every world that offers what it needs; see `register_agent`.

    build: builds the strategist for one seat of one episode, from the seat's mind, the model and the hyperparameters.
    reflector: builds its reflector, which decides what the next plan learns from the latest one; None: nothing. needs:
    what the strategist asks of a mind beyond `BasicMind`; None: what `build` says of itself by an attribute `needs`.
    """
    from hm_agent.agents.agent import Recipe
    from hm_agent.agents.reflection import NoReflection

    asked = getattr(build, "needs", ()) if needs is None else needs
    register_agent(name, Recipe(about, build, reflector or NoReflection, tuple(asked)))


def register_world(name: str, suite: Suite | str) -> None:
    """Registers a world in this process and its workers. suite: its Suite, or `module:name` of it.

    Raises ConfigError if an installed world has this name, or if the suite has another one.
    """
    check_name(name)
    loaded = load_place(suite) if isinstance(suite, str) else suite
    if name in _installed_suites():
        raise ConfigError(f"world {name!r} is there already: choose another name")
    if not isinstance(loaded, Suite) or loaded.name != name:
        raise ConfigError(f"world {name!r} needs a Suite of that name")
    ADDED.worlds[name] = loaded


def register_scenarios(folder: str | PathLike[str]) -> None:
    """Registers the games in a folder's TOML files (docs/adding_a_game.md), in this process and its workers.

    Raises ConfigError if there is no such folder, if it has no file that a world reads, or if a file has errors that
    can be found without the simulator.
    """
    path = Path(folder).absolute()
    if not path.is_dir():
        raise ConfigError(f"--scenarios_dir={folder}: no such folder")
    read = {suite.title: suite.own_files for suite in suites().values() if suite.own_files}
    if not any(file for glob in read.values() for file in path.glob(glob)):
        wanted = listed([f"{glob} for {title}" for title, glob in read.items()])
        raise ConfigError(f"--scenarios_dir={folder} has no file of a scenario: looked for {wanted}")
    is_new = str(path) not in ADDED.folders
    ADDED.folders[str(path)] = None
    try:
        scenarios()
    except ConfigError:
        if is_new:
            del ADDED.folders[str(path)]
        raise


def own_agents() -> Mapping[str, OwnAgent]:
    """Returns every `OwnAgent` by name: the users' and other packages', and those of single worlds."""
    shared = {name: agent for name, agent in shared_agents().items() if isinstance(agent, OwnAgent)}
    return shared | {name: agent for suite in suites().values() for name, agent in suite.own_agents.items()}


def ablated_agent(name: str) -> str | None:
    """Returns the agent that another is an ablation of; None for an agent that is none, and for an unknown one."""
    agent = {**own_agents(), **shared_agents()}.get(name)
    return (agent.ablation_of or None) if agent else None


def agent_names() -> list[str]:
    """Returns the names of all agents, first those that belong to no single world."""
    return list(dict.fromkeys([*shared_agents(), *own_agents()]))


def scenarios() -> Mapping[str, ScenarioInfo]:
    """Returns all listed scenarios by full name, world by world."""
    return _scenarios_of(tuple(suites().values()), tuple(ADDED.folders))


@cache
def _scenarios_of(worlds: tuple[Suite, ...], folders: tuple[str, ...]) -> Mapping[str, ScenarioInfo]:
    """folders: only part of the cache's key, since suites list more scenarios once a folder is registered."""
    return {scenario.name: scenario for suite in worlds for scenario in suite.scenarios}


def _scenarios_by_world(name: str) -> Iterator[tuple[Suite, Mapping[str, ScenarioInfo]]]:
    """Each world with its scenarios by full name, first the one whose name a scenario's name begins with.

    So the files of all other worlds need not be read.
    """
    for suite in sorted(suites().values(), key=lambda suite: not name.startswith(suite.name)):
        yield suite, _scenarios_of((suite,), tuple(ADDED.folders))


def listed_scenario(name: str) -> ScenarioInfo | None:
    """Finds the listed scenario of a full or short name; None if there is none."""
    known = (scenario for _, of_world in _scenarios_by_world(name) for scenario in of_world.values())
    return next((scenario for scenario in known if name in (scenario.name, scenario.short_name)), None)


def scenario_named(name: str) -> ScenarioInfo:
    """Returns the scenario of a full name; for an unknown name a placeholder in the group `Other scenarios`."""
    try:
        listed = (of_world.get(name) for _, of_world in _scenarios_by_world(name))
        scenario = next(filter(None, listed), None) or unlisted_scenario(name)
    except ConfigError:
        scenario = None
    return scenario or ScenarioInfo("", name, name, "Other scenarios")


def scenario_place(name: str) -> tuple[int, int]:
    """The places of the world of a scenario, by its full name, among all and of it in there; unknown ones are last."""
    worlds = [*suites().values()]
    found = next((suite for suite, of_world in _scenarios_by_world(name) if name in of_world), None)
    return (worlds.index(found), _places_in(found, tuple(ADDED.folders))[name]) if found else (len(worlds), 0)


@cache
def _places_in(world: Suite, folders: tuple[str, ...]) -> Mapping[str, int]:
    return {name: place for place, name in enumerate(_scenarios_of((world,), folders))}


def unlisted_scenario(name: str) -> ScenarioInfo | None:
    """Finds a scenario that no world lists, None if there is none of the name; raises ConfigError as `Suite.find`."""
    return next(filter(None, (suite.find(name) for suite in suites().values())), None)
