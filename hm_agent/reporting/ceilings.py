"""Whether the ceiling agent is one: how often it was told something, and who did better than it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.recording.result import Result
from hm_agent.reporting.comparing import episode_values, paired
from hm_agent.reporting.conditions import Condition
from hm_agent.reporting.statistics import CONFIDENCE, ClusteredMean, paired_difference
from hm_agent.reporting.tables import Row
from hm_agent.suite import ScenarioInfo
from hm_agent.wording import counted, listed, number

WELL_TOLD = 0.95
"""From this share of steps and players on, a ceiling agent counts as told: a player's first steps may tell nothing."""

CHANCE = (1 - CONFIDENCE) / 2
"""The share of intervals that lie above a true value."""


def told_mark(share: float | None) -> str:
    """What a table says beside the mean of a ceiling agent that was told nothing, or not always; else empty."""
    if share is None or share >= WELL_TOLD:
        return ""
    return "told nothing" if share == 0 else f"told {_percent(share)}"


def _percent(share: float) -> str:
    """At least 1%, for a share that is not 0."""
    return f"{max(share, 0.01):.0%}"


@dataclass(frozen=True)
class CeilingGap:
    """An agent beside the ceiling of a scenario. difference: agent less ceiling, over the same seeds."""

    scenario: ScenarioInfo
    condition: Condition
    ceiling: Condition
    difference: ClusteredMean

    @property
    def is_exceeded(self) -> bool:
        """True if the agent did better and the interval excludes 0."""
        is_better = (self.difference.mean > 0) == self.scenario.metric.higher_is_better
        return is_better and not self.difference.is_open


def ceiling_gaps(results: Sequence[Result], rows: Iterable[Row]) -> list[CeilingGap]:
    """Each agent beside the ceiling in each scenario, where both have common episodes."""
    values = episode_values(results, with_references=True)
    found = []
    for row in rows:
        if row.ceiling_reference is None or row.is_reference:
            continue
        ceiling = row.ceiling_reference.condition
        differences = paired(values.get(row.condition, {}), values[ceiling]).get(row.scenario.name, [])
        if (difference := paired_difference({row.scenario.name: differences})) is not None:
            found.append(CeilingGap(row.scenario, row.condition, ceiling, difference))
    return found


def told_notes(rows: Iterable[Row]) -> list[str]:
    """In which scenarios ceiling agents were told nothing, or not always, and where that is not recorded."""
    ceilings = [row for row in rows if row.is_ceiling and row.finished]
    notes = []
    for agent in dict.fromkeys(row.condition.agent for row in ceilings):
        own = [row for row in ceilings if row.condition.agent == agent]
        if silent := _names(row for row in own if row.told_share == 0):
            notes.append(f"† `{agent}` was told nothing in {listed(silent)}: it marks no ceiling there.")
        part = [(row.scenario.short_name, share) for row in own if (share := row.told_share) and told_mark(share)]
        if part:
            said = [f"{name} ({_percent(share)})" for name, share in part]
            notes.append(f"† `{agent}` was told something for only a part of all steps and players in {listed(said)}.")
        if unknown := _names(row for row in own if row.told_share is None):
            where = counted(len(unknown), "scenario")
            notes.append(f"The results don't record how often `{agent}` was told something ({where}).")
    return notes


def exceeded_notes(gaps: Sequence[CeilingGap], labels: Mapping[Condition, str]) -> list[str]:
    """Where the ceiling is none since others did better, and how often chance alone would say so."""
    by_scenario: dict[ScenarioInfo, list[CeilingGap]] = {}
    for gap in gaps:
        if gap.is_exceeded:
            by_scenario.setdefault(gap.scenario, []).append(gap)
    if not by_scenario:
        return []
    said = [f"{scenario.short_name} ({_leads(some, labels)})" for scenario, some in by_scenario.items()]
    intervals = sum(gap.difference.interval is not None for gap in gaps)
    agents = dict.fromkeys(gap.ceiling.agent for some in by_scenario.values() for gap in some)
    named = listed([f"`{agent}`" for agent in agents], "or")
    sentence = (
        f"{named} is no ceiling where an agent did better on the same seeds, with a 95% interval that excludes 0: "
        f"{listed(said)}. Of {counted(intervals, 'such interval')}, chance alone would show that of about "
        f"{number(CHANCE * intervals)} if no agent differed from it."
    )
    return [sentence]


def _leads(gaps: Iterable[CeilingGap], labels: Mapping[Condition, str]) -> str:
    """By how much which agents did better, those together that did so by the same."""
    agents: dict[str, list[str]] = {}
    for gap in gaps:
        agents.setdefault(number(abs(gap.difference.mean), gap.scenario.metric.digits), []).append(
            labels[gap.condition]
        )
    return "; ".join(f"{lead} by {listed(names)}" for lead, names in agents.items())


def _names(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row.scenario.short_name for row in rows))
