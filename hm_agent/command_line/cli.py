"""Runs `hm-agent`: finds the command that is typed, or prints one line that says what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.suite import Suite
from hm_agent.command_line import completion, flags
from hm_agent.command_line.commands import COMMANDS, PLAY, print_version, run_guarded
from hm_agent.config import ConfigError
from hm_agent.extensions import load_place, nearest
from hm_agent.process.exit_status import WRONG_INPUT, complain
from hm_agent.process.shell import prepare_process

USAGE = """Theory of Mind in language-model agents: plays, records and compares agents in several worlds.

Play:
    hm-agent play --scenario=rws_repeated_1    play episodes
    hm-agent tournament --scenario='*selfplay' let agents meet each other and themselves, and rank them
    hm-agent watch runs                        show a run while it is played, as a page on this machine
    hm-agent serve-seat SCENARIO               let an MCP client take a seat of an episode
    hm-agent list                              list scenarios, agents and models

Compare:
    hm-agent report --out=runs                 compare the agents of earlier runs
    hm-agent orders --out=runs                 compare them by the order of their opponents' rules
    hm-agent minds --out=runs                  compare what they know of other minds with what they do

At which order of mind does a model play?
    hm-agent battery --model=gpt-4o            play the same items in every world, and write the model's card
    hm-agent leaderboard CARD...               compare the cards of several models, each derived again

Let others check it:
    hm-agent reproduce RUN                     play a run again from its recorded answers, and say what differs
    hm-agent pack RUN                          write a run into one archive, which can be played again, too
    hm-agent convert RUN...                    write cards and results as records of Every Eval Ever

Agents and prompts of your own:
    hm-agent check my_agent:build              try an agent in each world, without a model
    hm-agent prompts export my_prompts         write the prompts for editing; show: print an episode's

Only in one world:
{own}

    hm-agent completion bash                   print the script that completes commands in bash or zsh
    hm-agent --version                         print the version

Each command has its own help: hm-agent play --help. `python run_scenario.py` is the same as `hm-agent play`."""

COMPLETION = "completion"
HELP_FLAGS = ("--help", "-h", "--helpfull")


TOOLS: Mapping[str, str] = {
    "prompts": "hm_agent.command_line.prompts_command:prompts_command",
    "check": "hm_agent.command_line.checking_agents:check_command",
    "serve-seat": "hm_agent.seats.mcp_seat:main",
    "watch": "hm_agent.watching.server:main",
    "leaderboard": "hm_agent.command_line.comparing_cards:leaderboard_command",
    "reproduce": "hm_agent.command_line.comparing_cards:reproduce_command",
    "convert": "hm_agent.command_line.converting:convert_command",
    "pack": "hm_agent.command_line.packing_runs:pack_command",
}
"""Where the functions are that run commands with arguments of their own, `module:name`."""


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
        return _call_place(worlds[first].commands[name].place, arguments[1:])
    if first in HELP_FLAGS and len(worlds) > 1:
        print("\n".join(f"hm-agent {name} {world} --help    {worlds[world].commands[name].about}" for world in worlds))
        return 0
    if first in suites():
        raise ConfigError(f"{first} has no command {name}: say hm-agent {name} {' or '.join(worlds)}")
    if len(worlds) > 1:
        raise ConfigError(f"say for which world: hm-agent {name} {' or '.join(worlds)}")
    (suite,) = worlds.values()
    return _call_place(suite.commands[name].place, arguments)


def _call_place(place: str, arguments: Sequence[str]) -> int:
    act: Callable[[Sequence[str]], int] = load_place(place)
    return act(arguments)


def _usage() -> str:
    lines = [
        f"    {f'hm-agent {name} {world}':<43}{suite.commands[name].about}"
        for world, suite in suites().items()
        for name in suite.commands
    ]
    return USAGE.format(own="\n".join(lines))


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
            f"--{flag}{'' if flags.FLAGS[flag].boolean else '='}" for group in command.groups.values() for flag in group
        ]
        for name, command in COMMANDS.items()
    }
    names = [*COMMANDS, *TOOLS, *_own_commands(), COMPLETION]
    print(completion.script(arguments[0], names, typed), end="")
    return 0


def main(argv: Sequence[str]) -> int:
    """Runs `hm-agent` with a subcommand; returns the exit status."""
    name = argv[1] if len(argv) > 1 else "--help"
    if name in ("--help", "-h", "help"):
        print(_usage())
        return 0
    if name in ("--version", "version"):
        return print_version()
    if name == COMPLETION:
        return run_guarded(f"hm-agent {name}", lambda: _complete(argv[2:]))
    if name in TOOLS:
        return run_guarded(f"hm-agent {name}", lambda: _call_place(TOOLS[name], argv[2:]))
    if name in (own := _own_commands()):
        return run_guarded(f"hm-agent {name}", lambda: _run_own(name, own[name], argv[2:]))
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
