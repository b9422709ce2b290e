"""The command line: runs the experiment that the flags ask for, and says in one line what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from absl.flags import Error as FlagError
from absl.flags import FlagHolder
from rich.console import Console

from hm_agent import flags
from hm_agent.agents.registry import ABOUT
from hm_agent.config import ConfigError
from hm_agent.console import ConsoleProgress, show_rows
from hm_agent.engines.run import run
from hm_agent.experiment import Experiment
from hm_agent.models.providers import BUILTIN, PRESETS
from hm_agent.recording.result import Result
from hm_agent.reporting.index import write_index
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.summary import write_summary
from hm_agent.worlds.melting_pot.scenarios import all_scenarios

USAGE = """Plays Hypothetical Minds and its reference agents on Melting Pot scenarios.

    python run_scenario.py --scenario=rws_repeated_1 --record_video
    python run_scenario.py --scenario='rws_repeated_*' --agent=hypothetical_minds,oracle --episodes=5
    python run_scenario.py --scenario=rws_repeated_1 --model=gpt-4o --cache=answers.sqlite --max_cost=5
    python run_scenario.py --scenario='rws_*' --workers=64 --engine=ray --ray_address=10.0.0.1:6379 --out=/shared/runs

Each episode leaves OUT/<scenario>/<agent>/<model>/episode-<k>/ with replay.html (a page to watch it step by step),
result.json, trace.jsonl and, where asked for, video.mp4; OUT/index.html lists all of them, OUT/summary.md and
OUT/summary.json sum them up. One seed gives one episode, bit for bit. The same command again plays what is missing.

OUT/report/ compares the agents: report.html (one page with pictures), report.md, and tables as CSV. Anew, from the
files of earlier runs:

    python run_scenario.py --report_only --out=runs,elsewhere --report=report"""

INTERRUPTED, FAILED, WRONG_INPUT, NO_MODEL = 130, 1, 2, 3
WIDTH = 120
"""Of what is printed into files and pipes."""


def main(argv: Sequence[str]) -> int:
    """Runs one command line; returns the exit status."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    try:
        flags.parse(tuple(argv))
        if flags.HELP.value or flags.LIST.value:
            console.out(_help() if flags.HELP.value else _listing(), highlight=False)
            return 0
        if flags.REPORT_ONLY.value:
            _report(flags.report_request(), console)
            return 0
        experiment = flags.experiment()
        experiment.check()
        return _run(experiment, console)
    except (FlagError, ConfigError) as error:
        return _complain(" ".join(str(error).split()), WRONG_INPUT)
    except OSError as error:
        return _complain(f"can't write: {' '.join(str(error).split())}", FAILED)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)


def _run(experiment: Experiment, console: Console) -> int:
    due, planned = len(experiment.due()), sum(1 for _ in experiment.plan())
    if due < planned:
        console.out(f"{planned - due} of {planned} episodes are there already; --overwrite plays them anew")
    try:
        with ConsoleProgress(console, due) as progress:
            status = _judge(run(experiment, progress), experiment)
    except KeyboardInterrupt:
        if not experiment.out.is_dir():
            raise
        status = _complain(f"interrupted; what was played is in {experiment.out}", INTERRUPTED)
    rows = write_summary(experiment.out)
    show_rows(console, rows)
    console.out(f"Files: {experiment.out}", highlight=False)
    report = _report(flags.report_request(), console) if rows else None
    console.out(f"Index: {write_index(experiment.out, report)}", highlight=False)
    return status


def _judge(results: Sequence[Result], experiment: Experiment) -> int:
    """The exit status after a run, with what went wrong said."""
    stopped = next((result for result in results if result.stops_the_run), None)
    if stopped:
        return _complain(f"{stopped.status}: {stopped.reason}; what was played is in {experiment.out}", NO_MODEL)
    failed = [result for result in results if result.has_failed]
    if failed:
        said = f"{len(failed)} of {len(results)} episodes failed, the first of {failed[0].scenario} with"
        return _complain(f"{said} {failed[0].status}; their results tell why, --retry_failed plays them again", FAILED)
    return 0


def _report(request: flags.ReportRequest, console: Console) -> Path:
    """Writes the report on what was played, and says where its page is."""
    # Matplotlib and SciPy take long to import, and are needed here alone.
    from hm_agent.reporting.writing import write_report

    runs = read_runs(request.folders).of(request.scenarios, request.agents)
    page = write_report(runs, request.into)
    console.out(f"Report: {page}", highlight=False)
    return page


def _help() -> str:
    lines = [USAGE]
    for title, group in flags.GROUPS.items():
        lines += ["", f"{title}:", *map(_describe, group)]
    return "\n".join(lines)


def _describe(holder: FlagHolder[object]) -> str:
    flag = flags.FLAGS[holder.name]
    name = f"--[no]{flag.name}" if flag.boolean else f"--{flag.name}"
    default = "" if flag.default is None or flag.boolean or flag.default == [] else f" (default: {flag.default_as_str})"
    return f"  {name:<20} {flag.help}{default}"


def _listing() -> str:
    lines = ["Scenarios:"]
    lines += [f"  {s.short_name:<20} {s.facts.about}   ({s.name})" for s in all_scenarios()]
    lines += ["Agents:", *(f"  {name:<20} {about}" for name, about in ABOUT.items())]
    lines += ["Models:", f"  {BUILTIN:<20} the built-in reasoner: it calculates, is no language model and needs no key"]
    lines += [f"  {'any other name':<20} a language model of that name, behind an OpenAI-compatible endpoint"]
    lines += ["Presets of models, for --preset:", *(f"  {name:<20} {preset.name}" for name, preset in PRESETS.items())]
    return "\n".join(lines)


def _complain(message: str, status: int) -> int:
    print(f"run_scenario.py: {message}", file=sys.stderr)
    return status


def run_from_shell() -> None:
    """The console script."""
    sys.exit(main(sys.argv))
