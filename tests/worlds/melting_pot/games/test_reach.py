"""How many steps it takes to collect what is known, as questions about strategies show it."""

from __future__ import annotations

from dataclasses import replace

from hm_agent.models.prompts import environment
from hm_agent.worlds.melting_pot.games.matrix.seat import Reach
from hm_agent.worlds.melting_pot.grid import Layout
from tests.strategists import dyad
from tests.worlds.melting_pot.games.matrix_examples import LATER

ROOM = Layout.from_ascii("""
WWWWWWWWW
W   W   W
W   W   W
W       W
WWWWWWWWW
""")
THINGS = {(1, 1): "rock", (3, 1): "rock", (5, 1): "rock", (1, 3): "paper"}


def test_things_are_taken_from_the_nearest_to_the_next_around_walls() -> None:
    reach = Reach(ROOM, (2, 1), THINGS)
    assert [reach.steps_to("rock", more) for more in (0, 1, 2, 3)] == [0, 1, 3, 9]
    assert reach.steps_to("paper", 1) == 3


def test_too_few_known_things_and_no_place_to_start_from_give_no_steps() -> None:
    assert Reach(ROOM, (2, 1), THINGS).steps_to("rock", 4) is None
    assert Reach(ROOM, (2, 1), THINGS).steps_to("scissors", 1) is None
    assert Reach(ROOM, None, THINGS).steps_to("rock", 1) is None


def test_while_the_agent_is_off_the_map_the_question_tells_what_is_known() -> None:
    blocks = environment().get_template("melting_pot/matrix/blocks.j2").module
    things = dict.fromkeys(((1, 1), (3, 1)), LATER.rules.things[0])
    seat = replace(LATER, reach=Reach(ROOM, None, things))
    assert blocks.reach(seat).strip() == "Things known: rock 2, paper 0, scissors 0."  # type: ignore[attr-defined]
    assert not blocks.reach(replace(seat, reach=None)).strip()  # type: ignore[attr-defined]


def test_before_the_first_frame_nothing_is_within_reach() -> None:
    assert dyad().situation.reach is None
