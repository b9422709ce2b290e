"""Finds scenarios and agents by the names and globs that a user types; says what is there if nothing matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from hm_agent.catalogue.casting import CEILINGS, FLOOR, can_play
from hm_agent.catalogue.registry import (
    agent_names,
    listed_scenario,
    own_agents,
    scenarios,
    shared_agent,
    suites,
    unlisted_scenario,
)
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError
from hm_agent.extensions import is_place, nearest
from hm_agent.grouping import grouped
from hm_agent.wording import first_of

MOST_STEMS = 12
"""Of more kinds of scenarios, an error message tells only how their names begin."""


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


def find_scenario(pattern: str, options: Mapping[str, Setting] | None = None) -> ScenarioInfo:
    """Resolves a name to one scenario, as `find_scenarios`; raises ConfigError for a pattern that matches several."""
    found = find_scenarios([pattern], options)
    if len(found) > 1:
        raise ConfigError(f"{pattern!r} matches {len(found)} scenarios: name one")
    return found[0]


def passed_over_lines(patterns: Sequence[str], found: Iterable[ScenarioInfo]) -> Iterator[str]:
    """A line for each need for which globs left scenarios out. found: by `find_scenarios`."""
    matching, kept = (one for pattern in patterns for one in _matching(pattern)), set(found)
    for needs, names in grouped(
        (one.needs, one.short_name) for one in dict.fromkeys(matching) if one not in kept
    ).items():
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        yield f"{names[0]}{more}, for want of {needs}"


def named_like(pattern: str) -> list[ScenarioInfo]:
    """All listed scenarios whose short or full name is a name or matches a glob."""
    return [
        info
        for info in scenarios().values()
        if any(fnmatchcase(name, pattern) for name in (info.short_name, info.name))
    ]


def _matching(pattern: str) -> list[ScenarioInfo]:
    """The scenarios that a name or a glob matches; raises ConfigError if there are none."""
    if (only := listed_scenario(pattern)) and only.asked_by in pattern:
        return [only]
    named = named_like(pattern)
    asked = [scenario for scenario in named if scenario.asked_by in pattern]
    matching = asked or [scenario for scenario in [unlisted_scenario(pattern)] if scenario]
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
    """Names the scenarios with as many of its first words as any has, of numbered ones the range.

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
    numbered = {stem: endings for stem, endings in groups.items() if sum(map(str.isdecimal, endings)) > 1}
    others = [f"{stem}_{ending}" for stem, endings in groups.items() if stem not in numbered for ending in endings]
    ranges = [f"{stem} has {_joined_endings(endings)}" for stem, endings in numbered.items()]
    return "; ".join([*ranges, *([f"there are {first_of(others)}"] if others else [])])


def _joined_endings(endings: Sequence[str]) -> str:
    """Joins the last parts of names, several of them numbers, which become one range, e.g. `0 to 9 and selfplay`."""
    numbers = [ending for ending in endings if ending.isdecimal()]
    others = [ending for ending in endings if not ending.isdecimal()]
    return " and ".join([f"{numbers[0]} to {numbers[-1]}", *others])


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
            file, _, name = pattern.partition(":")
            if "/" in file or file.endswith(".py"):
                place = f"{Path(file).stem}:{name or 'build'}"
                raise ConfigError(f"{pattern} is a path: say {place}, with {Path(file).parent} in PYTHONPATH")
            offered = [name for name in known if name in able] or known
            names = f"{nearest(pattern, known)}there are {first_of(offered)}"
            raise ConfigError(f"unknown agent {pattern!r}: {names}; see hm-agent list")
        if not matching:
            raise ConfigError(f"no agent of {pattern!r} can play all of these scenarios: {', '.join(globbed)}")
        agents += matching
    return tuple(agents)


def find_agent(pattern: str) -> str:
    """Resolves a name to one agent; raises ConfigError for a pattern that matches none, or several."""
    found = find_agents((pattern,))
    if len(found) > 1:
        raise ConfigError(f"agent {pattern!r}: name one of {first_of(found)}")
    return found[0]
