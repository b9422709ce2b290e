"""`hm-agent serve-seat`: any MCP client takes one seat of one episode, by the tools look, act and ask_rules.

Needs the extra `mcp`. The episode is recorded and reported like all others.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO

from hm_agent.api import check_given
from hm_agent.catalogue.finding import find_agent, find_scenario
from hm_agent.catalogue.registry import suites
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.experiment.playing import play
from hm_agent.flags.parsing import argument_parser
from hm_agent.models.prompts import phrase
from hm_agent.models.settings import BUILTIN, PERSON
from hm_agent.pages.local_server import HOST
from hm_agent.process.interruptions import defer_interruptions
from hm_agent.questions import Model
from hm_agent.recording.result import Result
from hm_agent.reporting.folder_pages import write_pages
from hm_agent.reporting.request import ReportRequest
from hm_agent.seats.seat_models import SeatModels
from hm_agent.storage.files import REPORT, RUNS, path_in_words
from hm_agent.storage.folder_lock import locked
from hm_agent.text_env.text_episode import OutsideSeat

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

NAME = "mcp"
"""What results call the model of the seat, unless another name is given."""
WORDS = "outside.j2"
"""The template of all that a client is told beside the questions."""
ABOUT = """Lets an MCP client take one seat of one episode, by the tools look, act and ask_rules.

Over standard input and output, as clients start servers, or with --port over HTTP on this machine alone, at /mcp. The
episode goes on when the seat has acted, and is recorded in OUT as `hm-agent play` does. If the client goes away, it
ends as after an interruption."""


@dataclass
class ServedSeat:
    """An episode of which one seat waits for its client. model: the name of the seat's model in the line-up."""

    episode: Episode
    model: str
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _seat: OutsideSeat | None = None
    _result: Result | None = None
    _has_ended: bool = False

    async def play(self) -> Result:
        """Plays the episode; its files are written also if this is cancelled."""
        try:
            models = SeatModels(self.model, self._take)
            self._result = await play(self.episode, models)
        finally:
            self._has_ended = True
            self._changed.set()
        return self._result

    def _take(self, seed: int) -> Model:
        self._seat = OutsideSeat(seed, tells_again=False, on_request=self._changed.set)
        return self._seat

    async def look(self) -> str:
        """What the seat is asked, once it is; after the episode what became of it."""
        while not (self._has_ended or self._is_asked):
            self._changed.clear()
            await self._changed.wait()
        if self._seat and self._is_asked:
            return self._seat.observation()
        return self._over(self._result)

    async def act(self, answer: str) -> str:
        """Replies to what is asked; returns what is asked then."""
        await self.look()
        if self._seat and self._is_asked:
            self._seat.chat.reply(answer)
        return await self.look()

    async def ask_rules(self) -> str:
        """The whole question that waits, as it was first asked."""
        over = await self.look()
        request = self._seat.chat.request if self._seat else None
        return request.messages[0].content if request else over

    @property
    def _is_asked(self) -> bool:
        return self._seat is not None and self._seat.chat.request is not None

    def _over(self, result: Result | None) -> str:
        measure, status = self.episode.scenario.metric, result.status if result else "failed"
        value = result.metric(measure.name) if result else None
        return phrase(WORDS, "over", status=status, measure=measure.unit, value=None if value is None else f"{value:g}")


def server_of(seat: ServedSeat) -> MCPServer:
    """The server with the three tools of a seat."""
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("hm_agent", instructions=phrase(WORDS, "instructions"), log_level="ERROR")
    for tool in (seat.look, seat.act, seat.ask_rules):
        server.add_tool(tool, name=tool.__name__, description=phrase(WORDS, tool.__name__))
    return server


async def _serve(seat: ServedSeat, port: int | None) -> None:
    """Plays while the client is there, and serves until it leaves or Ctrl-C. port: None for standard input.

    Raises the error that ended the episode, e.g. of a disk, if one did.
    """
    playing, server = asyncio.ensure_future(_play_and_report(seat)), server_of(seat)
    try:
        if port is None:
            with _ending_input():
                # Cancelled itself, it would wait for a line; the end of the input ends it.
                await asyncio.shield(server.run_stdio_async())
        else:
            await server.run_streamable_http_async(host=HOST, port=port)
    except* BrokenPipeError:
        pass  # the client reads no more, and has gone away
    finally:
        # A client may send SIGTERM soon after it has gone: what was played is written all the same.
        with defer_interruptions():
            playing.cancel()
            await asyncio.wait([playing])
    if not playing.cancelled():
        playing.result()


async def _play_and_report(seat: ServedSeat) -> None:
    result, out = await seat.play(), seat.episode.experiment.out
    request = ReportRequest((out,), out / REPORT)
    await asyncio.to_thread(write_pages, out, request, is_cut_short=not result.is_finished)


def main(arguments: Sequence[str]) -> int:
    """`hm-agent serve-seat SCENARIO`; returns the exit status."""
    options = _parser().parse_args(arguments)
    if find_spec("mcp") is None:
        raise ConfigError("serve-seat needs MCP's SDK, which is not installed: pip install 'hm_agent[mcp]'")
    port = options.port if options.port is None else _free_port(options.port)
    episode = _episode(options)
    with locked(episode.experiment.out, 1):
        where = "standard input" if port is None else f"http://{HOST}:{port}/mcp"
        seat = options.seat or episode.scenario.seats[0]
        print(f"Serving {seat} of {episode.scenario.short_name} at {where}", file=sys.stderr, flush=True)
        asyncio.run(_serve(ServedSeat(episode, options.name), port))
    print(f"Files: {path_in_words(episode.folder)}", file=sys.stderr)
    return 0


@contextmanager
def _ending_input() -> Iterator[None]:
    """Puts a pipe in the place of standard input, which ends with the context.

    The server reads in a thread, which would keep the process for as long as the input lasts.
    """
    outer, (inner, inlet) = os.dup(0), os.pipe()
    os.dup2(inner, 0)
    os.close(inner)
    with os.fdopen(inlet, "wb", buffering=0) as pipe:
        Thread(target=_pass_on, args=(outer, pipe), daemon=True).start()
        yield


def _pass_on(source: int, pipe: BinaryIO) -> None:
    """Writes what a descriptor gives into a pipe, until either ends."""
    with suppress(OSError, ValueError), pipe:  # ValueError: the pipe was closed
        while piece := os.read(source, 2**16):
            pipe.write(piece)


def _free_port(port: int) -> int:
    """The port, or any free one for 0. Raises ConfigError if it can't be listened at."""
    try:
        if not 0 <= port < 2**16:
            raise OSError(0, f"a port is a number from 0 to {2**16 - 1}")
        with socket.create_server((HOST, port)) as server:
            free: int = server.getsockname()[1]
            return free
    except OSError as error:
        raise ConfigError(f"--port={port}: {error.strerror}; --port=0 takes any free port") from error


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("serve-seat", ABOUT)
    parser.add_argument("scenario", metavar="SCENARIO", help="a scenario's name")
    parser.add_argument("--agent", help="the agent whose model the client is (default: the one without a strategy)")
    parser.add_argument("--seat", help="the seat that it takes (default: the first)")
    parser.add_argument("--others", help="the agent of all other seats, with the built-in reasoner (default: --agent)")
    parser.add_argument("--name", default=NAME, help=f"what results call the model of the seat (default: {NAME})")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the world")
    parser.add_argument("--seed", type=int, default=0, help="the base seed (default: 0)")
    parser.add_argument("--max_steps", type=int, help="cut the episode after so many steps")
    parser.add_argument("--out", type=Path, default=RUNS, help=f"the folder of the run (default: {RUNS})")
    parser.add_argument("--overwrite", action="store_true", help="play it anew if OUT has it already")
    parser.add_argument("--port", type=int, help=f"serve over HTTP at this port of {HOST}; 0 for any free port")
    return parser


def _episode(options: argparse.Namespace) -> Episode:
    """The episode to play; raises ConfigError if it can't be played, or was played already."""
    given = dict(option.partition("=")[::2] for option in options.option)
    scenario = find_scenario(options.scenario, given)
    seat = options.seat or scenario.seats[0]
    if seat not in scenario.seats:
        raise ConfigError(f"--seat={seat}: {scenario.short_name} has {', '.join(scenario.seats)}")
    if not options.name.strip() or options.name in (BUILTIN, PERSON):
        raise ConfigError(f"--name={options.name}: results would take the client for another model; say its own name")
    agent = find_agent(options.agent or suites()[scenario.world].plain_agent)
    other = find_agent(options.others or agent)
    agents = tuple(agent if one == seat else other for one in scenario.seats)
    experiment = Experiment(
        (scenario,),
        agents=(agent,),
        seats=agents if len(agents) > 1 else (),
        seat_models=tuple(options.name if one == seat else BUILTIN for one in scenario.seats),
        seed=options.seed,
        out=options.out,
        max_steps=options.max_steps,
        options=given,
        overwrite=options.overwrite,
    )
    check_given(experiment, given, opens_models=False)
    if PERSON in experiment.model_names:
        raise ConfigError("a person can't sit beside an MCP client: hm-agent play --agent=human asks one")
    for episode in experiment.survey().episodes():
        return episode
    raise ConfigError(f"{options.out} has this episode already: --overwrite plays it anew, another --seed a new one")
