"""The built-in reasoner: what it thinks of an opponent, its best responses, its routes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.core import Hypothesis
from hm_agent.repeated_games.payoffs import Shares
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.mind_questions import Prediction
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import expected_inventories
from hm_agent.worlds.melting_pot.games.matrix.map_seat import MatrixMapSeat, Place, Seen, Site
from hm_agent.worlds.melting_pot.games.matrix.moves import Moves, moves_in
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import Constant, Mixture, Rule
from hm_agent.worlds.melting_pot.games.matrix.pickups import PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.questions import InferInventory
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import (
    fit,
    posterior,
    strategy_from_words,
    update_on_pickups,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.revision import counter
from hm_agent.worlds.melting_pot.games.matrix.reasoner.rule_class import rule_class
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, reward
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, OtherPlayer
from hm_agent.worlds.melting_pot.grid import Layout, Pose
from tests.support.melting_pot.asking import ask
from tests.worlds.melting_pot.games.matrix_examples import (
    DILEMMA,
    HUNT,
    ROCK_PAPER_SCISSORS,
    against_one,
    first_hypothesis,
    planned,
    predict,
    pure,
    pure_interaction,
)

NAMES = ("rock", "paper", "scissors")
RULES = ROCK_PAPER_SCISSORS


def interaction(own: str, other: str, shown: str | None = None) -> MatrixInteraction:
    return pure_interaction(RULES, own, other, shown)


def always(played: str) -> str:
    return f"The opponent always plays {played}."


def decided(
    *met: MatrixInteraction, believed: str = "", taken: Counts | None = None, held: Counts = (1, 1, 1)
) -> AgainstOne:
    """What the reasoner decides on. believed: the hypothesis. taken: by the opponent since. held: by the agent."""
    other = OtherPlayer("opponent", PickupRecord(50, taken) if taken else None)
    hypotheses = [Hypothesis(believed)] if believed else []
    seat = replace(against_one(RULES, *met), held=held, others=(other,))
    answer = ask(predict(seat, *hypotheses))
    assert isinstance(answer, Prediction)
    strategy: AgainstOne = answer.strategy
    return strategy


def hypothesis_after(*met: MatrixInteraction) -> str:
    return ask(first_hypothesis(RULES, *met)).hypothesis


@pytest.mark.parametrize("rules", [RULES, DILEMMA, HUNT], ids=lambda rules: rules.behaviours[0])
def test_every_rule_is_read_back_from_its_own_words(rules: MatrixRules) -> None:
    for rule, _ in rule_class(rules.stage_game):
        assert strategy_from_words(rule.words.upper(), rules, ()) == rule


@pytest.mark.parametrize("rules", [RULES, DILEMMA, HUNT], ids=lambda rules: rules.behaviours[0])
def test_no_two_rules_of_the_class_act_alike(rules: MatrixRules) -> None:
    dice, kinds = random.Random(0), range(len(rules.behaviours))
    moves = [Moves(dice.choice(kinds), dice.choice(kinds), dice.choice(kinds)) for _ in range(400)]
    acts = [tuple(replies_of(rule, moves)) for rule, _ in rule_class(rules.stage_game)]
    assert len(set(acts)) == len(acts)


def replies_of(rule: Rule, moves: Sequence[Moves]) -> Iterator[int]:
    """A rule's reply before each of these interactions; it starts anew every eight of them."""
    for begin in range(0, len(moves), 8):
        state = rule.start
        for move in moves[begin : begin + 8]:
            yield rule.reply(rule.noticing(state, move.seen))
            state = rule.after(state, move)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("rules", [RULES, DILEMMA], ids=["rock paper scissors", "dilemma"])
def test_an_opponent_that_follows_any_rule_of_the_class_is_soon_predicted(
    rules: MatrixRules, data: st.DataObject
) -> None:
    rule = data.draw(st.sampled_from([rule for rule, prior in rule_class(rules.stage_game) if prior > 0]))
    kinds = len(rules.behaviours)
    own = data.draw(st.lists(st.integers(0, kinds - 1), min_size=40, max_size=40))
    met: list[MatrixInteraction] = []
    names, right, state = rules.behaviours, 0, rule.start
    for number, move in enumerate(own):
        reply = rule.reply(state)
        other = max(reply, 0)
        odds = mean_prediction(rules, met)
        right += number >= 20 and odds.index(max(odds)) == other
        met.append(pure_interaction(rules, names[move], names[other]))
        state = rule.after(state, moves_in(names, met[-1:])[0])
    assert right >= 17


def mean_prediction(rules: MatrixRules, met: Sequence[MatrixInteraction]) -> Shares:
    parts = [(each.prediction(), weight) for each, weight in posterior(rules, met)]
    return tuple(sum(part[kind] * weight for part, weight in parts) for kind in range(len(rules.behaviours)))


def test_recent_interactions_outweigh_old_ones() -> None:
    changed = [pure_interaction(RULES, "paper", "rock")] * 12 + [pure_interaction(RULES, "paper", "scissors")] * 3
    assert argmax(mean_prediction(RULES, changed)) == NAMES.index("scissors")
    rock = Constant(NAMES, 0)
    assert fit(rock, RULES, changed).accuracy() < fit(rock, RULES, changed[::-1]).accuracy()


def test_a_mixture_is_read_back_from_its_words() -> None:
    mixture = Mixture(NAMES, (0.5, 0.25, 0.25))
    assert strategy_from_words(mixture.words, RULES, ()) == mixture


def test_unknown_words_are_predicted_from_the_history() -> None:
    met = [interaction("paper", "rock")] * 5
    guessed = strategy_from_words("It likes the colour yellow.", RULES, met)
    assert argmax(guessed.chances(guessed.start)) == NAMES.index("rock")


def test_the_same_move_every_time_is_a_pure_strategy() -> None:
    assert hypothesis_after(*[interaction("paper", "rock")] * 3) == "The opponent always plays rock."


@pytest.mark.parametrize(("played", "counter"), [("rock", "paper"), ("paper", "scissors"), ("scissors", "rock")])
def test_the_counter_beats_what_the_hypothesis_predicts(played: str, counter: str) -> None:
    strategy = decided(interaction("rock", played), believed=always(played))
    assert strategy.expects.kind == played
    assert max(strategy.hold, key=strategy.hold.__getitem__) == counter
    assert strategy.hold[counter] >= 5


def test_observed_pickups_outweigh_a_hypothesis_with_little_evidence() -> None:
    strategy = decided(interaction("rock", "rock"), believed=always("rock"), taken=(0, 2, 0))
    assert strategy.expects.kind == "paper"
    assert max(strategy.hold, key=strategy.hold.__getitem__) == "scissors"


def test_one_observed_pickup_does_not_outweigh_a_hypothesis_with_much_evidence() -> None:
    strategy = decided(*[interaction("rock", "rock")] * 20, believed=always("rock"), taken=(0, 1, 0))
    assert strategy.expects.kind == "rock"


def test_counter_keeps_what_is_held() -> None:
    hold = decided(interaction("rock", "rock"), taken=(0, 5, 0), held=(1, 4, 1)).hold
    assert hold["paper"] == 4
    assert hold["scissors"] > 4


def is_covert_after(rules: MatrixRules, *met: MatrixInteraction) -> bool:
    return counter(against_one(rules, *met), met, "")[0].covert


def test_strategy_is_covert_while_the_opponent_may_respond_to_observed_pickups() -> None:
    met = [interaction("paper", "paper", shown="rock"), interaction("rock", "scissors", shown="paper")]
    met += [interaction("paper", "rock", shown="scissors"), interaction("paper", "rock")]
    assert is_covert_after(RULES, *met)


def test_strategy_is_not_covert_once_another_rule_explains_the_opponent() -> None:
    moves = ["rock", "paper", "rock", "scissors", "paper", "scissors"]
    answers = {"rock": "paper", "paper": "scissors", "scissors": "rock"}
    assert not is_covert_after(RULES, *(interaction(own, answers[last]) for last, own in pairwise(moves)))
    assert not is_covert_after(DILEMMA), "no rule of a game that isn't zero-sum is likely to look at what is collected"


def test_hundreds_of_equal_interactions_do_not_underflow() -> None:
    met = [interaction("paper", "rock")] * 300 + [interaction("paper", "scissors")]
    assert hypothesis_after(*met)


def test_inferred_inventory_explains_the_reward() -> None:
    paid = reward(pure(RULES, "paper"), pure(RULES, "rock", 9), RULES.payoff)
    answer = ask(InferInventory(RULES, pure(RULES, "paper"), paid))
    assert answer.inventory == {"rock": 9, "paper": 1, "scissors": 1}


PLAN = Plan(
    situation=MatrixMapSeat(
        rules=RULES,
        step=100,
        held=(1, 1, 1),
        others=(OtherPlayer("opponent"),),
        pose=Pose(5, 5, 0),
        target=pure(RULES, "paper", 4),
        things=(Place("purple_box", (7, 5), 99, True), Place("purple_box", (6, 5), 99, True)),
        sites=(Site("purple_box", (9, 5), None),),
        likely=(((20, 5), 0.3),),
        unseen=(((2, 12), None),),
        layout=Layout(23, 15, frozenset()),
    ),
    strategy=None,
    others=(),
    history=(),
    critiques=(),
    because="",
)


def calls_of(question: Plan) -> list[str]:
    return ask(question).calls


def test_missing_resources_are_collected_nearest_first_before_the_opponent_is_met() -> None:
    assert calls_of(PLAN) == [
        "move_to((6, 5))",
        "move_to((7, 5))",
        "move_to((9, 5))",
        "fire_on_sight()",
        "fire_at((20, 5))",
    ]


def test_opponent_is_fired_at_on_sight_as_soon_as_the_same_plan_would_meet_one_in_sight() -> None:
    for held in range(1, 12):
        start = planned(NEAR, held=pure(RULES, "paper", held), target=pure(RULES, "paper", 12), sightings=())
        start = planned(start, things=tuple(Place("purple_box", (6 + n, 5), 99, True) for n in range(12)))
        calls = calls_of(start)
        enough = held + calls.index("fire_on_sight()")
        meets = [calls_of(planned(start, held=pure(RULES, "paper", n), sightings=(SEEN,)))[0] for n in range(held, 12)]
        assert [call.startswith("fire_at") for call in meets] == [n >= enough for n in range(held, 12)]


@pytest.mark.parametrize(
    ("changes", "calls"),
    [
        ({"held": (1, 4, 1)}, ["fire_at((20, 5))"]),  # the target inventory
        # What is missing is collected even if another kind leads; the main resource, until it leads.
        ({"held": (6, 1, 1), "target": (6, 2, 1)}, ["move_to((6, 5))", "fire_on_sight()", "fire_at((20, 5))"]),
        ({"held": (4, 4, 1)}, ["move_to((6, 5))", "fire_on_sight()", "fire_at((20, 5))"]),
        ({"held": (4, 5, 1)}, ["fire_at((20, 5))"]),
        # Where nothing is known, the place that was out of view for longest is explored.
        ({"things": (), "sites": ()}, ["move_to((2, 12))"]),
    ],
)
def test_a_route_collects_what_is_missing_and_then_seeks_the_opponent(
    changes: dict[str, Any], calls: list[str]
) -> None:
    assert calls_of(planned(PLAN, **changes)) == calls


def test_site_just_seen_empty_is_not_visited() -> None:
    just_empty = planned(PLAN, things=(), sites=(Site("purple_box", (6, 5), 95),))
    assert calls_of(just_empty) == ["move_to((2, 12))"]
    assert calls_of(planned(just_empty, step=200))[0] == "move_to((6, 5))"


SEEN = Seen("opponent", (7, 7), 100, sought=True)
NEAR = planned(PLAN, target=pure(RULES, "paper", 8), sightings=(SEEN,))


def test_near_opponent_is_met_early_where_more_resources_hardly_pay() -> None:
    early = planned(NEAR, held=pure(RULES, "paper", 5))
    assert calls_of(early) == calls_of(planned(early, expected=pure(RULES, "rock"))) == ["fire_at((20, 5))"]


@pytest.mark.parametrize(
    "early",
    [
        planned(NEAR, held=pure(RULES, "paper", 2)),
        planned(NEAR, held=pure(RULES, "paper", 5), sightings=(replace(SEEN, step=90),)),
        planned(NEAR, held=pure(RULES, "paper", 5), sightings=(replace(SEEN, cell=(20, 5)),)),
        planned(NEAR, held=pure(RULES, "paper", 5), sightings=(replace(SEEN, sought=False),)),
        planned(NEAR, held=(5, 5, 1)),
    ],
    ids=["with little in hand", "not in sight", "far away", "not to be met", "without a lead"],
)
def test_opponent_is_not_met_early(early: Plan) -> None:
    assert not calls_of(early)[0].startswith("fire_at")


def test_near_opponent_is_met_with_a_small_lead_where_that_pays_nearly_as_much() -> None:
    dilemma = replace(
        RULES, behaviours=("cooperate", "defect"), things=("yellow_box", "purple_box"), payoff=((3, 0), (5, 1))
    )
    held = planned(NEAR, rules=dilemma, held=(1, 2), target=(1, 4), expected=(6, 1))
    assert calls_of(held) == ["fire_at((20, 5))"]
    assert calls_of(planned(held, held=(1, 1)))[0].startswith("move_to")


def test_one_who_answers_what_it_sees_collected_for_this_very_interaction_is_found_out() -> None:
    dice, met = random.Random(1), list[MatrixInteraction]()
    for _ in range(12):
        own = dice.randrange(3)
        met.append(interaction(NAMES[own], NAMES[(own + 1) % 3], shown=NAMES[own]))
    assert hypothesis_after(*met) == "The opponent plays what does best against what it last saw me collect."
    assert is_covert_after(RULES, *met)


def test_another_rule_is_soon_believed_however_long_the_old_one_held() -> None:
    """The opponent copies the agent's last move 19 times, then plays rock, while the agent's last move is scissors."""
    own = [NAMES[(number * number + number // 3) % 3] for number in range(24)]
    copied = [pure_interaction(RULES, mine, before) for before, mine in pairwise(own[:20])]
    met = [*copied, *(pure_interaction(RULES, mine, "rock") for mine in own[20:])]
    assert own[-1] == "scissors"
    assert mean_prediction(RULES, met)[NAMES.index("rock")] > 0.6


def test_one_pickup_of_an_unknown_player_tells_as_much_as_pickups_are_reliable() -> None:
    assert update_on_pickups((1 / 3, 1 / 3, 1 / 3), (0, 1, 0), 0.9) == pytest.approx((0.05, 0.9, 0.05))


def test_an_opponent_is_expected_to_hold_the_median_of_what_it_held() -> None:
    met = [replace(pure_interaction(RULES, "paper", "rock"), other=(count, 1, 1)) for count in (9, 3, 4)]
    assert expected_inventories(RULES, met) == ((4, 1, 1), (1, 6, 1), (1, 1, 6))
