"""One episode in which the models of some seats are outside: its questions wait until someone replies to them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from hm_agent.catalogue.casting import build_agent
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, Setting
from hm_agent.core import Agent, Decision, Observation, Recorder, Seat, World
from hm_agent.episode import EpisodeOutcome, run_episode
from hm_agent.experiment.planned_episode import seat_seed
from hm_agent.experiment.played_episode import means_over_seats
from hm_agent.models.chat import Request, Sampling
from hm_agent.models.outside import OutsideChat
from hm_agent.models.prompts import phrase
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.models.text_model import TextModel
from hm_agent.questions import AnswerT, Model, ModelCall, Question, ignore
from hm_agent.theory_of_mind.hypotheses import Parameters

OUTSIDE = "outside"
"""The name of the model of the seats that are played from outside."""
_SECTIONS = re.compile(r"^(?=# )", re.MULTILINE)


class SeatInfo(TypedDict, total=False):
    """What a seat's observation does not say.

    step: how many steps the world has taken. question: the kind of the question that waits. attempt: 1, or more if it
    is asked again since the latest reply was no valid answer. was_valid: whether the latest reply was one; True before
    the first. invalid: how many were not. At the end of the episode also: status: `completed`, or what cut it.
    metrics: the seat's, with those of the whole episode.
    """

    step: int
    question: str | None
    attempt: int
    was_valid: bool
    invalid: int
    status: str
    metrics: Mapping[str, float]


class TextStep(NamedTuple):
    """What the latest replies led to.

    observations: by seat, the questions that wait; each of these seats is to reply. rewards: what each seat that is
    asked, or at the end each that is played from outside, has earned since it was last asked. done: whether the episode
    has ended, so that no seat is asked. infos: by seat, of all that are played from outside.
    """

    observations: Mapping[Seat, str]
    rewards: Mapping[Seat, float]
    done: bool
    infos: Mapping[Seat, SeatInfo]


@dataclass(frozen=True)
class TextTable:
    """Who plays a scenario, and how.

    agents, models: by seat; the model `OUTSIDE` is outside. options: the world's settled ones. tells_again: True to
    show each question whole, False to leave out the sections that the seat was shown already. invalid_cost: what the
    reward of a seat is lowered by for each reply that is no valid answer. max_steps: after which the episode is cut.
    """

    scenario: ScenarioInfo
    options: Mapping[str, Setting]
    agents: Mapping[Seat, str]
    models: Mapping[Seat, str]
    tells_again: bool = True
    invalid_cost: float = 0.0
    max_steps: int | None = None


class OutsideSeat:
    """One seat whose model is outside: an agent's questions go out as texts, and the replies are judged.

    As a `Model` it is a language model like any other, which is asked again after a reply that is no valid answer.
    """

    name = OUTSIDE

    def __init__(self, seed: int, *, tells_again: bool, on_request: Callable[[], None]) -> None:
        self.chat, self._tells_again = OutsideChat(on_request), tells_again
        self._model = TextModel(OUTSIDE, self.chat, Sampling(), None, seed)
        self.invalid, self.was_valid, self.is_deciding = 0, True, False
        self._shown: Mapping[str, str] = {}
        self._told: tuple[Request | None, str] = None, ""
        """The latest request with its text."""

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        def judge(call: ModelCall) -> None:
            self.was_valid = call.problem is None
            self.invalid += not self.was_valid
            note(call)

        return await self._model.answer(question, judge)

    def observation(self) -> str:
        """The text of the request that waits, the same however often it is asked for."""
        request = self.chat.request
        assert request is not None
        if request is not self._told[0]:
            text = request.messages[-1].content
            if len(request.messages) == 1 and not self._tells_again:
                text, self._shown = shown_anew(text, self._shown)
            self._told = request, text
        return self._told[1]


def shown_anew(prompt: str, shown: Mapping[str, str]) -> tuple[str, Mapping[str, str]]:
    """Leaves out what stands under a heading of a prompt if it is what was last shown under it, and says so there.

    shown: the latest text of each section, by its heading. Returns the shorter prompt, and `shown` with its sections.
    """
    sections = [(part.partition("\n")[0], part) for part in _SECTIONS.split(prompt) if part]
    again = phrase("outside.j2", "as_before")
    short = [f"{heading}\n{again}\n\n" if shown.get(heading) == part else part for heading, part in sections]
    return "".join(short).rstrip(), {**shown, **dict(sections)}


class _SeatedAgent(Agent[Any, Any]):
    """Plays as another agent does; its seat is deciding while it does."""

    def __init__(self, agent: Agent[Any, Any], seat: OutsideSeat, on_decision: Callable[[], None]) -> None:
        self._agent, self._seat, self._on_decision = agent, seat, on_decision

    async def act(self, observation: Observation[Any]) -> Decision[Any]:
        self._seat.is_deciding = True
        try:
            return await self._agent.act(observation)
        finally:
            self._seat.is_deciding = False
            self._on_decision()

    def metrics(self) -> Mapping[str, float]:
        return self._agent.metrics()


class TextEpisode:
    """One episode, played as far as the replies go."""

    def __init__(self, world: World[Any, Any], table: TextTable, seed: int, recorders: Sequence[Recorder] = ()) -> None:
        """Begins the episode in the running event loop."""
        self._world, self._table, self._seed = world, table, seed
        self._changed = asyncio.Event()
        self._seeds = {seat: seat_seed(seed, place) for place, seat in enumerate(table.agents)}
        self._seats = {
            seat: OutsideSeat(self._seeds[seat], tells_again=table.tells_again, on_request=self._changed.set)
            for seat, model in table.models.items()
            if model == OUTSIDE
        }
        self._agents: dict[Seat, Agent[Any, Any]] = {}
        self._outcome = EpisodeOutcome(rewards=dict.fromkeys(table.agents, 0.0))
        self._paid = dict.fromkeys(self._seats, 0.0)
        """What each seat has been told that it earned."""
        self._task = asyncio.ensure_future(self._play(recorders))
        self._task.add_done_callback(lambda _: self._changed.set())

    async def _play(self, recorders: Sequence[Recorder]) -> EpisodeOutcome:
        table, models = self._table, ModelPool(ModelSettings())
        answers = suites()[table.scenario.world].answers()
        async with AsyncExitStack() as opened:
            for seat, name in table.agents.items():
                if outside := self._seats.get(seat):
                    self._agents[seat] = _SeatedAgent(self._built(name, seat, outside), outside, self._changed.set)
                else:
                    pooled = models.model(table.models[seat], self._seeds[seat], answers)
                    self._agents[seat] = self._built(name, seat, await opened.enter_async_context(pooled))
            return await run_episode(
                self._world,
                self._agents,
                seed=self._seed,
                max_steps=table.max_steps,
                recorders=recorders,
                outcome=self._outcome,
            )

    def _built(self, agent: str, seat: Seat, model: Model) -> Agent[Any, Any]:
        table, seed = self._table, self._seeds[seat]
        setup = AgentSetup(table.scenario, self._world, seat, model, seed, table.options, Parameters(), table.max_steps)
        return build_agent(agent, setup)

    @property
    def is_over(self) -> bool:
        """True once it has ended, also by an error."""
        return self._task.done()

    @property
    def asked(self) -> Mapping[Seat, OutsideSeat]:
        """The seats whose questions wait for a reply."""
        return {seat: outside for seat, outside in self._seats.items() if outside.chat.request}

    async def advance(self, replies: Mapping[Seat, str]) -> TextStep:
        """Replies to questions, and plays on until every seat that decides is asked, or to the episode's end.

        Raises the error that ended the episode, if one did.
        """
        for seat, text in replies.items():
            self._seats[seat].chat.reply(text)
        # Who waits for the event wakes after all that could run before it, so each seat that acts has begun to decide.
        while not (self.is_over or self._is_asking):
            self._changed.clear()
            await self._changed.wait()
        return self._ended() if self.is_over else self._asking()

    @property
    def _is_asking(self) -> bool:
        deciding = [seat.chat.request for seat in self._seats.values() if seat.is_deciding]
        return bool(deciding) and all(deciding)

    def _asking(self) -> TextStep:
        observations = {seat: outside.observation() for seat, outside in self.asked.items()}
        infos = {seat: self._info(outside) for seat, outside in self._seats.items()}
        return TextStep(observations, {seat: self._pay(seat) for seat in observations}, False, infos)

    def _ended(self) -> TextStep:
        outcome = self._task.result()
        if outcome.error:
            raise outcome.error
        of_seats = {seat: {**self._world.seat_metrics(seat), **agent.metrics()} for seat, agent in self._agents.items()}
        of_all = {**self._world.metrics(), **means_over_seats(list(of_seats.values()))}
        infos = {
            seat: self._info(outside) | SeatInfo(status=outcome.status, metrics={**of_all, **of_seats[seat]})
            for seat, outside in self._seats.items()
        }
        return TextStep({}, {seat: self._pay(seat) for seat in self._seats}, True, infos)

    def _info(self, outside: OutsideSeat) -> SeatInfo:
        request = outside.chat.request
        return SeatInfo(
            step=self._outcome.steps,
            question=request.name if request else None,
            attempt=len(request.messages) // 2 + 1 if request else 0,
            was_valid=outside.was_valid,
            invalid=outside.invalid,
        )

    def _pay(self, seat: Seat) -> float:
        """What a seat has earned since this was asked last, less the cost of its invalid replies."""
        earned = self._outcome.rewards[seat] - self._table.invalid_cost * self._seats[seat].invalid
        new, self._paid[seat] = earned - self._paid[seat], earned
        return new

    async def leave(self) -> None:
        """Ends the episode where it is."""
        if not self.is_over:
            self._task.cancel()
            await asyncio.wait([self._task])
