"""An example of every kind of question about a matrix game, with which prompts and answers are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.repeated_games.levels import drawn_sides
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, Plan, ReviewPlan
from hm_agent.theory_of_mind.mind_questions import Predict, Propose, ReadMinds, Revise
from hm_agent.theory_of_mind.odds_questions import GiveOdds
from hm_agent.theory_of_mind.situation import PlanRecord
from hm_agent.worlds.matrix_games.language.round_body import OTHER
from hm_agent.worlds.matrix_games.language.rounds import Play, RoundPlayed, RoundSituation
from hm_agent.worlds.matrix_games.settings import table_scenarios
from hm_agent.worlds.matrix_games.views import PastRound, RoundView

PD = table_scenarios()["mg_pd_grim"].side
PASTS = (
    *[PastRound("cooperate", "cooperate", 3, 3)] * 10,
    PastRound("defect", "cooperate", 5, 0),
    PastRound("cooperate", "defect", 0, 5),
)
LATER = RoundSituation(RoundView(PD, 30, PASTS), OTHER)
AT_FIRST = RoundSituation(RoundView(table_scenarios()["mg_rps_rock"].side, 30), OTHER)
DRAWN_SCENARIO = table_scenarios()["mg_drawn_boldest_2"]
DRAWN = drawn_sides(0, 7, DRAWN_SCENARIO.game.actions, 99)
"""The tables of seven rounds, where every round has its own."""
DRAWN_PASTS = tuple(
    PastRound(side.actions[0], side.others[3], side.payoff[0][3], side.others_payoff[0][3]) for side in DRAWN[:-1]
)
DRAWN_LATER = RoundSituation(RoundView(DRAWN[-1], 16, DRAWN_PASTS, DRAWN[:-1]), OTHER)
BLIND = RoundSituation(RoundView(DRAWN[0], 16, tables=(), untold=2, others_see_less=True), OTHER)
"""The third round where nobody is told of rounds."""
HISTORY = tuple(RoundPlayed(n, OTHER, past.own, past.other, past.reward) for n, past in enumerate(PASTS, 1))[-5:]
IDEAS = (Hypothesis("It cooperates.", 0.4, right=9, tested=10), Hypothesis("It copies me."))
PLAN = Plan(
    LATER, "Cooperate while it does.", (), (), (), "the next round begins", PlanRecord((Play("defect"),), 1, 1, ())
)
PREDICT = Predict(LATER, OTHER, HISTORY, IDEAS, (), "Cooperate while it does.")
ROUND_EXAMPLES: Mapping[str, Question[Any]] = {
    "plan": PLAN,
    "plan_undecided": replace(PLAN, strategy=None, history=HISTORY),
    "plan_drawn": Plan(DRAWN_LATER, None, (), (), (), "the next round begins"),
    "give_odds_drawn": GiveOdds(DRAWN_LATER, OTHER, ()),
    "plan_blind": Plan(BLIND, "Answer it.", (), (), (), "the next round begins"),
    "give_odds_blind": GiveOdds(BLIND, OTHER, ()),
    "plan_at_first": Plan(AT_FIRST, None, (), (), (), "the episode begins"),
    "review_plan": ReviewPlan(LATER, PlanRecord((Play("defect"),), 1, 1, ()), "the next round begins", 5.0, AT_FIRST),
    "review_plan_blind": ReviewPlan(BLIND, PlanRecord((Play("red"),), 1, 1, ()), "the next round begins", 0.0, BLIND),
    "propose": Propose(LATER, OTHER, HISTORY, IDEAS[:1]),
    "predict": PREDICT,
    "predict_at_first": Predict(AT_FIRST, OTHER, (), ()),
    "revise": Revise(LATER, OTHER, HISTORY, IDEAS, (), "Cooperate while it does."),
    "revise_at_first": Revise(AT_FIRST, None, (), (), ()),
    "give_odds": GiveOdds(LATER, OTHER, HISTORY),
    "give_odds_at_first": GiveOdds(AT_FIRST, OTHER, ()),
    "read_minds": ReadMinds(LATER, (OTHER,), HISTORY, "Cooperate while it does."),
    "choose_strategy": ChooseStrategy(LATER, HISTORY),
}
