"""The commands of `hm-agent`: each does what its flags ask for, or prints one line that says what is wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from absl.flags import Error as FlagError
from absl.flags import FlagHolder

from hm_agent.command_flags import Helps, help_text
from hm_agent.command_line import completion, flags, listing
from hm_agent.config import ConfigError
from hm_agent.extensions import load_place, nearest
from hm_agent.process.exit_status import FAILED, INTERRUPTED, WRONG_INPUT, complain
from hm_agent.process.shell import prepare_process
from hm_agent.recording.result import versions
from hm_agent.registry import suites
from hm_agent.suite import OwnCommand, Suite

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

Shortcuts, which model no mind, the ladder of orders and the ceiling play the same items first, at no cost. OUT has the
files of `hm-agent play`, and OUT/cards/<agent>/<model>/ the card (card.json, card.html, card.png) with its answers. The
same command again goes on where it ended; --max_calls and --max_cost hold for all worlds together."""

TOURNAMENT_USAGE = """Lets each agent meet every other one, and itself, and ranks them by payoff and by Bayesian skill.

    {command} --agent=hypothetical_minds,react,he_hr --scenario=rws_repeated_selfplay --episodes=10
    {command} --agent='hm_*,react' --scenario='mg_*selfplay' --episodes=5 --out=runs/tournament
    {command} --agent=react,react,random --seat_models=gpt-4o,gpt-4o-mini,builtin --scenario=mg_pd_selfplay

A table is one agent in all seats, or two that sit in turn; where seats differ, the two also change places. All tables
have the same seeds. The same command again plays what is missing. OUT has the files of `hm-agent play`; OUT/report has
the ranking, the payoffs and who beats whom on its pages, and as tournament.csv and payoffs.csv."""

LIST_USAGE = """Lists scenarios, agents and models; with --needs_order=2 the scenarios that need that order of mind.

Scenarios are marked with the order that they need, or by `separates nobody`, where either was measured or proved."""

USAGE = """Theory of Mind in language-model agents: plays, records and compares agents in several worlds.

    hm-agent play --scenario=rws_repeated_1    play episodes
    hm-agent tournament --scenario='*selfplay' let agents meet each other and themselves, and rank them
    hm-agent report --out=runs                 compare the agents of earlier runs
    hm-agent orders --out=runs                 compare them by the order of their opponents' rules
    hm-agent minds --out=runs                  compare what they know of other minds with what they do
    hm-agent battery --model=gpt-4o            find the order at which a model plays, in every world
    hm-agent leaderboard CARD...               compare the cards of several models, each derived again
    hm-agent reproduce RUN                     play a run again from its recorded answers, and say what differs
    hm-agent pack RUN                          write a run into one archive, which can be played again, too
    hm-agent convert RUN...                    write cards and results as records of Every Eval Ever
    hm-agent serve-seat SCENARIO               let an MCP client take a seat of an episode
    hm-agent check my_agent:build              try an agent of your own in each world, without a model
    hm-agent prompts export my_prompts         write the prompts for editing; show: print an episode's
    hm-agent watch runs                        show a run while it is played, as a page on this machine
    hm-agent list                              list scenarios, agents and models
{own}
    hm-agent completion bash                   print the script that completes commands in bash or zsh
    hm-agent --version                         print the version

Each command has its own help: hm-agent play --help. `python run_scenario.py` is the same as `hm-agent play`."""

COMPLETION = "completion"
HELP_FLAGS = ("--help", "-h", "--helpfull")


def _run_guarded(name: str, act: Callable[[], int]) -> int:
    """Runs a command and returns its exit status; prints an error as one line that begins with `name`."""
    try:
        return act()
    except (FlagError, ConfigError) as error:
        return complain(name, " ".join(str(error).split()), WRONG_INPUT)
    except BrokenPipeError:  # the reader of the output, e.g. `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return complain(name, f"can't write: {' '.join(str(error).split())}", FAILED)
    except KeyboardInterrupt:
        return complain(name, "interrupted", INTERRUPTED)


@dataclass(frozen=True)
class Command:
    """A command with flags.

    name: begins its error messages. typed: what the user types to call it. groups: its flags by the titles of the help.
    act: runs it once its flags are parsed. helps: the help of flags that mean something else here.
    """

    name: str
    typed: str
    usage: str
    groups: Mapping[str, Sequence[FlagHolder[Any]]]
    act: Callable[[Command], int]
    helps: Helps = field(default_factory=dict)

    def run(self, arguments: Sequence[str]) -> int:
        """Runs one command line; returns the exit status."""
        return _run_guarded(self.name, lambda: self._act(arguments))

    def _act(self, arguments: Sequence[str]) -> int:
        flags.parse((self.name, *arguments))
        self._check_flags()
        if flags.HELP.value:
            print(self.help())
            return 0
        if flags.VERSION.value:
            return _print_version()
        return self.act(self)

    def _check_flags(self) -> None:
        """Raises ConfigError for a flag that only other commands have."""
        known = {flags.VERSION.name, *(holder.name for group in self.groups.values() for holder in group)}
        for name in flags.FLAGS:
            if flags.FLAGS[name].present and name not in known:
                raise ConfigError(f"--{name} is no flag of this command; see --help")

    def complain(self, message: str, status: int) -> int:
        return complain(self.name, message, status)

    def help(self) -> str:
        return help_text(self.usage.format(command=self.typed), self.groups, flags.FLAGS, self.helps)


def _play(command: Command) -> int:
    if flags.LIST.value:
        flags.register_own_folders()
        return _list(command)
    if flags.REPORT_ONLY.value:
        flags.check_report_only()
        return _report(command)
    return _play_out(command, flags.experiment())


def _tournament(command: Command) -> int:
    return _play_out(command, flags.experiment(tournament=True))


def _play_out(command: Command, experiment: Experiment) -> int:
    """Plays an experiment and reports on it, or estimates it."""
    if flags.ESTIMATE.value:
        return _estimate([experiment])
    experiment.check()
    from hm_agent.command_line.running import run_and_report  # a slow import, for commands that play only

    for line in flags.passed_over(experiment):
        print(f"Left out: {line}")
    return run_and_report(experiment, flags.report_request(after_playing=True), command.complain)


def _estimate(experiments: Sequence[Experiment]) -> int:
    """Prints what experiments of one folder will ask and cost, and writes it there."""
    from hm_agent.command_line.console import show_estimate
    from hm_agent.estimate import estimate
    from hm_agent.process.output import output_console
    from hm_agent.reporting.runs import read_runs

    for experiment in experiments:
        experiment.check(opens_models=False)
    out = experiments[0].out
    found = estimate(experiments, read_runs(flags.estimated_from(out)).results)
    show_estimate(output_console(), found)
    print(f"JSON: {found.write(out)}")
    return 0


def _requested_runs() -> tuple[Runs, Path, FigureFiles]:
    """Returns the episodes that the flags ask to report on, the folder to write to, and the form of its figures."""
    from hm_agent.reporting.runs import read_runs

    request = flags.report_request(after_playing=False)
    folders, into = request.folders, request.into
    runs = read_runs(folders, counts_unanswered=request.counts_unanswered)
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
    battery, requested = flags.battery()
    if flags.ESTIMATE.value:
        return _estimate([experiment for _, _, experiment in battery.experiments(requested)])
    for _, references, experiment in battery.experiments(requested):
        for played in filter(None, (references, experiment)):
            played.check()
    from hm_agent.command_line.running_battery import run_battery

    request = flags.report_request_in(requested.out)
    return run_battery(battery, requested, request, command.complain, tells_seed=flags.TELL_SPLIT_SEED.value)


def _list(command: Command) -> int:
    order = flags.NEEDS_ORDER.value
    print("\n".join(listing.everything() if order is None else listing.needing(order)))
    return 0


def _reading_command(name: str, usage: str, act: Callable[[Command], int]) -> Command:
    """Defines a command that reads earlier runs and plays nothing."""
    typed = f"hm-agent {name}"
    return Command(typed, typed, usage, flags.REPORT_GROUPS, act, flags.REPORT_HELPS)


PLAY = Command("run_scenario.py", "python run_scenario.py", PLAY_USAGE, flags.GROUPS, _play, flags.PLAY_HELPS)
COMMANDS: Mapping[str, Command] = {
    "play": Command("hm-agent play", "hm-agent play", PLAY_USAGE, flags.GROUPS, _play, flags.PLAY_HELPS),
    "report": _reading_command("report", REPORT_USAGE, _report),
    "orders": _reading_command("orders", ORDERS_USAGE, _orders),
    "minds": _reading_command("minds", MINDS_USAGE, _minds),
    "battery": Command(
        "hm-agent battery", "hm-agent battery", BATTERY_USAGE, flags.BATTERY_GROUPS, _battery, flags.BATTERY_HELPS
    ),
    "tournament": Command(
        "hm-agent tournament",
        "hm-agent tournament",
        TOURNAMENT_USAGE,
        flags.TOURNAMENT_GROUPS,
        _tournament,
        flags.TOURNAMENT_HELPS,
    ),
    "list": Command("hm-agent list", "hm-agent list", LIST_USAGE, flags.LIST_GROUPS, _list),
}


_PROMPTS = "hm_agent.command_line.prompts_command:prompts_command"
_CARDS = "hm_agent.command_line.comparing_cards"
TOOLS: Mapping[str, OwnCommand] = {
    "prompts": OwnCommand("write the prompts for editing, or show those of an episode", _PROMPTS),
    "check": OwnCommand(
        "try an agent of your own in each world, without a model", "hm_agent.command_line.checking_agents:check_command"
    ),
    "serve-seat": OwnCommand("let an MCP client take a seat of an episode", "hm_agent.seats.mcp_seat:main"),
    "watch": OwnCommand("show a run while it is played", "hm_agent.watching.server:main"),
    "leaderboard": OwnCommand("compare the cards of several models", f"{_CARDS}:leaderboard_command"),
    "reproduce": OwnCommand("play a run again from its recorded answers", f"{_CARDS}:reproduce_command"),
    "convert": OwnCommand(
        "write cards and results as records of Every Eval Ever", "hm_agent.command_line.converting:convert_command"
    ),
    "pack": OwnCommand("write a run or a card into one archive", "hm_agent.command_line.packing_runs:pack_command"),
}
"""Commands that parse their own arguments."""


def _own_commands() -> Mapping[str, Mapping[str, Suite]]:
    """Returns the suites that have each of the worlds' own commands, by command and world."""
    by_command: dict[str, dict[str, Suite]] = {}
    for world, suite in suites().items():
        for name in suite.commands:
            by_command.setdefault(name, {})[world] = suite
    return by_command


def _run_own(name: str, worlds: Mapping[str, Suite], arguments: Sequence[str]) -> int:
    """Runs a command of the world that the first argument names, or of the only world that has the command."""
    first = arguments[0] if arguments else ""
    if first in worlds:
        return _call_place(worlds[first].commands[name], arguments[1:])
    if first in HELP_FLAGS and len(worlds) > 1:
        print("\n".join(f"hm-agent {name} {world} --help    {worlds[world].commands[name].about}" for world in worlds))
        return 0
    if first in suites():
        raise ConfigError(f"{first} has no command {name}: say hm-agent {name} {' or '.join(worlds)}")
    if len(worlds) > 1:
        raise ConfigError(f"say for which world: hm-agent {name} {' or '.join(worlds)}")
    (suite,) = worlds.values()
    return _call_place(suite.commands[name], arguments)


def _call_place(command: OwnCommand, arguments: Sequence[str]) -> int:
    act: Callable[[Sequence[str]], int] = load_place(command.place)
    return act(arguments)


def _usage() -> str:
    lines = [
        f"    {f'hm-agent {name} {world}':<43}{suite.commands[name].about}"
        for name, worlds in _own_commands().items()
        for world, suite in worlds.items()
    ]
    return USAGE.format(own="\n".join(lines))


def _print_version() -> int:
    print(f"hm_agent {versions()['hm_agent']}")
    return 0


def _complete(arguments: Sequence[str]) -> int:
    """Prints the completion script of a shell."""
    if arguments and arguments[0] in HELP_FLAGS:
        print(
            "Prints the script that completes commands in a shell, bash or zsh.\n\n"
            '    eval "$(hm-agent completion bash)"    # in ~/.bashrc'
        )
        return 0
    if len(arguments) != 1 or arguments[0] not in completion.SHELLS:
        raise ConfigError(f"say for which shell: {' or '.join(completion.SHELLS)}")
    typed = {
        name: [
            f"--{holder.name}{'' if flags.FLAGS[holder.name].boolean else '='}"
            for group in command.groups.values()
            for holder in group
        ]
        for name, command in COMMANDS.items()
    }
    names = [*COMMANDS, *TOOLS, *_own_commands(), COMPLETION]
    print(completion.script(arguments[0], names, typed, flags.completions()), end="")
    return 0


def main(argv: Sequence[str]) -> int:
    """Runs `hm-agent` with a subcommand; returns the exit status."""
    name = argv[1] if len(argv) > 1 else "--help"
    if name in ("--help", "-h", "help"):
        print(_usage())
        return 0
    if name in ("--version", "version"):
        return _print_version()
    if name == COMPLETION:
        return _run_guarded(f"hm-agent {name}", lambda: _complete(argv[2:]))
    if name in TOOLS:
        return _run_guarded(f"hm-agent {name}", lambda: _call_place(TOOLS[name], argv[2:]))
    if name in (own := _own_commands()):
        return _run_guarded(f"hm-agent {name}", lambda: _run_own(name, own[name], argv[2:]))
    if name not in COMMANDS:
        known = [*COMMANDS, *TOOLS, *own, COMPLETION]
        return complain(
            "hm-agent",
            f"unknown command {name!r}: {nearest(name, known)}there are {', '.join(known)}; see --help",
            WRONG_INPUT,
        )
    return COMMANDS[name].run(argv[2:])


def run_from_shell() -> None:
    """Runs the console script `hm-agent`."""
    prepare_process()
    sys.exit(main(sys.argv))


def play_from_shell() -> None:
    """Runs the script `run_scenario.py`, which is `hm-agent play`."""
    prepare_process()
    sys.exit(PLAY.run(sys.argv[1:]))
