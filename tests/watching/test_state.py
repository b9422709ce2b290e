"""What the live page is told of a folder: from results and traces alone, also while they are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hm_agent.recording.result import write_result
from hm_agent.storage.files import folder_name
from hm_agent.watching.run_folder import PLAN, RunningEpisode
from hm_agent.watching.state import Watcher
from tests.reporting.examples import PD, RWS, leave, result

TRACE = '{"format": 2, "kind": "hm_agent trace"}\n'


def line(step: int, reward: float = 0.0, seat: str = "player_0", **more: Any) -> str:
    return json.dumps({"step": step, "seat": seat, "reward": reward, **more}) + "\n"


def begin(out: Path, *lines: str, agent: str = "react", scenario: str = RWS) -> Path:
    """The trace of an episode that has no result yet."""
    folder = out / scenario / agent / "gpt-4o" / "episode-0"
    folder.mkdir(parents=True)
    (folder / "trace.jsonl").write_text(TRACE + "".join(lines))
    return folder / "trace.jsonl"


def test_episodes_are_counted_by_how_they_stand(tmp_path: Path) -> None:
    leave(
        tmp_path,
        result("react", 4.0, 1),
        result("react", 6.0, 2),
        result("react", 0.0, 3, status="failed: ValueError: bad plan", reason="Traceback"),
        result("react", 0.0, 4, status="interrupted"),
        result("random", -1.0, 1, scenario=PD),
    )
    begin(tmp_path, line(0), agent="oracle")
    state = Watcher(tmp_path).look()
    assert state["counts"] == {"finished": 3, "failed": 1, "cut": 1, "running": 1}
    groups = {(one["scenario"], one["agent"]): one for one in state["groups"]}
    react = groups["rws_repeated_1", "react"]
    assert (react["finished"], react["failed"], react["cut"], react["mean"]) == (2, 1, 1, 5.0)
    assert react["unit"] == "reward per 1,200 steps"
    assert groups["rws_repeated_1", "oracle"]["running"] == 1
    failed = next(one for one in state["ended"] if one["status"] == "failed")
    assert failed["reason"] == "ValueError: bad plan"


def test_a_running_episode_tells_its_step_rewards_calls_cost_and_latest_event(tmp_path: Path) -> None:
    call = {"prompt": "", "replies": ["x"], "problem": None, "input_tokens": 1, "output_tokens": 1, "cost": 0.25}
    question: dict[str, Any] = {"question": "Plan", "fields": {}, "answer": None, "calls": [call, call]}
    event = {"kind": "Interaction", "words": "interaction with opponent", "fields": {}}
    path = begin(tmp_path, line(0, 1.0, questions=[question]), line(1, 2.5, events=[event]), line(1, 0.5, "player_1"))
    watcher = Watcher(tmp_path)
    (one,) = watcher.look()["running"]
    assert (one["step"], one["reward"], one["questions"], one["calls"], one["cost"]) == (2, 2.0, 1, 2, 0.5)
    assert one["latest"] == "step 1, player_0: interaction with opponent"  # as in the trace
    with path.open("a") as more:
        more.write(line(2, 4.0) + line(3, 100.0)[:-5])  # the last line is still being written
    (one,) = watcher.look()["running"]
    assert (one["step"], one["reward"], one["calls"]) == (3, 4.0, 2)


def test_an_episode_that_begins_anew_is_read_anew(tmp_path: Path) -> None:
    path = begin(tmp_path, *(line(step, 1.0) for step in range(20)))
    watcher = Watcher(tmp_path)
    assert watcher.look()["running"][0]["reward"] == 20
    path.write_text(TRACE + line(0, 3.0))
    assert watcher.look()["running"][0]["reward"] == 3


def test_an_episode_that_begins_anew_is_read_anew_though_its_trace_is_longer_by_now(tmp_path: Path) -> None:
    path = begin(tmp_path, *(line(step, 100.0) for step in range(3)))
    watcher = Watcher(tmp_path)
    assert watcher.look()["running"][0]["reward"] == 300
    path.write_text(TRACE + "".join(line(step, 1.0) for step in range(10)))
    assert watcher.look()["running"][0]["reward"] == 10


def test_an_episode_whose_files_go_while_they_are_read_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(tmp_path, line(0))
    lost, read_on = begin(tmp_path, line(0), agent="planner"), RunningEpisode.read_on

    def read(episode: RunningEpisode, path: Path) -> None:
        lost.unlink(missing_ok=True)
        read_on(episode, path)

    monkeypatch.setattr(RunningEpisode, "read_on", read)
    (one,) = Watcher(tmp_path).look()["running"]
    assert (one["agent"], one["silent"]) == ("react", 0)


def test_a_reply_from_the_cache_is_not_paid(tmp_path: Path) -> None:
    calls = [{"prompt": "", "cost": 0.25}, {"prompt": "", "cost": 0.5, "cached": True}]
    begin(tmp_path, line(0, questions=[{"question": "Plan", "fields": {}, "answer": None, "calls": calls}]))
    state = Watcher(tmp_path).look()
    assert (state["running"][0]["calls"], state["running"][0]["cost"], state["usage"]["cost"]) == (2, 0.25, 0.25)


def test_a_running_episode_is_of_the_group_of_those_that_ended_in_its_folder(tmp_path: Path) -> None:
    model = "meta-llama/Llama-3"
    folder = tmp_path / RWS / "react" / folder_name([model])
    for number in range(2):
        (folder / f"episode-{number}").mkdir(parents=True)
    write_result(result("react", 1.0, 0, model=model), folder / "episode-0")
    (folder / "episode-1" / "trace.jsonl").write_text(TRACE + line(0))
    (group,) = Watcher(tmp_path).look()["groups"]
    assert (group["model"], group["finished"], group["running"]) == (model, 1, 1)


def test_an_episode_that_ends_moves_from_running_to_ended(tmp_path: Path) -> None:
    begin(tmp_path, line(0), agent="react")
    watcher = Watcher(tmp_path)
    assert watcher.look()["counts"]["running"] == 1
    leave_into = tmp_path / "elsewhere"
    leave(leave_into, result("react", 7.0, 0, model="gpt-4o"))
    (written,) = leave_into.glob("*/*/*/*/result.json")
    (tmp_path / RWS / "react" / "gpt-4o" / "episode-0" / "result.json").write_bytes(written.read_bytes())
    state = watcher.look()
    assert (state["counts"]["running"], state["counts"]["finished"]) == (0, 1)
    assert state["ended"][0]["value"] == 7.0


def test_the_plan_of_a_run_says_what_is_to_come(tmp_path: Path) -> None:
    assert Watcher(tmp_path).look()["planned"] is None
    (tmp_path / PLAN).write_text('{"episodes": 12}')
    assert Watcher(tmp_path).look()["planned"] == 12
    (tmp_path / PLAN).write_text('["12"]')
    assert Watcher(tmp_path).look()["planned"] is None


def test_files_of_another_form_are_counted_or_passed_over(tmp_path: Path) -> None:
    leave(tmp_path, result("react", 1.0, 1))
    (path,) = tmp_path.glob("*/*/*/*/result.json")
    path.write_text("{")
    begin(tmp_path, "no JSON\n", "[1]\n", '{"step": "x", "seat": 1, "reward": []}\n', line(4, 1.0), agent="oracle")
    state = Watcher(tmp_path).look()
    assert (state["unreadable"], state["counts"]["finished"]) == (1, 0)
    assert [(one["step"], one["reward"]) for one in state["running"]] == [(5, 1.0)]
