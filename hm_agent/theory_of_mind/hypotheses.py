"""Pure functions that score, rank and keep hypotheses (Hypothetical Minds, section 3.2 and appendix C.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hm_agent.core import Hypothesis
from hm_agent.flags.fields import flag_field


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """Learning rate α, reward c of a right prediction, the value that validates a hypothesis, and top k (table 2)."""

    learning_rate: float = 0.3
    reward: float = 1.0
    threshold: float = 0.7
    top_k: int = 5


TABLE_2 = Hyperparameters()
"""The paper's hyperparameters for hypotheses that are scored by their predictions."""
TABLE_3 = Hyperparameters(reward=3.0, threshold=3.0)
"""The paper's hyperparameters for strategies that are evaluated by reward; `reward` is the counterfactual reward."""


@dataclass(frozen=True)
class Parameters:
    """The hyperparameters of Theory of Mind, each named as its flag."""

    learning_rate: float = flag_field(
        TABLE_2.learning_rate, "The learning rate of hypothesis values (table 2: alpha).", lower=0, upper=1
    )
    intrinsic_reward: float = flag_field(TABLE_2.reward, "The reward for a right prediction (table 2: c).", lower=0)
    threshold: float = flag_field(TABLE_2.threshold, "The value that validates a hypothesis (table 2).")
    top_k: int = flag_field(TABLE_2.top_k, "How many hypotheses are kept in play (table 2: k).", lower=1)
    counterfactual_reward: float = flag_field(
        TABLE_3.reward, "he_hr's reward for a strategy that would have paid (table 3: c).", lower=0
    )
    reward_threshold: float = flag_field(TABLE_3.threshold, "The value that validates a strategy of he_hr (table 3).")

    @property
    def by_prediction(self) -> Hyperparameters:
        """Those of hypotheses that are scored by their predictions."""
        return Hyperparameters(self.learning_rate, self.intrinsic_reward, self.threshold, self.top_k)

    @property
    def by_reward(self) -> Hyperparameters:
        """Those of strategies that are evaluated by reward."""
        return Hyperparameters(self.learning_rate, self.counterfactual_reward, self.reward_threshold, self.top_k)


BY_PREDICTION = frozenset({"learning_rate", "intrinsic_reward", "threshold", "top_k"})
"""The hyperparameters that `Parameters.by_prediction` has."""
BY_REWARD = frozenset({"learning_rate", "counterfactual_reward", "reward_threshold", "top_k"})
"""Those that `Parameters.by_reward` has."""

Bank = tuple[Hypothesis, ...]
"""The hypotheses about one player in the order they were proposed, the newest last."""


def towards(value: float, reward: float, learning_rate: float) -> float:
    """Returns the value after one Rescorla–Wagner step towards a reward: V + α(r − V) (section 3.2)."""
    return value + learning_rate * (reward - value)


def score(bank: Bank, is_right: Callable[[str], bool | None], parameters: Hyperparameters) -> Bank:
    """Updates each hypothesis by its own prediction: V + α(±c − V) (table 2); clears it, so that it is scored once.

    is_right: whether a prediction came true; None if that can't be told, which leaves the value unchanged.
    """
    return tuple(_update_by_prediction(hypothesis, is_right, parameters) for hypothesis in bank)


def _update_by_prediction(
    hypothesis: Hypothesis, is_right: Callable[[str], bool | None], parameters: Hyperparameters
) -> Hypothesis:
    correct = is_right(hypothesis.prediction) if hypothesis.prediction is not None else None
    if correct is None:
        return replace(hypothesis, prediction=None)
    reward = parameters.reward if correct else -parameters.reward
    value = towards(hypothesis.value, reward, parameters.learning_rate)
    right, tested = hypothesis.right + correct, hypothesis.tested + 1
    return replace(hypothesis, value=value, prediction=None, right=right, tested=tested)


def validated(bank: Bank, parameters: Hyperparameters) -> Hypothesis | None:
    """The most valuable hypothesis if it meets the threshold; it loses validation as soon as its value falls below."""
    best = max(bank, key=lambda hypothesis: hypothesis.value, default=None)
    return best if best and best.value >= parameters.threshold else None


def believed(bank: Bank, parameters: Hyperparameters) -> Hypothesis | None:
    """The hypothesis to act on: the validated one, else the newest (section 3.2)."""
    return validated(bank, parameters) or (bank[-1] if bank else None)


def best_earlier(bank: Bank, parameters: Hyperparameters) -> Bank:
    """The hypotheses that refinement is shown: those of the top k with a value above 0, the best first."""
    return tuple(hypothesis for hypothesis in ranked(bank)[: parameters.top_k] if hypothesis.value > 0)


def ranked(bank: Bank) -> Bank:
    """Sorts hypotheses by value, the highest first; among equals, the newest first."""
    newest_first = sorted(enumerate(bank), key=lambda entry: (-entry[1].value, -entry[0]))
    return tuple(hypothesis for _, hypothesis in newest_first)


def find(bank: Bank, words: str) -> Hypothesis | None:
    """The hypothesis with these words, apart from case, spacing and punctuation; None if there is none."""
    return next((hypothesis for hypothesis in bank if _key(hypothesis.words) == _key(words)), None)


def _key(words: str) -> str:
    return "".join(letter for letter in words.casefold() if letter.isalnum())


def add(bank: Bank, words: str, born: int, parameters: Hyperparameters) -> Bank:
    """Makes `words` the newest hypothesis and keeps the top k of the others; repeated words keep their value."""
    known = find(bank, words)
    others = tuple(hypothesis for hypothesis in bank if hypothesis is not known)
    top_others = ranked(others)[: parameters.top_k]
    newest = known or Hypothesis(words, born=born)
    return (*(hypothesis for hypothesis in others if hypothesis in top_others), newest)


def with_predictions(bank: Bank, predictors: Sequence[Hypothesis], predictions: Sequence[str | None]) -> Bank:
    """Returns the bank with a new prediction for each hypothesis in `predictors` and none for the others."""
    by_words = {hypothesis.words: prediction for hypothesis, prediction in zip(predictors, predictions, strict=True)}
    return tuple(replace(hypothesis, prediction=by_words.get(hypothesis.words)) for hypothesis in bank)
