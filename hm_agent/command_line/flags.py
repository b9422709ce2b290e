"""Defines the flags of the command line (absl), and builds experiments and report requests from their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.battery import experiments
from hm_agent.command_flags import define_float, define_integer, read_flags
from hm_agent.config import ConfigError, check_folder
from hm_agent.experiment import ENGINES, MOST_GIF_STEPS, REMOTE_AT_ONCE, Experiment
from hm_agent.extensions import load_place
from hm_agent.files import REPORT
from hm_agent.models.flags import ModelFlags
from hm_agent.models.settings import BUILTIN
from hm_agent.registry import agent_names, find_agents, find_scenarios, register_scenarios, scenarios, suites
from hm_agent.reporting.drawing import FORMATS, STYLES, FigureFiles
from hm_agent.reporting.request import ReportRequest
from hm_agent.suite import FULL, SMALL, Option, ScenarioInfo, Setting
from hm_agent.theory_of_mind.hypotheses import Hyperparameters, Parameters
from hm_agent.wording import listed

FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_HERE: Mapping[str, Any] = {"flag_values": FLAGS}

_SCENARIO = flags.DEFINE_list("scenario", [], "Scenarios by short or full name, or globs, with commas.", **_HERE)
_AGENT = flags.DEFINE_list("agent", ["hypothetical_minds"], "Agents by name or glob, with commas.", **_HERE)
_SCENARIOS_DIR = flags.DEFINE_list(
    "scenarios_dir",
    [],
    "Folders with games or household tasks of your own, with commas; hm-agent new-game writes a game.",
    **_HERE,
)
_EPISODES = define_integer(
    "episodes", 1, "Episodes for each scenario and agent; 1e6 is a million.", lower_bound=1, **_HERE
)
_SEED = define_integer("seed", 0, "The base seed, from which each episode's seed is derived.", **_HERE)
_MAX_STEPS = define_integer("max_steps", None, "Cut episodes after so many steps.", lower_bound=1, **_HERE)
_SEATS = flags.DEFINE_list(
    "seats", [], "Agents that meet in scenarios with several seats, with commas; names repeat in turn.", **_HERE
)
_SEAT_MODELS = flags.DEFINE_list(
    "seat_models",
    [],
    "Models for these seats, with commas; names repeat in turn. Without it, all have --model.",
    **_HERE,
)

_OUT = flags.DEFINE_list("out", ["runs"], "The folder to write to; with --report_only, folders with commas.", **_HERE)
_OVERWRITE = flags.DEFINE_bool("overwrite", False, "Play all episodes anew, also those that OUT has already.", **_HERE)
_RETRY_FAILED = flags.DEFINE_bool("retry_failed", False, "Play failed episodes anew.", **_HERE)
_WORKERS = define_integer(
    "workers",
    1,
    "How many processes play episodes; as many as cores are enough.",
    lower_bound=1,
    **_HERE,
)
_CONCURRENCY = define_integer(
    "concurrency",
    None,
    f"How many episodes each worker plays at the same time; {REMOTE_AT_ONCE} with a remote model, else 1.",
    lower_bound=1,
    **_HERE,
)
_ENGINE = flags.DEFINE_enum(
    "engine", "local", list(ENGINES), "Where workers run: on this machine, or on the nodes of a Ray cluster.", **_HERE
)
_RAY_ADDRESS = flags.DEFINE_string(
    "ray_address", None, "The cluster, e.g. 10.0.0.1:6379; by default RAY_ADDRESS, else this machine's own.", **_HERE
)
_COUNT_UNANSWERED = flags.DEFINE_bool(
    "count_unanswered",
    False,
    "Also count episodes in which more than a fifth of the questions went unanswered.",
    **_HERE,
)
REPORT_ONLY = flags.DEFINE_bool(
    "report_only", False, "Report on the episodes in OUT, of --scenario and --agent if given; play nothing.", **_HERE
)
_REPORT = flags.DEFINE_string("report", None, "The report's folder; by default OUT/report.", **_HERE)
_FIGURE_FORMAT = flags.DEFINE_enum(
    "figure_format",
    "svg",
    list(FORMATS),
    "The format of figures, beside SVG, in which they are always written.",
    **_HERE,
)
_FIGURE_STYLE = flags.DEFINE_enum(
    "figure_style",
    "screen",
    list(STYLES),
    "The width of figures: of a page on the screen, or of a paper's column.",
    **_HERE,
)
_FIGURES = (_FIGURE_FORMAT, _FIGURE_STYLE)
_REPLAY = flags.DEFINE_bool(
    "replay", True, "Write replay.html, a page that replays the episode; --noreplay leaves it out.", **_HERE
)
_RECORDER = flags.DEFINE_list(
    "recorder", [], "Recorders of your own, as module:name, with commas; each gets the Episode.", **_HERE
)
_VIDEO = flags.DEFINE_bool("record_video", False, "Also record video.mp4 of every episode.", **_HERE)
_GIF = flags.DEFINE_string(
    "record_gif", None, "Also make episode.gif of these steps, from the first to the last, e.g. 40-119.", **_HERE
)

_MODEL_FLAGS = ModelFlags(FLAGS)

_ALPHA = define_float("learning_rate", 0.3, "The learning rate of hypothesis values (table 2: alpha).", 0, 1, **_HERE)
_REWARD = define_float(
    "intrinsic_reward", 1.0, "The reward for a right prediction (table 2: c).", lower_bound=0, **_HERE
)
_THRESHOLD = define_float("threshold", 0.7, "The value that validates a hypothesis (table 2).", **_HERE)
_TOP_K = define_integer("top_k", 5, "How many hypotheses are kept in play (table 2: k).", lower_bound=1, **_HERE)
_COUNTERFACTUAL = define_float(
    "counterfactual_reward",
    3.0,
    "he_hr's reward for a strategy that would have paid (table 3: c).",
    lower_bound=0,
    **_HERE,
)
_REWARD_THRESHOLD = define_float(
    "reward_threshold", 3.0, "The value that validates a strategy of he_hr (table 3).", **_HERE
)

BATTERY_SIZE = flags.DEFINE_enum(
    "size", SMALL, [SMALL, FULL], "small: a few hundred questions in all; full: enough episodes for intervals.", **_HERE
)

LIST = flags.DEFINE_bool("list", False, "List scenarios, agents and models, and exit.", **_HERE)
VERSION = flags.DEFINE_bool("version", False, "Print the version, and exit.", **_HERE)
HELP = flags.DEFINE_bool("help", False, "Show this help, and exit.", **_HERE)


def _define(options: Sequence[Option]) -> flags.FlagHolder[Any]:
    """Defines the flag of an option of one or several worlds; its help joins those of all of them."""
    first, about = options[0], " ".join(dict.fromkeys(option.help for option in options))
    if first.choices is None:
        return flags.DEFINE_string(first.name, first.default, about, **_HERE)
    return flags.DEFINE_enum(first.name, first.default, list(first.choices), about, **_HERE)


def _define_options() -> Mapping[str, flags.FlagHolder[Any]]:
    by_name: dict[str, list[Option]] = {}
    for suite in suites().values():
        for option in suite.options:
            by_name.setdefault(option.name, []).append(option)
    return {name: _define(options) for name, options in by_name.items()}


_BY_OPTION = _define_options()
_OPTIONS: Mapping[str, Mapping[str, flags.FlagHolder[Any]]] = {
    suite.title: {option.name: _BY_OPTION[option.name] for option in suite.options} for suite in suites().values()
}
"""The flags of each world's own options, by the world's title."""

GROUPS: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
    "What to play": (_SCENARIO, _SCENARIOS_DIR, _AGENT, _SEATS, _SEAT_MODELS, _EPISODES, _SEED, _MAX_STEPS),
    **{f"Only in {title}": tuple(holders.values()) for title, holders in _OPTIONS.items() if holders},
    "Where to play it": (_WORKERS, _CONCURRENCY, _ENGINE, _RAY_ADDRESS),
    "What to write": (
        _OUT,
        _OVERWRITE,
        _RETRY_FAILED,
        _REPLAY,
        _VIDEO,
        _GIF,
        _RECORDER,
        REPORT_ONLY,
        _REPORT,
        *_FIGURES,
        _COUNT_UNANSWERED,
    ),
    **_MODEL_FLAGS.groups,
    "Theory of Mind": (_ALPHA, _REWARD, _THRESHOLD, _TOP_K, _COUNTERFACTUAL, _REWARD_THRESHOLD),
    "Help": (LIST, VERSION, HELP),
}
"""All flags of `play`, as its help shows them."""
REPORT_GROUPS: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
    "What to report on": (_OUT, _SCENARIO, _SCENARIOS_DIR, _AGENT, _COUNT_UNANSWERED),
    "What to write": (_REPORT, *_FIGURES),
    "Help": (HELP,),
}
"""The flags of `report`."""
BATTERY_GROUPS: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
    "What to play": (BATTERY_SIZE, _AGENT, _SEED),
    "Where to play it": (_WORKERS, _CONCURRENCY, _ENGINE, _RAY_ADDRESS),
    "What to write": (_OUT, _OVERWRITE, _RETRY_FAILED, _REPLAY, *_FIGURES, _COUNT_UNANSWERED),
    **_MODEL_FLAGS.groups,
    "Help": (HELP,),
}
"""The flags of `battery`."""
BATTERY_OUT = Path("runs/battery")
BATTERY_HELPS: Mapping[str, str] = {
    "agent": "Agents by name, with commas; each world is played by those that can play it.",
    "out": f"The folder to write to. (default: {BATTERY_OUT})",
}
"""The help of flags that do something else in `battery` than in `play`, by name."""
REPORT_HELPS: Mapping[str, str] = {
    "out": "The folders to read, with commas. (default: runs)",
    "scenario": "Only these scenarios, by short or full name, or globs, with commas; by default all.",
    "agent": "Only these agents, by name or glob, with commas; by default all.",
    "report": "The folder to write to; by default `report` in the first of --out.",
}
"""The help of flags that do something else in `report` than in `play`, by name."""


def parse(argv: tuple[str, ...]) -> None:
    """Parses a command line into these flags, as `read_flags` does."""
    read_flags(FLAGS, argv)


def experiment() -> Experiment:
    """Returns the experiment that the flags describe; raises ConfigError if it is invalid, or a flag has no effect."""
    if not _values(_SCENARIO):
        raise ConfigError("no scenario: say --scenario=rws_repeated_1 or the like; see --list")
    register_own_scenarios()
    described = _experiment(find_scenarios(_values(_SCENARIO)), _single_folder())
    _check_effects(described)
    return described


def battery() -> tuple[Experiment, ...]:
    """Returns the battery's experiments by the flags, in the order to play; raises ConfigError if they are invalid."""
    requested = _experiment((), _single_folder() if FLAGS["out"].present else BATTERY_OUT)
    _check_model_effects(requested)
    return tuple(experiments(requested, BATTERY_SIZE.value))


def _experiment(selected: tuple[ScenarioInfo, ...], out: Path) -> Experiment:
    if _RAY_ADDRESS.value and _ENGINE.value != "ray":
        raise ConfigError(f"--ray_address={_RAY_ADDRESS.value} is for --engine=ray; say both, or neither")
    return Experiment(
        scenarios=selected,
        agents=find_agents(_values(_AGENT), selected),
        seats=tuple(name for agent in _values(_SEATS) for name in find_agents((agent,))),
        model=_MODEL_FLAGS.settings(),
        seat_models=_values(_SEAT_MODELS),
        episodes=_EPISODES.value,
        seed=_SEED.value,
        out=out,
        record_video=_VIDEO.value,
        record_gif=_filmed_steps(),
        record_replay=_REPLAY.value,
        max_steps=_MAX_STEPS.value,
        overwrite=_OVERWRITE.value,
        retry_failed=_RETRY_FAILED.value,
        workers=_WORKERS.value,
        concurrency=_CONCURRENCY.value,
        engine=_ENGINE.value,
        ray_address=_RAY_ADDRESS.value,
        options=_options(),
        recorders=tuple(map(load_place, _values(_RECORDER))),
        parameters=Parameters(
            Hyperparameters(_ALPHA.value, _REWARD.value, _THRESHOLD.value, _TOP_K.value),
            Hyperparameters(_ALPHA.value, _COUNTERFACTUAL.value, _REWARD_THRESHOLD.value, _TOP_K.value),
        ),
    )


def register_own_scenarios() -> None:
    """Registers the games of --scenarios_dir."""
    for folder in _values(_SCENARIOS_DIR):
        register_scenarios(folder)


def _filmed_steps() -> range | None:
    """Returns the steps of --record_gif; raises ConfigError for an invalid range, or too many steps."""
    if _GIF.value is None:
        return None
    match = re.fullmatch(r"([0-9]{1,7})-([0-9]{1,7})", _GIF.value)
    steps = range(int(match[1]), int(match[2]) + 1) if match else range(0)
    if not 0 < len(steps) <= MOST_GIF_STEPS:
        raise ConfigError(
            f"--record_gif={_GIF.value}: say the first and the last step, e.g. 40-119, at most {MOST_GIF_STEPS} in all"
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
    for name, why in _unused_options(requested).items():
        _refuse_given([_BY_OPTION[name]], why)
    if _SEATS.present and all(len(scenario.seats) > 1 for scenario in requested.scenarios):
        _refuse_given([_AGENT], "--seats says who plays")
    if (_VIDEO.present or _GIF.present) and not any(map(_is_filmed, requested.scenarios)):
        _refuse_given([_VIDEO, _GIF], "these scenarios have no pictures")


def _unused_options(requested: Experiment) -> Mapping[str, str]:
    """Returns the worlds' options that change nothing in any scenario that is played, each with a reason."""
    unused = dict[str, str]()
    used = set[str]()
    for scenario in requested.scenarios:
        suite = suites()[scenario.world]
        given = {option.name: requested.options.get(option.name, option.default) for option in suite.options}
        agents = sorted({agent for lineup in requested.lineups(scenario) for agent in lineup})
        found = suite.unused(scenario, agents, given)
        unused |= found
        used |= given.keys() - found.keys()
    return {name: why for name, why in unused.items() if name not in used}


def _check_model_effects(requested: Experiment) -> None:
    """Raises ConfigError for a flag of the model that was given and has no effect."""
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
    register_own_scenarios()
    folders = _folders()
    into = _path(_REPORT) or folders[0] / REPORT
    if _REPORT.value:
        check_folder(_REPORT.name, into)
    if after_playing:
        return replace(report_request_in(folders[0]), into=into)
    figures = FigureFiles(_FIGURE_FORMAT.value, _FIGURE_STYLE.value)
    agents = _values(_AGENT) if _AGENT.present else ()
    return ReportRequest(folders, into, _values(_SCENARIO), agents, figures, _COUNT_UNANSWERED.value)


def report_request_in(out: Path) -> ReportRequest:
    """Requests a report on everything in one folder, in the folder's own `report`."""
    figures = FigureFiles(_FIGURE_FORMAT.value, _FIGURE_STYLE.value)
    return ReportRequest((out,), out / REPORT, figures=figures, counts_unanswered=_COUNT_UNANSWERED.value)


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


def _path(flag: flags.FlagHolder[str | None]) -> Path | None:
    return Path(flag.value) if flag.value else None
