"""Predicts the behaviour of many players: each from its own past, unknown ones from the others'.

A player's life lasts from one of its interactions, after which it respawns, to the next. Its kind is the behaviour that
it plays or collects for in a life.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from operator import mul

from hm_agent.grouping import grouped
from hm_agent.repeated_games.payoffs import Shares
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.game import shared_fields
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    TYPICAL,
    choose_partners,
    is_worthwhile,
    pure_inventory,
    steps_to_find,
)
from hm_agent.worlds.melting_pot.games.matrix.pickups import RESPAWN_GAP
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import (
    ACCURACY_PRIOR,
    likeliest_strategy,
    pickup_reliability,
    predict_behaviour,
    strategy_from_words,
    update_on_pickups,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules
from hm_agent.worlds.melting_pot.games.matrix.seat import AmongMany, MatrixSeat, OtherPlayer

POPULATION_PSEUDO_COUNT = 1.0
"""The pseudo-count of players of each kind in the estimate of the population."""
TYPICAL_PSEUDO_COUNT = 2
"""The number of pseudo-interactions with players who held TYPICAL units, in the estimate of their count."""

STEPS_PER_LIFE = 150.0
"""The mean length of a life."""
RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98)
"""The candidate probabilities that a player keeps its kind from one life to the next rather than draws a new one."""
LAST_RATE_PRIOR = 10.0
"""The prior weight of the last rate, relative to any other."""


@dataclass(frozen=True, slots=True)
class Opponent(OtherPlayer):
    """A player with the interactions with it. believed: the words of the hypothesis about it, None if there is none."""

    history: tuple[MatrixInteraction, ...] = ()
    believed: str | None = None


def opponents_of(
    seat: MatrixSeat, history: Iterable[MatrixInteraction], believed: Mapping[str, str | None] | None = None
) -> list[Opponent]:
    """All others. history: with any of them. believed: by player; by default the likeliest hypothesis of each."""
    met = grouped((interaction.partner, interaction) for interaction in history)
    if believed is None:
        known = [each.player for each in seat.others if each.player in met]
        believed = {player: likeliest_strategy(seat.rules, met[player], ()).words for player in known}
    return [
        Opponent(**shared_fields(each), history=tuple(met.get(each.player, ())), believed=believed.get(each.player))
        for each in seat.others
    ]


def lives_between(former: int, later: int) -> float:
    """The expected number of lives between two steps in different lives, at least one."""
    return max(1.0, (later - former) / STEPS_PER_LIFE)


def lives_since(step: int, now: int) -> float:
    """The expected number of lives between two steps that may be in the same life."""
    return max(0.0, (now - step - RESPAWN_GAP) / STEPS_PER_LIFE)


@dataclass(frozen=True)
class KindPersistence:
    """A Bayesian estimate of the rate at which the players of a population keep their kinds.

    kinds: the number of kinds. pairs: for each two successive known lives of a player, whether the kind was the same,
    and the number of lives between them.
    """

    kinds: int
    pairs: tuple[tuple[bool, float], ...]

    @cached_property
    def _weights(self) -> Sequence[float]:
        """The posterior probability of each rate."""
        prior = [1.0] * (len(RATES) - 1) + [LAST_RATE_PRIOR]
        likelihoods = [prod(self._likelihood(rate, *pair) for pair in self.pairs) for rate in RATES]
        weights = [before * likelihood for before, likelihood in zip(prior, likelihoods, strict=True)]
        return [weight / sum(weights) for weight in weights]

    def _likelihood(self, rate: float, same: bool, lives: float) -> float:
        """The probability of one particular kind after a number of lives: of the same one, or of one of the others."""
        kept: float = rate**lives
        return kept * same + (1 - kept) / self.kinds

    def same_kind(self, lives: float) -> float:
        """The probability that a player is of the same kind after a number of lives."""
        return sum(
            weight * self._likelihood(rate, True, lives) for rate, weight in zip(RATES, self._weights, strict=True)
        )

    def distribution(self, kind: int, lives: float) -> Shares:
        """The distribution over a player's kinds a number of lives after it was of a known one."""
        same = self.same_kind(lives)
        return tuple(same if n == kind else (1 - same) / (self.kinds - 1) for n in range(self.kinds))

    def propagate(self, probabilities: Shares, lives: float) -> Shares:
        """What a distribution over kinds becomes after a number of lives."""
        rows = [self.distribution(kind, lives) for kind in range(self.kinds)]
        return tuple(sum(map(mul, probabilities, column)) for column in zip(*rows, strict=True))


def predict_all(rules: MatrixRules, opponents: Sequence[Opponent], step: int) -> Mapping[str, Shares]:
    """The distribution over each player's next behaviour. step: the present one."""
    persistence = KindPersistence(
        len(rules.behaviours), tuple(pair for each in opponents for pair in _kind_changes(rules, each))
    )
    reliability = pickup_reliability(rules, (interaction for each in opponents for interaction in each.history))
    predicted = {each.player: _predict_one(rules, each, persistence, reliability, step) for each in opponents}
    known = {player: shares for player, shares in predicted.items() if shares}
    weights = [
        POPULATION_PSEUDO_COUNT + sum(probabilities[n] for probabilities in known.values())
        for n in range(len(rules.behaviours))
    ]
    population = tuple(weight / sum(weights) for weight in weights)
    return {opponent.player: known.get(opponent.player, population) for opponent in opponents}


def _kind_changes(rules: MatrixRules, opponent: Opponent) -> Iterator[tuple[bool, float]]:
    """For each two successive known lives of a player: whether its kind is the same, and the lives between."""
    lives, present = _past_lives(rules, opponent), opponent.present
    main = argmax(present.taken) if present else None
    if present and main is not None:
        lives = [*lives, (present.step, main)]
    for (former, former_kind), (later, later_kind) in pairwise(lives):
        yield former_kind == later_kind, lives_between(former, later)


def _past_lives(rules: MatrixRules, opponent: Opponent) -> list[tuple[int, int]]:
    """The past lives of a player whose kind is known: the step at which each ended or was last seen, and the kind."""
    played = ((each.step, each.behaviour) for each in opponent.history)
    by_interaction = [(step, rules.behaviours.index(behaviour)) for step, behaviour in played if behaviour is not None]
    by_pickups = [(life.step, main) for life in opponent.former if (main := argmax(life.taken)) is not None]
    return sorted([*by_interaction, *by_pickups])


def _predict_one(
    rules: MatrixRules, opponent: Opponent, persistence: KindPersistence, reliability: float, step: int
) -> Shares | None:
    """A player's distribution from its past lives and its present pickups; None if neither is known.

    reliability: from `pickup_reliability`, over all players.
    """
    before = _predict_from_past(rules, opponent, persistence, step)
    if opponent.present is None:
        return before
    uniform = (1 / len(rules.behaviours),) * len(rules.behaviours)
    updated = update_on_pickups(before or uniform, opponent.present.taken, reliability)
    return persistence.propagate(updated, lives_since(opponent.present.step, step))


def _predict_from_past(
    rules: MatrixRules, opponent: Opponent, persistence: KindPersistence, step: int
) -> Shares | None:
    """A player's distribution from its past lives: by its strategy if the latest life ended in an interaction."""
    lives = _past_lives(rules, opponent)
    if not lives:
        return None
    latest, kind = lives[-1]
    between = lives_between(latest, step)
    if opponent.history and opponent.history[-1].step >= latest:
        strategy, total = strategy_from_words(opponent.believed or "", rules, opponent.history), ACCURACY_PRIOR[1]
        prior = total * persistence.same_kind(between), total
        return predict_behaviour(strategy, rules, opponent.history, None, prior)
    return persistence.distribution(kind, between)


def choice_among(seat: MatrixSeat, opponents: Sequence[Opponent], lead: int | None = None) -> AmongMany:
    """Whom of these players to meet, and what to hold then; watches if nobody is worth it.

    lead: as in `choose_partners`.
    """
    rules, held, predictions = seat.rules, seat.held, predict_all(seat.rules, opponents, seat.step)
    search = steps_to_find({opponent.player: opponent.seen for opponent in opponents}, seat.step)
    best = choose_partners(rules, predictions, inventories_held(rules, opponents), held, search, lead)
    if not is_worthwhile(rules, best, held):
        return AmongMany(hold=rules.by_name(held), watch=True)
    return AmongMany(seek=list(best.seek), hold=rules.by_name(best.target))


def inventories_held(rules: MatrixRules, opponents: Iterable[Opponent]) -> tuple[Counts, ...]:
    """For each pure strategy the inventory to expect, with the mean count of the main resource among these players."""
    interactions = (interaction for opponent in opponents for interaction in opponent.history)
    held = [max(interaction.other) for interaction in interactions if interaction.behaviour is not None]
    count = round((TYPICAL_PSEUDO_COUNT * TYPICAL + sum(held)) / (TYPICAL_PSEUDO_COUNT + len(held)))
    return tuple(pure_inventory(rules, played, count) for played in range(len(rules.behaviours)))
