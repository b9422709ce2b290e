"""What an experiment leaves behind, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hm_agent.config import ConfigError
from hm_agent.engines.engine import Progress
from hm_agent.engines.run import run
from hm_agent.experiment import Experiment, find_agents
from hm_agent.recording.result import Result, read_result
from hm_agent.recording.trace import read_trace
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.summary import write_summary
from hm_agent.reporting.tables import tabulate
from hm_agent.worlds.melting_pot.scenarios import find_scenarios

(SCENARIO,) = find_scenarios(["rws_repeated_6"])


def experiment(out: Path, **changes: object) -> Experiment:
    wanted: dict[str, object] = {"scenarios": (SCENARIO,), "bots": "scripted", "max_steps": 40, "out": out}
    return Experiment(**(wanted | changes))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, silence: Progress) -> Path:
    out = tmp_path_factory.mktemp("runs")
    agents = ("hypothetical_minds", "random")
    run(experiment(out, agents=agents, episodes=2, record_video=True), silence)
    return out


def test_files_lie_by_scenario_agent_model_and_episode(played: Path) -> None:
    folder = played / SCENARIO.name / "hypothetical_minds" / "builtin" / "episode-1"
    left = {path.name for path in folder.iterdir()}
    assert left == {"result.json", "trace.jsonl", "video.mp4", "replay.html", "thumbnail.png"}


def test_a_replay_is_left_out_on_request_and_changes_nothing_that_is_played(
    played: Path, tmp_path: Path, silence: Progress
) -> None:
    run(experiment(tmp_path, record_replay=False), silence)
    (trace, result) = sorted(tmp_path.glob("*/*/*/*/*"), reverse=True)
    assert (trace.name, result.name) == ("trace.jsonl", "result.json")
    assert trace.read_bytes() == (played / trace.relative_to(tmp_path)).read_bytes()


def test_a_result_tells_what_was_played(played: Path) -> None:
    result = read_result(played / SCENARIO.name / "hypothetical_minds" / "builtin" / "episode-0" / "result.json")
    assert result is not None
    assert (result.status, result.steps, result.bots) == ("max_steps", 40, "scripted")
    assert result.normalised_reward == result.reward * 1200 / 40
    assert result.background == (f"{SCENARIO.game.substrate}__rock_margin_0",)
    assert (result.model_calls, result.cost) == (0, 0.0)
    assert result.questions > 0
    assert result.versions["dm-meltingpot"] == "2.4.1"
    assert (result.settings["seed"], result.settings["max_steps"], result.settings["top_k"]) == (0, 40, 5)


def test_a_trace_has_a_line_for_each_step(played: Path) -> None:
    trace = played / SCENARIO.name / "hypothetical_minds" / "builtin" / "episode-0" / "trace.jsonl"
    assert [line["step"] for line in read_trace(trace)] == list(range(40))


def test_agents_meet_the_same_opponents(played: Path) -> None:
    seeds = {(result.agent, result.episode): result.seed for result in read_runs((played,)).results}
    assert seeds["random", 0] == seeds["hypothetical_minds", 0] != seeds["hypothetical_minds", 1]


def test_the_summary_counts_all_episodes_and_names_the_bots(played: Path) -> None:
    write_summary(played)
    text = (played / "summary.md").read_text()
    assert "| rws_repeated_6 | hypothetical_minds | builtin | scripted | 2 |" in text
    assert "scripted" in text.splitlines()[-2]
    assert len(json.loads((played / "summary.json").read_text())["episodes"]) == 4


def test_unfinished_episodes_are_counted_but_not_averaged(played: Path) -> None:
    results = [result for result in read_runs((played,)).results if result.agent == "random"]
    cut = Result(**{**results[0].__dict__, "status": "interrupted", "normalised_reward": 1e6})
    (row,) = tabulate([cut, results[1]])
    assert (row.episodes, row.finished) == (2, 1)
    assert row.normalised_reward == results[1].normalised_reward


def test_a_file_that_is_no_result_is_passed_over(played: Path, tmp_path: Path) -> None:
    folder = tmp_path / "scenario" / "agent" / "model" / "episode-0"
    folder.mkdir(parents=True)
    (folder / "result.json").write_text('{"steps": "many"}')
    assert write_summary(tmp_path) == []


def test_an_episode_that_is_there_is_not_overwritten_unasked(played: Path) -> None:
    assert experiment(played).due() == []
    assert len(experiment(played, overwrite=True).due()) == 1


def test_a_file_is_no_folder_to_write_to(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="is a file"):
        experiment(tmp_path / "file" / "runs").check()


def test_agents_are_found_by_name_and_glob() -> None:
    assert find_agents(("oracle", "ra*", "oracle")) == ("oracle", "random")
    with pytest.raises(ConfigError, match="unknown agent 'nobody': there are hypothetical_minds"):
        find_agents(("nobody",))
