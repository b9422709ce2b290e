"""Reads the rewards of interactions from traces, and averages them to curves.

A *stream* holds the interactions of one seat with one partner in one episode, in order. Streams of one episode are not
independent: they are averaged first, so that the sample consists of episodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from hm_agent.grouping import grouped
from hm_agent.recording import trace
from hm_agent.reporting.conditions import Condition, conditions_of, in_order, is_reference, only_references
from hm_agent.reporting.runs import RecordedEpisode
from hm_agent.reporting.statistics import Estimate

FEWEST = 3
"""A place of a curve is drawn only if at least this many episodes have it, and at least `SHARE` of them."""
SHARE = 1 / 3


@dataclass(frozen=True)
class Stream:
    """The rewards of one seat's interactions with one partner.

    validated: the index of the interaction whose outcome first raised a hypothesis to the threshold; None if none did.
    has_hypotheses: True if the seat kept hypotheses.
    """

    rewards: tuple[float, ...]
    validated: int | None = None
    has_hypotheses: bool = False


@dataclass(frozen=True)
class StreamGroup:
    """The streams of one condition in one group of scenarios, episode by episode.

    is_reference: True if other conditions are measured by this one there, as by the floor and the ceiling. ceiling: the
    agent that is the ceiling there, None without one. scenarios: the full name of each episode's scenario.
    """

    world: str
    group: str
    condition: Condition
    is_reference: bool
    ceiling: str | None
    episodes: Sequence[Sequence[Stream]]
    scenarios: Sequence[str]


KEYS_READ = ("hypotheses", "interactions")
"""The keys of a trace's lines that hold interactions and the beliefs before them."""


def stream_groups(episodes: Sequence[RecordedEpisode]) -> list[StreamGroup]:
    """Reads the streams of all finished episodes with a trace, in scenarios whose interactions are paid."""
    streams: dict[tuple[str, str, Condition, bool, str | None], dict[Path, RecordedEpisode]] = {}
    results = [episode.result for episode in episodes]
    conditions, alone = conditions_of(results), only_references(results)
    for episode, condition in zip(episodes, conditions, strict=True):
        path, scenario = episode.folder / trace.FILE, episode.scenario
        if episode.result.is_finished and scenario.has_paid_interactions and path.is_file():
            is_measure = is_reference(condition, scenario, alone)
            key = scenario.world, scenario.group, condition, is_measure, scenario.metric.ceiling
            streams.setdefault(key, {})[path] = episode
    return [
        StreamGroup(*key, list(map(read_streams, by_path)), [episode.scenario.name for episode in by_path.values()])
        for key, by_path in streams.items()
    ]


def read_streams(path: Path) -> list[Stream]:
    """Reads the streams of one trace; skips interactions with an unknown partner."""
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
        Stream(tuple(of_stream), validations.get(stream), stream[0] in believers)
        for stream, of_stream in rewards.items()
    ]


def _interactions(line: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    interactions = line.get("interactions")
    for interaction in interactions if isinstance(interactions, list) else []:
        match interaction:
            case {"partner": str(partner), "reward": float() | int() as reward}:
                yield partner, float(reward)


Places = Mapping[int, float]
"""Rewards by their place on a curve, e.g. the number of the interaction."""


@dataclass(frozen=True)
class Curve:
    """The mean reward by place over the episodes of a group."""

    of: StreamGroup
    points: Mapping[int, Estimate]


def mean_curves(groups: Iterable[StreamGroup], places_of: Callable[[Stream], Places]) -> list[Curve]:
    """The curves of the groups that have any point, sorted by condition.

    Rewards are averaged by place over the streams of each episode, then over episodes; places of few episodes are cut.
    places_of: the places of a stream's rewards; a stream without any does not count.
    """
    curves = [Curve(group, _mean_points(group.episodes, places_of)) for group in groups]
    order = in_order(curve.of.condition for curve in curves)
    return sorted((curve for curve in curves if curve.points), key=lambda curve: order.index(curve.of.condition))


def _mean_points(episodes: Iterable[Iterable[Stream]], places_of: Callable[[Stream], Places]) -> dict[int, Estimate]:
    means = [by_place for streams in episodes if (by_place := _mean_by_place(map(places_of, streams)))]
    least = max(FEWEST, SHARE * len(means))
    places = sorted({place for by_place in means for place in by_place})
    values = {place: [by_place[place] for by_place in means if place in by_place] for place in places}
    return {place: Estimate(tuple(of_place)) for place, of_place in values.items() if len(of_place) >= least}


def _mean_by_place(streams: Iterable[Places]) -> dict[int, float]:
    by_place = grouped(item for places in streams for item in places.items())
    return {place: mean(rewards) for place, rewards in by_place.items()}
