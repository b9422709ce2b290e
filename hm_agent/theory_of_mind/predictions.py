"""Counts how often an agent's predictions of other players came true: literal Theory of Mind, measured during play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import log

from hm_agent.core import Interaction, Strategy
from hm_agent.theory_of_mind.mind import BasicMind

PREDICTED = "predictions"
"""The metric that counts the predictions that could be judged."""
RIGHT = "predictions_right"
"""The metric of the share of judged predictions that came true."""
BASE_RATE = "predictions_base_rate"
"""The metric of the share that would have come true if the best single behaviour in hindsight were always predicted."""
FROM_PREDICTIONS = "agents that predict are measured, e.g. hypothetical_minds"
"""Which agents have these metrics."""

LOG_LOSS, BRIER = "predictions_log_loss", "predictions_brier"
"""The metrics of two proper scores of predictions as chances, means in nats and from 0 to 2; the least is the best.

A prediction without chances counts as certain. Both are 0 only for what was certain and came true.
"""
LOG_LOSS_BASE, BRIER_BASE = "predictions_log_loss_base", "predictions_brier_base"
"""The metrics of the same scores if the shares of behaviours in hindsight had always been given as chances."""
LEAST_CHANCE = 0.01
"""The chance that counts for what was held impossible and came all the same, so that no logarithm is infinite."""

BINS = 10
"""How many bins of equal width sort the chances that were given by their size."""


def bin_names(place: int) -> tuple[str, str, str]:
    """The metrics of a bin, 0 for the smallest: how many chances it has, their sum, and how many of these came."""
    name = f"predictions_chances_{place}"
    return name, f"{name}_sum", f"{name}_came"


IsRight = Callable[[str, Interaction], bool | None]


@dataclass(frozen=True, slots=True)
class _Judged:
    """An interaction, whether the prediction of it came true, and the chances that were given.

    came: of each behaviour that came. others: of each that did not; what all leave to 1 is anything else.
    """

    interaction: Interaction
    right: bool
    came: tuple[float, ...]
    others: tuple[float, ...]

    @property
    def chance(self) -> float:
        """The chance of what came."""
        return sum(self.came)

    @property
    def log_loss(self) -> float:
        return -log(max(self.chance, LEAST_CHANCE))

    @property
    def given(self) -> list[tuple[float, bool]]:
        """Each chance that was given, and whether that behaviour came."""
        return [*((chance, True) for chance in self.came), *((chance, False) for chance in self.others)]

    @property
    def brier(self) -> float:
        """The sum over behaviours of the squared difference between the chance and what came, 1 or 0."""
        anything_else = 1 - self.chance - sum(self.others)
        return (1 - self.chance) ** 2 + sum(chance**2 for chance in (*self.others, anything_else))


class PredictionRecord:
    """The interactions that could judge a prediction which the agent acted on, and how well each was predicted."""

    def __init__(self, is_right: IsRight) -> None:
        self._is_right = is_right
        self._judged: list[_Judged] = []

    def judge(
        self, prediction: str | None, interaction: Interaction, chances: Mapping[str, float] | None = None
    ) -> bool | None:
        """Counts and returns whether a prediction came true; None without one, or if the interaction doesn't tell.

        chances: of each behaviour by its name, where the prediction is the likeliest; None if it was certain. An
        interaction may bear out several of them, whose chances add up.
        """
        right = None if prediction is None else self._is_right(prediction, interaction)
        if prediction is not None and right is not None:
            given = {prediction: 1.0} if chances is None else chances
            came = {name: bool(self._is_right(name, interaction)) for name in given}
            shares = (tuple(given[name] for name in given if came[name] is wanted) for wanted in (True, False))
            self._judged.append(_Judged(interaction, right, *shares))
        return right

    def metrics(self) -> Mapping[str, float]:
        """All metrics; empty if nothing could be judged."""
        if not self._judged:
            return {}
        count = len(self._judged)
        return {
            PREDICTED: count,
            RIGHT: sum(each.right for each in self._judged) / count,
            BASE_RATE: self._right_of_best_constant() / count,
            LOG_LOSS: sum(each.log_loss for each in self._judged) / count,
            BRIER: sum(each.brier for each in self._judged) / count,
            LOG_LOSS_BASE: -sum(share * log(share) for share in self._shares),
            BRIER_BASE: 1 - sum(share**2 for share in self._shares),
            **self._bins(),
        }

    def _bins(self) -> Mapping[str, float]:
        """The chances that were given, sorted by size, in the bins that have any."""
        bins: dict[str, float] = {}
        for chance, came in (given for each in self._judged for given in each.given):
            place = min(int(chance * BINS), BINS - 1)
            for name, more in zip(bin_names(place), (1, chance, came), strict=True):
                bins[name] = bins.get(name, 0) + more
        return bins

    @property
    def _shares(self) -> list[float]:
        """How often each behaviour was seen, as shares of all that were judged."""
        seen = Counter(each.interaction.behaviour for each in self._judged)
        return [count / len(self._judged) for count in seen.values()]

    def _right_of_best_constant(self) -> int:
        """How many predictions would have come true if the best single behaviour in hindsight were always predicted."""
        interactions = [each.interaction for each in self._judged]
        behaviours = {seen.behaviour for seen in interactions if seen.behaviour is not None}
        return max((sum(bool(self._is_right(name, seen)) for seen in interactions) for name in behaviours), default=0)


LEAD = 2
"""From how many more right predictions on the commonest behaviour so far is believed rather than the agent's own."""


class BaseRates:
    """What players were seen to do, and whether always expecting the commonest behaviour so far is right more often."""

    def __init__(self) -> None:
        self._came: dict[str, Counter[str]] = {}
        self._lead: dict[str, int] = {}
        """By player, how many more predictions of it the commonest behaviour so far had right than the agent had.

        At most LEAD either way, so that either side can make up for what was long ago.
        """

    def take(self, player: str, predicted: str | None, came: str | None) -> None:
        """Counts a behaviour, and compares the prediction of it with the commonest before it; the first of several."""
        if came is None:
            return
        seen = self._came.setdefault(player, Counter())
        if seen and predicted is not None:
            (commonest, _), *_ = seen.most_common(1)
            lead = self._lead.get(player, 0) + (came == commonest) - (came == predicted)
            self._lead[player] = max(-LEAD, min(LEAD, lead))
        seen[came] += 1

    def believed_of(self, player: str) -> Mapping[str, float] | None:
        """The shares of a player's behaviours so far, if the commonest leads by LEAD; None while it does not."""
        if self._lead.get(player, 0) < LEAD:
            return None
        seen = self._came[player]
        return {name: count / seen.total() for name, count in seen.items()}

    def response(self, mind: BasicMind, players: Iterable[str]) -> Strategy | None:
        """The first response of a mind to the base rates that are believed of these players; None without any."""
        rated = ((player, self.believed_of(player)) for player in players)
        responses = (mind.response_to_rates(player, rates) for player, rates in rated if rates)
        return next((response for response in responses if response), None)
