"""Plays one episode of an experiment and writes its files."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, closing, suppress
from dataclasses import replace
from inspect import isawaitable
from pathlib import Path
from typing import Any, Protocol

from hm_agent.catalogue.casting import build_agent
from hm_agent.catalogue.suite import AgentSetup
from hm_agent.core import Agent, Decision, Observation, Recorder, Seat, World
from hm_agent.episode import EpisodeOutcome, run_episode
from hm_agent.experiment.planned_episode import Episode
from hm_agent.experiment.played_episode import PlayedEpisode
from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.prompts import template_text
from hm_agent.models.sources import noted_sources
from hm_agent.models.transcript import Transcript
from hm_agent.questions import Model, Usage
from hm_agent.recording import trace
from hm_agent.recording.kept_networks import keep_networks
from hm_agent.recording.replay.recorder import ReplayRecorder
from hm_agent.recording.result import Result, write_result
from hm_agent.storage.files import TEMPLATES, DiskError, disk_errors, write_whole


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


async def play(episode: Episode, models: Models, watcher: Recorder | None = None) -> Result:
    """Plays an episode and writes its files; the result's status says how it ended. watcher: a further recorder.

    Raises DiskError if the files can't be written; the episode then counts as not yet played, not as failed.
    """
    with disk_errors():
        _clear_folder(episode.folder)
        episode.folder.mkdir(parents=True)
    played, started = PlayedEpisode(episode), time.perf_counter()
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
            await _play(world, models, recorders, played)
        except BaseException:
            for recorder in recorders:
                with suppress(Exception):  # a user's recorder may raise anything, and hides no other error
                    recorder.close()
            raise
    played.measure(world)
    played.seconds = time.perf_counter() - started
    result = played.result()
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


async def _play(world: World[Any, Any], models: Models, recorders: Sequence[Recorder], played: PlayedEpisode) -> None:
    """Builds the agents of all seats and runs the episode; sets `agents`, `outcome` and `sources` of `played`."""
    episode = played.episode
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


def _checked(name: str, agent: Agent[Any, Any]) -> Agent[Any, Any]:
    """Returns a user's agent as it is; raises TypeError if it lacks a part of the protocol."""
    if missing := [part for part in ("act", "usage", "metrics") if not hasattr(agent, part)]:
        raise TypeError(f"the agent {name} has no {' and no '.join(missing)}; hm_agent.Agent says what an agent needs")
    return agent


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
