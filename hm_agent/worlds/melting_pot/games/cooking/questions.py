"""The questions that strategists ask a model in a kitchen, and the schemas of the answers.

Hypothetical Minds asks about the teammate's strategy; Vanilla Mind Prompting asks for everything at once (section 4.5);
PlanReAct (appendix D.3) and HE + HR (section 4.5, appendix E) ask for strategies of the agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Words, check_all, one_of
from hm_agent.theory_of_mind.mind import HindsightAnswer, HypothesisAnswer
from hm_agent.theory_of_mind.revisions import (
    RevisedHypothesis,
    check_for_each,
    check_revisions,
    forms_for_each,
    revision_forms,
)
from hm_agent.worlds.melting_pot.games.cooking.activities import Held, KitchenInteraction, Pace
from hm_agent.worlds.melting_pot.games.cooking.kitchen import KitchenRules, Pot
from hm_agent.worlds.melting_pot.games.cooking.work_costs import WorkCost


@dataclass(frozen=True, slots=True)
class KitchenState:
    """A kitchen at one step, as questions about roles show it.

    hands: what the agent holds. held: what the teammate holds, None if it was never seen. pace: the teammate's. own,
    other: the cost of work in the agent's room and in the other one.
    """

    step: int
    hands: str | None
    pots: tuple[Pot, ...]
    held: Held | None
    pace: Pace
    own: WorkCost
    other: WorkCost


class _ByRole:
    """A question whose answer names roles."""

    __slots__ = ()
    rules: KitchenRules

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return _role_forms(self.rules)


def _role_forms(rules: KitchenRules) -> Mapping[str, Mapping[str, Any]]:
    behaviour = one_of(rules.behaviours)
    return {"role": one_of(rules.roles), "teammate": behaviour, "next": behaviour}


@dataclass(frozen=True, slots=True)
class ProposeTeammate(Question[HypothesisAnswer]):
    """What is the teammate's strategy? (step 3) best: the earlier hypotheses that predicted best, the best first."""

    template = "melting_pot/cooking/propose_teammate.j2"
    schema = HypothesisAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    best: tuple[Hypothesis, ...]


class BehaviourAnswer(BaseModel):
    """What the teammate will do next by each hypothesis, in their order; one behaviour if there is no hypothesis."""

    reasoning: str = ""
    behaviours: list[str]


@dataclass(frozen=True, slots=True)
class PredictTeammate(Question[BehaviourAnswer]):
    """What will the teammate do in the next round by each hypothesis, and how fast? (step 4) The last is acted on."""

    template = "melting_pot/cooking/predict_teammate.j2"
    schema = BehaviourAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    hypotheses: tuple[Hypothesis, ...]
    state: KitchenState

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {"behaviours": {"items": one_of(self.rules.behaviours), **forms_for_each(self.hypotheses)}}

    def check(self, answer: BehaviourAnswer) -> None:
        check_all(
            lambda: check_for_each("behaviours", answer.behaviours, self.hypotheses),
            *(partial(self.rules.check_behaviour, "behaviours", each) for each in answer.behaviours),
        )


class RoleAnswer(BaseModel):
    """What the teammate is expected to do, and which role to play beside it."""

    reasoning: str = ""
    teammate: str
    role: str
    strategy: Words


def _check_roles(rules: KitchenRules, answer: RoleAnswer | TeammateRevisionAnswer) -> None:
    """Raises ValueError if the behaviour or the role that an answer names is unknown."""
    check_all(
        lambda: rules.check_behaviour("teammate", answer.teammate),
        lambda: rules.check_role(answer.role),
    )


@dataclass(frozen=True, slots=True)
class ChooseRole(_ByRole, Question[RoleAnswer]):
    """Which role should the agent play? (step 5)

    history: the latest rounds. expected: the behaviour that the hypothesis predicts. Questions with the same hypothesis
    and expected behaviour are equal, so that the answer to an earlier one still holds.
    """

    template = "melting_pot/cooking/choose_role.j2"
    schema = RoleAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...] = field(compare=False)
    hypothesis: str | None
    expected: str | None
    state: KitchenState = field(compare=False)

    def check(self, answer: RoleAnswer) -> None:
        _check_roles(self.rules, answer)


class TeammateMindAnswer(RoleAnswer):
    """A hypothesis about the teammate, what it is expected to do, and which role to play beside it."""

    hypothesis: Words


@dataclass(frozen=True, slots=True)
class ReadTeammate(_ByRole, Question[TeammateMindAnswer]):
    """All steps in one question: hypothesise, predict, and choose a role (Vanilla Mind Prompting, section 4.5)."""

    template = "melting_pot/cooking/read_teammate.j2"
    schema = TeammateMindAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    state: KitchenState

    def check(self, answer: TeammateMindAnswer) -> None:
        _check_roles(self.rules, answer)


class RevisedTeammate(RevisedHypothesis):
    """One hypothesis about the teammate, and what it predicts."""

    next: str


class TeammateRevisionAnswer(BaseModel):
    """The hypotheses about the teammate with what each predicts, what is expected of it, and which role to play."""

    reasoning: str = ""
    hypotheses: list[RevisedTeammate]
    teammate: str
    role: str
    strategy: Words


@dataclass(frozen=True, slots=True)
class ReviseTeammate(Question[TeammateRevisionAnswer]):
    """Which hypotheses to keep, reword or add, what does each predict, and which role to play in view of all?

    hypotheses: all that are kept, the oldest first.
    """

    template = "melting_pot/cooking/revise_teammate.j2"
    schema = TeammateRevisionAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    hypotheses: tuple[Hypothesis, ...]
    state: KitchenState

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {**_role_forms(self.rules), **revision_forms(self.hypotheses)}

    def check(self, answer: TeammateRevisionAnswer) -> None:
        check_all(
            lambda: check_revisions(answer.hypotheses, self.hypotheses),
            *(partial(self.rules.check_behaviour, "next", each.next) for each in answer.hypotheses),
            lambda: _check_roles(self.rules, answer),
        )


class PartAnswer(BaseModel):
    """Which role to play."""

    reasoning: str = ""
    role: str


class CookingStrategyAnswer(PartAnswer):
    """A strategy in words, and the role that follows from it."""

    strategy: Words


@dataclass(frozen=True, slots=True)
class MakeCookingStrategy(_ByRole, Question[CookingStrategyAnswer]):
    """Which strategy should the agent follow next? best: the earlier ones that earned most, the best first."""

    template = "melting_pot/cooking/make_cooking_strategy.j2"
    schema = CookingStrategyAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    state: KitchenState
    best: tuple[Hypothesis, ...] = ()

    def check(self, answer: CookingStrategyAnswer) -> None:
        self.rules.check_role(answer.role)


@dataclass(frozen=True, slots=True)
class FollowCookingStrategy(_ByRole, Question[PartAnswer]):
    """Which role should the agent play in the next round given a strategy?"""

    template = "melting_pot/cooking/follow_cooking_strategy.j2"
    schema = PartAnswer
    rules: KitchenRules
    history: tuple[KitchenInteraction, ...]
    state: KitchenState
    strategy: str

    def check(self, answer: PartAnswer) -> None:
        self.rules.check_role(answer.role)


@dataclass(frozen=True, slots=True)
class JudgeCookingStrategy(Question[HindsightAnswer]):
    """What would a round have earned if the agent had played another role?"""

    template = "melting_pot/cooking/judge_cooking_strategy.j2"
    schema = HindsightAnswer
    rules: KitchenRules
    round: KitchenInteraction
    instead: str
