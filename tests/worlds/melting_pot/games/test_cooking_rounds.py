"""When a round ends, and which role a teammate has played in it."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.activities import (
    DELIVERED,
    FILLED,
    PUT_DOWN,
    TOOK_DISH,
    TOOK_SOUP,
    TOOK_TOMATO,
    Activity,
    ActivityReader,
)
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, EVERYTHING, LOADS, SERVES, STANDS, Kitchen
from hm_agent.worlds.melting_pot.games.cooking.rounds import (
    CHANCES,
    LONG,
    MEMORY,
    OWN,
    Delivery,
    Lull,
    RoundEnd,
    RoundReader,
    role_of,
)
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN, LOWER, UPPER

FACTS = game_named("cooking_asymmetric", KitchenFacts)
HERE = Pose(3, 2, Facing.EAST)
MATE: Cell = (5, 2)


class Frames:
    """What a cook on the left is shown, step by step, and what it makes of it."""

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
        view = TextualMap(HERE, True, hands, sights, (UPPER, LOWER, MATE), 0)
        self.kitchen.update(self.step, view)
        self.latest = self._activities.read(self.step, view, self.kitchen, delivered)
        return [activity.did for activity in self.latest]


def test_a_tomato_put_into_a_pot_is_seen_once() -> None:
    frames = Frames()
    assert frames.show(mate=None) == []
    assert frames.show(mate="tomato") == [TOOK_TOMATO]
    assert frames.show(upper=1) == [FILLED]
    assert frames.latest[0].seen
    assert frames.latest[0].cell == UPPER
    assert frames.show(upper=1) == []


def test_ones_own_tomato_is_not_the_teammates() -> None:
    frames = Frames()
    frames.show(hands="tomato")
    assert frames.show(upper=1, hands=None) == []


def test_both_cooks_at_one_pot_in_one_step_are_told_apart() -> None:
    frames = Frames()
    frames.show(hands="tomato", mate="tomato")
    assert frames.show(upper=2, hands=None, mate=None) == [FILLED]


def test_what_was_done_out_of_view_is_inferred() -> None:
    frames = Frames()
    frames.show(hidden=True)
    assert frames.show(upper=2, hidden=True, steps=20) == [FILLED, FILLED]
    assert not any(activity.seen for activity in frames.latest)
    frames.show(upper=3, mark="90%", hidden=True, steps=20)
    assert frames.show(upper=1, hidden=True, steps=10) == [TOOK_SOUP, FILLED]


def test_a_pot_emptied_and_filled_again_in_between_is_found_out() -> None:
    frames = Frames()
    frames.show(upper=3, mark="80%", hidden=True)
    assert frames.show(upper=3, mark="10%", hidden=True, steps=40) == [TOOK_SOUP, FILLED, FILLED, FILLED]


def test_a_pot_that_goes_on_cooking_tells_nothing() -> None:
    frames = Frames()
    frames.show(upper=3, mark="10%", hidden=True)
    assert frames.show(upper=3, mark="60%", hidden=True, steps=10) == []
    assert frames.show(upper=3, mark=COOKED, hidden=True, steps=10) == []
    assert frames.show(upper=3, mark=COOKED, hidden=True, steps=50) == []


def test_soup_taken_before_ones_eyes() -> None:
    frames = Frames()
    frames.show(upper=3, mark=COOKED, mate="dish")
    assert frames.show(upper=0, mark=COOKED, mate="soup") == [TOOK_SOUP]
    assert frames.show(mate=None, delivered=1) == [DELIVERED]


def test_ones_own_soup_is_not_the_teammates() -> None:
    frames = Frames()
    frames.show(upper=3, mark=COOKED, hands="dish")
    assert frames.show(upper=0, hands="soup") == []


def test_a_dish_put_onto_a_counter() -> None:
    frames = Frames()
    counter = Detection("counter", (2, 1), (6, 1), mark="dish")
    frames.show(mate="dish", facing=Facing.NORTH)
    frames.kitchen.stations[(5, 1)] = frames.kitchen._station(counter, (5, 1), 0)
    assert frames.show(mate=None) == [PUT_DOWN]


@pytest.mark.parametrize(
    ("did", "role"),
    [
        ((TOOK_TOMATO, FILLED), LOADS),
        ((TOOK_DISH,), SERVES),
        ((TOOK_SOUP, DELIVERED), SERVES),
        ((FILLED, DELIVERED), EVERYTHING),
        ((PUT_DOWN,), STANDS),
        ((), STANDS),
    ],
)
def test_doings_amount_to_a_role(did: tuple[str, ...], role: str) -> None:
    assert role_of([Activity(1, each) for each in did], idle=True) == role


def test_who_had_nothing_to_do_is_not_called_idle() -> None:
    assert role_of([], idle=False) is None


def test_a_delivery_ends_a_round() -> None:
    frames = Frames()
    frames.show(steps=8)
    done = Activity(7, FILLED, UPPER)
    (event,) = frames.rounds.read(7, frames.kitchen, [done], [OWN])
    assert event == Delivery(7, "teammate", (done,), LOADS, OWN)
    (later,) = frames.rounds.read(9, frames.kitchen, [], ["teammate"])
    assert (later.activities, later.role) == ((), LOADS)  # what it did lately still counts


def test_what_was_done_long_ago_counts_no_more() -> None:
    frames = Frames()
    frames.rounds.read(1, frames.kitchen, [Activity(1, FILLED, UPPER)], [OWN])
    (event,) = frames.rounds.read(1 + MEMORY, frames.kitchen, [Activity(1 + MEMORY, DELIVERED)], ["teammate"])
    assert event.role == SERVES


def test_long_without_a_delivery_is_a_lull_again_and_again() -> None:
    frames = Frames()
    lulls: list[RoundEnd] = []
    for step in range(2 * LONG + 10):
        frames.show()
        lulls += frames.rounds.read(step, frames.kitchen, [], [])
    assert [lull.step for lull in lulls] == [LONG, 2 * LONG]
    assert all(isinstance(lull, Lull) and lull.role == STANDS and not lull.is_interaction for lull in lulls)


def test_while_all_pots_cook_nobody_is_called_idle() -> None:
    frames = Frames()
    for step in range(LONG):
        frames.show(upper=3, lower=3 if step >= CHANCES - 2 else 0, mark="10%")
        frames.rounds.read(step, frames.kitchen, [], [])
    (event,) = frames.rounds.read(LONG, frames.kitchen, [], [OWN])
    assert event.role is None
