"""The reasoner's calculations: who knows what, how others speak, where to go."""

from __future__ import annotations

from dataclasses import replace

from hm_agent.theory_of_mind.mind import HypothesisAnswer
from hm_agent.theory_of_mind.mind_questions import Propose
from hm_agent.worlds.symmtom.language.board import RETURNS, SILENCE, VISITS_BASE, YOU, Contact, Meeting
from hm_agent.worlds.symmtom.language.calls import GoTo, Meet, Recharge, Say
from hm_agent.worlds.symmtom.language.exchange import best_exchange
from hm_agent.worlds.symmtom.language.reasoner import ANSWERS, best_calls, estimate, foresee
from hm_agent.worlds.symmtom.language.reasoner import RULES as SPEAKING
from tests.worlds.symmtom.language.language_examples import BLUE, BOARD, GREEN, RULES

IN_TURN, USEFUL, OWN, RANDOM = (rule.words for rule in SPEAKING)


def test_what_others_know_is_what_was_heard_and_what_they_could_tell_each_other() -> None:
    assert estimate(BOARD) == {"player_1": {0, 1}, "player_2": {0, 1, 2}}
    once = replace(BOARD, others=(GREEN, replace(BLUE, unheard=(Contact("player_1", 1),))))
    assert estimate(once)["player_2"] == {0, 2}


def test_private_first_hand_knowledge_is_not_guessed() -> None:
    private = replace(BOARD, others=(replace(GREEN, first_hand=None, shown=()), replace(BLUE, first_hand=None)))
    assert estimate(private)["player_1"] == frozenset()


def proposed(*said: tuple[int | None, ...], news: tuple[int, ...] = ()) -> str:
    history = tuple(Meeting(step, "player_1", None, each, (0,) * len(each), news) for step, each in enumerate(said))
    answer = ANSWERS[Propose](Propose(BOARD, "player_1", history, ()))
    assert isinstance(answer, HypothesisAnswer)
    return answer.hypothesis


def test_the_likeliest_rule_is_proposed() -> None:
    assert proposed((1, 2, 0, 1)) == IN_TURN
    assert proposed((1, 1), (1, 1)) == OWN
    assert proposed((2,), (2,), (0,), news=(0, 2)) == USEFUL
    assert proposed((None, 2, None, None)) == RANDOM


def test_who_knows_all_is_foreseen_on_its_base_and_with_its_own_piece() -> None:
    complete = replace(BOARD, others=(replace(GREEN, shown=(0, 2)), BLUE))
    assert foresee(USEFUL, complete, "player_1", ()).words == f"{VISITS_BASE}, says 1"
    assert foresee(USEFUL, BOARD, "player_1", ()).words == f"{RETURNS}, says 1"


def test_a_random_speaker_is_foreseen_to_say_what_it_said_last() -> None:
    assert foresee(RANDOM, BOARD, "player_1", ()).says == SILENCE
    assert foresee(RANDOM, BOARD, "player_1", (Meeting(3, "player_1", None, (2,), (0,)),)).says == 2


def test_who_knows_all_recharges_unless_the_base_is_too_far() -> None:
    complete = replace(BOARD, knows=(0, 1, 2))
    assert best_calls(complete)[0] == Recharge()
    late = replace(complete, step=RULES.steps - 5)  # the base is six moves away
    assert Recharge() not in best_calls(late)[:1]


def test_the_agent_goes_to_whom_most_can_be_exchanged_with_and_says_what_it_lacks() -> None:
    near = replace(BLUE, cell=(3, 4), near=(YOU,), unheard=())
    board = replace(BOARD, cell=(2, 4), others=(replace(GREEN, cell=(5, 0), near=()), near))
    assert best_calls(board) == [Meet("player_2"), Say(0), Say(1), Recharge()]
    assert best_calls(board, Meet("player_2"))[0] != Meet("player_2")


def test_who_gains_from_nobody_leaves_the_middle_to_who_blocked_the_walk_to_it() -> None:
    complete = (replace(GREEN, cell=(2, 2), shown=(0, 2)), replace(BLUE, cell=(3, 4), shown=(0, 1), near=(YOU,)))
    board = replace(BOARD, step=RULES.steps - 5, knows=(0, 1, 2), others=complete)  # too late for a recharge
    assert best_calls(board)[0] == GoTo((2, 2))
    walk = best_calls(board, GoTo((2, 2)))[0]
    assert isinstance(walk, GoTo)
    assert walk.target in {(1, 2), (3, 2), (2, 1), (2, 3)}


def test_the_best_exchange_goes_by_chances_of_what_the_others_know() -> None:
    can_exchange, knows_the_same = [0.1, 0.1, 1.0], [0.9, 0.9, 0.1]
    goes_to_green = best_exchange(BOARD, {"player_1": can_exchange, "player_2": knows_the_same})
    goes_to_blue = best_exchange(BOARD, {"player_1": knows_the_same, "player_2": can_exchange})
    assert (goes_to_green[0], goes_to_blue[0]) == (Meet("player_1"), Meet("player_2"))
    assert Say(0) in goes_to_green
