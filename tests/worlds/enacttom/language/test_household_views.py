"""What is read from an agent's views: messages, what partners do in its sight, its own failures, what surprises it."""

from __future__ import annotations

import pytest

from hm_agent.core import Event
from hm_agent.worlds.enacttom.house.runtime import HouseMessage
from hm_agent.worlds.enacttom.language.situation import (
    HANDLES,
    WRITES,
    OwnActionFailed,
    PartnerAct,
    PartnerActed,
    PartnerMoved,
)
from tests.worlds.enacttom.language.household_examples import Watched


def acts(events: list[Event]) -> list[tuple[str, str, tuple[str, ...]]]:
    found = [event.interaction for event in events if isinstance(event, PartnerActed)]
    return [(act.partner, act.does, act.things) for act in found]


def test_a_message_is_an_act_about_the_things_that_it_names() -> None:
    watched = Watched("far_handle", "agent_1")
    watched.play({"agent_0": 'Communicate["Put lamp_3 into chest_2, then chest_2 again; sun_9 too", agent_1]'})
    assert acts(list(watched.events)) == [("agent_0", WRITES, ("lamp_3", "chest_2", "sun_9"))]


def test_what_partners_do_in_sight_is_noticed_and_what_they_do_elsewhere_is_not() -> None:
    watched = Watched("one_window", "agent_0")
    seen, moved = [], []
    for command in (
        "Open[drawer_3]",
        "Pick[cup_4]",
        "Navigate[living_room_1]",
        "Place[cup_4, on, table_5]",
        "Open[cabinet_7]",
        "Wait[]",
        "Navigate[kitchen_1]",
    ):
        watched.play({"agent_1": command})
        seen.append(acts(list(watched.events)))
        moved += [event.describe() for event in watched.events if isinstance(event, PartnerMoved)]
    assert seen == [[], [], [], [("agent_1", HANDLES, ("cup_4",))], [("agent_1", HANDLES, ("cabinet_7",))], [], []]
    assert moved == ["agent_1 comes", "agent_1 leaves"]


def test_who_walks_itself_sees_nobody_come() -> None:
    watched = Watched("one_window", "agent_1")
    watched.play({"agent_1": "Navigate[living_room_1]"})
    assert watched.events == []


def test_what_the_agent_turns_itself_is_nobody_elses_act() -> None:
    watched = Watched("one_window", "agent_0")
    watched.play({"agent_1": "Navigate[living_room_1]"}, {"agent_0": "Open[cabinet_7]"})
    assert watched.events == []


def test_a_failed_action_is_told_with_its_reason() -> None:
    watched = Watched("far_handle", "agent_1")
    watched.play({"agent_1": "Open[chest_2]"})
    (event,) = watched.events
    assert isinstance(event, OwnActionFailed)
    assert event.describe() == "Open[chest_2] failed: Nothing happens to chest_2"


def test_the_log_holds_what_was_sent_and_what_was_got_before_but_not_what_was_refused() -> None:
    watched = Watched("far_handle", "agent_1")
    situation = watched.play(
        {"agent_0": 'Communicate["one", all]', "agent_1": 'Communicate["two", agent_7]'},
        {"agent_1": 'Communicate["three", all]'},
        {"agent_0": 'Communicate["four", all]'},
    )
    assert situation.log == (
        HouseMessage(0, "agent_0", ("agent_1",), "one"),
        HouseMessage(1, "agent_1", ("agent_0",), "three"),
    )
    assert [one.text for one in situation.view.messages] == ["four"]


def test_only_what_matters_surprises() -> None:
    watched = Watched("one_window", "agent_0")
    situation = watched.play({"agent_1": "Open[drawer_3]"}, {"agent_1": "Pick[cup_4]"})
    assert situation.surprises([]) == []
    situation = watched.play({"agent_1": "Navigate[living_room_1]"}, {"agent_1": "Place[cup_4, on, table_5]"})
    assert situation.surprises([]) == []  # nobody has told the agent of a cup
    assert situation.surprises(["cup_4"]) == []  # a plan that names it expects to see it
    situation = watched.play({"agent_1": "Open[cabinet_7]"})
    assert situation.surprises([]) == ["cabinet_7"]
    situation = watched.play({"agent_0": "Close[cabinet_7]"})
    assert situation.surprises([]) == []


@pytest.mark.parametrize(
    ("prediction", "is_right"),
    [
        ("writes about chest_2", True),
        ("writes", False),  # about nothing
        ("writes about lamp_3", False),
        ("handles chest_2", False),
        ("handles", False),
    ],
)
def test_a_prediction_is_right_if_act_and_thing_are(prediction: str, is_right: bool) -> None:
    assert PartnerAct(3, "agent_0", WRITES, ("chest_2", "shelf_4"), "...").shows(prediction) is is_right


def test_a_prediction_about_nothing_is_right_if_the_act_is_about_nothing() -> None:
    hello = PartnerAct(3, "agent_0", WRITES, (), "Hello.")
    assert [hello.shows(one) for one in ("writes", "writes about chest_2", "handles")] == [True, False, False]


def test_an_act_about_a_thing_that_none_was_about_before_is_something_new() -> None:
    watched = Watched("far_handle", "agent_1")
    shown = []
    for text in ("cabinet_1 is open.", "cabinet_1 is closed."):
        watched.play({"agent_0": f'Communicate["{text}", all]'})
        (event,) = watched.events
        assert isinstance(event, PartnerActed)
        shown.append(event.interaction.shows("writes about something new"))
    assert shown == [True, False]
