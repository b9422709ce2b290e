"""An example of every kind of question in matrix games, with which prompts and answers are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, FollowStrategy, JudgeStrategy, Plan, ReviewPlan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import AskProbes, Predict, Propose, ReadMinds, Revise
from hm_agent.theory_of_mind.odds_questions import GiveOdds
from hm_agent.worlds.melting_pot.facts import Beam, Counts, Length, argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import LastSeen, pure_inventory
from hm_agent.worlds.melting_pot.games.matrix.facts import READY, Regrowth, Timing
from hm_agent.worlds.melting_pot.games.matrix.map_seat import MatrixMapSeat, Place, Seen, Site
from hm_agent.worlds.melting_pot.games.matrix.pairs.kinds import Creed
from hm_agent.worlds.melting_pot.games.matrix.pairs.takings import Taking, Witnessed
from hm_agent.worlds.melting_pot.games.matrix.pickups import Pickup, PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.questions import InferInventory
from hm_agent.worlds.melting_pot.games.matrix.rules import (
    LastShown,
    MatrixInteraction,
    MatrixRules,
    PartnerEvidence,
    is_lead_open,
    reward,
)
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat, OtherPlayer, Reach
from hm_agent.worlds.melting_pot.games.options import Hints
from hm_agent.worlds.melting_pot.grid import Facing, Layout, Pose, Window
from hm_agent.worlds.melting_pot.planning.calls import Aim, FireAt, FireOnSight, MoveTo, plan_record

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
    kinds = played(other, rules), played(own, rules)
    last = rules.behaviours[shown.index(max(shown))]
    last_shown = LastShown(last, 12) if any(shown) else None
    return MatrixInteraction(step, "opponent", own, paid, other, *kinds, shown, is_open, last_shown=last_shown)


def pure(rules: MatrixRules, kind: str, count: int = 6) -> Counts:
    """An inventory with so much of one kind, and the initial count of all others."""
    return pure_inventory(rules, rules.behaviours.index(kind), count)


def pure_interaction(
    rules: MatrixRules, own: str, other: str, shown: str | None = None, step: int = 0, partner: str = "opponent"
) -> MatrixInteraction:
    """One in which both hold six of a kind. shown: the kind of which the partner saw the agent collect one."""
    held, theirs = pure(rules, own), pure(rules, other)
    seen = tuple(int(kind == shown) for kind in rules.behaviours)
    return MatrixInteraction(step, partner, held, reward(held, theirs, rules.payoff), theirs, other, own, seen)


def played(inventory: Counts, rules: MatrixRules) -> str | None:
    main = argmax(inventory)
    return None if main is None else rules.behaviours[main]


HISTORY = (
    interaction(96, (6, 1, 1), (1, 6, 1), (0, 0, 0)),
    interaction(187, (1, 1, 6), (7, 1, 2), (0, 0, 2)),
    interaction(265, (2, 7, 1), (1, 1, 6), (1, 3, 0)),
    replace(
        interaction(301, (2, 2, 2), (2, 1, 1), (0, 0, 0)),
        behaviour=None,
        last_shown=LastShown("paper", 48),  # before the interaction at step 265
    ),
)
BEST = (
    Hypothesis("It plays the best response to what I played last.", 0.51, "rock", right=2, tested=2),
    Hypothesis("It cycles through paper, rock and scissors.", 0.09, "paper", right=2, tested=3),
)
PLAN = Plan(
    situation=MatrixMapSeat(
        rules=ROCK_PAPER_SCISSORS,
        step=345,
        held=(1, 3, 2),
        others=(OtherPlayer("opponent"),),
        last_shown=LastShown("paper", 4),
        pose=Pose(9, 6, Facing.NORTH),
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
        sightings=(Seen("opponent", (16, 9), 338, sought=True, mark=READY, taken=(2, 0, 0)),),
        likely=(((17, 7), 0.413), ((14, 6), 0.3), ((20, 2), 0.052)),
        unseen=(((1, 13), None), ((21, 12), 61)),
        layout=Layout(23, 15, frozenset()),
    ),
    strategy="hold rock 1, paper 7, scissors 1, expecting rock to lead with 6",
    others=(),
    history=(),
    critiques=(),
    because="an interaction is over",
)


OWN_FIELDS = {"strategy", "history", "critiques", "because", "previous"}


def planned(question: Plan, **changes: Any) -> Plan:
    """A question for a plan with other values of its own fields or of its situation's.

    The situation tells the interactions of a history that is given.
    """
    own = {name: changes.pop(name) for name in OWN_FIELDS & changes.keys()}
    if "history" in own:
        changes.setdefault("interactions", own["history"])
    return replace(question, situation=replace(map_of(question), **changes), **own)


def map_of(question: Plan) -> MatrixMapSeat:
    """The situation of a question for a plan."""
    assert isinstance(question.situation, MatrixMapSeat)
    return question.situation


LOST = planned(
    PLAN,
    step=0,
    pose=Pose(1, 4, Facing.EAST),
    held=(1, 1, 1),
    strategy="hold rock 6, paper 1, scissors 1, to see what the opponent plays",
    target=(6, 1, 1),
    expected=None,
    things=(),
    sites=(),
    sightings=(),
    likely=(((14, 4), 0.11), ((8, 4), 0.11), ((11, 7), 0.108)),
    unseen=(((1, 9), None), ((6, 4), None)),
)
DILEMMAS = (interaction(80, (5, 1), (1, 4), (2, 0), DILEMMA),)
HUNTED = (interaction(70, (5, 1), (1, 5), (2, 0), HUNT), interaction(151, (1, 6), (5, 1), (0, 3), HUNT))


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
    OtherPlayer("player_1", former=(PickupRecord(240, (0, 2, 0)),), seen=LastSeen(345, 7, READY)),
    OtherPlayer("player_2", PickupRecord(310, (0, 0, 2))),
    OtherPlayer(
        "player_3",
        PickupRecord(333, (1, 0, 0)),
        (PickupRecord(60, (0, 3, 0)), PickupRecord(201, (2, 0, 1))),
        LastSeen(333, 4),
    ),
    OtherPlayer("player_4"),
)
PLAYERS = ("player_1", "player_2", "player_3")
BELIEFS = (
    PlayerBelief("player_1", BEST[0].words, "paper", right=2, tested=2),
    PlayerBelief("player_2", "The opponent always plays scissors.", "scissors"),
    PlayerBelief("player_3", None, "rock"),
)
TAKEN = PickupRecord(
    340,
    (2, 0, 1),
    (Pickup(320, "rock", (3, 4), True), Pickup(331, "scissors", (5, 4), False), Pickup(340, "rock", (3, 5), True)),
)
STRANGER = OtherPlayer("opponent")
SIGHT = OtherPlayer("opponent", TAKEN)
SOUGHT = planned(
    PLAN,
    rules=ARENA,
    strategy="hold rock 7, paper 1, scissors 1 and meet player_2",
    others=tuple(map(OtherPlayer, PLAYERS)),
    target=(7, 1, 1),
    expected=None,
    because="player_2 has come into view, ready to interact",
    previous=plan_record((MoveTo((9, 4)), MoveTo((13, 5)), FireAt((14, 2), Aim(("player_2",)))), 2, (MoveTo((13, 5)),)),
    sightings=(
        Seen("player_1", (16, 9), 345, sought=False),
        Seen("player_2", (14, 2), 338, sought=True),
        Seen("player_3", (3, 3), 101, sought=False),
    ),
    likely=(((15, 4), 0.7), ((20, 2), 0.05)),
)
UNDECIDED = planned(PLAN, strategy=None, target=None, expected=None, history=HISTORY, others=(SIGHT,))
UNDECIDED_AMONG_MANY = planned(
    UNDECIDED,
    rules=ARENA,
    sightings=map_of(SOUGHT).sightings,
    history=tuple(replace(met, partner=f"player_{n}") for n, met in enumerate(HISTORY, 1)),
    others=OPPONENTS[:3],
    critiques=("Go on.", "Hold more of one kind before you fire."),
)
WATCHING = planned(
    SOUGHT,
    strategy="hold rock 1, paper 3, scissors 2 and watch the others",
    target=map_of(PLAN).held,
    is_watching=True,
    because="your strategy has changed",
    previous=None,
)
JOINT = planned(PLAN, history=HISTORY, strategy=f"{PLAN.strategy}; it has answered my last kind twice")
PLANNED = plan_record((MoveTo((9, 4)), MoveTo((13, 5)), FireAt((17, 7))), 2, (MoveTo((13, 5)),))
FIRED = plan_record((FireOnSight(), MoveTo((13, 5)), FireAt((17, 7))), 1, shot=FireAt((10, 4), Aim(("player_2",))))
AFTER = planned(PLAN, step=371, pose=Pose(9, 4, Facing.NORTH), held=(1, 4, 2))
PAID = (Hypothesis("I hold what beats what it held last.", 3.21), Hypothesis("I always hold paper.", 0.4))


def against_one(rules: MatrixRules = ROCK_PAPER_SCISSORS, *met: MatrixInteraction, step: int = 305) -> MatrixSeat:
    """The situation of a player with the starting inventory that has seen nothing of its only opponent."""
    return MatrixSeat(rules, step, (rules.initial_inventory,) * len(rules.behaviours), (STRANGER,), met)


def predict(seat: MatrixSeat, *hypotheses: Hypothesis, certain: bool = False) -> Predict:
    """The question of what an only opponent does next, after all interactions of the situation."""
    return Predict(seat, "opponent", seat.interactions, hypotheses, certain=certain)


def first_hypothesis(rules: MatrixRules, *met: MatrixInteraction) -> Propose:
    """The question for a first hypothesis about an only opponent."""
    return Propose(against_one(rules, *met, step=met[-1].step), "opponent", met, ())


def met_by(player: str, *interactions: MatrixInteraction) -> tuple[MatrixInteraction, ...]:
    return tuple(replace(each, partner=player) for each in interactions)


WITHIN_REACH = Reach(
    map_of(PLAN).layout, map_of(PLAN).pose.cell, {place.cell: place.kind for place in map_of(PLAN).things}
)
LATER = replace(
    against_one(ROCK_PAPER_SCISSORS, *HISTORY, step=345),
    held=(1, 4, 1),
    others=(SIGHT,),
    may_watch=False,
    last_shown=LastShown("paper", 109),
    reach=WITHIN_REACH,
)
TAKEN_BY_AGENT = (
    Taking(19, 2, is_own=True, agent=Pose(3, 13, Facing.WEST), other=Pose(1, 13, Facing.EAST)),
    Taking(41, 0, is_own=True, agent=Pose(3, 3, Facing.EAST), other=Pose(5, 3, Facing.EAST)),
)
TAKEN_BY_OPPONENT = (
    Taking(23, 1, is_own=False, agent=Pose(14, 3, Facing.EAST), other=Pose(16, 3, Facing.EAST)),
    Taking(52, 2, is_own=False, agent=Pose(6, 7, Facing.SOUTH), other=Pose(6, 9, Facing.NORTH)),
)
IN_A_PAIR = replace(
    against_one(
        replace(ONE_SHOT, length=Length(500, 1, 1.0, one_interaction=True), clues=False, hints=Hints.NONE), step=340
    ),
    held=(2, 1, 2),
    may_watch=False,
    witnessed=Witnessed(Creed(1, 1), TAKEN_BY_AGENT, Window(2, 2, 3, 1)),
)
ONCE = replace(against_one(ONE_SHOT, step=345), held=(1, 4, 1), others=(SIGHT,), may_watch=False)
MET = (*met_by("player_1", *HISTORY[:2]), *met_by("player_2", HISTORY[2]))
CROWD = MatrixSeat(ARENA, 345, (1, 2, 1), OPPONENTS)
CHOOSE = ChooseStrategy(replace(CROWD, interactions=MET), (), others=BELIEFS, is_rule=False)
FIRST_OF_MANY = replace(CROWD, held=(1, 1, 1), others=OPPONENTS[:1])
OF_MANY = UNDECIDED_AMONG_MANY.history
EARLY = replace(against_one(DILEMMA, *DILEMMAS), step=85)

MATRIX_EXAMPLES: Mapping[str, Question[Any]] = {
    "infer_inventory": InferInventory(ROCK_PAPER_SCISSORS, (1, 6, 1), 3.125),
    "propose_hypothesis": Propose(against_one(ROCK_PAPER_SCISSORS, *HISTORY), "opponent", HISTORY, BEST),
    "propose_first_hypothesis": first_hypothesis(ROCK_PAPER_SCISSORS, HISTORY[0]),
    "propose_among_many": Propose(FIRST_OF_MANY, "player_1", MET[:2], BEST),
    "predict_and_counter": predict(against_one(ROCK_PAPER_SCISSORS, *HISTORY), *BEST),
    "predict_at_first": predict(against_one(step=0)),
    "predict_the_one_interaction": predict(ONCE),
    "give_odds": GiveOdds(against_one(ROCK_PAPER_SCISSORS, *HISTORY), "opponent", HISTORY),
    "give_odds_at_first": GiveOdds(against_one(step=0), "opponent", ()),
    "give_odds_of_one_among_many": GiveOdds(replace(CROWD, interactions=MET[2:]), "player_1", MET[:2]),
    "revise_before_the_one_interaction": Revise(ONCE, "opponent", (), (), ()),
    "predict_in_a_pair": predict(IN_A_PAIR),
    "probe_in_a_pair": AskProbes(
        replace(IN_A_PAIR, witnessed=Witnessed(Creed(2, 2), TAKEN_BY_OPPONENT, Window(2, 2, 3, 1))),
        ("Which kind leads in what opponent holds?",),
        ROCK_PAPER_SCISSORS.behaviours,
    ),
    "plan_undecided_in_a_pair": planned(
        UNDECIDED,
        rules=IN_A_PAIR.rules,
        step=340,
        held=IN_A_PAIR.held,
        history=(),
        others=IN_A_PAIR.others,
        last_shown=None,
        witnessed=Witnessed(Creed(0, 0), TAKEN_BY_OPPONENT, Window(2, 2, 3, 1)),
    ),
    "plan_the_one_interaction": planned(LOST, rules=ONE_SHOT, strategy="hold rock 6, paper 1, scissors 1"),
    "predict_without_clues": predict(
        replace(against_one(replace(ROCK_PAPER_SCISSORS, clues=False), *HISTORY), may_watch=False), *BEST
    ),
    "predict_for_certain": predict(against_one(step=0), BEST[0], certain=True),
    "predict_after_a_clue": predict(LATER, BEST[0]),
    "predict_without_hypothesis": predict(EARLY),
    "propose_in_a_dilemma": first_hypothesis(DILEMMA, *DILEMMAS),
    "plan": PLAN,
    "plan_knowing_nothing": LOST,
    "plan_in_an_episode_that_is_cut": planned(
        PLAN,
        rules=replace(ROCK_PAPER_SCISSORS, length=Length(400, 1, 1.0)),
        history=tuple(replace(HISTORY[1], step=20 * place, taken=(5, 0, 1)) for place in range(1, 11)),
    ),
    "plan_after_a_shot_on_sight": planned(SOUGHT, previous=FIRED, because=f"{FIRED.shot} has hit nobody in 60 steps"),
    "propose_in_a_hunt": first_hypothesis(HUNT, *HUNTED),
    "predict_in_a_hunt": predict(against_one(HUNT, *HUNTED, step=160), Hypothesis("It copies what I played last.")),
    "propose_in_an_asymmetric_game": first_hypothesis(BACH_FAN, *heard(BACH_FAN)),
    "predict_in_an_asymmetric_game": predict(against_one(BACH_FAN, *heard(BACH_FAN), step=160)),
    "predict_on_the_other_side": predict(against_one(STRAVINSKY_FAN, *heard(STRAVINSKY_FAN), step=160)),
    "predict_in_an_asymmetric_crowd": predict(
        replace(against_one(FAN_IN_A_CROWD, *heard(FAN_IN_A_CROWD), step=160), may_watch=False)
    ),
    "predict_among_many": Predict(FIRST_OF_MANY, "player_1", MET[:2], BEST, decides=False),
    "predict_one_among_many": Predict(FIRST_OF_MANY, "player_1", MET[:2], BEST[:1], decides=False),
    "choose_opponents": CHOOSE,
    "choose_opponents_without_clues": replace(
        CHOOSE, situation=replace(CROWD, rules=replace(ARENA, clues=False), interactions=MET, may_watch=False)
    ),
    "plan_among_many": SOUGHT,
    "plan_to_watch": WATCHING,
    "plan_jointly": JOINT,
    "plan_undecided": UNDECIDED,
    "plan_undecided_among_many": UNDECIDED_AMONG_MANY,
    "plan_undecided_at_first": planned(LOST, strategy=None, target=None, others=(STRANGER,)),
    "review_plan": ReviewPlan(
        AFTER.situation, PLANNED, "opponent has come into view, ready to interact", 0, PLAN.situation
    ),
    "review_paid_plan": ReviewPlan(
        planned(SOUGHT, step=371, held=(1, 4, 2)).situation,
        FIRED,
        "an interaction is over",
        -2.5,
        SOUGHT.situation,
        HISTORY[3:],
    ),
    "revise_and_counter": Revise(LATER, "opponent", HISTORY, BEST, ()),
    "revise_at_first": Revise(against_one(DILEMMA, step=0), None, (), (), ()),
    "revise_and_choose": Revise(replace(CROWD, interactions=MET[2:]), "player_1", MET[:2], BEST, BELIEFS[1:2]),
    "choose_jointly_at_first": Revise(
        replace(CROWD, step=0, held=(1, 1, 1), others=tuple(map(OtherPlayer, PLAYERS))), None, (), (), ()
    ),
    "read_minds": ReadMinds(LATER, ("opponent",), HISTORY),
    "read_minds_at_first": ReadMinds(against_one(DILEMMA, step=0), (), ()),
    "read_many_minds": ReadMinds(CROWD, PLAYERS[:2], MET),
    "make_strategy": ChooseStrategy(LATER, HISTORY, best=PAID),
    "make_first_strategy": ChooseStrategy(against_one(DILEMMA, step=0), ()),
    "make_strategy_among_many": ChooseStrategy(replace(CROWD, others=OPPONENTS[:3]), OF_MANY),
    "follow_strategy": FollowStrategy(LATER, HISTORY, PAID[0].words),
    "follow_strategy_among_many": FollowStrategy(replace(CROWD, others=OPPONENTS[:3]), OF_MANY, PAID[1].words),
    "judge_strategy": JudgeStrategy(LATER, HISTORY[0], (1, 1, 6)),
}
