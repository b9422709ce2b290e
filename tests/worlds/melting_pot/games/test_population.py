"""Which players to seek among many, what to collect, and how long players keep their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from hm_agent.repeated_games.payoffs import Shares
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    STEPS_PER_SEARCH,
    LastSeen,
    PartnerChoice,
    choose_partners,
    steps_to_find,
)
from hm_agent.worlds.melting_pot.games.matrix.pickups import RESPAWN_GAP, PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import (
    STEPS_PER_LIFE,
    KindPersistence,
    Opponent,
    choice_among,
    lives_between,
    lives_since,
    predict_all,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, reward
from hm_agent.worlds.melting_pot.games.matrix.seat import AmongMany, MatrixSeat, OtherPlayer
from tests.worlds.melting_pot.games.matrix_examples import ROCK_PAPER_SCISSORS, pure

NAMES = ("rock", "paper", "scissors")
RULES = replace(ROCK_PAPER_SCISSORS, width=25, height=24, players=8)
NOTHING = (1, 1, 1)
NOW = 400
LIFE = 150
EXPECTED = ((6, 1, 1), (1, 6, 1), (1, 1, 6))
UNKNOWN = KindPersistence(3, ())
STEADY = KindPersistence(3, ((True, 1.0),) * 8)
FICKLE = KindPersistence(3, ((False, 1.0),) * 6 + ((True, 1.0),) * 3)


def met(player: str, *played: str) -> Opponent:
    """A player with one interaction for each of `played`, and the hypothesis that it always plays the last one."""
    history = tuple(
        MatrixInteraction(100 * n, player, NOTHING, 0.0, pure(RULES, name), name, None, (0, 0, 0))
        for n, name in enumerate(played)
    )
    return Opponent(player, history=history, believed=f"The opponent always plays {played[-1]}.")


def seen(player: str, *taken: str) -> Opponent:
    """A player without interactions that was just seen to take `taken`."""
    return Opponent(player, life(NOW, *taken) if taken else None)


def known(player: str, *lives: str) -> Opponent:
    """A player that was seen to take two things of a kind in each of several former lives."""
    former = tuple(life(LIFE * n, name, name) for n, name in enumerate(lives))
    return Opponent(player, former=former)


def life(step: int, *taken: str) -> PickupRecord:
    return PickupRecord(step, tuple(taken.count(name) for name in NAMES))


def choose(*opponents: Opponent, own: Counts = NOTHING) -> AmongMany:
    return choice_among(MatrixSeat(RULES, NOW, own, opponents), opponents)


def meet(others: Mapping[str, Shares], sightings: Mapping[str, LastSeen] = MappingProxyType({})) -> PartnerChoice:
    search = steps_to_find({player: sightings.get(player) for player in others}, NOW)
    return choose_partners(RULES, others, EXPECTED, NOTHING, search)


def likeliest(player: str, *opponents: Opponent, step: int = NOW) -> tuple[str, float]:
    odds = predict_all(RULES, opponents, step)[player]
    assert sum(odds) == pytest.approx(1.0)
    return NAMES[odds.index(max(odds))], max(odds)


def test_only_players_that_the_same_inventory_beats_are_sought() -> None:
    answer = choose(met("player_1", "rock"), met("player_2", "rock"), met("player_3", "scissors"))
    assert answer.seek == ["player_1", "player_2"]


def test_held_inventory_counts_in_the_choice() -> None:
    answer = choose(met("player_1", "rock"), met("player_2", "scissors"), own=(8, 1, 1))
    assert answer.seek == ["player_2"]
    assert answer.hold["rock"] >= 8


def test_pickups_predict_the_behaviour() -> None:
    assert likeliest("player_1", seen("player_1", "paper", "paper"), seen("player_2"))[0] == "paper"


def test_present_pickups_outweigh_earlier_behaviour() -> None:
    changed = met("player_1", "rock")
    taking = replace(changed, present=life(NOW, "scissors", "scissors", "scissors"))
    assert likeliest("player_1", taking)[0] == "scissors"


def test_unknown_player_is_expected_to_be_as_the_others() -> None:
    rocks = [met(f"player_{n}", "rock", "rock") for n in range(1, 4)]
    name, odds = likeliest("player_7", *rocks, seen("player_7"))
    assert name == "rock"
    assert 0.4 < odds < likeliest("player_1", *rocks)[1]


def test_predictions_stay_certain_where_players_keep_their_kinds() -> None:
    steady = likeliest("player_1", known("player_1", "rock", "rock", "rock"), step=500)[1]
    fickle = likeliest("player_1", known("player_1", "paper", "scissors", "rock"), step=500)[1]
    assert fickle < 0.5 < 0.8 < steady


def test_pickups_just_seen_are_certain_whatever_came_before() -> None:
    fickle = known("player_1", "paper", "scissors", "rock")
    assert likeliest("player_1", replace(fickle, present=life(NOW, "paper", "paper")))[1] > 0.9


def test_old_pickups_are_less_certain_than_recent_ones() -> None:
    taking = [replace(known("player_1", "paper", "rock"), present=life(step, "paper", "paper")) for step in (100, 390)]
    old, recent = (likeliest("player_1", opponent)[1] for opponent in taking)
    assert old < recent


def test_respawned_player_is_predicted_from_its_former_lives() -> None:
    assert likeliest("player_1", known("player_1", "rock", "paper"))[0] == "paper"


def test_interaction_counts_among_the_lives_of_a_player() -> None:
    opponent = replace(met("player_1", "rock", "rock"), former=(life(50, "paper", "paper"),))
    assert likeliest("player_1", opponent)[1] < likeliest("player_1", met("player_1", "rock", "rock"))[1]


def test_one_certain_partner_is_worth_more_than_many_uncertain_ones() -> None:
    sure, even = (1.0, 0.0, 0.0), (1 / 3, 1 / 3, 1 / 3)
    best = meet({"a": even, "b": sure, "c": even})
    assert best.seek == ("b",)
    assert reward(best.target, EXPECTED[0], RULES.payoff) > 2


def test_equally_good_partners_are_all_sought() -> None:
    sure = (0.0, 1.0, 0.0)
    assert meet({"a": sure, "b": sure}).seek == ("a", "b")


def test_partner_in_view_is_worth_more_than_one_to_be_searched() -> None:
    rock, paper = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    assert meet({"a": rock, "b": paper}, {"b": LastSeen(NOW, 6)}).seek == ("b",)
    assert meet({"a": rock, "b": paper}, {"a": LastSeen(NOW, 6), "b": LastSeen(NOW - 40, 6)}).seek == ("a",)


def test_player_seen_long_ago_takes_as_long_to_find_as_one_never_seen() -> None:
    assert steps_to_find({"a": LastSeen(0, 2), "b": None}, NOW) == {"a": STEPS_PER_SEARCH, "b": STEPS_PER_SEARCH}


def test_agent_watches_and_collects_nothing_where_no_partner_pays() -> None:
    answer = choose(seen("player_1"), seen("player_2"))
    assert (answer.watch, answer.seek, answer.hold) == (True, [], RULES.by_name(NOTHING))


def test_player_with_observed_pickups_is_sought() -> None:
    taking = replace(seen("player_1", "rock", "rock"), seen=LastSeen(NOW, 4))
    answer = choose(taking, seen("player_2"))
    assert (answer.watch, answer.seek) == (False, ["player_1"])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (AmongMany(seek=["player_9"], hold={"rock": 5}), "unknown player 'player_9'; there are player_1"),
        (AmongMany(hold={"stone": 5}), "unknown kind 'stone'"),
        (AmongMany(hold={"rock": 0}), "rock 0 is not between"),
    ],
)
def test_choice_that_cannot_be_used_is_refused(answer: AmongMany, message: str) -> None:
    others = OtherPlayer("player_1"), OtherPlayer("player_2")
    with pytest.raises(ValueError, match=message):
        MatrixSeat(RULES, NOW, NOTHING, others).check_strategy(answer, None)


def test_player_with_mixed_pickups_is_predicted_with_less_certainty() -> None:
    steady = likeliest("player_1", seen("player_1", "rock", "rock", "rock"))
    torn = likeliest("player_1", seen("player_1", "rock", "rock", "paper"))
    assert steady[0] == torn[0] == "rock"
    assert torn[1] < steady[1]


def test_persistence_is_likely_before_any_evidence_which_changes_the_estimate() -> None:
    assert 0.7 < UNKNOWN.same_kind(1.0) < 0.9
    assert FICKLE.same_kind(1.0) < 0.5 < UNKNOWN.same_kind(1.0) < 0.9 < STEADY.same_kind(1.0)


def test_kind_is_certain_within_the_same_life() -> None:
    assert FICKLE.distribution(1, 0.0) == pytest.approx((0.0, 1.0, 0.0))


def test_certainty_falls_with_the_number_of_lives() -> None:
    assert STEADY.same_kind(1.0) > STEADY.same_kind(5.0)
    assert FICKLE.same_kind(20.0) < UNKNOWN.same_kind(20.0)


def test_change_over_many_lives_is_weaker_evidence_against_persistence() -> None:
    assert KindPersistence(3, ((False, 1.0),)).same_kind(1.0) < KindPersistence(3, ((False, 8.0),)).same_kind(1.0)


def test_distribution_approaches_the_uniform_one_over_lives() -> None:
    then = (0.8, 0.2, 0.0)
    assert FICKLE.propagate(then, 0.0) == pytest.approx(then)
    later = FICKLE.propagate(then, 3.0)
    assert sum(later) == pytest.approx(1.0)
    assert 1 / 3 < later[0] < 0.8


def test_number_of_lives_grows_with_time() -> None:
    assert lives_since(100, 100 + RESPAWN_GAP) == 0.0
    assert lives_between(100, 110) == 1.0
    assert lives_between(0, int(3 * STEPS_PER_LIFE)) == 3.0
