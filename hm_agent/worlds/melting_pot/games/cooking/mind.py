"""What is thought of the teammate in a kitchen: the roles to predict, and the questions to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from hm_agent.core import Clue, Counts, Event, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.module import OpponentModel
from hm_agent.worlds.melting_pot.games.cooking.pace import Pace
from hm_agent.worlds.melting_pot.games.cooking.questions.minds import (
    BehaviourAnswer,
    ChooseRole,
    MindAnswer,
    PredictTeammate,
    ProposeTeammate,
    ReadTeammate,
    RoleAnswer,
)
from hm_agent.worlds.melting_pot.games.cooking.questions.strategies import (
    CookingStrategyAnswer,
    FollowCookingStrategy,
    JudgeCookingStrategy,
    MakeCookingStrategy,
    PartAnswer,
)
from hm_agent.worlds.melting_pot.games.cooking.roles import strategy_for
from hm_agent.worlds.melting_pot.games.cooking.rounds import Delivery, KitchenInteraction, RoundEnd
from hm_agent.worlds.melting_pot.games.cooking.rules import Rules
from hm_agent.worlds.melting_pot.games.cooking.sides import Side

TOLD = 8
"""So many rounds questions tell of, the latest ones."""


@dataclass(frozen=True, slots=True)
class State:
    """What questions are asked in view of. held: in the own hands. own, other: what work costs in either room."""

    held: Counts
    pace: Pace
    own: Side
    other: Side


class CookingMind:
    """The questions of all kinds of strategists about one kitchen. state: the present one."""

    def __init__(self, rules: Rules, teammate: str, state: Callable[[], State]) -> None:
        self.rules, self._teammate, self._state = rules, teammate, state
        self.players = (teammate,)

    async def understand(self, event: Event, model: Model) -> KitchenInteraction | None:
        if not isinstance(event, RoundEnd):
            return None
        delivered = event.by if isinstance(event, Delivery) else None
        reward = self.rules.reward if delivered else 0.0
        held = self._state().held
        return KitchenInteraction(event.step, event.partner, event.role, held, reward, event.activities, delivered)

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> ProposeTeammate:
        return ProposeTeammate(self.rules, rounds(history), best)

    def ask_prediction(
        self, history: Sequence[Interaction], hypothesis: str | None, clue: Clue | None = None, *, certain: bool = False
    ) -> PredictTeammate:
        return PredictTeammate(self.rules, rounds(history), hypothesis)

    def predicted(self, answer: BaseModel) -> str | None:
        assert isinstance(answer, BehaviourAnswer)
        return answer.behaviour

    def ask_choice(self, outlooks: Sequence[OpponentModel]) -> ChooseRole:
        (outlook,) = outlooks
        state = self._state()
        return ChooseRole(
            rules=self.rules,
            history=rounds(outlook.history),
            hypothesis=outlook.hypothesis.words if outlook.hypothesis else None,
            expected=outlook.expected,
            pace=state.pace,
            own=state.own,
            other=state.other,
        )

    def ask_minds(self, outlooks: Sequence[OpponentModel]) -> ReadTeammate:
        (outlook,) = outlooks
        state = self._state()
        return ReadTeammate(self.rules, rounds(outlook.history), state.pace, state.own, state.other)

    def minds(self, answer: BaseModel) -> Mapping[str, Hypothesis]:
        assert isinstance(answer, MindAnswer)
        return {self._teammate: Hypothesis(answer.hypothesis, prediction=answer.teammate)}

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> MakeCookingStrategy:
        state = self._state()
        return MakeCookingStrategy(self.rules, rounds(history), state.pace, state.own, state.other, best)

    def ask_course(self, history: Sequence[Interaction], strategy: str) -> FollowCookingStrategy:
        return FollowCookingStrategy(self.rules, rounds(history), self._state().pace, strategy)

    def ask_hindsight(self, evidence: Interaction, instead: Strategy) -> JudgeCookingStrategy:
        assert isinstance(evidence, KitchenInteraction)
        assert instead.role is not None
        return JudgeCookingStrategy(self.rules, evidence, instead.role)

    def strategy(self, answer: BaseModel, *, informed: bool) -> Strategy:
        if isinstance(answer, PartAnswer):
            return Strategy(answer.strategy if isinstance(answer, CookingStrategyAnswer) else "", role=answer.role)
        assert isinstance(answer, RoleAnswer)
        return Strategy(answer.strategy, role=answer.role, expected_role=answer.teammate if informed else None)

    def answer_to(self, told: Mapping[str, str | None]) -> Strategy:
        return strategy_for(told.get(self._teammate))


def rounds(history: Sequence[Interaction]) -> tuple[KitchenInteraction, ...]:
    """The latest rounds among what happened."""
    return tuple(evidence for evidence in history[-TOLD:] if isinstance(evidence, KitchenInteraction))
