"""Characters: what each kind does, what it believes, and what stops it."""

from __future__ import annotations

import pytest

from hm_agent.worlds.enacttom.house.character_play import with_characters
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, tell
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime, OutcomeKind
from hm_agent.worlds.enacttom.tasks.characters import CharacterRule
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.world import EnacttomWorld
from tests.support.enacttom.hard_house import BOOK, CUP, GOAL, hard_file, hard_task

CUP_PLACE = Proposition("is_inside", ("cup_1", "cabinet_1"))
BOOK_PLACE = Proposition("is_inside", ("book_1", "cabinet_2"))
HELPER = CharacterRule(kind="helper", wants=(GOAL,))
RIVAL = CharacterRule(kind="rival", wants=("(is_held_by cup_1 agent_2)",))
BYSTANDER = CharacterRule(kind="helper")


def about_cup(*to: str) -> HouseCommand:
    return tell([Claim((), CUP_PLACE)], to)


def acts(task: HouseholdTask, first: HouseCommand = IDLE, turns: int = 6, *, deepest: int = 4) -> dict[str, list[str]]:
    """What each character does if agent_0 gives one command and then waits."""
    runtime = HouseRuntime(Household(task, deepest=deepest))
    done: dict[str, list[str]] = {agent: [] for agent in task.characters}
    for turn in range(turns):
        commands = [first if turn == 0 else IDLE, *[IDLE] * len(task.characters)]
        runtime.step(with_characters(runtime, commands))
        for agent, outcome in zip(task.agents, runtime.outcomes, strict=True):
            if agent in done and outcome and outcome.kind is OutcomeKind.DONE:
                done[agent].append(outcome.command.verb)
    return done


BRINGS = ["Navigate", "Open", "Pick", "Navigate", "Place", "Wait"]


def test_a_helper_brings_what_it_knows_of_and_waits_for_news_of_what_it_does_not() -> None:
    assert acts(hard_task({"agent_1": HELPER}, known={"agent_1": [CUP]}))["agent_1"] == BRINGS
    assert acts(hard_task({"agent_1": HELPER}))["agent_1"] == ["Wait"] * 6
    assert acts(hard_task({"agent_1": HELPER}), about_cup("agent_1"))["agent_1"] == ["Wait", *BRINGS[:5]]


def test_a_helper_with_a_false_belief_looks_there_first_unless_it_is_told() -> None:
    misled = HELPER.model_copy(update={"believes": ("(is_inside cup_1 cabinet_2)",)})
    task = hard_task({"agent_1": misled})
    assert acts(task)["agent_1"] == ["Navigate", "Open", "Wait", "Wait", "Wait", "Wait"]
    assert acts(task, about_cup("agent_1"), 7)["agent_1"] == ["Navigate", *BRINGS]


def test_a_rival_takes_the_thing_out_of_furniture_and_keeps_it() -> None:
    task = hard_task({"agent_1": BYSTANDER, "agent_2": RIVAL})
    assert acts(task, about_cup("agent_1"))["agent_2"] == ["Wait"] * 6
    assert acts(task, about_cup("agent_2"))["agent_2"] == ["Wait", "Navigate", "Open", "Pick", "Wait", "Wait"]
    late = hard_task({"agent_1": HELPER, "agent_2": RIVAL}, known={"agent_1": [CUP]}, turns=12)
    assert "Pick" not in acts(late, turns=12)["agent_2"]


def test_a_gossip_passes_on_what_it_is_told_in_the_next_turn_and_a_relay_only_the_last_of_it() -> None:
    both = tell([Claim((), CUP_PLACE), Claim((), BOOK_PLACE)], ["agent_1"])
    for kind, hears in (("gossip", {CUP_PLACE, BOOK_PLACE}), ("relay", {BOOK_PLACE})):
        messenger = CharacterRule.model_validate({"kind": kind, "tells": ("agent_2",)})
        helper = CharacterRule(kind="helper", wants=(GOAL, "(is_on_top book_1 table_1)"))
        runtime = HouseRuntime(Household(hard_task({"agent_1": messenger, "agent_2": helper}, most_facts=2)))
        runtime.step(with_characters(runtime, [both, IDLE, IDLE]))
        runtime.step(with_characters(runtime, [IDLE, IDLE, IDLE]))
        assert {claim.proposition for claim in runtime.inbox[2][0].claims} == hears


def test_a_tactful_one_holds_back_what_it_knows_to_be_known_as_deep_as_its_rule_says() -> None:
    def passes_on(first: HouseCommand, *unless: str, deepest: int = 4) -> bool:
        gossip = CharacterRule(kind="gossip", tells=("agent_2",), unless=unless)
        task = hard_task({"agent_1": gossip, "agent_2": HELPER})
        return "Communicate" in acts(task, first, deepest=deepest)["agent_1"]

    alone, openly = about_cup("agent_1"), about_cup("agent_1", "agent_2")
    assert passes_on(alone, "agent_2")
    assert not passes_on(openly, "agent_2")
    assert not passes_on(openly, "agent_2", "agent_1")
    assert passes_on(openly)
    assert passes_on(openly, "agent_2", deepest=1), "a mind of order 1 does not represent what it knows of the other"
    assert passes_on(openly, "agent_2", "agent_1", deepest=2)


@pytest.mark.parametrize("unless", [("agent_1",), ("agent_1", "agent_2")])
def test_a_wary_rival_is_stopped_by_an_open_message_alone(unless: tuple[str, ...]) -> None:
    wary = RIVAL.model_copy(update={"unless": unless})
    task = hard_task({"agent_1": BYSTANDER, "agent_2": wary}, known={"agent_2": [CUP]})
    assert "Pick" in acts(task)["agent_2"]
    assert "Pick" in acts(task, about_cup("agent_1"))["agent_2"]
    assert "Pick" not in acts(task, about_cup("agent_1", "agent_2"))["agent_2"]
    assert "Pick" in acts(task, about_cup("agent_1", "agent_2"), deepest=len(unless))["agent_2"]


def test_a_cue_holds_a_want_back_until_the_place_of_its_thing_is_known() -> None:
    opener = CharacterRule(kind="silent", wants=("(is_open cabinet_3)",), cues=("cup_1",))
    task = hard_task({"agent_1": opener}, spare_room="hall_1")
    assert acts(task)["agent_1"] == ["Wait"] * 6
    assert acts(task, about_cup("agent_1"))["agent_1"] == ["Wait", "Open", *["Wait"] * 4]


def test_for_a_mind_of_order_0_characters_do_nothing() -> None:
    assert acts(hard_task({"agent_1": HELPER}, known={"agent_1": [CUP]}), deepest=0)["agent_1"] == ["Wait"] * 6


def test_what_must_never_be_known_fails_the_task_for_good() -> None:
    goal = (GOAL, f"(not (K agent_2 {CUP}))")
    task = hard_task({"agent_1": HELPER, "agent_2": BYSTANDER}, known={"agent_1": [CUP]}, goal=goal)
    for first, solved in ((IDLE, 1.0), (about_cup("agent_2"), 0.0)):
        world = EnacttomWorld(task)
        turn = world.reset(0)
        while not turn.is_over:
            turn = world.step({"agent_0": first if turn.step == 0 else IDLE})
        assert world.metrics()["functional_success"] == solved
        assert world.metrics()["kept_secrets"] == solved


def test_a_message_with_more_facts_than_allowed_is_not_sent() -> None:
    runtime = HouseRuntime(Household(hard_task({"agent_1": HELPER})))
    runtime.step([tell([Claim((), CUP_PLACE), Claim((), BOOK_PLACE)], ["agent_1"]), IDLE])
    outcome = runtime.outcomes[0]
    assert outcome
    assert outcome.words == "Not sent: the message has 2 sentences: at most 1 allowed."
    assert runtime.messages_left[0] == 1


@pytest.mark.parametrize(
    ("characters", "more", "fault"),
    [
        ({"agent_9": HELPER}, {"problem_pddl": hard_file({"agent_1": HELPER}).problem_pddl}, "agent_9"),
        ({"agent_1": HELPER, "agent_0": HELPER}, {}, "agent_0"),
        (
            {"agent_1": CharacterRule(kind="gossip")},
            {},
            "characters: agent_1: a gossip tells somebody: name agents in tells",
        ),
        ({"agent_1": CharacterRule(kind="silent", tells=("agent_0",))}, {}, "a silent one tells nobody"),
        ({"agent_1": CharacterRule(kind="helper", wants=("(is_on_top cup_1)",))}, {}, "wants: is_on_top takes 2"),
        ({"agent_1": CharacterRule(kind="helper", wants=("cup",))}, {}, "agent_1 wants: cup is no proposition"),
        (
            {"agent_1": CharacterRule(kind="helper", unless=("agent_1",))},
            {},
            "unless names an agent that follows itself",
        ),
        ({"agent_1": CharacterRule(kind="helper", wants=(GOAL,), cues=("cup_1", "cup_1"))}, {}, "2 cues for 1 wants"),
        ({"agent_1": HELPER}, {"secret_facts": {"agent_0": (f"(wanted {GOAL})", CUP)}}, f"{BOOK} is missing"),
        ({"agent_1": HELPER}, {"max_turns": None}, "a task with characters states max_turns"),
        ({"agent_1": HELPER}, {"task": "The cup is inside ___."}, "it has 1 blanks ___ for 0 slots"),
        ({"agent_1": HELPER}, {"unsure": {"agent_0": (CUP,)}}, "unsure: agent_0 is no character of this household"),
    ],
)
def test_the_loader_says_what_is_wrong_with_characters(
    characters: dict[str, CharacterRule], more: dict[str, object], fault: str
) -> None:
    with pytest.raises((TaskError, ValueError)) as raised:
        check_task(hard_file(characters, more=more))
    assert fault in str(raised.value)


def test_an_unknown_kind_of_character_is_refused_with_the_kinds_that_there_are() -> None:
    with pytest.raises(ValueError, match="'helper', 'gossip', 'rival', 'silent' or 'relay'"):
        CharacterRule.model_validate({"kind": "thief"})
