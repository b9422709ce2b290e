"""Plans that nobody is asked for in a matrix game, because only one makes sense."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hm_agent.core import Observation
from hm_agent.worlds.melting_pot.facts import Counts, Length
from hm_agent.worlds.melting_pot.games.game import PlanContext
from hm_agent.worlds.melting_pot.games.matrix.facts import INTERACTING, MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.game import MatrixGame
from hm_agent.worlds.melting_pot.games.matrix.pickups import Pickup
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Facing, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.calls import (
    HIT_NOBODY,
    USED_UP,
    Aim,
    Call,
    FireAt,
    MoveTo,
    Pause,
    Shadow,
    Show,
    plan_record,
)
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.strategists import arena, dyad
from tests.worlds.melting_pot.games.matrix_examples import interaction

HERE = Pose(3, 7, Facing.NORTH)
IN_VAIN = f"fire_at((9, 9)) {HIT_NOBODY} 60 steps"
NOTHING, COLLECTED = (1, 1, 1), (6, 1, 1)
COLLECT = MatrixStrategy("hold rock", target=(6, 1, 1))
SEARCH, EXPLORE = FireAt((9, 9)), MoveTo((9, 9))


@pytest.fixture(scope="module")
def game() -> MatrixGame:
    return dyad()


def forced(
    game: MatrixGame,
    held: Counts,
    *previous: Call,
    because: str = USED_UP,
    strategy: MatrixStrategy = COLLECT,
    seen: tuple[tuple[str, Cell], ...] = (),
) -> list[type[Call]]:
    """The kinds of calls of the plan that is forced. seen: things, in view now."""
    memory = EntityMemory(game.layout, PlayerBeliefMap(game.layout, game.players, 2))
    things = tuple(Detection(kind, (0, 0), cell) for kind, cell in seen)
    view = TextualMap(HERE, True, None, things, game.layout.area(cell for _, cell in seen), 0)
    memory.update(5, view)
    plan = plan_record(previous, len(previous))
    observation = Observation(5, {"INVENTORY": np.array(held)})
    context = PlanContext(observation, view, memory, strategy, because=because, previous=plan)
    return [type(call) for call in game.forced_plan(context)]


def test_what_a_strategy_shows_is_shown_first_and_once_between_interactions() -> None:
    game, shows = dyad(), replace(COLLECT, show="paper")
    paper = ("purple_box", (3, 5))
    assert Show not in forced(game, NOTHING, EXPLORE, strategy=shows, seen=(("yellow_box", (3, 6)),))
    assert forced(game, NOTHING, EXPLORE, strategy=shows, seen=(paper,)) == [Show]
    assert Show not in forced(game, NOTHING, EXPLORE, strategy=shows, seen=(paper,))


def test_a_search_in_vain_goes_on_while_nothing_is_missing(game: MatrixGame) -> None:
    assert forced(game, COLLECTED, SEARCH, because=IN_VAIN) == [FireAt]


def test_a_search_in_vain_is_thought_over_when_something_is_missing(game: MatrixGame) -> None:
    assert forced(game, (4, 1, 1), SEARCH, because=IN_VAIN) == []


@pytest.mark.parametrize("search", [FireAt((9, 9), Aim(holding="rock")), FireAt((9, 9), Aim(("opponent",)))])
def test_a_search_on_conditions_is_thought_over(game: MatrixGame, search: FireAt) -> None:
    assert forced(game, COLLECTED, search, because=IN_VAIN) == []


def test_what_is_collected_is_followed_by_a_search(game: MatrixGame) -> None:
    assert forced(game, COLLECTED, EXPLORE) == [FireAt]


def test_a_lead_of_another_kind_is_thought_over(game: MatrixGame) -> None:
    assert forced(game, (6, 8, 1), EXPLORE) == []


@pytest.mark.parametrize(
    ("held", "end", "kinds"), [(COLLECTED, 21, [Pause]), (COLLECTED, 22, []), (NOTHING, 22, [Pause])]
)
def test_once_no_interaction_can_be_paid_the_only_plan_is_to_wait(
    held: Counts, end: int, kinds: list[type[Call]]
) -> None:
    game = dyad()
    game.rules = replace(game.rules, length=Length(end, 1, 1.0))
    game.step, game.held = 5, held
    assert forced(game, held, because="an interaction is over") == kinds


def test_exploring_goes_on_until_something_wanted_is_seen(game: MatrixGame) -> None:
    kinds = game.rules.things
    assert forced(game, NOTHING, EXPLORE) == [MoveTo] * 3
    assert forced(game, NOTHING, EXPLORE, seen=((kinds[1], (4, 7)),)) == [MoveTo] * 3
    assert forced(game, NOTHING, EXPLORE, seen=((kinds[0], (4, 7)),)) == []


def test_an_agent_that_holds_something_chooses_between_exploring_and_searching(game: MatrixGame) -> None:
    assert forced(game, (2, 1, 1), EXPLORE) == []


@pytest.mark.parametrize("strategy", [MatrixStrategy(""), MatrixStrategy("watch", seek=(), target=(6, 1, 1))])
def test_without_a_target_or_anybody_to_meet_nothing_is_forced(game: MatrixGame, strategy: MatrixStrategy) -> None:
    assert forced(game, NOTHING, EXPLORE, strategy=strategy) == []
    assert forced(game, COLLECTED, SEARCH, because=IN_VAIN, strategy=strategy) == []


def test_a_search_goes_on_under_a_new_strategy_that_lacks_nothing(game: MatrixGame) -> None:
    assert game.collection.goes_on([SEARCH], COLLECTED, MatrixStrategy("hold rock, too", target=(5, 1, 1)))


@pytest.mark.parametrize(
    ("rest", "target"),
    [((EXPLORE, SEARCH), (5, 1, 1)), ((SEARCH,), (8, 1, 1)), ((SEARCH,), (1, 1, 1)), ((), (5, 1, 1))],
)
def test_a_new_strategy_that_changes_anything_is_planned_for(
    game: MatrixGame, rest: tuple[Call, ...], target: Counts
) -> None:
    assert not game.collection.goes_on(rest, COLLECTED, MatrixStrategy("hold rock, too", target=target))


def test_things_that_would_lower_the_share_of_the_leading_kind_are_unwanted(game: MatrixGame) -> None:
    _, paper, scissors = game.rules.things
    assert (
        game.collection.unwanted((2, 1, 1), COLLECT)
        == game.collection.unwanted((4, 3, 1), COLLECT)
        == {paper, scissors}
    )
    assert game.collection.unwanted((1, 1, 1), COLLECT) == game.collection.unwanted((3, 3, 1), COLLECT) == frozenset()


def test_more_of_the_leading_kind_is_unwanted_where_it_would_lower_the_expected_reward() -> None:
    dilemma = dyad(game_named("pd_repeated", MatrixFacts))
    green, red = dilemma.rules.things
    trusting = MatrixStrategy("cooperate", target=(2, 1), expected=(6, 1))
    assert dilemma.collection.unwanted((2, 1), trusting) == {green, red}
    assert dilemma.collection.unwanted((1, 2), trusting) == {green}


def test_an_only_opponent_is_expected_to_collect_what_is_predicted(game: MatrixGame) -> None:
    assert game.collection.expected_kind(COLLECT) is None
    assert game.collection.expected_kind(replace(COLLECT, expected=(1, 6, 1))) == game.rules.things[1]
    assert arena().collection.expected_kind(replace(COLLECT, expected=(1, 6, 1))) is None


@pytest.mark.parametrize("strategy", [MatrixStrategy(""), COLLECT], ids=["without a strategist", "with one"])
def test_where_nothing_is_predicted_it_is_expected_to_collect_what_it_was_seen_to_take_or_held_last(
    strategy: MatrixStrategy,
) -> None:
    """All agents look for it by what they know of it, whether or not they make predictions."""
    game = dyad()
    _, paper, scissors = game.rules.things
    assert game.collection.expected_kind(strategy) is None
    game.history.interactions = (interaction(10, COLLECTED, (1, 1, 6), (0, 0, 0)),)
    assert game.collection.expected_kind(strategy) == scissors
    game._gatherings._count("opponent", Pickup(40, "paper", (2, 2), witnessed=True))
    assert game.collection.expected_kind(strategy) == paper


@pytest.fixture
def unwatched() -> MatrixGame:
    """A game of its own, since a game remembers that it has watched."""
    return dyad()


TO_WATCH = replace(COLLECT, watch_first=True)


def test_a_strategy_to_watch_first_does_so_once_between_two_interactions(unwatched: MatrixGame) -> None:
    assert forced(unwatched, NOTHING, strategy=TO_WATCH) == [Shadow]
    assert forced(unwatched, NOTHING, Shadow("opponent"), strategy=TO_WATCH) != [Shadow]
    for step, mark in ((6, INTERACTING), (7, None)):  # its reward is known once the mark is gone
        unwatched.read(
            Observation(step, {"INVENTORY": np.array(COLLECTED)}),
            TextualMap(HERE, True, mark, (), NOWHERE, 0),
            EntityMemory(unwatched.layout, PlayerBeliefMap(unwatched.layout, unwatched.players, 2)),
        )
    assert forced(unwatched, NOTHING, strategy=TO_WATCH) == [Shadow]


def test_watching_goes_on_under_a_new_strategy_that_still_says_to_watch(game: MatrixGame) -> None:
    watching, goes_on = (Shadow("opponent"),), game.collection.goes_on
    assert goes_on(watching, NOTHING, replace(TO_WATCH, target=(1, 6, 1)))
    assert not goes_on(watching, NOTHING, COLLECT)
    assert not goes_on((*watching, SEARCH), NOTHING, TO_WATCH)
    assert not goes_on(watching, (2, 1, 1), TO_WATCH)


def test_to_watch_is_offered_until_it_is_over_or_something_is_known_or_held(unwatched: MatrixGame) -> None:
    game = unwatched
    assert game.situation.may_watch
    forced(game, NOTHING, strategy=TO_WATCH)
    assert game.situation.may_watch  # it goes on
    forced(game, NOTHING, Shadow("opponent"), strategy=TO_WATCH)
    assert not game.situation.may_watch
    game._forced.begin_anew()
    assert game.situation.may_watch
    game.held = (2, 1, 1)
    assert not game.situation.may_watch
    game.held = NOTHING
    for step in (3, 4):
        game._gatherings._count("opponent", Pickup(step, "paper", (2, step), witnessed=True))
    assert not game.situation.may_watch  # it is clear what it takes


def test_after_an_interaction_nothing_is_left_if_the_agent_comes_back_too_late() -> None:
    game = dyad()
    away, frozen = game.rules.timing.away, game.rules.timing.frozen
    for end, is_over in ((100 + away + frozen, True), (100 + away + 1 + frozen, False)):
        game.rules = replace(game.rules, length=Length(end, 1, 1.0))
        game.step, game.held, game._back_at = 100, NOTHING, 100 + away
        assert game.mind.is_over is is_over


def test_who_has_collected_something_does_not_watch_first(unwatched: MatrixGame) -> None:
    assert Shadow not in forced(unwatched, (2, 1, 1), EXPLORE, strategy=TO_WATCH)
