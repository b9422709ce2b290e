"""The questions that strategists ask a model in a kitchen, and the schemas of the answers.

Hypothetical Minds asks about the teammate's strategy; Vanilla Mind Prompting asks for everything at once (section 4.5);
PlanReAct (appendix D.3) and HE + HR (section 4.5, appendix E) ask for strategies of the agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Words, check_all, one_of
from hm_agent.theory_of_mind.mind import HindsightAnswer, HypothesisAnswer
from hm_agent.worlds.melting_pot.games.cooking.activities import KitchenInteraction, Pace
from hm_agent.worlds.melting_pot.games.cooking.kitchen import KitchenRules
from hm_agent.worlds.melting_pot.games.cooking.work_costs import WorkCost


class _ByRole:
    """A question whose answer names roles."""

    __slots__ = ()
    rules: KitchenRules

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return dict.fromkeys(("teammate", "role", "behaviour"), one_of(self.rules.roles))


@dataclass(frozen=True, slots=True)
class ProposeTeammate(Question[HypothesisAnswer]):
    """What is the teammate's strategy? (step 3) best: the earlier hypotheses that predicted best, the best first."""

    template = "melting_pot/cooking/propose_teammate.j2"
    schema = HypothesisAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    best: tuple[Hypothesis, ...]


class BehaviourAnswer(BaseModel):
    """What the teammate will do next by each hypothesis, in their order; one behaviour without any."""

    reasoning: str = ""
    behaviours: list[str]


@dataclass(frozen=True, slots=True)
class PredictTeammate(_ByRole, Question[BehaviourAnswer]):
    """Which role will the teammate play in the next round by each hypothesis? (step 4) The last one is acted on."""

    template = "melting_pot/cooking/predict_teammate.j2"
    schema = BehaviourAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    hypotheses: tuple[Hypothesis, ...]

    def check(self, answer: BehaviourAnswer) -> None:
        wanted = max(1, len(self.hypotheses))
        if len(answer.behaviours) != wanted:
            raise ValueError(f"behaviours: {len(answer.behaviours)} given, {wanted} wanted, one for each hypothesis")
        for behaviour in answer.behaviours:
            self.rules.check("behaviours", behaviour)


class RoleAnswer(BaseModel):
    """What the teammate is expected to do, and which role to play oneself."""

    reasoning: str = ""
    teammate: str
    role: str
    strategy: Words


@dataclass(frozen=True, slots=True)
class ChooseRole(_ByRole, Question[RoleAnswer]):
    """Which role should the agent play? (step 5)

    history: the latest rounds. expected: the teammate's role that the hypothesis predicts. own, other: the cost of work
    in the agent's room and in the other one.
    """

    template = "melting_pot/cooking/choose_role.j2"
    schema = RoleAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    hypothesis: str | None
    expected: str | None
    pace: Pace
    own: WorkCost
    other: WorkCost

    def check(self, answer: RoleAnswer) -> None:
        check_all(
            lambda: self.rules.check("teammate", answer.teammate),
            lambda: self.rules.check("role", answer.role),
        )


class TeammateMindAnswer(RoleAnswer):
    """What is thought of the teammate and what it is expected to do, and which role to play oneself."""

    hypothesis: Words


@dataclass(frozen=True, slots=True)
class ReadTeammate(_ByRole, Question[TeammateMindAnswer]):
    """All steps in one question: hypothesise, predict, and choose a role (Vanilla Mind Prompting, section 4.5)."""

    template = "melting_pot/cooking/read_teammate.j2"
    schema = TeammateMindAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    pace: Pace
    own: WorkCost
    other: WorkCost

    def check(self, answer: TeammateMindAnswer) -> None:
        check_all(
            lambda: self.rules.check("teammate", answer.teammate),
            lambda: self.rules.check("role", answer.role),
        )


class PartAnswer(BaseModel):
    """Which role to play oneself."""

    reasoning: str = ""
    role: str


class CookingStrategyAnswer(PartAnswer):
    """A strategy in words, and the role it comes to."""

    strategy: Words


@dataclass(frozen=True, slots=True)
class MakeCookingStrategy(_ByRole, Question[CookingStrategyAnswer]):
    """Which strategy should the agent follow next? best: the earlier ones that earned most, the best first."""

    template = "melting_pot/cooking/make_cooking_strategy.j2"
    schema = CookingStrategyAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    pace: Pace
    own: WorkCost
    other: WorkCost
    best: tuple[Hypothesis, ...] = ()

    def check(self, answer: CookingStrategyAnswer) -> None:
        self.rules.check("role", answer.role)


@dataclass(frozen=True, slots=True)
class FollowCookingStrategy(_ByRole, Question[PartAnswer]):
    """Which role should the agent play in the next round given a strategy?"""

    template = "melting_pot/cooking/follow_cooking_strategy.j2"
    schema = PartAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    pace: Pace
    strategy: str

    def check(self, answer: PartAnswer) -> None:
        self.rules.check("role", answer.role)


@dataclass(frozen=True, slots=True)
class JudgeCookingStrategy(Question[HindsightAnswer]):
    """What would a round have earned if the agent had played another role?"""

    template = "melting_pot/cooking/judge_cooking_strategy.j2"
    schema = HindsightAnswer
    rules: KitchenRules
    round: KitchenInteraction
    instead: str
