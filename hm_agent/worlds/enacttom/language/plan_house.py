"""The questions about plans that the body asks a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from hm_agent.agents.reflection import Critique
from hm_agent.questions import Question, plan_of
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.worlds.enacttom.house.commands import HouseCommand
from hm_agent.worlds.enacttom.language.situation import HouseSituation, PartnerAct
from hm_agent.worlds.enacttom.language.written_commands import (
    MOST_COMMANDS,
    check_plan,
    command_pattern,
    context_of,
    first_command_pattern,
    read_commands,
)
from hm_agent.written_calls import CallError


@dataclass(frozen=True, slots=True)
class HousePlanRecord:
    """A plan that is over or was given up. done: how many of its commands were carried out."""

    commands: tuple[HouseCommand, ...]
    done: int


@dataclass(frozen=True, slots=True)
class BarredCommand:
    """A command that has just failed. why: the reason, in words."""

    command: HouseCommand
    why: str


class CommandsAnswer(BaseModel):
    """A few commands in order."""

    reasoning: str = ""
    commands: list[str]


@dataclass(frozen=True, slots=True)
class PlanHouse(Question[CommandsAnswer]):
    """What to do and what to say? (Hypothetical Minds, section 3.2, subgoal module; EnactToM, section 3)

    strategy: None for an agent that plans without a strategist. partners: what a strategist believes of each partner.
    history: the partners' latest acts, for an agent without a strategist. critiques: the lessons from earlier plans.
    because: why a plan is asked for. previous: the plan before, None at first. barred: the command that has just failed
    and must not be tried first.
    """

    template = "enacttom/plan_house.j2"
    schema = CommandsAnswer
    situation: HouseSituation
    strategy: str | None
    partners: tuple[PlayerBelief, ...]
    history: tuple[PartnerAct, ...]
    critiques: tuple[str, ...]
    because: str
    previous: HousePlanRecord | None
    barred: BarredCommand | None = None

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        """Allows commands with known names only, and as the first one only those that can succeed now."""
        context = context_of(self.situation)
        first = first_command_pattern(context, self.situation.view, self.barred.command if self.barred else None)
        return {"commands": plan_of(first, command_pattern(context), MOST_COMMANDS)}

    def check(self, answer: CommandsAnswer) -> None:
        """Refuses unreadable commands, too many commands or messages, and a first command that can't succeed now."""
        if len(answer.commands) > MOST_COMMANDS:
            raise CallError(f"{len(answer.commands)} commands are too many; at most {MOST_COMMANDS}")
        plan = read_commands(answer.commands, context_of(self.situation))
        check_plan(plan, self.situation.view)
        if self.barred and plan[0] == self.barred.command:
            raise CallError(f"{plan[0]} has just failed: {self.barred.why} Begin with something else")


@dataclass(frozen=True, slots=True)
class EvaluateHouse(Question[Critique]):
    """How well did a plan do, and what should the agent do better? (Reflexion's evaluator, appendix D.2)

    plan: the one that is over. because: why it ended, in words. since: the turn in which it began.
    """

    template = "enacttom/evaluate_house.j2"
    schema = Critique
    situation: HouseSituation
    plan: HousePlanRecord
    because: str
    since: int
