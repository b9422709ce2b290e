"""The command line: absl flags → an Experiment."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from absl import flags
from rich.console import Console

from hm_agent.agents.registry import ABOUT
from hm_agent.config import ConfigError, all_scenarios, find_scenarios
from hm_agent.experiment import MODELS, Experiment, find_agents, run
from hm_agent.games.game import Inference
from hm_agent.reporting.console import ConsoleProgress, show_rows
from hm_agent.reporting.summary import write_summary
from hm_agent.theory_of_mind.hypotheses import Hyperparameters

USAGE = """Plays Hypothetical Minds and its reference agents on Melting Pot scenarios.

    python run_scenario.py --scenario=rws_repeated_1 --record_video
    python run_scenario.py --scenario='rws_repeated_*' --agent=hypothetical_minds,oracle --episodes=5

Each episode leaves OUT/<scenario>/<agent>/<model>/episode-<k>/ with result.json, trace.jsonl and, where asked for,
video.mp4; OUT/summary.md and OUT/summary.json tell of all of them. One seed gives one episode, bit for bit.

Flags:"""

INTERRUPTED, FAILED, WRONG_INPUT = 130, 1, 2
WIDTH = 120
"""Of what is printed into files and pipes."""

FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_LIST = flags.DEFINE_list
_SCENARIO = _LIST("scenario", [], "Scenarios by short or full name, or globs, with commas.", flag_values=FLAGS)
_AGENT = _LIST("agent", ["hypothetical_minds"], "Agents by name or glob, with commas.", flag_values=FLAGS)
_MODEL = flags.DEFINE_string("model", "builtin", "Who answers the agent's questions.", flag_values=FLAGS)
_EPISODES = flags.DEFINE_integer(
    "episodes", 1, "Episodes for each scenario and agent.", lower_bound=1, flag_values=FLAGS
)
_SEED = flags.DEFINE_integer("seed", 0, "The base seed; each episode has its own from it.", flag_values=FLAGS)
_OUT = flags.DEFINE_string("out", "runs", "The folder to write to.", flag_values=FLAGS)
_VIDEO = flags.DEFINE_bool("record_video", False, "Also film every episode.", flag_values=FLAGS)
_MAX_STEPS = flags.DEFINE_integer(
    "max_steps", None, "Cut episodes after so many steps.", lower_bound=1, flag_values=FLAGS
)
_BOTS = flags.DEFINE_enum(
    "bots",
    "auto",
    ["auto", "trained", "scripted"],
    "Who plays the background: trained models, scripted players, or trained ones where they are installed.",
    flag_values=FLAGS,
)
_BOTS_DIR = flags.DEFINE_string(
    "bots_dir", None, "A folder of trained SavedModels, laid out <substrate>/<model>/.", flag_values=FLAGS
)
_OVERWRITE = flags.DEFINE_bool("overwrite", False, "Play episodes anew that OUT holds already.", flag_values=FLAGS)
_INFERENCE = flags.DEFINE_enum_class(
    "inference",
    Inference.EXACT,
    Inference,
    "How the opponent's inventory is found: calculated from the reward, or asked of the model as in the paper.",
    flag_values=FLAGS,
)
_ALPHA = flags.DEFINE_float("learning_rate", 0.3, "Of hypothesis values (table 2: alpha).", 0, 1, flag_values=FLAGS)
_REWARD = flags.DEFINE_float(
    "intrinsic_reward", 1.0, "For a right prediction (table 2: c).", lower_bound=0, flag_values=FLAGS
)
_THRESHOLD = flags.DEFINE_float("threshold", 0.7, "The value that validates a hypothesis (table 2).", flag_values=FLAGS)
_TOP_K = flags.DEFINE_integer(
    "top_k", 5, "How many hypotheses are kept in play (table 2: k).", lower_bound=1, flag_values=FLAGS
)
_SHOW = flags.DEFINE_bool("list", False, "List scenarios, agents and models, and end.", flag_values=FLAGS)
_HELP = flags.DEFINE_bool("help", False, "Show this help, and end.", flag_values=FLAGS)


def main(argv: Sequence[str]) -> int:
    """Runs one command line; returns the exit status."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    try:
        _parse(argv)
        if _HELP.value or _SHOW.value:
            console.out(_help() if _HELP.value else _listing(), highlight=False)
            return 0
        experiment = _experiment()
        experiment.check()
        return _run(experiment, console)
    except (flags.Error, ConfigError) as error:
        return _complain(" ".join(str(error).split()), WRONG_INPUT)
    except OSError as error:
        return _complain(f"can't write to {_OUT.value}: {error}", FAILED)
    except KeyboardInterrupt:
        return _complain("interrupted before anything was played", INTERRUPTED)


def _parse(argv: Sequence[str]) -> None:
    FLAGS.unparse_flags()
    rest = FLAGS(tuple(argv))[1:]
    if rest:
        raise ConfigError(f"unexpected argument {rest[0]!r}: all options are --flags; see --help")


def _experiment() -> Experiment:
    if not _SCENARIO.value:
        raise ConfigError("no scenario: say --scenario=rws_repeated_1 or the like; see --list")
    bots_dir = Path(_BOTS_DIR.value) if _BOTS_DIR.value else None
    if bots_dir and not bots_dir.is_dir():
        raise ConfigError(f"--bots_dir={bots_dir}: no such folder")
    return Experiment(
        scenarios=find_scenarios(_SCENARIO.value),
        agents=find_agents(tuple(_AGENT.value)),
        model=_MODEL.value,
        episodes=_EPISODES.value,
        seed=_SEED.value,
        out=Path(_OUT.value),
        record_video=_VIDEO.value,
        max_steps=_MAX_STEPS.value,
        bots=_BOTS.value,
        bots_dir=bots_dir,
        overwrite=_OVERWRITE.value,
        inference=_INFERENCE.value,
        parameters=Hyperparameters(_ALPHA.value, _REWARD.value, _THRESHOLD.value, _TOP_K.value),
    )


def _run(experiment: Experiment, console: Console) -> int:
    status = 0
    try:
        with ConsoleProgress(console, sum(1 for _ in experiment.plan())) as progress:
            run(experiment, progress)
    except KeyboardInterrupt:
        if not experiment.out.is_dir():
            raise
        status = _complain(f"interrupted; what was played is in {experiment.out}", INTERRUPTED)
    show_rows(console, write_summary(experiment.out))
    console.out(f"Files: {experiment.out}", highlight=False)
    return status


def _help() -> str:
    lines = [USAGE]
    for flag in FLAGS.get_flags_for_module(FLAGS.find_module_defining_flag("scenario")):
        name = f"--[no]{flag.name}" if flag.boolean else f"--{flag.name}"
        default = "" if flag.default is None or flag.boolean else f" (default: {flag.default_as_str})"
        lines.append(f"  {name:<20} {flag.help}{default}")
    return "\n".join(lines)


def _listing() -> str:
    lines = ["Scenarios:"]
    lines += [f"  {s.short_name:<16} {s.facts.about}   ({s.name})" for s in all_scenarios()]
    lines += ["Agents:", *(f"  {name:<20} {about}" for name, about in ABOUT.items())]
    return "\n".join([*lines, "Models:", *(f"  {name}" for name in MODELS)])


def _complain(message: str, status: int) -> int:
    print(f"run_scenario.py: {message}", file=sys.stderr)
    return status


def run_from_shell() -> None:
    """The console script."""
    sys.exit(main(sys.argv))
