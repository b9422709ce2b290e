"""The strategists of the paper's baselines and ablations (appendix D, section 4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, ask, together
from hm_agent.theory_of_mind.hypotheses import Bank, Hyperparameters, add, best_earlier, towards, validated
from hm_agent.theory_of_mind.mind import BasicMind, MindPrompting, Outcome, PlayerModel, StrategyMaking, StrategyValuing
from hm_agent.theory_of_mind.strategist import BaseStrategist

SIGNS: Mapping[Outcome, float] = {Outcome.POSITIVE: 1.0, Outcome.NEUTRAL: 0.0, Outcome.NEGATIVE: -1.0}


class Reactive(BaseStrategist[BasicMind]):
    """Decides on no strategy: every plan is made from the whole history of interactions (ReAct, appendix D.1)."""

    @property
    def history(self) -> Sequence[Interaction]:
        return self._memory.all

    async def _decide(self) -> Strategy:
        return self._mind.undecided()

    async def _on_interaction(self, interaction: Interaction) -> None:
        """Decides on nothing: planning sees the interaction in the memory."""


class HighLevelPlanner(BaseStrategist[StrategyMaking]):
    """Decides on a strategy after every interaction and every new clue, in one question (PlanReAct, appendix D.3)."""

    needs = (StrategyMaking,)

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        return await self._decide()

    async def _decide(self) -> Strategy | None:
        return await ask(self._model, self._mind.ask_strategy(self._memory.all, ()))


class VanillaMindPrompting(BaseStrategist[MindPrompting]):
    """A strategist that models the others and decides in one question after an event; it scores no hypothesis."""

    needs = (MindPrompting,)

    def __init__(self, mind: MindPrompting, model: Model) -> None:
        super().__init__(mind, model)
        self._hypotheses: dict[str, Hypothesis] = {}

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        return (self._hypotheses[self.about],) if self.about in self._hypotheses else ()

    def believed_about(self, player: str) -> Hypothesis | None:
        return self._hypotheses.get(player)

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        self._clues.pop(interaction.partner, None)
        self._expected.pop(interaction.partner, None)
        return await self._decide() if self._is_last else None

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """Decides again, as the clue contradicts the expected behaviour."""
        self._expected[clue.partner] = clue.suggests
        return await self._decide()

    async def _decide(self) -> Strategy | None:
        others = [
            PlayerModel(player, self._memory.of(player), clue=self._clues.get(player)) for player in self._mind.players
        ]
        read = await ask(self._model, self._mind.ask_minds(others))
        if read is None:
            return None
        self._hypotheses |= read.hypotheses
        self._expected |= {player: hypothesis.prediction for player, hypothesis in read.hypotheses.items()}
        return read.strategy


class EvaluatedStrategies(BaseStrategist[StrategyValuing]):
    """Keeps several strategies and follows the one that has paid best, once it is validated.

    The strategy in use is valued by the reward it earned, the others by what they would have paid.
    """

    needs = (StrategyValuing,)

    def __init__(self, mind: StrategyValuing, model: Model, parameters: Hyperparameters) -> None:
        super().__init__(mind, model)
        self._parameters = parameters
        self.threshold = parameters.threshold
        self._bank: Bank = ()
        self._applied: dict[str, Strategy] = {}
        """By the words of a strategy, what it amounts to in the present situation."""
        self._used: str | None = None

    @property
    def hypotheses(self) -> Bank:
        return self._bank

    @property
    def validated(self) -> Hypothesis | None:
        return validated(self._bank, self._parameters)

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        """Updates all values, then follows the validated strategy, or makes a new one if none is validated."""
        self._bank = tuple(await together(self._with_new_value(hypothesis, interaction) for hypothesis in self._bank))
        self._applied.clear()
        proven = self.validated
        if proven is None:
            return await self._decide()
        await self._apply([proven])
        applied = self._applied.get(proven.words)
        if applied is not None:
            self._used = proven.words
        return applied  # None if no valid answer came: the agent keeps its strategy

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """Asks after a new clue what the strategy in use amounts to; a clue changes no value."""
        used = next((hypothesis for hypothesis in self._bank if hypothesis.words == self._used), None)
        if used is None:
            return None
        await self._apply([used])
        return self._applied.get(used.words)

    async def _with_new_value(self, hypothesis: Hypothesis, interaction: Interaction) -> Hypothesis:
        """Returns the strategy with its value updated by an interaction; unchanged if its reward is unknown."""
        if hypothesis.words == self._used:
            reward: float | None = interaction.reward
        else:  # the counterfactual reward
            applied = self._applied.get(hypothesis.words)
            outcome = await ask(self._model, self._mind.ask_hindsight(interaction, applied)) if applied else None
            reward = SIGNS[outcome] * self._parameters.reward if outcome else None
        if reward is None:
            return hypothesis
        return replace(hypothesis, value=towards(hypothesis.value, reward, self._parameters.learning_rate))

    async def _decide(self) -> Strategy | None:
        """Asks for a new or refined strategy and puts it to use; None without a valid answer."""
        best = best_earlier(self._bank, self._parameters)
        strategy = await ask(self._model, self._mind.ask_strategy(self._memory.all, best))
        if strategy is None:
            return None
        self._bank = add(self._bank, strategy.words, len(self._memory.all), self._parameters)
        *others, newest = self._bank  # one that is repeated has the words that it was first given
        self._used = newest.words
        await self._apply(others)
        self._applied[newest.words] = strategy
        return strategy

    async def _apply(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Asks what each strategy amounts to in the present situation, and stores the answers."""
        asked = [self._mind.ask_application(self._memory.all, hypothesis.words) for hypothesis in hypotheses]
        strategies = await together(ask(self._model, each) for each in asked)
        for hypothesis, applied in zip(hypotheses, strategies, strict=True):
            if applied is not None:
                self._applied[hypothesis.words] = replace(applied, words=hypothesis.words)
