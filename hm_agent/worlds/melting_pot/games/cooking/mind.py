"""What strategists ask about the teammate in a kitchen: the roles to predict, and what answers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from hm_agent.core import Clue, Event, Hypothesis, Interaction, Strategy
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.mind import Mind, OpponentModel
from hm_agent.worlds.melting_pot.games.cooking.activities import Delivery, KitchenInteraction, PaceReader, RoundEnd
from hm_agent.worlds.melting_pot.games.cooking.kitchen import Kitchen, KitchenRules, KitchenStrategy, strategy_for
from hm_agent.worlds.melting_pot.games.cooking.questions import (
    BehaviourAnswer,
    ChooseRole,
    CookingStrategyAnswer,
    FollowCookingStrategy,
    JudgeCookingStrategy,
    MakeCookingStrategy,
    PartAnswer,
    PredictTeammate,
    ProposeTeammate,
    ReadTeammate,
    RoleAnswer,
    TeammateMindAnswer,
)
from hm_agent.worlds.melting_pot.games.cooking.work_costs import WorkCost, work_cost
from hm_agent.worlds.melting_pot.grid import Layout, Pose

TOLD = 8
"""How many of the latest rounds questions show."""


class CookingMind(Mind):
    """What strategists ask about the teammate in one kitchen, from what the cook knows of that kitchen.

    here: the latest known pose of the cook, which the game sets at every frame.
    """

    def __init__(
        self,
        rules: KitchenRules,
        teammate: str,
        items: Sequence[str],
        layout: Layout,
        kitchen: Kitchen,
        pace: PaceReader,
    ) -> None:
        self.rules, self._teammate, self._items = rules, teammate, items
        self._layout, self._kitchen, self._pace = layout, kitchen, pace
        self.players = (teammate,)
        self.here: Pose | None = None

    def understand(self, event: Event, answer: BaseModel | None) -> KitchenInteraction | None:
        if not isinstance(event, RoundEnd):
            return None
        delivered = event.by if isinstance(event, Delivery) else None
        reward = self.rules.reward if delivered else 0.0
        held = tuple(int(self._kitchen.hands == item) for item in self._items)
        return KitchenInteraction(event.step, event.partner, event.role, held, reward, event.activities, delivered)

    def _side(self, *, own: bool) -> WorkCost:
        return work_cost(self._kitchen, self._layout, self.here, own=own)

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> ProposeTeammate:
        return ProposeTeammate(self.rules, rounds(history), best)

    def ask_prediction(
        self, history: Sequence[Interaction], hypotheses: Bank, clue: Clue | None = None, *, certain: bool = False
    ) -> PredictTeammate:
        return PredictTeammate(self.rules, rounds(history), tuple(hypotheses))

    def predicted(self, answer: BaseModel) -> Sequence[str | None]:
        assert isinstance(answer, BehaviourAnswer)
        return answer.behaviours

    def ask_choice(self, opponents: Sequence[OpponentModel]) -> ChooseRole:
        (teammate,) = opponents
        return ChooseRole(
            rules=self.rules,
            history=rounds(teammate.history),
            hypothesis=teammate.hypothesis.words if teammate.hypothesis else None,
            expected=teammate.expected,
            pace=self._pace.latest,
            own=self._side(own=True),
            other=self._side(own=False),
        )

    def ask_minds(self, opponents: Sequence[OpponentModel]) -> ReadTeammate:
        (teammate,) = opponents
        return ReadTeammate(
            self.rules, rounds(teammate.history), self._pace.latest, self._side(own=True), self._side(own=False)
        )

    def minds(self, answer: BaseModel) -> Mapping[str, Hypothesis]:
        assert isinstance(answer, TeammateMindAnswer)
        return {self._teammate: Hypothesis(answer.hypothesis, prediction=answer.teammate)}

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> MakeCookingStrategy:
        return MakeCookingStrategy(
            self.rules, rounds(history), self._pace.latest, self._side(own=True), self._side(own=False), best
        )

    def ask_application(self, history: Sequence[Interaction], strategy: str) -> FollowCookingStrategy:
        return FollowCookingStrategy(self.rules, rounds(history), self._pace.latest, strategy)

    def ask_hindsight(self, interaction: Interaction, instead: Strategy) -> JudgeCookingStrategy:
        assert isinstance(interaction, KitchenInteraction)
        assert isinstance(instead, KitchenStrategy)
        assert instead.role is not None
        return JudgeCookingStrategy(self.rules, interaction, instead.role)

    def strategy(self, answer: BaseModel, *, informed: bool) -> KitchenStrategy:
        if isinstance(answer, PartAnswer):
            words = answer.strategy if isinstance(answer, CookingStrategyAnswer) else ""
            return KitchenStrategy(words, role=answer.role)
        assert isinstance(answer, RoleAnswer)
        return KitchenStrategy(answer.strategy, role=answer.role, expected_role=answer.teammate if informed else None)

    def undecided(self) -> KitchenStrategy:
        return KitchenStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None]) -> KitchenStrategy:
        return strategy_for(behaviours.get(self._teammate))


def rounds(history: Sequence[Interaction]) -> tuple[KitchenInteraction, ...]:
    """The latest rounds among what happened."""
    return tuple(interaction for interaction in history[-TOLD:] if isinstance(interaction, KitchenInteraction))
