"""Defines the flags of the command line (absl), and builds experiments and report requests from their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.battery import Battery, Split
from hm_agent.command_flags import (
    Helps,
    define_field,
    define_fields,
    define_number,
    define_switch,
    read_fields,
    read_flags,
)
from hm_agent.config import ConfigError, check_folder
from hm_agent.experiment import MOST_GIF_STEPS, Experiment
from hm_agent.extensions import load_place, nearest
from hm_agent.files import REPORT
from hm_agent.finding import find_agents, find_scenarios, passed_over_lines
from hm_agent.flag_fields import FlagField
from hm_agent.grouping import grouped
from hm_agent.models.flags import ModelFlags
from hm_agent.models.prompts import register_prompts
from hm_agent.models.settings import BUILTIN
from hm_agent.registry import agent_names, register_scenarios, scenarios, suites
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.request import ReportRequest
from hm_agent.scenario import ScenarioInfo
from hm_agent.suite import FULL, SMALL, Setting
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.wording import listed

FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_HERE: Mapping[str, Any] = {"flag_values": FLAGS}

_SETTINGS = define_fields(Experiment, FLAGS)
_THEORY_OF_MIND = define_fields(Parameters, FLAGS)
_MODEL_FLAGS = ModelFlags(FLAGS)

_SCENARIO = flags.DEFINE_list("scenario", [], "Scenarios by short or full name, or globs, with commas.", **_HERE)
_SCENARIOS_DIR = flags.DEFINE_list(
    "scenarios_dir",
    [],
    "Folders with games or household tasks of your own, with commas; hm-agent game-file writes one of Melting Pot's.",
    **_HERE,
)
_PROMPTS_DIR = flags.DEFINE_list(
    "prompts_dir",
    [],
    "Folders with prompts of your own, with commas: a template there replaces the package's of that name.",
    **_HERE,
)
_OUT = flags.DEFINE_list(
    "out", [str(Experiment.out)], "The folder to write to; with --report_only, folders with commas.", **_HERE
)
REPORT_ONLY = define_switch(
    "report_only", False, "Report on the episodes in OUT, of --scenario and --agent if given; play nothing.", **_HERE
)
_REPORT = flags.DEFINE_string("report", None, "The report's folder; by default OUT/report.", **_HERE)
_REPORTING = {**define_fields(FigureFiles, FLAGS), **define_fields(ReportRequest, FLAGS)}

BATTERY_SIZE = flags.DEFINE_enum(
    "size", SMALL, [SMALL, FULL], "small: a few hundred questions in all; full: enough episodes for intervals.", **_HERE
)

WORLDS = flags.DEFINE_list(
    "world", [], "Only these worlds, with commas; cards of the same worlds can be compared.", **_HERE
)
SPLIT_SEED = define_number(
    int,
    "split_seed",
    None,
    "A large number of your own: draws a private battery, whose items nobody has trained on.",
    0,
    **_HERE,
)
TELL_SPLIT_SEED = define_switch(
    "tell_split_seed", False, "Write the private seed into the card; otherwise only its hash.", **_HERE
)

ESTIMATE = define_switch(
    "estimate", False, "Print what the run will ask and cost, with OUT/estimate.json, and play nothing.", **_HERE
)
_ESTIMATE_FROM = flags.DEFINE_list(
    "estimate_from", [], "Folders of earlier runs that the estimate is taken from, beside OUT; with commas.", **_HERE
)

NEEDS_ORDER = define_number(
    int, "needs_order", None, "Only the scenarios that need this order of mind (docs/glossary.md).", **_HERE
)
LIST = define_switch("list", False, "List scenarios, agents and models, and exit.", **_HERE)
VERSION = define_switch("version", False, "Print the version, and exit.", **_HERE)
HELP = define_switch("help", False, "Show this help, and exit.", **_HERE)


def _define_options() -> Mapping[str, flags.FlagHolder[Any]]:
    """Defines the flags of the worlds' options, by name; the help of one that several worlds have joins theirs."""
    by_name = grouped((option.name, option) for suite in suites().values() for option in suite.options)
    helps = {name: " ".join(dict.fromkeys(option.help for option in options)) for name, options in by_name.items()}
    return {
        name: define_field(FlagField(name, str, first.default, name, helps[name], choices=first.choices or ()), FLAGS)
        for name, (first, *_) in by_name.items()
    }


_BY_OPTION = _define_options()
_OPTIONS: Mapping[str, Mapping[str, flags.FlagHolder[Any]]] = {
    suite.title: {option.name: _BY_OPTION[option.name] for option in suite.options} for suite in suites().values()
}
"""The flags of each world's own options, by the world's title."""

_BY_NAME: Mapping[str, flags.FlagHolder[Any]] = {
    **_SETTINGS,
    **_REPORTING,
    **{flag.name: flag for flag in (_SCENARIO, _SCENARIOS_DIR, _PROMPTS_DIR, _OUT, REPORT_ONLY, _REPORT)},
}


def _flags(*names: str) -> tuple[flags.FlagHolder[Any], ...]:
    return tuple(_BY_NAME[name] for name in names)


_MODEL_GROUPS = {
    **_MODEL_FLAGS.groups,
    "What it may cost": (*_MODEL_FLAGS.groups["What it may cost"], ESTIMATE, _ESTIMATE_FROM),
}
_PLACE = _flags("workers", "concurrency", "grace", "engine", "ray_address")
_WRITING = _flags("out", "overwrite", "retry_failed", "replay")


def _only_in(world: str) -> str:
    """The title of the group of flags that a world alone has."""
    return f"Only in {world}"


GROUPS: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
    "What to play": _flags(
        "scenario", "scenarios_dir", "agent", "prompts_dir", "seats", "seat_models", "episodes", "seed", "max_steps"
    ),
    **{_only_in(title): tuple(holders.values()) for title, holders in _OPTIONS.items() if holders},
    "Where to play it": _PLACE,
    "What to write": (
        *_WRITING,
        *_flags("record_video", "record_gif", "recorder", "report_only", "report"),
        *_REPORTING.values(),
    ),
    **_MODEL_GROUPS,
    "Theory of Mind": tuple(_THEORY_OF_MIND.values()),
    "Help": (LIST, VERSION, HELP),
}
"""All flags of `play`, as its help shows them."""
REPORT_GROUPS: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
    "What to report on": _flags("out", "scenario", "scenarios_dir", "agent", "count_unanswered"),
    "What to write": _flags("report", "figure_format", "figure_style"),
    "Help": (HELP,),
}
"""The flags of `report`."""
BATTERY_GROUPS: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
    "What to play": (BATTERY_SIZE, *_flags("agent"), WORLDS, SPLIT_SEED, TELL_SPLIT_SEED),
    "Where to play it": _PLACE,
    "What to write": (*_WRITING, *_REPORTING.values()),
    **_MODEL_GROUPS,
    "Help": (HELP,),
}
"""The flags of `battery`."""
_NO_TOURNAMENT = {"seats", "report_only", LIST.name, VERSION.name}
TOURNAMENT_GROUPS: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
    title: tuple(holder for holder in holders if holder.name not in _NO_TOURNAMENT) for title, holders in GROUPS.items()
}
"""The flags of `tournament`."""
PLAY_HELPS: Helps = {
    (_only_in(suite.title), option.name): option.help
    for suite in suites().values()
    for option in suite.options
    if sum(option.name in holders for holders in _OPTIONS.values()) > 1
}
"""What an option that several worlds have does in each."""
TOURNAMENT_HELPS: Helps = {
    **PLAY_HELPS,
    "scenario": "Scenarios with several seats, by short or full name, or globs, e.g. '*selfplay', with commas.",
    "agent": "The agents that meet, by name or glob, with commas: each meets every other one, and itself.",
    "seat_models": "Models of these agents, in their order, with commas; names repeat in turn. Without it, all have "
    "--model.",
    "episodes": "Episodes for each table, all with the same seeds; five or more for intervals.",
}
"""The help of flags that do something else in `tournament` than in `play`, by name."""
LIST_GROUPS: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
    "What to list": (NEEDS_ORDER, _SCENARIOS_DIR),
    "Help": (HELP,),
}
"""The flags of `list`."""
BATTERY_OUT = Path("runs/battery")
BATTERY_HELPS: Helps = {
    "agent": "Agents by name, with commas; each world is played by those that can play it.",
    "out": f"The folder to write to. (default: {BATTERY_OUT})",
}
"""The help of flags that do something else in `battery` than in `play`, by name."""
REPORT_HELPS: Helps = {
    "out": f"The folders to read, with commas. (default: {Experiment.out})",
    "scenario": "Only these scenarios, by short or full name, or globs, with commas; by default all.",
    "agent": "Only these agents, by name or glob, with commas; by default all.",
    "report": "The folder to write to; by default `report` in the first of --out.",
}
"""The help of flags that do something else in `report` than in `play`, by name."""


def parse(argv: tuple[str, ...]) -> None:
    """Parses a command line into these flags, as `read_flags` does."""
    read_flags(FLAGS, argv)


def experiment(*, tournament: bool = False) -> Experiment:
    """Returns the experiment that the flags describe; raises ConfigError if it is invalid, or a flag has no effect."""
    if not _values(_SCENARIO):
        raise ConfigError("no scenario: say --scenario=rws_repeated_1 or the like; see --list")
    register_own_folders()
    selected = find_scenarios(_values(_SCENARIO), _options())
    described = _experiment(selected, _single_folder(), tournament=tournament)
    _check_effects(described)
    return described


def battery() -> tuple[Battery, Experiment]:
    """Returns the battery by the flags, and what agents and model play it; raises ConfigError if they are invalid."""
    requested = _experiment((), _single_folder() if FLAGS["out"].present else BATTERY_OUT)
    requested = replace(requested, agents=tuple(dict.fromkeys(requested.agents)))
    _check_model_effects(requested)
    if SPLIT_SEED.value is None:
        _refuse_given([TELL_SPLIT_SEED], "--split_seed gives no private seed")
    for name in _values(WORLDS):
        if name not in suites():
            raise ConfigError(f"--world={name}: {nearest(name, suites())}there are {listed(list(suites()))}")
    return Battery(BATTERY_SIZE.value, Split(SPLIT_SEED.value), tuple(sorted({*_values(WORLDS)}))), requested


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
    return passed_over_lines(_values(_SCENARIO), described.scenarios)


def estimated_from(out: Path) -> tuple[Path, ...]:
    """Returns the folders with the episodes that an estimate is taken from; raises ConfigError if one is missing."""
    earlier = [Path(name) for name in _values(_ESTIMATE_FROM)]
    if missing := [folder for folder in earlier if not folder.is_dir()]:
        raise ConfigError(f"--{_ESTIMATE_FROM.name}={missing[0]}: no such folder")
    return (*([out] if out.is_dir() else []), *earlier)


def register_own_folders() -> None:
    """Registers the games of --scenarios_dir and the templates of --prompts_dir."""
    for folder in _values(_SCENARIOS_DIR):
        register_scenarios(folder)
    for folder in _values(_PROMPTS_DIR):
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


def _values(flag: flags.FlagHolder[list[str]]) -> tuple[str, ...]:
    """Returns the values of a list flag, without the empty ones that stray commas leave."""
    return tuple(filter(None, flag.value))


def _check_effects(requested: Experiment) -> None:
    """Raises ConfigError for a flag that was given and has no effect on the experiment."""
    _check_model_effects(requested)
    played = {suite.title for suite in requested.suites}
    for name, holder in _BY_OPTION.items():
        titles = [title for title, holders in _OPTIONS.items() if name in holders]
        if not played.intersection(titles):
            _refuse_given([holder], f"it belongs to {listed(titles)}, of which no scenario is played")
    for name, why in requested.unused_options.items():
        _refuse_given([_BY_OPTION[name]], why)
    for name, why in requested.unused_parameters(_THEORY_OF_MIND).items():
        _refuse_given([_THEORY_OF_MIND[name]], why)
    if _BY_NAME["seats"].present and all(len(scenario.seats) > 1 for scenario in requested.scenarios):
        _refuse_given(_flags("agent"), "--seats says who plays")
    filming = [flag for flag in _flags("record_video", "record_gif") if flag.present]
    if filming and not any(map(_is_filmed, requested.scenarios)):
        _refuse_given(filming, "these scenarios have no pictures")


def _check_model_effects(requested: Experiment) -> None:
    """Raises ConfigError for a flag of the model that was given and has no effect."""
    if not ESTIMATE.value:
        _refuse_given([_ESTIMATE_FROM], "it is for --estimate")
    for name, (why, unused) in _MODEL_FLAGS.unused.items():
        if all(model.startswith(name) for model in requested.model_names):
            _refuse_given(unused, f"the model {requested.model_names[0]} {why}")


def _is_filmed(scenario: ScenarioInfo) -> bool:
    viewer = suites()[scenario.world].viewer(scenario)
    return viewer is not None and viewer.picture(scenario, "") is not None


def check_report_only() -> None:
    """Raises ConfigError for a flag that was given beside --report_only and has no effect."""
    used = {holder.name for group in REPORT_GROUPS.values() for holder in group} | {REPORT_ONLY.name}
    _refuse_given(
        [flag for group in GROUPS.values() for flag in group if flag.name not in used], "--report_only plays nothing"
    )


def _refuse_given(unused: Iterable[flags.FlagHolder[Any]], why: str) -> None:
    for flag in unused:
        if flag.present:
            raise ConfigError(f"--{flag.name} has no effect: {why}")


def completions() -> Mapping[str, Sequence[str]]:
    """Returns the names that can be given, by flag, for flags with a fixed choice of names."""
    names = [scenario.short_name for scenario in scenarios().values()]
    choices = {
        flag.name: list(flag.parser.enum_values)
        for flag in (FLAGS[name] for name in FLAGS)
        if isinstance(flag.parser, flags.EnumParser)
    }
    agents = agent_names()
    return {**choices, "scenario": names, "agent": agents, "seats": agents, "model": [BUILTIN, "local:smollm2"]}


def _options() -> Mapping[str, Setting]:
    """Returns the worlds' own options; raises ConfigError for invalid ones, e.g. a folder that does not exist."""
    given = {name: holder.value for holders in _OPTIONS.values() for name, holder in holders.items()}
    for suite in suites().values():
        suite.chosen(given)
    return given


def report_request(*, after_playing: bool) -> ReportRequest:
    """Returns what the flags ask to report on; after playing, everything in the run's folder."""
    register_own_folders()
    folders = _folders()
    if _REPORT.value:
        check_folder(_REPORT.name, Path(_REPORT.value))
    request = report_request_in(folders[0])
    request = replace(request, into=Path(_REPORT.value) if _REPORT.value else request.into)
    if after_playing:
        return request
    agents = _values(_BY_NAME["agent"]) if _BY_NAME["agent"].present else ()
    return replace(request, folders=folders, scenarios=_values(_SCENARIO), agents=agents)


def report_request_in(out: Path) -> ReportRequest:
    """Requests a report on everything in one folder, in the folder's own `report`."""
    figures = FigureFiles(**read_fields(FigureFiles, FLAGS))
    return ReportRequest((out,), out / REPORT, figures=figures, **read_fields(ReportRequest, FLAGS))


def _folders() -> tuple[Path, ...]:
    """Returns the folders of --out, each once."""
    if not _values(_OUT):
        raise ConfigError("--out names no folder")
    return tuple(dict.fromkeys(map(Path, _values(_OUT))))


def _single_folder() -> Path:
    folders = _folders()
    if len(folders) > 1:
        raise ConfigError(f"--out={','.join(map(str, folders))}: only --report_only takes more than one folder")
    return folders[0]
