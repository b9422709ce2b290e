"""The rewards of interactions in the order in which they came, from traces.

A *stream* holds the interactions of one seat with one partner in one episode. Streams of one episode are not
independent: curves average them first, and the sample are episodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from hm_agent.recording import trace
from hm_agent.reporting.conditions import Condition, conditions_of, is_reference
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

    is_reference: True if other conditions are measured by this one there, as by the floor and the ceiling. is_ceiling:
    True if it is the ceiling.
    """

    group: str
    condition: Condition
    is_reference: bool
    is_ceiling: bool
    episodes: Sequence[Sequence[Stream]]


KEYS_READ = ("hypotheses", "interactions", "understood")
"""The keys of a trace's lines that hold interactions and the beliefs before them; `understood` is format 1's."""


def stream_groups(episodes: Sequence[RecordedEpisode]) -> list[StreamGroup]:
    """The streams of all finished episodes with a trace, in scenarios whose interactions are paid."""
    found: dict[tuple[str, Condition, bool, bool], list[list[Stream]]] = {}
    conditions = conditions_of([episode.result for episode in episodes])
    for episode, condition in zip(episodes, conditions, strict=True):
        path, scenario = episode.folder / trace.FILE, episode.scenario
        if episode.result.is_finished and scenario.has_paid_interactions and path.is_file():
            is_ceiling = condition.agent == scenario.metric.ceiling
            key = scenario.group, condition, is_reference(condition, scenario), is_ceiling
            found.setdefault(key, []).append(read_streams(path))
    return [StreamGroup(*key, streams) for key, streams in found.items()]


def read_streams(path: Path) -> list[Stream]:
    """The streams of one trace; interactions with an unknown partner are left out."""
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
    return [Stream(tuple(paid), validations.get(stream), stream[0] in believers) for stream, paid in rewards.items()]


def _interactions(line: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    interactions = line.get("interactions")
    for interaction in interactions if isinstance(interactions, list) else []:
        match interaction:
            case {"partner": str(partner), "reward": float() | int() as reward}:
                yield partner, float(reward)


Places = Mapping[int, float]
"""Rewards by their place on a curve, e.g. the number of the interaction."""


def mean_curve(episodes: Iterable[Iterable[Stream]], places_of: Callable[[Stream], Places]) -> dict[int, Estimate]:
    """The mean reward by place over episodes, after the mean over each episode's streams; places of few are cut.

    places_of: the places of a stream's rewards; a stream without any does not count.
    """
    means = [found for streams in episodes if (found := _mean_by_place(map(places_of, streams)))]
    least = max(FEWEST, SHARE * len(means))
    places = sorted({place for found in means for place in found})
    values = {place: [found[place] for found in means if place in found] for place in places}
    return {place: Estimate(tuple(some)) for place, some in values.items() if len(some) >= least}


def _mean_by_place(streams: Iterable[Places]) -> dict[int, float]:
    found: dict[int, list[float]] = {}
    for places in streams:
        for place, reward in places.items():
            found.setdefault(place, []).append(reward)
    return {place: mean(rewards) for place, rewards in found.items()}
