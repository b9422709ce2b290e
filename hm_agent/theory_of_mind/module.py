"""The Theory of Mind module: five steps after every event (Hypothetical Minds, appendix C.3).

It knows no game: the game says what a behaviour is, when a prediction is right, and how questions read (`MindReading`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Asking, Model, ask
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
from hm_agent.theory_of_mind.mind import Foreseen, MindReading
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
        self._answered: Asking[Strategy] | None = None
        """The latest choice of step 5 that was answered, so that the same question is not asked again."""
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
        if (choice := self._choice()) is not None:
            return await ask(self._model, choice)
        foreseen = await ask(self._model, self._mind.ask_prediction((), ()))
        return foreseen.strategy if foreseen else None

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
        """Revises the strategy, as the clue contradicts the expected behaviour; a clue scores no hypothesis."""
        if self._choice() is not None:
            self._expected[clue.partner] = clue.suggests
            return await self._respond(None)
        hypothesis = self.believed_about(clue.partner)
        hypotheses = (hypothesis,) if hypothesis else ()
        asked = self._mind.ask_prediction(self._memory.of(clue.partner), hypotheses, clue=clue)
        foreseen = await ask(self._model, asked)
        if foreseen is None:
            return None
        self._expected[clue.partner] = foreseen.behaviours[-1]
        self._answers_clue = True
        return foreseen.strategy

    async def _with_new_hypothesis(self, bank: Bank, history: Sequence[Interaction]) -> Bank:
        """Step 3: returns the bank with a new or refined hypothesis; unchanged without a valid answer."""
        best = best_earlier(bank, self._parameters) if self._parts.refinement else ()
        words = await ask(self._model, self._mind.ask_hypothesis(history, best))
        if words is None:
            return bank
        earlier = bank if self._parts.evaluation else ()
        return add(earlier, words, len(history), self._parameters)

    async def _predict(self, partner: str, bank: Bank, history: Sequence[Interaction]) -> Foreseen | None:
        """Step 4: asks in one question what each hypothesis predicts, and stores the predictions.

        If a hypothesis is validated, it alone is asked about; else all are, and the newest, which is the last, is acted
        on (section 3.2).
        """
        proven = validated(bank, self._parameters)
        hypotheses = (proven,) if proven else bank
        others = self._beliefs(partner)
        asked = self._mind.ask_prediction(history, hypotheses, others=others, decides=self._is_last)
        self._owes_strategy = not self._is_last
        foreseen = await ask(self._model, asked) if hypotheses else None
        predictions = foreseen.behaviours if foreseen else (None,) * len(hypotheses)
        self._banks[partner] = with_predictions(bank, hypotheses, predictions)
        self._expected[partner] = predictions[-1] if predictions else None
        return foreseen

    async def _respond(self, foreseen: Foreseen | None) -> Strategy | None:
        """Step 5: decides on a strategy by a question of its own, or by the answer to step 4 in games without one.

        None without a valid answer, or if the same question was answered last. A question of its own waits until the
        agent can act, since its answer depends on where everybody is then. foreseen: the answer to step 4.
        """
        choice = self._choice()
        if choice is None:
            return foreseen.strategy if foreseen else None
        if not self._mind.can_act:
            self._is_due = True
            return None
        if self._answered is not None and self._mind.is_answered(choice.question, by=self._answered.question):
            return None
        strategy = await ask(self._model, choice)
        self._answered = choice if strategy else None
        return strategy

    def _choice(self) -> Asking[Strategy] | None:
        """What step 5 asks in a question of its own; None in games without one."""
        return self._mind.ask_choice([self._player_model(player) for player in self._mind.players])
