"""Reward per interaction around the moment a hypothesis is validated (the paper's figure 4), from traces.

Offset 0 is the interaction whose outcome first raised a hypothesis to the threshold; offset 1 is the first interaction
played by a validated hypothesis. An agent keeps hypotheses about each other player, so the interactions of each seat
with each partner form a stream of their own. Streams of one episode are not independent: they are averaged first, so
that the sample consists of episodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from hm_agent.recording import trace
from hm_agent.reporting.conditions import Condition, conditions_of, in_order, is_reference
from hm_agent.reporting.runs import RecordedEpisode
from hm_agent.reporting.statistics import Estimate

FEWEST = 3
"""An offset is drawn only if at least this many episodes have it, and at least `SHARE` of them."""
SHARE = 1 / 3


@dataclass(frozen=True)
class Stream:
    """The rewards of one seat's interactions with one partner.

    validated: the index of offset 0; None if no hypothesis about the partner was validated.
    """

    rewards: tuple[float, ...]
    validated: int | None

    def by_offset(self) -> dict[int, float]:
        if self.validated is None:
            return {}
        return {place - self.validated: reward for place, reward in enumerate(self.rewards)}


@dataclass(frozen=True)
class Curve:
    """The mean reward by offset over the episodes of one condition in one group of scenarios.

    streams: the number of all streams, of which `validated` reached the threshold.
    """

    condition: Condition
    group: str
    points: Mapping[int, Estimate]
    streams: int
    validated: int


KEYS_READ = ("hypotheses", "interactions", "understood")
"""The keys of a trace's lines that hold interactions and the beliefs before them; `understood` is format 1's."""


def read_streams(path: Path) -> list[Stream]:
    """Reads the streams of all seats with hypotheses from a trace; skips interactions with an unknown partner."""
    rewards: dict[tuple[str, str], list[float]] = {}
    validations: dict[tuple[str, str], int] = {}
    beliefs: dict[str, tuple[Any, Any]] = {}
    believers: set[str] = set()
    for line in trace.read_trace(path, with_any_of=KEYS_READ):
        seat = str(line["seat"])
        if "hypotheses" in line:
            beliefs[seat] = line.get("validated"), line.get("about")
            if line["hypotheses"]:
                believers.add(seat)
        validated, about = beliefs.get(seat, (None, None))
        for partner, reward in _interactions(line):
            stream = seat, partner
            rewards.setdefault(stream, []).append(reward)
            if validated is not None and about == partner:
                validations.setdefault(stream, len(rewards[stream]) - 1)
    return [
        Stream(tuple(of_stream), validations.get(stream))
        for stream, of_stream in rewards.items()
        if stream[0] in believers
    ]


def _interactions(line: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    interactions = line.get("interactions")
    for interaction in interactions if isinstance(interactions, list) else []:
        match interaction:
            case {"partner": str(partner), "reward": float() | int() as reward}:
                yield partner, float(reward)


def curves(episodes: Sequence[RecordedEpisode]) -> list[Curve]:
    """Reads traces: a curve for each condition with validated hypotheses and each group with paid interactions."""
    streams: dict[tuple[str, Condition], list[list[Stream]]] = {}
    conditions = conditions_of([episode.result for episode in episodes])
    for episode, condition in zip(episodes, conditions, strict=True):
        path, scenario = episode.folder / trace.FILE, episode.scenario
        is_counted = episode.result.is_finished and not is_reference(condition, scenario)
        if is_counted and scenario.has_paid_interactions and path.is_file():
            streams.setdefault((scenario.group, condition), []).append(read_streams(path))
    drawn = [_curve(condition, group, of_episodes) for (group, condition), of_episodes in streams.items()]
    order = in_order(curve.condition for curve in drawn)
    return sorted((curve for curve in drawn if curve.points), key=lambda curve: order.index(curve.condition))


def _curve(condition: Condition, group: str, episodes: Sequence[Sequence[Stream]]) -> Curve:
    means = [by_offset for streams in episodes if (by_offset := _mean_by_offset(streams))]
    least = max(FEWEST, SHARE * len(means))
    offsets = sorted({offset for by_offset in means for offset in by_offset})
    values = {offset: [by_offset[offset] for by_offset in means if offset in by_offset] for offset in offsets}
    points = {offset: Estimate(tuple(of_offset)) for offset, of_offset in values.items() if len(of_offset) >= least}
    streams = [stream for episode in episodes for stream in episode]
    return Curve(condition, group, points, len(streams), sum(stream.validated is not None for stream in streams))


def _mean_by_offset(streams: Iterable[Stream]) -> dict[int, float]:
    """An episode's mean reward by offset, over its validated streams."""
    by_offset: dict[int, list[float]] = {}
    for stream in streams:
        for offset, reward in stream.by_offset().items():
            by_offset.setdefault(offset, []).append(reward)
    return {offset: mean(rewards) for offset, rewards in by_offset.items()}
