"""Tasks drawn without a model: what is kept is proved, needs as many hops as it says, and says what its facts say."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from hm_agent.command_line.cli import main
from hm_agent.worlds.enacttom.author.drafts import CATEGORIES, TaskRequest, least_agents
from hm_agent.worlds.enacttom.author.drawn_tasks import MadeTask, drawn_task
from hm_agent.worlds.enacttom.author.proving import REASONS, quick_proof, refusal
from hm_agent.worlds.enacttom.author.task_plan import PlannedTask, TaskPlan
from hm_agent.worlds.enacttom.author.task_words import WISHED
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.mechanics import RestrictedCommunication, RoomRestriction
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.sentences import read_claims
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.tasks.task_files import load_task, save_task, task_text
from hm_agent.worlds.enacttom.verification.verifier import verify
from tests.support.commands import orphans, start

KINDS = [
    TaskRequest(category, depth, agents)
    for category in CATEGORIES
    for depth in range(4)
    for agents in range(least_agents(depth), 5)
]
SEED = 1
"""Constants were chosen on even seeds."""
SHIPPED_SEED = 1


def name_of(request: TaskRequest) -> str:
    return f"{request.cell}_{request.agents}"


def made(request: TaskRequest, seed: int = SEED) -> MadeTask:
    return drawn_task(seed, PlannedTask(f"{request.cell}_000", request))


@cache
def file_of(request: TaskRequest, seed: int = SEED) -> TaskFile:
    file = made(request, seed).file
    assert file is not None
    return file


def generate(*arguments: str) -> int:
    return main(["hm-agent", "generate", "enacttom", *arguments])


@pytest.mark.parametrize("request_", KINDS, ids=name_of)
def test_a_drawn_task_is_of_its_kind_and_proved(request_: TaskRequest) -> None:
    task = check_task(file_of(request_))
    assert (task.file.category, task.k_depth, len(task.agents)) == (
        request_.category,
        request_.k_depth,
        request_.agents,
    )
    proved = verify(task)
    assert (proved.faults, proved.certificate) == ((), task.file.certificate)
    assert quick_proof(task).relay_depth == request_.k_depth
    assert task.file.needs_communication == (request_.k_depth > 0)


def test_a_seed_gives_a_task_and_another_seed_another() -> None:
    request = TaskRequest("mixed", 2, 3)
    assert task_text(file_of(request)) == task_text(file_of(request))
    assert file_of(request).hash != file_of(request, SEED + 2).hash


def sentences(task: HouseholdTask) -> dict[str, set[Proposition]]:
    """What the secrets of each agent say, read back from English; private goals are left out."""
    told = {agent: read_claims(" ".join(texts), task.agents) for agent, texts in task.file.agent_secrets.items()}
    return {agent: {claim.proposition for claim in claims} for agent, claims in told.items()}


@pytest.mark.parametrize("request_", KINDS[::2], ids=name_of)
def test_sentences_say_what_the_facts_say(request_: TaskRequest) -> None:
    file = file_of(request_)
    task = check_task(file)
    private = {
        agent: {wanted(one.proposition) for one in claims if not one.depth}
        for agent, claims in task.private_goals.items()
    }
    for agent, said in sentences(task).items():
        secret = set(task.known[agent]) - set(task.public_facts) - private.get(agent, set())
        assert said == secret, agent
        wishes = [text for text in file.agent_secrets[agent] if text.startswith("You would like")]
        assert wishes == [WISHED[one.goal.predicate].format(*one.goal.arguments) for one in private.get(agent, ())]
        sure = [text for text in file.agent_secrets[agent] if text.startswith("By the end")]
        mine = [one for one in task.goal if one.depth and one.knowers[0] == agent]
        assert [text.split("sure that ")[1] for text in sure] == [
            one.words.removeprefix(f"{agent} knows that ") + "." for one in mine
        ]


@pytest.mark.parametrize("request_", KINDS[::2], ids=name_of)
def test_the_public_text_says_who_may_enter_where_and_message_whom(request_: TaskRequest) -> None:
    file = file_of(request_)
    task = check_task(file)
    barred, links = set(), set()
    for room in task.plan.rooms:
        if re.search(rf"Nobody may enter {room}\.", file.task):
            barred |= {(agent, room) for agent in task.agents}
        elif match := re.search(rf"Only ([\w ]+) may enter {room}\.", file.task):
            barred |= {(agent, room) for agent in task.agents if agent not in match[1].split(" and ")}
    for pair in re.findall(r"(\w+) and (\w+) can message each other\.", file.task):
        links |= {pair, pair[::-1]}
    if "Everyone can message everyone." in file.task:
        links |= {(one, other) for one in task.agents for other in task.agents if one != other}
    said = {Proposition(Is.RESTRICTED, pair) for pair in barred} | {
        Proposition(Is.CAN_COMMUNICATE, pair) for pair in links
    }
    assert said == set(task.public_facts)
    assert {one for one in task.mechanics.propositions if one.predicate in (Is.RESTRICTED, Is.CAN_COMMUNICATE)} == said


def test_a_shorter_way_than_meant_is_refused() -> None:
    request = TaskRequest("cooperative", 2, 3)
    file = file_of(request)
    open_channels = [one for one in file.mechanic_bindings if not isinstance(one, RestrictedCommunication)]
    facts = [one for one in file.public_facts if "can_communicate" not in one]
    update = {
        "mechanic_bindings": tuple(open_channels),
        "active_mechanics": tuple(dict.fromkeys(one.mechanic_type for one in open_channels)),
        "public_facts": tuple(facts),
    }
    proof = quick_proof(check_task(file.model_copy(update=update)))
    assert proof.relay_depth == 1
    assert refusal(proof, request) == "knowledge travels another number of hops"


def test_an_open_house_is_refused() -> None:
    request = TaskRequest("cooperative", 1, 2)
    file = file_of(request)
    rest = [one for one in file.mechanic_bindings if not isinstance(one, RoomRestriction)]
    update = {
        "mechanic_bindings": tuple(rest),
        "active_mechanics": tuple(dict.fromkeys(one.mechanic_type for one in rest)),
        "public_facts": (),
    }
    assert refusal(quick_proof(check_task(file.model_copy(update=update))), request) in REASONS


# The command


def test_tasks_are_made_counted_and_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--agents=2,3,4", "--k_depth=1,2", f"--seed={SEED}", f"--out={tmp_path}", "--workers=1")
    assert generate("--tasks=4", *flags) == 0
    names = ["cooperative_k1_000", "cooperative_k2_000", "mixed_k1_000", "mixed_k2_000"]
    first = {path.name: path.read_bytes() for path in tmp_path.glob("*.json")}
    assert sorted(first) == [f"{name}.json" for name in names]
    rows = [json.loads(line) for line in (tmp_path / "proposals.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == names
    for row in rows:
        again = drawn_task(SEED, PlannedTask(row["id"], TaskRequest(row["category"], row["k_depth"], row["agents"])))
        assert (row["kept"], row["refused"]) == (1, dict(again.tally.refused))
        assert set(row["refused"]) <= set(REASONS)
    proposed = sum(row["kept"] + sum(row["refused"].values()) for row in rows)
    assert re.search(rf"^ all +{proposed} +4 ", capsys.readouterr().out, re.MULTILINE)

    (tmp_path / "mixed_k1_000.json").unlink()  # as if it had been stopped before this was written
    assert generate("--tasks=6", *flags) == 0
    later = {path.name: path.read_bytes() for path in tmp_path.glob("*.json")}
    assert len(later) == 6
    assert first.items() <= later.items()


def test_tasks_of_several_processes_are_the_same(tmp_path: Path) -> None:
    for workers in (1, 2):
        assert generate("--tasks=4", "--k_depth=1", f"--out={tmp_path / str(workers)}", f"--workers={workers}") == 0
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "12")
    assert one == two


def test_an_interruption_ends_all_processes_and_keeps_what_was_made(tmp_path: Path) -> None:
    program = ("-m", "hm_agent", "generate", "enacttom")
    process = start(str(tmp_path), "--tasks=600", f"--out={tmp_path}", "--workers=2", program=program)
    while not list(tmp_path.glob("*.json")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == f"hm-agent generate enacttom: interrupted; what was made is in {tmp_path}\n"
    assert not orphans(str(tmp_path))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--category=hostile"], "--category=hostile: say cooperative or mixed"),
        (["--k_depth=4"], "--k_depth=4: say numbers from 0 to 3"),
        (["--k_depth="], "--k_depth=: say numbers from 0 to 3"),
        (["--agents=5"], "--agents=5: say numbers from 2 to 4"),
        (["--k_depth=3", "--agents=2,3"], "--agents=2,3: K depth 3 needs at least 4"),
        (["--out={file}"], "is a file; name a folder"),
        (["--judge=gpt-4o"], "--judge has no effect: without --model tasks are drawn"),
        (["surprise"], "unexpected argument 'surprise'"),
        (["--fail_ratio=hard"], "--fail_ratio has no effect: without --evolve_against no pool evolves"),
        (["--evolve_against=order1", "--fail_ratio=1.2"], "--fail_ratio=1.2: say standard or hard, or a number"),
        (["--evolve_against=order1", "--fail_ratio=harder"], "--fail_ratio=harder: say standard or hard"),
        (["--evolve_against=oder1"], "unknown agent 'oder1': did you mean order1?"),
        (["--evolve_against=order*"], "--evolve_against=order*: name one agent"),
        (["--evolve_against=order_1"], "--evolve_against: order_1 can't play a household task"),
        (["--evolve_against=order1", "--hard"], "--hard can't evolve"),
        (["--evolve_against=order1", "--rounds=3"], "--rounds has no effect: without --model tasks are drawn"),
        (["--evolve_against=react", "--target_model=gpt-4o"], "--target_model=gpt-4o needs a key"),
    ],
)
def test_wrong_flags_are_one_line(
    flags: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file, out = tmp_path / "file", tmp_path / "out"
    file.write_text("")
    given = [flag.format(file=file) for flag in flags]
    assert generate(*([] if "--out" in given[0] else [f"--out={out}"]), *given) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert file.read_text() == ""
    assert not out.exists()


def test_a_folder_with_other_tasks_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--tasks=1", "--k_depth=1", f"--out={tmp_path}")
    (tmp_path / "cooperative_k1_000.json").write_text("mine")
    assert generate(*flags) == 2
    assert "exists, but proposals.jsonl does not list it" in capsys.readouterr().err
    (tmp_path / "cooperative_k1_000.json").unlink()
    assert generate(*flags) == 0
    assert generate(*flags, "--seed=3") == 2
    assert "proposals.jsonl has seed 0, not 3" in capsys.readouterr().err


# The shipped set


def shipped() -> list[Path]:
    return [path for path in task_files().values() if re.search(r"_k\d_\d{3}$", path.stem)]


def test_the_shipped_set_is_balanced_and_holds_no_task_twice() -> None:
    files = [json.loads(path.read_bytes()) for path in shipped()]
    counts = Counter((file["category"], file["k_depth"]) for file in files)
    assert counts == dict.fromkeys([(category, depth) for category in CATEGORIES for depth in (1, 2, 3)], 20)
    assert len({file["problem_pddl"].split("\n", 1)[1] for file in files}) == 120


@pytest.mark.parametrize("name", ["cooperative_k1_004", "mixed_k2_011", "cooperative_k3_019"])
def test_a_shipped_task_is_drawn_again_to_the_byte(name: str) -> None:
    path = task_files()[f"enacttom_{name}"]
    slot = next(one for one in TaskPlan(120).slots() if one.name == name)
    again = drawn_task(SHIPPED_SEED, slot).file
    assert again is not None
    assert task_text(again) == path.read_text("utf-8")


@pytest.mark.parametrize("path", shipped()[::10], ids=lambda path: path.stem)
def test_knowledge_of_a_shipped_task_travels_as_far_as_its_depth(path: Path) -> None:
    task = load_task(path)
    assert quick_proof(task).relay_depth == task.k_depth == task.file.k_depth


def test_one_message_is_counted_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = next(
        file
        for seed in range(1, 99, 2)
        if (file := file_of(TaskRequest("cooperative", 0, 2), seed)).certificate and file.certificate.messages == 1
    )
    save_task(file, tmp_path)
    assert main(["hm-agent", "verify", str(tmp_path)]) == 0
    assert " turns with 1 message, K depth 0" in capsys.readouterr().out
