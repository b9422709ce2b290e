"""When a round ends, and which role a teammate has played in it."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.games.cooking.activities import (
    DELIVERED,
    FILLED,
    PUT_DOWN,
    TOOK_DISH,
    TOOK_SOUP,
    TOOK_TOMATO,
    Activity,
    ActivityReader,
    Held,
)
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, ROLE_WINDOW, ROUND_LIMIT, Kitchen, Station
from hm_agent.worlds.melting_pot.games.cooking.roles import EVERYTHING, LOADS, SERVES, STANDS
from hm_agent.worlds.melting_pot.games.cooking.rounds import (
    OWN,
    WORK_STEPS,
    Delivery,
    Lull,
    Pace,
    RoundEnd,
    RoundReader,
    role_of,
    tempo_of,
)
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN, LOWER, UPPER

FACTS = game_named("cooking_asymmetric", KitchenFacts)
HERE = Pose(3, 2, Facing.EAST)
MATE: Cell = (5, 2)
WORKED = Pace(tomatoes=1, room=8)
"""The pace of a round with one tomato."""


class Frames:
    """Shows a cook on the left one frame after another and reads the teammate's activities from them."""

    def __init__(self) -> None:
        self.kitchen = Kitchen(KITCHEN, FACTS.recipe)
        self.step = -1
        self._activities = ActivityReader("teammate")
        self.rounds = RoundReader("teammate")

    def show(
        self,
        upper: int = 0,
        lower: int = 0,
        mark: str | None = None,
        hands: str | None = None,
        mate: str | None = None,
        *,
        hidden: bool = False,
        facing: Facing = Facing.WEST,
        delivered: int = 0,
        steps: int = 1,
    ) -> list[str]:
        """upper, lower: the tomatoes in the pots. mark: the upper one's bar. mate: what the teammate holds."""
        self.step += steps
        pots = (Detection(f"pot_{upper}", (1, 0), UPPER, mark=mark), Detection(f"pot_{lower}", (1, 1), LOWER))
        cook = Detection("teammate", (2, 0), MATE, int(facing), mate, is_player=True)
        sights = pots if hidden else (*pots, cook)
        view = TextualMap(HERE, True, hands, sights, KITCHEN.area((UPPER, LOWER, MATE)), 0)
        self.kitchen.update(self.step, view)
        self.latest = self._activities.read(self.step, view, self.kitchen, delivered)
        self.held = self._activities.held
        return [activity.did for activity in self.latest]


def test_a_tomato_put_into_a_pot_is_one_activity() -> None:
    frames = Frames()
    assert frames.show(mate=None) == []
    assert frames.show(mate="tomato") == [TOOK_TOMATO]
    assert frames.show(upper=1) == [FILLED]
    assert frames.latest[0].seen
    assert frames.latest[0].cell == UPPER
    assert frames.show(upper=1) == []


def test_what_the_agent_does_at_a_pot_is_not_the_teammates() -> None:
    tomato, both, soup = Frames(), Frames(), Frames()
    tomato.show(hands="tomato")
    assert tomato.show(upper=1, hands=None) == []
    both.show(hands="tomato", mate="tomato")
    assert both.show(upper=2, hands=None, mate=None) == [FILLED]
    soup.show(upper=3, mark=COOKED, hands="dish")
    assert soup.show(upper=0, hands="soup") == []


def test_activities_out_of_view_are_inferred_from_the_pots() -> None:
    frames = Frames()
    frames.show(hidden=True)
    assert frames.show(upper=2, hidden=True, steps=20) == [FILLED, FILLED]
    assert not any(activity.seen for activity in frames.latest)
    frames.show(upper=3, mark="90%", hidden=True, steps=20)
    assert frames.show(upper=1, hidden=True, steps=10) == [TOOK_SOUP, FILLED]
    frames.show(upper=3, mark="80%", hidden=True)
    assert frames.show(upper=3, mark="10%", hidden=True, steps=40) == [TOOK_SOUP, FILLED, FILLED, FILLED]


def test_a_pot_that_goes_on_cooking_is_no_activity() -> None:
    frames = Frames()
    frames.show(upper=3, mark="10%", hidden=True)
    assert frames.show(upper=3, mark="60%", hidden=True, steps=10) == []
    assert frames.show(upper=3, mark=COOKED, hidden=True, steps=10) == []
    assert frames.show(upper=3, mark=COOKED, hidden=True, steps=50) == []


def test_soup_taken_and_delivered_in_view_is_two_activities() -> None:
    frames = Frames()
    frames.show(upper=3, mark=COOKED, mate="dish")
    assert frames.show(upper=0, mark=COOKED, mate="soup") == [TOOK_SOUP]
    assert frames.show(mate=None, delivered=1) == [DELIVERED]


def test_a_dish_put_onto_a_counter_is_an_activity() -> None:
    frames = Frames()
    frames.show(mate="dish", facing=Facing.NORTH)
    frames.kitchen.stations[(5, 1)] = Station("counter", (5, 1), "dish", 0)
    assert frames.show(mate=None) == [PUT_DOWN]


def test_role_follows_from_the_activities_and_without_any_from_whether_there_was_work() -> None:
    for role, *did in (
        (LOADS, TOOK_TOMATO, FILLED),
        (SERVES, TOOK_DISH),
        (SERVES, TOOK_SOUP, DELIVERED),
        (EVERYTHING, FILLED, DELIVERED),
        (STANDS, PUT_DOWN),
        (STANDS,),
    ):
        assert role_of([Activity(1, each) for each in did], had_work=True) == role
    assert role_of([], had_work=False) is None


def test_a_delivery_ends_a_round() -> None:
    frames = Frames()
    frames.show(steps=8)
    done = Activity(7, FILLED, UPPER)
    (event,) = frames.rounds.read(7, frames.kitchen, [done], [OWN], WORKED)
    assert event == Delivery(7, "teammate", (done,), LOADS, WORKED, OWN)
    (later,) = frames.rounds.read(9, frames.kitchen, [], ["teammate"], Pace())
    assert (later.activities, later.role) == ((), LOADS)  # what it did lately still counts
    assert later.pace == Pace()


def test_activities_before_the_role_window_do_not_count() -> None:
    frames = Frames()
    frames.rounds.read(1, frames.kitchen, [Activity(1, FILLED, UPPER)], [OWN], WORKED)
    (event,) = frames.rounds.read(
        1 + ROLE_WINDOW, frames.kitchen, [Activity(1 + ROLE_WINDOW, DELIVERED)], ["teammate"], Pace()
    )
    assert event.role == SERVES


def test_round_without_a_delivery_ends_at_the_limit_again_and_again() -> None:
    frames = Frames()
    lulls: list[RoundEnd] = []
    for step in range(2 * ROUND_LIMIT + 10):
        frames.show()
        lulls += frames.rounds.read(step, frames.kitchen, [], [], Pace())
    assert [lull.step for lull in lulls] == [ROUND_LIMIT, 2 * ROUND_LIMIT]
    assert all(isinstance(lull, Lull) and lull.role == STANDS for lull in lulls)


def test_teammate_has_no_role_while_all_pots_cook() -> None:
    frames = Frames()
    for step in range(ROUND_LIMIT):
        frames.show(upper=3, lower=3 if step >= WORK_STEPS - 2 else 0, mark="10%")
        frames.rounds.read(step, frames.kitchen, [], [], Pace())
    (event,) = frames.rounds.read(ROUND_LIMIT, frames.kitchen, [], [OWN], Pace())
    assert event.role is None


@pytest.mark.parametrize(
    ("role", "pace", "tempo"),
    [
        (LOADS, Pace(tomatoes=2, room=42), "promptly"),
        (LOADS, Pace(tomatoes=2, room=43), "slowly"),
        (LOADS, Pace(tomatoes=0, room=22), "slowly"),
        (LOADS, Pace(tomatoes=0, room=21), None),
        (LOADS, Pace(tomatoes=1, room=5, soups=0, ready=90), "promptly"),
        (SERVES, Pace(tomatoes=0, room=90, soups=1, ready=21), "promptly"),
        (SERVES, Pace(soups=1, ready=22), "slowly"),
        (EVERYTHING, Pace(tomatoes=1, room=40, soups=1, ready=2), "promptly"),
        (EVERYTHING, Pace(tomatoes=1, room=41, soups=1, ready=2), "slowly"),
        (STANDS, Pace(room=60), None),
        (None, Pace(room=60), None),
    ],
)
def test_tempo_follows_from_the_steps_in_which_work_waited(role: str | None, pace: Pace, tempo: str | None) -> None:
    assert tempo_of(role, pace, limit=21) == tempo


def test_what_the_teammate_holds_is_known_from_the_step_it_was_seen_to() -> None:
    frames = Frames()
    frames.show(hidden=True)
    assert frames.held is None
    frames.show(mate="soup", steps=10)
    frames.show(mate="soup", steps=20)
    assert frames.held == Held("soup", 10)
    frames.show(hidden=True, delivered=1, steps=5)
    assert frames.held == Held(None, 35)
