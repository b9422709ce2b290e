"""An example of every kind of question of SymmToM, with which prompts and answers are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.worlds.symmtom.language.board import RETURNS, VISITS_BASE, YOU, Board, Contact, Meeting, Peer, Said
from hm_agent.worlds.symmtom.language.call_planner import PlanRecord
from hm_agent.worlds.symmtom.language.calls import GoTo, Meet, Recharge, Say
from hm_agent.worlds.symmtom.language.literal import KnowledgeBit, ProbeKnowledge
from hm_agent.worlds.symmtom.language.peer_questions import (
    MakeTalkStrategy,
    PredictPeer,
    ProposePeer,
    RevisePeer,
)
from hm_agent.worlds.symmtom.language.plan_talk import BarredCall, EvaluateTalk, PlanTalk
from hm_agent.worlds.symmtom.settings import GameSettings

RULES = GameSettings(6, 3, 3)
GREEN = Peer(
    name="player_1",
    cell=(3, 2),
    base=(0, 5),
    first_hand=(1,),
    shown=(0,),
    near=(YOU,),
    moved="left",
)
BLUE = Peer(
    name="player_2",
    cell=(5, 5),
    base=(2, 2),
    first_hand=(2,),
    unheard=(Contact("player_1", 2),),
    moved="stay",
)
BOARD = Board(
    step=12,
    me="player_0",
    cell=(2, 3),
    base=(5, 0),
    first_hand=(0,),
    knows=(0, 1),
    peers=(GREEN, BLUE),
    said=0,
    heard=(Said("player_1", 1),),
    got=1.0,
)
AT_FIRST = Board(
    step=0,
    me="player_0",
    cell=(2, 3),
    base=(5, 0),
    first_hand=(0,),
    knows=(0,),
    peers=(replace(GREEN, shown=(), moved=None), replace(BLUE, unheard=(), moved=None)),
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
PLAN_TALK = PlanTalk(
    rules=RULES,
    board=BOARD,
    strategy="Meet player_2, tell it 0 and 1, then recharge.",
    expects="player_1 visits its base, says 1",
    history=(),
    critiques=(),
    because="player_1 has come into hearing range",
    previous=PlanRecord((Meet("player_2"), Say(0), Recharge()), 0, 2),
)
PREDICT = PredictPeer(RULES, BOARD, "player_1", MEETINGS, IDEAS)
REVISE = RevisePeer(
    RULES,
    BOARD,
    "player_1",
    MEETINGS,
    IDEAS,
    (PlayerBelief("player_2", "It stays near its base.", f"{RETURNS}, says 2"),),
)
LANGUAGE_EXAMPLES: Mapping[str, Question[Any]] = {
    "plan_talk": PLAN_TALK,
    "plan_talk_at_first": PlanTalk(RULES, AT_FIRST, None, None, (), (), "the episode begins", None),
    "plan_talk_undecided": replace(
        PLAN_TALK,
        strategy=None,
        expects=None,
        history=MEETINGS,
        critiques=("Reward 4 in 3 steps: go on like this.",),
        because=BLOCKED,
        previous=PlanRecord((GoTo((3, 2)), Say(0)), 0, 1),
        barred=BarredCall(GoTo((3, 2)), BLOCKED),
    ),
    "plan_talk_in_private": replace(
        PLAN_TALK,
        rules=GameSettings(6, 3, 3, hearing=2, has_public_first_hand=False, is_competitive=True),
        board=replace(
            BOARD,
            peers=(
                replace(GREEN, first_hand=None, shown=(0, 1)),
                replace(BLUE, first_hand=None, is_held=True, recharges=1),
            ),
            is_held=True,
        ),
    ),
    "evaluate_talk": EvaluateTalk(
        RULES, PlanRecord((Meet("player_1"), Say(0), Recharge()), 1, 2), "the plan is used up", 4.0, AT_FIRST, BOARD
    ),
    "propose_peer": ProposePeer(RULES, BOARD, "player_1", MEETINGS[:1], ()),
    "propose_peer_in_view_of_the_best": ProposePeer(RULES, BOARD, "player_1", MEETINGS, IDEAS[1:]),
    "predict_peer": PREDICT,
    "predict_peer_by_one_hypothesis": replace(PREDICT, hypotheses=IDEAS[1:]),
    "predict_peer_at_first": replace(PREDICT, board=AT_FIRST, history=(), hypotheses=()),
    "revise_peer": REVISE,
    "revise_peer_at_first": RevisePeer(RULES, AT_FIRST, None, (), (), ()),
    "probe_knowledge": ProbeKnowledge(RULES, BOARD, (KnowledgeBit("player_1", 2), KnowledgeBit("player_2", 0))),
    "make_talk_strategy": MakeTalkStrategy(RULES, BOARD, MEETINGS),
    "make_talk_strategy_at_first": MakeTalkStrategy(RULES, AT_FIRST, ()),
}
