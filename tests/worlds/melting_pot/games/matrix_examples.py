"""An example of every kind of question in matrix games, with which prompts and answers are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.worlds.melting_pot.facts import Beam, Counts, Length, argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import LastSeen
from hm_agent.worlds.melting_pot.games.matrix.facts import READY, Regrowth, Timing
from hm_agent.worlds.melting_pot.games.matrix.joint_questions import ReviseAndChoose, ReviseAndCounter
from hm_agent.worlds.melting_pot.games.matrix.pickups import Pickup, PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.plan_questions import (
    EvaluatePlan,
    MatrixMoment,
    Place,
    PlanSubgoals,
    Seen,
    Site,
)
from hm_agent.worlds.melting_pot.games.matrix.questions import (
    ChooseOpponents,
    FollowStrategy,
    InferInventory,
    JudgeStrategy,
    MakeStrategy,
    Opponent,
    PredictAndCounter,
    PredictNext,
    ProposeHypothesis,
    ReadMinds,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import (
    MatrixInteraction,
    MatrixRules,
    PartnerEvidence,
    is_lead_open,
    reward,
)
from hm_agent.worlds.melting_pot.grid import Facing, Layout, Pose
from hm_agent.worlds.melting_pot.planning.subgoals import Aim, FireAt, FireOnSight, MoveTo, PreviousPlan

ROCK_PAPER_SCISSORS = MatrixRules(
    behaviours=("rock", "paper", "scissors"),
    things=("yellow_box", "purple_box", "blue_box"),
    payoff=((0, -10, 10), (10, 0, -10), (-10, 10, 0)),
    initial_inventory=1,
    width=23,
    height=15,
    length=Length(1000, 100, 0.2),
    beam=Beam(3, 1),
    regrowth=Regrowth(15, 0.02, all_at_once=True),
    timing=Timing(frozen=17, away=6, per_round=50, per_thing=3),
)
ONE_SHOT = replace(
    ROCK_PAPER_SCISSORS,
    length=Length(1000, 1, 1.0, one_interaction=True),
    regrowth=Regrowth(1000, 0.0),
    timing=Timing(frozen=17, away=101, per_round=50, per_thing=3),
)
DILEMMA = replace(
    ROCK_PAPER_SCISSORS,
    behaviours=("cooperate", "defect"),
    things=("green_box", "red_box"),
    payoff=((3, 0), (5, 1)),
    length=Length(1000, 100, 0.1),
    regrowth=Regrowth(10, 0.02, all_at_once=True),
)
HUNT = replace(DILEMMA, behaviours=("stag", "hare"), payoff=((4, 0), (2, 2)))
BACH_FAN = replace(
    DILEMMA,
    behaviours=("bach", "stravinsky"),
    things=("blue_box", "orange_box"),
    payoff=((3, 0), (0, 2)),
    others_payoff=((2, 0), (0, 3)),
)
"""An asymmetric game, by one side's rules; then by the other's, and by those of one among many that look alike."""
STRAVINSKY_FAN = replace(BACH_FAN, payoff=((2, 0), (0, 3)), others_payoff=((3, 0), (0, 2)))
FAN_IN_A_CROWD = replace(BACH_FAN, alike=7, clues=False)


def interaction(
    step: int, own: Counts, other: Counts, shown: Counts, rules: MatrixRules = ROCK_PAPER_SCISSORS
) -> MatrixInteraction:
    paid = reward(own, other, rules.payoff)
    is_open = is_lead_open(own, paid, rules.payoff, PartnerEvidence(rules.initial_inventory))
    return MatrixInteraction(
        step, "opponent", own, paid, other, played(other, rules), played(own, rules), shown, is_open
    )


def played(inventory: Counts, rules: MatrixRules) -> str | None:
    main = argmax(inventory)
    return None if main is None else rules.behaviours[main]


HISTORY = (
    interaction(96, (6, 1, 1), (1, 6, 1), (0, 0, 0)),
    interaction(187, (1, 1, 6), (7, 1, 2), (0, 0, 2)),
    interaction(265, (2, 7, 1), (1, 1, 6), (1, 3, 0)),
    replace(interaction(301, (2, 2, 2), (2, 1, 1), (0, 0, 0)), behaviour=None),
)
BEST = (
    Hypothesis("It plays the best response to what I played last.", 0.51, "rock", right=2, tested=2),
    Hypothesis("It cycles through paper, rock and scissors.", 0.09, "paper", right=2, tested=3),
)
PLAN = PlanSubgoals(
    rules=ROCK_PAPER_SCISSORS,
    step=345,
    pose=Pose(9, 6, Facing.NORTH),
    inventory=(1, 3, 2),
    strategy="hold rock 1, paper 7, scissors 1, expecting rock to lead with 6",
    target=(1, 7, 1),
    expected=(6, 1, 1),
    things=(
        Place("yellow_box", (8, 3), 345, True),
        Place("yellow_box", (8, 4), 345, True),
        Place("purple_box", (14, 4), 322, False),
        Place("purple_box", (13, 5), 322, False),
        Place("purple_box", (9, 4), 345, True),
        Place("yellow_box", (15, 11), 120, False),
    ),
    sites=(Site("purple_box", (15, 5), None), Site("purple_box", (14, 3), 301), Site("blue_box", (7, 10), None)),
    others=(Seen("opponent", (16, 9), 338, sought=True, mark=READY, taken=(2, 0, 0)),),
    likely=(((17, 7), 0.413), ((14, 6), 0.3), ((20, 2), 0.052)),
    unseen=(((1, 13), None), ((21, 12), 61)),
    history=(),
    critiques=(),
    because="an interaction is over",
    players=("opponent",),
    layout=Layout(23, 15, frozenset()),
)
LOST = replace(
    PLAN,
    step=0,
    pose=Pose(1, 4, Facing.EAST),
    inventory=(1, 1, 1),
    strategy="hold rock 6, paper 1, scissors 1, to see what the opponent plays",
    target=(6, 1, 1),
    expected=None,
    things=(),
    sites=(),
    others=(),
    likely=(((14, 4), 0.11), ((8, 4), 0.11), ((11, 7), 0.108)),
    unseen=(((1, 9), None), ((6, 4), None)),
)
DILEMMAS = (interaction(80, (5, 1), (1, 4), (2, 0), DILEMMA),)
HUNTED = (
    interaction(70, (5, 1), (1, 5), (2, 0), HUNT),
    interaction(151, (1, 6), (5, 1), (0, 3), HUNT),
)


def heard(rules: MatrixRules) -> tuple[MatrixInteraction, ...]:
    """Two interactions in Bach or Stravinsky: one in which both chose alike, one in which each chose its own."""
    return interaction(70, (6, 1), (5, 1), (2, 0), rules), interaction(151, (5, 1), (1, 6), (0, 3), rules)


ARENA = replace(
    ROCK_PAPER_SCISSORS,
    width=25,
    height=24,
    players=8,
    regrowth=Regrowth(10, 0.04),
    timing=Timing(frozen=17, away=51, per_round=70, per_thing=3),
)
OPPONENTS = (
    Opponent(
        "player_1", HISTORY[:2], BEST[0], "paper", former=(PickupRecord(240, (0, 2, 0)),), seen=LastSeen(345, 7, READY)
    ),
    Opponent(
        "player_2",
        HISTORY[2:3],
        Hypothesis("The opponent always plays scissors."),
        "scissors",
        PickupRecord(310, (0, 0, 2)),
    ),
    Opponent(
        "player_3",
        (),
        None,
        "rock",
        PickupRecord(333, (1, 0, 0)),
        (PickupRecord(60, (0, 3, 0)), PickupRecord(201, (2, 0, 1))),
        LastSeen(333, 4),
    ),
    Opponent("player_4", (), None, None),
)
PLAYERS = ("player_1", "player_2", "player_3")
TAKEN = PickupRecord(
    340,
    (2, 0, 1),
    (Pickup(320, "rock", (3, 4), True), Pickup(331, "scissors", (5, 4), False), Pickup(340, "rock", (3, 5), True)),
)
TAKING = Opponent("opponent", HISTORY, None, None, TAKEN)
SOUGHT = replace(
    PLAN,
    rules=ARENA,
    strategy="hold rock 7, paper 1, scissors 1 and meet player_2",
    target=(7, 1, 1),
    expected=None,
    players=PLAYERS,
    because="player_2 has come into view, ready to interact",
    previous=PreviousPlan(
        (MoveTo((9, 4)), MoveTo((13, 5)), FireAt((14, 2), Aim(("player_2",)))), 2, (MoveTo((13, 5)),)
    ),
    others=(
        Seen("player_1", (16, 9), 345, sought=False),
        Seen("player_2", (14, 2), 338, sought=True),
        Seen("player_3", (3, 3), 101, sought=False),
    ),
    likely=(((15, 4), 0.7), ((20, 2), 0.05)),
)
STRANGER = Opponent("opponent", (), None, None)
SIGHT = replace(STRANGER, present=TAKEN)
SIGHTS = tuple(replace(each, history=(), hypothesis=None, expected=None) for each in OPPONENTS[:3])
UNDECIDED = replace(PLAN, strategy=None, target=None, expected=None, history=HISTORY, opponents=(SIGHT,))
UNDECIDED_AMONG_MANY = replace(
    UNDECIDED,
    rules=ARENA,
    players=PLAYERS,
    others=SOUGHT.others,
    history=tuple(replace(met, partner=f"player_{n}") for n, met in enumerate(HISTORY, 1)),
    opponents=SIGHTS,
    critiques=("Go on.", "Hold more of one kind before you fire."),
)
WATCHING = replace(
    SOUGHT,
    strategy="hold rock 1, paper 3, scissors 2 and watch the others",
    target=PLAN.inventory,
    is_watching=True,
    because="your strategy has changed",
    previous=None,
)
JOINT = replace(PLAN, history=HISTORY, strategy=f"{PLAN.strategy}; it has answered my last kind twice")
PLANNED = PreviousPlan((MoveTo((9, 4)), MoveTo((13, 5)), FireAt((17, 7))), 2, (MoveTo((13, 5)),))
FIRED = PreviousPlan((FireOnSight(), MoveTo((13, 5)), FireAt((17, 7))), 1, shot=FireAt((10, 4), Aim(("player_2",))))
MOMENTS = MatrixMoment(345, PLAN.pose, (1, 3, 2)), MatrixMoment(371, Pose(9, 4, Facing.NORTH), (1, 4, 2))
PAID = (Hypothesis("I hold what beats what it held last.", 3.21), Hypothesis("I always hold paper.", 0.4))

MATRIX_EXAMPLES: Mapping[str, Question[Any]] = {
    "infer_inventory": InferInventory(ROCK_PAPER_SCISSORS, (1, 6, 1), 3.125),
    "propose_hypothesis": ProposeHypothesis(ROCK_PAPER_SCISSORS, "opponent", HISTORY, BEST),
    "propose_first_hypothesis": ProposeHypothesis(ROCK_PAPER_SCISSORS, "opponent", HISTORY[:1], ()),
    "propose_among_many": ProposeHypothesis(ARENA, "player_1", HISTORY[:2], BEST),
    "predict_and_counter": PredictAndCounter(ROCK_PAPER_SCISSORS, 305, HISTORY, BEST),
    "predict_at_first": PredictAndCounter(ROCK_PAPER_SCISSORS, 0, (), ()),
    "predict_the_one_interaction": PredictAndCounter(ONE_SHOT, 345, (), (), present=TAKEN, own=(1, 4, 1)),
    "revise_before_the_one_interaction": ReviseAndCounter(ONE_SHOT, SIGHT, own=(1, 4, 1), step=345),
    "plan_the_one_interaction": replace(LOST, rules=ONE_SHOT, strategy="hold rock 6, paper 1, scissors 1"),
    "predict_without_clues": PredictAndCounter(replace(ROCK_PAPER_SCISSORS, clues=False), 305, HISTORY, BEST),
    "predict_for_certain": PredictAndCounter(ROCK_PAPER_SCISSORS, 0, (), BEST[:1], certain=True),
    "predict_after_a_clue": PredictAndCounter(
        ROCK_PAPER_SCISSORS, 345, HISTORY, BEST[:1], present=TAKEN, own=(1, 4, 1)
    ),
    "predict_without_hypothesis": PredictAndCounter(DILEMMA, 85, DILEMMAS, ()),
    "propose_in_a_dilemma": ProposeHypothesis(DILEMMA, "opponent", DILEMMAS, ()),
    "plan_subgoals": PLAN,
    "plan_knowing_nothing": LOST,
    "plan_in_an_episode_that_is_cut": replace(
        PLAN,
        rules=replace(ROCK_PAPER_SCISSORS, length=Length(400, 1, 1.0)),
        history=tuple(replace(HISTORY[1], step=20 * place, taken=(5, 0, 1)) for place in range(1, 11)),
    ),
    "plan_after_a_shot_on_sight": replace(SOUGHT, previous=FIRED, because=f"{FIRED.shot} has hit nobody in 60 steps"),
    "propose_in_a_hunt": ProposeHypothesis(HUNT, "opponent", HUNTED, ()),
    "predict_in_a_hunt": PredictAndCounter(HUNT, 160, HUNTED, (Hypothesis("It copies what I played last."),)),
    "propose_in_an_asymmetric_game": ProposeHypothesis(BACH_FAN, "opponent", heard(BACH_FAN), ()),
    "predict_in_an_asymmetric_game": PredictAndCounter(BACH_FAN, 160, heard(BACH_FAN), ()),
    "predict_on_the_other_side": PredictAndCounter(STRAVINSKY_FAN, 160, heard(STRAVINSKY_FAN), ()),
    "predict_in_an_asymmetric_crowd": PredictAndCounter(FAN_IN_A_CROWD, 160, heard(FAN_IN_A_CROWD), ()),
    "predict_among_many": PredictNext(ARENA, "player_1", 200, HISTORY[:2], BEST),
    "predict_one_among_many": PredictNext(ARENA, "player_1", 200, HISTORY[:2], BEST[:1]),
    "choose_opponents": ChooseOpponents(ARENA, OPPONENTS, (1, 2, 1), step=345),
    "choose_opponents_without_clues": ChooseOpponents(replace(ARENA, clues=False), OPPONENTS, (1, 2, 1), step=345),
    "plan_among_many": SOUGHT,
    "plan_to_watch": WATCHING,
    "plan_jointly": JOINT,
    "plan_undecided": UNDECIDED,
    "plan_undecided_among_many": UNDECIDED_AMONG_MANY,
    "plan_undecided_at_first": replace(LOST, strategy=None, target=None),
    "evaluate_plan": EvaluatePlan(
        ROCK_PAPER_SCISSORS, PLANNED, "opponent has come into view, ready to interact", 0, *MOMENTS, (), PLAN.others
    ),
    "evaluate_paid_plan": EvaluatePlan(
        ARENA, FIRED, "an interaction is over", -2.5, *MOMENTS, HISTORY[3:], SOUGHT.others
    ),
    "revise_and_counter": ReviseAndCounter(
        ROCK_PAPER_SCISSORS, replace(TAKING, hypotheses=BEST), own=(1, 4, 1), step=345
    ),
    "revise_at_first": ReviseAndCounter(DILEMMA, Opponent("opponent", (), None, None), own=(1, 1), step=0),
    "revise_and_choose": ReviseAndChoose(
        ARENA, (replace(OPPONENTS[0], hypotheses=BEST), *OPPONENTS[1:]), "player_1", own=(1, 2, 1), step=345
    ),
    "choose_jointly_at_first": ReviseAndChoose(ARENA, OPPONENTS[3:], None, own=(1, 1, 1), step=0),
    "read_minds": ReadMinds(ROCK_PAPER_SCISSORS, (TAKING,), (1, 4, 1), 345),
    "read_minds_at_first": ReadMinds(DILEMMA, (Opponent("opponent", (), None, None),), (1, 1), 0),
    "read_many_minds": ReadMinds(
        ARENA, tuple(replace(each, hypothesis=None, expected=None) for each in OPPONENTS), (1, 2, 1), 345
    ),
    "make_strategy": MakeStrategy(ROCK_PAPER_SCISSORS, HISTORY, (SIGHT,), (1, 4, 1), 345, PAID),
    "make_first_strategy": MakeStrategy(DILEMMA, (), (STRANGER,), (1, 1), 0),
    "make_strategy_among_many": MakeStrategy(ARENA, UNDECIDED_AMONG_MANY.history, SIGHTS, (1, 2, 1), 345),
    "follow_strategy": FollowStrategy(ROCK_PAPER_SCISSORS, HISTORY, (SIGHT,), (1, 4, 1), 345, PAID[0].words),
    "follow_strategy_among_many": FollowStrategy(
        ARENA, UNDECIDED_AMONG_MANY.history, SIGHTS, (1, 2, 1), 345, PAID[1].words
    ),
    "judge_strategy": JudgeStrategy(ROCK_PAPER_SCISSORS, HISTORY[0], (1, 1, 6)),
}
