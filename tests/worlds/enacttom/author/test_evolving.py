"""Pools that evolve against an agent: the ratio of parents, what is kept, how it goes on, what is counted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hm_agent.command_line.cli import main
from hm_agent.storage.row_file import Row
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of
from hm_agent.worlds.enacttom.author.asked_tasks import COPIED, Authors
from hm_agent.worlds.enacttom.author.author_questions import criteria
from hm_agent.worlds.enacttom.author.calibration import Target, made_public
from hm_agent.worlds.enacttom.author.drafts import TaskRequest
from hm_agent.worlds.enacttom.author.drawn_tasks import TURNS_LEFT, drawn_task
from hm_agent.worlds.enacttom.author.evolution_counts import ablations, generation_counts
from hm_agent.worlds.enacttom.author.evolving import EXAMPLES, Evolution, grown_alone
from hm_agent.worlds.enacttom.author.task_plan import PlannedTask, TaskPlan
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.verification.verifier import over_budget, verify
from tests.worlds.enacttom.author.test_asked_tasks import proposal

GENERATIONS = 2


def generate(out: Path, *flags: str) -> int:
    return main(["hm-agent", "generate", "enacttom", f"--out={out}", *flags])


def evolve(out: Path) -> int:
    return generate(
        out, "--tasks=4", "--k_depth=1", "--evolve_against=order1", f"--generations={GENERATIONS}", "--workers=1"
    )


def rows_of(out: Path) -> list[Row]:
    return [json.loads(line) for line in (out / "pool.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pool")
    assert evolve(out) == 0
    return out


def test_an_agent_fails_more_in_each_generation_and_never_with_public_secrets(pool: Path) -> None:
    counts = generation_counts(rows_of(pool))
    fails = [one.target_fails or 0 for one in counts]
    assert fails[0] == 0, "order1 solves whatever is one hop away"
    assert fails == sorted(set(fails)), fails
    assert all(one.public_success == one.proved == 4 for one in counts)
    assert json.loads((pool / "counts.json").read_text())["generations"][-1]["target_fails"] == fails[-1]


def test_what_is_kept_is_proved_and_makes_the_difference_by_its_secrets(pool: Path) -> None:
    rows = rows_of(pool)
    kept = {path.stem: load_task(path) for path in (pool / "tasks").iterdir()}
    assert kept.keys() == {row["task"] for row in rows if row["public"] and not row["private"]}
    assert {path.stem for path in (pool / "solved").iterdir()} == {row["task"] for row in rows if row["private"]}
    assert len({task.file.problem_pddl.split("\n", 1)[1] for task in kept.values()}) == len(kept)
    for row in rows:
        if row["kept"]:
            task = kept[row["task"]]
            proved = verify(task)
            assert (proved.faults, over_budget(task, proved.turns)) == ((), [])
            usual = 2 * max(len(proved.turns), proved.certificate.baseline_turns or 0)
            assert task.max_turns == max(round(TURNS_LEFT[row["recipe"]["scarcity"]] * usual), len(proved.turns))


def test_a_child_differs_from_its_parent_in_what_its_row_says(pool: Path) -> None:
    rows = {row["id"]: row for row in rows_of(pool)}
    for row in rows.values():
        for parent in row["parents"]:
            before, after = rows[parent]["recipe"], row["recipe"]
            differing = {name for name in after if before[name] != after[name]}
            assert (
                differing
                == {
                    "other rooms": {"house"},
                    "other secrets": {"secrets"},
                    "deeper K": {"request", "secrets"},
                    "smaller budget": {"scarcity", "secrets"},
                }[row["changed"]]
            )


def test_a_pool_that_was_cut_short_goes_on_to_the_same_one(pool: Path, tmp_path: Path) -> None:
    out = tmp_path / "cut"
    shutil.copytree(pool, out)
    lines = (out / "pool.jsonl").read_bytes().splitlines(keepends=True)
    (out / "pool.jsonl").write_bytes(b"".join([*lines[:9], lines[9][:40]]))
    for lost in (json.loads(line)["task"] for line in lines[9:]):
        for folder in ("tasks", "solved"):
            (out / folder / f"{lost}.json").unlink(missing_ok=True)
    assert evolve(out) == 0
    whole, again = (
        {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (pool, out)
    )
    assert whole == again


def test_another_agent_needs_another_folder(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate(pool, "--tasks=4", "--k_depth=1", "--evolve_against=solo") == 2
    assert 'pool.jsonl has agent "order1", not "solo"' in capsys.readouterr().err


def evolution(ratio: float, authors: Authors | None = None, tasks: int = 10) -> Evolution:
    return Evolution(TaskPlan(tasks), Target("order1", "builtin"), ratio, authors)


def test_a_process_of_its_own_makes_the_same_task(pool: Path) -> None:
    rows = rows_of(pool)
    same = Evolution(TaskPlan(4, depths=(1,)), Target("order1", "builtin"), 0.8)
    assert grown_alone(same, same.births(1, rows[:4])[2]).row == rows[6]


def tried(number: int, *, private: bool) -> Row:
    return {"id": f"g00_{number:03}", "generation": 0, "public": True, "private": private, "kept": not private}


@pytest.mark.parametrize("ratio", [0.0, 0.8, 0.9, 1.0])
def test_parents_are_failed_and_solved_in_the_ratio_given(ratio: float) -> None:
    earlier = [tried(number, private=number % 2 == 0) for number in range(40)]
    unsolvable = {**tried(99, private=False), "public": False, "kept": False}
    for authors, each in ((None, 1), (Authors("a", ("a", "a"), 1), EXAMPLES)):
        families = [birth.parents for birth in evolution(ratio, authors).births(1, [*earlier, unsolvable])]
        assert {len(family) for family in families} == {each}
        parents = [row for family in families for row in family]
        assert sum(not row["private"] for row in parents) == round(ratio * 10 * each)
        assert unsolvable not in parents
    only_solved = [row for row in earlier if row["private"]]
    assert all(len(birth.parents) == 1 for birth in evolution(ratio).births(1, only_solved))
    assert all(birth.parents == () for birth in evolution(ratio).births(1, []))


def test_public_secrets_are_known_to_all_and_told_to_all() -> None:
    file = drawn_task(1, PlannedTask("mixed_k2_000", TaskRequest("mixed", 2, 3))).file
    assert file is not None
    before, after = check_task(file), check_task(made_public(file))
    secret = {fact for agent in before.agents for fact in before.known[agent]}
    wishes = {fact for fact in secret if fact.pddl not in str(file.secret_facts)} - set(before.public_facts)
    for agent in after.agents:
        assert secret - wishes <= set(after.known[agent])
    assert all(line in after.public_text for lines in file.agent_secrets.values() for line in lines)
    assert not any(after.file.agent_secrets.values())


def test_ablations_count_what_the_gates_would_let_pass() -> None:
    def row(number: int, generation: int, public: bool, private: bool, first: object = None) -> Row:
        kept = public and not private
        of_row = {"public": public, "private": private, "proved": True, "kept": kept, "first": first, "k_depth": 2}
        return {"id": str(number), "generation": generation, "refused": {}, **of_row}

    rows = [
        row(0, 0, public=True, private=True),
        row(1, 1, public=True, private=False),
        row(2, 1, public=False, private=False),
        {**row(4, 1, public=True, private=True), "private": None},
        {**row(5, 1, public=False, private=False), "public": None},
        row(3, 1, public=True, private=True, first={"why": "no plan", "k_depth": 3, "public": True, "private": False}),
    ]
    last = generation_counts(rows)[1]
    assert (last.proved, last.kept, last.no_result, last.target_fails) == (5, 1, 2, 1 / 2)
    whole, unverified, uncalibrated, alone = ablations(rows)
    assert (whole.kept, whole.candidates, whole.unproved, whole.unfair) == (1, 5, 0, 0)
    assert (unverified.kept, unverified.unproved, unverified.k_depth) == (2, 0.5, 2.5)
    assert (uncalibrated.kept, uncalibrated.unfair) == (3, 1 / 3)
    assert (alone.kept, alone.candidates) == (0, 1)


def test_a_model_is_shown_what_the_agent_failed_and_may_not_copy_it(tmp_path: Path) -> None:
    first, second = json.dumps(proposal(11)), json.dumps(proposal(13))
    answers, scores = iter([first, first, second]), dict.fromkeys(criteria("cooperative"), 0.8)

    def answer(body: dict[str, Any]) -> Response:
        if prompt_of(body, 0).startswith("You judge"):
            return completion(json.dumps({"scores": scores, "fixes": []}))
        return completion(next(answers))

    with Endpoint(answer) as server:
        kind = ("--tasks=1", "--category=cooperative", "--k_depth=1", "--agents=2", "--generations=1")
        asked = (*server.flags, "--retries=0", "--patience=0")
        assert generate(tmp_path, *kind, *asked, "--evolve_against=solo") == 0
        prompts = [prompt_of(one.body, 0) for one in server.received]
    proposing = [prompt for prompt in prompts if prompt.startswith("You design")]
    assert ["# Tasks that a team of agents failed" in prompt for prompt in proposing] == [False, True, True]
    assert first in proposing[1].splitlines()
    child = rows_of(tmp_path)[1]
    assert (child["parents"], child["refused"], child["kept"]) == (["g00_000"], {COPIED: 1}, True)
