from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.grid import Layout
from hm_agent.worlds.melting_pot.planning.subgoals import (
    FireAt,
    MoveTo,
    Subgoal,
    SubgoalError,
    parse_plan,
    parse_subgoal,
)

ROOM = Layout.from_ascii("""
WWWWWW
W    W
W WW W
WWWWWW
""")

NAMES = ("move_to", "fire_at")
FRAGMENTS = (
    *("move_to", "fire_at", "(", ")", "((", "))", ",", ",,", " ", "\n", "\t", "#", "-", "+", ".", "'", "=", ";"),
    *("0", "1", "2", "999999", "1234567", "1_0", "0x1", "1e3", "١", "²", "None", "__import__('os')", "x", "\x00"),
    *("(1, 1)", "(4, 1)", "(2, 2)", "(-1, 99)", "move_to((1, 1), (4, 1))", "fire_at((1, 1))", "lambda: 0"),
)


@pytest.mark.parametrize(
    "text",
    [
        "move_to((1, 1), (4, 2))",
        "move_to((1,1),(4,2))",
        "  move_to ( ( 1 , 1 ) , ( 4 , 2 ) )  ",
        "move_to((1, 1), (4, 2),)",
        "move_to(\n\t(1, 1),\n\t(4, 2)\n)",
    ],
    ids=["as shown", "dense", "wide", "trailing comma", "over several lines"],
)
def test_spacing_of_a_call_does_not_matter(text: str) -> None:
    assert parse_subgoal(text, ROOM, NAMES) == MoveTo((1, 1), (4, 2))


@pytest.mark.parametrize("subgoal", [MoveTo((1, 1), (4, 2)), FireAt((3, 1))])
def test_subgoal_is_written_as_it_is_read(subgoal: Subgoal) -> None:
    assert parse_subgoal(str(subgoal), ROOM, NAMES) == subgoal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("go north", "not a function call: 'go north'; write move_to((x, y), (x, y)) or fire_at((x, y))"),
        ("", "not a function call: ''; write move_to((x, y), (x, y)) or fire_at((x, y))"),
        ("jump_to((1, 1))", "unknown function 'jump_to'; write move_to((x, y), (x, y)) or fire_at((x, y))"),
        ("fire_at()", "wrong arguments (''); write fire_at((x, y)) with whole numbers"),
        ("fire_at(1, 1)", "wrong arguments ('1, 1'); write fire_at((x, y)) with whole numbers"),
        ("fire_at((1.5, 1))", "wrong arguments ('(1.5, 1)'); write fire_at((x, y)) with whole numbers"),
        ("fire_at((1, 1), 2)", "wrong arguments ('(1, 1), 2'); write fire_at((x, y)) with whole numbers"),
        ("fire_at((1, 1),,)", "wrong arguments ('(1, 1),,'); write fire_at((x, y)) with whole numbers"),
        ("move_to((1, 1))", "wrong arguments ('(1, 1)'); write move_to((x, y), (x, y)) with whole numbers"),
        ("fire_at((9, 1))", "fire_at: (9, 1) is outside the map; x goes from 0 to 5, y from 0 to 3"),
        ("fire_at((1, -1))", "fire_at: (1, -1) is outside the map; x goes from 0 to 5, y from 0 to 3"),
        ("move_to((1, 1), (2, 2))", "move_to: (2, 2) is a wall; free next to it: [(1, 2), (2, 1)]"),
        ("move_to((1, 1), (0, 0))", "move_to: (0, 0) is a wall"),
        ("fire_at((2, 2))", "fire_at: (2, 2) is a wall; free next to it: [(1, 2), (2, 1)]"),
    ],
)
def test_error_of_a_bad_subgoal_says_what_would_be_right(text: str, message: str) -> None:
    with pytest.raises(SubgoalError) as error:
        parse_subgoal(text, ROOM, NAMES)
    assert str(error.value) == message


def test_long_text_is_shortened_in_the_message() -> None:
    with pytest.raises(SubgoalError) as error:
        parse_subgoal("never mind " * 1000, ROOM, NAMES)
    assert len(str(error.value)) < 200


def test_function_that_the_game_does_not_have_is_refused() -> None:
    with pytest.raises(SubgoalError, match=r"unknown function 'fire_at'; write move_to"):
        parse_subgoal("fire_at((1, 1))", ROOM, names=("move_to",))


@given(st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)))
@example("(" * 5000)
@example("move_to(" + "(1, 1), " * 2000 + ")")
def test_no_text_raises_anything_but_the_parsers_own_error(text: str) -> None:
    try:
        subgoal = parse_subgoal(text, ROOM, NAMES)
    except SubgoalError:
        return
    assert ROOM.contains(subgoal.target)


def test_plan_is_read_in_its_order() -> None:
    plan = parse_plan(["move_to((1, 1), (4, 1))", "fire_at((4, 2))"], ROOM, ("move_to", "fire_at"))
    assert plan == (MoveTo((1, 1), (4, 1)), FireAt((4, 2)))


def test_error_of_a_bad_plan_names_all_its_faults() -> None:
    with pytest.raises(SubgoalError, match=r"^not a function call: 'sleep'; .*; fire_at: \(9, 9\) is outside"):
        parse_plan(["sleep", "move_to((1, 1), (4, 1))", "fire_at((9, 9))"], ROOM, ("move_to", "fire_at"))


def test_empty_plan_is_refused() -> None:
    with pytest.raises(SubgoalError, match=r"the plan is empty; write move_to\("):
        parse_plan([], ROOM, ("move_to", "fire_at"))
