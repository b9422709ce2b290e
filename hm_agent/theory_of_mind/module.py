"""The Theory of Mind module: five steps after every event (Hypothetical Minds, appendix C.3).

It knows no game: the game says what a behaviour is, when a prediction is right, and how questions read (`MindReading`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, Question, answer_or_none
from hm_agent.theory_of_mind.hypotheses import (
    Bank,
    Hyperparameters,
    add,
    believed,
    best_earlier,
    score,
    validated,
    with_predictions,
)
from hm_agent.theory_of_mind.mind import MindReading, OpponentModel
from hm_agent.theory_of_mind.strategist import HypothesisKeeper


@dataclass(frozen=True, slots=True)
class Parts:
    """Which parts of the module are on; ablations switch some off (section 4.5).

    evaluation: hypotheses are kept and scored, and a validated one is acted on alone. refinement: new hypotheses are
    proposed in view of the best earlier ones.
    """

    evaluation: bool = True
    refinement: bool = True


class TheoryOfMind(HypothesisKeeper[MindReading]):
    """A strategist that proposes, scores and refines hypotheses about each other player."""

    needs = (MindReading,)

    def __init__(self, mind: MindReading, model: Model, parameters: Hyperparameters, parts: Parts = Parts()) -> None:
        super().__init__(mind, model, parameters)
        self._parts = parts
        self._answered_choice: Question[Any] | None = None
        """The latest question of step 5 that was answered, so that the same is not asked again."""
        self._owes_strategy = False
        """True if the latest question of step 4 left out step 5, since more was to come in the same step."""
        self._answers_clue = False
        """True if the latest strategy responds to a clue, so that it is for the next interaction alone."""

    def believed_about(self, player: str) -> Hypothesis | None:
        return believed(self._banks.get(player, ()), self._parameters)

    async def _decide(self) -> Strategy | None:
        self._is_due = False
        if not self._mind.asks_at_first and not self._memory.all:
            return self._mind.best_response({})
        answer = await self._ask(self._choice_question() or self._mind.ask_prediction((), ()))
        return self._mind.strategy(answer, informed=bool(self._memory.all)) if answer else None

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        """Takes steps 2 to 5 with the hypotheses about the partner."""
        if not self._mind.is_informative(interaction):
            return None
        self._clues.pop(interaction.partner, None)
        history = self._memory.of(interaction.partner)
        before = bank = self._banks.get(interaction.partner, ())
        if self._parts.evaluation:
            bank = score(bank, lambda prediction: self._mind.is_right(prediction, interaction), self._parameters)
        is_proven = validated(bank, self._parameters) is not None
        answered_clue, self._answers_clue = self._answers_clue, False
        owed, self._owes_strategy = self._owes_strategy, False
        if not answered_clue and not owed and self._is_confirmed(interaction, history, is_proven):
            self._keep_predictions(interaction.partner, bank, before)
            return await self._respond(None)
        if not is_proven and not self._mind.explains(before, history):
            bank = await self._with_new_hypothesis(bank, history)
        return await self._respond(await self._predict(interaction.partner, bank, history))

    def _is_confirmed(self, interaction: Interaction, history: Sequence[Interaction], is_proven: bool) -> bool:
        """True if the interaction was expected and repeats the one before, so that nothing has to be asked."""
        expected = self._expected.get(interaction.partner)
        is_expected = expected is not None and bool(self._mind.is_right(expected, interaction))
        return is_expected and self._mind.repeats(history, validated=is_proven)

    def _keep_predictions(self, partner: str, bank: Bank, before: Bank) -> None:
        """Stores the scored bank with the predictions of the bank before, which scoring has cleared."""
        self._banks[partner] = with_predictions(bank, before, [hypothesis.prediction for hypothesis in before])

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """Revises the strategy if a clue contradicts the expected behaviour; a clue scores no hypothesis."""
        if clue.suggests in (None, self._expected.get(clue.partner)):
            return None
        if self._choice_question() is not None:
            self._expected[clue.partner] = clue.suggests
            return await self._respond(None)
        hypothesis = self.believed_about(clue.partner)
        hypotheses = (hypothesis,) if hypothesis else ()
        answer = await self._ask(self._mind.ask_prediction(self._memory.of(clue.partner), hypotheses, clue))
        if answer is None:
            return None
        self._expected[clue.partner] = self._mind.predicted(answer)[-1]
        self._answers_clue = True
        return self._mind.strategy(answer, informed=True)

    async def _with_new_hypothesis(self, bank: Bank, history: Sequence[Interaction]) -> Bank:
        """Step 3: returns the bank with a new or refined hypothesis; unchanged without a valid answer."""
        best = best_earlier(bank, self._parameters) if self._parts.refinement else ()
        answer = await answer_or_none(self._model, self._mind.ask_hypothesis(history, best))
        if answer is None:
            return bank
        earlier = bank if self._parts.evaluation else ()
        return add(earlier, answer.hypothesis, len(history), self._parameters)

    async def _predict(self, partner: str, bank: Bank, history: Sequence[Interaction]) -> BaseModel | None:
        """Step 4: asks in one question what each hypothesis predicts, and stores the predictions.

        If a hypothesis is validated, it alone is asked about; else all are, and the newest, which is the last, is acted
        on (section 3.2).
        """
        proven = validated(bank, self._parameters)
        hypotheses = (proven,) if proven else bank
        others = self._beliefs(partner)
        question = self._mind.ask_prediction_among(history, hypotheses, others, decides=self._is_last)
        self._owes_strategy = not self._is_last
        answer = await self._ask(question) if hypotheses else None
        predictions = self._mind.predicted(answer) if answer else (None,) * len(hypotheses)
        self._banks[partner] = with_predictions(bank, hypotheses, predictions)
        self._expected[partner] = predictions[-1] if predictions else None
        return answer

    async def _respond(self, prediction: BaseModel | None) -> Strategy | None:
        """Step 5: decides on a strategy by a question of its own, or by the answer to step 4 in games without one.

        None without a valid answer, or if the same question was answered last. A question of its own waits until the
        agent can act, since its answer depends on where everybody is then. prediction: the answer to step 4.
        """
        choice = self._choice_question()
        if choice is not None and not self._mind.can_act:
            self._is_due = True
            return None
        if choice is not None and choice == self._answered_choice:
            return None
        answer = prediction if choice is None else await self._ask(choice)
        self._answered_choice = choice if answer else None
        return self._mind.strategy(answer, informed=True) if answer else None

    def _choice_question(self) -> Question[Any] | None:
        opponents = []
        for player in self._mind.players:
            expected, clue = self._expected.get(player), self._clues.get(player)
            hypothesis = self.believed_about(player)
            opponents.append(OpponentModel(player, self._memory.of(player), hypothesis, expected, clue))
        return self._mind.ask_choice(opponents)

    async def _ask(self, question: Question[Any]) -> BaseModel | None:
        answer: BaseModel | None = await answer_or_none(self._model, question)
        return answer
