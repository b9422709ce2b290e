"""What is asked in a kitchen without reading minds: high-level strategies, and what they would have brought.

For PlanReAct (appendix D.3) and for hypotheses that are evaluated by reward (HE + HR, section 4.5 and appendix E).
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Words
from hm_agent.theory_of_mind.by_reward import HindsightAnswer
from hm_agent.worlds.melting_pot.games.cooking.pace import Pace
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction
from hm_agent.worlds.melting_pot.games.cooking.rules import Rules
from hm_agent.worlds.melting_pot.games.cooking.sides import Side


class PartAnswer(BaseModel):
    """Which role to play oneself."""

    reasoning: str = ""
    role: str


class CookingStrategyAnswer(PartAnswer):
    """A strategy in words, and the role it comes to."""

    strategy: Words


@dataclass(frozen=True, slots=True)
class MakeCookingStrategy(Question[CookingStrategyAnswer]):
    """By which strategy to go on? best: earlier ones that paid, the best first."""

    template = "melting_pot/cooking/make_cooking_strategy.j2"
    schema = CookingStrategyAnswer
    rules: Rules
    history: tuple[KitchenInteraction, ...]
    pace: Pace
    own: Side
    other: Side
    best: tuple[Hypothesis, ...] = ()

    def check(self, answer: CookingStrategyAnswer) -> None:
        self.rules.check("role", answer.role)


@dataclass(frozen=True, slots=True)
class FollowCookingStrategy(Question[PartAnswer]):
    """Which role does a strategy come to in the next round?"""

    template = "melting_pot/cooking/follow_cooking_strategy.j2"
    schema = PartAnswer
    rules: Rules
    history: tuple[KitchenInteraction, ...]
    pace: Pace
    strategy: str

    def check(self, answer: PartAnswer) -> None:
        self.rules.check("role", answer.role)


@dataclass(frozen=True, slots=True)
class JudgeCookingStrategy(Question[HindsightAnswer]):
    """What would a round have brought, had one played this role?"""

    template = "melting_pot/cooking/judge_cooking_strategy.j2"
    schema = HindsightAnswer
    rules: Rules
    round: KitchenInteraction
    instead: str
