"""The mind of a kitchen: builds strategists' questions about the teammate, and interprets the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hm_agent.core import Clue, Event, Hypothesis, Interaction, Strategy
from hm_agent.questions import Asking, asking
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.mind import Foreseen, Mind, MindsRead, OpponentModel, Outcome, Revised, Revision
from hm_agent.worlds.melting_pot.games.cooking.activities import (
    Delivery,
    Held,
    KitchenInteraction,
    PaceReader,
    RoundEnd,
    tempo_of,
)
from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    STANDS,
    Kitchen,
    KitchenRules,
    KitchenStrategy,
    role_in,
    strategy_for,
    tempo_in,
)
from hm_agent.worlds.melting_pot.games.cooking.questions import (
    ChooseRole,
    FollowCookingStrategy,
    JudgeCookingStrategy,
    KitchenState,
    MakeCookingStrategy,
    PredictTeammate,
    ProposeTeammate,
    ReadTeammate,
    ReviseTeammate,
    RoleAnswer,
    TeammateMindAnswer,
    TeammateRevisionAnswer,
)
from hm_agent.worlds.melting_pot.games.cooking.work_costs import WorkCost, work_cost
from hm_agent.worlds.melting_pot.grid import Layout, Pose

ROUNDS_SHOWN = 6
"""The number of latest rounds that questions show."""


class CookingMind(Mind):
    """Builds and interprets the questions about the teammate, from what the agent knows of the kitchen.

    here: the agent's latest known pose. step: the present one. held: what the teammate holds. The game sets all three
    at every frame.
    """

    asks_at_first = False

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
        self.step = 0
        self.held: Held | None = None

    def understand(self, event: Event) -> KitchenInteraction | None:
        if not isinstance(event, RoundEnd):
            return None
        delivered = event.by if isinstance(event, Delivery) else None
        reward = self.rules.reward if delivered else 0.0
        held = tuple(int(self._kitchen.hands == item) for item in self._items)
        tempo = tempo_of(event.role, event.pace, self.rules.cooking_steps)
        return KitchenInteraction(
            event.step, event.partner, event.role, held, reward, event.activities, delivered, tempo, self.held
        )

    def is_right(self, prediction: str, interaction: Interaction) -> bool | None:
        """True if role and tempo are as predicted; a tempo counts only if both are known."""
        assert isinstance(interaction, KitchenInteraction)
        if not self.is_informative(interaction):
            return None
        has_tempo = interaction.tempo is None or tempo_in(prediction) in (None, interaction.tempo)
        return role_in(prediction) == interaction.behaviour and has_tempo

    def is_informative(self, interaction: Interaction) -> bool:
        """False if the teammate's role is unclear, or if it did nothing and had too little to do."""
        assert isinstance(interaction, KitchenInteraction)
        is_known = interaction.behaviour is not None
        return is_known and bool(interaction.activities or interaction.tempo or interaction.behaviour == STANDS)

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if the latest two informative rounds have the same role, and no different tempo."""
        latest = [each for each in rounds(history) if self.is_informative(each)][-2:]
        tempos = {each.tempo for each in latest} - {None}
        return len(latest) == 2 and latest[0].behaviour == latest[1].behaviour and len(tempos) < 2

    def _state(self) -> KitchenState:
        kitchen = self._kitchen
        own, other = self._work_cost(own=True), self._work_cost(own=False)
        return KitchenState(self.step, kitchen.hands, kitchen.pots, self.held, self._pace.latest, own, other)

    def _work_cost(self, *, own: bool) -> WorkCost:
        return work_cost(self._kitchen, self._layout, self.here, own=own)

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> Asking[str]:
        return asking(ProposeTeammate(self.rules, rounds(history), best), lambda answer: answer.hypothesis)

    def ask_prediction(
        self, history: Sequence[Interaction], hypotheses: Bank, clue: Clue | None = None, *, certain: bool = False
    ) -> Asking[Foreseen]:
        question = PredictTeammate(self.rules, rounds(history), tuple(hypotheses), self._state())
        return asking(question, lambda answer: Foreseen(answer.behaviours, None))

    def ask_choice(self, opponents: Sequence[OpponentModel]) -> Asking[KitchenStrategy]:
        (teammate,) = opponents
        question = ChooseRole(
            rules=self.rules,
            history=rounds(teammate.history),
            hypothesis=teammate.hypothesis.words if teammate.hypothesis else None,
            expected=teammate.expected,
            state=self._state(),
        )
        return asking(question, lambda answer: _strategy_beside(teammate, answer))

    def ask_revision(self, opponents: Sequence[OpponentModel], about: str | None = None) -> Asking[Revised]:
        (teammate,) = opponents
        question = ReviseTeammate(self.rules, rounds(teammate.history), tuple(teammate.hypotheses), self._state())
        return asking(question, lambda answer: _revised(teammate, answer))

    def ask_minds(self, opponents: Sequence[OpponentModel]) -> Asking[MindsRead]:
        (teammate,) = opponents
        question = ReadTeammate(self.rules, rounds(teammate.history), self._state())
        return asking(question, lambda answer: _mind_read(teammate, answer))

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> Asking[KitchenStrategy]:
        question = MakeCookingStrategy(self.rules, rounds(history), self._state(), best)
        return asking(question, lambda answer: KitchenStrategy(answer.strategy, role=answer.role))

    def ask_application(self, history: Sequence[Interaction], strategy: str) -> Asking[KitchenStrategy]:
        question = FollowCookingStrategy(self.rules, rounds(history), self._state(), strategy)
        return asking(question, lambda answer: KitchenStrategy("", role=answer.role))

    def ask_hindsight(self, interaction: Interaction, instead: Strategy) -> Asking[Outcome]:
        assert isinstance(interaction, KitchenInteraction)
        assert isinstance(instead, KitchenStrategy)
        assert instead.role is not None
        return asking(JudgeCookingStrategy(self.rules, interaction, instead.role), lambda answer: answer.outcome)

    def undecided(self) -> KitchenStrategy:
        return KitchenStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> KitchenStrategy:
        return strategy_for(behaviours.get(self._teammate))


def _strategy_beside(teammate: OpponentModel, answer: RoleAnswer | TeammateRevisionAnswer) -> KitchenStrategy:
    """The strategy of an answer; it expects something of the teammate only if anything is known of it."""
    strategy = KitchenStrategy(answer.strategy, role=answer.role)
    if not teammate.is_known:
        return strategy
    return replace(strategy, expected_role=role_in(answer.teammate), expected_tempo=tempo_in(answer.teammate))


def _revised(teammate: OpponentModel, answer: TeammateRevisionAnswer) -> Revised:
    revisions = [Revision(each.of, each.hypothesis, each.next) for each in answer.hypotheses]
    return Revised(revisions, _strategy_beside(teammate, answer))


def _mind_read(teammate: OpponentModel, answer: TeammateMindAnswer) -> MindsRead:
    hypothesis = Hypothesis(answer.hypothesis, prediction=answer.teammate)
    return MindsRead({teammate.player: hypothesis}, _strategy_beside(teammate, answer))


def rounds(history: Sequence[Interaction]) -> tuple[KitchenInteraction, ...]:
    """The rounds among the latest ROUNDS_SHOWN interactions."""
    return tuple(interaction for interaction in history[-ROUNDS_SHOWN:] if isinstance(interaction, KitchenInteraction))
