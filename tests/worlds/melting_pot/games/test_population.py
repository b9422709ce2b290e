"""Whom to seek among many, and what to collect for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from hm_agent.core import Counts, Hypothesis
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.worlds.melting_pot.games.matrix.best_response import Distribution
from hm_agent.worlds.melting_pot.games.matrix.partner_choice import (
    STEPS_PER_SEARCH,
    Meeting,
    Sighting,
    best_meeting,
    steps_to_find,
)
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax, reward
from hm_agent.worlds.melting_pot.games.matrix.pickups import Life
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import ChooseOpponents, Opponent, PatientAnswer
from hm_agent.worlds.melting_pot.games.matrix.reasoner.population import outlooks
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction
from tests.worlds.melting_pot.games.matrix_examples import ROCK_PAPER_SCISSORS

NAMES = ("rock", "paper", "scissors")
RULES = replace(ROCK_PAPER_SCISSORS, width=25, height=24, players=8)
NOTHING = (1, 1, 1)
NOW = 400
LIFE = 150
EXPECTED = ((6, 1, 1), (1, 6, 1), (1, 1, 6))


def pure(name: str, count: int = 6) -> Counts:
    return tuple(count if name == each else 1 for each in NAMES)


def met(player: str, *played: str) -> Opponent:
    """Somebody who was met so often, with the hypothesis that it always plays what it played last."""
    history = tuple(
        MatrixInteraction(100 * n, player, NOTHING, 0.0, pure(name), name, None, (0, 0, 0))
        for n, name in enumerate(played)
    )
    words = f"The opponent always plays {played[-1]}."
    return Opponent(player, history, Hypothesis(words), played[-1])


def seen(player: str, *taken: str) -> Opponent:
    """Somebody who was never met and is known only by what it was just seen to take."""
    return Opponent(player, (), None, taken[-1] if taken else None, life(NOW, *taken) if taken else None)


def known(player: str, *lives: str) -> Opponent:
    """Somebody who was seen to take two things of a kind in each of several lives, which are over."""
    former = tuple(life(LIFE * n, name, name) for n, name in enumerate(lives))
    return Opponent(player, (), None, lives[-1], former=former)


def life(step: int, *taken: str) -> Life:
    return Life(step, tuple(taken.count(name) for name in NAMES))


def choose(*opponents: Opponent, own: Counts = NOTHING) -> PatientAnswer:
    return asyncio.run(BuiltinReasoner().answer(ChooseOpponents(RULES, opponents, own, NOW)))


def meet(others: Mapping[str, Distribution], sightings: Mapping[str, Sighting] = MappingProxyType({})) -> Meeting:
    search = steps_to_find({player: sightings.get(player) for player in others}, NOW)
    return best_meeting(RULES, others, EXPECTED, NOTHING, search)


def likeliest(player: str, *opponents: Opponent, step: int = NOW) -> tuple[str, float]:
    odds = outlooks(RULES, opponents, step)[player]
    assert sum(odds) == pytest.approx(1.0)
    return NAMES[odds.index(max(odds))], max(odds)


def test_who_is_known_is_sought_with_what_beats_it() -> None:
    answer = choose(met("player_1", "rock", "rock"), seen("player_2"), seen("player_3"))
    assert "player_1" in answer.seek
    assert argmax(RULES.counts(answer.own_next)) == NAMES.index("paper")


def test_only_those_are_sought_whom_the_same_inventory_beats() -> None:
    answer = choose(met("player_1", "rock"), met("player_2", "rock"), met("player_3", "scissors"))
    assert answer.seek == ["player_1", "player_2"]


def test_what_is_held_already_counts() -> None:
    answer = choose(met("player_1", "rock"), met("player_2", "scissors"), own=(8, 1, 1))
    assert answer.seek == ["player_2"]
    assert answer.own_next["rock"] >= 8


def test_what_somebody_takes_tells_what_it_will_play() -> None:
    assert likeliest("player_1", seen("player_1", "paper", "paper"), seen("player_2"))[0] == "paper"


def test_what_somebody_takes_now_outweighs_what_it_played() -> None:
    changed = met("player_1", "rock")
    taking = replace(changed, present=life(NOW, "scissors", "scissors", "scissors"))
    assert likeliest("player_1", taking)[0] == "scissors"


def test_of_the_unknown_one_expects_what_the_others_are() -> None:
    rocks = [met(f"player_{n}", "rock", "rock") for n in range(1, 4)]
    name, odds = likeliest("player_7", *rocks, seen("player_7"))
    assert name == "rock"
    assert 0.4 < odds < likeliest("player_1", *rocks)[1]


def test_where_many_change_nobody_is_trusted() -> None:
    steady = likeliest("player_1", met("player_1", "rock"), met("player_2", "paper", "paper", "paper"))[1]
    fickle = likeliest("player_1", met("player_1", "rock"), met("player_2", "paper", "rock", "scissors"))[1]
    assert fickle < steady


def test_where_players_keep_to_their_kinds_somebody_is_trusted_for_long() -> None:
    steady = likeliest("player_1", known("player_1", "rock", "rock", "rock"), step=500)[1]
    fickle = likeliest("player_1", known("player_1", "paper", "scissors", "rock"), step=500)[1]
    assert fickle < 0.5 < 0.8 < steady


def test_what_was_seen_just_now_holds_whatever_players_did_before() -> None:
    fickle = known("player_1", "paper", "scissors", "rock")
    assert likeliest("player_1", replace(fickle, present=life(NOW, "paper", "paper")))[1] > 0.9


def test_what_was_seen_long_ago_tells_less() -> None:
    taking = [replace(known("player_1", "paper", "rock"), present=life(step, "paper", "paper")) for step in (100, 390)]
    old, recent = (likeliest("player_1", opponent)[1] for opponent in taking)
    assert old < recent


def test_of_who_has_started_over_its_former_lives_tell() -> None:
    assert likeliest("player_1", known("player_1", "rock", "paper"))[0] == "paper"


def test_a_meeting_counts_among_the_lives_of_a_player() -> None:
    opponent = replace(met("player_1", "rock", "rock"), former=(life(50, "paper", "paper"),))
    assert likeliest("player_1", opponent)[1] < likeliest("player_1", met("player_1", "rock", "rock"))[1]


def test_one_sure_prey_is_worth_more_than_many_doubtful_ones() -> None:
    sure, even = (1.0, 0.0, 0.0), (1 / 3, 1 / 3, 1 / 3)
    best = meet({"a": even, "b": sure, "c": even})
    assert best.seek == ("b",)
    assert reward(best.target, EXPECTED[0], RULES.payoff) > 2


def test_an_equal_prey_more_is_sought_too() -> None:
    sure = (0.0, 1.0, 0.0)
    assert meet({"a": sure, "b": sure}).seek == ("a", "b")


def test_prey_at_hand_is_worth_more_than_prey_to_be_searched_for() -> None:
    rock, paper = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    assert meet({"a": rock, "b": paper}, {"b": Sighting(NOW, 6)}).seek == ("b",)
    assert meet({"a": rock, "b": paper}, {"a": Sighting(NOW, 6), "b": Sighting(NOW - 40, 6)}).seek == ("a",)


def test_who_was_seen_long_ago_is_as_hard_to_find_as_who_never_was() -> None:
    assert steps_to_find({"a": Sighting(0, 2), "b": None}, NOW) == {"a": STEPS_PER_SEARCH, "b": STEPS_PER_SEARCH}


def test_where_nobody_promises_enough_one_watches_with_empty_hands() -> None:
    answer = choose(seen("player_1"), seen("player_2"))
    assert (answer.watch, answer.seek, answer.own_next) == (True, [], RULES.by_name(NOTHING))


def test_who_gives_itself_away_is_gone_for() -> None:
    taking = replace(seen("player_1", "rock", "rock"), seen=Sighting(NOW, 4))
    answer = choose(taking, seen("player_2"))
    assert (answer.watch, answer.seek) == (False, ["player_1"])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (PatientAnswer(seek=["player_9"], own_next={"rock": 5}), "unknown player 'player_9'; there are player_1"),
        (PatientAnswer(seek=[], own_next={"stone": 5}), "unknown kind 'stone'"),
        (PatientAnswer(seek=[], own_next={"rock": 0}), "rock 0 is not between"),
    ],
)
def test_choice_that_cannot_be_used_is_refused(answer: PatientAnswer, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChooseOpponents(RULES, (seen("player_1"),), NOTHING, NOW).check(answer)


def test_who_has_changed_its_mind_is_expected_to_do_as_it_did() -> None:
    steady = likeliest("player_1", seen("player_1", "rock", "rock", "rock"))
    torn = likeliest("player_1", seen("player_1", "rock", "rock", "paper"))
    assert steady[0] == torn[0] == "rock"
    assert torn[1] < 0.6 < steady[1]
