"""How fast an agent adapts to its partners: reward per interaction by the number of the interaction with a partner.

Where an agent earns as much in later interactions as the ceiling does, what it lacks of the ceiling's reward is the
price of finding out how its partners play.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.interactions import Stream, StreamGroup, mean_curve
from hm_agent.reporting.statistics import Estimate, estimate

EARLY = 5
"""The number of first interactions with a partner that count as early."""


@dataclass(frozen=True)
class AdaptationCurve:
    """The mean reward by the number of the interaction with a partner, from 1, of one condition in one group.

    early, later: the mean reward per interaction over the first EARLY with a partner and over all later ones, over
    episodes; None if no episode has any.
    """

    condition: Condition
    group: str
    is_reference: bool
    is_ceiling: bool
    points: Mapping[int, Estimate]
    early: Estimate | None
    later: Estimate | None


def adaptation_curves(groups: Sequence[StreamGroup]) -> list[AdaptationCurve]:
    """A curve for each condition and group with enough interactions, references last."""
    curves = [_curve(group) for group in groups]
    order = in_order(curve.condition for curve in curves)
    return sorted(
        (curve for curve in curves if curve.points),
        key=lambda curve: (curve.is_reference, order.index(curve.condition)),
    )


@dataclass(frozen=True)
class AdaptationRow:
    """A curve's early and later means beside the ceiling's in its group.

    early_share, later_share: the mean as a share of the ceiling's; None for the ceiling itself, and where the ceiling
    is not known or earns nothing.
    """

    curve: AdaptationCurve
    early_share: float | None
    later_share: float | None


def adaptation_rows(curves: Sequence[AdaptationCurve]) -> list[AdaptationRow]:
    """A row for each curve, group by group."""
    ceilings = {curve.group: curve for curve in curves if curve.is_ceiling}
    groups = dict.fromkeys(curve.group for curve in curves)
    return [_row(curve, ceilings.get(group)) for group in groups for curve in curves if curve.group == group]


def _row(curve: AdaptationCurve, ceiling: AdaptationCurve | None) -> AdaptationRow:
    if ceiling is None or ceiling is curve:
        return AdaptationRow(curve, None, None)
    return AdaptationRow(curve, _share(curve.early, ceiling.early), _share(curve.later, ceiling.later))


def _share(own: Estimate | None, ceiling: Estimate | None) -> float | None:
    return own.mean / ceiling.mean if own and ceiling and ceiling.mean > 0 else None


def by_number(stream: Stream) -> dict[int, float]:
    """The rewards of a stream by the number of the interaction, from 1."""
    return dict(enumerate(stream.rewards, 1))


def _curve(group: StreamGroup) -> AdaptationCurve:
    return AdaptationCurve(
        group.condition,
        group.group,
        group.is_reference,
        group.is_ceiling,
        mean_curve(group.episodes, by_number),
        early=_mean_reward([stream.rewards[:EARLY] for stream in episode] for episode in group.episodes),
        later=_mean_reward([stream.rewards[EARLY:] for stream in episode] for episode in group.episodes),
    )


def _mean_reward(episodes: Iterable[Iterable[Sequence[float]]]) -> Estimate | None:
    """Over episodes, the mean reward of all these interactions of an episode."""
    rewards = [[reward for stream in episode for reward in stream] for episode in episodes]
    return estimate([mean(of_episode) for of_episode in rewards if of_episode])
