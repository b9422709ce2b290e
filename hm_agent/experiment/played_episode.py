"""What is known of an episode once it has ended, however it did, and the result that is made of it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from statistics import median
from traceback import format_exception
from typing import Any

from hm_agent.core import Agent, Seat, World, per_capita
from hm_agent.episode import EpisodeOutcome
from hm_agent.experiment.planned_episode import Episode
from hm_agent.models.sources import Sources
from hm_agent.questions import Usage
from hm_agent.recording.making import ENDED, now
from hm_agent.recording.result import (
    FAILED,
    FILE,
    INTERRUPTED,
    MOST_AMOUNT,
    Result,
    SeatResult,
    usage_fields,
    versions,
    write_result,
)


@dataclass
class PlayedEpisode:
    """An episode with all that its result records; what it did not come to has its default."""

    episode: Episode
    outcome: EpisodeOutcome = field(default_factory=EpisodeOutcome)
    agents: Mapping[Seat, Agent[Any, Any]] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    seat_metrics: Mapping[Seat, Mapping[str, float]] = field(default_factory=dict)
    background: tuple[str, ...] = ()
    seconds: float = 0.0
    sources: Sources = field(default_factory=Sources)

    def measure(self, world: World[Any, Any]) -> None:
        """Sets the metrics and the background, of a world that was closed."""
        self.metrics, self.background = world.metrics(), tuple(world.background())
        measured = {"reward", self.episode.scenario.metric.name, *self.metrics}
        self.seat_metrics = {
            seat: {**own, **_agent_metrics(agent, {*measured, *own}, self.outcome)}
            for seat, agent in self.agents.items()
            for own in [world.seat_metrics(seat)]
        }

    def result(self) -> Result:
        episode, outcome, sources, seats = self.episode, self.outcome, self.sources, self._seats()
        times = outcome.decision_seconds
        return Result(
            world=episode.scenario.world,
            scenario=episode.scenario.name,
            agent=episode.agent,
            model=episode.model,
            episode=episode.number,
            seed=episode.seed,
            status=outcome.status,
            reason=_reason(outcome),
            steps=outcome.steps,
            reward=outcome.reward,
            metrics={**self.metrics, **means_over_seats([seat.metrics for seat in seats])},
            background=self.background,
            **usage_fields(sum((agent.usage for agent in self.agents.values()), Usage())),
            agent_ms_per_step_median=round(1000 * median(times), 4) if times else None,
            wall_seconds=round(self.seconds, 3),
            seats=seats,
            versions=versions(episode.suite.packages),
            settings=episode.settings,
            measure=episode.scenario.metric.measure,
            prompts=dict(sorted(sources.templates.items())),
            served=tuple(sorted(sources.served)),
            fingerprints=tuple(sorted(sources.fingerprints)),
            sampling_seeds=tuple(sorted(sources.seeds)),
            made={**episode.experiment.made, ENDED: now(), **self._headers()},
        )

    def _seats(self) -> tuple[SeatResult, ...]:
        episode = self.episode
        return tuple(
            SeatResult(
                seat=seat,
                agent=name,
                model=model,
                reward=self.outcome.rewards.get(seat, 0.0),
                metrics=self.seat_metrics.get(seat, {}),
                **usage_fields(self.agents[seat].usage if seat in self.agents else Usage()),
            )
            for seat, name, model in zip(episode.scenario.seats, episode.agents, episode.models, strict=True)
        )

    def _headers(self) -> Mapping[str, str]:
        """The names of the user's own headers, as results record them."""
        experiment = self.episode.experiment
        names = experiment.model.headers if experiment.asks_endpoint else ()
        return {"headers": ", ".join(names)} if names else {}


def _agent_metrics(agent: Agent[Any, Any], taken: Container[str], outcome: EpisodeOutcome) -> Mapping[str, float]:
    """An agent's own metrics; none, and a failed episode, if they can't be recorded. taken: the world's names."""
    try:
        return {name: _recordable(name, value, taken) for name, value in agent.metrics().items()}
    except Exception as error:  # noqa: BLE001 - a user's agent may raise anything; kept in the outcome
        outcome.fail(error)
        return {}


def _recordable(name: str, value: float, taken: Container[str]) -> float:
    """The value of an agent's metric as Python's own number.

    Raises ValueError for anything but a number that a result may have, and for a name that is taken.
    """
    if not isinstance(value, Real) or not abs(value) <= MOST_AMOUNT:
        raise ValueError(f"the agent's metric {name!r} is {value!r}; a metric is a number of {MOST_AMOUNT:g} at most")
    if name in taken:
        raise ValueError(f"the agent's metric {name!r} is one of the world's: give it another name")
    return value if isinstance(value, int) else float(value)


def _reason(outcome: EpisodeOutcome) -> str:
    """What ended an episode early: of a failure the whole traceback, else the error's message."""
    if outcome.error is None:
        return ""
    if not outcome.status.startswith(FAILED):
        return str(outcome.error)
    return "".join(format_exception(outcome.error)).strip()


def means_over_seats(counted: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Returns the mean of each metric over the seats that have it."""
    names = dict.fromkeys(name for metrics in counted for name in metrics)
    return {name: per_capita(metrics[name] for metrics in counted if name in metrics) for name in names}


def crashed(episode: Episode, reason: str) -> Result:
    """Writes a result for an episode whose process failed outside of its loop; files written before stay.

    reason: an error message or traceback, whose last line becomes part of the status.
    """
    return _write_early_result(episode, f"{FAILED}: {reason.strip().splitlines()[-1]}", reason)


def cut_short(episode: Episode) -> Result | None:
    """Writes a result for an episode that was ended from outside; returns None if the episode has written its own."""
    return None if (episode.folder / FILE).exists() else _write_early_result(episode, INTERRUPTED, "ended from outside")


def _write_early_result(episode: Episode, status: str, reason: str) -> Result:
    result = replace(PlayedEpisode(episode, EpisodeOutcome(status)).result(), reason=reason)
    episode.folder.mkdir(parents=True, exist_ok=True)  # the episode may have ended before it made its folder
    write_result(result, episode.folder)
    return result
