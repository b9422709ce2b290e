"""The reasoner's calculations: who knows what, how others speak, where to go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hm_agent.theory_of_mind.mind_questions import HypothesisAnswer, Propose
from hm_agent.worlds.symmtom.knowledge.k_matrix import NestedKnowledge
from hm_agent.worlds.symmtom.language.board import MOST_TALKS, RETURNS, SILENCE, VISITS_BASE, YOU, Board, Meeting, Talk
from hm_agent.worlds.symmtom.language.calls import GoTo, Meet, Recharge, Say
from hm_agent.worlds.symmtom.language.exchange import best_exchange
from hm_agent.worlds.symmtom.language.hearsay import beliefs_of, ways
from hm_agent.worlds.symmtom.language.notebook import Notebook
from hm_agent.worlds.symmtom.language.reasoner import ANSWERS, best_calls, foresee
from hm_agent.worlds.symmtom.language.reasoner import RULES as SPEAKING
from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import Cell, SpokenMove
from hm_agent.worlds.symmtom.world import SymmtomWorld
from tests.worlds.symmtom.language.language_examples import BLUE, BOARD, GREEN, RULES

IN_TURN, USEFUL, OWN, RANDOM = (rule.words for rule in SPEAKING)


def believed(board: Board) -> dict[str, frozenset[int]]:
    """What a board's reader takes the others to know."""
    return {name: known for name, known in beliefs_of(board).known.items() if name != YOU}


def test_what_others_know_is_what_was_heard_and_what_they_could_tell_each_other() -> None:
    assert believed(BOARD) == {"player_1": {0, 1}, "player_2": {0, 1, 2}}
    told_once = replace(BOARD, talks=(Talk(5, 5, (("player_1", "player_2"),)),))
    assert believed(told_once)["player_2"] == {1, 2}


def test_one_that_recharged_has_forgotten_whatever_it_was_taken_to_know() -> None:
    talks = (Talk(2, 2, ((YOU, "player_1"),), ((YOU, (0,)), ("player_1", (1,)))), Talk(9, 9, recharged=("player_1",)))
    forgetful = replace(BOARD, talks=talks, others=(replace(GREEN, shown=()), BLUE))
    assert believed(forgetful)["player_1"] == {1}
    assert believed(replace(forgetful, talks=talks[:1]))["player_1"] == {0, 1}


def test_private_first_hand_knowledge_is_not_guessed() -> None:
    others = (replace(GREEN, first_hand=None, shown=()), replace(BLUE, first_hand=None))
    private = replace(BOARD, rules=GameSettings(6, 3, 3, has_public_first_hand=False), others=others, talks=())
    assert believed(private)["player_1"] == frozenset()


@pytest.mark.parametrize(
    "settings", [GameSettings(6, 3, 3), GameSettings(6, 4, 8), GameSettings(6, 3, 3, has_public_first_hand=False)]
)
def test_beliefs_are_those_of_nested_knowledge_as_long_as_all_that_tells_is_shown(settings: GameSettings) -> None:
    rng, world = np.random.default_rng(0), SymmtomWorld(settings)
    greedy, turn = replace(settings, has_greedy_speakers=True), world.reset(1)
    notebook, nested, shown, recharges = Notebook(0, settings.steps), NestedKnowledge(2), 0, 0
    names = [YOU, *settings.seats[1:]]

    def table(known: Mapping[str, frozenset[int]]) -> list[list[bool]]:
        return [[piece in known[name] for piece in range(settings.pieces)] for name in names]

    while not turn.is_over and shown < MOST_TALKS:
        notebook.read(turn.observations["player_0"])
        expected, board = nested.update(notebook.sights), notebook.situation
        beliefs, shown = beliefs_of(replace(board, rules=greedy)), len(board.talks)
        recharges += sum(len(talk.recharged) for talk in board.talks if talk.last == board.step)
        assert table(beliefs.known) == expected[0,][0].tolist()
        for number, name in enumerate(names[1:], 1):
            assert recharges or table(beliefs.of(name).known) == expected[0, number][0].tolist()
        chosen = rng.integers((len(Direction), settings.pieces), size=(settings.agents, 2))
        moves = [SpokenMove(Direction(direction), piece) for direction, piece in chosen.tolist()]
        turn = world.step(dict(zip(settings.seats, moves, strict=True)))
    assert turn.step > 10


def test_one_that_believes_another_to_lack_most_is_expected_on_its_way_there() -> None:
    def way(**changes: Any) -> Sequence[Cell]:
        green = replace(GREEN, cell=(2, 1), first_hand=(1,), shown=(), moved="right")
        blue = replace(BLUE, cell=(5, 1), shown=(0, 1), first_hand=(2,))
        return ways(replace(BOARD, cell=(5, 5), others=(replace(green, **changes), blue), talks=()))["player_1"]

    assert way() == way(moved=None) == [(2, 1), (3, 1), (4, 1)]
    assert way(moved="left") == way(moved="stay") == way(is_held=True) == [(2, 1)]


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
    near = replace(BLUE, cell=(3, 4), near=(YOU,))
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
