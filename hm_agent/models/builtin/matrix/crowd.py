"""What to expect of many others: of each by its own, and of those not known yet by all that are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from hm_agent.core import Counts, Hypothesis
from hm_agent.games.matrix.counters import Odds, expected_inventories
from hm_agent.games.matrix.questions.minds import Opponent
from hm_agent.games.matrix.rules import Encounter, Rules
from hm_agent.games.matrix.strategies import Strategy
from hm_agent.models.builtin.matrix.evidence import TRUSTED, expectation, in_view_of, likeliest
from hm_agent.models.builtin.matrix.library import strategy_of

OPENNESS = 1.0
"""How many imagined players of each behaviour keep the view of the population open."""


def outlooks(rules: Rules, opponents: Sequence[Opponent]) -> Mapping[str, Odds]:
    """How likely each behaviour is next, by player."""
    trust = _trust_in_players(opponents)
    known = {opponent.player: odds for opponent in opponents if (odds := _by_its_own(rules, opponent, trust))}
    population = _population(rules, list(known.values()))
    return {opponent.player: known.get(opponent.player, population) for opponent in opponents}


def _trust_in_players(opponents: Sequence[Opponent]) -> tuple[float, float]:
    """How steady players have been, over all of them: where many change, so may the next."""
    right, tested = TRUSTED
    for opponent in opponents:
        played = [encounter.behaviour for encounter in opponent.history if encounter.behaviour is not None]
        right += sum(before == after for before, after in pairwise(played))
        tested += max(0, len(played) - 1)
    return right, tested


def _strategy(rules: Rules, opponent: Opponent) -> Strategy:
    return strategy_of(opponent.hypothesis.words if opponent.hypothesis else "", rules, opponent.history)


def _by_its_own(rules: Rules, opponent: Opponent, trust: tuple[float, float]) -> Odds | None:
    """What a player's own doings tell; None where nothing is known of it. trust: in what is thought of players."""
    if opponent.history:
        return expectation(_strategy(rules, opponent), opponent.history, opponent.taken, trust)
    if opponent.taken and any(opponent.taken):
        return in_view_of((1 / len(rules.behaviours),) * len(rules.behaviours), opponent.taken)
    return None


def _population(rules: Rules, known: Sequence[Odds]) -> Odds:
    """What to expect of somebody unknown: players come in kinds."""
    weights = [OPENNESS + sum(odds[n] for odds in known) for n in range(len(rules.behaviours))]
    return tuple(weight / sum(weights) for weight in weights)


def opponents_in(rules: Rules, history: Iterable[Encounter]) -> list[Opponent]:
    """Everybody that was met, with what explains best what it did."""
    by_player: dict[str, tuple[Encounter, ...]] = {}
    for encounter in history:
        by_player[encounter.partner] = (*by_player.get(encounter.partner, ()), encounter)
    return [thought_of(rules, stranger(player, met)) for player, met in by_player.items()]


def stranger(player: str, history: tuple[Encounter, ...] = ()) -> Opponent:
    """Somebody of whom nothing is thought yet."""
    return Opponent(player, history, None, None, None)


def thought_of(rules: Rules, opponent: Opponent) -> Opponent:
    """With the likeliest explanation of what it did, if it was ever met."""
    if not opponent.history:
        return opponent
    return replace(opponent, hypothesis=Hypothesis(likeliest(rules, opponent.history, ()).words))


def expected_of(rules: Rules, opponents: Iterable[Opponent]) -> tuple[Counts, ...]:
    """What will be held for each behaviour, by all interactions with these."""
    return expected_inventories(rules, [encounter for opponent in opponents for encounter in opponent.history])
