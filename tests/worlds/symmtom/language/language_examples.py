"""An example of every kind of question of SymmToM, with which prompts and answers are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, Plan, ReviewPlan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import AskProbes, Predict, Propose, ReadMinds, Revise
from hm_agent.theory_of_mind.odds_questions import GiveChances
from hm_agent.theory_of_mind.situation import BarredCall, PlanRecord
from hm_agent.worlds.symmtom.language.board import RETURNS, VISITS_BASE, YOU, Board, Meeting, PlayerSeen, Said, Talk
from hm_agent.worlds.symmtom.language.calls import GoTo, Meet, Recharge, Say
from hm_agent.worlds.symmtom.settings import GameSettings

RULES = GameSettings(6, 3, 3)
GREEN = PlayerSeen(
    name="player_1",
    cell=(3, 2),
    base=(0, 5),
    first_hand=(1,),
    shown=(0,),
    near=(YOU,),
    moved="left",
)
BLUE = PlayerSeen(
    name="player_2",
    cell=(5, 5),
    base=(2, 2),
    first_hand=(2,),
    moved="stay",
)
BOARD = Board(
    rules=RULES,
    steps=30,
    step=12,
    me="player_0",
    cell=(2, 3),
    base=(5, 0),
    first_hand=(0,),
    knows=(0, 1),
    others=(GREEN, BLUE),
    said=0,
    heard=(Said("player_1", 1),),
    got=1.0,
    talks=(
        Talk(2, 3, ((YOU, "player_1"),), ((YOU, (0, 0)), ("player_1", (1, None)))),
        Talk(5, 6, (("player_1", "player_2"),)),
        Talk(9, 9, (), (), ("player_1",)),
        Talk(12, 12, ((YOU, "player_1"),), ((YOU, (0,)), ("player_1", (1,)))),
    ),
)
AT_FIRST = Board(
    rules=RULES,
    steps=30,
    step=0,
    me="player_0",
    cell=(2, 3),
    base=(5, 0),
    first_hand=(0,),
    knows=(0,),
    others=(replace(GREEN, shown=(), moved=None), replace(BLUE, moved=None)),
)
MEETINGS = (
    Meeting(3, "player_1", None, (1, 1), (0, 0), (1,)),
    Meeting(8, "player_1", VISITS_BASE, (1,), (0,), (1,)),
    Meeting(12, "player_1", "meets player_2", (2, 1, None), (0, 1, 0), (2,)),
)
IDEAS = (
    Hypothesis("It says its pieces in turn.", -0.3, right=0, tested=1),
    Hypothesis("It says what I lack, and goes to its base once it knows all.", 0.51, right=2, tested=2),
)
BLOCKED = "go_to((3, 2)) came no nearer in 4 steps: player_1 stands there"
OTHERS = (PlayerBelief("player_2", "It stays near its base.", f"{RETURNS}, says 2"),)
PLAN = Plan(
    situation=BOARD,
    strategy="Meet player_2, tell it 0 and 1, then recharge.",
    others=(PlayerBelief("player_1", IDEAS[1].words, "visits its base, says 1"),),
    history=(),
    critiques=(),
    because="player_1 has come into hearing range",
    previous=PlanRecord((Meet("player_2"), Say(0), Recharge()), 0, 2, (Meet("player_2"), Recharge(), Say(0))),
)
PREDICT = Predict(BOARD, "player_1", MEETINGS, IDEAS, OTHERS, "Meet player_1.")
REVISE = Revise(BOARD, "player_1", MEETINGS, IDEAS, OTHERS, "Meet player_1.")
PRIVATE = GameSettings(6, 3, 3, hearing=2, has_public_first_hand=False, is_competitive=True)
LANGUAGE_EXAMPLES: Mapping[str, Question[Any]] = {
    "plan": PLAN,
    "plan_with_chances": replace(
        PLAN,
        strategy=None,
        others=(
            PlayerBelief(
                "player_1",
                IDEAS[1].words,
                "visits its base, says 1",
                odds=(("visits its base, says 1", 60), (f"{RETURNS}, says 0", 25)),
                knows=(("piece 0", 100), ("piece 1", 90), ("piece 2", 30)),
            ),
        ),
    ),
    "plan_at_first": Plan(AT_FIRST, None, (), (), (), "the episode begins"),
    "plan_undecided": replace(
        PLAN,
        strategy=None,
        others=(),
        history=MEETINGS,
        critiques=("Reward 4 in 3 steps: go on like this.",),
        because=BLOCKED,
        previous=PlanRecord((GoTo((3, 2)), Say(0)), 0, 1, (GoTo((3, 2)), Say(0))),
        barred=BarredCall(GoTo((3, 2)), BLOCKED),
    ),
    "plan_in_private": replace(
        PLAN,
        situation=replace(
            BOARD,
            rules=PRIVATE,
            others=(
                replace(GREEN, first_hand=None, shown=(0, 1)),
                replace(BLUE, first_hand=None, is_held=True, recharges=1),
            ),
            is_held=True,
        ),
    ),
    "review_plan": ReviewPlan(
        BOARD,
        PlanRecord((Meet("player_1"), Say(0), Recharge()), 1, 2, (Recharge(),)),
        "the plan is used up",
        4.0,
        AT_FIRST,
    ),
    "give_chances": GiveChances(BOARD, "player_1", MEETINGS),
    "give_chances_at_first": GiveChances(AT_FIRST, "player_1", ()),
    "propose": Propose(BOARD, "player_1", MEETINGS[:1], ()),
    "propose_in_view_of_the_best": Propose(BOARD, "player_1", MEETINGS, IDEAS[1:]),
    "predict": PREDICT,
    "predict_by_one_hypothesis": replace(PREDICT, hypotheses=IDEAS[1:]),
    "predict_without_a_strategy": replace(PREDICT, decides=False),
    "predict_at_first": Predict(AT_FIRST, "player_1", (), ()),
    "revise": REVISE,
    "revise_at_first": Revise(AT_FIRST, None, (), (), ()),
    "read_minds": ReadMinds(BOARD, ("player_1", "player_2"), MEETINGS, "Meet player_1."),
    "read_minds_at_first": ReadMinds(AT_FIRST, (), ()),
    "probe": AskProbes(BOARD, ("Does player_1 know 2 now?", "Does player_2 know 0 now?"), ("yes", "no")),
    "choose_strategy": ChooseStrategy(BOARD, MEETINGS, "Meet player_1."),
    "choose_strategy_at_first": ChooseStrategy(AT_FIRST, ()),
}
