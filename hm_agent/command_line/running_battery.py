"""Plays the battery, world by world and order by order, and writes the cards of its agents."""

from __future__ import annotations

from pathlib import Path

from hm_agent.cards.battery import Battery
from hm_agent.cards.card import FILE, PAGE
from hm_agent.cards.making import card_folder, make_cards
from hm_agent.cards.writing import write_files
from hm_agent.command_line.console import show_card, show_minds
from hm_agent.command_line.running import CUT_SHORT, Complain, play_missing
from hm_agent.experiment import Experiment
from hm_agent.models.budget import RunBudget
from hm_agent.process.output import output_console
from hm_agent.reporting import index
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.folder_pages import write_pages
from hm_agent.reporting.minds import study_minds
from hm_agent.reporting.request import ReportRequest
from hm_agent.reporting.runs import Runs
from hm_agent.reporting.writing import write_minds
from hm_agent.wording import counted, listed


def run_battery(
    battery: Battery, requested: Experiment, request: ReportRequest, complain: Complain, *, tells_seed: bool = False
) -> int:
    """Plays a checked battery, writes report, index and a card for each requested agent; returns the exit status.

    All parts have the same folder and share the budget of the requested model. After failed episodes the other parts
    are still played. tells_seed: True if cards tell the seed of a private draw.
    """
    console, budget = output_console(), RunBudget(requested.model.max_calls, requested.model.max_cost)
    status = 0
    for part, references, experiment in battery.experiments(requested):
        for played in filter(None, (references, experiment)):
            console.out(part_title(part.title, played, is_scale=played is references), highlight=False)
            is_own = played is experiment
            status = play_missing(played, request, complain, console, budget, lists_episodes=is_own) or status
            if status in CUT_SHORT:
                break
        if status in CUT_SHORT:
            break
    _write_cards(battery, requested, tells_seed=tells_seed)
    write_pages(requested.out, request, is_cut_short=status in CUT_SHORT)
    console.out(f"Index: {requested.out / index.PAGE}", highlight=False)
    return status


def part_title(part: str, experiment: Experiment, *, is_scale: bool) -> str:
    """Who plays a part of the battery, and how much. is_scale: True for the agents that its items are scored by."""
    episodes = counted(experiment.size, "episode")
    if is_scale:
        return f"{part}: {counted(len(experiment.agents), 'scripted agent')} to score by, {episodes}"
    return f"{part}: {listed(experiment.agents)} with {experiment.model.name}, {episodes}"


def _write_cards(battery: Battery, requested: Experiment, *, tells_seed: bool) -> None:
    """Writes and prints the card of each agent that has any result."""
    console = output_console()
    for agent, card, archive in make_cards(battery, requested, tells_seed=tells_seed):
        if card.episodes:
            folder = card_folder(requested, agent)
            write_files(card, archive, folder)
            show_card(console, card)
            console.out(f"Card: {folder / FILE}, as a page {folder / PAGE}", highlight=False)


def show_study(runs: Runs, into: Path, figures: FigureFiles) -> None:
    """Writes the study of minds and prints its table; raises ConfigError if it has no data."""
    study = study_minds(runs)
    page = write_minds(study, into, figures)
    console = output_console()
    show_minds(console, study)
    console.out(f"Study: {page}", highlight=False)
