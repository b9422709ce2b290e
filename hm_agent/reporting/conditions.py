"""Conditions: an agent with its model and settings. Episodes of one condition are averaged; conditions are compared."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TypeAlias

from hm_agent.catalogue.casting import ignores
from hm_agent.catalogue.registry import agent_names, own_agents, scenario_named, shared_agents, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Option, OwnAgent, Setting
from hm_agent.grouping import grouped
from hm_agent.metrics import Measure
from hm_agent.models.sources import text_hash
from hm_agent.process.shell import printable
from hm_agent.recording.making import PROMPTS_DIR
from hm_agent.recording.result import BOTS_FILE, CODE, ENDPOINT, NETWORKS, OWN_FILE, Result
from hm_agent.theory_of_mind.hypotheses import Parameters

Settings = tuple[tuple[str, Setting], ...]
Labels: TypeAlias = "Mapping[Condition, str]"
"""What a report calls each condition."""
UNKNOWN = "unknown"
"""The value of a setting that a result does not record."""
MEASURE = "measure"
PROMPTS, SERVED = "prompts", "served"
SOURCES = (PROMPTS, SERVED, ENDPOINT, CODE, NETWORKS)
"""What is a setting of its own only if it differs between the results of one agent and model: a hash of the prompts'
templates, the names by which endpoints call the models, where these are, a hash of the user's code and, if it differs
in one scenario, of trained networks."""
_DEFAULTS = asdict(Parameters())
"""The hyperparameters by name, as they are unless a flag says otherwise."""
SCENARIOS_FILES = (OWN_FILE, BOTS_FILE)
"""Hashes of what makes a scenario, which differ from one to the next."""


def _sources(result: Result, templates: Iterable[str]) -> Mapping[str, str]:
    """The result's sources as settings. templates: those that count."""
    hashes = {name: result.prompts[name] for name in sorted(templates) if name in result.prompts}
    said = {PROMPTS: text_hash(str(hashes)) if hashes else "", SERVED: "+".join(sorted(result.served))}
    return {name: value for name, value in said.items() if value}


def _options(world: str) -> Sequence[Option]:
    """The options of a world; none where it is not installed."""
    return suites()[world].options if world in suites() else ()


def scenario_of(result: Result) -> ScenarioInfo:
    """The scenario of a result, with the measure that the result records."""
    return scenario_named(result.scenario).measured_by(result.measure)


@dataclass(frozen=True)
class Condition:
    """What episodes must have in common to be averaged.

    settings: by flag, sorted, without the base seed and the world's options that are not set: results of before there
    was such an option lack it. measure: None for the one that the scenario has at present. idle: hyperparameters that
    change nothing here, which no label shows.
    """

    agent: str
    model: str
    settings: Settings = ()
    measure: Measure | None = None
    idle: frozenset[str] = field(default=frozenset(), compare=False)

    @classmethod
    def of(cls, result: Result) -> Condition:
        given = {**result.settings, **_sources(result, result.prompts)}
        unset = {option.name for option in _options(result.world) if given.get(option.name) is None}
        settings = sorted((flag, value) for flag, value in given.items() if flag not in {"seed", *unset})
        has_present = result.measure in (None, scenario_named(result.scenario).metric.measure)
        return cls(result.agent, result.model, tuple(settings), None if has_present else result.measure)

    def world_settings(self, world: str) -> Settings:
        """What paired episodes must agree in: length, measure and the settings that change the world; None if not set.

        The measure stands there only if it is not the scenario's present one.
        """
        options, own = _options(world), dict(self.settings)
        flags = ["max_steps", *(option.name for option in options if option.changes_world)]
        files = {*SCENARIOS_FILES, *(option.hash_setting for option in options)}
        agreed = tuple((flag, own.get(flag)) for flag in (*flags, *sorted(own.keys() & files)))
        return (*agreed, (MEASURE, str(self.measure))) if self.measure else agreed

    def without_effect_of(self, idle: frozenset[str]) -> Condition:
        """The same condition with the defaults of the named hyperparameters."""
        settings = tuple((flag, _DEFAULTS[flag] if flag in idle else value) for flag, value in self.settings)
        return replace(self, settings=settings, idle=idle)

    @property
    def is_world_reference(self) -> bool:
        """True if the agents of all seats are references of a world."""
        return _are_references(self.agent, own_agents())


def _are_references(names: str, own: Mapping[str, OwnAgent]) -> bool:
    return all(name in own and own[name].is_reference for name in names.split("+"))


def is_reference(condition: Condition, scenario: ScenarioInfo, alone: Container[str] = ()) -> bool:
    """True if the agent is a yardstick for others and not compared itself: floor, ceiling or a world's reference.

    alone: the worlds of which only references were played (`only_references`): of these, floor and ceiling alone are.
    """
    is_end = condition.agent in (scenario.metric.floor, scenario.metric.ceiling)
    return is_end or (condition.is_world_reference and scenario.world not in alone)


def only_references(results: Iterable[Result]) -> frozenset[str]:
    """The worlds of which only references were played, so that there is nobody else to compare."""
    played = {(result.world, result.agent, result.model) for result in results}
    others = {world for world, agent, model in played if not Condition(agent, model).is_world_reference}
    return frozenset(world for world, _, _ in played) - others


def matching_reference(
    agent: str | None, world: str, condition: Condition, known: Iterable[Condition]
) -> Condition | None:
    """The agent's condition with this one's world settings and, if possible, its model and other settings.

    None if no known condition fits.
    """
    candidates = [
        reference
        for reference in known
        if reference.agent == agent and reference.world_settings(world) == condition.world_settings(world)
    ]

    def distance(reference: Condition) -> tuple[bool, bool]:
        return reference.model != condition.model, reference.settings != condition.settings

    return min(candidates, key=distance, default=None)


def conditions_of(results: Sequence[Result]) -> list[Condition]:
    """The condition of each result, in the order of the results.

    A world's option is left out if it does not vary among the world's results. Otherwise an agent would be split in
    two by playing a second world, which lacks the option, or a scenario the option does not apply to (None). The hash
    of a scenario's own file or bots is left out, too, unless it varies within a scenario; `SOURCES`, unless they vary
    between the results of one agent and model in a world. Of prompts, only templates count that do (`folders_named`).
    Hyperparameters that change nothing an agent does have their defaults.
    """
    fixed, alike, idle = _fixed_options(results), _AlikeSources(results), _always_idle(results)
    conditions = []
    for result in results:
        condition = Condition.of(result).without_effect_of(idle[result.agent])
        settings = {flag: value for flag, value in condition.settings if (result.world, flag) not in fixed}
        conditions.append(replace(condition, settings=tuple(sorted(alike.left_out(result, settings).items()))))
    return folders_named(results, conditions)


class IdleParameters:
    """Knows the hyperparameters that change nothing that the agents of a result do in its scenario."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], frozenset[str]] = {}

    def of(self, result: Result) -> frozenset[str]:
        """Empty if an agent is not known here, e.g. one of the user's own, whose module is not imported for this."""
        place = result.agent, result.scenario
        if place not in self._found:
            self._found[place] = frozenset(self._find(result))
        return self._found[place]

    def _find(self, result: Result) -> Iterable[str]:
        scenario, agents = scenario_named(result.scenario), result.agent.split("+")
        suite = suites().get(scenario.world)
        if suite is None or not set(agents) <= {*suite.own_agents, *shared_agents()}:
            return ()
        return (name for name in _DEFAULTS if all(ignores(agent, name, scenario) for agent in agents))


def _always_idle(results: Iterable[Result]) -> Mapping[str, frozenset[str]]:
    """By agents, the hyperparameters that are idle in all scenarios that they played, so that these stay one row."""
    idle, always = IdleParameters(), dict[str, frozenset[str]]()
    for result in results:
        always[result.agent] = idle.of(result) & always.get(result.agent, idle.of(result))
    return always


def folders_named(results: Sequence[Result], conditions: Sequence[Condition]) -> list[Condition]:
    """The condition of each result, with the folder that prompts came from before their hash: `mine:3f5a0c...`.

    A hash stays as it is unless all of its results tell one folder, so that a renamed one is no other condition.
    """
    settings = [dict(condition.settings) for condition in conditions]
    told = grouped(
        (own.get(PROMPTS), result.made.get(PROMPTS_DIR)) for own, result in zip(settings, results, strict=True)
    )
    names: dict[Setting, Setting] = {
        digest: f"{found[0]}:{digest}" for digest, found in told.items() if found[0] and len(set(found)) == 1
    }
    return [
        replace(
            one,
            settings=tuple((flag, names.get(own[flag], own[flag]) if flag == PROMPTS else own[flag]) for flag in own),
        )
        for one, own in zip(conditions, settings, strict=True)
    ]


class _AlikeSources:
    """Knows which sources do not differ between the results of one agent and model in a world."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._values: dict[tuple[object, ...], set[Setting]] = {}
        for result in results:
            told: dict[object, Setting] = {(PROMPTS, name): digest for name, digest in result.prompts.items()}
            told |= {name: result.settings.get(name) for name in (ENDPOINT, CODE, NETWORKS)}
            for name, value in (*told.items(), *_sources(result, ()).items()):
                self._values.setdefault(_place(result, name), set()).add(value)

    def left_out(self, result: Result, settings: Mapping[str, Setting]) -> Mapping[str, Setting]:
        """The settings without the sources that are alike; the hash of prompts is that of the templates that differ."""
        changed = [name for name in result.prompts if self._differs(result, (PROMPTS, name))]
        kept = {name: value for name, value in settings.items() if name not in SOURCES or self._differs(result, name)}
        return {**kept, **{name: value for name, value in _sources(result, changed).items() if name == PROMPTS}}

    def _differs(self, result: Result, name: object) -> bool:
        return len(self._values.get(_place(result, name), ())) > 1


def _place(result: Result, source: object) -> tuple[object, ...]:
    """Where a source has to be alike."""
    return result.world, result.agent, result.model, source, result.scenario if source == NETWORKS else None


def _fixed_options(results: Iterable[Result]) -> set[tuple[str, str]]:
    """(world, flag) of the options with one value in each scenario, and at most one beside None in all of them.

    What scenarios are made of differs between them, so its hash only has to be the same within each scenario, and that
    of bots among the results that have one: which bots these are stands in an option of its own.
    """
    values: dict[tuple[str, str], dict[str, set[Setting]]] = {}
    for result in results:
        options = _options(result.world)
        files = {option.hash_setting for option in options if option.hash_setting}
        for flag in (*SCENARIOS_FILES, *(option.name for option in options), *files):
            if flag == BOTS_FILE and flag not in result.settings:
                continue
            by_scenario = values.setdefault((result.world, flag), {})
            value = result.settings.get(flag, None if flag in files else UNKNOWN)
            by_scenario.setdefault(result.scenario, set()).add(value)
    return {
        key
        for key, by_scenario in values.items()
        if all(len(settings) == 1 for settings in by_scenario.values())
        and (key[1] in SCENARIOS_FILES or len(set().union(*by_scenario.values()) - {None}) < 2)
    }


def count_agents(labelled: Iterable[tuple[str, str]]) -> int:
    """How many agents play, each in as many ways as it has labels; one that only met others, as in `react+vmp`, once.

    labelled: the agents of conditions, and their labels.
    """
    found = set(labelled)
    alone = {(agent, label) for agent, label in found if "+" not in agent}
    met = {agent for agents, _ in found - alone for agent in agents.split("+")}
    return len(alone) + len(met - {agent for agent, _ in alone})


def in_order(conditions: Iterable[Condition]) -> list[Condition]:
    """Each condition once: agents in the order of the registry, then unknown ones, then references.

    Conditions of one agent and model are sorted by how many of the worlds' options differ from their defaults.
    """
    known, own = agent_names(), own_agents()
    defaults = {(option.name, option.default) for suite in suites().values() for option in suite.options}
    optional = {name for name, _ in defaults}

    def sort_key(condition: Condition) -> tuple[bool, int, str, str, int, str, str]:
        agent, settings = condition.agent, condition.settings
        number = known.index(agent) if agent in known else len(known)
        changed = sum(flag in optional and (flag, value) not in defaults for flag, value in settings)
        measure = str(condition.measure or "")
        return _are_references(agent, own), number, agent, condition.model, changed, str(settings), measure

    return sorted(set(conditions), key=sort_key)


def labels(conditions: Sequence[Condition], *, with_model: bool = True) -> Labels:
    """A short name for each condition: the agent and, in brackets, the model, settings and unit that differ.

    A flag without a value is not shown, e.g. `max_steps` of whole episodes, nor an idle hyperparameter, nor the present
    unit of a scenario. Control characters, which are not allowed in SVG files, are escaped. with_model: False if the
    model is shown elsewhere.
    """
    shows_model = with_model and len({condition.model for condition in conditions}) > 1
    shows_unit = len({condition.measure for condition in conditions}) > 1
    settings = [dict(condition.settings) for condition in conditions]
    flags = sorted({flag for values in settings for flag in values})
    varying = [flag for flag in flags if len({repr(values.get(flag, UNKNOWN)) for values in settings}) > 1]
    options = [option for suite in suites().values() for option in suite.options]
    optional = {flag for option in options for flag in (option.name, option.hash_setting)}
    names = {}
    for condition in conditions:
        details = [condition.model] if shows_model else []
        for flag in varying:
            value = dict(condition.settings).get(flag, UNKNOWN)
            if value is not None and flag not in condition.idle and not (flag in optional and value == UNKNOWN):
                details.append(f"{flag}={value}")
        if shows_unit and condition.measure:
            details.append(condition.measure.unit)
        names[condition] = printable(f"{condition.agent} ({', '.join(details)})" if details else condition.agent)
    return names
