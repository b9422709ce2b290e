"""The commands of `hm-agent` that play experiments, report on runs and list what there is; each has flags."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from absl.flags import Error as FlagError

from hm_agent.command_line import flags, listing, requested
from hm_agent.config import ConfigError
from hm_agent.flags.parsing import FlagGroups, help_text
from hm_agent.process.exit_status import FAILED, INTERRUPTED, WRONG_INPUT, complain
from hm_agent.process.shell import printable
from hm_agent.recording.result import versions

if TYPE_CHECKING:
    from hm_agent.experiment import Experiment
    from hm_agent.reporting.drawing import FigureFiles
    from hm_agent.reporting.runs import Runs

PLAY_USAGE = """Plays agents on scenarios.

    {command} --scenario=rws_repeated_1 --record_video
    {command} --scenario='rws_repeated_*' --agent=hypothetical_minds,oracle --episodes=5
    {command} --scenario=rws_arena_selfplay --seats=hypothetical_minds,react
    {command} --scenario=rws_repeated_1 --model=gpt-4o --estimate
    {command} --scenario=rws_repeated_1 --model=gpt-4o --cache=answers.sqlite --max_cost=5
    {command} --scenario='rws_*' --workers=64 --engine=ray --ray_address=10.0.0.1:6379 --out=/shared/runs

--flagfile=FILE reads flags from a file, one per line; lines that begin with # are comments. An agent, a model or a
recorder of your own is named by its module: --agent=my_module:build, see docs/python.md.

Each episode leaves OUT/<scenario>/<agent>/<model>/episode-<k>/ with replay.html (a page to watch it step by step),
result.json, trace.jsonl and, on request, video.mp4; OUT/index.html lists all episodes, OUT/summary.md and
OUT/summary.json sum them up. One seed gives one episode, bit for bit. The same command again plays what is missing.

OUT/report/ compares the agents: report.html (one page with pictures), report.md, and tables as CSV."""

REPORT_USAGE = """Compares the agents of earlier runs, from the files of one or several folders, and plays nothing.

    {command} --out=runs,elsewhere --report=report
    {command} --out=runs --scenario='pd_*' --agent=hypothetical_minds,react"""

ORDERS_USAGE = """Shows when a mind helps: the rewards of earlier runs by the order of the opponents' rules, and of
agents against each other, as a picture, tables and CSV. It plays nothing: `make orders` does.

    {command} --out=runs/orders --report=benchmarks/results/orders"""

MINDS_USAGE = """Shows what agents know of other minds beside what they do with it, in every world that the runs have:
literal and functional Theory of Mind, with base rates and the gap, as a picture, a table and CSV. It plays nothing.

    {command} --out=runs --report=minds"""

BATTERY_USAGE = """Plays the same items of every world, by the order of mind that they need, and writes the card of an
agent with a model: the order at which it plays, what it says of other minds beside what it does, and what that cost
(docs/cards.md).

    {command}                                  # the built-in reasoner, without a key
    {command} --model=gpt-4o --max_cost=10
    {command} --model=my-model --base_url=http://localhost:8000/v1 --agent=hypothetical_minds,hm_odds
    {command} --size=full --workers=2
    {command} --model=gpt-4o --split_seed=8271644093    # items that nobody has trained on

Shortcuts, which model no mind, the ladder of orders and the ceiling play the same items first, at no cost and without
replays. OUT has the files of `hm-agent play`, and OUT/cards/<agent>/<model>/ the card (card.json, card.html, card.png)
with its answers. The same command again goes on where it ended; --max_calls and --max_cost hold for all worlds
together."""

TOURNAMENT_USAGE = """Lets each agent meet every other one, and itself, and ranks them by payoff and by Bayesian skill.

    {command} --agent=hypothetical_minds,react,he_hr --scenario=rws_repeated_selfplay --episodes=10
    {command} --agent='hm_*,react' --scenario='mg_*selfplay' --episodes=5 --out=runs/tournament
    {command} --agent=react,react,random --seat_models=gpt-4o,gpt-4o-mini,builtin --scenario=mg_pd_selfplay

A table is one agent in all seats, or two that sit in turn; where seats differ, the two also change places. All tables
have the same seeds. The same command again plays what is missing. OUT has the files of `hm-agent play`; OUT/report has
the ranking, the payoffs and who beats whom on its pages, and as tournament.csv and payoffs.csv."""

LIST_USAGE = """Lists the kinds of scenarios, agents and models that there are, or scenarios and agents one by one.

    {command}                                  # what there is
    {command} --scenario='rws_*,pd_*'          # these one by one
    {command} --agent='*'
    {command} --needs_order=2                  # the scenarios that need that order of mind

Scenarios are marked with the order that they need, or by `separates nobody`, where either was measured or proved."""


def run_guarded(name: str, act: Callable[[], int]) -> int:
    """Runs a command and returns its exit status; prints an error as one line that begins with `name`."""
    try:
        return act()
    except (FlagError, ConfigError) as error:
        return complain(name, str(error), WRONG_INPUT)
    except BrokenPipeError:  # the reader of the output, e.g. `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return complain(name, f"can't write: {error}", FAILED)
    except KeyboardInterrupt:
        return complain(name, "interrupted", INTERRUPTED)
    except ImportError as error:
        if not isinstance(error.__cause__, KeyboardInterrupt):  # raised within a library's compiled part
            raise
        return complain(name, "interrupted", INTERRUPTED)


def print_version() -> int:
    print(f"hm_agent {versions()['hm_agent']}")
    return 0


@dataclass(frozen=True)
class Command:
    """A command with flags.

    name: begins its error messages. groups: its flags by the titles of the help. act: runs it once its flags are
    parsed. typed: what the user types to call it, if that is not its name.
    """

    name: str
    usage: str
    groups: FlagGroups
    act: Callable[[Command], int]
    typed: str = ""

    def run(self, arguments: Sequence[str]) -> int:
        """Runs one command line; returns the exit status."""
        return run_guarded(self.name, lambda: self._act(arguments))

    def _act(self, arguments: Sequence[str]) -> int:
        flags.parse((self.name, *arguments))
        self._check_flags()
        if flags.FLAGS["help"].value:
            print(help_text(self.usage.format(command=self.typed or self.name), self.groups, flags.FLAGS))
            return 0
        if flags.said().version:
            return print_version()
        return self.act(self)

    def _check_flags(self) -> None:
        """Raises ConfigError for a flag that only other commands have."""
        known = {"version", *chain(*self.groups.values())}
        for name in flags.FLAGS:
            if flags.FLAGS[name].present and name not in known:
                raise ConfigError(f"--{name} is no flag of this command; see --help")

    def complain(self, message: str, status: int) -> int:
        return complain(self.name, message, status)


def _play(command: Command) -> int:
    if flags.said().lists:
        requested.register_own_folders()
        return _list(command)
    if flags.said().report_only:
        requested.check_report_only()
        return _report(command)
    return _play_out(command, requested.experiment())


def _tournament(command: Command) -> int:
    return _play_out(command, requested.experiment(tournament=True))


def _play_out(command: Command, experiment: Experiment) -> int:
    """Plays an experiment and reports on it, or estimates it."""
    if flags.said().estimate:
        return _estimate([experiment])
    experiment.check()
    from hm_agent.command_line.running import run_and_report  # a slow import, for commands that play only

    for line in requested.passed_over(experiment):
        print(f"Left out: {line}")
    return run_and_report(experiment, requested.report_request(after_playing=True), command.complain)


def _estimate(experiments: Sequence[Experiment]) -> int:
    """Prints what experiments of one folder will ask and cost, and writes it there."""
    from hm_agent.command_line.console import show_estimate
    from hm_agent.experiment.estimate import estimate
    from hm_agent.process.output import output_console
    from hm_agent.reporting.runs import read_runs

    for experiment in experiments:
        experiment.check(opens_models=False)
    out = experiments[0].out
    found = estimate(experiments, read_runs(requested.estimated_from(out)).results)
    show_estimate(output_console(), found)
    print(f"JSON: {found.write(out)}")
    return 0


def _requested_runs() -> tuple[Runs, Path, FigureFiles]:
    """Returns the episodes that the flags ask to report on, the folder to write to, and the form of its figures.

    Prints which results can't be read, and which scenarios are not known.
    """
    from hm_agent.reporting.notes import own_game_notes, unreadable_notes
    from hm_agent.reporting.runs import read_runs

    request = requested.report_request(after_playing=False)
    folders, into = request.folders, request.into
    runs = read_runs(folders, counts_unanswered=request.counts_unanswered)
    for note in (*unreadable_notes(runs), *own_game_notes(runs)):
        print(printable(note))
    return runs.of(request.scenarios, request.agents), into, request.figures


def _report(command: Command) -> int:
    from hm_agent.reporting.writing import write_report

    print(f"Report: {write_report(*_requested_runs())}")
    return 0


def _orders(command: Command) -> int:
    from hm_agent.reporting.writing import write_orders

    print(f"Study: {write_orders(*_requested_runs())}")
    return 0


def _minds(command: Command) -> int:
    from hm_agent.command_line.running_battery import show_study

    show_study(*_requested_runs())
    return 0


def _battery(command: Command) -> int:
    battery, asked = requested.battery()
    if flags.said().estimate:
        return _estimate([experiment for _, _, experiment in battery.experiments(asked)])
    for _, references, experiment in battery.experiments(asked):
        for played in filter(None, (references, experiment)):
            played.check()
    from hm_agent.command_line.running_battery import run_battery

    request = requested.report_request_in(asked.out)
    return run_battery(battery, asked, request, command.complain, tells_seed=flags.said().tell_split_seed)


def _list(command: Command) -> int:
    requested.register_own_folders()
    said, agents = flags.said(), flags.said_agents()
    if said.needs_order is not None:
        print("\n".join(listing.needing(said.needs_order)))
    elif said.scenario or agents:
        print("\n".join(listing.one_by_one(said.scenario, agents)))
    else:
        print("\n".join(listing.overview()))
    return 0


PLAY = Command("run_scenario.py", PLAY_USAGE, flags.GROUPS, _play, "python run_scenario.py")
COMMANDS: Mapping[str, Command] = {
    name: Command(f"hm-agent {name}", usage, groups, act)
    for name, usage, groups, act in (
        ("play", PLAY_USAGE, flags.GROUPS, _play),
        ("report", REPORT_USAGE, flags.REPORT_GROUPS, _report),
        ("orders", ORDERS_USAGE, flags.REPORT_GROUPS, _orders),
        ("minds", MINDS_USAGE, flags.REPORT_GROUPS, _minds),
        ("battery", BATTERY_USAGE, flags.BATTERY_GROUPS, _battery),
        ("tournament", TOURNAMENT_USAGE, flags.TOURNAMENT_GROUPS, _tournament),
        ("list", LIST_USAGE, flags.LIST_GROUPS, _list),
    )
}
