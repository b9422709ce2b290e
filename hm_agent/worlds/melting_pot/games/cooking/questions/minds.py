"""What the Theory of Mind asks in a kitchen: the fields that may be used, and the form of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Words
from hm_agent.theory_of_mind.module import HypothesisAnswer
from hm_agent.worlds.melting_pot.games.cooking.pace import Pace
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction
from hm_agent.worlds.melting_pot.games.cooking.rules import Rules
from hm_agent.worlds.melting_pot.games.cooking.sides import Side


@dataclass(frozen=True, slots=True)
class ProposeTeammate(Question[HypothesisAnswer]):
    """What is the teammate's strategy? (step 3) best: the earlier hypotheses that predicted well, the best first."""

    template = "melting_pot/cooking/propose_teammate.j2"
    schema = HypothesisAnswer
    rules: Rules
    history: tuple[KitchenInteraction, ...]
    best: tuple[Hypothesis, ...]


class BehaviourAnswer(BaseModel):
    """What the teammate will do next."""

    reasoning: str = ""
    behaviour: str


@dataclass(frozen=True, slots=True)
class PredictTeammate(Question[BehaviourAnswer]):
    """Which role will the teammate play in the next round, by this hypothesis? (step 4)"""

    template = "melting_pot/cooking/predict_teammate.j2"
    schema = BehaviourAnswer
    rules: Rules
    history: tuple[KitchenInteraction, ...]
    hypothesis: str | None

    def check(self, answer: BehaviourAnswer) -> None:
        self.rules.check("behaviour", answer.behaviour)


class RoleAnswer(BaseModel):
    """What the teammate is expected to do, and which role to play oneself."""

    reasoning: str = ""
    teammate: str
    role: str
    strategy: Words


@dataclass(frozen=True, slots=True)
class ChooseRole(Question[RoleAnswer]):
    """Which role to play? (step 5) history: the latest rounds. expected: what the hypothesis predicts."""

    template = "melting_pot/cooking/choose_role.j2"
    schema = RoleAnswer
    rules: Rules
    history: tuple[KitchenInteraction, ...]
    hypothesis: str | None
    expected: str | None
    pace: Pace
    own: Side
    other: Side

    def check(self, answer: RoleAnswer) -> None:
        self.rules.check("teammate", answer.teammate)
        self.rules.check("role", answer.role)


class MindAnswer(RoleAnswer):
    """What is thought of the teammate and what it is expected to do, and which role to play oneself."""

    hypothesis: Words


@dataclass(frozen=True, slots=True)
class ReadTeammate(Question[MindAnswer]):
    """All steps at once: hypothesise, predict, and choose a role (Vanilla Mind Prompting, section 4.5)."""

    template = "melting_pot/cooking/read_teammate.j2"
    schema = MindAnswer
    rules: Rules
    history: tuple[KitchenInteraction, ...]
    pace: Pace
    own: Side
    other: Side

    def check(self, answer: MindAnswer) -> None:
        self.rules.check("teammate", answer.teammate)
        self.rules.check("role", answer.role)
