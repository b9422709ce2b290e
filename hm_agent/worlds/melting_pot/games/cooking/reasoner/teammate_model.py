"""Models of the teammate: inference over the strategies it may follow, and a simulation of what it does to the pots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from hm_agent.core import Hypothesis
from hm_agent.worlds.melting_pot.games.cooking.activities import KitchenInteraction, Pace, tempo_of
from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    DISH,
    EVERYTHING,
    LOADS,
    PROMPTLY,
    ROLES,
    SERVES,
    SLOWLY,
    STANDS,
    TOMATO,
    behaviour_of,
)
from hm_agent.worlds.melting_pot.games.cooking.plan_questions import PlanCooking

DISCOUNT = 0.8
"""The weight of each round relative to the next one: cooks change their strategies."""
LOG_ODDS_PER_VALUE = 2.0
"""The log odds that a hypothesis gains for each point of its value."""
ALWAYS, MOSTLY, AGAIN = 0.9, 0.65, 0.75
"""The probability that each kind of strategy predicts a round correctly."""

PARTS = {
    LOADS: "loads pots with tomatoes and leaves serving to me",
    SERVES: "serves: it fetches dishes, takes soup and delivers it, and leaves loading to me",
    EVERYTHING: "does everything: it loads pots and serves soup",
    STANDS: "stands around and does nothing useful",
}
LAPSES = {
    LOADS: "loads pots, but slowly or not in every round",
    SERVES: "serves soup, but slowly or not in every round",
    EVERYTHING: "does a bit of everything, slowly and in no steady order",
    STANDS: "mostly stands around and seldom helps",
}

NEVER = 1_000_000
"""The step at which the soup of a pot that is not full will be ready."""
LOADING, SERVING = 10, 10
"""The prior mean of the steps a teammate takes to fill room with a tomato, and to take soup that is ready."""
PSEUDO_COUNT = 2
"""The number of tomatoes and soups that this prior mean counts for."""
BRIEF = 3
"""The least number of steps until a teammate that holds what it needs uses it."""

Content = tuple[int, int]
"""The number of tomatoes in a pot, and the step at which its soup is ready, NEVER while it is not full."""
Contents = tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class TeammateStrategy:
    """A strategy of the teammate. role: its role in every round, None for the role it had in the round before.

    prior: its log odds before any evidence. tempo: its tempo in every round, None for the one measured.
    """

    words: str
    role: str | None
    reliability: float
    prior: float
    tempo: str | None = None

    def predict(self, history: Sequence[KitchenInteraction]) -> str | None:
        """The role in the next round; None if no earlier role is known."""
        return self.role or next((known.behaviour for known in reversed(history) if known.behaviour), None)


LIBRARY = (
    *(TeammateStrategy(f"The teammate {PARTS[role]}.", role, ALWAYS, 0.0) for role in ROLES),
    *(TeammateStrategy(f"The teammate {LAPSES[role]}.", role, MOSTLY, -0.7, SLOWLY) for role in ROLES),
    TeammateStrategy("The teammate does again what it did in the round before.", None, AGAIN, -1.0),
)


def likeliest_strategy(history: Sequence[KitchenInteraction], best: Sequence[Hypothesis]) -> TeammateStrategy:
    """The strategy with the highest posterior probability after these rounds. best: as in `posterior`."""
    chances = posterior(history, best)
    return max(LIBRARY, key=lambda strategy: chances[strategy])


def posterior(history: Sequence[KitchenInteraction], best: Sequence[Hypothesis]) -> Mapping[TeammateStrategy, float]:
    """The probability of each strategy after these rounds.

    best: the earlier hypotheses that predicted best. Their values add to their log odds, since a correct prediction is
    stronger evidence than a good fit in hindsight.
    """
    values = {hypothesis.words: hypothesis.value for hypothesis in best}
    weights = [DISCOUNT ** (len(history) - 1 - n) for n in range(len(history))]

    def log_odds(strategy: TeammateStrategy) -> float:
        """By the discounted log-likelihood of the teammate's roles; rounds of unknown role are left out."""
        chances = _likelihoods(strategy, history)
        fit = sum(weight * log(chance) for weight, chance in zip(weights, chances, strict=True) if chance)
        return strategy.prior + LOG_ODDS_PER_VALUE * values.get(strategy.words, 0.0) + fit

    odds = {strategy: exp(log_odds(strategy)) for strategy in LIBRARY}
    return {strategy: chance / sum(odds.values()) for strategy, chance in odds.items()}


def _likelihoods(strategy: TeammateStrategy, history: Sequence[KitchenInteraction]) -> Iterator[float]:
    """The probability of the role in each round under a strategy; 0 if the role is unknown."""
    for n, known in enumerate(history):
        predicted = strategy.predict(history[:n])
        right, others = strategy.reliability, len(ROLES) - 1
        if known.behaviour is None:
            yield 0.0
        elif predicted is None:
            yield 1 / len(ROLES)
        else:
            has_tempo = strategy.tempo is None or known.tempo in (None, strategy.tempo)
            yield right if predicted == known.behaviour and has_tempo else (1 - right) / others


def predict_behaviour(words: str | None, history: Sequence[KitchenInteraction], pace: Pace, limit: int) -> str:
    """The role and tempo that a hypothesis predicts; for unknown words the most common role so far.

    pace: the teammate's of late, by which the tempo is measured unless the hypothesis names one. limit: as in
    `tempo_of`.
    """
    strategy = next((strategy for strategy in LIBRARY if strategy.words == words), None)
    seen = Counter(known.behaviour for known in history if known.behaviour)
    commonest = seen.most_common(1)[0][0] if seen else EVERYTHING
    role = (strategy.predict(history) if strategy else None) or commonest
    tempo = (strategy.tempo if strategy else None) or tempo_of(role, pace, limit) or PROMPTLY
    return behaviour_of(role, tempo) or role


@dataclass(frozen=True, slots=True)
class SimulatedTeammate:
    """A teammate of a certain role and pace.

    loading: the steps between its tomatoes. serving: the steps from when a soup is ready to when it takes it. tomatoes:
    the number that fills a pot.
    """

    role: str | None
    loading: int
    serving: int
    tomatoes: int
    cooking_steps: int

    @property
    def loads(self) -> bool:
        return self.role in (LOADS, EVERYTHING)

    @property
    def serves(self) -> bool:
        return self.role in (SERVES, EVERYTHING)

    def next_act(self, pots: Contents, free: int) -> int:
        """The step at which it does something next, NEVER if it doesn't. free: as of `advance`."""
        taking = min(ready for _, ready in pots) + self.serving if self.serves and pots else NEVER
        return min(taking, free) if self.loads else taking

    def advance(self, pots: Contents, free: int, until: int) -> tuple[Contents, int, tuple[int, ...]]:
        """Simulates the teammate up to a step. free: the step at which it has its next tomato.

        Returns the pots, the step at which it has its next tomato, and the steps at which it took soups.
        """
        soups: tuple[int, ...] = ()
        if self.serves:
            for n, (_, ready) in enumerate(pots):
                taken = ready + self.serving
                if taken <= until:
                    pots, soups = replaced(pots, n, (0, NEVER)), (*soups, taken)
        if self.loads:
            while free <= until:
                room = [n for n, (count, _) in enumerate(pots) if count < self.tomatoes]
                if not room:
                    return pots, until, soups
                n = max(room, key=lambda n: pots[n][0])
                pots, free = self.filled(pots, n, free), free + self.loading
        return pots, free, soups

    def filled(self, pots: Contents, n: int, now: int) -> Contents:
        """The pots with one more tomato in pot n. now: the step of that."""
        count = pots[n][0] + 1
        return replaced(pots, n, (count, now + self.cooking_steps if count >= self.tomatoes else NEVER))


def replaced(pots: Contents, n: int, content: Content) -> Contents:
    """The pots with another content of pot n."""
    return (*pots[:n], content, *pots[n + 1 :])


def simulated_teammate(question: PlanCooking) -> tuple[SimulatedTeammate, int]:
    """The teammate with its expected role and its pace so far, and the steps until it has its next tomato."""
    rules, pace, seen = question.rules, question.pace, question.teammate
    hands = seen.hands if seen and question.step - seen.step <= BRIEF else None
    loading = _steps_each(pace.room, pace.tomatoes, LOADING)
    serving = _steps_each(pace.ready, pace.soups, SERVING)
    if hands == DISH:
        serving = max(BRIEF, serving // 2)
    teammate = SimulatedTeammate(question.expected, loading, serving, rules.tomatoes, rules.cooking_steps)
    return teammate, max(BRIEF, loading // 2) if hands == TOMATO else loading


def _steps_each(steps: int, times: int, prior_mean: int) -> int:
    return round((steps + PSEUDO_COUNT * prior_mean) / (times + PSEUDO_COUNT))
