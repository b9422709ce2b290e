from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.grid import Layout
from hm_agent.worlds.melting_pot.planning.calls import Aim, Call, FireAt, FireOnSight, MoveTo, Pause, Shadow
from hm_agent.worlds.melting_pot.planning.written_calls import Form, Functions, Names, parse_call, parse_plan
from hm_agent.written_calls import CallError

ROOM = Layout.from_ascii("""
WWWWWW
W    W
W WW W
WWWWWW
""")

FUNCTIONS: Functions = {"move_to": Form.MOVE_TO, "fire_at": Form.FIRE_AT}
ALL: Functions = {**FUNCTIONS, "fire_on_sight": Form.FIRE_ON_SIGHT, "shadow": Form.SHADOW, "wait": Form.PAUSE}
WHO = Names(("player_1", "player_2"), ("rock", "paper"))
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
        "move_to((4, 2))",
        "move_to([4, 2])",
        "move_to((4, 2))  # for rock",
        "move_to((4, 2)) // for rock",
    ],
    ids=["from where", "dense", "wide", "trailing comma", "over lines", "as shown", "brackets", "comment", "slashes"],
)
def test_spacing_of_a_call_does_not_matter(text: str) -> None:
    assert parse_call(text, ROOM, FUNCTIONS) == MoveTo((4, 2))


@pytest.mark.parametrize(
    "call",
    [
        MoveTo((4, 2)),
        FireAt((3, 1)),
        FireAt((3, 1), Aim(("player_2",))),
        FireAt((3, 1), Aim(holding="rock")),
        FireAt((3, 1), Aim(("player_1",), "paper")),
        FireOnSight(),
        FireAt((3, 1), Aim(("player_1",), "paper", 3)),
        FireAt((3, 1), Aim(least=4)),
        FireOnSight(Aim(("player_1",), "paper")),
        FireOnSight(Aim(holding="rock", least=2)),
        Shadow("player_1"),
        Pause(12),
    ],
    ids=str,
)
def test_call_is_written_as_it_is_read(call: Call) -> None:
    assert parse_call(str(call), ROOM, ALL, WHO) == call


@pytest.mark.parametrize(
    "text",
    ["fire_at((3, 1), player_9)", "fire_on_sight(rock, paper)", "shadow(rock)", "wait((1, 1))", "wait(player_1)"],
)
def test_names_of_nobody_and_arguments_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(CallError, match="wrong arguments"):
        parse_call(text, ROOM, ALL, WHO)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("go north", "not a function call: 'go north'; write move_to((x, y)) or fire_at((x, y))"),
        ("", "not a function call: ''; write move_to((x, y)) or fire_at((x, y))"),
        ("jump_to((1, 1))", "unknown function 'jump_to'; write move_to((x, y)) or fire_at((x, y))"),
        ("fire_at()", "wrong arguments (''); write fire_at((x, y)) with whole numbers"),
        ("fire_at(1, 1)", "wrong arguments ('1, 1'); write fire_at((x, y)) with whole numbers"),
        ("fire_at((1.5, 1))", "wrong arguments ('(1.5, 1)'); write fire_at((x, y)) with whole numbers"),
        ("fire_at((1, 1), 2, 3)", "wrong arguments ('(1, 1), 2, 3'); write fire_at((x, y)) with whole numbers"),
        ("move_to()", "wrong arguments (''); write move_to((x, y)) with whole numbers"),
        ("fire_at((9, 1))", "fire_at: (9, 1) is outside the map; x goes from 0 to 5, y from 0 to 3"),
        ("fire_at((1, -1))", "fire_at: (1, -1) is outside the map; x goes from 0 to 5, y from 0 to 3"),
        ("move_to((1, 1), (2, 2))", "move_to: (2, 2) is a wall; free next to it: [(1, 2), (2, 1)]"),
        ("move_to((1, 1), (0, 0))", "move_to: (0, 0) is a wall"),
        ("fire_at((2, 2))", "fire_at: (2, 2) is a wall; free next to it: [(1, 2), (2, 1)]"),
    ],
)
def test_error_of_a_bad_call_says_what_would_be_right(text: str, message: str) -> None:
    with pytest.raises(CallError) as error:
        parse_call(text, ROOM, FUNCTIONS)
    assert str(error.value) == message


def test_name_of_a_function_alone_is_a_call_without_arguments() -> None:
    assert parse_call("fire_on_sight  # from here on", ROOM, ALL, WHO) == FireOnSight()
    with pytest.raises(CallError, match="wrong arguments"):
        parse_call("move_to", ROOM, ALL, WHO)


def test_long_text_is_shortened_in_the_message() -> None:
    with pytest.raises(CallError) as error:
        parse_call("never mind " * 1000, ROOM, FUNCTIONS)
    assert len(str(error.value)) < 200


@given(st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)))
@example("(" * 5000)
@example("move_to(" + "(1, 1), " * 2000 + ")")
def test_no_text_raises_anything_but_the_parsers_own_error(text: str) -> None:
    try:
        call = parse_call(text, ROOM, FUNCTIONS)
    except CallError:
        return
    assert isinstance(call, MoveTo | FireAt)
    assert ROOM.contains(call.target)


def test_error_of_a_bad_plan_names_all_its_faults() -> None:
    with pytest.raises(CallError, match=r"^not a function call: 'sleep'; .*; fire_at: \(9, 9\) is outside"):
        parse_plan(["sleep", "move_to((1, 1), (4, 1))", "fire_at((9, 9))"], ROOM, FUNCTIONS)


def test_empty_plan_is_refused() -> None:
    with pytest.raises(CallError, match=r"the plan is empty; write move_to\("):
        parse_plan([], ROOM, FUNCTIONS)
