"""Plays recorded episodes again from their answers alone, and says what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from hm_agent.cards.answers import answers_in
from hm_agent.cards.deriving import untimed
from hm_agent.catalogue.casting import check_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.lineups import Lineup
from hm_agent.experiment.planned_episode import Episode
from hm_agent.experiment.playing import play
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.models.chat import Sampling
from hm_agent.models.recorded import RecordedAnswers, RecordedModel
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.pool.progress import Progress
from hm_agent.process.interruptions import run_interruptibly
from hm_agent.questions import Model
from hm_agent.recording import trace
from hm_agent.recording.kept_networks import kept_network
from hm_agent.recording.result import ENDPOINT, FILE, INTERRUPTED, Result, read_result
from hm_agent.reporting.runs import RecordedEpisode, Runs
from hm_agent.theory_of_mind.hypotheses import Parameters


class RecordedModels:
    """The models of one episode: they answer as recorded, and the built-in reasoner calculates again."""

    def __init__(self, episode: Episode, answers: RecordedAnswers) -> None:
        self._sampling = episode.experiment.model.sampling
        self._by_seed = {episode.seed_of(seat): answers.get(seat, ()) for seat in episode.scenario.seats}

    def model(self, name: str, seed: int, answers: ReasonerTable) -> AbstractAsyncContextManager[Model]:
        if name == BUILTIN:
            return nullcontext(BuiltinReasoner(answers))
        return nullcontext(RecordedModel(name, self._by_seed[seed], self._sampling, seed))


def play_again(episode: Episode, answers: RecordedAnswers) -> Result:
    """Plays an episode into its folder by the recorded answers; returns its result as a reader of the folder has it.

    Raises KeyboardInterrupt after an interruption.
    """
    result = run_interruptibly(lambda: play(episode, RecordedModels(episode, answers)))
    if result.status == INTERRUPTED:
        raise KeyboardInterrupt
    return read_result(episode.folder / FILE) or result


def episode_of(result: Result, out: Path) -> Episode:
    """The episode that a result is of, to be played into another folder; ConfigError if it can't be played today."""
    scenarios, settings = find_scenarios([result.scenario]), dict(result.settings)
    agents = tuple(seat.agent for seat in result.seats) or (result.agent,)
    models = tuple(seat.model for seat in result.seats) or (result.model,)
    sampling, parameters = (settings_of(kind, settings) for kind in (Sampling, Parameters))
    experiment = Experiment(
        scenarios,
        agents=agents[:1],
        seats=agents if len(agents) > 1 else (),
        model=ModelSettings(models[0], base_url=str(settings.get(ENDPOINT) or ""), sampling=Sampling(**sampling)),
        seat_models=models,
        seed=int(settings.get("seed") or 0),
        episodes=result.episode + 1,
        max_steps=None if (steps := settings.get("max_steps")) is None else int(steps),
        out=out,
        record_replay=False,
        options=settings,
        parameters=Parameters(**parameters),
    )
    for agent, model in zip(agents, models, strict=True):
        check_agent(agent, scenarios[0], model)
    episode = Episode(experiment, scenarios[0], Lineup(agents, models), result.episode)
    if how := next(episode.what_differs(result), None):
        raise ConfigError(f"it {how}")
    return episode


def settings_of(kind: type[Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are fields of a class."""
    return {each.name: settings[each.name] for each in fields(kind) if each.name in settings}


def kept_networks(recorded: RecordedEpisode) -> Mapping[str, Setting]:
    """The options by which an episode plays by the copies of its networks that its run has, if it has any.

    None for those options that name no network of this episode.
    """
    settings, run = recorded.result.settings, recorded.folder.parents[3]
    found = dict[str, Setting]()
    if suite := suites().get(recorded.result.world):
        folders = {option.name for option in suite.options if option.is_folder}
        for setting, option in suite.network_options.items():
            if setting not in settings:
                found[option] = None
            elif copy := kept_network(run, str(settings[setting])):
                found[option] = str(copy.parent if option in folders else copy)
    return found


def differences(recorded: RecordedEpisode, out: Path, progress: Progress) -> Iterator[str]:
    """Plays a recorded episode again, and yields in what its result and its trace differ."""
    path = recorded.folder / trace.FILE
    name = f"{recorded.scenario.short_name} {recorded.result.agent} #{recorded.result.episode}"
    given, kept = recorded.result.settings, kept_networks(recorded)
    try:
        episode = episode_of(replace(recorded.result, settings={**given, **kept}), out)
        progress.begin(episode)
        again = play_again(episode, answers_in(path) if path.is_file() else {})
        progress.end(episode, again)
    except ConfigError as error:
        yield f"{name}: can't be played again: {error}"
        return
    as_named = {option: given[option] for option in kept if option in given}
    was, now = untimed(recorded.result), untimed(replace(again, settings={**again.settings, **as_named}))
    changed = next((key for key in now if was.get(key) != now[key]), None)
    if changed is not None:
        why = f" ({again.reason})" if again.stops_the_run else ""
        yield f"{name}: {changed} was {was.get(changed)!r}, and is {now[changed]!r}{why}"
    elif path.is_file() and path.read_bytes() != (episode.folder / trace.FILE).read_bytes():
        yield f"{name}: its trace is another one from line {_first_other_line(path, episode.folder / trace.FILE)} on"


def _first_other_line(path: Path, again: Path) -> int:
    lines, others = path.read_bytes().splitlines(), again.read_bytes().splitlines()
    pairs = enumerate(zip(lines, others, strict=False), start=1)
    return next((number for number, (one, other) in pairs if one != other), min(len(lines), len(others)) + 1)


def reproducible(runs: Runs) -> list[RecordedEpisode]:
    """The finished episodes; one that was cut short depends on when that was."""
    return [episode for episode in runs.episodes if episode.result.is_finished]
