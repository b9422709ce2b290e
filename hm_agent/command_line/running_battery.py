"""Plays the battery, world by world, and shows the study of minds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hm_agent.command_line.console import show_minds
from hm_agent.command_line.running import CUT_SHORT, Complain, output_console, play_missing
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.files import MINDS_PAGE
from hm_agent.models.budget import RunBudget
from hm_agent.reporting import index
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.folder_pages import write_pages
from hm_agent.reporting.minds import study_minds
from hm_agent.reporting.request import ReportRequest
from hm_agent.reporting.runs import Runs, read_runs
from hm_agent.reporting.writing import write_minds
from hm_agent.wording import counted, listed


def run_battery(battery: Sequence[Experiment], request: ReportRequest, complain: Complain) -> int:
    """Plays checked experiments one after the other, and writes summary, report and study; returns the exit status.

    All have the same folder, and share the budget of the last one's model. After failed episodes the others are still
    played.
    """
    console, last = output_console(), battery[-1]
    budget = RunBudget(last.model.max_calls, last.model.max_cost)
    status = 0
    for experiment in battery:
        console.out(_title(experiment), highlight=False)
        status = play_missing(experiment, request, complain, console, budget) or status
        if status in CUT_SHORT:
            break
    runs = read_runs((last.out,), counts_unanswered=request.counts_unanswered)
    try:
        show_study(runs, (last.out / MINDS_PAGE).parent, request.figures)
    except ConfigError as error:
        complain(str(error), status)
    write_pages(last.out, request, is_cut_short=status in CUT_SHORT)
    console.out(f"Index: {last.out / index.PAGE}", highlight=False)
    return status


def show_study(runs: Runs, into: Path, figures: FigureFiles) -> None:
    """Writes the study of minds and prints its table; raises ConfigError if it has no data."""
    study = study_minds(runs)
    page = write_minds(study, into, figures)
    console = output_console()
    show_minds(console, study)
    console.out(f"Study: {page}", highlight=False)


def _title(experiment: Experiment) -> str:
    world, episodes = listed([suite.title for suite in experiment.suites]), counted(experiment.size, "episode")
    return f"{world}: {listed(experiment.agents)} with {experiment.model.name}, {episodes}"
