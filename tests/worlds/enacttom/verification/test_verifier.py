"""What the verifier proves, what it says of tasks that are not what they claim, and the commands around it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from hm_agent.command_line.cli import main
from hm_agent.worlds.enacttom.house.commands import IDLE, parse_command, pick
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.mechanics import LimitedBandwidth, RoomRestriction, StateMirroring
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import Variant
from hm_agent.worlds.enacttom.verification.verifier import TaskProof, certified, is_current, verify
from tests.support.enacttom.shipped_tasks import few_task_files, hand_made_files
from tests.support.enacttom.small_house import small_task
from tests.worlds.enacttom.counting import runs_of

NO_KITCHEN = RoomRestriction(restricted_rooms=("kitchen_1",), for_agents=("agent_0",))
NO_HALL = RoomRestriction(restricted_rooms=("hall_1",), for_agents=("agent_1",))
BOTH = ["(is_open cabinet_1)", "(is_open cabinet_2)", "(K agent_0 (is_open cabinet_2))"]
SECRETS = {"agent_0": ("(wanted (is_open cabinet_2))",), "agent_1": ("(wanted (is_open cabinet_1))",)}


def changed(task: HouseholdTask, **fields: object) -> HouseholdTask:
    return check_task(task.file.model_copy(update=fields))


FAULTY: Mapping[str, tuple[HouseholdTask, str]] = {
    "solved at the start": (
        small_task(["(is_closed cabinet_1)", "(K agent_1 (is_closed cabinet_1))"], [NO_HALL]),
        "its physical goal holds before anyone acts",
    ),
    "nothing to do": (
        small_task(["(K agent_1 (is_closed cabinet_1))"], [NO_HALL]),
        "its goal has no conjunct without K, so that nothing has to be done",
    ),
    "impossible": (
        small_task(
            ["(is_open cabinet_1)", "(is_closed cabinet_2)"],
            [StateMirroring(trigger_object="cabinet_1", target_object="cabinet_2")],
        ),
        "it has no plan",
    ),
    "one agent too many": (
        small_task(["(is_open cabinet_1)"]),
        "agent_1 is not needed: there is a plan in which it only waits",
    ),
    "no need to talk": (
        small_task(["(is_open cabinet_1)", "(is_open cabinet_2)"], [NO_HALL, NO_KITCHEN]),
        "it can be solved without a message",
    ),
    "a message for K alone": (
        small_task(BOTH, [NO_HALL, NO_KITCHEN]),
        "its physical goal, which alone is paid, can be reached without a message",
    ),
    "depth by sight": (
        small_task([*BOTH, "(K agent_0 (K agent_1 (is_open cabinet_1)))"]),
        "its K depth 2 is inflated: its deepest K can be had by sight",
    ),
    "another depth": (
        changed(small_task(BOTH, [NO_KITCHEN, NO_HALL], secrets=SECRETS), k_depth=2),
        "it claims K depth 2, but its goal has 1",
    ),
    "too few messages": (
        small_task(BOTH, [NO_KITCHEN, NO_HALL, LimitedBandwidth(message_limits={"agent_0": 0})], secrets=SECRETS),
        "it has no plan",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_task_that_is_not_what_it_claims_gets_a_line_that_says_why(name: str) -> None:
    task, said = FAULTY[name]
    faults = verify(task).faults
    assert said in faults
    assert all("\n" not in fault for fault in faults)


def test_a_task_that_is_what_it_claims_gets_a_certificate_and_budgets() -> None:
    task = small_task(BOTH, [NO_KITCHEN, NO_HALL], secrets=SECRETS)
    verdict = verify(task)
    assert not verdict.faults
    found = verdict.certificate
    assert (found.status, found.baseline, found.k_depth) == ("solved", "solved", 1)
    assert set(found.without_agent.values()) == {found.without_communication} == {"unsolvable"}
    assert (found.baseline_turns, found.baseline_messages, found.messages) == (2, 1, 2)
    file = certified(task.file, verdict)
    assert is_current(file)
    assert file.max_turns == 2 * len(found.plan)
    assert file.max_messages == 2
    assert not is_current(file.model_copy(update={"task": "Something else."}))
    assert verify(check_task(file)).certificate == found


@pytest.mark.parametrize(("name", "spare"), [("mixed_k2_007", ("agent_0",)), ("far_handle", ())])
def test_who_is_needed_for_what_has_to_be_known_alone_is_named(name: str, spare: tuple[str, ...]) -> None:
    verdict = verify(load_task(task_files()[f"enacttom_{name}"]))
    assert not verdict.faults
    assert verdict.spare == spare


@pytest.mark.parametrize(
    ("name", "hops"), [("appendix_e", 1), ("relay_of_three", 2), ("cooperative_k3_000", 3), ("far_handle", 1)]
)
def test_the_certificate_says_how_far_knowledge_has_to_travel(name: str, hops: int) -> None:
    assert verify(load_task(task_files()[f"enacttom_{name}"])).certificate.relay_depth == hops


def test_a_goal_that_nobody_can_bring_about_has_no_relay_depth() -> None:
    task = small_task(["(is_open cabinet_1)", "(is_on_top cup_1 counter_2)"], [NO_HALL, NO_KITCHEN])
    assert verify(task).certificate.relay_depth is None


def test_of_all_that_could_bring_a_goal_about_the_nearest_to_the_news_counts() -> None:
    task = small_task(["(is_open cabinet_1)"], secrets={"agent_0": ("(wanted (is_open cabinet_1))",)})
    assert TaskProof(task).relay_depth == 0


def test_a_search_that_is_cut_short_proves_nothing_and_says_so() -> None:
    task = small_task(BOTH, [NO_KITCHEN, NO_HALL], secrets=SECRETS)
    faults = verify(task, most_nodes=0).faults
    assert "no plan was found for it: the planner stopped without a proof" in faults


def test_another_planner_that_disagrees_is_reported() -> None:
    task = small_task(BOTH, [NO_KITCHEN, NO_HALL], secrets=SECRETS)
    verdict = verify(task, planners={"oracle": lambda strips: "unsolvable", "snail": lambda strips: "unknown"})
    assert verdict.faults == ("oracle says unsolvable, but the own planner solved",)
    assert verdict.certificate.checked_by == {"oracle": "unsolvable", "snail": "unknown"}


def test_private_goals_are_checked_one_by_one_and_together() -> None:
    task = load_task(task_files()["enacttom_one_window"])
    found = verify(task).certificate
    assert found.private_goals == {"agent_0": "solved", "agent_1": "solved"}
    assert found.all_private_goals == "unsolvable"
    text = task.file.problem_pddl.replace("(agent_0 (is_open cabinet_7))", "(agent_0 (is_closed cabinet_7))")
    quiet = verify(changed(task, problem_pddl=text, secret_facts=task.file.secret_facts))
    assert quiet.certificate.all_private_goals == "solved"
    assert "the private goal of agent_0 holds before anyone acts" in quiet.faults


@pytest.mark.parametrize("path", few_task_files().values(), ids=lambda path: path.stem)
def test_a_shipped_task_is_proved_and_its_written_plan_solves_it_as_text(path: Path) -> None:
    task = load_task(path)
    verdict = verify(task)
    assert verdict.faults == ()
    assert task.file.certificate
    assert is_current(task.file)
    assert task.file.certificate.model_copy(update={"checked_by": {}}) == verdict.certificate
    household = Household(task)
    runtime = HouseRuntime(household)
    assert len(task.file.certificate.plan) <= task.max_turns
    for turn in task.file.certificate.plan:
        runtime.step([parse_command(turn.get(agent, "Wait[]")) for agent in task.agents])
    assert runtime.holds(household.functional_mask)


def test_a_proof_solves_only_what_is_asked() -> None:
    proof = TaskProof(small_task(BOTH, [NO_KITCHEN, NO_HALL], secrets=SECRETS))
    assert proof.status("silent") == "unsolvable"
    assert list(proof._solved) == ["silent"]


# Commands


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in hand_made_files().values():
        shutil.copy(path, tmp_path)
    return tmp_path


def verified(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(["hm-agent", *arguments])
    output, errors = capsys.readouterr()
    return status, output, errors


def test_verify_proves_a_folder_and_writes_what_it_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.read_text() for path in folder.glob("*.json")}
    task = json.loads(before["appendix_e.json"])
    del task["certificate"], task["max_turns"]
    (folder / "appendix_e.json").write_text(json.dumps(task))
    status, output, errors = verified("verify", str(folder), "--write", capsys=capsys)
    assert (status, errors) == (0, "")
    assert f"{len(before)} of {len(before)} tasks are proved." in output
    written = load_task(folder / "appendix_e.json").file
    assert is_current(written)
    assert written.max_turns == json.loads(before["appendix_e.json"])["max_turns"]


def test_each_file_keeps_its_content_also_where_two_have_one_task_id(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = json.loads((folder / "far_handle.json").read_text())
    (folder / "mine.json").write_text(json.dumps(task | {"title": "Mine"}))
    assert verified("verify", str(folder), "--write", capsys=capsys)[0] == 0
    assert [load_task(folder / f"{name}.json").file.title for name in ("far_handle", "mine")] == [task["title"], "Mine"]
    assert is_current(load_task(folder / "mine.json").file)
    verified("export", "enacttom", str(folder), f"--out={tmp_path / 'pddl'}", capsys=capsys)
    assert {path.name for path in (tmp_path / "pddl").iterdir()} == {path.stem for path in folder.glob("*.json")}


def test_budgets_that_a_plan_exceeds_are_faults(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(task_files()["enacttom_cooperative_k1_000"].read_text())
    turns = len(found["certificate"]["plan"])
    (folder / "short.json").write_text(json.dumps(found | {"max_turns": turns - 1}))
    (folder / "silent.json").write_text(json.dumps(found | {"max_messages": 0}))
    status, _, errors = verified("verify", str(folder), capsys=capsys)
    assert status == 1
    assert f"short: its plan takes {turns} turns, but an episode has {turns - 1}" in errors
    assert re.search(r"silent: its plan has agent_\d send \d messages, but it may send 0", errors)
    assert verified("verify", str(folder), "--write", capsys=capsys)[0] == 0
    assert verified("verify", str(folder), capsys=capsys)[0] == 0


def test_two_processes_write_the_same_certificates(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hm_agent", "verify", str(folder), "--write"]
    subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": "1"}, check=True, capture_output=True)
    written = {path.name: path.read_text() for path in folder.glob("*.json")}
    assert main(["hm-agent", *command[3:]]) == 0  # this process draws its seed at random
    assert written == {path.name: path.read_text() for path in folder.glob("*.json")}


def test_a_relay_depth_that_the_proof_does_not_find_is_a_fault(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verified("verify", str(folder), "--write", capsys=capsys)[0] == 0
    path = folder / "relay_of_three.json"
    task = json.loads(path.read_text())
    assert task["certificate"]["relay_depth"] == 2
    status, output, errors = verified("verify", str(folder), capsys=capsys)
    assert (status, errors) == (0, "")
    assert "relay_of_three: solved in" in output
    assert "K depth 3, relay depth 2, " in output
    path.write_text(json.dumps(task | {"certificate": task["certificate"] | {"relay_depth": 3}}))
    status, _, errors = verified("verify", str(folder), capsys=capsys)
    assert status == 1
    assert errors.startswith("relay_of_three: its certificate says relay depth 3, but the proof finds 2")
    path.write_text(json.dumps(task | {"certificate": task["certificate"] | {"relay_depth": -1}}))
    assert "certificate.relay_depth" in verified("verify", str(folder), capsys=capsys)[2]


def test_whatever_a_certificate_says_otherwise_than_the_proof_is_a_fault(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "relay_of_three.json"
    verified("verify", str(folder), "--write", capsys=capsys)
    task = json.loads(path.read_text())
    doctored = {"without_communication": "solved", "without_agent": dict.fromkeys(task["agent_spawns"], "unknown")}
    path.write_text(json.dumps(task | {"certificate": task["certificate"] | doctored}))
    status, _, errors = verified("verify", str(folder), capsys=capsys)
    assert status == 1
    agents = ("agent_0", "agent_1", "agent_2")
    said, found = (", ".join(f"{agent}: {status}" for agent in agents) for status in ("unknown", "unsolvable"))
    assert [line.removeprefix("relay_of_three: its certificate says ") for line in errors.splitlines()] == [
        f"without agent {said}, but the proof finds {found}: --write makes a new one",
        "without communication solved, but the proof finds unsolvable: --write makes a new one",
    ]


def test_what_another_planner_said_of_a_task_stays_until_the_task_changes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "far_handle.json"
    verified("verify", str(folder), "--write", capsys=capsys)
    task = json.loads(path.read_text())
    told = task | {"certificate": task["certificate"] | {"checked_by": {"fast_downward": "solved"}}}
    for changed, left in ((told, {"fast_downward": "solved"}), (told | {"title": "Another story"}, {})):
        path.write_text(json.dumps(changed))
        verified("verify", str(folder), "--write", capsys=capsys)
        assert json.loads(path.read_text())["certificate"]["checked_by"] == left


def test_verify_proves_a_task_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(task_files()["enacttom_far_handle"], tmp_path)
    with runs_of(TaskProof.__init__) as proofs:
        assert verified("verify", str(tmp_path), capsys=capsys)[0] == 0
    assert len(proofs) == 1


def test_verify_tells_of_each_fault_in_one_line_and_goes_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "broken.json").write_text("{")
    task = json.loads((folder / "far_handle.json").read_text())
    (folder / "far_handle.json").write_text(json.dumps(task | {"k_depth": 2}))
    status, output, errors = verified("verify", str(folder), capsys=capsys)
    assert status == 1
    assert [line.split(":")[0] for line in errors.splitlines()] == ["broken", "far_handle", "far_handle"]
    assert "its certificate was made for another state of the file" in errors
    assert output.splitlines()[-1].startswith(f"{len(hand_made_files()) - 1} of {len(hand_made_files()) + 1} ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", "nowhere"], "nowhere is no folder"),
        (["verify", "--planner=guess"], "planner"),
        (["verify", "--out=x"], "Unknown command line flag 'out'"),
        (["verify", "a", "b"], "one folder or file at a time, not 2"),
        (["export", "enacttom", "nowhere"], "nowhere is no folder"),
        (["browse", "enacttom", "--page=/tmp"], "--page=/tmp: this is a folder; name a file"),
        (["browse", "enacttom", "--page="], "--page names nothing"),
        (["verify", "--seconds=3"], "--seconds has no effect: it is for --planner=fast_downward"),
    ],
)
def test_wrong_command_lines_are_refused_in_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output, errors = verified(*arguments, capsys=capsys)
    assert (status, output) == (2, "")
    assert said in errors
    assert errors.count("\n") == 1


def test_export_writes_pddl_that_pyperplan_solves(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pyperplan.grounding import ground
    from pyperplan.heuristics.relaxation import hFFHeuristic
    from pyperplan.pddl.parser import Parser
    from pyperplan.search import greedy_best_first_search

    status, _, errors = verified("export", "enacttom", str(folder), f"--out={tmp_path / 'pddl'}", capsys=capsys)
    assert (status, errors) == (0, "")
    for path in hand_made_files().values():
        place = tmp_path / "pddl" / path.stem
        parser = Parser(str(place / "domain.pddl"), str(place / "problem.pddl"))
        task = ground(parser.parse_problem(parser.parse_domain()))
        state = task.initial_state
        names = {operator.name.strip("()"): operator for operator in task.operators}
        for line in (place / "plan").read_text().splitlines():
            assert names[line.strip("()")].applicable(state)
            state = names[line.strip("()")].apply(state)
        assert task.goal_reached(state)
        assert greedy_best_first_search(task, hFFHeuristic(task)) is not None


def test_help_names_the_flags(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("verify", "export enacttom"):
        status, output, _ = verified(*command.split(), "--help", capsys=capsys)
        assert status == 0
        assert f"hm-agent {command} DIR" in output


def test_a_plan_from_the_midst_of_an_episode_puts_down_what_is_in_the_way() -> None:
    household = Household(small_task(["(is_on_top cup_1 counter_2)"]))
    runtime = HouseRuntime(household)
    runtime.step([pick("book_1"), IDLE])
    variant = Variant(household.task.goal, is_silent=True, idle=frozenset(["agent_1"]))
    assert solve(compile_task(household, variant, start=runtime.state)).status == "solved"
