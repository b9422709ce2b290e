"""Reward per interaction around the moment a hypothesis is validated (the paper's figure 4), from traces.

Offset 0 is the interaction whose outcome first brought a hypothesis to the threshold; the next is the first one that is
played by a validated hypothesis. Each other player has hypotheses of its own, so each makes a stream of its own; an
episode's streams are averaged, for they are not independent, and episodes are the sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from hm_agent.recording.trace import read_trace
from hm_agent.reporting.conditions import Condition, in_order
from hm_agent.reporting.runs import Played
from hm_agent.reporting.statistics import Estimate, estimate

FEWEST = 3
"""With fewer episodes no curve is drawn, nor an offset that fewer of them have, or fewer than `SHARE` of them."""
SHARE = 1 / 3


@dataclass(frozen=True)
class Stream:
    """The interactions with one other player. validated: the place of the one at offset 0; None if there was none."""

    rewards: tuple[float, ...]
    validated: int | None

    def by_offset(self) -> dict[int, float]:
        if self.validated is None:
            return {}
        return {place - self.validated: reward for place, reward in enumerate(self.rewards)}


@dataclass(frozen=True)
class Curve:
    """The mean reward by offset over the episodes of one contestant in one game; offsets that few of them have are cut.

    streams: how many there were, of which `validated` met the threshold.
    """

    contestant: Condition
    game: str
    points: Mapping[int, Estimate]
    streams: int
    validated: int


def read_streams(trace: Path) -> list[Stream]:
    """The streams of one episode, by the player met; interactions with nobody known are left out."""
    rewards: dict[str, list[float]] = {}
    moments: dict[str, int] = {}
    validated = about = None
    for line in read_trace(trace):
        if "hypotheses" in line:
            validated, about = line.get("validated"), line.get("about")
        for partner, reward in _interactions(line):
            rewards.setdefault(partner, []).append(reward)
            if validated is not None and about == partner:
                moments.setdefault(partner, len(rewards[partner]) - 1)
    return [Stream(tuple(paid), moments.get(partner)) for partner, paid in rewards.items()]


def _interactions(line: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    events = line.get("events")
    for event in events if isinstance(events, list) else []:
        match event:
            case {"kind": "InteractionEvent", "fields": {"partner": str(partner), "reward": float() | int() as reward}}:
                yield partner, float(reward)


def curves(episodes: Iterable[Played]) -> list[Curve]:
    """One curve for each contestant with hypotheses and each matrix game, by the finished episodes' traces."""
    found: dict[tuple[str, Condition], list[list[Stream]]] = {}
    for played in episodes:
        contestant = Condition.of(played.result)
        trace = played.folder / "trace.jsonl"
        if played.result.is_finished and played.stage.is_matrix and not contestant.is_reference and trace.is_file():
            found.setdefault((played.stage.game, contestant), []).append(read_streams(trace))
    made = [_curve(contestant, game, read) for (game, contestant), read in found.items()]
    order = in_order(curve.contestant for curve in made)
    return sorted((curve for curve in made if curve.points), key=lambda curve: order.index(curve.contestant))


def _curve(contestant: Condition, game: str, episodes: Sequence[Sequence[Stream]]) -> Curve:
    means = [found for streams in episodes if (found := _mean_by_offset(streams))]
    least = max(FEWEST, SHARE * len(means))
    values = {offset: [found[offset] for found in means if offset in found] for offset in _offsets(means)}
    points = {offset: said for offset, some in values.items() if len(some) >= least and (said := estimate(some))}
    streams = [stream for episode in episodes for stream in episode]
    return Curve(contestant, game, points, len(streams), sum(stream.validated is not None for stream in streams))


def _offsets(means: Iterable[Mapping[int, float]]) -> list[int]:
    return sorted({offset for found in means for offset in found})


def _mean_by_offset(streams: Iterable[Stream]) -> dict[int, float]:
    """An episode's mean reward by offset, over those of its streams that were validated."""
    found: dict[int, list[float]] = {}
    for stream in streams:
        for offset, reward in stream.by_offset().items():
            found.setdefault(offset, []).append(reward)
    return {offset: mean(rewards) for offset, rewards in found.items()}
