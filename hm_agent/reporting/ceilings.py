"""Checks the ceiling agents: how often each was told something of the other players, and which agents did better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.grouping import grouped
from hm_agent.recording.result import Result
from hm_agent.reporting.comparing import episode_values, paired
from hm_agent.reporting.conditions import Condition, Labels
from hm_agent.reporting.statistics import CONFIDENCE, ClusteredMean, clustered_mean
from hm_agent.reporting.tables import Row
from hm_agent.wording import counted, listed, number

WELL_TOLD = 0.95
"""From this share of steps and players on, a ceiling agent counts as told: of first steps, nothing may be known."""

CHANCE = (1 - CONFIDENCE) / 2
"""The share of intervals that lie wholly on one given side of the true value."""


def told_mark(share: float | None) -> str:
    """The mark beside the mean of a ceiling agent: `told nothing` or `told 40%`; empty if it was always told."""
    if share is None or share >= WELL_TOLD:
        return ""
    return "told nothing" if share == 0 else f"told {_percent(share)}"


def _percent(share: float) -> str:
    """A share that is not 0, shown as at least 1%."""
    return f"{max(share, 0.01):.0%}"


@dataclass(frozen=True)
class CeilingGap:
    """An agent compared with the ceiling agent of a scenario. difference: agent minus ceiling, paired by seed."""

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
    """Compares each agent with each scenario's ceiling agent, if both have common episodes."""
    values = episode_values(results, with_references=True)
    gaps = []
    for row in rows:
        if row.ceiling_reference is None or row.is_reference:
            continue
        ceiling = row.ceiling_reference.condition
        differences = paired(values.get(row.condition, {}), values.get(ceiling, {})).get(row.scenario.name, [])
        if (difference := clustered_mean({row.scenario.name: differences})) is not None:
            gaps.append(CeilingGap(row.scenario, row.condition, ceiling, difference))
    return gaps


def told_notes(rows: Iterable[Row]) -> list[str]:
    """Sentences on the scenarios in which ceiling agents were told nothing or not always, or it is not recorded."""
    ceilings = [row for row in rows if row.is_ceiling and row.finished and row.scenario.metric.is_ceiling_told]
    notes = []
    for agent in dict.fromkeys(row.condition.agent for row in ceilings):
        own = [row for row in ceilings if row.condition.agent == agent]
        if silent := _names(row for row in own if row.told_share == 0):
            notes.append(
                f"† `{agent}` was told nothing of the other players in {listed(silent)}: it is no ceiling there."
            )
        part = [(row.scenario.short_name, share) for row in own if (share := row.told_share) and told_mark(share)]
        if part:
            shares = listed([f"{name} ({_percent(share)})" for name, share in part])
            notes.append(
                f"† `{agent}` was told of the other players in only a part of all steps and players: {shares}."
            )
        if unknown := _names(row for row in own if row.told_share is None):
            where = counted(len(unknown), "scenario")
            notes.append(f"The results of {where} do not record how often `{agent}` was told of the other players.")
    return notes


def exceeded_notes(gaps: Sequence[CeilingGap], labels: Labels) -> list[str]:
    """A sentence on the scenarios in which agents did better than the ceiling, and how many chance alone would give."""
    by_scenario = grouped((gap.scenario, gap) for gap in gaps if gap.is_exceeded)
    if not by_scenario:
        return []
    exceeded = [f"{scenario.short_name} ({_leads(better, labels)})" for scenario, better in by_scenario.items()]
    intervals = sum(gap.difference.interval is not None for gap in gaps)
    agents = dict.fromkeys(gap.ceiling.agent for better in by_scenario.values() for gap in better)
    ceilings = listed([f"`{agent}`" for agent in agents], "or")
    sentence = (
        f"{ceilings} is no ceiling where an agent did better on the same seeds, with a 95% interval that excludes 0: "
        f"{listed(exceeded)}. If no agent differed from it, chance alone would show this in about "
        f"{number(CHANCE * intervals)} of {counted(intervals, 'such interval')}."
    )
    return [sentence]


def _leads(gaps: Iterable[CeilingGap], labels: Labels) -> str:
    """Which agents did better, and by how much; agents with the same lead are named together."""
    leads = ((number(abs(gap.difference.mean), gap.scenario.metric.digits), labels[gap.condition]) for gap in gaps)
    return "; ".join(f"{listed(names)} by {lead}" for lead, names in grouped(leads).items())


def _names(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row.scenario.short_name for row in rows))
