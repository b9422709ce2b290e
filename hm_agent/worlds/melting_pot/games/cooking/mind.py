"""The mind of a kitchen: what strategists ask of roles, and what a round and a strategy in an answer mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from hm_agent.core import Event, Interaction, Strategy
from hm_agent.questions import Asking, asking
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, FollowStrategy, JudgeStrategy, StrategyAnswer
from hm_agent.theory_of_mind.language_mind import LanguageMind, Situated
from hm_agent.theory_of_mind.mind import Outcome, PlayerModel, StrategyValuing
from hm_agent.worlds.melting_pot.games.cooking.roles import (
    KitchenStrategy,
    role_in,
    strategy_for,
    team_strategy,
    tempo_in,
)
from hm_agent.worlds.melting_pot.games.cooking.rounds import Delivery, KitchenInteraction, RoundEnd, tempo_of
from hm_agent.worlds.melting_pot.games.cooking.seat import KitchenSeat, SharedWork


class KitchenNotes(Situated[KitchenSeat], Protocol):
    """Knows what one cook knows now, and what it shows in questions about one teammate."""

    def situation_beside(self, player: str) -> KitchenSeat: ...


class CookingMind(LanguageMind[KitchenSeat, KitchenStrategy], StrategyValuing):
    """What strategists ask about the teammates. items: all that a cook can hold."""

    remembers = 6
    decides_apart = True

    def __init__(self, teammates: Sequence[str], seat: KitchenNotes, items: Sequence[str]) -> None:
        super().__init__(teammates, seat)
        self._notes, self._items = seat, items

    def situation_beside(self, told: Sequence[Interaction], about: str | None = None) -> KitchenSeat:
        about = about or (told[-1].partner if told else None)
        return self.situation if about is None else self._notes.situation_beside(about)

    # Rounds

    def noticed(self, history: Sequence[Interaction]) -> tuple[KitchenInteraction, ...]:
        """The rounds among the latest interactions."""
        return tuple(each for each in super().noticed(history) if isinstance(each, KitchenInteraction))

    def understand(self, event: Event) -> KitchenInteraction | None:
        if not isinstance(event, RoundEnd):
            return None
        seat = self.situation_beside((), event.partner)
        delivered = event.by if isinstance(event, Delivery) else None
        return KitchenInteraction(
            step=event.step,
            partner=event.partner,
            behaviour=event.role,
            own=tuple(int(seat.hands == item) for item in self._items),
            reward=seat.rules.reward if delivered else 0.0,
            activities=event.activities,
            by=delivered,
            tempo=tempo_of(event.role, event.pace, seat.rules.cooking_steps),
            held=seat.held,
        )

    def is_informative(self, interaction: Interaction) -> bool:
        return any(each.is_informative for each in self.noticed([interaction]))

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if the latest two informative rounds have the same role, and no different tempo."""
        latest = [each for each in self.noticed(history) if each.is_informative][-2:]
        tempos = {each.tempo for each in latest} - {None}
        return len(latest) == 2 and latest[0].behaviour == latest[1].behaviour and len(tempos) < 2

    # Strategies

    def ask_choice(self, others: Sequence[PlayerModel]) -> Asking[KitchenStrategy]:
        beliefs = tuple(teammate.belief for teammate in others if teammate.is_known)
        latest = tuple(round_ for teammate in others for round_ in self.noticed(teammate.history[-1:]))
        question = ChooseStrategy(self.situation, latest, others=beliefs, is_rule=False)
        parts = tuple((belief.name, belief.expected) for belief in beliefs if belief.expected)

        def strategy(answer: StrategyAnswer[SharedWork]) -> KitchenStrategy:
            decided = self.decided(answer.strategy, informed=bool(beliefs))
            return replace(decided, parts=parts) if len(others) > 1 else decided

        return asking(question, strategy)

    def is_answered(self, question: ChooseStrategy, *, by: ChooseStrategy) -> bool:
        """True if hypothesis and prediction are as before, since the role depends on them alone."""
        return question.others == by.others

    def ask_application(self, history: Sequence[Interaction], strategy: str) -> Asking[KitchenStrategy]:
        question = FollowStrategy(self.situation, self.noticed(history[-1:]), strategy)
        return asking(question, lambda answer: self.decided(answer.strategy, informed=False))

    def ask_hindsight(self, interaction: Interaction, instead: Strategy) -> Asking[Outcome]:
        (judged,) = self.noticed([interaction])
        return asking(JudgeStrategy(self.situation, judged, instead), lambda answer: answer.outcome)

    def decided(self, given: SharedWork, *, informed: bool = True) -> KitchenStrategy:
        words = given.words or self.strategy_now or ""
        if not informed:
            return KitchenStrategy(words, role=given.role)
        expected, tempo = role_in(given.expects), tempo_in(given.expects)
        return KitchenStrategy(words, role=given.role, expected_role=expected, expected_tempo=tempo)

    def undecided(self) -> KitchenStrategy:
        return KitchenStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> KitchenStrategy:
        if len(self.players) == 1:
            return strategy_for(behaviours.get(self.players[0]))
        known = {player: behaviour for player, behaviour in behaviours.items() if behaviour}
        return team_strategy(known, self.situation.loading_share)
