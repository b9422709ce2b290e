"""What to expect of many others: of each by its own, and of those not known yet by all that are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from hm_agent.core import Counts, Hypothesis
from hm_agent.worlds.melting_pot.games.matrix.best_response import TYPICAL, Distribution, pure_inventory
from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import Strategy
from hm_agent.worlds.melting_pot.games.matrix.partner_choice import Meeting, best_meeting, steps_to_find
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import Opponent
from hm_agent.worlds.melting_pot.games.matrix.reasoner.evidence import TRUSTED, expectation, in_view_of, likeliest
from hm_agent.worlds.melting_pot.games.matrix.reasoner.library import strategy_of
from hm_agent.worlds.melting_pot.games.matrix.reasoner.steadiness import Steadiness, lives_between, lives_since
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules

OPENNESS = 1.0
"""How many imagined players of each behaviour keep the view of the population open."""
IMAGINED = 2
"""How many imagined interactions with players who held a typical count come before the real ones."""


def outlooks(rules: Rules, opponents: Sequence[Opponent], step: int) -> Mapping[str, Distribution]:
    """How likely each behaviour is next, by player. step: the present one."""
    steadiness = Steadiness(len(rules.behaviours), tuple(pair for each in opponents for pair in _changes(rules, each)))
    known = {each.player: odds for each in opponents if (odds := _by_its_own(rules, each, steadiness, step))}
    population = _population(rules, list(known.values()))
    return {opponent.player: known.get(opponent.player, population) for opponent in opponents}


def _changes(rules: Rules, opponent: Opponent) -> Iterator[tuple[bool, float]]:
    """From each life of a player that is known to the next: whether its kind is the same, and the lives between."""
    for (former, was), (later, became) in pairwise([*_lives(rules, opponent), *_present(opponent)]):
        yield was == became, lives_between(former, later)


def _lives(rules: Rules, opponent: Opponent) -> list[tuple[int, int]]:
    """When each life that is over ended or was last seen, and of which kind it was, as far as that is known."""
    met = ((each.step, each.behaviour) for each in opponent.history)
    known = [(step, rules.behaviours.index(behaviour)) for step, behaviour in met if behaviour is not None]
    seen = [(life.step, main) for life in opponent.former if (main := argmax(life.taken)) is not None]
    return sorted([*known, *seen])


def _present(opponent: Opponent) -> list[tuple[int, int]]:
    """The same of its present life."""
    main = argmax(opponent.present.taken) if opponent.present else None
    return [(opponent.present.step, main)] if opponent.present and main is not None else []


def _by_its_own(rules: Rules, opponent: Opponent, steadiness: Steadiness, step: int) -> Distribution | None:
    """What a player's own doings tell; None where nothing is known of it."""
    before = _by_its_past(rules, opponent, steadiness, step)
    if opponent.present is None:
        return before
    then = in_view_of(before or (1 / len(rules.behaviours),) * len(rules.behaviours), opponent.present.taken)
    return steadiness.later(then, lives_since(opponent.present.step, step))


def _by_its_past(rules: Rules, opponent: Opponent, steadiness: Steadiness, step: int) -> Distribution | None:
    """What its lives that are over tell."""
    lives = _lives(rules, opponent)
    if not lives:
        return None
    latest, kind = lives[-1]
    between = lives_between(latest, step)
    if opponent.history and opponent.history[-1].step >= latest:
        tested = TRUSTED[1]
        trust = tested * steadiness.stays(between), tested
        return expectation(_strategy(rules, opponent), opponent.history, None, trust)
    return steadiness.odds(kind, between)


def _strategy(rules: Rules, opponent: Opponent) -> Strategy:
    return strategy_of(opponent.hypothesis.words if opponent.hypothesis else "", rules, opponent.history)


def meeting_among(
    rules: Rules,
    opponents: Sequence[Opponent],
    odds: Mapping[str, Distribution],
    own: Counts,
    step: int,
    lead: int | None = None,
) -> Meeting:
    """The best one by what is expected of everybody. odds: as `outlooks` tells. lead: as of `best_meeting`."""
    search = steps_to_find({opponent.player: opponent.seen for opponent in opponents}, step)
    return best_meeting(rules, odds, expected_of(rules, opponents), own, search, lead)


def _population(rules: Rules, known: Sequence[Distribution]) -> Distribution:
    """What to expect of somebody unknown: players come in kinds."""
    weights = [OPENNESS + sum(odds[n] for odds in known) for n in range(len(rules.behaviours))]
    return tuple(weight / sum(weights) for weight in weights)


def opponents_in(rules: Rules, history: Iterable[MatrixInteraction]) -> list[Opponent]:
    """Everybody that was met, with what explains best what it did."""
    by_player: dict[str, tuple[MatrixInteraction, ...]] = {}
    for encounter in history:
        by_player[encounter.partner] = (*by_player.get(encounter.partner, ()), encounter)
    return [thought_of(rules, stranger(player, met)) for player, met in by_player.items()]


def stranger(player: str, history: tuple[MatrixInteraction, ...] = ()) -> Opponent:
    """Somebody of whom nothing is thought yet."""
    return Opponent(player, history, None, None)


def thought_of(rules: Rules, opponent: Opponent) -> Opponent:
    """With the likeliest explanation of what it did, if it was ever met."""
    if not opponent.history:
        return opponent
    return replace(opponent, hypothesis=Hypothesis(likeliest(rules, opponent.history, ()).words))


def expected_of(rules: Rules, opponents: Iterable[Opponent]) -> tuple[Counts, ...]:
    """What will be held for each behaviour: as much of it as any player of these was found to hold of its own."""
    met = (encounter for opponent in opponents for encounter in opponent.history)
    held = [max(encounter.other) for encounter in met if encounter.behaviour is not None]
    count = round((IMAGINED * TYPICAL + sum(held)) / (IMAGINED + len(held)))
    return tuple(pure_inventory(rules, played, count) for played in range(len(rules.behaviours)))
