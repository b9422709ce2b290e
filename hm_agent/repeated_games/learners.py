"""Players of repeated games that model no mind, and learn from the rounds so far what pays.

They see what both players played, in a matrix game's table or in a world in which actions are kinds to collect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise, product, takewhile
from statistics import mean

from hm_agent.repeated_games.payoffs import Side
from hm_agent.repeated_games.rules_of_play import RuleOfPlay

Moves = Sequence[tuple[int, int]]
"""The numbers of the player's own action and of the other's, for each round."""
Learner = Callable[[Side, Moves], int]
"""The number of the next action after these rounds."""

VOTE_WEIGHT, LONGEST_VOTE = 4, 3
LONGEST_LAG = 4
DISTANCE_FADING = 0.6
EXPLORED_ROUNDS = 6
RATE, DISCOUNT = 0.5, 0.9


def forecast(side: Side, moves: Moves, *, is_reaction: bool, alike: str = "any") -> int:
    """Expects the other to go as far from a move of the last round as it mostly went from it, and answers that.

    is_reaction: True to count from the player's own action, False from the other's. alike: from which rounds on. For
    `any`, all; for `payoff`, those after a payoff like the last; for `round`, those after such a payoff and as long a
    way; for `stretch`, the one after the longest stretch of rounds that are like the last ones in both. Without any
    such round, all count.
    """
    anchor = int(not is_reaction)
    ways = _ways(side, moves, anchor)
    places = _places_alike(_seen(side, moves, anchor), alike)
    way = commonest([ways[place] for place in places] or ways or [0])
    return side.best_response((moves[-1][anchor] + way) % len(side.others))


def context_vote(side: Side, moves: Moves) -> int:
    """Answers what most earlier rounds speak for: that the other goes again as far as it went after them.

    That is counted from the player's last action and from the other's; each round speaks for both. A round like the
    last one in way and payoff counts four times as much; 16 or 64 times if the one or two before it were alike, too.
    """
    votes: Counter[int] = Counter()
    for anchor in (0, 1):
        seen = _seen(side, moves, anchor)
        for place, way in enumerate(_ways(side, moves, anchor)):
            alike = min(LONGEST_VOTE, _common_end(seen[: place + 1], seen))
            votes[(moves[-1][anchor] + way) % len(side.others)] += VOTE_WEIGHT**alike
    return side.best_response(max(votes, key=votes.__getitem__, default=moves[-1][1]))


def lag(side: Side, moves: Moves, *, fading: float) -> int:
    """Expects the other to be as far from one of the last four moves of either as it most often was, and answers that.

    Of the eight moves it counts from the one for which a distance has come most often. fading: what a round counts for,
    compared to the one after it.
    """
    found = (0.0, moves[-1][1])
    for rounds, anchor in product(range(1, LONGEST_LAG + 1), (0, 1)):
        counts: dict[int, float] = {}
        for age, way in enumerate(reversed(_ways(side, moves, anchor, rounds))):
            counts[way] = counts.get(way, 0.0) + fading**age
        for way, count in counts.items():
            if count > found[0]:
                found = count, (moves[-rounds][anchor] + way) % len(side.others)
    return side.best_response(found[1])


def best_distance(side: Side, moves: Moves) -> int:
    """Plays as far from a move of the last round as would have paid most so far, where older rounds fade."""
    counter = (side.best_response(moves[-1][1]) - moves[-1][1]) % len(side.actions)
    would_pay: dict[tuple[int, int], float] = {(1, counter): 0.0}
    for anchor, way in product((0, 1), range(len(side.actions))):
        value = 0.0
        for before, (_, other) in pairwise(moves):
            value = DISTANCE_FADING * value + side.payoff[(before[anchor] + way) % len(side.actions)][other]
        would_pay[anchor, way] = value
    anchor, way = max(would_pay, key=would_pay.__getitem__)
    return (moves[-1][anchor] + way) % len(side.actions)


def explore(side: Side, moves: Moves, *, is_backward: bool) -> int:
    """Plays every action for six rounds, one after another, and then always the one that has paid most on average.

    is_backward: True to begin with the last action.
    """
    actions = range(len(side.actions))[:: -1 if is_backward else 1]
    if len(moves) < EXPLORED_ROUNDS * len(actions):
        return actions[len(moves) // EXPLORED_ROUNDS]
    return max(actions, key=lambda action: mean(side.payoff[own][other] for own, other in moves if own == action))


def q_learning(side: Side, moves: Moves) -> int:
    """Plays what pays most by Q-learning (Watkins, 1989) over what both played last, and begins with high hopes."""
    actions = range(len(side.actions))
    hope = max(map(max, side.payoff)) / (1 - DISCOUNT)
    worth: dict[tuple[tuple[int, int], int], float] = {}

    def value(seen: tuple[int, int], action: int) -> float:
        return worth.get((seen, action), hope)

    for before, after in pairwise(moves):
        paid = side.payoff[after[0]][after[1]] + DISCOUNT * max(value(after, action) for action in actions)
        worth[before, after[0]] = (1 - RATE) * value(before, after[0]) + RATE * paid
    return max(actions, key=lambda action: value(moves[-1], action))


def by_rule(rule_of: Callable[[Side], RuleOfPlay]) -> Learner:
    """Plays by a rule of play that draws nothing once a round was played. rule_of: the rule for a table."""

    def choose(side: Side, moves: Moves) -> int:
        rule = rule_of(side)
        state = rule.start
        for own, other in moves:
            state = rule.after(state, own, other)
        reply = rule.reply(state)
        assert reply is not None
        return reply

    return choose


def begun(answer: Learner) -> Learner:
    """Begins with its part of what pays both together the most, and then plays by `answer`."""
    return lambda side, moves: answer(side, moves) if moves else mutual_action(side)


@lru_cache(64)
def mutual_action(side: Side) -> int:
    """The player's part of what pays both together the most; the first of several, and 0 in a zero-sum game."""
    rows = zip(side.payoff, side.others_payoff, strict=True)
    best = [max(own + other for own, other in zip(*pair, strict=True)) for pair in rows]
    return best.index(max(best))


def commonest(values: Sequence[int]) -> int:
    """The commonest value; of several the latest."""
    counts = Counter(values)
    return max(reversed(values), key=counts.__getitem__)


def _ways(side: Side, moves: Moves, anchor: int, lag: int = 1) -> list[int]:
    """How far the other went from a move `lag` rounds before, for each round that has one. anchor: as in a move."""
    pairs = zip(moves, moves[lag:], strict=False)
    return [(after[1] - before[anchor]) % len(side.others) for before, after in pairs]


def _seen(side: Side, moves: Moves, anchor: int) -> list[tuple[int, float]]:
    """For each round how far the other went, -1 in the first, and what the round paid."""
    ways = [-1, *_ways(side, moves, anchor)]
    return [(way, side.payoff[own][other]) for way, (own, other) in zip(ways, moves, strict=True)]


def _places_alike(seen: Sequence[tuple[int, float]], alike: str) -> list[int]:
    """The places of the rounds, but the last, that were like the last. alike: as in `forecast`."""
    places, last = range(len(seen) - 1), seen[-1]
    if alike == "payoff":
        return [place for place in places if seen[place][1] == last[1]]
    if alike == "round":
        return [place for place in places if seen[place] == last]
    if alike == "stretch":
        longest = max(places, key=lambda place: (_common_end(seen[: place + 1], seen), place), default=0)
        return [longest] if places and seen[longest] == last else []
    return []


def _common_end(first: Sequence[object], second: Sequence[object]) -> int:
    """How many of the last entries of two sequences are the same."""
    pairs = zip(reversed(first), reversed(second), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


LEARNERS: Mapping[str, Learner] = {
    "explore": partial(explore, is_backward=False),
    "explore_backward": partial(explore, is_backward=True),
    "q_learning": begun(q_learning),
    "best_distance": begun(best_distance),
    "context_vote": begun(context_vote),
    "lag": begun(partial(lag, fading=1.0)),
    "lag_fading": begun(partial(lag, fading=0.9)),
    **{
        f"{name}_{alike}": begun(partial(forecast, is_reaction=name == "reaction", alike=alike))
        for name, alike in product(("habit", "reaction"), ("any", "payoff", "round", "stretch"))
    },
}
LEARNERS_ABOUT: Mapping[str, str] = {
    "explore": "plays every action for six rounds, then always the one that has paid most",
    "explore_backward": "the same, and begins with the last action",
    "q_learning": "learns what each action pays after the last round (Q-learning), and begins with high hopes",
    "best_distance": "plays as far from a move of the last round as would have paid most so far",
    "context_vote": "answers what most earlier rounds speak for, the more the more alike they were",
    "lag": "expects the other to be as far from one of the last four moves as it most often was",
    "lag_fading": "the same, where older rounds fade",
    **{
        f"{name}_{alike}": f"expects the other to go as far from {anchor} last action as {where}"
        for name, anchor in (("habit", "its own"), ("reaction", "the agent's"))
        for alike, where in (
            ("any", "it mostly went"),
            ("payoff", "it mostly went after such a payoff"),
            ("round", "it mostly went after such a round"),
            ("stretch", "it went after the longest stretch of such rounds"),
        )
    },
}
"""What the learners do, for lists of agents."""
