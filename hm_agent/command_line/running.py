"""Plays the missing episodes of an experiment, shows the progress, and reports on all episodes in the folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress

from rich.console import Console

from hm_agent.bounds import kept_start
from hm_agent.command_line.console import show_matchups, show_notes, show_rows, show_tournaments
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.lineups import left_out_lines
from hm_agent.models.budget import BudgetSpent, RunBudget
from hm_agent.pool.console_progress import progress_for
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run
from hm_agent.process.exit_status import FAILED, INTERRUPTED, NO_MODEL
from hm_agent.process.output import output_console
from hm_agent.process.shell import printable
from hm_agent.recording import trace
from hm_agent.recording.result import Result, result_files
from hm_agent.reporting import index
from hm_agent.reporting.folder_pages import write_pages
from hm_agent.reporting.notes import unreadable_notes
from hm_agent.reporting.request import ReportRequest
from hm_agent.reporting.tournament import tournaments
from hm_agent.reporting.writing import PAGE
from hm_agent.storage.files import write_whole
from hm_agent.storage.folder_lock import EPISODE_BYTES
from hm_agent.watching.run_folder import PLAN

CUT_SHORT = (INTERRUPTED, NO_MODEL)
"""The exit statuses of runs that ended before all episodes were played."""
MOST_SAID = 200
"""Characters of a server's or a check's words that are printed."""
MANY = 10_000
"""The number of episodes from which the disk space that they may take is printed before they are played."""
Complain = Callable[[str, int], int]
"""Prints a message after the command's name, and returns the given exit status."""


def run_and_report(experiment: Experiment, request: ReportRequest, complain: Complain) -> int:
    """Plays a checked experiment and writes its summary, report and index; returns the exit status."""
    console = output_console()
    if experiment.left_out:
        console.out("Left out, a dash in the tables:", highlight=False)
    for line in left_out_lines(experiment.left_out):
        console.out(f"  {line}", highlight=False)
    status = play_missing(experiment, request, complain, console)
    _print_summary(experiment, request, console, is_cut_short=status in CUT_SHORT)
    return status


def play_missing(
    experiment: Experiment,
    request: ReportRequest,
    complain: Complain,
    console: Console,
    budget: RunBudget | None = None,
    *,
    lists_episodes: bool = True,
) -> int:
    """Plays the missing episodes of a checked experiment and shows the progress; returns the exit status.

    budget: as in `run`. lists_episodes: False to print the totals alone, each minute, where there is no terminal.
    """
    budget = budget or RunBudget(experiment.model.max_calls, experiment.model.max_cost)
    grid, declined = experiment.survey(), budget.declined
    if grid.played:
        present = f"{len(grid.played):,} of {experiment.size:,} episodes are there already"
        console.out(f"{present}; --overwrite plays them anew")
    _print_disk_space(experiment, grid.due, console)
    if grid.due:
        _write_plan(experiment)
    try:
        told = progress_for(console, grid.due, lists_episodes=lists_episodes)
        with nullcontext(NoProgress()) if experiment.takes_terminal else told as progress:
            results = run(experiment, progress, budget) if grid.due else []
        every = [*results, *grid.unsuccessful]
        unpaid = budget.declined_note if budget.declined > declined else ""
        return _exit_status(every, experiment, complain, unpaid, counts_unanswered=request.counts_unanswered)
    except KeyboardInterrupt:
        if not experiment.out.is_dir():
            raise
        return complain(_interrupted(experiment), INTERRUPTED)


def _interrupted(experiment: Experiment) -> str:
    """What an interruption left; says so if every episode had ended all the same."""
    may_be_older = experiment.overwrite or experiment.retry_failed
    if may_be_older or experiment.survey().due:
        return f"interrupted; what was played is in {experiment.out}"
    return f"interrupted, but no episode is missing; they are in {experiment.out}"


def _write_plan(experiment: Experiment) -> None:
    """Writes how many episodes the folder will have, for `hm-agent watch`; if that fails, the run will fail, too."""
    with suppress(OSError):
        experiment.out.mkdir(parents=True, exist_ok=True)
        ended = {path.parent for path in result_files(experiment.out)}
        others = ended - {episode.folder for episode in experiment.present()}
        write_whole(experiment.out / PLAN, json.dumps({"episodes": experiment.size + len(others)}) + "\n")


def _print_disk_space(experiment: Experiment, due: int, console: Console) -> None:
    """Prints the disk space that a large run may take, which begins without asking."""
    existing = next(folder for folder in (experiment.out, *experiment.out.absolute().parents) if folder.is_dir())
    free, needed = shutil.disk_usage(existing).free, EPISODE_BYTES * due
    if due >= MANY:
        console.out(
            f"{due:,} episodes to play; with all their files they may take {needed / 1e9:,.0f} GB, "
            f"and {free / 1e9:,.0f} GB are free. The same command goes on after an interruption (Ctrl-C)",
            highlight=False,
        )


def _exit_status(
    results: Sequence[Result], experiment: Experiment, complain: Complain, unpaid: str, *, counts_unanswered: bool
) -> int:
    """Returns the exit status of a run; prints what went wrong.

    results: of what was played, and of earlier episodes that are not to be played again, at least those that failed or
    left too many questions unanswered. unpaid: what the budget says of episodes that did not begin, if there are any.
    """
    stopped = next((result for result in results if result.stops_the_run), None)
    if stopped or unpaid:
        why = f"{stopped.status}: {stopped.reason}" if stopped else f"{BudgetSpent.status}: {unpaid}"
        return complain(f"{why}; what was played is in {experiment.out}", NO_MODEL)
    silent = [result for result in results if result.is_finished and not result.is_answered]
    failed = [result for result in results if result.has_failed]
    if failed:
        which = f"{len(failed)} of {experiment.size} episodes failed, the first of {failed[0].scenario} with"
        where = f" ({failed[0].place_of_error})" if failed[0].place_of_error else ""
        return complain(
            f"{which} {failed[0].status}{where}; their results have the traceback, --retry_failed plays them again",
            FAILED,
        )
    if silent and not counts_unanswered:
        verb = "is" if len(silent) == 1 else "are"
        return complain(
            f"{len(silent)} of {experiment.size} episodes {verb} no result, the first of {silent[0].scenario} with "
            f"{silent[0].unanswered_note}{_first_problem(silent[0], experiment)}; traces hold all words, "
            "--count_unanswered counts them all the same",
            FAILED,
        )
    return 0


def _first_problem(result: Result, experiment: Experiment) -> str:
    """Why the result's first unanswered question has no answer, in brackets; empty if its trace does not tell."""
    known = (result.scenario, result.agent, result.model, result.episode)
    for episode in experiment.present():
        if (episode.scenario.name, episode.agent, episode.model, episode.number) == known:
            with suppress(OSError, ConfigError, KeyError, TypeError):  # a trace may be damaged, or of an older version
                problem = trace.why_unanswered(episode.folder / trace.FILE)
                return f" ({printable(kept_start(problem, MOST_SAID))})" if problem else ""
    return ""


def _print_summary(experiment: Experiment, request: ReportRequest, console: Console, *, is_cut_short: bool) -> None:
    """Prints the means of all episodes in the folder; writes summary, report and index if they are outdated.

    After a tournament, the tables of tournaments stand in place of the means, unless a table was not played.
    """
    out = experiment.out
    runs, rows, report = write_pages(out, request, is_cut_short=is_cut_short)
    if experiment.tournament and (played := tournaments(runs.results)):
        show_tournaments(console, played)
        show_notes(console, rows)
    else:
        show_matchups(console, runs.results)
        show_rows(console, rows)
    for note in unreadable_notes(runs):
        console.out(printable(note), highlight=False)
    console.out(f"Files: {out}", highlight=False)
    if report:
        console.out(f"Report: {report}", highlight=False)
    elif rows:
        why = "on more episodes than were played" if is_cut_short else f"since {out} can't be written"
        console.out(f"Report: {request.into / PAGE} stays as it was, {why}", highlight=False)
    console.out(f"Index: {out / index.PAGE}", highlight=False)
