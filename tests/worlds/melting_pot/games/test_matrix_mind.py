"""What a matrix game's mind takes for a repetition, knows of a partner's time to collect, and reads in answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.core import Clue, Hypothesis
from hm_agent.theory_of_mind.mind import PlayerModel
from hm_agent.theory_of_mind.mind_questions import Prediction, RevisedBeliefs
from hm_agent.worlds.melting_pot.facts import Counts, Length
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.questions import InventoryAnswer
from hm_agent.worlds.melting_pot.games.matrix.rules import LastShown, MatrixInteraction, reward
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, NextLead
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.games.options import AgentOptions, Inference
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from tests.strategists import RWS, against, dyad, encounter, lead
from tests.worlds.melting_pot.games.matrix_examples import interaction

ROCK, PAPER = (6, 1, 1), (1, 6, 1)


def met(own: Counts, other: Counts) -> MatrixInteraction:
    return interaction(96, own, other, (0, 0, 0))


ALIKE = met(ROCK, PAPER)


def repeats(*history: MatrixInteraction, validated: bool = True) -> bool:
    return dyad().mind.repeats(history, validated=validated)


def test_the_same_moves_three_times_are_a_repetition_whatever_came_before() -> None:
    assert repeats(ALIKE, ALIKE, ALIKE)
    assert repeats(met(PAPER, ROCK), ALIKE, ALIKE, ALIKE)
    assert repeats(ALIKE, met((5, 1, 2), (1, 7, 2)), ALIKE)


def test_the_same_moves_twice_may_be_part_of_a_longer_pattern() -> None:
    assert not repeats(ALIKE, ALIKE)
    assert not repeats(met(ROCK, ROCK), ALIKE, ALIKE)
    assert not repeats(met(PAPER, PAPER), ALIKE, ALIKE)


def test_every_fourth_equal_interaction_is_thought_over() -> None:
    assert [repeats(*[ALIKE] * times) for times in range(4, 9)] == [False, True, True, True, False]


@pytest.mark.parametrize(("step", "is_repeated"), [(870, True), (930, False)])
def test_nothing_repeats_when_the_next_interaction_may_be_the_last(step: int, is_repeated: bool) -> None:
    """Then what paid by what it leads to later may no longer pay; where the end is left to chance, it always may."""
    game = dyad()
    game.rules, game.step = replace(game.rules, length=Length(1000, 1, 1.0)), step
    left = game.rules.interactions_left(step, ALIKE.own)
    assert left is not None
    assert (left >= 1.5) is is_repeated
    assert game.mind.repeats([ALIKE] * 3, validated=True) is is_repeated
    game.rules = replace(game.rules, length=Length(1000, 100, 0.2))
    assert game.rules.interactions_left(step, ALIKE.own) is None
    assert game.mind.repeats([ALIKE] * 3, validated=True)


def test_nothing_repeats_before_a_hypothesis_is_validated() -> None:
    assert not repeats(ALIKE, ALIKE, ALIKE, validated=False)


def test_moves_that_are_not_known_repeat_nothing() -> None:
    assert not repeats(*[replace(ALIKE, behaviour=None)] * 3)


def likely_inventory_of_one_met_soon_after_another(short_name: str, own: Counts, other: Counts) -> Counts:
    """By the reward of an interaction a few steps after the agent came back from another one.

    own, other: what both held, in both; the reward fits a small inventory as well as this large one.
    """
    facts = game_named(short_name, MatrixFacts)
    game = MatrixGame(facts, vision_of(short_name, 0))
    paid, soon = reward(own, other, facts.payoff), facts.timing.away + 5 + facts.timing.frozen
    first, second = (InteractionEvent(step, game.players[0], own, paid, (0, 0, 0)) for step in (200, 200 + soon))
    game.mind.understand(first)
    met = game.mind.understand(second)
    assert met is not None
    return met.other


def test_one_who_cannot_be_told_from_the_last_may_have_collected_for_long() -> None:
    assert likely_inventory_of_one_met_soon_after_another("pure_coordination_arena", (1, 2, 5), (1, 8, 1))[1] >= 8


def test_one_who_was_just_met_has_collected_no_more_than_there_were_steps() -> None:
    assert max(likely_inventory_of_one_met_soon_after_another("rws_arena", (1, 4, 2), (1, 10, 1))) <= 1 + 5


@pytest.mark.parametrize(("short_name", "learns"), [("rws_repeated", True), ("rws_one_shot", False)])
def test_first_strategy_is_to_learn_only_where_another_interaction_follows(short_name: str, learns: bool) -> None:
    facts = game_named(short_name, MatrixFacts)
    strategy = MatrixGame(facts, vision_of(short_name, 0)).mind.best_response({})
    assert ("to see what the opponent plays" in strategy.words) is learns


def test_nothing_is_expected_of_an_opponent_before_anything_is_known_or_supposed_of_it() -> None:
    mind, strategy = dyad().mind, against("rock", {"paper": 6})
    answer = Prediction(player="opponent", next=[lead("rock")], strategy=strategy)
    for history, hypotheses, clue, expected in (
        ((), (), None, None),
        ((ALIKE,), (), None, ROCK),
        ((), (Hypothesis("rock"),), None, ROCK),
        ((), (), Clue(3, "opponent", "rock"), ROCK),
    ):
        decided = mind.ask_prediction(history, hypotheses, clue=clue).read(answer).strategy
        assert isinstance(decided, MatrixStrategy)
        assert decided.expected == expected
    revised = RevisedBeliefs[NextLead, AgainstOne](hypotheses=[], strategy=strategy)
    for opponent, expected in ((PlayerModel("opponent"), None), (PlayerModel("opponent", (ALIKE,)), ROCK)):
        decided = mind.ask_revision([opponent], None).read(revised).strategy
        assert isinstance(decided, MatrixStrategy)
        assert decided.expected == expected


def test_an_inventory_that_a_model_infers_is_taken_for_what_the_opponent_held() -> None:
    mind = MatrixGame(RWS, vision_of(RWS.short_name, 0), AgentOptions(inference=Inference.MODEL)).mind
    asked = mind.ask_behaviour(encounter(40))
    assert asked is not None
    understood = asked.read(InventoryAnswer(inventory={"rock": 1, "paper": 1, "scissors": 6}))
    assert (understood.other, understood.behaviour) == ((1, 1, 6), "scissors")
    assert dyad().mind.ask_behaviour(encounter(40)) is None


def test_a_strategy_counts_on_what_it_expects_once_anything_is_known() -> None:
    game = dyad()
    given = against("rock", {"paper": 6})
    assert game.mind.awaited(game.mind.decided(given, informed=False), "opponent") is None
    game.history.interactions = (ALIKE,)
    assert game.mind.awaited(game.mind.decided(given, informed=False), "opponent") == "rock"


def test_a_strategy_may_show_a_kind_that_there_is() -> None:
    given = against("rock", {"paper": 6}, show="scissors")
    decided = dyad().mind.decided(given)
    assert (decided.show, dyad().mind.decided(against("rock", {"paper": 6})).show) == ("scissors", None)
    assert "after showing it scissors" in decided.words
    seat = dyad().situation
    seat.check_strategy(given, None)
    with pytest.raises(ValueError, match="show: no kind lava; say one of rock, paper, scissors, or nothing"):
        seat.check_strategy(against("rock", {"paper": 6}, show="lava"), None)


def test_the_last_thing_that_a_partner_saw_is_told_by_the_steps_before_the_hit() -> None:
    mind = dyad().mind
    for seen, told in (((2, 70), LastShown("scissors", 13)), (None, None)):
        met = mind.understand(replace(encounter(100), last_shown=seen))
        assert met is not None
        assert met.last_shown == told
