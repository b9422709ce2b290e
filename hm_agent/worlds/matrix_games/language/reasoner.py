"""The built-in reasoner's answers about a matrix game: which rule fits the rounds so far, and what answers it best.

It tries a fixed set of rules on any table of payoffs, and is told nothing of the opponents that there are. Where every
round has its own table, it tries the levels of thought of players that it takes to be simpler than itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, product
from math import exp, log
from statistics import mean
from typing import Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.repeated_games.best_play import best_response
from hm_agent.repeated_games.dilemma_rules import GradualRule, GrimRule, TitForTwoTatsRule
from hm_agent.repeated_games.levels import NAIVE, LevelRule
from hm_agent.repeated_games.mind_rules import OutguessRule
from hm_agent.repeated_games.payoffs import Shares, Side
from hm_agent.repeated_games.rules_of_play import (
    CopyRule,
    CounterEarlierRule,
    FictitiousPlayRule,
    MixtureRule,
    PureRule,
    RuleOfPlay,
    StepRule,
    SwitchAfterLossesRule,
    UsualRule,
    WinStayLoseShiftRule,
)
from hm_agent.repeated_games.written_rules import rule_in_words
from hm_agent.theory_of_mind.decision_questions import Plan, ReviewPlan
from hm_agent.theory_of_mind.odds import likeliest, likely_rule
from hm_agent.theory_of_mind.odds_questions import GiveOdds, OddsAnswer
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner, odds_of
from hm_agent.worlds.matrix_games.language.rounds import NextAction, Play, RoundSituation

SLIP = 0.05
"""The chance that a rule is taken to play any action alike, so that one surprise rules nothing out."""
NEGLIGIBLE = 0.01
"""The likelihood, as a share of the likeliest rule's, up to which a rule does not count."""
LAGS, WINDOW = range(1, 7), 8
"""From how many rounds before a habit may go on, and over how many it is counted what the other mostly does."""
LEVELS = (1, 2)
"""The levels of thought that it takes others for; the second only of those who see what it gets."""
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
    yield from (StepRule(side, step, rounds_ago=ago) for ago, step in product(LAGS, actions) if (ago, step) != (1, 0))
    yield UsualRule(side, WINDOW)
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


@lru_cache(64)
def levels_tried(side: Side, sees_less: bool) -> Sequence[RuleOfPlay]:
    """The rules by which the other may play where every round has its own table; the present one is `side`."""
    count = len(side.actions)
    levels = product(LEVELS[:1] if sees_less else LEVELS, NAIVE)
    return (MixtureRule(side, (1 / count,) * count), *(LevelRule(side, level, naive) for level, naive in levels))


@dataclass(frozen=True)
class RuleFit:
    """A rule in its present state, and the logarithm of the likelihood of the other's actions so far by it."""

    rule: RuleOfPlay
    state: Any
    likelihood: float

    @property
    def chances(self) -> Shares:
        return self.rule.chances(self.state)


@lru_cache(1_000)
def _followed(side: Side, moves: Moves) -> Sequence[tuple[Any, float]]:
    """For each rule tried, its state after these rounds, and the logarithm of the likelihood of the other's actions."""
    rules = rules_tried(side)
    if not moves:
        return [(rule.start, 0.0) for rule in rules]
    own, other = moves[-1]
    return [
        (rule.after(state, other, own), so_far + _log_chance(rule, state, other))
        for rule, (state, so_far) in zip(rules, _followed(side, moves[:-1]), strict=True)
    ]


def _log_chance(rule: RuleOfPlay, state: Any, action: int) -> float:
    return log((1 - SLIP) * rule.chances(state)[action] + SLIP / len(rule.side.actions))


def _fits(situation: RoundSituation) -> Sequence[RuleFit]:
    """The rules in the order in which they are tried; the lags of a habit share the weight of one rule."""
    view, moves, side = situation.view, tuple(situation.view.moves), situation.side.opposite
    if view.tables is None:
        return [
            RuleFit(rule, state, likelihood - log(len(LAGS)) if isinstance(rule, StepRule) else likelihood)
            for rule, (state, likelihood) in zip(rules_tried(side), _followed(side, moves), strict=True)
        ]
    tables = [table.opposite for table in view.tables]
    found = []
    for rule in levels_tried(side, view.others_see_less):
        played = zip(tables, moves, strict=True)
        logs = (_log_chance(replace(rule, side=table), rule.start, other) for table, (_, other) in played)
        found.append(RuleFit(rule, rule.start, sum(logs)))
    return found


def _ranked(situation: RoundSituation) -> Sequence[RuleFit]:
    """The rules by likelihood, the likeliest first."""
    return sorted(_fits(situation), key=lambda fit: fit.likelihood, reverse=True)


def _probable(situation: RoundSituation) -> Sequence[tuple[RuleFit, float]]:
    """The rules that are not negligible, the likeliest first, each with its likelihood as a share of that one's."""
    ranked = _ranked(situation)
    weighed = [(fit, exp(fit.likelihood - ranked[0].likelihood)) for fit in ranked]
    return [(fit, weight) for fit, weight in weighed if weight > NEGLIGIBLE]


def foresee(words: str | None, situation: RoundSituation, about: str = "", history: Sequence[Any] = ()) -> NextAction:
    """The other's next action by a hypothesis; words of no rule stand for the likeliest rule."""
    ranked = _ranked(situation)
    fit = next((fit for fit in ranked if rule_in_words(fit.rule) == words), ranked[0])
    return NextAction(action=situation.side.others[likeliest(fit.chances)])


# What answers them best


def best_action(situation: RoundSituation) -> str:
    """The action with the most expected reward to the end, over all rules by their likelihood.

    Each rule's part takes it as known from now on (QMDP; Littman, Cassandra and Kaelbling, 1995).
    """
    side, view = situation.side, situation.view
    rounds, left = (view.rounds, view.left) if view.tables is None else (1, 1)
    totals = [0.0] * len(side.actions)
    for fit, weight in _probable(situation):
        values = _values(fit, rounds, left)
        totals = [total + weight * value for total, value in zip(totals, values, strict=True)]
    return side.actions[max(range(len(totals)), key=lambda action: round(totals[action], 9))]


def _values(fit: RuleFit, rounds: int, left: int) -> Sequence[float]:
    """The expected reward of each action against a rule; of this round alone where the rest is the same for all.

    That is so for a rule that only goes on by itself; and so it is taken in a state that the rule never gets to.
    """
    if fit.rule.order:
        try:
            return best_response(fit.rule, rounds).action_values(fit.state, left)
        except KeyError:
            pass
    side = fit.rule.side.opposite
    return [side.expected(own, fit.chances) for own in range(len(side.actions))]


def odds(question: GiveOdds) -> OddsAnswer:
    """The likeliest rules with what each plays next and, by each of the agent's actions, in the round after that."""
    situation = question.situation
    assert isinstance(situation, RoundSituation)
    return odds_of(
        [likely_rule(fit.rule, fit.state, rule_in_words(fit.rule), weight) for fit, weight in _probable(situation)]
    )


def strategy_words(situation: RoundSituation) -> str:
    return f"Play {best_action(situation)}; change once the other does something else than expected."


# Answers


def _weigh(situation: RoundSituation, about: str, history: Sequence[Any]) -> Mapping[str, float]:
    return {rule_in_words(fit.rule): fit.likelihood for fit in _fits(situation)}


def _calls(situation: RoundSituation, question: Plan) -> Sequence[str]:
    return [str(Play(best_action(situation)))]


def _review(question: ReviewPlan) -> str:
    advice = "go on like this" if question.reward > 0 else "look for what answers the other better"
    return f"Reward {question.reward:g}: {advice}."


REASONER = WrittenReasoner(RoundSituation, _weigh, foresee, strategy_words, _calls, _review)
ANSWERS: ReasonerTable = {**REASONER.answers, GiveOdds: odds}
