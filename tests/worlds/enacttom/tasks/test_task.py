"""Task files: read, written, described by a schema, and refused in one line when they are wrong."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.pddl import TaskError, read_problem
from hm_agent.worlds.enacttom.tasks.pddl_writing import write_house
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task import TaskFile
from hm_agent.worlds.enacttom.tasks.task_files import LONGEST_ERROR, load_task, parse_task, save_task, task_text
from tests.support.enacttom.random_tasks import random_task
from tests.support.enacttom.shipped_tasks import few_task_files

SCHEMA = Path(__file__).parents[4] / "docs" / "schemas" / "enacttom_task.schema.json"
TASK = task_files()["enacttom_appendix_e"]
MIXED = task_files()["enacttom_one_window"]


def content(path: Path = TASK) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


Change = Callable[[dict[str, Any]], None]


def replaced(old: str, new: str) -> Change:
    """Changes the PDDL of a task."""

    def change(task: dict[str, Any]) -> None:
        assert old in task["problem_pddl"]
        task["problem_pddl"] = task["problem_pddl"].replace(old, new)

    return change


def having(**fields: Any) -> Change:
    return lambda task: task.update(fields)


def bound(*bindings: dict[str, Any]) -> Change:
    names = list(dict.fromkeys(binding["mechanic_type"] for binding in bindings))
    return having(active_mechanics=names, mechanic_bindings=list(bindings))


WRONG_GOALS = {
    "goals that exclude each other": ("(is_open cabinet_34) (is_closed cabinet_34)", "can't both hold"),
    "object wanted in two places": ("(is_on_top bowl_1 counter_29)", "can't both hold"),
    "object wanted in a room without its furniture": (
        "(is_in_room bowl_1 hall_1)",
        "(is_in_room bowl_1 hall_1) and (is_on_top bowl_1 table_22) can't both hold",
    ),
    "goal of what does not open": ("(is_open table_22)", "table_22 does not open"),
    "goal in a forbidden room": ("(agent_in_room agent_0 kitchen_1)", "agent_0 cannot enter kitchen_1"),
    "goal that furniture moves": ("(is_in_room table_22 hall_1)", "furniture does not move"),
    "disjunction": (
        "(or (is_open cabinet_34) (is_open table_22))",
        "line 18: 'or' is not supported here: a goal is a conjunction",
    ),
    "quantifier": ("(forall (?f - furniture) (is_open ?f))", "'forall' is not supported"),
    "conditional": ("(when (is_open cabinet_34) (is_open cabinet_34))", "'when' is not supported"),
    "negation": ("(not (is_on_top cup_2 table_22))", "'not' is only supported of is_open and is_closed"),
    "ignorance": ("(not (K agent_0 (is_open cabinet_34)))", "'not' is only supported of"),
    "predicate of other worlds": ("(is_clean bowl_1)", "line 18: 'is_clean' is not supported here"),
    "too few arguments": ("(is_on_top bowl_1)", "is_on_top takes 2 arguments, not 1"),
    "wrong type": ("(is_open bowl_1)", "bowl_1 in (is_open bowl_1) is of type object, not furniture"),
}
"""Goals that can't stand in place of (is_open cabinet_34), and what is said of each."""
WRONG_PDDL = {
    "unknown room": ("agent_0 hall_1)", "agent_0 attic_1)", "line 10: unknown name attic_1 in (agent_in_room"),
    "furniture in no room": ("(is_in_room table_22 kitchen_1)", "", "table_22 is in no room"),
    "furniture in two rooms": (
        "(is_in_room table_22 kitchen_1)",
        "(is_in_room table_22 kitchen_1) (is_in_room table_22 hall_1)",
        "table_22 is in kitchen_1 already",
    ),
    "open and closed": ("(is_closed cabinet_34)", "(is_closed cabinet_34) (is_open cabinet_34)", "stated twice"),
    "object in two places": (
        "(is_on_top bowl_1 counter_29)",
        "(is_on_top bowl_1 counter_29) (is_on_top bowl_1 table_22)",
        ":init has bowl_1 (is_on_top bowl_1 counter_29) and (is_on_top bowl_1 table_22): an object is in one place",
    ),
    "object nowhere": ("(is_on_top bowl_1 counter_29)", "", ":init has bowl_1 nowhere"),
    "object in a room that is not its furniture's": (
        "(is_on_top bowl_1 counter_29)",
        "(is_on_top bowl_1 counter_29) (is_in_room bowl_1 hall_1)",
        "(is_in_room bowl_1 hall_1) contradicts (is_on_top bowl_1 counter_29)",
    ),
    "two objects in a hand": (
        "(is_on_top bowl_1 counter_29) (is_on_top cup_2 counter_29)",
        "(is_held_by bowl_1 agent_1) (is_held_by cup_2 agent_1)",
        ":init puts 2 objects into the one hand of agent_1",
    ),
    "inside of what has none": (
        "is_on_top bowl_1 counter_29",
        "is_inside bowl_1 counter_29",
        "counter_29 has no inside",
    ),
    "cyclic containment": (
        "(is_on_top bowl_1 counter_29)",
        "(is_inside bowl_1 cup_2) (is_inside cup_2 bowl_1)",
        "cup_2 in (is_inside bowl_1 cup_2) is of type object, not furniture",
    ),
    "agent in two rooms": (
        "(agent_in_room agent_0 hall_1)",
        "(agent_in_room agent_0 hall_1) (agent_in_room agent_0 kitchen_1)",
        ":init puts agent_0 into 2 rooms",
    ),
    "agent where it can't be": (
        "(agent_in_room agent_0 hall_1)",
        "(agent_in_room agent_0 kitchen_1)",
        "agent_0 begins in kitchen_1, which it cannot enter",
    ),
    "negated init": (
        "(is_closed cabinet_34)",
        "(not (is_open cabinet_34))",
        "line 12: 'not' in :init is not supported",
    ),
    "unbound mechanic in init": (
        "(is_closed cabinet_34)",
        "(is_closed cabinet_34) (is_inverse cabinet_34)",
        "follows from no mechanic",
    ),
    "goal names nobody": (
        "(K agent_0 (K agent_1",
        "(K agent_0 (K agent_7",
        "line 17: K names agent_7, who is no agent",
    ),
    "K of an object": ("(K agent_0 (K agent_1", "(K bowl_1 (K agent_1", "K names bowl_1, who is no agent"),
    "empty goal": (
        (
            "(is_on_top bowl_1 table_22)\n    (K agent_0 (K agent_1 (is_on_top bowl_1 table_22)))\n    "
            "(is_open cabinet_34)"
        ),
        "",
        "the goal is empty",
    ),
    "too deep": (
        "(K agent_0 (K agent_1 (is_on_top bowl_1 table_22)))",
        "(K agent_0 (K agent_1 (K agent_0 (K agent_1 (K agent_0 (is_open cabinet_34))))))",
        "K is nested 5 deep; at most 4",
    ),
    "bracket missing": ("(:goal (and", "(:goal (and (", "is never closed"),
    "no goal": (":goal", ":metric", ":metric is not supported"),
    "unknown type": ("- object", "- thing", "unknown type 'thing'"),
    "name twice": ("bowl_1 cup_2 - object", "bowl_1 bowl_1 - object", "bowl_1 is declared twice"),
    "five agents": ("agent_0 agent_1 - agent", "agent_0 agent_1 agent_2 agent_3 agent_4 - agent", "there are 5 agents"),
    "too many objects": (
        "cup_2 - object",
        f"cup_2 {' '.join(f'cup_{number}' for number in range(3, 300))} - object",
        "a problem has at most 300 names in :objects, 30 of them rooms, and this one 306, 2 of them rooms",
    ),
    "too many rooms": (
        "kitchen_1 - room",
        f"kitchen_1 {' '.join(f'room_{number}' for number in range(29))} - room",
        "and this one 38, 31 of them rooms",
    ),
    "too long": (
        "(:domain enacttom)",
        f"(:domain enacttom) {100_000 * ' '}",
        "a problem has at most 100,000 characters",
    ),
}
"""Texts of the problem, with what must not stand in their places, and what is said of each."""
WRONG: Mapping[str, tuple[Change, str]] = {
    **{name: (replaced("(is_open cabinet_34)", goal), said) for name, (goal, said) in WRONG_GOALS.items()},
    **{name: (replaced(old, new), said) for name, (old, new, said) in WRONG_PDDL.items()},
    "spawn elsewhere": (
        having(agent_spawns={"agent_0": {"room": "kitchen_1"}, "agent_1": {"room": "kitchen_1"}}),
        "but :init elsewhere",
    ),
    "spawn of nobody": (having(agent_spawns={"agent_0": {"room": "hall_1"}}), "don't name the same agents: agent_1"),
    "bracket too many": (lambda task: task.update(problem_pddl=task["problem_pddl"] + ")"), "this ')' closes nothing"),
    "mechanic without binding": (having(active_mechanics=["inverse_state"]), "is missing in"),
    "mechanic of an unknown room": (
        bound({"mechanic_type": "room_restriction", "restricted_rooms": ["attic_1"], "for_agents": ["agent_0"]}),
        "room_restriction: attic_1 is no room of this household",
    ),
    "mechanic of what does not open": (
        bound({"mechanic_type": "inverse_state", "trigger_object": "table_22"}),
        "inverse_state: table_22 is no furniture that opens",
    ),
    "mirror of itself": (
        bound({"mechanic_type": "state_mirroring", "trigger_object": "cabinet_34", "target_object": "cabinet_34"}),
        "cabinet_34 is bound to itself",
    ),
    "message to oneself": (
        bound({"mechanic_type": "restricted_communication", "allowed_targets": {"agent_0": ["agent_0"]}}),
        "agent_0 is no other agent",
    ),
    "negative bandwidth": (
        bound({"mechanic_type": "limited_bandwidth", "message_limits": {"agent_0": -1}}),
        "mechanic_bindings",
    ),
    "two bandwidths of one agent": (
        bound(
            {"mechanic_type": "limited_bandwidth", "message_limits": {"agent_0": 1, "agent_1": 1}},
            {"mechanic_type": "limited_bandwidth", "message_limits": {"agent_0": 5}},
        ),
        "limited_bandwidth: agent_0 is bound in 2 bindings",
    ),
    "two lists of those whom one agent reaches": (
        bound(
            {"mechanic_type": "restricted_communication", "allowed_targets": {"agent_0": ["agent_1"]}},
            {"mechanic_type": "restricted_communication", "allowed_targets": {"agent_0": []}},
        ),
        "restricted_communication: agent_0 is bound in 2 bindings",
    ),
    "unknown mechanic": (bound({"mechanic_type": "teleport"}), "active_mechanics"),
    "secret of nobody": (having(agent_secrets={"agent_9": ["You are alone."]}), "agent_secrets: agent_9 is no agent"),
    "secret of an unknown thing": (
        having(agent_secrets={"agent_0": ["sofa_3 must be moved."]}),
        "names sofa_3, which is not in this household",
    ),
    "secret that is not so": (
        having(secret_facts={"agent_0": ["(is_open cabinet_34)"]}),
        "(is_open cabinet_34) can't be known: it does not hold at the start",
    ),
    "secret goal that is none": (
        having(secret_facts={"agent_0": ["(wanted (is_closed cabinet_34))"]}),
        "the goal has no such conjunct without K",
    ),
    "secret that is no PDDL": (having(secret_facts={"agent_0": ["cabinet_34 is open"]}), "secret_facts of agent_0"),
    "goal that nobody knows": (having(secret_facts={"agent_0": []}), "nobody knows that"),
    "private goals in a cooperative task": (
        lambda task: task.update(
            problem_pddl=task["problem_pddl"].rstrip()[:-1] + "(:goal-owners (agent_0 (is_closed cabinet_34))))"
        ),
        "a cooperative one has none",
    ),
    "unknown category": (having(category="hostile"), "category: Input should be"),
    "unknown field": (having(mood="good"), "mood: Extra inputs are not permitted"),
    "no public text": (having(task=""), "task: String should have at least 1 character"),
}


def test_a_wrong_task_is_refused_in_one_line_that_says_why() -> None:
    for name, (change, said) in WRONG.items():
        task = content()
        change(task)
        with pytest.raises(TaskError) as caught:
            parse_task(json.dumps(task))
        assert said in str(caught.value), name
        assert "\n" not in str(caught.value), name


def test_mirrors_that_begin_apart_and_goals_without_owner_are_refused() -> None:
    task = content(MIXED)
    bound({"mechanic_type": "state_mirroring", "trigger_object": "cabinet_7", "target_object": "drawer_3"})(task)
    replaced("(is_closed cabinet_7) (is_closed drawer_3)", "(is_closed cabinet_7) (is_open drawer_3)")(task)
    with pytest.raises(TaskError, match="mirror each other, but :init has one open"):
        parse_task(json.dumps(task))
    task = content(MIXED)
    replaced("(agent_0 (is_open cabinet_7))", "(agent_9 (is_open cabinet_7))")(task)
    with pytest.raises(TaskError, match=r"in :goal-owners is no \(AGENT GOAL\)"):
        parse_task(json.dumps(task))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"task_id": "a/b"}'])
def test_what_is_no_task_at_all_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(TaskError) as caught:
        parse_task(text)
    assert "\n" not in str(caught.value)


def test_a_name_that_commands_could_not_tell_from_something_else_is_refused() -> None:
    text = json.dumps(content() | {"certificate": None})
    for name in ("all", "nothing", "you", "a,b", "cup]", "wait[]", "cup'1", "<b>x", "1cup", "x" * 61, "é_1"):
        for old in ("agent_0", "bowl_1", "table_22", "hall_1"):
            with pytest.raises(TaskError, match="can't be a name: write a letter"):
                parse_task(text.replace(old, name))


def test_an_error_is_one_short_line_whatever_a_task_names() -> None:
    for room in ("a\nb\x1b[31m", "x" * 5000):
        task = content()
        task["agent_spawns"]["agent_0"]["room"] = room
        with pytest.raises(TaskError, match="agent_spawns puts agent_0 into") as caught:
            parse_task(json.dumps(task))
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) <= LONGEST_ERROR


def test_a_pipe_with_the_name_of_a_task_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(TaskError, match="is no file"):
        load_task(tmp_path / "a.json")


def test_a_task_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(codecs.BOM_UTF8 + TASK.read_bytes())
    assert load_task(tmp_path / "a.json") == load_task(TASK)


def test_an_error_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    for name in ("a.json", "missing.json"):
        with pytest.raises(TaskError, match=name):
            load_task(tmp_path / name)


@pytest.mark.parametrize("path", few_task_files().values(), ids=lambda path: path.stem)
def test_a_shipped_task_is_the_same_once_written_and_read(path: Path, tmp_path: Path) -> None:
    task = load_task(path)
    assert load_task(save_task(task.file, tmp_path)) == task
    assert task_text(task.file) == path.read_text()


@pytest.mark.parametrize("seed", range(20))
def test_a_random_task_is_the_same_once_written_and_read(seed: int) -> None:
    task = random_task(seed)
    assert parse_task(task_text(task.file)) == task
    problem, plan = read_problem(task.file.problem_pddl), task.plan
    init = [one.claim.proposition for one in problem.init]
    written = write_house(
        problem.name,
        spawns={agent: spawn.room for agent, spawn in task.file.agent_spawns.items()},
        rooms=plan.rooms,
        furniture=plan.furniture,
        objects=plan.objects,
        state=init[len(plan.agents) + len(plan.furniture) :],
        goal=[one.claim for one in problem.goal],
    )
    assert written == task.file.problem_pddl


def test_published_schema_is_the_one_of_the_code() -> None:
    assert json.loads(SCHEMA.read_text()) == TaskFile.model_json_schema()


def test_the_hash_changes_with_the_task_and_not_with_its_certificate() -> None:
    file = load_task(TASK).file
    assert file.model_copy(update={"certificate": None, "max_turns": 3}).hash == file.hash
    assert file.model_copy(update={"title": "Another"}).hash != file.hash


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="(): \n;-Kand_is_open?x1agent_0", max_size=80), st.integers(0, 800))
def test_pddl_with_a_hole_is_read_or_refused_in_one_line(inserted: str, place: int) -> None:
    text = content()["problem_pddl"]
    said = ""
    try:
        read_problem(text[:place] + inserted + text[place:])
    except TaskError as error:
        said = str(error)
    assert "\n" not in said


def test_brackets_nested_without_end_are_refused() -> None:
    with pytest.raises(TaskError, match="line 1: brackets are nested more than 50 deep"):
        read_problem("(" * 100_000)


def test_goals_are_read_with_their_operators() -> None:
    task = load_task(TASK)
    bowl = Proposition("is_on_top", ("bowl_1", "table_22"))
    assert Claim(("agent_0", "agent_1"), bowl) in task.goal
    assert task.physical_goal == (bowl, Proposition("is_open", ("cabinet_34",)))
    assert task.k_depth == 2
    assert dict(load_task(MIXED).private_goals) == {
        "agent_0": (Claim((), Proposition("is_open", ("cabinet_7",))),),
        "agent_1": (
            Claim((), Proposition("is_closed", ("cabinet_7",))),
            Claim((), Proposition("is_on_top", ("cup_4", "table_5"))),
        ),
    }
