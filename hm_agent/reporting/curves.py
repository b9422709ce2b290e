"""Reward per interaction, by how often two players have met, and around the moment a hypothesis is validated.

Where an agent earns as much in later interactions as the ceiling does, what it lacks of the ceiling's reward is the
price of finding out how its partners play.

Around validation (the paper's figure 4), offset 0 is the interaction whose outcome first raised a hypothesis to the
threshold; offset 1 is the first interaction played by a validated hypothesis. An agent keeps hypotheses about each
other player, so each stream has its own offsets.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from hm_agent.grouping import grouped
from hm_agent.reporting.conditions import Condition, matching_reference
from hm_agent.reporting.interactions import Curve, Stream, StreamGroup, mean_curves
from hm_agent.reporting.statistics import TINY, Estimate, estimate
from hm_agent.reporting.tables import LEAST_ERRORS, Row

EARLY = 5
"""The number of first interactions with a partner that count as early."""
SHARE_RULE = (
    "Shares leave out scenarios whose ceiling is too little better than the floor for a score; there is none where the "
    f"ceiling's mean is less than {LEAST_ERRORS:.0f} standard errors above 0."
)
PARTS = slice(EARLY), slice(EARLY, None)
"""The early and the later interactions of a stream."""


def by_number(stream: Stream) -> dict[int, float]:
    """The rewards of a stream by the number of the interaction, from 1."""
    return dict(enumerate(stream.rewards, 1))


def by_offset(stream: Stream) -> dict[int, float]:
    """The rewards of a stream by offset; none if no hypothesis was validated."""
    if stream.validated is None:
        return {}
    return {place - stream.validated: reward for place, reward in enumerate(stream.rewards)}


def adaptation_curves(groups: Sequence[StreamGroup]) -> list[Curve]:
    """A curve by the number of the interaction for each group with enough interactions, references last."""
    return sorted(mean_curves(groups, by_number), key=lambda curve: curve.of.is_reference)


def validation_curves(groups: Sequence[StreamGroup]) -> list[Curve]:
    """A curve by offset for each group with validated hypotheses; references are left out."""
    return mean_curves([group for group in groups if not group.is_reference], by_offset)


@dataclass(frozen=True)
class AdaptationRow:
    """The reward per interaction of some streams, and as shares of the ceiling's.

    early, later: the mean over the first EARLY interactions with a partner and over all later ones, over episodes; None
    if no episode has any. early_share, later_share: the mean as a share of the ceiling's in the same group, with
    matching settings, both without the scenarios whose scale is narrow; None for the ceiling itself, and where the
    ceiling is not known or earns less than `LEAST_ERRORS` standard errors more than nothing.
    """

    of: StreamGroup
    early: Estimate | None
    later: Estimate | None
    early_share: float | None
    later_share: float | None


def adaptation_rows(curves: Sequence[Curve], rows: Sequence[Row] = ()) -> list[AdaptationRow]:
    """A row for each curve, group by group. rows: which tell what scenarios have a narrow scale for a condition."""
    narrow = {(row.scenario.name, row.condition) for row in rows if row.is_narrow}
    by_group = grouped((curve.of.group, curve.of) for curve in curves)
    return [_row(own, of_group, narrow) for of_group in by_group.values() for own in of_group]


def _row(own: StreamGroup, of_group: Sequence[StreamGroup], narrow: Container[tuple[str, Condition]]) -> AdaptationRow:
    by_condition = {other.condition: other for other in of_group}
    reference = matching_reference(own.ceiling, own.world, own.condition, by_condition)
    ceiling = by_condition[reference] if reference and own.condition.agent != own.ceiling else None
    early, later = (_mean_reward(own, part) for part in PARTS)
    left_out = {name for name in own.scenarios if (name, own.condition) in narrow}
    shares = [
        _share(_mean_reward(_without(own, left_out), part), _mean_reward(_without(ceiling, left_out), part))
        if ceiling
        else None
        for part in PARTS
    ]
    return AdaptationRow(own, early, later, *shares)


def _without(group: StreamGroup, left_out: Container[str]) -> StreamGroup:
    """The group without the episodes of some scenarios."""
    kept = [place for place, name in enumerate(group.scenarios) if name not in left_out]
    episodes = [group.episodes[place] for place in kept]
    return replace(group, episodes=episodes, scenarios=[group.scenarios[place] for place in kept])


def _share(own: Estimate | None, ceiling: Estimate | None) -> float | None:
    if not own or not ceiling or ceiling.mean < max(TINY, LEAST_ERRORS * (ceiling.error or 0.0)):
        return None
    return own.mean / ceiling.mean


def _mean_reward(group: StreamGroup, part: slice) -> Estimate | None:
    """Over episodes, the mean reward of this part of an episode's interactions."""
    rewards = [[reward for stream in episode for reward in stream.rewards[part]] for episode in group.episodes]
    return estimate([mean(of_episode) for of_episode in rewards if of_episode])
