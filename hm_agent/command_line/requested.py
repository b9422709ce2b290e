"""What a command line asks for: an experiment, a battery, or a report, from the values of the flags.

Each raises ConfigError for flags that are invalid, or have no effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from hm_agent.cards.battery import Battery, Split
from hm_agent.catalogue.finding import find_agents, find_scenarios, passed_over_lines
from hm_agent.catalogue.registry import register_scenarios, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting
from hm_agent.command_line.flags import (
    BATTERY_OUT,
    BY_OPTION,
    FLAGS,
    GROUPS,
    MODEL_FLAGS,
    REPORT_GROUPS,
    THEORY_OF_MIND,
    said,
    said_agents,
)
from hm_agent.config import ConfigError, check_folder
from hm_agent.experiment import MOST_GIF_STEPS, Experiment
from hm_agent.extensions import load_place, nearest
from hm_agent.flags.parsing import read_fields, refuse_given
from hm_agent.models.prompts import register_prompts
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.request import ReportRequest
from hm_agent.storage.files import REPORT
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.wording import listed


def experiment(*, tournament: bool = False) -> Experiment:
    """Returns the experiment that the flags describe; raises ConfigError if it is invalid, or a flag has no effect."""
    if not said().scenario:
        raise ConfigError("no scenario: say --scenario=rws_repeated_1 or the like; see --list")
    register_own_folders()
    selected = find_scenarios(said().scenario, _options())
    described = _experiment(selected, _single_folder(), tournament=tournament)
    _check_effects(described)
    return described


def battery() -> tuple[Battery, Experiment]:
    """Returns the battery by the flags, and what agents and model play it; raises ConfigError if they are invalid."""
    requested = _experiment((), _single_folder() if FLAGS["out"].present else BATTERY_OUT)
    requested = replace(requested, agents=tuple(dict.fromkeys(requested.agents)))
    _check_model_effects(requested)
    asked = said()
    if asked.split_seed is None:
        refuse_given(FLAGS, ["tell_split_seed"], "--split_seed gives no private seed")
    for name in asked.worlds:
        if name not in suites():
            raise ConfigError(f"--world={name}: {nearest(name, suites())}there are {listed(list(suites()))}")
    return Battery(asked.size, Split(asked.split_seed), tuple(sorted({*asked.worlds}))), requested


def _experiment(selected: tuple[ScenarioInfo, ...], out: Path, *, tournament: bool = False) -> Experiment:
    given = read_fields(Experiment, FLAGS)
    return Experiment(
        selected,
        model=MODEL_FLAGS.settings(),
        out=out,
        options=_options(),
        parameters=Parameters(**read_fields(Parameters, FLAGS)),
        **{
            **given,
            "agents": find_agents(given["agents"], selected),
            "seats": find_agents(given["seats"]),
            "tournament": tournament,
            "record_gif": _filmed_steps(given["record_gif"]),
            "recorders": tuple(map(load_place, given["recorders"])),
        },
    )


def passed_over(described: Experiment) -> Iterator[str]:
    """Yields a line for each need for which the globs of --scenario left scenarios out."""
    return passed_over_lines(said().scenario, described.scenarios)


def estimated_from(out: Path) -> tuple[Path, ...]:
    """Returns the folders with the episodes that an estimate is taken from; raises ConfigError if one is missing."""
    earlier = [Path(name) for name in said().estimate_from]
    if missing := [folder for folder in earlier if not folder.is_dir()]:
        raise ConfigError(f"--estimate_from={missing[0]}: no such folder")
    return (*([out] if out.is_dir() else []), *earlier)


def register_own_folders() -> None:
    """Registers the games of --scenarios_dir and the templates of --prompts_dir."""
    for folder in said().scenarios_dir:
        register_scenarios(folder)
    for folder in said().prompts_dir:
        register_prompts(folder)


def _filmed_steps(text: str | None) -> range | None:
    """Returns the steps of --record_gif; raises ConfigError for an invalid range, or too many steps."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,7})-([0-9]{1,7})", text)
    steps = range(int(match[1]), int(match[2]) + 1) if match else range(0)
    if not 0 < len(steps) <= MOST_GIF_STEPS:
        raise ConfigError(
            f"--record_gif={text}: say the first and the last step, e.g. 40-119, at most {MOST_GIF_STEPS} in all"
        )
    return steps


def _check_effects(requested: Experiment) -> None:
    """Raises ConfigError for a flag that was given and has no effect on the experiment."""
    _check_model_effects(requested)
    played = {suite.title for suite in requested.suites}
    for name, having in BY_OPTION.items():
        titles = [suite.title for suite, _ in having]
        if not played.intersection(titles):
            refuse_given(FLAGS, [name], f"it belongs to {listed(titles)}, of which no scenario is played")
    for name, why in {**requested.unused_options, **requested.unused_parameters(THEORY_OF_MIND)}.items():
        refuse_given(FLAGS, [name], why)
    if FLAGS["seats"].present and all(len(scenario.seats) > 1 for scenario in requested.scenarios):
        refuse_given(FLAGS, ["agent"], "--seats says who plays")
    filming = [name for name in ("record_video", "record_gif") if FLAGS[name].present]
    if filming and not any(map(_is_filmed, requested.scenarios)):
        refuse_given(FLAGS, filming, "these scenarios have no pictures")


def _check_model_effects(requested: Experiment) -> None:
    """Raises ConfigError for a flag of the model that was given and has no effect."""
    if not said().estimate:
        refuse_given(FLAGS, ["estimate_from"], "it is for --estimate")
    for name, (why, unused) in MODEL_FLAGS.unused.items():
        if all(model.startswith(name) for model in requested.model_names):
            refuse_given(FLAGS, unused, f"the model {requested.model_names[0]} {why}")


def _is_filmed(scenario: ScenarioInfo) -> bool:
    viewer = suites()[scenario.world].viewer(scenario)
    return viewer is not None and viewer.picture(scenario, "") is not None


def check_report_only() -> None:
    """Raises ConfigError for a flag that was given beside --report_only and has no effect."""
    used = {"report_only", *chain(*REPORT_GROUPS.values())}
    unused = (name for name in chain(*GROUPS.values()) if name not in used)
    refuse_given(FLAGS, unused, "--report_only plays nothing")


def _options() -> Mapping[str, Setting]:
    """Returns the worlds' own options; raises ConfigError for invalid ones, e.g. a folder that does not exist."""
    given = {name: FLAGS[name].value for name in BY_OPTION}
    for suite in suites().values():
        suite.chosen(given)
    return given


def report_request(*, after_playing: bool) -> ReportRequest:
    """Returns what the flags ask to report on; after playing, everything in the run's folder."""
    register_own_folders()
    folders = _folders()
    request = report_request_in(folders[0])
    if into := said().report:
        check_folder("report", Path(into))
        request = replace(request, into=Path(into))
    if after_playing:
        return request
    return replace(request, folders=folders, scenarios=said().scenario, agents=said_agents())


def report_request_in(out: Path) -> ReportRequest:
    """Requests a report on everything in one folder, in the folder's own `report`."""
    figures = FigureFiles(**read_fields(FigureFiles, FLAGS))
    return ReportRequest((out,), out / REPORT, figures=figures, **read_fields(ReportRequest, FLAGS))


def _folders() -> tuple[Path, ...]:
    """Returns the folders of --out, each once."""
    if not said().out:
        raise ConfigError("--out names no folder")
    return tuple(dict.fromkeys(map(Path, said().out)))


def _single_folder() -> Path:
    folders = _folders()
    if len(folders) > 1:
        raise ConfigError(f"--out={','.join(map(str, folders))}: only --report_only takes more than one folder")
    return folders[0]
