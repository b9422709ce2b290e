"""The body of an agent in EnactToM that thinks in language: it notes what happens, asks for plans, and follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from hm_agent.agents.reflection import FinishedPlan, Reflector
from hm_agent.core import Body, Event, Interaction, Observation
from hm_agent.questions import UNSHOWN, Model, answer_or_none
from hm_agent.wording import listed
from hm_agent.worlds.enacttom.house.commands import COMMUNICATE, IDLE, WAIT, HouseCommand
from hm_agent.worlds.enacttom.house.probes import ProbeAnswers
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.language.house_probes import ProbeHouse
from hm_agent.worlds.enacttom.language.notebook import HouseNotebook
from hm_agent.worlds.enacttom.language.partner_mind import HouseStrategy, PartnerMind, latest_acts
from hm_agent.worlds.enacttom.language.plan_house import (
    BarredCommand,
    EvaluateHouse,
    HousePlanRecord,
    PlanHouse,
)
from hm_agent.worlds.enacttom.language.situation import WRITES, HouseSituation, OwnActionFailed, PartnerActed
from hm_agent.worlds.enacttom.language.written_commands import context_of, read_commands
from hm_agent.worlds.enacttom.tasks.sentences import read_claims

BEGINS = "the episode begins"
USED_UP = "the plan is used up"
LONGEST_WAIT = 3
"""How many turns an agent waits beyond the end of its plan before it asks for another."""


@dataclass(frozen=True, slots=True)
class HouseThoughts:
    """What an agent believes and plans after a turn.

    plan: the latest plan. done: how many of its commands were carried out. asked_because: why a plan was asked for in
    this turn, None if none was.
    """

    room: str
    messages_left: int
    done: int
    plan: tuple[str, ...] = field(metadata=UNSHOWN)
    asked_because: str | None = None


class EnacttomBody(Body[HouseView, HouseCommand | ProbeAnswers, HouseStrategy]):
    """The body of one agent through one episode."""

    def __init__(self, me: str, agents: Sequence[str], model: Model, reflector: Reflector) -> None:
        self._agents, self._model, self._reflector = agents, model, reflector
        self._notebook = HouseNotebook()
        self.mind = PartnerMind(me, agents)
        self._strategy: HouseStrategy | None = None
        self._plan: tuple[HouseCommand, ...] = ()
        self._done = self._waited = self._since = 0
        """How many commands of the plan were carried out, how many turns were waited since, and when the plan began."""
        self._because: str | None = BEGINS
        """Why a new plan has to be asked for; None while the present one can go on."""
        self._asked_because: str | None = None
        self._barred: BarredCommand | None = None

    def perceive(self, observation: Observation[HouseView]) -> Sequence[Event]:
        events = self._notebook.read(observation.view)
        self.mind.situation = self._notebook.situation
        self._asked_because = None
        if observation.view.probes:
            return []  # no action follows, so that strategists need not think about the last events
        if self._because is None:
            self._because = self._why_replan(events)
        return events

    def _why_replan(self, events: Sequence[Event]) -> str | None:
        """Says why the plan can't go on after the latest events; None if it can."""
        view = self._notebook.situation.view
        for event in events:
            if isinstance(event, OwnActionFailed):
                is_hopeless = view.outcome is not None and view.outcome.kind is OutcomeKind.FAILED
                self._barred = BarredCommand(self._plan[self._done], event.why) if is_hopeless else None
                return event.describe()
        self._barred = None
        self._advance()
        writers = [
            event.act.partner for event in events if isinstance(event, PartnerActed) and event.act.does == WRITES
        ]
        if writers:
            return f"{listed(writers)} {'have' if len(writers) > 1 else 'has'} written to you"
        named = {name for command in self._plan[self._done :] for name in command.arguments}
        if news := self._notebook.situation.surprises(named):
            return f"you see something new of {', '.join(news)}"
        if self._done < len(self._plan):
            return None
        if self._plan[-1].verb != WAIT:
            return USED_UP
        if self._waited < LONGEST_WAIT:
            return None
        planned_waits = len(list(takewhile(lambda command: command.verb == WAIT, reversed(self._plan))))
        return f"you have waited {planned_waits + self._waited} turns"

    def _advance(self) -> None:
        """Counts the command that was carried out, or a turn of waiting if the plan was used up."""
        if self._done < len(self._plan):
            self._done += 1
        else:
            self._waited += 1

    async def act(self, strategy: HouseStrategy, history: Sequence[Interaction]) -> HouseCommand | ProbeAnswers:
        situation = self._notebook.situation
        if situation.view.probes:
            question = ProbeHouse(situation, situation.view.probes)
            return question.answers_by_probe(await answer_or_none(self._model, question))
        if self._strategy is not None:
            self._because = self._because or strategy.why_replan(self._strategy)
        self._strategy = strategy
        if self._because is not None:
            await self._ask_for_plan(strategy, history, self._because)
        command = self._plan[self._done] if self._done < len(self._plan) else IDLE
        if command.verb == COMMUNICATE:
            return replace(command, claims=read_claims(command.text, self._agents))
        return command

    async def _ask_for_plan(self, strategy: HouseStrategy, history: Sequence[Interaction], because: str) -> None:
        """Replaces the plan, after a reflection on it; the new plan is empty without a usable answer."""
        situation = self._notebook.situation
        record = HousePlanRecord(self._plan, self._done) if self._plan else None
        question = PlanHouse(
            situation=situation,
            strategy=strategy.words or None,
            partners=strategy.partners,
            history=latest_acts(history),
            critiques=(),
            because=because,
            previous=record,
            barred=self._barred,
        )
        if record is not None:
            finished = _FinishedHousePlan(situation, record, because, self._since)
            question = replace(question, critiques=tuple(await self._reflector.reflect(finished)))
        answer = await answer_or_none(self._model, question)
        self._plan = read_commands(answer.commands, context_of(situation)) if answer else ()
        self._asked_because, self._because, self._barred = because, None if answer else "you gave no usable plan", None
        self._done, self._waited, self._since = 0, 0, situation.view.turn

    def state(self) -> HouseThoughts:
        situation = self._notebook.situation
        return HouseThoughts(
            room=situation.view.room,
            messages_left=situation.view.messages_left,
            done=self._done,
            plan=tuple(map(str, self._plan)),
            asked_because=self._asked_because,
        )

    def metrics(self) -> Mapping[str, float]:
        return {}


@dataclass(frozen=True, slots=True)
class _FinishedHousePlan(FinishedPlan):
    """A plan and its outcome, as reflectors ask about them. since: the turn in which the plan began."""

    situation: HouseSituation
    plan: HousePlanRecord
    because: str
    since: int

    def ask_evaluation(self) -> EvaluateHouse:
        return EvaluateHouse(self.situation, self.plan, self.because, self.since)
