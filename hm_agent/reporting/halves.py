"""Two halves of the scenarios: those by which constants of the built-in reasoner were chosen, and those held out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hm_agent.catalogue.registry import suites
from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.scores import OVERALL, SCORE_DIGITS, groups, lesser_of_pairs
from hm_agent.reporting.statistics import Estimate, estimate
from hm_agent.reporting.tables import Row, without_spare_shortcuts

SCORE = "normalised score"
"""The unit over all groups, whose metrics differ."""


@dataclass(frozen=True)
class SplitMean:
    """A condition's mean over the scenarios of a group, and over those of each half; None if it played none of them.

    unit: of the metric, or `normalised score` over all groups, whose metrics differ. A narrow scale has no score.
    digits: how many decimals the means are shown with.
    The values of each estimate are means of single scenarios.
    """

    group: str
    unit: str
    digits: int
    condition: Condition
    whole: Estimate
    chosen: Estimate | None
    held_out: Estimate | None


def groups_with_halves(rows: Sequence[Row]) -> set[str]:
    """The groups of the rows' worlds that hold scenarios out; others don't say which scenarios chose constants."""
    played = {row.scenario.world for row in rows} & suites().keys()
    return {info.group for world in played for info in suites()[world].scenarios if info.held_out}


def _rows_of_split_groups(rows: Sequence[Row]) -> list[Row]:
    """The rows of groups with halves; of the shortcuts that others are measured by they have the floors alone."""
    split = groups_with_halves(rows)
    return without_spare_shortcuts([row for row in rows if row.scenario.group in split])


def split_means(rows: Sequence[Row]) -> list[SplitMean]:
    """The means by group and condition: of the metric in a group, of normalised scores over all; none without halves.

    Over all groups, references are left out: floor and ceiling score 0 and 1.
    """
    means, split = list[SplitMean](), _rows_of_split_groups(rows)
    if {row.scenario.held_out for row in split} != {True, False}:
        return means
    for group in groups(split):
        of_group = [row for row in split if row.scenario.group == group or (group == OVERALL and not row.is_reference)]
        for condition in in_order(row.condition for row in of_group):
            own = [row for row in of_group if row.condition == condition]
            whole = _mean(own, group)
            if whole is not None:
                chosen, held_out = (
                    _mean([row for row in own if row.scenario.held_out == half], group) for half in (False, True)
                )
                metric = own[0].scenario.metric
                unit, digits = (SCORE, SCORE_DIGITS) if group == OVERALL else (metric.unit, metric.digits)
                means.append(SplitMean(group, unit, digits, condition, whole, chosen, held_out))
    return means


def _mean(rows: Iterable[Row], group: str) -> Estimate | None:
    if group == OVERALL:
        scored = lesser_of_pairs([row for row in rows if row.counted_score is not None])
        values = [row.counted_score for row in scored]
    else:
        values = [row.mean for row in rows]
    return estimate([value for value in values if value is not None])
