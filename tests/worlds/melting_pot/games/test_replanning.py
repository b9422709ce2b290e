"""Which events interrupt the plan of an agent without a strategist in a matrix game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hm_agent.core import Observation
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.game import PlanContext
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.game import INTERACTION_OVER, MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Facing, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.calls import Aim, Call, FireAt, FireOnSight, MoveTo, Shadow
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.strategists import PAPERS, ROCKS, arena, dyad, encounter
from tests.worlds.melting_pot.games.matrix_examples import DILEMMA, interaction

UNDECIDED = MatrixStrategy("")
ROCK_AT, PAPER_AT = (2, 2), (4, 2)
SITES = {ROCK_AT: "yellow_box", PAPER_AT: "purple_box"}
FETCH_ROCK, FETCH_PAPER, FIRE = MoveTo(ROCK_AT), MoveTo(PAPER_AT), FireAt((9, 9))


def playing(game: MatrixGame, held: Counts = (1, 1, 1)) -> MatrixGame:
    """The game with an inventory held, and with one site of rock and one of paper known."""
    game.held, game._memory = held, EntityMemory(game.layout)
    game._memory.sites.update(SITES)
    return game


def clue(suggests: str | None, *, is_slight: bool = False, partner: str = "opponent") -> Gathering:
    return Gathering(50, partner, suggests, (0, 2, 0), (1, 1, 1), is_slight=is_slight)


def why(game: MatrixGame, seen: Gathering, *rest: Call, strategy: MatrixStrategy = UNDECIDED) -> str | None:
    return game.why_replan([seen], rest, strategy)


def ask_plan(game: MatrixGame) -> None:
    """Lets the game build a question for a plan, which shows what is known of the opponent then."""
    memory = EntityMemory(game.layout, PlayerBeliefMap(game.layout, game.players, 2))
    view = TextualMap(Pose(3, 7, Facing.NORTH), True, None, (), NOWHERE, 0)
    memory.update(5, view)
    game.ask_plan(PlanContext(Observation(5, {"INVENTORY": np.array((1, 1, 1))}), view, memory, UNDECIDED))


def test_a_clue_against_the_plan_interrupts_it() -> None:
    assert why(playing(dyad()), clue("scissors"), FETCH_PAPER, FIRE) == (
        "scissors now leads in what opponent is known to have taken"
    )


@pytest.mark.parametrize("held", [(1, 1, 1), (1, 5, 1)])
def test_a_clue_that_the_plan_answers_does_not(held: Counts) -> None:
    rest = (FIRE,) if held != (1, 1, 1) else (FETCH_PAPER, FIRE)
    assert why(playing(dyad(), held), clue("rock"), *rest) is None


def test_among_many_it_does_for_the_player_may_be_one_to_seek() -> None:
    assert why(playing(arena()), clue("rock", partner="player_1"), FETCH_PAPER, FIRE)


def test_a_plan_that_names_players_is_not_interrupted_by_what_others_take() -> None:
    named = Aim(("player_2",))
    for rest in ((FETCH_PAPER, FireAt((9, 9), named)), (FireOnSight(named), FIRE), (Shadow("player_2"), FIRE)):
        assert why(playing(arena()), clue("rock", partner="player_1"), *rest) is None
        assert why(playing(arena()), clue("rock", partner="player_2"), *rest)


def test_a_clue_that_was_known_when_the_plan_was_asked_for_does_not() -> None:
    game = playing(dyad())
    take(game, step=3)
    ask_plan(game)
    assert why(game, clue("paper"), FETCH_PAPER, FIRE) is None
    assert why(game, clue("scissors"), FETCH_PAPER, FIRE)


def take(game: MatrixGame, step: int) -> None:
    """Lets the game see the opponent walk onto the site of paper and take the thing there."""
    memory, pose = EntityMemory(game.layout, PlayerBeliefMap(game.layout, game.players, 2)), Pose(4, 4, Facing.NORTH)
    for at, sight in ((step, box(PAPER_AT)), (step + 1, opponent(PAPER_AT))):
        view = TextualMap(pose, True, None, (sight,), game.layout.area([PAPER_AT]), 0)
        memory.update(at, view)
        game.read(Observation(at, {"INVENTORY": np.array((1, 1, 1))}), view, memory)


def box(cell: Cell) -> Detection:
    return Detection("purple_box", (0, 0), cell)


def opponent(cell: Cell) -> Detection:
    return Detection("opponent", (0, 0), cell, Facing.NORTH, "ready", is_player=True)


def test_a_slight_clue_interrupts_a_plan_only_before_the_first_interaction() -> None:
    game = playing(dyad())
    assert why(game, clue("scissors", is_slight=True), FETCH_PAPER, FIRE)
    game.history.interactions = (interaction(10, ROCKS, PAPERS, (0, 0, 0)),)
    assert why(game, clue("scissors", is_slight=True), FETCH_PAPER, FIRE) is None


def test_a_slight_clue_does_not_end_watching() -> None:
    game = playing(dyad())
    assert why(game, clue("scissors", is_slight=True), Shadow("opponent"), FETCH_PAPER) is None
    assert why(game, clue("scissors"), Shadow("opponent"), FETCH_PAPER)


def test_where_both_can_gain_taking_what_was_held_before_is_no_news() -> None:
    game = dyad(game_named("pd_repeated", MatrixFacts))
    assert why(game, clue("cooperate"), FIRE)
    game.history.interactions = (interaction(10, (4, 1), (4, 1), (0, 0), DILEMMA),)
    assert why(game, clue("cooperate"), FIRE) is None
    assert why(game, clue("defect"), FIRE)


def test_a_shot_that_looks_at_what_the_opponent_took_goes_on() -> None:
    game = playing(dyad(), (1, 5, 1))
    assert why(game, clue("scissors"), replace(FIRE, aim=Aim(holding="rock"))) is None
    assert why(game, clue("scissors"), FIRE)


def test_a_strategist_answers_clues_itself() -> None:
    assert (
        why(playing(dyad()), clue("scissors"), FETCH_PAPER, strategy=MatrixStrategy("hold paper", target=PAPERS))
        is None
    )


def test_an_interaction_ends_every_plan() -> None:
    assert dyad().why_replan([encounter(50)], (FIRE,), UNDECIDED) == INTERACTION_OVER
