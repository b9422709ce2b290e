"""An example of every kind of question in a kitchen, with which prompts and answers are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, FollowStrategy, JudgeStrategy, Plan, ReviewPlan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import Predict, Propose, ReadMinds, Revise
from hm_agent.worlds.melting_pot.games.cooking.activities import FILLED, TOOK_SOUP, TOOK_TOMATO, Activity, Held
from hm_agent.worlds.melting_pot.games.cooking.failures import CritiqueInteraction
from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    COUNTER,
    DELIVERY,
    DISHES,
    TOMATOES,
    KitchenRules,
    Pot,
    Station,
)
from hm_agent.worlds.melting_pot.games.cooking.roles import LOADS, PROMPTLY, SERVES, SLOWLY, KitchenStrategy
from hm_agent.worlds.melting_pot.games.cooking.room_seat import Barred, KitchenRoomSeat, Teammate
from hm_agent.worlds.melting_pot.games.cooking.rounds import OWN, KitchenInteraction, Pace
from hm_agent.worlds.melting_pot.games.cooking.seat import KitchenSeat
from hm_agent.worlds.melting_pot.games.cooking.work_costs import WorkCost
from hm_agent.worlds.melting_pot.grid import Facing, Layout, Pose
from hm_agent.worlds.melting_pot.planning.calls import Interact, Wait, plan_record

KITCHEN = Layout.from_ascii("#########\nO #T#O# T\n# P C P #\n#   C   #\n###D#D###", "#OTDC")
COOKS = KitchenRules(9, 5, 3, 21, 20.0, 1000)
UPPER, LOWER = (4, 2), (4, 3)
"""The two pots."""


def loading(*steps: int) -> tuple[Activity, ...]:
    """A tomato fetched and put into the upper pot at each of these steps."""
    fetched = tuple(Activity(step - 2, TOOK_TOMATO, (5, 1)) for step in steps)
    return tuple(sorted((*fetched, *(Activity(step, FILLED, UPPER) for step in steps)), key=lambda done: done.step))


def ended(
    step: int,
    role: str | None,
    by: str | None,
    activities: tuple[Activity, ...] = (),
    tempo: str | None = None,
    held: Held | None = None,
) -> KitchenInteraction:
    return KitchenInteraction(step, "teammate", role, (0, 0, 0), 20.0 if by else 0.0, activities, by, tempo, held)


ROUNDS = (
    ended(62, LOADS, OWN, loading(13, 27, 33), PROMPTLY),
    ended(98, LOADS, OWN, (*loading(71), Activity(80, FILLED, LOWER, seen=False)), PROMPTLY, Held(None, 80)),
    ended(158, None, None, held=Held("soup", 140)),
    ended(201, SERVES, "teammate", (Activity(190, TOOK_SOUP, UPPER),), SLOWLY, Held(None, 201)),
)
FAITH = (
    Hypothesis("The teammate loads pots and leaves serving to me.", 0.51, "loads pots promptly", right=2, tested=2),
    Hypothesis("The teammate is slow.", 0.09, "loads pots slowly", right=1, tested=2),
)
ROOM = KitchenRoomSeat(
    rules=COOKS,
    step=210,
    hands=None,
    pots=(Pot(UPPER, 3, "40%", 210, is_full=True, ready=222), Pot(LOWER, 1, None, 203, is_full=False, ready=None)),
    held=Held("tomato", 209),
    pace=Pace(14, 121, 0, 33),
    own=WorkCost(13, 9),
    other=WorkCost(5, None),
    pose=Pose(3, 2, Facing.NORTH),
    role=SERVES,
    expected="loads pots promptly",
    stations=(
        Station(TOMATOES, (0, 1), "tomato", 180),
        Station(COUNTER, (0, 3), "dish", 180),
        Station(DELIVERY, (3, 1), None, 210),
        Station(DISHES, (3, 4), "dish", 203),
    ),
    spare=((0, 2), (1, 0), (1, 4), (2, 1), (2, 4)),
    floor=((1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3)),
    unseen=(),
    teammates=(Teammate((5, 2), "tomato", 210, 209),),
    recent=loading(203, 207)[-3:],
    barred=(),
    layout=KITCHEN,
    reach=frozenset({(0, 1), (0, 2), (0, 3), (1, 0), (1, 4), (2, 1), (2, 4), (3, 1), (3, 4), UPPER, LOWER}),
)
PLAN_COOKING = Plan(
    situation=ROOM,
    strategy="Serve what the teammate cooks.",
    others=(),
    history=(),
    critiques=(),
    because="the teammate has taken the soup from (4, 3)",
    previous=plan_record((Interact((3, 4)), Wait(LOWER), Interact(LOWER), Interact((3, 1))), 1),
)


def planned(question: Plan, **changes: Any) -> Plan:
    """A question for a plan with other values of its own fields or of its situation's."""
    own = {
        name: changes.pop(name)
        for name in ("strategy", "history", "critiques", "because", "previous")
        if name in changes
    }
    return replace(question, situation=replace(room_of(question), **changes), **own)


def room_of(question: Any) -> KitchenRoomSeat:
    """The situation of a question about a plan."""
    assert isinstance(question.situation, KitchenRoomSeat)
    return question.situation


NEWLY_THERE = planned(
    PLAN_COOKING,
    step=0,
    pose=Pose(2, 2, Facing.NORTH),
    strategy="Look around.",
    role=None,
    expected=None,
    pots=(),
    stations=(),
    spare=((0, 2), (2, 1)),
    unseen=((1, 4), (2, 4), (3, 4)),
    teammates=(),
    recent=(),
    pace=Pace(),
    own=WorkCost(None, None),
    because="nothing is planned yet",
    previous=None,
)
REFUSED = planned(
    PLAN_COOKING,
    hands="tomato",
    pots=(ROOM.pots[0], replace(ROOM.pots[1], tomatoes=3, mark="cooked", is_full=True, ready=203)),
    teammates=(Teammate((6, 3), None, 201),),
    critiques=("The pot is full: put the tomato down and fetch a dish.",),
    because="interact((4, 2)) has failed: the pot is full",
    previous=plan_record((Interact((0, 1)), Interact(UPPER)), 1, failed=Interact(UPPER)),
    barred=(Barred(UPPER, "The pot is full: put the tomato down and fetch a dish."),),
)
UNDECIDED = planned(
    PLAN_COOKING,
    strategy=None,
    role=None,
    expected=None,
    history=ROUNDS,
    critiques=("Go on.", "Hold a dish when the soup is done."),
    because="the plan is carried out",
    previous=plan_record((Interact((3, 4)),), 1),
)
BEFORE = replace(
    ROOM,
    step=180,
    pose=Pose(2, 2, Facing.WEST),
    hands="tomato",
    pots=(Pot(UPPER, 2, None, 180, is_full=False, ready=None), Pot(LOWER, 1, None, 171, is_full=False, ready=None)),
    teammates=(Teammate((6, 3), None, 171),),
)
AFTER = replace(ROOM, role=None, expected=None, recent=loading(203, 207))
PLANNED = (Interact(UPPER), Interact((3, 4)))
CARRIED_OUT = ReviewPlan(AFTER, plan_record(PLANNED, 2), "the plan is carried out", 20.0, BEFORE)
FAILED = replace(
    CARRIED_OUT,
    plan=plan_record(PLANNED, 0, failed=PLANNED[0]),
    because=f"{PLANNED[0]} has failed: your hands stayed as they were",
    reward=0.0,
)
NOW = KitchenSeat(COOKS, 210, None, ROOM.pots, Held("tomato", 209), Pace(14, 121, 1, 33), WorkCost(13, 9), ROOM.other)
AT_FIRST = KitchenSeat(COOKS, 0, None, (), None, Pace(), WorkCost(None, None), WorkCost(None, None))
PAID = Hypothesis("Keep all pots full.", 3.4)
TEAMMATE = "teammate"
BELIEF = PlayerBelief(TEAMMATE, FAITH[0].words, "loads pots promptly")
CHOOSE = ChooseStrategy(NOW, ROUNDS[-1:], others=(BELIEF,), is_rule=False)
REVISE = Revise(NOW, TEAMMATE, ROUNDS, FAITH, ())

RING = Layout.from_ascii("  ###C#  \n  #   C  \n  D # #  \n  O   #  \n  #OT##  ", "#OTDC")
"""One room: a ring one cell wide round a counter."""
SHARED_ROOM = replace(
    ROOM,
    rules=replace(COOKS, rooms="shared", cooks=3),
    pose=Pose(4, 3, Facing.WEST),
    role=LOADS,
    expected=None,
    pots=(Pot((5, 0), 2, None, 205, is_full=False, ready=None), Pot((6, 1), 3, "40%", 205, is_full=True, ready=217)),
    own=WorkCost(12, 16),
    other=WorkCost(None, None),
    stations=(
        Station(DISHES, (2, 2), "dish", 0),
        Station(TOMATOES, (2, 3), "tomato", 210),
        Station(DELIVERY, (4, 4), None, 210),
    ),
    spare=((4, 2),),
    floor=tuple((x, y) for x, y in RING.open_cells if 3 <= x <= 5 and 1 <= y <= 3),
    teammates=(Teammate((5, 1), "dish", 209, 200, "player_1"), Teammate((3, 2), None, 205, 205, "player_2", stood=14)),
    recent=(),
    layout=RING,
    reach=frozenset({(2, 2), (2, 3), (4, 2), (4, 4), (5, 0), (6, 1)}),
    parts={"player_1": "serves soup promptly", "player_2": "stands around"},
)
"""A room with two teammates: one serves, the other stands before the dishes."""
BOTH = (PlayerBelief("player_1", None, "serves soup promptly"), PlayerBelief("player_2", None, "stands around"))
LATEST = (replace(ROUNDS[-1], partner="player_1", by="player_1"), replace(ROUNDS[0], partner="player_2", by="player_1"))
AMONG_TWO = replace(NOW, rules=SHARED_ROOM.rules, pots=SHARED_ROOM.pots, own=SHARED_ROOM.own, other=SHARED_ROOM.other)

KITCHEN_EXAMPLES: Mapping[str, Question[Any]] = {
    "propose_teammate": Propose(NOW, TEAMMATE, ROUNDS, FAITH),
    "propose_first_teammate": Propose(NOW, TEAMMATE, ROUNDS[:1], ()),
    "predict_teammate": Predict(
        NOW, TEAMMATE, ROUNDS, (*FAITH, Hypothesis("The teammate rests often.")), decides=False
    ),
    "predict_teammate_by_one": Predict(NOW, TEAMMATE, ROUNDS, FAITH[:1], decides=False),
    "predict_teammate_unknown": Predict(AT_FIRST, TEAMMATE, (), (), decides=False),
    "choose_role": CHOOSE,
    "choose_role_at_first": ChooseStrategy(AT_FIRST, (), is_rule=False),
    "choose_role_among_two": ChooseStrategy(AMONG_TWO, LATEST, others=BOTH, is_rule=False),
    "plan_in_one_room": replace(PLAN_COOKING, situation=SHARED_ROOM, strategy="Keep all pots full."),
    "read_teammate": ReadMinds(NOW, (TEAMMATE,), ROUNDS),
    "read_teammate_at_first": ReadMinds(AT_FIRST, (), ()),
    "revise_teammate": REVISE,
    "revise_first_teammate": Revise(NOW, TEAMMATE, ROUNDS[:1], (), ()),
    "revise_nothing_in_a_kitchen": Revise(AT_FIRST, None, (), (), ()),
    "make_cooking_strategy": ChooseStrategy(NOW, ROUNDS, best=(PAID,)),
    "make_first_cooking_strategy": ChooseStrategy(AT_FIRST, ()),
    "follow_cooking_strategy": FollowStrategy(NOW, ROUNDS[-1:], PAID.words),
    "judge_cooking_strategy": JudgeStrategy(NOW, ROUNDS[0], KitchenStrategy("", role=SERVES)),
    "plan_cooking": PLAN_COOKING,
    "plan_cooking_knowing_nothing": NEWLY_THERE,
    "plan_cooking_after_a_failure": REFUSED,
    "critique_interaction": CritiqueInteraction(
        COOKS,
        UPPER,
        "tomato",
        Station("pot_3", UPPER, "40%", 209),
        Station("pot_3", UPPER, "50%", 210),
        room_of(REFUSED).pots,
        210,
        room_of(REFUSED).teammates[0],
    ),
    "plan_cooking_undecided": UNDECIDED,
    "review_cooking": CARRIED_OUT,
    "review_failed_cooking": FAILED,
    "critique_bare_counter": CritiqueInteraction(COOKS, (2, 4), None, None, None, room_of(REFUSED).pots, 210, None),
}
