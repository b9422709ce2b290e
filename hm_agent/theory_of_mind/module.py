"""The Theory of Mind module: five steps after every event (Hypothetical Minds, appendix C.3).

It is generic over games: what a behaviour is, and how the questions read, is the game's business (`Mindreading`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, Question, Words, answer_or_none, together
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
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.strategist import BaseStrategist, Understanding


class HypothesisAnswer(BaseModel):
    """A belief about another player's strategy."""

    reasoning: str = ""
    hypothesis: Words


@dataclass(frozen=True, slots=True)
class OpponentModel:
    """What is thought of one other player.

    hypothesis: the one to act on. expected: the behaviour it predicts. clue: the latest since the player was met.
    """

    player: str
    history: tuple[Interaction, ...] = ()
    hypothesis: Hypothesis | None = None
    expected: str | None = None
    clue: Clue | None = None


class Mindreading(Understanding, Protocol):
    """What a game tells the Theory of Mind. `understand` is its step 1."""

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> Question[HypothesisAnswer]: ...

    def ask_prediction(
        self, history: Sequence[Interaction], hypothesis: str | None, clue: Clue | None = None, *, certain: bool = False
    ) -> Question[Any]:
        """Step 4: what will the other do? certain: whether the hypothesis is known to be true.

        Where step 5 is not asked apart, also: what to do about it?
        """
        ...

    def predicted(self, answer: BaseModel) -> str | None:
        """The behaviour that an answer to `ask_prediction` predicts."""
        ...

    def ask_choice(self, outlooks: Sequence[OpponentModel]) -> Question[Any] | None:
        """Step 5: what to do, by what is thought of everybody? None where `ask_prediction` has asked for it."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What of the module is there; ablations leave some of it out (section 4.5).

    evaluation: hypotheses are kept, scored, and one alone is believed once it is validated. refinement: new ones are
    made in view of the best earlier ones.
    """

    evaluation: bool = True
    refinement: bool = True


class TheoryOfMind(BaseStrategist[Mindreading]):
    """A strategist that hypothesises about the others, with a stream of hypotheses for each of them."""

    def __init__(
        self,
        game: Mindreading,
        model: Model,
        memory: InteractionMemory,
        parameters: Hyperparameters,
        parts: Parts = Parts(),
    ) -> None:
        super().__init__(game, model, memory)
        self._parameters, self._parts = parameters, parts
        self._banks: dict[str, Bank] = {}
        self._expected: dict[str, str | None] = {}
        """The behaviour that the present strategy answers, by player."""
        self._clues: dict[str, Clue] = {}

    @property
    def hypotheses(self) -> Bank:
        """What is thought about the player met last."""
        return self._banks.get(self.about, ()) if self.about else ()

    @property
    def validated(self) -> Hypothesis | None:
        return validated(self.hypotheses, self._parameters)

    async def _think(self) -> Strategy | None:
        """A first strategy."""
        answer = await self._ask(self._choice() or self._game.ask_prediction((), None))
        return self._game.strategy(answer, informed=False) if answer else None

    async def _digest(self, evidence: Interaction) -> Strategy | None:
        """Steps 2 to 5, with the stream of hypotheses about the player just met."""
        self._clues.pop(evidence.partner, None)
        history = self._memory.of(evidence.partner)
        bank = self._banks.get(evidence.partner, ())
        if self._parts.evaluation:
            bank = score(bank, evidence.behaviour, self._parameters)
        if validated(bank, self._parameters) is None:
            bank = await self._refined(bank, history)
        return await self._decided(await self._predicted(evidence.partner, bank, history))

    async def _follow(self, clue: Clue) -> Strategy | None:
        """Thinks the strategy over where a clue speaks against what is expected; no hypothesis is scored by it."""
        self._clues[clue.partner] = clue
        if self._choice() is not None:
            return await self._follow_among_many(clue)
        if clue.suggests in (None, self._expected.get(clue.partner)):
            return None
        hypothesis = self._believed(clue.partner)
        words = hypothesis.words if hypothesis else None
        answer = await self._ask(self._game.ask_prediction(self._memory.of(clue.partner), words, clue))
        if answer is None:
            return None
        self._expected[clue.partner] = self._game.predicted(answer)
        return self._game.strategy(answer, informed=True)

    async def _follow_among_many(self, clue: Clue) -> Strategy | None:
        """Chooses anew, also where a clue confirms what was uncertain, or tells where somebody is."""
        if clue.suggests is not None:
            self._expected[clue.partner] = clue.suggests
        return await self._decided(None)

    async def _refined(self, bank: Bank, history: Sequence[Interaction]) -> Bank:
        """Step 3: a new hypothesis, or a better form of an old one; the bank as it is where none came."""
        best = best_earlier(bank, self._parameters) if self._parts.refinement else ()
        answer = await answer_or_none(self._model, self._game.ask_hypothesis(history, best))
        if answer is None:
            return bank
        kept = bank if self._parts.evaluation else ()
        return add(kept, answer.hypothesis, len(history), self._parameters)

    async def _predicted(self, partner: str, bank: Bank, history: Sequence[Interaction]) -> BaseModel | None:
        """Step 4: what each hypothesis predicts; the answer of the one that is believed.

        A validated hypothesis is asked alone; else all are, the newest last (section 3.2).
        """
        proven = validated(bank, self._parameters)
        asked = (proven,) if proven else bank
        answers = await together(self._ask(self._game.ask_prediction(history, each.words)) for each in asked)
        predictions = [self._game.predicted(answer) if answer else None for answer in answers]
        self._banks[partner] = with_predictions(bank, asked, predictions)
        self._expected[partner] = predictions[-1] if predictions else None
        return answers[-1] if answers else None

    async def _decided(self, predicted: BaseModel | None) -> Strategy | None:
        """Step 5: the strategy, by a question of its own or by the answer to step 4; None where no answer came."""
        choice = self._choice()
        answer = predicted if choice is None else await self._ask(choice)
        return self._game.strategy(answer, informed=True) if answer else None

    def _choice(self) -> Question[Any] | None:
        return self._game.ask_choice([self._outlook(player) for player in self._game.players])

    def _outlook(self, player: str) -> OpponentModel:
        expected, clue = self._expected.get(player), self._clues.get(player)
        return OpponentModel(player, self._memory.of(player), self._believed(player), expected, clue)

    def _believed(self, player: str) -> Hypothesis | None:
        return believed(self._banks.get(player, ()), self._parameters)

    async def _ask(self, question: Question[Any]) -> BaseModel | None:
        answer: BaseModel | None = await answer_or_none(self._model, question)
        return answer
