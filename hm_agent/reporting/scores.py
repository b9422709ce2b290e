"""Normalised scores by group: where agents lie between floor (0) and ceiling (1), averaged over scenarios.

A scenario whose ceiling is hardly better than its floor is left out: there, small chance differences are large scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.grouping import grouped
from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.statistics import Interval, clustered_mean, interquartile_mean, stratified_interval
from hm_agent.reporting.tables import LEAST_ERRORS, LEAST_SHARE, Row
from hm_agent.wording import counted, listed, number, share_of, with_error

OVERALL = "all scenarios"
"""Stands for a group's title where figures are over several groups."""
SCORE_DIGITS = 2
"""How many decimals normalised scores are shown with."""
INTERVAL_ABOUT = "Student's t over scenarios, over episodes of one; none for fewer than five episodes"
"""What the interval of a mean normalised score is."""
LACKING_ABOUT = (
    "A mean over some of the scenarios says over how many, and is not comparable with a mean over others; differences "
    "between agents are over the scenarios that both played."
)


@dataclass(frozen=True)
class NormalisedScore:
    """A condition's mean normalised score over the scenarios of a group or all.

    interval: Student's t over scenarios, over episodes of one; None for fewer than five episodes. middle: the
    interquartile mean over all their episodes, each on the scale of its scenario's mean floor and ceiling.
    middle_interval: by a bootstrap stratified by scenario; None if any scenario has too few episodes for one.
    scenarios: how many the condition has a score in; of: how many any condition has one in.
    """

    condition: Condition
    group: str
    mean: float
    interval: Interval | None
    scenarios: int
    of: int
    middle: float
    middle_interval: Interval | None

    @property
    def lacking(self) -> str:
        """`3 of 4 scenarios`; empty if the mean is over all that any condition has a score in."""
        return share_of(self.scenarios, self.of, "scenario") if self.scenarios < self.of else ""


@dataclass(frozen=True)
class NarrowScale:
    """A scenario that is left out of mean scores. scale: how much better the ceiling is; error: its standard error."""

    scenario: ScenarioInfo
    scale: float
    error: float | None


def scores(rows: Sequence[Row]) -> list[NormalisedScore]:
    """The mean normalised scores of every condition but the references, by group and over all if there are several.

    Scenarios on a narrow scale don't count, and unproved ones not over all.
    """
    means = list[NormalisedScore]()
    for group in groups(rows):
        overall = [row for row in rows if group == OVERALL and not row.scenario.is_unproved]
        of_group = overall or [row for row in rows if row.scenario.group == group]
        means += mean_scores(of_group, group)
    return means


def mean_scores(rows: Sequence[Row], title: str) -> list[NormalisedScore]:
    """The mean normalised score over all rows of each condition but the references. title: stands for the group's."""
    known = grouped((row.condition, row) for row in rows if row.counted_score is not None and not row.is_reference)
    scored = {condition: lesser_of_pairs(known[condition]) for condition in in_order(known)}
    of = len({row.scenario.item for own in scored.values() for row in own})
    return [_score(condition, title, own, of) for condition, own in scored.items() if own]


def lacking_note(scores: Iterable[NormalisedScore]) -> str:
    """A sentence on means over some of the scenarios, empty if every one is over all of them."""
    return LACKING_ABOUT if any(score.lacking for score in scores) else ""


def lesser_of_pairs(rows: Sequence[Row]) -> list[Row]:
    """The rows of one condition without all but the lesser score of a pair; half a pair does not count."""
    by_item = grouped((row.scenario.item, row) for row in rows)
    whole = [alike for alike in by_item.values() if len(alike) > 1 or not alike[0].scenario.pair]
    return [min(alike, key=lambda row: row.normalised_score or 0.0) for alike in whole]


def _score(condition: Condition, group: str, rows: Sequence[Row], of: int) -> NormalisedScore:
    """rows: one for each scenario, with a score. of: as in `NormalisedScore`."""
    known = [row.normalised_score for row in rows if row.normalised_score is not None]
    strata = [row.episode_scores for row in rows]
    middle = interquartile_mean([score for stratum in strata for score in stratum])
    found = clustered_mean({row.scenario.name: row.episode_scores for row in rows})
    interval = found.interval if found else None
    ends = stratified_interval(strata)
    return NormalisedScore(condition, group, mean(known), interval, len(known), of, middle, ends)


def groups(rows: Iterable[Row]) -> list[str]:
    """The titles of the groups in order, after `OVERALL` if there are several."""
    titles = list(dict.fromkeys(row.scenario.group for row in rows))
    return [OVERALL, *titles] if len(titles) > 1 else titles


def narrow_scales(rows: Iterable[Row]) -> list[NarrowScale]:
    """The scenarios whose scores are left out of means, one entry for each distinct scale of a scenario."""
    narrow = [
        NarrowScale(row.scenario, abs(row.scale or 0.0), row.scale_error)
        for row in rows
        if row.is_narrow and not row.is_reference
    ]
    return list(dict.fromkeys(narrow))


def narrow_note(narrow: Sequence[NarrowScale]) -> str:
    """A sentence on which scenarios are left out of mean scores, and why; empty if there are none."""
    if not narrow:
        return ""
    named = [
        f"{scale.scenario.short_name} ({with_error(scale.scale, scale.error, scale.scenario.metric.digits)})"
        for scale in narrow
    ]
    scenarios = counted(len({scale.scenario for scale in narrow}), "scenario")
    own = (
        ", or less than the least that its metric asks for"
        if any(s.scenario.metric.least_scale for s in narrow)
        else ""
    )
    return (
        f"The means leave out {scenarios} in which the ceiling is too little better than the floor for a score: "
        f"{listed(named)}. Too little is less than {number(LEAST_ERRORS, 0)} standard errors of the difference, or "
        f"less than {LEAST_SHARE:.0%} of the median difference over the group's scenarios{own}."
    )
