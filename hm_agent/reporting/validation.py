"""Reward per interaction around the moment a hypothesis is validated (the paper's figure 4).

Offset 0 is the interaction whose outcome first raised a hypothesis to the threshold; offset 1 is the first interaction
played by a validated hypothesis. An agent keeps hypotheses about each other player, so each stream has its own offsets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.interactions import Stream, StreamGroup, mean_curve
from hm_agent.reporting.statistics import Estimate


@dataclass(frozen=True)
class ValidationCurve:
    """The mean reward by offset over the episodes of one condition in one group of scenarios.

    streams: the number of all streams, of which `validated` reached the threshold.
    """

    condition: Condition
    group: str
    points: Mapping[int, Estimate]
    streams: int
    validated: int


def by_offset(stream: Stream) -> dict[int, float]:
    """The rewards of a stream by offset; none if no hypothesis was validated."""
    if stream.validated is None:
        return {}
    return {place - stream.validated: reward for place, reward in enumerate(stream.rewards)}


def validation_curves(groups: Sequence[StreamGroup]) -> list[ValidationCurve]:
    """A curve for each condition with validated hypotheses and each group; references are left out."""
    curves = [_curve(group) for group in groups if not group.is_reference]
    order = in_order(curve.condition for curve in curves)
    return sorted((curve for curve in curves if curve.points), key=lambda curve: order.index(curve.condition))


def _curve(group: StreamGroup) -> ValidationCurve:
    points = mean_curve(group.episodes, by_offset)
    streams = [stream for episode in group.episodes for stream in episode if stream.has_hypotheses]
    validated = sum(stream.validated is not None for stream in streams)
    return ValidationCurve(group.condition, group.group, points, len(streams), validated)
