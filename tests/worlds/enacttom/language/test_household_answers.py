"""Answers about a household: what is wrong is told with what would be right."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from typing import Any

import pytest

from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.prompts import render
from hm_agent.questions import answer_schema
from hm_agent.theory_of_mind.decision_questions import CallsAnswer
from hm_agent.theory_of_mind.situation import BarredCall
from hm_agent.worlds.enacttom.house.commands import ON, WITHIN, Verb, communicate, navigate
from hm_agent.worlds.enacttom.house.probes import ProbeAnswer
from hm_agent.worlds.enacttom.language.body import HouseProbes
from hm_agent.worlds.enacttom.language.situation import HouseSituation
from hm_agent.worlds.enacttom.language.written_commands import context_of, read_command
from hm_agent.written_calls import CallError
from tests.fitting_answers import is_refused
from tests.worlds.enacttom.language.household_examples import (
    ENDED,
    HOUSE_EXAMPLES,
    LATER,
    PLAN,
    PREDICT,
    PROBE,
    Watched,
)


@pytest.mark.parametrize(
    ("commands", "problem"),
    [
        (["fly to the moon"], r"not a command: 'fly to the moon'; write Navigate\[place\]"),
        (["Navigate[study_1]"], "Navigate: 'study_1' is no place that you can enter; there are cellar_1, chest_2"),
        (["Open[cabinet_1]"], "Open: 'cabinet_1' is no furniture that opens and that you can reach; there are chest_2"),
        (["Find[lamp_3]"], "Find: it costs a turn and tells only what you were shown; write Navigate"),
        (["Pick[unicorn_9]"], "Pick: 'unicorn_9' is no object that you know of; there are lamp_3"),
        (["Place[lamp_3, under, shelf_4]"], "Place: write on or within, not 'under'"),
        (["Communicate['hi', agent_7]"], "'agent_7' can't be messaged; you can message agent_0"),
        (["Communicate['', all]"], "the message is empty"),
        ([f"Communicate['{'so ' * 200}', all]"], "599 characters: at most 500"),
        (["Communicate['hi', all]"] * 2, "2 messages, and you have 1 left"),
        (["Navigate[shelf_4]"], r"Navigate\[shelf_4\] first: you are in cellar_1 already"),
        (["Pick[lamp_3]"], r"Pick\[lamp_3\] first: it can't succeed where you are and as you see it; what can: Place"),
        (["Wait[]"] * 11, "11 calls are too many; at most 10"),
        ([], "the plan is empty"),
    ],
)
def test_a_wrong_plan_is_told_what_would_be_right(commands: list[str], problem: str) -> None:
    with pytest.raises(BadAnswer, match=problem):
        read_answer(json.dumps({"calls": commands}), PLAN)


def test_a_message_without_one_left_is_told_so() -> None:
    talks = {"agent_1": 'Communicate["Hello", all]'}
    spent = replace(PLAN, situation=Watched("far_handle", "agent_1").play(talks, talks))
    with pytest.raises(BadAnswer, match="Communicate: 1 message, and you have 0 left"):
        read_answer("""{"calls": ["Communicate['hi', all]"]}""", spent)


def test_all_wrong_commands_of_a_plan_are_told_at_once() -> None:
    with pytest.raises(BadAnswer, match=r"no object that you know of.*can't be messaged"):
        read_answer("""{"calls": ["Pick[sun]", "Communicate['hi', moon]"]}""", PLAN)


def test_what_has_just_failed_must_not_come_first() -> None:
    question = HOUSE_EXAMPLES["plan_undecided"]
    with pytest.raises(BadAnswer, match=r"Open\[chest_2\] has just failed; begin with something else"):
        read_answer('{"calls": ["Open[chest_2]"]}', question)
    read_answer('{"calls": ["Close[chest_2]", "Open[chest_2]"]}', question)


def written(situation: HouseSituation) -> list[str]:
    """Commands of every kind about everything in a house, most of which can't succeed."""
    plan, things = situation.view.briefing.plan, situation.things
    one = [
        f"{verb}[{name}]"
        for verb in (Verb.NAVIGATE, Verb.PICK, Verb.OPEN, Verb.CLOSE)
        for name in (*plan.rooms, *things)
    ]
    put = [f"Place[{thing}, {how}, {there}]" for thing in things for how in (ON, WITHIN) for there in things]
    return ["Wait[]", *one, *put, *(f"Communicate['done', {to}]" for to in ("all", *plan.agents))]


@pytest.mark.parametrize("task", ["far_handle", "one_window", "relay_of_three"])
def test_the_form_of_the_first_command_allows_what_the_check_accepts_and_nothing_else(task: str) -> None:
    watched, stream = Watched(task, "agent_1"), random.Random(task)
    for _ in range(8):
        commands = written(watched.situation)
        question = replace(PLAN, situation=watched.situation)
        possible = [command for command in commands if not is_refused(question, CallsAnswer(calls=[command]))]
        failed = stream.choice([command for command in possible[1:] if "'" not in command])
        barred = BarredCall(
            read_command(failed, context_of(watched.situation.view, watched.situation.objects)), "Nothing happens."
        )
        for asked, allowed in (
            (question, possible),
            (replace(question, barred=barred), [command for command in possible if command != failed]),
        ):
            (first,) = answer_schema(asked)["properties"]["calls"]["prefixItems"]
            assert [command for command in commands if re.search(first["pattern"], command)] == allowed
            read_answer(render(asked).splitlines()[-1], asked)  # the example of its prompt can be carried out, too
        watched.play({"agent_1": stream.choice(possible).replace("'", '"')})


@pytest.mark.parametrize(
    ("text", "text_said"),
    [
        ("Communicate['by the end, lamp_3 must be in', agent_0]", "by the end, lamp_3 must be in"),
        ("communicate[ 'don't open it', all ]", "don't open it"),
        ('Communicate["say \\"yes\\"", agent_0]', 'say "yes"'),
        ("Communicate['one\nline', agent_0]", "one line"),
    ],
)
def test_messages_are_read_in_both_kinds_of_quotes(text: str, text_said: str) -> None:
    command = read_command(text, context_of(LATER.view, LATER.objects))
    assert command == communicate(text_said, command.arguments)
    assert set(command.arguments) <= {"agent_0", "all"}


def test_commands_are_read_in_any_spacing_and_never_evaluated() -> None:
    context = context_of(LATER.view, LATER.objects)
    assert read_command(" navigate[ cellar_1 ] ", context) == navigate("cellar_1")
    for text in ("__import__('os').system('true')", "Open[chest_2]; Open[chest_2]", "Open[{chest_2}]", "Open[" * 500):
        with pytest.raises(CallError):
            read_command(text, context)


NEXT: dict[str, Any] = {"does": "writes", "about": "cabinet_1"}
PREDICTION = {"player": "agent_0", "strategy": "Wait.", "next": [NEXT, NEXT]}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"next": [NEXT | {"about": "moon"}, NEXT]}, "about: 'moon' is none of cabinet_1, .*, nothing, something new"),
        ({"next": [NEXT, NEXT | {"does": "sleeps"}]}, "does: 'sleeps' is none of writes, handles"),
    ],
)
def test_a_wrong_prediction_is_told_what_would_be_right(change: dict[str, Any], problem: str) -> None:
    read_answer(json.dumps(PREDICTION), PREDICT)
    with pytest.raises(BadAnswer, match=problem):
        read_answer(json.dumps(PREDICTION | change), PREDICT)


def test_a_probe_is_answered_by_its_three_answers_alone() -> None:
    with pytest.raises(BadAnswer, match="'perhaps' is none of yes, no, don't know"):
        read_answer('{"answers": ["yes", "perhaps"]}', PROBE)
    with pytest.raises(BadAnswer, match="1 given, 2 wanted"):
        read_answer('{"answers": ["yes"]}', PROBE)
    probes = HouseProbes()
    assert len(probes.due(ENDED)) == 2
    assert probes.take(None).said == {}
    assert list(probes.take(["yes", "no"]).said.values()) == [ProbeAnswer.YES, ProbeAnswer.NO]
