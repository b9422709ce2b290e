"""Scenarios as environments of texts: each question that an agent of ours would ask its model is an observation.

    from hm_agent.text_env import text_env

    with text_env("mg_rps_pure") as env:
        observations = env.reset(seed=0)
        while observations:
            replies = {seat: reply_to(text) for seat, text in observations.items()}
            observations, rewards, done, infos = env.step(replies)

A reply is what a language model would answer. Nothing here needs an extra; `hm_agent.envs` has the forms of Gymnasium
and PettingZoo.
"""

from __future__ import annotations

import asyncio
import atexit
import os
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from inspect import signature
from math import inf
from numbers import Integral
from operator import index
from random import Random
from threading import Lock
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar

from hm_agent.catalogue.casting import check_agent, check_options
from hm_agent.catalogue.finding import find_scenario
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError
from hm_agent.core import LiteralQuestion, Recorder, Seat
from hm_agent.extensions import option_meant
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.text_env.text_episode import OUTSIDE, TextEpisode, TextStep, TextTable
from hm_agent.wording import listed

T = TypeVar("T")
WHOLE, NEW = "whole", "new"


def text_env(
    scenario: str,
    *,
    seats: Sequence[Seat] = (),
    agent: str | None = None,
    others: str | None = None,
    others_model: str = BUILTIN,
    history: str = WHOLE,
    invalid_cost: float = 0.0,
    max_steps: int | None = None,
    **options: str,
) -> TextEnv:
    """Opens a scenario for replies from outside.

    seats: those that are played from outside; all by default. agent: the agent whose questions they get; by default the
    world's plain one, which asks what to do and nothing else. others, others_model: the agent in all other seats, by
    default the same one, and its model. history: `whole` to show each question as it is; `new` to leave out what the
    seat was shown already. invalid_cost: what each reply that is no valid answer takes off the reward of its seat.
    max_steps: after which an episode is cut. options: the world's own, named as their flags.

    Raises ConfigError for what is unknown or can't be played.
    """
    found, settled = chosen_scenario(scenario, options, text_env)
    if unknown := [seat for seat in seats if seat not in found.seats]:
        raise ConfigError(f"{found.short_name} has no seat {unknown[0]!r}: there are {', '.join(found.seats)}")
    if history not in (WHOLE, NEW):
        raise ConfigError(f"history is {WHOLE!r} or {NEW!r}, not {history!r}")
    if others_model == OUTSIDE:
        raise ConfigError(f"others_model={OUTSIDE!r} is no model: name in seats all that are played from outside")
    plain = suites()[found.world].plain_agent
    outside = set(seats or found.seats)
    agents = {seat: (agent if seat in outside else others) or plain for seat in found.seats}
    models = {seat: OUTSIDE if seat in outside else others_model for seat in found.seats}
    table = TextTable(found, settled, agents, models, history == WHOLE, invalid_cost, max_steps)
    _check(table, options)
    return TextEnv(table)


def _check(table: TextTable, given: Mapping[str, str]) -> None:
    """Raises ConfigError for what can't be played, and for options that were given and have no effect."""
    scenario, limit, cost = table.scenario, table.max_steps, table.invalid_cost
    if limit is not None and not (isinstance(limit, Integral) and limit >= 1):
        raise ConfigError(f"max_steps={limit!r}: must be a whole number, at least 1")
    scenario.refuse_cut(limit)
    if not 0 <= cost < inf:
        raise ConfigError(f"invalid_cost={cost}: must be a finite number, at least 0")
    for seat, name in table.agents.items():
        check_agent(name, scenario, table.models[seat])
        check_options(name, scenario, table.options)
    for option, why in suites()[scenario.world].unused(scenario, list(table.agents.values()), given).items():
        if option in given:
            raise ConfigError(f"{option}={given[option]!r} has no effect: {why}")
    ModelPool(ModelSettings()).check({model for model in table.models.values() if model != OUTSIDE})


def chosen_scenario(
    name: str, options: Mapping[str, str], opens: Callable[..., Any]
) -> tuple[ScenarioInfo, Mapping[str, Setting]]:
    """The one scenario of a name, with its world's settled options; raises ConfigError for unknown ones.

    opens: the function that was called with these options beside its own parameters.
    """
    scenario = find_scenario(name)
    suite = suites()[scenario.world]
    known = suite.with_defaults({})
    if unknown := options.keys() - known.keys():
        meant = option_meant(min(unknown), known, signature(opens).parameters)
        raise ConfigError(f"{suite.title} has no option {min(unknown)!r}: {meant}")
    return scenario, suite.settle(scenario, suite.with_defaults(suite.chosen(options)))


class TextEnv:
    """Episodes of one scenario. One seed is one episode, bit for bit, with the same replies.

    Use either `reset` and `step`, also inside a running event loop, or `begin` and `advance`, which are awaited in it.
    """

    def __init__(self, table: TextTable) -> None:
        self.table = table
        self.possible_seats = tuple(seat for seat, model in table.models.items() if model == OUTSIDE)
        self._world = suites()[table.scenario.world].open(table.scenario, table.options)
        self._episode: TextEpisode | None = None
        self._seeds = Random()
        self.latest = TextStep({}, {}, True, {})
        """What the latest replies, or the beginning of the episode, led to."""

    async def begin(self, seed: int | None = None, recorders: Sequence[Recorder] = ()) -> Mapping[Seat, str]:
        """Begins the episode of a seed; without one, the next of the series that the last given seed has started.

        Returns the observations by seat. recorders: of its steps. Raises ConfigError if the agents of all seats that
        are played from outside ask nothing in the whole episode.
        """
        given = None if seed is None else index(seed)  # a seed may be a number of NumPy
        await self.leave()
        if given is not None:
            self._seeds = Random(given)
        drawn = self._seeds.getrandbits(32) if given is None else given
        self._episode = TextEpisode(self._world, self.table, drawn, recorders)
        self.latest = await self._episode.advance({})
        if not self.latest.observations:
            agents = sorted({self.table.agents[seat] for seat in self.possible_seats})
            plain = suites()[self.table.scenario.world].plain_agent
            limit = self.table.max_steps
            more = f"allow more than max_steps={limit}, or " if limit else ""
            raise ConfigError(f"{listed(agents)} asks nothing in this episode: {more}name another agent, e.g. {plain}")
        return self.latest.observations

    async def advance(self, replies: Mapping[Seat, str]) -> TextStep:
        """Replies to the questions of one or several seats; plays on until all that decide are asked.

        Raises ValueError, and changes nothing, for a seat that is not asked, after an episode's end, and for what is no
        text.
        """
        if self._episode is None or self._episode.is_over:
            raise ValueError("no episode is being played: call reset first")
        self._check(replies, self._episode.asked)
        self.latest = await self._episode.advance(replies)
        return self.latest

    def _check(self, replies: Mapping[Seat, object], asked: Collection[Seat]) -> None:
        wanted = f"reply for one or several of {', '.join(asked)}"
        if not replies:
            raise ValueError(f"no reply: {wanted}")
        for seat, text in replies.items():
            if seat not in asked:
                raise ValueError(f"{seat!r} is not asked: {wanted}")
            if not isinstance(text, str):
                raise ValueError(f"the reply of {seat} is {type(text).__name__}: it has to be a text")

    async def leave(self) -> None:
        """Ends the episode where it is; whoever awaits `begin` awaits this, too, in the same loop, before `close`."""
        if self._episode:
            await self._episode.leave()

    def ask(self, seat: Seat) -> Sequence[LiteralQuestion]:
        """What a seat can be asked now about what others know or think, with the right answers.

        Whoever trains a model puts these to it beside the latest observation; the episode does not notice. Empty in
        worlds that can't tell, where the predictions of an agent such as `hypothetical_minds` are what is literal.
        Raises ValueError before the first episode, and for an unknown seat.
        """
        if self._episode is None:
            raise ValueError("no episode has begun: call reset first")
        if seat not in self.table.agents:
            raise ValueError(f"there is no seat {seat!r}: ask one of {', '.join(self.table.agents)}")
        return self._world.literal_questions(seat)

    def reset(self, seed: int | None = None, recorders: Sequence[Recorder] = ()) -> Mapping[Seat, str]:
        """As `begin`, for callers that await nothing."""
        return _completed(self.begin(seed, recorders))

    def step(self, replies: Mapping[Seat, str]) -> TextStep:
        """As `advance`, for callers that await nothing."""
        return _completed(self.advance(replies))

    def close(self) -> None:
        """Ends the episode, and releases the world."""
        _completed(self.leave())
        self._world.close()

    def __reduce__(self) -> NoReturn:
        """Refuses copies and pickles, since agents wait for replies in the midst of their work."""
        raise TypeError(
            "an environment of texts can't be copied or pickled: open another one, reset it with the same seed, and "
            "give the same replies"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_LOCK = Lock()


def _completed(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end in the loop that all environments of this process share.

    A thread that runs an event loop itself, as a notebook's does, can't run another, so a helper thread does.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    with ThreadPoolExecutor(1) as helper:
        return helper.submit(_run, work).result()


def _run(work: Coroutine[Any, Any, T]) -> T:
    with _LOCK:
        return _loop(os.getpid()).run_until_complete(work)


@cache
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """The loop of a process: a copy made by a fork would share its files."""
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(_report)
    atexit.register(loop.close)
    return loop


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Reports an error in a callback, but not that an environment was dropped while its episode waited for a reply."""
    if not str(context.get("message")).startswith("Task was destroyed"):
        loop.default_exception_handler(context)
