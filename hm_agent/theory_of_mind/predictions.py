"""Counts how often an agent's predictions of other players came true: literal Theory of Mind, measured during play."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hm_agent.core import Interaction

PREDICTED = "predictions"
"""The metric that counts the predictions that could be judged."""
RIGHT = "predictions_right"
"""The metric of the share of judged predictions that came true."""
BASE_RATE = "predictions_base_rate"
"""The metric of the share that would have come true if the best single behaviour in hindsight were always predicted."""

IsRight = Callable[[str, Interaction], bool | None]


class PredictionRecord:
    """The interactions that could judge a prediction which the agent acted on, each with whether it came true."""

    def __init__(self, is_right: IsRight) -> None:
        self._is_right = is_right
        self._judged: list[tuple[Interaction, bool]] = []

    def judge(self, prediction: str | None, interaction: Interaction) -> bool | None:
        """Counts and returns whether a prediction came true; None without one, or if the interaction doesn't tell."""
        right = None if prediction is None else self._is_right(prediction, interaction)
        if right is not None:
            self._judged.append((interaction, right))
        return right

    def metrics(self) -> Mapping[str, float]:
        """The three metrics; empty if nothing could be judged."""
        if not self._judged:
            return {}
        count = len(self._judged)
        return {
            PREDICTED: count,
            RIGHT: sum(right for _, right in self._judged) / count,
            BASE_RATE: self._right_of_best_constant() / count,
        }

    def _right_of_best_constant(self) -> int:
        """How many predictions would have come true if the best single behaviour in hindsight were always predicted."""
        interactions = [interaction for interaction, _ in self._judged]
        behaviours = {seen.behaviour for seen in interactions if seen.behaviour is not None}
        return max((sum(bool(self._is_right(name, seen)) for seen in interactions) for name in behaviours), default=0)
