"""An example of every kind of question in matrix games, with which prompts and answers are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.worlds.melting_pot.facts import Counts, Length
from hm_agent.worlds.melting_pot.games.matrix.best_response import LastSeen
from hm_agent.worlds.melting_pot.games.matrix.pickups import PickupRecord
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
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, argmax, reward
from hm_agent.worlds.melting_pot.grid import Facing, Layout, Pose

ROCK_PAPER_SCISSORS = MatrixRules(
    behaviours=("rock", "paper", "scissors"),
    things=("yellow_box", "purple_box", "blue_box"),
    payoff=((0, -10, 10), (10, 0, -10), (-10, 10, 0)),
    initial_inventory=1,
    width=23,
    height=15,
    length=Length(1000, 100, 0.2),
)
DILEMMA = MatrixRules(
    ("cooperate", "defect"), ("green_box", "red_box"), ((3, 0), (5, 1)), 1, 23, 15, Length(1000, 100, 0.1)
)
HUNT = MatrixRules(("stag", "hare"), ("green_box", "red_box"), ((4, 0), (2, 2)), 1, 23, 15, Length(1000, 100, 0.1))


def interaction(
    step: int, own: Counts, other: Counts, shown: Counts, rules: MatrixRules = ROCK_PAPER_SCISSORS
) -> MatrixInteraction:
    paid = reward(own, other, rules.payoff)
    return MatrixInteraction(step, "opponent", own, paid, other, played(other, rules), played(own, rules), shown)


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
    Hypothesis("It plays the best response to what I played last.", 0.51, "rock"),
    Hypothesis("It cycles through paper, rock and scissors, collecting 5 to 6 each time.", 0.09, "paper"),
)
PLAN = PlanSubgoals(
    rules=ROCK_PAPER_SCISSORS,
    step=345,
    pose=Pose(9, 6, Facing.NORTH),
    inventory=(1, 3, 2),
    strategy="hold rock 1, paper 7, scissors 1, expecting rock 6, paper 1, scissors 1",
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
    others=(Seen("opponent", (16, 9), 338, sought=True),),
    likely=(((17, 7), 0.413), ((14, 6), 0.3), ((20, 2), 0.052)),
    unseen=(((1, 13), None), ((21, 12), 61)),
    history=(),
    critiques=(),
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
HUNTED = (
    interaction(70, (5, 1), (1, 5), (2, 0), HUNT),
    interaction(151, (1, 6), (5, 1), (0, 3), HUNT),
)

ARENA = replace(ROCK_PAPER_SCISSORS, width=25, height=24, players=8)
OPPONENTS = (
    Opponent("player_1", HISTORY[:2], BEST[0], "paper", former=(PickupRecord(240, (0, 2, 0)),), seen=LastSeen(345, 7)),
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
TAKING = Opponent("opponent", HISTORY, None, None, PickupRecord(340, (2, 0, 1)))
SOUGHT = replace(
    PLAN,
    rules=ARENA,
    strategy="hold rock 7, paper 1, scissors 1 and meet player_2",
    target=(7, 1, 1),
    expected=None,
    others=(
        Seen("player_1", (16, 9), 345, sought=False),
        Seen("player_2", (14, 2), 338, sought=True),
        Seen("player_3", (3, 3), 101, sought=False),
    ),
    likely=(((15, 4), 0.7), ((20, 2), 0.05)),
)
UNDECIDED = replace(PLAN, strategy=None, target=None, expected=None, history=HISTORY)
UNDECIDED_AMONG_MANY = replace(
    UNDECIDED,
    rules=ARENA,
    others=SOUGHT.others,
    history=tuple(replace(met, partner=f"player_{n}") for n, met in enumerate(HISTORY, 1)),
    critiques=("Go on.", "Hold more of one kind before you fire."),
)
PLANNED = ("move_to((9, 6), (9, 4))", "fire_at((17, 7))")
MOMENTS = MatrixMoment(345, PLAN.pose, (1, 3, 2)), MatrixMoment(371, Pose(9, 4, Facing.NORTH), (1, 4, 2))
PLAYERS = ("player_1", "player_2", "player_3")
PAID = (Hypothesis("I hold what beats what it held last.", 3.21), Hypothesis("I always hold paper.", 0.4))

MATRIX_EXAMPLES: Mapping[str, Question[Any]] = {
    "infer_inventory": InferInventory(ROCK_PAPER_SCISSORS, (1, 6, 1), 3.125),
    "propose_hypothesis": ProposeHypothesis(ROCK_PAPER_SCISSORS, HISTORY, BEST),
    "propose_first_hypothesis": ProposeHypothesis(ROCK_PAPER_SCISSORS, HISTORY[:1], ()),
    "predict_and_counter": PredictAndCounter(ROCK_PAPER_SCISSORS, HISTORY, BEST[0].words),
    "predict_at_first": PredictAndCounter(ROCK_PAPER_SCISSORS, (), None),
    "predict_after_a_clue": PredictAndCounter(
        ROCK_PAPER_SCISSORS, HISTORY, BEST[0].words, taken=(2, 0, 1), own=(1, 4, 1)
    ),
    "predict_without_hypothesis": PredictAndCounter(DILEMMA, (interaction(80, (5, 1), (1, 4), (2, 0), DILEMMA),), None),
    "propose_in_a_dilemma": ProposeHypothesis(DILEMMA, (interaction(80, (5, 1), (1, 4), (2, 0), DILEMMA),), ()),
    "plan_subgoals": PLAN,
    "plan_knowing_nothing": LOST,
    "propose_in_a_hunt": ProposeHypothesis(HUNT, HUNTED, ()),
    "predict_in_a_hunt": PredictAndCounter(HUNT, HUNTED, "The opponent copies what I played last."),
    "predict_among_many": PredictNext(ARENA, HISTORY[:2], BEST[0].words),
    "choose_opponents": ChooseOpponents(ARENA, OPPONENTS, (1, 2, 1), step=345),
    "plan_among_many": SOUGHT,
    "plan_undecided": UNDECIDED,
    "plan_undecided_among_many": UNDECIDED_AMONG_MANY,
    "plan_undecided_at_first": replace(LOST, strategy=None, target=None),
    "evaluate_plan": EvaluatePlan(ROCK_PAPER_SCISSORS, PLANNED, -2.5, *MOMENTS),
    "read_minds": ReadMinds(
        ROCK_PAPER_SCISSORS, (Opponent("opponent", HISTORY, None, None, PickupRecord(340, (2, 0, 1))),), (1, 4, 1), 345
    ),
    "read_minds_at_first": ReadMinds(DILEMMA, (Opponent("opponent", (), None, None),), (1, 1), 0),
    "read_many_minds": ReadMinds(
        ARENA, tuple(replace(each, hypothesis=None, expected=None) for each in OPPONENTS), (1, 2, 1), 345
    ),
    "make_strategy": MakeStrategy(ROCK_PAPER_SCISSORS, HISTORY, ("opponent",), PAID),
    "make_first_strategy": MakeStrategy(DILEMMA, (), ("opponent",)),
    "make_strategy_among_many": MakeStrategy(ARENA, UNDECIDED_AMONG_MANY.history, PLAYERS),
    "follow_strategy": FollowStrategy(ROCK_PAPER_SCISSORS, HISTORY, ("opponent",), PAID[0].words),
    "follow_strategy_among_many": FollowStrategy(ARENA, UNDECIDED_AMONG_MANY.history, PLAYERS, PAID[1].words),
    "judge_strategy": JudgeStrategy(ROCK_PAPER_SCISSORS, HISTORY[0], (1, 1, 6)),
}
