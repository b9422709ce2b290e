"""One episode of an experiment from beginning to end, with the files it leaves."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.core import Agent, EpisodeStats, Recorder
from hm_agent.episode import Outcome, run_episode
from hm_agent.experiment import Episode
from hm_agent.interruptions import run_interruptibly
from hm_agent.models.providers import Provider
from hm_agent.questions import Model
from hm_agent.recording.replay.recorder import ReplayRecorder
from hm_agent.recording.result import FAILED, FILE, INTERRUPTED, Result, versions, write_result
from hm_agent.recording.trace import TraceRecorder
from hm_agent.recording.video import VideoRecorder

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld


def play(episode: Episode, provider: Provider, watcher: Recorder) -> Result:
    """Plays an episode and leaves its files; however it ends, the result says how.

    Raises OSError where the files can't be written; the episode is then yet to be played, and not failed.
    """
    from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

    experiment = episode.experiment
    world = MeltingPotWorld(episode.scenario, episode.bots, experiment.bots_dir)
    _clear(episode.folder)
    replay = ReplayRecorder(world, episode.folder, episode.scenario) if experiment.record_replay else None
    recorders = _recorders(episode, world, *filter(None, (watcher, replay)))
    started = time.perf_counter()
    try:
        vitals, outcome = run_interruptibly(lambda: _play_with_model(episode, world, provider, recorders))
    finally:
        world.close()
    result = _result(episode, outcome, vitals, tuple(world.background()), time.perf_counter() - started)
    if replay is not None:
        result = _with_page(replay, result, outcome)
    write_result(result, episode.folder)
    if isinstance(outcome.error, OSError):
        raise outcome.error
    return result


def _with_page(replay: ReplayRecorder, result: Result, outcome: Outcome) -> Result:
    """Writes the page that replays an episode; where that fails, the episode is yet to be played."""
    try:
        replay.write(result)
    except OSError as error:
        outcome.fail(error)
    return replace(result, status=outcome.status, reason=str(outcome.error) if outcome.error else "")


def crashed(episode: Episode, reason: str) -> Result:
    """What is left of an episode whose process came to grief; what it had written before stays."""
    return _left(episode, f"{FAILED}: {reason.strip().splitlines()[-1]}", reason)


def cut_short(episode: Episode) -> Result | None:
    """What is left of an episode that was ended from outside; None where it had come to its own end just before."""
    return None if (episode.folder / FILE).exists() else _left(episode, INTERRUPTED, "ended from outside")


def _left(episode: Episode, status: str, reason: str) -> Result:
    result = replace(_result(episode, Outcome(status), EpisodeStats(), (), 0.0), reason=reason)
    episode.folder.mkdir(parents=True, exist_ok=True)  # it may have ended before it had one
    write_result(result, episode.folder)
    return result


def _recorders(episode: Episode, world: MeltingPotWorld, *others: Recorder) -> list[Recorder]:
    trace = TraceRecorder(episode.folder / "trace.jsonl")
    if not episode.experiment.record_video:
        return [trace, *others]
    film = VideoRecorder(episode.folder / "video.mp4", world.frame, episode.scenario.game, episode.title)
    return [trace, *others, film]


async def _play_with_model(
    episode: Episode, world: MeltingPotWorld, provider: Provider, recorders: Sequence[Recorder]
) -> tuple[EpisodeStats, Outcome]:
    steps = episode.experiment.max_steps
    async with provider.model(episode.seed) as model:
        agent = _build_agent(episode, world, model)
        outcome = await run_episode(world, agent, seed=episode.seed, max_steps=steps, recorders=recorders)
        return agent.vitals(), outcome


def _build_agent(episode: Episode, world: MeltingPotWorld, model: Model) -> Agent:
    from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

    experiment, facts = episode.experiment, episode.scenario.game
    return AGENTS[episode.agent](
        Ingredients(
            facts=facts,
            eyes=vision_of(facts.short_name),
            model=model,
            seed=episode.seed,
            tell=world.tell,
            parameters=experiment.parameters,
            by_reward=experiment.by_reward,
            inference=experiment.inference,
        )
    )


def _clear(folder: Path) -> None:
    """An empty folder for an episode; what lay there was cut short, or is to be played anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _result(
    episode: Episode, outcome: Outcome, vitals: EpisodeStats, background: tuple[str, ...], seconds: float
) -> Result:
    per = episode.scenario.game.reward_per_steps
    times, usage = outcome.decision_seconds, vitals.usage
    return Result(
        scenario=episode.scenario.name,
        agent=episode.agent,
        model=episode.experiment.model.name,
        episode=episode.number,
        seed=episode.seed,
        status=outcome.status,
        reason=str(outcome.error) if outcome.error else "",
        steps=outcome.steps,
        reward=outcome.reward,
        normalised_reward=outcome.reward * per / outcome.steps if outcome.steps else None,
        interactions=vitals.interactions,
        background=background,
        bots=str(episode.bots),
        questions=usage.questions,
        unanswered_questions=usage.unanswered,
        model_calls=usage.calls,
        cached_calls=usage.cached,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost,
        unknown_patches=vitals.unknown_patches,
        pose_lost_steps=vitals.pose_lost_steps,
        agent_ms_per_step_median=round(1000 * median(times), 4) if times else None,
        wall_seconds=round(seconds, 3),
        versions=versions(),
        settings=episode.experiment.settings,
    )
