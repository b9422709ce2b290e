"""The built-in reasoner's answers about a matrix game: which rule fits the rounds so far, and what answers it best.

It tries a fixed set of rules on any table of payoffs, and is told nothing of the opponents that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from math import exp, log
from statistics import mean
from typing import Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.repeated_games.best_play import best_response
from hm_agent.repeated_games.dilemma_rules import GradualRule, GrimRule, TitForTwoTatsRule
from hm_agent.repeated_games.payoffs import Shares, Side
from hm_agent.repeated_games.rules_of_play import (
    CopyRule,
    CounterEarlierRule,
    CycleRule,
    FictitiousPlayRule,
    MixtureRule,
    OutguessRule,
    PureRule,
    RuleOfPlay,
    StepRule,
    SwitchAfterLossesRule,
    WinStayLoseShiftRule,
)
from hm_agent.repeated_games.written_rules import rule_in_words
from hm_agent.theory_of_mind.language_questions import Plan, ReviewPlan
from hm_agent.theory_of_mind.odds import LikelyRule, likeliest, rows_told
from hm_agent.theory_of_mind.odds_questions import GiveOdds, OddsAnswer
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner, odds_of
from hm_agent.worlds.matrix_games.language.rounds import NextAction, Play, RoundSituation

SLIP = 0.05
"""The chance that a rule is taken to play any action alike, so that one surprise rules nothing out."""
NEGLIGIBLE = 0.01
"""The likelihood, as a share of the likeliest rule's, up to which a rule does not count."""
Moves = tuple[tuple[int, int], ...]
"""The numbers of the agent's own action and of the other's, for each round so far."""


# Which rules fit


@lru_cache(64)
def rules_tried(side: Side) -> Sequence[RuleOfPlay]:
    """The rules that the other, who sees the game as `side`, may play by; the simplest first."""
    return tuple(_rules(side))


def _rules(side: Side) -> Iterator[RuleOfPlay]:
    actions = range(len(side.actions))
    yield from (PureRule(side, action) for action in actions)
    yield MixtureRule(side, (1 / len(actions),) * len(actions))
    if len(actions) == 3:
        yield from (CycleRule(side, cycle) for cycle in permutations(actions))
    elif len(actions) > 3:  # there are too many permutations
        yield from (StepRule(side, step) for step in actions[1:])
    yield from (CounterEarlierRule(side, ago) for ago in (1, 2))
    yield WinStayLoseShiftRule(side, mean(paid for row in side.payoff for paid in row))
    yield SwitchAfterLossesRule(side, 2)
    yield FictitiousPlayRule(side, 4)
    yield OutguessRule(side)
    if side.actions == side.others:
        yield from (CopyRule(side), CopyRule(side, None, 0.15))
    if side.actions == side.others and len(actions) == 2:
        for cooperate, defect in permutations(actions):
            yield from (GrimRule(side, times, cooperate, defect) for times in (1, 2))
            yield TitForTwoTatsRule(side, cooperate, defect)
            yield GradualRule(side, cooperate, defect)


@lru_cache(100_000)
def _followed(rule: RuleOfPlay, moves: Moves) -> tuple[Any, float]:
    """The rule's state after these rounds, and the logarithm of the likelihood of the other's actions by it."""
    if not moves:
        return rule.start, 0.0
    state, so_far = _followed(rule, moves[:-1])
    own, other = moves[-1]
    chance = (1 - SLIP) * rule.chances(state)[other] + SLIP / len(rule.side.actions)
    return rule.after(state, other, own), so_far + log(chance)


def _ranked(side: Side, moves: Moves) -> list[RuleOfPlay]:
    """The rules by likelihood, the likeliest first."""
    return sorted(rules_tried(side.opposite), key=lambda rule: _followed(rule, moves)[1], reverse=True)


def foresee(words: str | None, situation: RoundSituation, about: str = "", history: Sequence[Any] = ()) -> NextAction:
    """The other's next action by a hypothesis; words of no rule stand for the likeliest rule."""
    moves, side = _moves(situation), situation.side
    ranked = _ranked(side, moves)
    rule = next((rule for rule in ranked if rule_in_words(rule) == words), ranked[0])
    chances = rule.chances(_followed(rule, moves)[0])
    return NextAction(action=side.others[max(range(len(chances)), key=lambda action: chances[action])])


# What answers them best


def best_action(situation: RoundSituation) -> str:
    """The action with the most expected reward to the end, over all rules by their likelihood.

    Each rule's part takes it as known from now on (QMDP; Littman, Cassandra and Kaelbling, 1995).
    """
    side, view, moves = situation.side, situation.view, _moves(situation)
    ranked = _ranked(side, moves)
    best, totals = _followed(ranked[0], moves)[1], [0.0] * len(side.actions)
    for rule in ranked:
        state, likelihood = _followed(rule, moves)
        if (weight := exp(likelihood - best)) > NEGLIGIBLE:
            values = _values(rule, state, view.rounds, view.left)
            totals = [total + weight * value for total, value in zip(totals, values, strict=True)]
    return side.actions[max(range(len(totals)), key=lambda action: round(totals[action], 9))]


def _values(rule: RuleOfPlay, state: Any, rounds: int, left: int) -> Sequence[float]:
    """The expected reward of each action against a rule; of this round alone in a state that the rule never gets to."""
    try:
        return best_response(rule, rounds).action_values(state, left)
    except KeyError:
        side, chances = rule.side.opposite, rule.chances(state)
        return [side.expected(own, chances) for own in range(len(side.actions))]


def odds(question: GiveOdds) -> OddsAnswer:
    """The likeliest rules with what each plays next and, by each of the agent's actions, in the round after that."""
    situation = question.situation
    assert isinstance(situation, RoundSituation)
    moves = _moves(situation)
    ranked = _ranked(situation.side, moves)
    best = _followed(ranked[0], moves)[1]
    rules = []
    for rule in ranked:
        state, likelihood = _followed(rule, moves)
        if (share := exp(likelihood - best)) > NEGLIGIBLE:
            rows = () if _stays(rule, state) else rows_told(_rows_after(rule, state))
            lasts = len(rows) > 1 and _lasts(rule, state)
            rules.append(LikelyRule(rule_in_words(rule), share, rule.chances(state), rows, lasts))
    return odds_of(rules)


def _rows_after(rule: RuleOfPlay, state: Any) -> list[Shares]:
    """For each of the agent's actions now, the chances of the other's actions in the round after."""
    chances = rule.chances(state)
    after = [
        [(chance, rule.chances(rule.after(state, reply, own))) for reply, chance in enumerate(chances) if chance]
        for own in range(len(rule.side.others))
    ]
    columns = range(len(chances))
    return [tuple(sum(chance * row[column] for chance, row in rows) for column in columns) for rows in after]


def _lasts(rule: RuleOfPlay, state: Any) -> bool:
    """True if whatever the agent's next action changes is for good, as far as one more round tells."""

    def expected(present: Any) -> int:
        return likeliest(rule.chances(present))

    own = range(len(rule.side.others))
    after = [rule.after(state, expected(state), action) for action in own]
    return all(
        expected(rule.after(changed, expected(changed), action)) == expected(changed)
        for changed in after
        if expected(changed) != expected(state)
        for action in own
    )


def _stays(rule: RuleOfPlay, state: Any) -> bool:
    """True if the rule is in the same state after any round."""
    replies = [reply for reply, chance in enumerate(rule.chances(state)) if chance]
    return all(rule.after(state, reply, own) == state for reply in replies for own in range(len(rule.side.others)))


def strategy_words(situation: RoundSituation) -> str:
    return f"Play {best_action(situation)}; change once the other does something else than expected."


# Answers


def _weigh(situation: RoundSituation, about: str, history: Sequence[Any]) -> Mapping[str, float]:
    moves = _moves(situation)
    return {rule_in_words(rule): _followed(rule, moves)[1] for rule in rules_tried(situation.side.opposite)}


def _calls(situation: RoundSituation, question: Plan) -> Sequence[str]:
    return [str(Play(best_action(situation)))]


def _review(question: ReviewPlan) -> str:
    advice = "go on like this" if question.reward > 0 else "look for what answers the other better"
    return f"Reward {question.reward:g}: {advice}."


def _moves(situation: RoundSituation) -> Moves:
    return tuple(situation.view.moves)


REASONER = WrittenReasoner(RoundSituation, _weigh, foresee, strategy_words, _calls, _review)
ANSWERS: ReasonerTable = {**REASONER.answers, GiveOdds: odds}
