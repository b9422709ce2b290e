"""Defines the flags of the command line (absl), and builds experiments and report requests from their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from absl import flags

from hm_agent.cards.battery import Battery, Split
from hm_agent.catalogue.finding import find_agents, find_scenarios, passed_over_lines
from hm_agent.catalogue.registry import register_scenarios, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import FULL, SMALL, Setting, Suite
from hm_agent.config import ConfigError, check_folder
from hm_agent.experiment import MOST_GIF_STEPS, Experiment
from hm_agent.extensions import load_place, nearest
from hm_agent.flags.fields import FlagField, flag_field
from hm_agent.flags.parsing import (
    HELP,
    FlagGroups,
    define_field,
    define_fields,
    read_fields,
    read_flags,
    refuse_given,
)
from hm_agent.grouping import grouped
from hm_agent.models.flags import ModelFlags
from hm_agent.models.prompts import register_prompts
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.request import ReportRequest
from hm_agent.storage.files import REPORT
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.wording import listed

FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class RunFlags:
    """What a command line says beside the settings of an experiment, of its model and of a report."""

    scenario: tuple[str, ...] = flag_field((), "Scenarios by short or full name, or globs, with commas.")
    scenarios_dir: tuple[str, ...] = flag_field(
        (),
        "Folders with games or household tasks of your own, with commas; hm-agent game-file writes one of Melting "
        "Pot's.",
    )
    prompts_dir: tuple[str, ...] = flag_field(
        (), "Folders with prompts of your own, with commas: a template there replaces the package's of that name."
    )
    out: tuple[str, ...] = flag_field(
        (str(Experiment.out),), "The folder to write to; with --report_only, folders with commas."
    )
    report_only: bool = flag_field(
        False, "Report on the episodes in OUT, of --scenario and --agent if given; play nothing."
    )
    report: str | None = flag_field(None, "The report's folder; by default OUT/report.")
    size: str = flag_field(
        SMALL, "small: a few hundred questions in all; full: enough episodes for intervals.", choices=(SMALL, FULL)
    )
    worlds: tuple[str, ...] = flag_field(
        (), "Only these worlds, with commas; cards of the same worlds can be compared.", "world"
    )
    split_seed: int | None = flag_field(
        None, "A large number of your own: draws a private battery, whose items nobody has trained on.", lower=0
    )
    tell_split_seed: bool = flag_field(False, "Write the private seed into the card; otherwise only its hash.")
    estimate: bool = flag_field(
        False, "Print what the run will ask and cost, with OUT/estimate.json, and play nothing."
    )
    estimate_from: tuple[str, ...] = flag_field(
        (), "Folders of earlier runs that the estimate is taken from, beside OUT; with commas."
    )
    needs_order: int | None = flag_field(None, "Only the scenarios that need this order of mind (docs/glossary.md).")
    lists: bool = flag_field(False, "List scenarios, agents and models, and exit.", "list")
    version: bool = flag_field(False, "Print the version, and exit.")


define_fields(Experiment, FLAGS)
_THEORY_OF_MIND = define_fields(Parameters, FLAGS)
_MODEL_FLAGS = ModelFlags(FLAGS)
_REPORTING = (*define_fields(FigureFiles, FLAGS), *define_fields(ReportRequest, FLAGS))
define_fields(RunFlags, FLAGS)
define_field(HELP, FLAGS)

_BY_OPTION = grouped((option.name, (suite, option)) for suite in suites().values() for option in suite.options)
"""The options of the worlds and whose they are, by their flag."""


def _define_options() -> None:
    """Defines the flags of the worlds' options; the help of one that several worlds have joins theirs."""
    for name, having in _BY_OPTION.items():
        first, about = having[0][1], " ".join(dict.fromkeys(option.help for _, option in having))
        define_field(FlagField(name, str, first.default, name, about, choices=first.choices or ()), FLAGS)


_define_options()


def _only_in(suite: Suite) -> Mapping[str, str]:
    """The flags that a world alone has; of an option that other worlds have too, what it does in this one."""
    return {option.name: option.help if len(_BY_OPTION[option.name]) > 1 else "" for option in suite.options}


def _group(*names: str) -> Mapping[str, str]:
    """Flags with their own help."""
    return dict.fromkeys(names, "")


BATTERY_OUT = Path("runs/battery")
_HELP = _group("help")
_MODEL_GROUPS = {
    **_MODEL_FLAGS.groups,
    "What it may cost": {**_MODEL_FLAGS.groups["What it may cost"], **_group("estimate", "estimate_from")},
}
_PLACE = _group("workers", "concurrency", "grace", "engine", "ray_address")
_WRITING = _group("out", "overwrite", "retry_failed", "replay")

GROUPS: FlagGroups = {
    "What to play": _group(
        "scenario", "scenarios_dir", "agent", "prompts_dir", "seats", "seat_models", "episodes", "seed", "max_steps"
    ),
    **{f"Only in {suite.title}": _only_in(suite) for suite in suites().values() if suite.options},
    "Where to play it": _PLACE,
    "What to write": {
        **_WRITING,
        **_group("record_video", "record_gif", "recorder", "report_only", "report", *_REPORTING),
    },
    **_MODEL_GROUPS,
    "Theory of Mind": _group(*_THEORY_OF_MIND),
    "Help": _group("list", "version", "help"),
}
"""All flags of `play`."""
REPORT_GROUPS: FlagGroups = {
    "What to report on": {
        "out": f"The folders to read, with commas. (default: {Experiment.out})",
        "scenario": "Only these scenarios, by short or full name, or globs, with commas; by default all.",
        "scenarios_dir": "",
        "agent": "Only these agents, by name or glob, with commas; by default all.",
        "count_unanswered": "",
    },
    "What to write": {
        "report": "The folder to write to; by default `report` in the first of --out.",
        **_group("figure_format", "figure_style"),
    },
    "Help": _HELP,
}
BATTERY_GROUPS: FlagGroups = {
    "What to play": {
        "size": "",
        "agent": "Agents by name, with commas; each world is played by those that can play it.",
        **_group("world", "split_seed", "tell_split_seed"),
    },
    "Where to play it": _PLACE,
    "What to write": {
        **_WRITING,
        "out": f"The folder to write to. (default: {BATTERY_OUT})",
        **_group(*_REPORTING),
    },
    **_MODEL_GROUPS,
    "Help": _HELP,
}
_NO_TOURNAMENT = {"seats", "report_only", "list", "version"}
_IN_TOURNAMENT = {
    "scenario": "Scenarios with several seats, by short or full name, or globs, e.g. '*selfplay', with commas.",
    "agent": "The agents that meet, by name or glob, with commas: each meets every other one, and itself.",
    "seat_models": "Models of these agents, in their order, with commas; names repeat in turn. Without it, all have "
    "--model.",
    "episodes": "Episodes for each table, all with the same seeds; five or more for intervals.",
}
TOURNAMENT_GROUPS: FlagGroups = {
    title: {name: _IN_TOURNAMENT.get(name, said) for name, said in group.items() if name not in _NO_TOURNAMENT}
    for title, group in GROUPS.items()
}
LIST_GROUPS: FlagGroups = {
    "What to list": {
        "scenario": "Each of these scenarios, by short or full name, or globs, with commas.",
        "agent": "Each of these agents, by name or glob, with commas.",
        **_group("needs_order", "scenarios_dir"),
    },
    "Help": _HELP,
}


def said() -> RunFlags:
    """Returns what the command line says beside the settings of experiments."""
    return RunFlags(**read_fields(RunFlags, FLAGS))


def said_agents() -> tuple[str, ...]:
    """Returns what --agent says; empty if it is not given."""
    return read_fields(Experiment, FLAGS)["agents"] if FLAGS["agent"].present else ()


def parse(argv: tuple[str, ...]) -> None:
    """Parses a command line into these flags, as `read_flags` does."""
    read_flags(FLAGS, argv)


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
        model=_MODEL_FLAGS.settings(),
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
    for name, having in _BY_OPTION.items():
        titles = [suite.title for suite, _ in having]
        if not played.intersection(titles):
            refuse_given(FLAGS, [name], f"it belongs to {listed(titles)}, of which no scenario is played")
    for name, why in {**requested.unused_options, **requested.unused_parameters(_THEORY_OF_MIND)}.items():
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
    for name, (why, unused) in _MODEL_FLAGS.unused.items():
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
    given = {name: FLAGS[name].value for name in _BY_OPTION}
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
