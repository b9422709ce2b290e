"""Plays one episode of an experiment and writes its files."""

from __future__ import annotations

import shutil
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from numbers import Real
from pathlib import Path
from statistics import median
from traceback import format_exception
from typing import Any, Protocol

from hm_agent.catalogue.casting import build_agent
from hm_agent.catalogue.suite import AgentSetup
from hm_agent.core import Agent, Decision, Observation, Recorder, Seat, World, per_capita
from hm_agent.episode import EpisodeOutcome, run_episode
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import template_text
from hm_agent.models.sources import Sources, noted_sources
from hm_agent.models.transcript import Transcript
from hm_agent.questions import Model, Usage
from hm_agent.recording import trace
from hm_agent.recording.kept_networks import keep_networks
from hm_agent.recording.making import ENDED, now
from hm_agent.recording.replay.recorder import ReplayRecorder
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
from hm_agent.storage.files import TEMPLATES, DiskError, disk_errors, write_whole

Agents = Mapping[Seat, Agent[Any, Any]]


class Models(Protocol):
    """Where an episode's models come from: the pool of a run, or a record."""

    def model(self, name: str, seed: int, answers: ReasonerTable) -> AbstractAsyncContextManager[Model]:
        """Opens the model of a name for the seat with this seed. answers: how the built-in reasoner calculates."""
        ...


class RecordedAgent:
    """Plays as another agent does; its decisions have all questions to the model that it was built with.

    usage: of these questions; of an agent that asks none of them, what it says itself.
    """

    def __init__(self, agent: Agent[Any, Any], transcript: Transcript) -> None:
        self._agent, self._transcript = agent, transcript
        self.metrics = agent.metrics

    async def act(self, observation: Observation[Any]) -> Decision[Any]:
        acting = self._agent.act(observation)
        if not isawaitable(acting):
            raise TypeError("act has to be `async def act(self, observation)`")
        decision = await acting
        if not isinstance(decision, Decision):
            raise TypeError(f"act returned {type(decision).__name__}; it has to return hm_agent.Decision(action)")
        taken = self._transcript.take()
        return replace(decision, exchanges=taken) if taken else decision

    @property
    def usage(self) -> Usage:
        asked = self._transcript.usage
        return asked if asked.questions else self._agent.usage


@dataclass
class _PlayedEpisode:
    """What is known of an episode when its result is written, also if it ended early."""

    outcome: EpisodeOutcome
    agents: Agents = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    seat_metrics: Mapping[Seat, Mapping[str, float]] = field(default_factory=dict)
    background: tuple[str, ...] = ()
    seconds: float = 0.0
    sources: Sources = field(default_factory=Sources)


async def play(episode: Episode, models: Models, watcher: Recorder | None = None) -> Result:
    """Plays an episode and writes its files; the result's status says how it ended. watcher: a further recorder.

    Raises DiskError if the files can't be written; the episode then counts as not yet played, not as failed.
    """
    with disk_errors():
        _clear_folder(episode.folder)
        episode.folder.mkdir(parents=True)
    played, started = _PlayedEpisode(EpisodeOutcome()), time.perf_counter()
    with closing(episode.suite.open(episode.scenario, episode.options)) as world:
        experiment, replay = episode.experiment, None
        world.is_shown = experiment.record_replay or experiment.record_video or experiment.record_gif is not None
        if experiment.record_replay:
            replay = ReplayRecorder(episode.suite.viewer(episode.scenario), episode.folder, episode.scenario)
        recorders: list[Recorder] = []
        try:
            with disk_errors():
                for recorder in _recorders(episode):
                    recorders.append(recorder)  # noqa: PERF402 - if the next can't be made, those before it are closed
            recorders += filter(None, (watcher, replay))
            await _play(episode, world, models, recorders, played)
        except BaseException:
            for recorder in recorders:
                with suppress(OSError):
                    recorder.close()
            raise
    _measure(episode, world, played)
    played.seconds = time.perf_counter() - started
    result = _result(episode, played)
    if replay is not None:
        result = _write_replay(replay, result, played.outcome)
    with disk_errors():
        _keep_templates(result.prompts, episode.experiment.out)
        keep_networks(episode.networks.values(), episode.experiment.out)
        write_result(result, episode.folder)
    if isinstance(error := played.outcome.error, DiskError):
        if error.errno and error.filename is None:  # a full disk does not say for which file
            error.filename = str(episode.folder)
        raise error
    return result


def _clear_folder(folder: Path) -> None:
    """Removes an episode's folder, or a file or link in its place, before it is played anew; a link's target stays.

    Raises OSError with the folder's name for what may not be removed.
    """
    if folder.is_dir() and not folder.is_symlink():
        try:
            shutil.rmtree(folder)
        except OSError as error:
            error.filename = str(folder)  # the error may have a name without its folder
            raise
    else:
        folder.unlink(missing_ok=True)


def _recorders(episode: Episode) -> Iterator[Recorder]:
    """Yields the recorders that write files, one at a time, so that the caller can close them if the next one fails."""
    yield trace.TraceRecorder(episode.folder / trace.FILE)
    experiment, viewer = episode.experiment, episode.suite.viewer(episode.scenario)
    if experiment.record_video and viewer and (picture := viewer.picture(episode.scenario, episode.title)):
        from hm_agent.recording.video import VideoRecorder

        yield VideoRecorder(episode.folder / "video.mp4", picture)
    if experiment.record_gif and viewer and (picture := viewer.picture(episode.scenario, episode.title)):
        from hm_agent.recording import gif

        yield gif.GifRecorder(episode.folder / gif.FILE, picture, experiment.record_gif)
    for build in experiment.recorders:
        yield build(episode)


async def _play(
    episode: Episode, world: World[Any, Any], models: Models, recorders: Sequence[Recorder], played: _PlayedEpisode
) -> None:
    """Builds the agents of all seats and runs the episode; sets `agents` and `outcome` of `played`."""
    answers = episode.suite.answers()
    async with AsyncExitStack() as opened:
        played.sources = opened.enter_context(noted_sources(asks_model=episode.asks_language_model))
        agents: dict[Seat, Agent[Any, Any]] = {}
        for seat, name, model_name in zip(episode.scenario.seats, episode.agents, episode.models, strict=True):
            model = await opened.enter_async_context(models.model(model_name, episode.seed_of(seat), answers))
            transcript = Transcript(model)
            setup = AgentSetup(
                scenario=episode.scenario,
                world=world,
                seat=seat,
                model=transcript,
                seed=episode.seed_of(seat),
                options=episode.options,
                parameters=episode.experiment.parameters,
                max_steps=episode.experiment.max_steps,
            )
            agents[seat] = RecordedAgent(_checked(name, build_agent(name, setup)), transcript)
        played.agents = agents
        played.outcome = await run_episode(
            world, agents, seed=episode.seed, max_steps=episode.experiment.max_steps, recorders=recorders
        )


def _measure(episode: Episode, world: World[Any, Any], played: _PlayedEpisode) -> None:
    """Sets the metrics of `played` and its background, of a world that was closed."""
    played.metrics, played.background = world.metrics(), tuple(world.background())
    measured = {"reward", episode.scenario.metric.name, *played.metrics}
    played.seat_metrics = {
        seat: {**own, **_agent_metrics(agent, {*measured, *own}, played.outcome)}
        for seat, agent in played.agents.items()
        for own in [world.seat_metrics(seat)]
    }


def _checked(name: str, agent: Agent[Any, Any]) -> Agent[Any, Any]:
    """Returns a user's agent as it is; raises TypeError if it lacks a part of the protocol."""
    if missing := [part for part in ("act", "usage", "metrics") if not hasattr(agent, part)]:
        raise TypeError(f"the agent {name} has no {' and no '.join(missing)}; hm_agent.Agent says what an agent needs")
    return agent


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


def _keep_templates(names: Iterable[str], out: Path) -> None:
    """Writes the package's templates of these names into the run's folder, each once."""
    for name in names:
        path = out / TEMPLATES / name
        if ":" not in name and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, template_text(name).encode())


def _write_replay(replay: ReplayRecorder, result: Result, outcome: EpisodeOutcome) -> Result:
    """Writes the replay page; returns the result, whose status is `interrupted` if the disk did not take the page.

    If the page can't be drawn, e.g. because of an error in a world's viewer, the result has a reason and keeps its
    status, since all else was recorded.
    """
    try:
        with disk_errors():
            replay.write(result)
    except DiskError as error:
        outcome.fail(error)
        return replace(result, status=outcome.status, reason=str(outcome.error))
    except Exception as error:  # noqa: BLE001 - kept in the result
        missing = f"no replay page: {type(error).__name__}: {error}"
        return replace(result, reason="; ".join(filter(None, [result.reason, missing])))
    return result


def crashed(episode: Episode, reason: str) -> Result:
    """Writes a result for an episode whose process failed outside of its loop; files written before stay.

    reason: an error message or traceback, whose last line becomes part of the status.
    """
    return _write_early_result(episode, f"{FAILED}: {reason.strip().splitlines()[-1]}", reason)


def cut_short(episode: Episode) -> Result | None:
    """Writes a result for an episode that was ended from outside; returns None if the episode has written its own."""
    return None if (episode.folder / FILE).exists() else _write_early_result(episode, INTERRUPTED, "ended from outside")


def _write_early_result(episode: Episode, status: str, reason: str) -> Result:
    result = replace(_result(episode, _PlayedEpisode(EpisodeOutcome(status))), reason=reason)
    episode.folder.mkdir(parents=True, exist_ok=True)  # the episode may have ended before it made its folder
    write_result(result, episode.folder)
    return result


def _result(episode: Episode, played: _PlayedEpisode) -> Result:
    outcome, times = played.outcome, played.outcome.decision_seconds
    seats = tuple(_seat_results(episode, played))
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
        metrics={**played.metrics, **means_over_seats([seat.metrics for seat in seats])},
        background=played.background,
        **usage_fields(sum((agent.usage for agent in played.agents.values()), Usage())),
        agent_ms_per_step_median=round(1000 * median(times), 4) if times else None,
        wall_seconds=round(played.seconds, 3),
        seats=seats,
        versions=versions(episode.suite.packages),
        settings=episode.settings,
        measure=episode.scenario.metric.measure,
        prompts=dict(sorted(played.sources.templates.items())),
        served=tuple(sorted(played.sources.served)),
        fingerprints=tuple(sorted(played.sources.fingerprints)),
        sampling_seeds=tuple(sorted(played.sources.seeds)),
        made={**episode.experiment.made, ENDED: now(), **_headers(episode.experiment)},
    )


def _headers(experiment: Experiment) -> Mapping[str, str]:
    """The names of the user's own headers, as results record them."""
    names = experiment.model.headers if experiment.asks_endpoint else ()
    return {"headers": ", ".join(names)} if names else {}


def _reason(outcome: EpisodeOutcome) -> str:
    """What ended an episode early: of a failure the whole traceback, else the error's message."""
    if outcome.error is None:
        return ""
    if not outcome.status.startswith(FAILED):
        return str(outcome.error)
    return "".join(format_exception(outcome.error)).strip()


def _seat_results(episode: Episode, played: _PlayedEpisode) -> Sequence[SeatResult]:
    rewards = played.outcome.rewards
    return [
        SeatResult(
            seat=seat,
            agent=name,
            model=model,
            reward=rewards.get(seat, 0.0),
            metrics=played.seat_metrics.get(seat, {}),
            **usage_fields(played.agents[seat].usage if seat in played.agents else Usage()),
        )
        for seat, name, model in zip(episode.scenario.seats, episode.agents, episode.models, strict=True)
    ]


def means_over_seats(counted: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Returns the mean of each metric over the seats that have it."""
    names = dict.fromkeys(name for metrics in counted for name in metrics)
    return {name: per_capita(metrics[name] for metrics in counted if name in metrics) for name in names}
