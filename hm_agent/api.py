"""Plays episodes from Python, as `hm-agent play` does from a shell (docs/python.md)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from rich.console import Console

from hm_agent.catalogue.finding import find_agents, find_scenarios, passed_over_lines
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError, given_path
from hm_agent.experiment import MOST_GIF_STEPS, Experiment, RecorderBuilder
from hm_agent.experiment.lineups import left_out_lines
from hm_agent.extensions import option_meant
from hm_agent.flags.fields import check_fields
from hm_agent.models.budget import RunBudget
from hm_agent.models.chat import Sampling
from hm_agent.models.settings import PRESETS, ModelSettings
from hm_agent.pool.console_progress import progress_for
from hm_agent.pool.run import run
from hm_agent.recording.result import FILE, UNFINISHED, Result, read_result
from hm_agent.reporting.folder_pages import write_pages
from hm_agent.reporting.request import ReportRequest
from hm_agent.reporting.runs import RecordedEpisode
from hm_agent.reporting.tables import tabulate
from hm_agent.storage.files import REPORT
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.wording import counted

if TYPE_CHECKING:
    import pandas as pd

Names = str | Iterable[str]
WRITTEN: Mapping[str, type] = {
    "model=hm_agent.ModelSettings(name, {flag}=...)": ModelSettings,
    "model=hm_agent.ModelSettings(name, sampling=hm_agent.Sampling({flag}=...))": Sampling,
    "parameters=hm_agent.Parameters({flag}=...)": Parameters,
}
"""Flags of `hm-agent play` that are fields of one of `play`'s arguments: how they are written, and of which class."""


@dataclass(frozen=True, repr=False)
class Results(Sequence[Result]):
    """The results of all episodes of a `play` call, in the order of `Experiment.plan`. out: the folder of the run."""

    episodes: tuple[RecordedEpisode, ...]
    out: Path

    @overload
    def __getitem__(self, place: int) -> Result: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Result]: ...

    def __getitem__(self, place: int | slice) -> Result | Sequence[Result]:
        if isinstance(place, slice):
            return [episode.result for episode in self.episodes[place]]
        return self.episodes[place].result

    def __len__(self) -> int:
        return len(self.episodes)

    def frame(self) -> pd.DataFrame:
        """Returns one row per episode, with the columns of `hm_agent.load`."""
        from hm_agent.reporting.frames import frame_of

        return frame_of(self.episodes)

    def show(self) -> None:
        """Prints what `hm-agent play` prints at its end: seats that met, means by scenario and agent, notes, totals."""
        from hm_agent.command_line.console import show_matchups, show_rows

        console, results = Console(), [episode.result for episode in self.episodes]
        show_matchups(console, results)
        show_rows(console, tabulate(results))

    def __repr__(self) -> str:
        return f"<Results: {counted(len(self), 'episode')} in {self.out}; show() prints them, frame() is a DataFrame>"

    def _repr_html_(self) -> str:
        shown = ["scenario", "agent", "model", "episode", "status", "steps", "value", "unit", "unanswered", "folder"]
        return str(self.frame().reindex(columns=shown).to_html(index=False))


def play(
    scenario: Names,
    agent: Names = Experiment.agents,
    *,
    episodes: int = Experiment.episodes,
    out: str | PathLike[str] = Experiment.out,
    model: str | ModelSettings = ModelSettings.name,
    seats: Names = Experiment.seats,
    seat_models: Names = Experiment.seat_models,
    seed: int = Experiment.seed,
    max_steps: int | None = Experiment.max_steps,
    workers: int = Experiment.workers,
    concurrency: int | None = Experiment.concurrency,
    grace: float = Experiment.grace,
    engine: str = Experiment.engine,
    ray_address: str | None = Experiment.ray_address,
    record_video: bool = Experiment.record_video,
    record_gif: range | None = Experiment.record_gif,
    record_replay: bool = Experiment.record_replay,
    overwrite: bool = Experiment.overwrite,
    retry_failed: bool = Experiment.retry_failed,
    recorders: Iterable[RecorderBuilder] = Experiment.recorders,
    parameters: Parameters = Experiment.parameters,
    tournament: bool = Experiment.tournament,
    report: bool = True,
    progress: bool = True,
    **options: str,
) -> Results:
    """Plays agents on scenarios and writes the same files as `hm-agent play`; skips episodes that were played already.

    scenario, agent, seats: names or globs, as a list or a text with commas; an agent may also be `module:name`.
    seat_models: names of models, likewise; in a tournament, those of the agents in their order. model: the name of a
    model or preset, or `ModelSettings` (endpoint, sampling, cache, budget). record_gif: the steps to film as an
    animated GIF, e.g. range(40, 120). recorders: functions or classes that are called with the `Episode` and return a
    recorder of its steps. tournament: whether each two of the agents meet, and each meets itself, as in `hm-agent
    tournament`. report: whether to write summary, report and index. progress: whether to show progress, on standard
    error or in the notebook's cell. options: the worlds' own options, named as their flags, e.g. `bots`. The other
    parameters do what their flags do: `hm-agent play --help`.

    Raises ConfigError with a message of one line if nothing can be played. Warns of agents that can't play a scenario,
    which are left out there, and of episodes that failed; their results say why. Works inside a running event loop,
    e.g. in Jupyter.
    """
    experiment = _experiment(locals())  # the arguments, since nothing comes before
    check_given(experiment, options)
    if experiment.left_out:
        warnings.warn(f"left out: {'; '.join(left_out_lines(experiment.left_out))}", RuntimeWarning, stacklevel=2)
    if not isinstance(report, bool):
        raise ConfigError(f"report={report!r}: must be True or False; the report's folder is OUT/{REPORT}")
    _run(experiment, shows_progress=progress)
    if report:
        write_pages(experiment.out, ReportRequest((experiment.out,), experiment.out / REPORT))
    return Results(tuple(_recorded_episodes(experiment)), experiment.out)


def _experiment(given: Mapping[str, Any]) -> Experiment:
    """Returns the experiment that `play`'s arguments describe, by name: names are found, and files become paths."""
    names = _as_tuple(given["scenario"])
    scenarios = find_scenarios(names, given["options"])
    for line in passed_over_lines(names, scenarios):
        warnings.warn(f"left out: {line}", RuntimeWarning, stacklevel=3)
    same = {each.name: given[each.name] for each in fields(Experiment) if each.name in given}
    read = {
        "scenarios": scenarios,
        "agents": find_agents(_as_tuple(given["agent"]), scenarios),
        "seats": find_agents(_as_tuple(given["seats"])),
        "model": _model_settings(given["model"]),
        "seat_models": _as_tuple(given["seat_models"]),
        "out": given_path("out", given["out"], "a folder"),
        "recorders": _as_recorders(given["recorders"]),
    }
    return Experiment(**{**same, **read})


def _as_tuple(names: object) -> tuple[str, ...]:
    """The names of a list or, as on the command line, of a text with commas; raises ConfigError for anything else."""
    if isinstance(names, str):
        return tuple(name.strip() for name in names.split(","))
    several = tuple(names) if isinstance(names, Iterable) else (names,)
    found = tuple(name for name in several if isinstance(name, str))
    if len(found) < len(several):
        raise ConfigError(f"{names!r}: must be a name, or several")
    return found


def _as_recorders(recorders: object) -> tuple[RecorderBuilder, ...]:
    if not isinstance(recorders, Iterable):
        raise ConfigError(f"recorders={recorders!r}: must be a list of functions or classes")
    return tuple(recorders)


def _model_settings(model: object) -> ModelSettings:
    if isinstance(model, ModelSettings):
        return model
    if not isinstance(model, str) or not model.strip():
        raise ConfigError(f"model={model!r}: must be a model's name, or ModelSettings")
    return PRESETS.get(model) or ModelSettings(model)


def check_given(experiment: Experiment, options: Mapping[str, Setting], *, opens_models: bool = True) -> None:
    """Raises ConfigError for what the experiment can't be played with, and for options that no world of it has.

    opens_models: as in `Experiment.check`.
    """
    if not isinstance(experiment.parameters, Parameters):
        raise ConfigError(f"parameters={experiment.parameters!r}: must be Parameters")
    for settings in (experiment, experiment.model, experiment.model.sampling, experiment.parameters):
        check_fields(settings)
    _check_gif(experiment.record_gif)
    known = {option.name for suite in experiment.suites for option in suite.options}
    if unknown := sorted(options.keys() - known):
        for written, kind in WRITTEN.items():
            if unknown[0] in {each.name for each in fields(kind)}:
                raise ConfigError(f"{unknown[0]}: say {written.format(flag=unknown[0])}")
        meant = option_meant(unknown[0], sorted(known), signature(play).parameters)
        raise ConfigError(f"no option {unknown[0]!r} in these scenarios' worlds: {meant}")
    for suite in experiment.suites:
        suite.chosen(options)
    for name, why in experiment.unused_options.items():
        if options.get(name) is not None:
            raise ConfigError(f"{name}={options[name]!r} has no effect: {why}")
    given = asdict(experiment.parameters)
    changed = [name for name, value in asdict(Parameters()).items() if given[name] != value]
    for name, why in experiment.unused_parameters(changed).items():
        raise ConfigError(f"{name}={given[name]!r} has no effect: {why}")
    experiment.check(opens_models=opens_models)


def _check_gif(steps: object) -> None:
    is_film = isinstance(steps, range) and 0 < len(steps) <= MOST_GIF_STEPS and min(steps) >= 0
    if steps is not None and not is_film:
        raise ConfigError(
            f"record_gif={steps!r}: must be a range of steps, at most {MOST_GIF_STEPS} in all, e.g. range(40, 120)"
        )


def _run(experiment: Experiment, *, shows_progress: bool) -> None:
    console = Console(
        stderr=True,
        quiet=not shows_progress or experiment.takes_terminal,
        force_jupyter=None if shows_progress else False,
    )
    grid = experiment.survey()
    with progress_for(console, grid.due) as progress:
        budget = RunBudget(experiment.model.max_calls, experiment.model.max_cost)
        results = [*run(experiment, progress, budget), *grid.unsuccessful]
    unplayed = [result for result in (played.judged for played in results) if not result.is_finished]
    if unplayed:
        summary = f"{len(unplayed)} of {experiment.size} episodes did not end well; the first: {unplayed[0].status}"
        where = "the results' `reason`" if unplayed[0].reason else "their traces or replays"
        warnings.warn(f"{summary}; see {where}", RuntimeWarning, stacklevel=3)
    elif budget.declined:
        warnings.warn(budget.declined_note, RuntimeWarning, stacklevel=3)


def _recorded_episodes(experiment: Experiment) -> Iterator[RecordedEpisode]:
    for episode in experiment.plan():
        results = (read_result(episode.folder / name) for name in (FILE, UNFINISHED))
        if result := next(filter(None, results), None):
            yield RecordedEpisode(result.judged, episode.folder)
