"""The built-in reasoner's answers about a matrix game: which rule fits the rounds so far, and what answers it best.

It is told nothing of the opponents that there are: it tries the rules of `repeated_games/rule_fits.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.repeated_games.rule_fits import RuleFit, fits, fits_by_table, levels_tried
from hm_agent.repeated_games.written_rules import rule_in_words
from hm_agent.theory_of_mind.decision_questions import Plan, ReviewPlan
from hm_agent.theory_of_mind.odds import likeliest, likely_rule
from hm_agent.theory_of_mind.odds_questions import GiveOdds, OddsAnswer
from hm_agent.theory_of_mind.written_reasoner import WrittenReasoner, odds_of
from hm_agent.worlds.matrix_games.language.rounds import NextAction, Play, RoundSituation

NEGLIGIBLE = 0.01
"""The likelihood, as a share of the likeliest rule's, up to which a rule does not count."""

# Which rules fit


def _ranked(situation: RoundSituation) -> Sequence[RuleFit]:
    """The rules by likelihood, the likeliest first; of several, the one that is tried first."""
    view, moves, side = situation.view, tuple(situation.view.moves), situation.side.opposite
    if view.tables is None:
        found = fits(side, moves)
    else:
        levels = levels_tried(side, sees_less=view.others_see_less)
        found = fits_by_table(levels, [table.opposite for table in view.tables], moves)
    return sorted(found, key=lambda fit: fit.likelihood, reverse=True)


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
        values = fit.values(rounds, left)
        totals = [total + weight * value for total, value in zip(totals, values, strict=True)]
    return side.actions[max(range(len(totals)), key=lambda action: round(totals[action], 9))]


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
    return {rule_in_words(fit.rule): fit.likelihood for fit in _ranked(situation)}


def _calls(situation: RoundSituation, question: Plan) -> Sequence[str]:
    return [str(Play(best_action(situation)))]


def _review(question: ReviewPlan) -> str:
    advice = "go on like this" if question.reward > 0 else "look for what answers the other better"
    return f"Reward {question.reward:g}: {advice}."


REASONER = WrittenReasoner(RoundSituation, _weigh, foresee, strategy_words, _calls, _review)
ANSWERS: ReasonerTable = {**REASONER.answers, GiveOdds: odds}
