"""`hm-agent check`: plays an agent for a few steps in each world, with a model that fills in forms at random."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from traceback import format_stack
from types import FrameType
from typing import Any

from hm_agent.agents.agent import Recipe
from hm_agent.catalogue.casting import can_play
from hm_agent.catalogue.finding import find_agent, find_scenarios
from hm_agent.catalogue.registry import register_scenarios, shared_agent, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import SMALL, BatteryPart, Setting
from hm_agent.config import ConfigError
from hm_agent.core import Recorder, Step
from hm_agent.experiment import Experiment
from hm_agent.flags.parsing import argument_parser
from hm_agent.models.canned import PLACE
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.pool.run import run_aside
from hm_agent.process.exit_status import FAILED, WRONG_INPUT, complain
from hm_agent.process.shell import printable
from hm_agent.recording.result import Result, own_place
from hm_agent.recording.trace import to_json
from hm_agent.wording import counted

SECONDS = 60.0
"""The most that a step may take."""
NEXT_SEAT = 5.0
"""Seconds between a seat that is ended and the next one that hangs in the same step."""
Chosen = tuple[ScenarioInfo, Mapping[str, Setting]]
"""A scenario with the options of its world."""

ABOUT = """Plays an agent of your own for a few steps of one scenario of each world, or of those that you name.

    hm-agent check my_agent:build
    hm-agent check my_agent:build rws_repeated_1 enacttom_one_window --steps=20

No model is paid: one without a mind fills in the form of each answer at random, python:hm_agent.models.canned:build.
The built-in reasoner answers a Recipe. No step may take longer than --seconds. Exit status 1 if an episode fails; then
the first one's traceback is printed."""


def check_command(arguments: Sequence[str]) -> int:
    """`hm-agent check AGENT [SCENARIO ...]`; returns the exit status."""
    parser = argument_parser("check", ABOUT)
    parser.add_argument("agent", metavar="AGENT", help="module:name")
    parser.add_argument("scenarios", metavar="SCENARIO", nargs="*", default=[], help="by default one of each world")
    parser.add_argument("--steps", type=int, default=3, help="how many to play (default: 3)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the most for a step (default: %(default)g)")
    parser.add_argument("--scenarios_dir", action="append", default=[], help="a folder with games of your own")
    options = parser.parse_intermixed_args(arguments)
    if options.steps < 1:
        raise ConfigError(f"--steps={options.steps}: must be at least 1")
    if not 0 < options.seconds <= 1e6:
        raise ConfigError(f"--seconds={options.seconds:g}: must be above 0 and at most 1e6")
    for folder in options.scenarios_dir:
        register_scenarios(folder)
    agent = find_agent(options.agent)
    named: list[Chosen] = [(scenario, {}) for scenario in find_scenarios(options.scenarios, {})]
    chosen = named or list(one_of_each_world())
    playable = [(scenario, given) for scenario, given in chosen if can_play(agent, scenario)]
    if not playable:
        return complain("hm-agent check", f"{agent} can play none of these scenarios", WRONG_INPUT)
    try:
        results = [_check(agent, scenario, given, options.steps, options.seconds) for scenario, given in playable]
    except StepTooLong as error:
        return complain("hm-agent check", str(error), FAILED)
    failed = [result for result in results if not result.is_finished]
    if failed:
        print(f"\n{printable(failed[0].reason)}")
    return FAILED if failed else 0


def one_of_each_world() -> Iterator[Chosen]:
    """A scenario of each world with its world's options: that of the battery, else the first."""
    for suite in suites().values():
        part = suite.battery.get(SMALL) or BatteryPart((suite.scenarios[0].short_name,))
        yield find_scenarios(part.scenarios[:1])[0], part.options


def _check(agent: str, scenario: ScenarioInfo, options: Mapping[str, Setting], steps: int, seconds: float) -> Result:
    """Plays an episode that leaves no files, and prints a line about it."""
    model, actions = BUILTIN if isinstance(shared_agent(agent), Recipe) else PLACE, list[str]()
    experiment = Experiment(
        (scenario,),
        agents=(agent,),
        model=ModelSettings(model),
        max_steps=steps,
        options=options,
        recorders=(lambda episode: _ActionRecorder(actions, seconds),),
    )
    with _bounded_steps(scenario, seconds):
        result = run_aside(experiment)
    where = f" ({result.place_of_error})" if result.place_of_error else ""
    told = f"{counted(result.steps, 'step')}, {counted(result.questions, 'question')}"
    told += f", {result.unanswered_questions} unanswered" if result.unanswered_questions else ""
    told += f"; last: {actions[-1]}" if actions else ""
    print(printable(f"{scenario.short_name}: {told if result.is_finished else f'{result.short_reason}{where}'}"))
    return result


class StepTooLong(BaseException):
    """An agent has not acted in time; no `except Exception` of the agent keeps it from being told."""


@contextmanager
def _bounded_steps(scenario: ScenarioInfo, seconds: float) -> Iterator[None]:
    """Raises StepTooLong where the agent is at, once this long no step has ended."""

    def end(number: int, frame: FrameType | None) -> None:
        place = own_place("\n".join(_frames_of_waiting())) or own_place("".join(format_stack(frame)))
        told = f"{scenario.short_name}: no step has ended for {seconds:g} s"
        raise StepTooLong(f"{told}; the agent is in {place}" if place else told)

    before = signal.signal(signal.SIGALRM, end)
    _begin_step(seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _begin_step(seconds: float) -> None:
    """Allows the seconds from now on; after these, each further seat that hangs is ended, too."""
    signal.setitimer(signal.ITIMER_REAL, seconds, NEXT_SEAT)


def _frames_of_waiting() -> Iterator[str]:
    """Yields what the tasks of the event loop wait in, from without to within, as lines of tracebacks."""
    for task in asyncio.all_tasks():
        waiting: Any = task.get_coro()
        while waiting is not None:
            if frame := getattr(waiting, "cr_frame", None):
                yield f'  File "{frame.f_code.co_filename}", line {frame.f_lineno}, in {frame.f_code.co_name}'
            waiting = getattr(waiting, "cr_await", None)


class _ActionRecorder(Recorder):
    """Keeps the actions of an episode in words, and begins the time of each step."""

    def __init__(self, actions: list[str], seconds: float) -> None:
        self._actions, self._seconds = actions, seconds

    def record(self, step: Step) -> None:
        _begin_step(self._seconds)
        self._actions += [str(to_json(decision.action)) for decision in step.decisions.values()]
