"""What models read of a household."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from hm_agent.models.prompts import render
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy
from hm_agent.theory_of_mind.mind_questions import AskProbes, ProbesAnswer
from hm_agent.worlds.enacttom.house.commands import MOST_CHARACTERS
from hm_agent.worlds.enacttom.language.body import HouseProbes
from hm_agent.worlds.enacttom.language.reasoner import ANSWERS
from hm_agent.worlds.enacttom.language.situation import HANDLES, PartnerAct, PartnerActed
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.mechanics import RemoteControl
from hm_agent.worlds.enacttom.tasks.propositions import Proposition
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.world import EnacttomWorld
from tests.support.enacttom.small_house import small_task
from tests.worlds.enacttom.language.household_examples import AT_FIRST, HOUSE_EXAMPLES, LATER, PLAN, Joint, Watched


@pytest.mark.parametrize("name", HOUSE_EXAMPLES)
def test_prompt_begins_with_the_house_and_names_no_task(name: str) -> None:
    prompt = render(HOUSE_EXAMPLES[name])
    assert prompt.startswith("# The house\nYou are agent_1. ")
    assert not re.search(r"enacttom|scenario|far_handle|\bbots?\b", prompt, re.IGNORECASE)


def test_prompts_show_what_was_told_and_seen_and_no_secret_of_others() -> None:
    first, later = render(HOUSE_EXAMPLES["plan_at_first"]), render(HOUSE_EXAMPLES["plan"])
    for secret in AT_FIRST.view.briefing.secrets:
        assert f"- {secret}\n" in first
    assert "lamp_3 must" not in first  # agent_0 alone is told
    assert "- turn 1, agent_0 to agent_1: by the end, lamp_3 must be inside chest_2. " in later
    assert "- turn 1, you to agent_0: by the end, cabinet_1 must be open.\n" in later
    assert "You hold lamp_3." in later
    assert LATER.view.outcome
    assert "Open[chest_2]: Nothing happens to chest_2.\n" in later


def test_rules_claim_neither_secrets_nor_odd_handles_of_households_that_have_none() -> None:
    task = load_task(task_files()["enacttom_cooperative_k1_000"])
    assert any(not task.file.agent_secrets.get(agent) for agent in task.agents)
    assert not {"remote_control", "state_mirroring", "inverse_state"} & set(task.file.active_mechanics)
    prompt = render(HOUSE_EXAMPLES["probe"])
    assert "Each may have been told things that others don't know" in prompt
    assert "A handle may open or close other furniture too, or turn the other way." in prompt


REMOTE_CONTROLLED = ("mixed_k1_006", "mixed_k2_001", "cooperative_k2_018", "mixed_k3_006")


@pytest.mark.parametrize("name", REMOTE_CONTROLLED)
def test_nobody_is_told_into_which_state_a_drawn_remote_control_sets_its_target(name: str) -> None:
    file = load_task(task_files()[f"enacttom_{name}"]).file
    flipped = {"open": "closed", "closed": "open"}
    bindings = [
        one.model_copy(update={"target_state": flipped[one.target_state]}) if isinstance(one, RemoteControl) else one
        for one in file.mechanic_bindings
    ]
    assert bindings != list(file.mechanic_bindings)
    tasks = check_task(file), check_task(file.model_copy(update={"mechanic_bindings": tuple(bindings)}))
    one, other = (EnacttomWorld(task).reset(0).observations for task in tasks)
    assert one == other


def test_a_message_can_not_pass_for_another_part_of_the_prompt() -> None:
    later = render(HOUSE_EXAMPLES["plan"])
    assert "agent_0 to agent_1: \"Shall I open 'cabinet_1' now?\"\n" in later


def test_a_prompt_says_what_own_wishes_count_for_where_there_are_any() -> None:
    view = AT_FIRST.view
    wish = Proposition("is_open", ("cabinet_1",))
    wishful = replace(AT_FIRST, views=(replace(view, briefing=replace(view.briefing, wishes=(wish,))),))
    told, untold = (render(ChooseStrategy(one, ())) for one in (wishful, AT_FIRST))
    assert "; what you would like counts for you alone." in told
    assert "you would like" not in untold


def asked_after(*turns: Joint) -> AskProbes:
    """What agent_0 is asked in a house of two rooms after some turns."""
    task = small_task(["(is_open cabinet_1)", "(K agent_0 (K agent_1 (is_open cabinet_1)))"])
    watched = Watched(task, "agent_0", asks=True)
    situation = watched.play(*turns)
    while not situation.view.probes:
        situation = watched.play({})
    return AskProbes(situation, tuple(HouseProbes().due(situation)), HouseProbes.choices)


def answers_of(asked: AskProbes) -> Sequence[str]:
    """The reasoner's answers."""
    answer = ANSWERS[AskProbes](asked)
    assert isinstance(answer, ProbesAnswer)
    return answer.answers


def test_whoever_is_asked_at_the_end_reads_what_was_seen_with_others() -> None:
    opens = {"agent_0": "Open[cabinet_1]"}
    together = asked_after({**opens, "agent_1": "Navigate[hall_1]"}, {"agent_1": "Navigate[kitchen_1]"})
    apart = asked_after({**opens, "agent_1": "Open[cabinet_2]"})
    assert [answers_of(one) for one in (together, apart)] == [["yes"], ["no"]]
    seen = "agent_1 is in hall_1; book_1 is on top of table_1; cabinet_1 is open; cup_1 is on top of table_1."
    assert f"- after turn 1, hall_1: {seen}\n" in render(together)
    assert "who saw it too" not in render(apart)


def plan_prompt_after(*turns: Joint) -> str:
    """What agent_0 reads when it is to plan in a house of two rooms after some turns."""
    watched = Watched(small_task(["(is_open cabinet_1)"]), "agent_0")
    return render(replace(PLAN, situation=watched.play(*turns)))


COMES, GOES = {"agent_1": "Navigate[hall_1]"}, {"agent_1": "Navigate[kitchen_1]"}
OPENS, CLOSES = {"agent_0": "Open[cabinet_1]"}, {"agent_0": "Close[cabinet_1]"}


def test_plans_are_shown_with_whom_the_agent_was_and_what_they_saw_together() -> None:
    both = "book_1 is on top of table_1; cabinet_1 is open; cup_1 is on top of table_1"
    assert f"\nMet agent_1 in hall_1 after turn 2; all saw: {both}.\n" in plan_prompt_after(COMES, OPENS, GOES)
    assert "Met " not in plan_prompt_after(COMES, OPENS), "who is there sees what is there"
    assert "Met " not in plan_prompt_after(OPENS, {})


def test_what_the_others_saw_and_is_so_no_more_is_not_shown_as_seen_together() -> None:
    for after in ((CLOSES,), (CLOSES, OPENS)):
        prompt = plan_prompt_after({**COMES, **OPENS}, GOES, *after)
        both = "book_1 is on top of table_1; cup_1 is on top of table_1"
        assert f"Met agent_1 in hall_1 after turn 1; all saw: {both}.\n" in prompt


def test_each_thing_is_shown_with_the_latest_meeting_at_which_it_was_seen() -> None:
    calls, returns = {"agent_0": "Navigate[kitchen_1]"}, {"agent_0": "Navigate[hall_1]"}
    prompt = plan_prompt_after(calls, {"agent_1": "Open[cabinet_2]"}, returns, COMES, {}, GOES)
    hall = "book_1 is on top of table_1; cabinet_1 is closed; cup_1 is on top of table_1"
    assert [line for line in prompt.splitlines() if line.startswith("Met ")] == [
        "Met agent_1 in kitchen_1 after turn 2; all saw: cabinet_2 is open.",
        f"Met agent_1 in hall_1 after turn 5; all saw: {hall}.",
    ]


def test_what_a_prompt_shows_already_is_not_told_again() -> None:
    text = "Look at cup_1."
    says = {"agent_0": f'Communicate["{text}", agent_1]', "agent_1": f'Communicate["{text}", agent_0]'}
    prompt = plan_prompt_after(says)
    assert prompt.count(text) == 2  # its own message, and the other's
    assert "Sent to" not in prompt
    assert "You waited." not in plan_prompt_after({})
    assert "Open[cabinet_1]: Done." in plan_prompt_after(OPENS)
    assert "Open[cabinet_2]: " in plan_prompt_after({"agent_0": "Open[cabinet_2]"})
    watched = Watched(small_task(["(is_open cabinet_1)"]), "agent_0")
    situation = watched.play({"agent_1": f'Communicate["{text}", agent_0]'})
    written = [event.interaction for event in watched.events if isinstance(event, PartnerActed)]
    assert len(written) == 1
    assert situation.shown(written, 3) == []
    other = PartnerAct(0, "agent_1", HANDLES, ("cup_1",))
    assert situation.shown([*written, other], 3) == [other]


def test_whoever_is_asked_at_the_end_reads_all_messages_whole() -> None:
    long = "word " * 60
    turns = [{"agent_1": f'Communicate["{long}{number}.", agent_0]'} for number in range(10)]
    prompt = render(asked_after(*turns))
    assert [number for number in range(10) if f"{long}{number}." in prompt] == list(range(10))


def test_the_rules_say_how_long_a_message_may_be_and_how_far_a_walk_goes() -> None:
    prompt = render(HOUSE_EXAMPLES["plan"])
    assert f"Navigate takes one turn from anywhere, a message has {MOST_CHARACTERS} characters at most." in prompt
    watched = Watched("far_handle", "agent_1")
    watched.play({"agent_1": "Navigate[shelf_4]"})
    assert watched.situation.view.outcome
    assert watched.situation.view.outcome.words == "You are in cellar_1 already."
