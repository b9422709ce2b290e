"""What `hm-agent list` prints: scenarios, agents and models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile

from hm_agent.catalogue.finding import find_agents, find_scenarios, named_like
from hm_agent.catalogue.registry import agent_names, scenarios, shared_agents, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Suite
from hm_agent.config import ConfigError
from hm_agent.grouping import grouped
from hm_agent.models.settings import BUILTIN, PERSON, PRESETS
from hm_agent.wording import first_of, listed

MODELS = (
    (BUILTIN, "the built-in reasoner: it calculates, is no language model and needs no key"),
    (PERSON, "a person at this machine, in the terminal or with --page in a browser; --agent=human is asked so"),
    ("local:smollm2", "a language model of 135M parameters in this process; needs the extra hm_agent[local]"),
    ("local:PATH", "the language model of a GGUF file, in this process; needs the same"),
    ("any other name", "a language model of that name, behind an OpenAI-compatible endpoint"),
)
"""Each kind of name that --model takes, and what it stands for."""
ONE_BY_ONE = (
    "One by one: hm-agent list --scenario='rws_*' --agent='order_*'",
    "By the order of mind that they need: hm-agent list --needs_order=2",
)
SHORTEST_COLUMN = 27
"""The least width of the names in lists, so that the columns of most sections are aligned."""
MOST_GLOBS = 3
"""Of a kind of scenarios with more names than this, the overview tells how all begin, or the first names."""
_NUMBER = re.compile(r"\d+(_[ab])?$")
"""The end of a scenario's name by which it differs from others of its kind."""


def overview() -> Sequence[str]:
    """The lines on what there is: the kinds of scenarios and of agents of each world, and the models."""
    lines: list[str] = []
    for suite in suites().values():
        lines += [f"Scenarios of {suite.title}:", *_columns(kinds_of(suite))]
    lines += ["Agents of several worlds:", *_columns((name, agent.about) for name, agent in shared_agents().items())]
    for suite in suites().values():
        lines += [f"Agents of {suite.title}:", *_columns(_agents_by_kind(suite))] if suite.own_agents else []
    lines += ["Models:", *_columns(MODELS)]
    lines += ["Presets of models, for --preset:", *_columns((name, preset.name) for name, preset in PRESETS.items())]
    return [*lines, *ONE_BY_ONE]


def one_by_one(scenario_patterns: Sequence[str], agent_patterns: Sequence[str]) -> Iterator[str]:
    """Yields each scenario and each agent that names or globs match, by world; ConfigError if a pattern matches none.

    Unlike `find_scenarios`, a glob need not say `selfplay` or the like to match such names.
    """
    matching = [info for pattern in scenario_patterns for info in named_like(pattern) or find_scenarios([pattern])]
    for suite in suites().values():
        if found := [info for info in dict.fromkeys(matching) if info.world == suite.name]:
            yield f"Scenarios of {suite.title}:"
            yield from _columns(map(_scenario_row, found))
    wanted = set(find_agents(agent_patterns)) | {
        name for name in agent_names() for pattern in agent_patterns if fnmatchcase(name, pattern)
    }
    worlds = {f"Agents of {suite.title}:": suite.own_agents for suite in suites().values()}
    for title, agents in {"Agents of several worlds:": shared_agents(), **worlds}.items():
        if rows := [(name, agent.about) for name, agent in agents.items() if name in wanted]:
            yield title
            yield from _columns(rows)


def needing(order: int) -> Iterator[str]:
    """Yields the scenarios that need an order, by world with how that is known, and how many separate nobody.

    Raises ConfigError for an order that none needs.
    """
    needed = sorted({info.needs_order for info in scenarios().values() if info.needs_order is not None})
    if order not in needed:
        raise ConfigError(f"--needs_order={order}: no scenario needs it; say {listed(list(map(str, needed)), 'or')}")
    for name, suite in suites().items():
        found = [info for info in scenarios().values() if info.world == name and info.needs_order == order]
        if found:
            yield f"Scenarios of {suite.title} that need order {order}, {suite.needs_are}:"
            yield from _columns((info.short_name, info.about) for info in found)
    easy = sum(info.separates_nobody for info in scenarios().values())
    yield f"{easy} scenarios separate nobody: a shortcut does about as well as any mind; lists one by one mark them."


def kinds_of(suite: Suite) -> Iterator[tuple[str, str]]:
    """Yields each kind of scenarios with how many there are, under which names, and what they need if all need it."""
    kinds = grouped((info.family or info.group, info) for info in suite.scenarios)
    for kind, infos in kinds.items():
        needs = {_need(info) for info in infos}
        yield kind, f"{len(infos):3} {_globs(infos, suite.scenarios)}{needs.pop() if len(needs) == 1 else ''}"


def _globs(infos: Sequence[ScenarioInfo], among: Sequence[ScenarioInfo]) -> str:
    """The names of scenarios, told by few globs, by which `--scenario` finds no others."""

    def is_theirs(glob: str) -> bool:
        return all(info in infos for info in among if info.asked_by in glob and fnmatchcase(info.short_name, glob))

    globs: list[str] = []
    for stem, names in grouped((_NUMBER.sub("", info.short_name), info.short_name) for info in infos).items():
        glob = next(filter(is_theirs, (f"{stem}*", f"{stem}?")), None)
        globs += names if glob is None or len(names) == 1 else [glob]
    words = zip(*(info.short_name.split("_") for info in infos), strict=False)
    of_all = "".join(f"{word}_" for word, *others in takewhile(lambda each: len(set(each)) == 1, words)) + "*"
    return of_all if len(globs) > MOST_GLOBS and is_theirs(of_all) else first_of(globs, MOST_GLOBS)


def _agents_by_kind(suite: Suite) -> Iterator[tuple[str, str]]:
    """Yields the agents of a world with what they do, and how many model no mind."""
    yield from ((name, agent.about) for name, agent in suite.own_agents.items() if name not in suite.shortcuts)
    if suite.shortcuts:
        yield "shortcuts", f"{len(suite.shortcuts)} agents that model no mind: {first_of(list(suite.shortcuts))}"


def _scenario_row(info: ScenarioInfo) -> tuple[str, str]:
    """The name and what it is about, with its full name if that is another."""
    about = f"{info.about}{_need(info)}"
    return info.short_name, about if info.name == info.short_name else f"{about}   ({info.name})"


def _need(info: ScenarioInfo) -> str:
    """What a scenario needs, or that it separates nobody, as the end of a line; empty if that is not known."""
    if info.separates_nobody:
        return "; separates nobody"
    needs = info.needs if info.needs_order is None else f"order {info.needs_order}"
    return f"; needs {needs}" if needs else ""


def _columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Formats pairs of name and description as lines of two columns."""
    lines = list(rows)
    width = max(SHORTEST_COLUMN, *(len(name) for name, _ in lines))
    return [f"  {name:<{width}} {about}" for name, about in lines]
