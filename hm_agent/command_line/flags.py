"""The flags of the command line (absl), and which of them each command shows in its help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from absl import flags

from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.suite import FULL, SMALL, Suite
from hm_agent.experiment import Experiment
from hm_agent.flags.fields import FlagField, flag_field
from hm_agent.flags.parsing import (
    HELP,
    FlagGroups,
    define_field,
    define_fields,
    read_fields,
    read_flags,
)
from hm_agent.grouping import grouped
from hm_agent.models.flags import ModelFlags
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.request import ReportRequest
from hm_agent.theory_of_mind.hypotheses import Parameters

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
THEORY_OF_MIND = define_fields(Parameters, FLAGS)
MODEL_FLAGS = ModelFlags(FLAGS)
_REPORTING = (*define_fields(FigureFiles, FLAGS), *define_fields(ReportRequest, FLAGS))
define_fields(RunFlags, FLAGS)
define_field(HELP, FLAGS)

BY_OPTION = grouped((option.name, (suite, option)) for suite in suites().values() for option in suite.options)
"""The options of the worlds and whose they are, by their flag."""


def _define_options() -> None:
    """Defines the flags of the worlds' options; the help of one that several worlds have joins theirs."""
    for name, having in BY_OPTION.items():
        first, about = having[0][1], " ".join(dict.fromkeys(option.help for _, option in having))
        define_field(FlagField(name, str, first.default, name, about, choices=first.choices or ()), FLAGS)


_define_options()


def _only_in(suite: Suite) -> Mapping[str, str]:
    """The flags that a world alone has; of an option that other worlds have too, what it does in this one."""
    return {option.name: option.help if len(BY_OPTION[option.name]) > 1 else "" for option in suite.options}


def _group(*names: str) -> Mapping[str, str]:
    """Flags with their own help."""
    return dict.fromkeys(names, "")


BATTERY_OUT = Path("runs/battery")
_HELP = _group("help")
_MODEL_GROUPS = {
    **MODEL_FLAGS.groups,
    "What it may cost": {**MODEL_FLAGS.groups["What it may cost"], **_group("estimate", "estimate_from")},
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
    "Theory of Mind": _group(*THEORY_OF_MIND),
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
