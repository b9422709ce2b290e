"""How fast an agent adapts to its partners: reward per interaction by the number of the interaction with a partner.

Where an agent earns as much in later interactions as the ceiling does, what it lacks of the ceiling's reward is the
price of finding out how its partners play.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from hm_agent.reporting.conditions import Condition, in_order, matching_reference
from hm_agent.reporting.interactions import Stream, StreamGroup, mean_curve
from hm_agent.reporting.statistics import Estimate, estimate

EARLY = 5
"""The number of first interactions with a partner that count as early."""


@dataclass(frozen=True)
class AdaptationCurve:
    """The mean reward by the number of the interaction with a partner, from 1, of one condition in one group.

    is_reference, ceiling: as in `StreamGroup`. early, later: the mean reward per interaction over the first EARLY with
    a partner and over all later ones, over episodes; None if no episode has any.
    """

    world: str
    group: str
    condition: Condition
    is_reference: bool
    ceiling: str | None
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
    """A curve's early and later means compared with the ceiling's.

    early_share, later_share: the mean as a share of the ceiling's in the same group, with matching settings; None for
    the ceiling itself, and where the ceiling is not known or earns nothing.
    """

    curve: AdaptationCurve
    early_share: float | None
    later_share: float | None


def adaptation_rows(curves: Sequence[AdaptationCurve]) -> list[AdaptationRow]:
    """A row for each curve, group by group."""
    by_group: dict[str, list[AdaptationCurve]] = {}
    for curve in curves:
        by_group.setdefault(curve.group, []).append(curve)
    return [_row(curve, of_group) for of_group in by_group.values() for curve in of_group]


def _row(curve: AdaptationCurve, of_group: Sequence[AdaptationCurve]) -> AdaptationRow:
    by_condition = {other.condition: other for other in of_group}
    reference = matching_reference(curve.ceiling, curve.world, curve.condition, by_condition)
    if reference is None or curve.condition.agent == curve.ceiling:
        return AdaptationRow(curve, None, None)
    ceiling = by_condition[reference]
    return AdaptationRow(curve, _share(curve.early, ceiling.early), _share(curve.later, ceiling.later))


def _share(own: Estimate | None, ceiling: Estimate | None) -> float | None:
    return own.mean / ceiling.mean if own and ceiling and ceiling.mean > 0 else None


def by_number(stream: Stream) -> dict[int, float]:
    """The rewards of a stream by the number of the interaction, from 1."""
    return dict(enumerate(stream.rewards, 1))


def _curve(group: StreamGroup) -> AdaptationCurve:
    return AdaptationCurve(
        group.world,
        group.group,
        group.condition,
        group.is_reference,
        group.ceiling,
        mean_curve(group.episodes, by_number),
        early=_mean_reward([stream.rewards[:EARLY] for stream in episode] for episode in group.episodes),
        later=_mean_reward([stream.rewards[EARLY:] for stream in episode] for episode in group.episodes),
    )


def _mean_reward(episodes: Iterable[Iterable[Sequence[float]]]) -> Estimate | None:
    """Over episodes, the mean reward of all these interactions of an episode."""
    rewards = [[reward for stream in episode for reward in stream] for episode in episodes]
    return estimate([mean(of_episode) for of_episode in rewards if of_episode])
