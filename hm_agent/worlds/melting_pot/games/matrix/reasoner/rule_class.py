"""The hypothesis space about an opponent: every rule of a general class, with a prior.

A rule is the likelier the shorter its description is, and the more it earns a player who follows it.

The class holds constants, answers to one past move of either player or to what the opponent saw, answers to two moves
at once, and changes from one rule to another that the agent's moves set off. No strategy of any known opponent has an
entry or a prior of its own; changes that nothing sets off are left to inference (`inference.RuleFilter`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from math import exp
from typing import NamedTuple

from hm_agent.repeated_games.payoffs import Side, Table
from hm_agent.worlds.melting_pot.games.matrix.moves import Feature, Pair, PastMove, SeenCollecting
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import Answer, Constant, Rule, Until, relations
from hm_agent.worlds.melting_pot.games.matrix.reasoner.rule_earnings import earnings
from hm_agent.worlds.melting_pot.games.matrix.rules import StageGame

MOST_TIMES = 4
"""The largest number of moves of the agent that a change may wait for."""
OWN_LAST, OTHER_LAST, SEEN = PastMove(True, 1), PastMove(False, 1), SeenCollecting()
OLDER: Sequence[Feature] = tuple(PastMove(is_own, ago) for ago in (2, 3) for is_own in (True, False))

IN_KIND = 3.0
"""How much likelier an answer in kind is than another one: imitation is the simplest answer."""
LOG_ODDS_PER_REWARD = 0.4
"""The log odds that a rule gains for each unit of reward that it earns its player in an interaction."""


MASSES: Mapping[str, tuple[float, float]] = {
    "constant": (0.35, 0.15),  # one behaviour throughout
    # A relation, e.g. the same: to what the agent played last, the opponent played last, or it saw the agent collect.
    "reaction": (0.1, 0.25),
    "repetition": (0.1, 0.03),
    "observation": (0.1, 0.03),
    "older": (0.1, 0.03),  # a relation to an older move
    "table": (0.05, 0.0),  # an arbitrary reply to each value of a recent feature
    "older_table": (0.02, 0.0),  # the same of an older one
    "pair": (0.1, 0.1),  # answers to two moves at once
    "until": (0.02, 0.4),  # a change after moves of the agent, half as likely for each further move
    "mixture": (0.1, 0.03),  # no rule
}
"""The prior probability of each part of the class, before it counts what its rules earn.

The first is for zero-sum games, in which nobody can be rewarded or punished; the second for games in which both can
gain, so that players reciprocate.
"""


class Weighted(NamedTuple):
    """A rule and its prior probability."""

    rule: Rule
    prior: float


def mass_of(part: str, side: Side) -> float:
    return MASSES[part][0 if side.is_zero_sum else 1]


@cache
def rule_class(game: StageGame) -> tuple[Weighted, ...]:
    """All rules up to the game's order, except mixtures, which are fitted to the interactions.

    A rule's prior is relative to a mixture's, and the same whatever the order; inference scales all to a sum of 1.
    """
    side, recent, names = game.side, (OWN_LAST, OTHER_LAST, SEEN), game.side.actions
    parts = {
        "constant": _uniform(Constant(names, kind) for kind in range(len(names))),
        "reaction": _favouring_in_kind(_relations_to([OWN_LAST], side)),
        "repetition": _favouring_in_kind(_relations_to([OTHER_LAST], side)),
        "observation": _favouring_in_kind(_relations_to([SEEN], side)),
        "older": _favouring_in_kind(_relations_to(OLDER, side)),
        "table": _uniform(_tables_of(recent, side)),
        "older_table": _uniform(_tables_of(OLDER, side)),
        "pair": _uniform(_pairs(side)),
        "until": list(_changes(side)),
    }
    return tuple(
        Weighted(rule, mass_of(part, side) * prior * _earnings_factor(rule, side))
        for part, rules in parts.items()
        for rule, prior in rules
        if game.order is None or rule.order <= game.order
    )


def _earnings_factor(rule: Rule, side: Side) -> float:
    """The factor on a rule's prior for what it earns: 1 in zero-sum games, where every rule can be exploited."""
    return 1.0 if side.is_zero_sum else exp(LOG_ODDS_PER_REWARD * earnings(rule, side))


def _favouring_in_kind(answers: Iterator[Answer]) -> list[Weighted]:
    """The answers with priors that sum to 1, those that answer each move with the same IN_KIND times as likely."""
    weighted = [
        (answer, IN_KIND if answer.replies == tuple(range(len(answer.behaviours))) else 1.0) for answer in answers
    ]
    total = sum(weight for _, weight in weighted)
    return [Weighted(answer, weight / total) for answer, weight in weighted]


def _uniform(rules: Iterator[Rule]) -> list[Weighted]:
    """The rules with equal priors that sum to 1."""
    part = list(rules)
    return [Weighted(rule, 1 / len(part)) for rule in part]


@cache
def rules_by_words(game: StageGame) -> Mapping[str, Rule]:
    """Every rule of the class by its words in lower case."""
    return {each.rule.words.casefold(): each.rule for each in rule_class(game)}


def _relations_to(features: Sequence[Feature], side: Side) -> Iterator[Answer]:
    """The answers to each feature by each relation."""
    for feature, relation in product(features, relations(side.payoff)):
        yield Answer.by_relation(side.actions, relation, feature)


def _tables_of(features: Sequence[Feature], side: Side) -> Iterator[Answer]:
    """All tables of replies that are neither constant nor a relation."""
    names = side.actions
    known = {relation.replies for relation in relations(side.payoff)}
    for feature, replies in product(features, product(range(len(names)), repeat=len(names))):
        if len(set(replies)) > 1 and replies not in known:
            table = ", ".join(f"{name} with {names[reply]}" for name, reply in zip(names, replies, strict=True))
            yield Answer(names, feature, replies, f"The opponent answers {feature.words}: {table}.")


def _pairs(side: Side) -> Iterator[Answer]:
    """Answers that depend on two moves: all of them for two behaviours, those by comparison for three in a cycle."""
    kinds = len(side.actions)
    features = [
        Pair(OTHER_LAST, OWN_LAST, kinds),
        Pair(OWN_LAST, PastMove(True, 2), kinds),
        Pair(OTHER_LAST, PastMove(False, 2), kinds),
    ]
    for feature in features:
        if kinds == 2:
            yield from _pair_tables(feature, side)
        elif kinds == 3 and side.is_zero_sum and len(relations(side.payoff)) == kinds:
            yield from _comparisons(feature, side)


def _pair_tables(feature: Pair, side: Side) -> Iterator[Answer]:
    """All tables of replies to a pair of moves that depend on both, for two behaviours."""
    names = side.actions
    for replies in product(range(2), repeat=4):
        if _needs_both(replies, 2):
            cases = zip(product(names, repeat=2), replies, strict=True)
            table = ", ".join(f"{first} and {second} with {names[reply]}" for (first, second), reply in cases)
            yield Answer(names, feature, replies, f"The opponent answers {feature.words}: {table}.")


def _comparisons(feature: Pair, side: Side) -> Iterator[Answer]:
    """Answers that depend on which of two moves beats the other, in a cyclic game; each is a relation to the first."""
    related = relations(side.payoff)
    first, second = feature.first.words, feature.second.words
    for chosen in product(related, repeat=3):
        replies = tuple(
            chosen[_outcome(side.payoff, mine, other)].replies[mine] for mine, other in product(range(3), repeat=2)
        )
        if _needs_both(replies, 3):
            tie, win, loss = (relation.words for relation in chosen)
            words = (
                f"The opponent compares {first} with {second}. Where they are equal it plays {tie} the first; where "
                f"the first beats the second, {win} the first; where the second beats the first, {loss} the first."
            )
            yield Answer(side.actions, feature, replies, words)


def _outcome(payoff: Table, mine: int, other: int) -> int:
    """0 for a tie, 1 if the first of two moves beats the second, 2 if it loses to it."""
    paid = payoff[mine][other]
    return 0 if paid == 0 else 1 if paid > 0 else 2


def _needs_both(replies: Sequence[int], kinds: int) -> bool:
    """True if the replies to pairs depend on the first move as well as on the second."""
    rows = {tuple(replies[kinds * first : kinds * (first + 1)]) for first in range(kinds)}
    columns = {tuple(replies[second::kinds]) for second in range(kinds)}
    return len(rows) > 1 and len(columns) > 1


def _changes(side: Side) -> Iterator[Weighted]:
    """Changes from a behaviour to another one, or to answers to the agent's last move, set off by the agent's moves.

    A change to the behaviour that set it off is IN_KIND times as likely as one to another behaviour.
    """
    names, kinds = side.actions, range(len(side.actions))
    answers = _favouring_in_kind(_relations_to((OWN_LAST,), side))
    for first, trigger, times in product(kinds, kinds, range(1, MOST_TIMES + 1)):
        prior = 0.5**times / len(kinds) ** 2
        others = [kind for kind in kinds if kind != first]
        weights = [IN_KIND if kind == trigger else 1.0 for kind in others]
        for kind, weight in zip(others, weights, strict=True):
            yield Weighted(
                Until(names, first, trigger, times, Constant(names, kind)), prior / 2 * weight / sum(weights)
            )
        for answer in answers:
            yield Weighted(Until(names, first, trigger, times, answer.rule), prior / 2 * answer.prior)
