"""Finds worlds, scenarios and agents by name: the package's own, other packages' (entry points), and registered ones.

`WORLDS` says where each world's suite is (`module:name`). Suites are imported when scenarios or flags are needed, a
world's simulator only when one of its scenarios is opened.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hm_agent.config import ConfigError
from hm_agent.core import Agent
from hm_agent.extensions import ADDED, check_call, check_name, is_place, load_place, nearest
from hm_agent.grouping import grouped
from hm_agent.models.settings import PERSON
from hm_agent.scenario import ScenarioInfo
from hm_agent.suite import AgentSetup, OwnAgent, Setting, Suite
from hm_agent.wording import first_of, listed

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
MOST_STEMS = 12
"""Of more kinds of scenarios, an error message tells only how their names begin."""
CEILINGS, FLOOR = ("ceiling", "oracle"), "floor"
"""Names that stand for the agents by which a scenario's score is measured, whatever they are called in its world."""


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

    Raises ConfigError if there is no such folder, or if a file has errors that can be found without the simulator.
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
    """Returns every `OwnAgent` by name: the users' and other packages', and those of single worlds."""
    shared = {name: agent for name, agent in shared_agents().items() if isinstance(agent, OwnAgent)}
    return shared | {name: agent for suite in suites().values() for name, agent in suite.own_agents.items()}


def ablated_agent(name: str) -> str | None:
    """Returns the agent that another is an ablation of; None for an agent that is none, and for an unknown one."""
    agent = {**own_agents(), **shared_agents()}.get(name)
    return (agent.ablation_of or None) if agent else None


def _own_agent(name: str, scenario: ScenarioInfo) -> OwnAgent | None:
    """Returns the `OwnAgent` of this name that would play a scenario, None for a recipe or an unknown name."""
    agent = suites()[scenario.world].own_agents.get(name) or shared_agent(name)
    return agent if isinstance(agent, OwnAgent) else None


def agent_names() -> list[str]:
    """Returns the names of all agents, first those that belong to no single world."""
    return list(dict.fromkeys([*shared_agents(), *own_agents()]))


def find_agents(patterns: Sequence[str], played: Sequence[ScenarioInfo] = ()) -> tuple[str, ...]:
    """Resolves names and globs to agents, in their order; raises ConfigError for a pattern that matches none.

    An agent of several patterns is there several times: it may take several seats, or have several models. played: the
    scenarios to play: a glob matches only agents that can play all of them, a name always matches.
    """
    known = agent_names()
    able = {name for name in known if all(can_play(name, scenario) for scenario in played)}
    asked_by = {name: agent.asked_by for name, agent in own_agents().items()}
    agents: list[str] = []
    for pattern in patterns:
        if is_place(pattern) and pattern not in known:
            shared_agent(pattern)
            agents.append(pattern)
            continue
        if pattern in (*CEILINGS, FLOOR):
            agents.append(pattern)
            continue
        globbed = [name for name in known if asked_by.get(name, "") in pattern and fnmatchcase(name, pattern)]
        matching = [pattern] if pattern in known else [name for name in globbed if name in able]
        if not globbed:
            if pattern.isidentifier() and Path(f"{pattern}.py").is_file():
                raise ConfigError(f"{pattern} is a module: say what in it builds the agent, e.g. {pattern}:build")
            offered = [name for name in known if name in able] or known
            names = f"{nearest(pattern, known)}there are {first_of(offered)}"
            raise ConfigError(f"unknown agent {pattern!r}: {names}; see hm-agent list")
        if not matching:
            raise ConfigError(f"no agent of {pattern!r} can play all of these scenarios: {', '.join(globbed)}")
        agents += matching
    return tuple(agents)


def can_play(agent: str, scenario: ScenarioInfo) -> bool:
    """True if an agent can take a seat in a scenario."""
    if own := _own_agent(agent, scenario):
        return own.plays(scenario)
    return _lacking(agent, scenario) == ()


def _lacking(agent: str, scenario: ScenarioInfo) -> Sequence[type[BasicMind]] | None:
    """What an agent of no single world needs and a scenario's world does not offer; None if it can't play any way."""
    recipe, offers = shared_agent(agent), suites()[scenario.world].offers_in(scenario)
    if recipe is None or isinstance(recipe, OwnAgent) or offers is None:
        return None
    offered = {kind for offer in offers for kind in offer.__mro__}
    return tuple(need for need in recipe.needs if need not in offered)


def stand_ins(name: str, scenario: ScenarioInfo) -> tuple[str, ...]:
    """The agents that a name stands for in a scenario: itself; for `ceiling` and `oracle` the metric's ceiling.

    `floor` is the metric's floor or, where it names none, every shortcut that can play there, of which reports take the
    best. Empty if the scenario's score has no such end, but a world's own `oracle` stays what it is.
    """
    metric, suite = scenario.metric, suites()[scenario.world]
    if name in shared_agents() or name not in (*CEILINGS, FLOOR):
        return (name,)
    if name in CEILINGS:
        return (metric.ceiling,) if metric.ceiling else (name,) if name in suite.own_agents else ()
    shortcuts = tuple(agent for agent in suite.shortcuts if can_play(agent, scenario)) if metric.ceiling else ()
    return (metric.floor,) if metric.floor else shortcuts


def obstacle(agent: str, scenario: ScenarioInfo, model: str) -> str:
    """Why an agent can't play a scenario, or can't with the model of its seat, in a few words; empty if it can."""
    own, suite = _own_agent(agent, scenario), suites()[scenario.world]
    if own and own.plays(scenario):
        return "" if own.only_model in (None, model) else f"it works only with the model {own.only_model}"
    if lacking := () if own else _lacking(agent, scenario):
        from hm_agent.agents.agent import words_of

        return f"it needs {words_of(lacking)}, which {scenario.world} does not offer there"
    if can_play(agent, scenario):
        return ""
    if own:
        return "it is made for other scenarios"
    homes = [home.title for home in suites().values() if agent in home.own_agents]
    return f"it belongs to {listed(homes)}" if homes else f"{suite.title} is played by its own agents alone"


def check_agent(agent: str, scenario: ScenarioInfo, model: str) -> None:
    """Raises ConfigError if an agent can't play a scenario, or can't with the model of its seat."""
    if not can_play(agent, scenario):
        able = [name for name in agent_names() if can_play(name, scenario)]
        lacking = None if _own_agent(agent, scenario) else _lacking(agent, scenario)
        why = f" ({obstacle(agent, scenario, model)})" if lacking else ""
        raise ConfigError(f"{agent} can't play {scenario.short_name}{why}: {first_of(able)} can")
    own = _own_agent(agent, scenario)
    if own and own.only_model not in (None, model):
        raise ConfigError(f"{agent} works only with the model {own.only_model}, not with {model}")


def check_options(agent: str, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> None:
    """Raises ConfigError if an agent can't play a scenario with the world's settled options."""
    if own := _own_agent(agent, scenario):
        own.check(scenario, options)


def build_agent(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    """Builds an agent for one seat, after `check_agent` has found that it can play there."""
    agent = _own_agent(name, setup.scenario) or shared_agent(name)
    assert agent is not None, "check the agent first"
    if isinstance(agent, OwnAgent):
        return agent.build(setup)
    return agent.build(suites()[setup.scenario.world].body(setup), setup.model, setup.parameters)


def scenarios() -> Mapping[str, ScenarioInfo]:
    """Returns all listed scenarios by full name, world by world."""
    return _scenarios_of(tuple(suites().values()), tuple(ADDED.folders))


@cache
def _scenarios_of(worlds: tuple[Suite, ...], folders: tuple[str, ...]) -> Mapping[str, ScenarioInfo]:
    """folders: only part of the cache's key, since suites list more scenarios once a folder is registered."""
    return {scenario.name: scenario for suite in worlds for scenario in suite.scenarios}


def scenario_named(name: str) -> ScenarioInfo:
    """Returns the scenario of a full name; for an unknown name a placeholder in the group `Other scenarios`."""
    try:
        scenario = scenarios().get(name) or _unlisted(name)
    except ConfigError:
        scenario = None
    return scenario or ScenarioInfo("", name, name, "Other scenarios")


def _unlisted(name: str) -> ScenarioInfo | None:
    """Finds a scenario that no world lists, None if there is none of the name; raises ConfigError as `Suite.find`."""
    return next(filter(None, (suite.find(name) for suite in suites().values())), None)


def find_scenarios(patterns: Iterable[str], options: Mapping[str, Setting] | None = None) -> tuple[ScenarioInfo, ...]:
    """Resolves names and globs to scenarios, each once, in order; raises ConfigError if a pattern matches none.

    options: with which they are to be played, if they are; globs then leave out those that lack what they need, unless
    they match no others.
    """
    resolved: dict[str, ScenarioInfo] = {}
    for pattern in patterns:
        matching = _matching(pattern)
        playable = [one for one in matching if options is None or not suites()[one.world].lacks(one, options)]
        resolved |= {scenario.name: scenario for scenario in playable or matching}
    return tuple(resolved.values())


def passed_over_lines(patterns: Sequence[str], found: Iterable[ScenarioInfo]) -> Iterator[str]:
    """A line for each need for which globs left scenarios out. found: by `find_scenarios`."""
    matching, kept = (one for pattern in patterns for one in _matching(pattern)), set(found)
    for needs, names in grouped(
        (one.needs, one.short_name) for one in dict.fromkeys(matching) if one not in kept
    ).items():
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield f"{names[0]}{more}, for want of {needs}"


def _matching(pattern: str) -> list[ScenarioInfo]:
    """The scenarios that a name or a glob matches; raises ConfigError if there are none."""
    named = [
        scenario
        for scenario in scenarios().values()
        if fnmatchcase(scenario.short_name, pattern) or fnmatchcase(scenario.name, pattern)
    ]
    asked = [scenario for scenario in named if scenario.asked_by in pattern]
    matching = asked or [scenario for scenario in [_unlisted(pattern)] if scenario]
    if named and not matching:
        first = named[0]
        raise ConfigError(
            f"scenario {pattern!r}: a glob finds {first.short_name} and its like only if it says {first.asked_by!r}"
        )
    if not matching:
        near = _begun(pattern) or nearest(
            pattern, (name for known in scenarios().values() for name in (known.short_name, known.name))
        )
        raise ConfigError(f"unknown scenario {pattern!r}: {near}{_hint(pattern)}; see --list")
    return matching


def _begun(pattern: str) -> str:
    """`did you mean NAME*, e.g. SHORT? ` if full names of scenarios begin so; else empty."""
    found = [scenario for scenario in scenarios().values() if scenario.name.startswith(pattern)] if pattern else []
    return f"did you mean '{pattern}*', e.g. {found[0].short_name}? " if found else ""


def _hint(pattern: str) -> str:
    """Names the scenarios with as many of its first words as any has, numbered ones as ranges.

    If none has any, or they are of more than MOST_STEMS kinds, it says how their names begin.
    """
    names = [scenario.short_name for scenario in scenarios().values()]
    words = pattern.split("_")
    counts = range(len(words), 0, -1)
    alike = (([name for name in names if name.split("_")[:count] == words[:count]], count) for count in counts)
    near, shared = next(((found, count) for found, count in alike if found), (names, 0))
    groups = grouped((stem, ending) for stem, _, ending in (name.rpartition("_") for name in near))
    if not shared or len(groups) > MOST_STEMS:
        begin = dict.fromkeys("_".join(name.split("_")[: shared + 1]) for name in near)
        return f"names begin with {', '.join(begin)}"
    return "; ".join(f"{stem} has {_joined_endings(endings)}" for stem, endings in groups.items())


def _joined_endings(endings: Sequence[str]) -> str:
    """Joins the last parts of names; all numbers become one range, e.g. `0 to 9 and selfplay`."""
    numbers = [ending for ending in endings if ending.isdecimal()]
    others = [ending for ending in endings if not ending.isdecimal()]
    numbered = [f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else numbers[0]] if numbers else []
    return " and ".join([*numbered, *others])
