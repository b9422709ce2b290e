"""Tasks in the form in which the paper's authors publish theirs: read, played, and never taken for proved ones."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import register_scenarios
from hm_agent.command_line.commands import PLAY
from hm_agent.episode import run_episode
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.scores import scores
from hm_agent.reporting.tables import tabulate
from hm_agent.worlds.enacttom.agents import PlannerHouseAgent, RandomHouseAgent
from hm_agent.worlds.enacttom.command_line import verify_command
from hm_agent.worlds.enacttom.measure_command import main as measure
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.proofs import PROSE, unproved
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_files import load_task, parse_task
from hm_agent.worlds.enacttom.world import EnacttomWorld
from tests.worlds.enacttom.tasks.test_task import Change, having, replaced

MIXED = Path(__file__).parent / "published_mixed.json"
AGAINST_THE_GOAL = replaced("(agent_1 (is_on_top lamp_0 table_10))", "(agent_1 (is_closed cabinet_26))")


pytestmark = pytest.mark.usefixtures("forgets_folders")


def changed(change: Change) -> HouseholdTask:
    task = json.loads(MIXED.read_text())
    change(task)
    return parse_task(json.dumps(task))


def played(task: HouseholdTask, *, by_planner: bool) -> EnacttomWorld:
    """Plays one episode, by the planner or at random."""
    world = EnacttomWorld(task, asks=True)
    agents = {seat: PlannerHouseAgent(world, seat) if by_planner else RandomHouseAgent(3) for seat in world.seats}
    asyncio.run(run_episode(world, agents, seed=0))
    return world


READ: dict[str, tuple[Change, Proposition | None]] = {
    "an agent begins where it can't enter": (
        replaced("agent_0 dining_room_1", "agent_0 kitchen_1"),
        Proposition("agent_in_room", ("agent_0", "kitchen_1")),
    ),
    "furniture as a goal": (
        replaced("(is_open cabinet_26)\n", "(is_open cabinet_26) (is_in_room table_8 dining_room_1)\n"),
        None,
    ),
    "furniture as a wish": (
        replaced("(is_on_top lamp_0 table_10))", "(is_in_room table_12 bathroom_1))"),
        None,
    ),
    "fields of bindings that are null": (
        having(
            active_mechanics=["inverse_state"],
            mechanic_bindings=[
                {"mechanic_type": "inverse_state", "trigger_object": "cabinet_22", "target_state": None, "count": None}
            ],
        ),
        Proposition(Is.CLOSED, ("cabinet_22",)),
    ),
    "a thing of which only the room is stated": (
        replaced("(is_on_top book_1 table_10)", "(is_in_room book_1 study_1)"),
        Proposition(Is.ON_FLOOR, ("book_1",)),
    ),
    "states of the scene": (
        having(initial_states={"cabinet_22": {"is_open": True}}),
        Proposition(Is.OPEN, ("cabinet_22",)),
    ),
    "no private goals in a mixed task": (
        lambda task: task.update(problem_pddl=task["problem_pddl"].partition("(:goal-owners")[0] + ")"),
        None,
    ),
}  # fmt: skip


def test_what_the_authors_write_otherwise_is_read_and_played() -> None:
    for task in (load_task(MIXED), changed(AGAINST_THE_GOAL)):
        assert played(task, by_planner=True).metrics()["functional_success"] == 1.0
    for name, (change, starts_with) in READ.items():
        task = changed(change)
        assert starts_with is None or starts_with in task.init, name
        metrics = played(task, by_planner=False).metrics()
        assert (metrics["turns"], metrics["unproved"]) == (30.0, 1.0), name


def test_targets_of_messages_are_a_mechanic_and_fields_without_meaning_are_named() -> None:
    task = changed(
        having(mechanic_bindings=[], message_targets={"agent_0": ["agent_1"]}, calibration=[{"runs": 3}], mood="good")
    )
    assert task.mechanics.targets("agent_0") == ("agent_1",)
    assert task.file.as_published
    assert task.file.as_published.unread == ("mood",)


UNREADABLE: dict[str, tuple[Change, str]] = {
    "predicate": (replaced("(is_open cabinet_26)\n", "(is_clean bowl_2)\n"), "line 29: 'is_clean' is not"),
    "name": (replaced("(is_open cabinet_26)\n", "(is_open cabinet_9)\n"), "line 29: unknown name cabinet_9"),
    "furniture elsewhere": (
        replaced("(is_open cabinet_26)\n", "(is_in_room table_8 study_1)\n"), "line 29: (is_in_room table_8 study_1) is"
    ),
    "goals that exclude each other": (
        replaced("(is_open cabinet_26)\n", "(is_open cabinet_26) (is_closed cabinet_26)\n"), "line 29: (is_closed cab"
    ),
    "room": (replaced("(agent_in_room agent_0 dining_room_1)", ""), "agent_0 is in no room: state (agent_in_room"),
    "goal": (lambda task: task.pop("problem_pddl"), "problem_pddl: Field required"),
    "agents": (having(num_agents=2), "num_agents: is 2, but :objects has 3"),
    "actions": (having(agent_actions={"agent_1": ["Wait"]}), "agent_actions: agent_1 lacks Close, Communicate"),
    "states": (having(initial_states={"cabinet_22": "ajar"}), 'initial_states: cabinet_22: "ajar" can\'t be read'),
    "teams": (having(teams={"red": ["agent_0"]}), "teams: is not supported"),
    "category": (having(category="competitive"), "category: Input should be"),
}  # fmt: skip


def test_what_can_not_be_read_is_said_in_one_line() -> None:
    for change, said in UNREADABLE.values():
        with pytest.raises(TaskError) as caught:
            changed(change)
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)


def test_agents_are_told_no_goal_but_their_wishes_and_the_floor_plan_gives_none_away() -> None:
    task = load_task(MIXED)
    for seat, observation in EnacttomWorld(task).reset(0).observations.items():
        briefing = observation.view.briefing
        assert [fact.goal for fact in briefing.facts] == [claim.proposition for claim in task.private_goals[seat]]
        assert briefing.plan.openable == ("cabinet_22", "cabinet_26")


def test_a_wish_against_the_goal_is_unproved_before_and_after_the_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wish.json"
    content = json.loads(MIXED.read_text()) | {"mood": "good"}
    AGAINST_THE_GOAL(content)
    path.write_text(json.dumps(content))
    assert unproved(load_task(path).file) == ("it has no certificate",)
    assert verify_command([str(path), "--write"]) == 1
    output = capsys.readouterr()
    assert "; not read: mood\n0 of 1 tasks are proved." in output.out
    for said in (PROSE, "the private goal of agent_1 can't be had with the shared goal"):
        assert said in output.err
        assert said in unproved(load_task(path).file)
    assert load_task(path).file.as_published


def test_an_unproved_task_is_marked_wherever_it_stands_beside_proved_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, runs = tmp_path / "mine", tmp_path / "runs"
    folder.mkdir()
    shutil.copy(MIXED, folder / "mixed.json")
    shutil.copy(task_files()["enacttom_far_handle"], folder / "far.json")
    asked = [f"--scenarios_dir={folder}", "--scenario=enacttom_own_*", f"--out={runs}", "--noreplay"]
    assert PLAY.run([*asked, "--agent=planner,random,order1", "--model=builtin"]) == 0
    assert "enacttom_own_mixed (unproved)" in capsys.readouterr().out
    summary = (runs / "summary.md").read_text()
    assert "Unproved, so in groups of their own and in no mean over groups: enacttom_own_mixed." in summary
    register_scenarios(folder)
    far, mixed = find_scenarios(["enacttom_own_far", "enacttom_own_mixed"])
    assert (far.group, far.is_unproved) == ("EnactToM, cooperative, K depth 1", False)
    assert (mixed.group, mixed.is_unproved) == ("EnactToM, unproved, mixed, K depth 2", True)
    assert mixed.about.endswith(", unproved")
    results = read_runs([runs]).results
    marks = {(mixed.name in result.scenario, result.metrics.get("unproved")) for result in results}
    assert marks == {(True, 1.0), (False, None)}
    means = {score.group: score.mean for score in scores(tabulate(results)) if score.condition.agent == "order1"}
    assert means == {"all scenarios": 1.0, far.group: 1.0, mixed.group: 0.0}
    assert measure([str(runs), f"--scenarios_dir={folder}"]) == 0
    depths = capsys.readouterr().out
    assert "## Unproved (k = 3)" in depths
    assert "K depth 2" not in depths
