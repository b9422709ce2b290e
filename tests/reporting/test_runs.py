"""What is read of the folders of earlier runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hm_agent
from hm_agent.config import ConfigError
from hm_agent.reporting.notes import file_notes
from hm_agent.reporting.runs import read_runs
from tests.reporting.examples import PD, leave, result


def test_several_folders_are_read_together(tmp_path: Path) -> None:
    leave(tmp_path / "a", result(reward=1, seed=1))
    leave(tmp_path / "b", result(reward=2, seed=2), result("react", reward=3))
    runs = read_runs((tmp_path / "a", tmp_path / "b"))
    assert [one.result.reward for one in runs.episodes] == [1, 2, 3]
    assert runs.episodes[1].folder.is_relative_to(tmp_path / "b")


def test_an_episode_that_lies_in_two_folders_counts_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        leave(tmp_path / name, result(reward=1, wall_seconds=len(name)))
    runs = read_runs((tmp_path / "a", tmp_path / "b", tmp_path / "a"))
    assert (len(runs.episodes), runs.repeated, runs.contradicted) == (1, 1, ())


def test_an_episode_counts_once_whatever_a_hyperparameter_is_that_its_agent_does_not_use(tmp_path: Path) -> None:
    for name, top in (("a", 5), ("b", 3)):
        leave(tmp_path / name, *(result(agent, settings={"top_k": top}) for agent in ("react", "hypothetical_minds")))
    runs = read_runs((tmp_path / "a", tmp_path / "b"))
    assert sorted(one.result.agent for one in runs.episodes) == ["hypothetical_minds", "hypothetical_minds", "react"]


def test_of_two_outcomes_that_of_the_folder_named_first_counts(tmp_path: Path) -> None:
    leave(tmp_path / "a", result(reward=1))
    leave(tmp_path / "b", result(reward=2))
    runs = read_runs((tmp_path / "b", tmp_path / "a"))
    assert [one.result.reward for one in runs.episodes] == [2]
    assert [one.folder.is_relative_to(tmp_path / "a") for one in runs.contradicted] == [True]


def test_a_finished_episode_counts_before_one_that_was_cut(tmp_path: Path) -> None:
    leave(tmp_path / "a", result(reward=1, status="interrupted"))
    leave(tmp_path / "b", result(reward=2))
    assert [one.result.reward for one in read_runs((tmp_path / "a", tmp_path / "b")).episodes] == [2]


def test_the_same_seed_played_otherwise_is_another_episode(tmp_path: Path) -> None:
    leave(tmp_path / "a", result())
    leave(tmp_path / "b", result(settings={"top_k": 1}))
    assert len(read_runs((tmp_path / "a", tmp_path / "b")).episodes) == 2


def test_files_that_are_no_results_are_counted(tmp_path: Path) -> None:
    leave(tmp_path, result())
    broken = tmp_path / "scenario" / "agent" / "model" / "episode-0" / "result.json"
    broken.parent.mkdir(parents=True)
    broken.write_text('{"steps": "many"}')
    runs = read_runs((tmp_path,))
    assert (len(runs.episodes), runs.unreadable) == (1, (broken,))
    with pytest.warns(RuntimeWarning, match=r"left out: 1 file could not be read .*scenario/agent/model/episode-0"):
        assert len(hm_agent.load(tmp_path)) == 1


def test_only_what_is_asked_for_is_kept(tmp_path: Path) -> None:
    leave(tmp_path, result("react"), result("react", scenario=PD), result("random", scenario=PD))
    runs = read_runs((tmp_path,)).of(("pd_*",), ("re*",))
    assert [(one.scenario.short_name, one.result.agent) for one in runs.episodes] == [("pd_repeated_5", "react")]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no episode of --agent=nobody in .*: play some first, or see --out"):
        read_runs((tmp_path,)).of((), ("nobody",))
    with pytest.raises(ConfigError, match="nowhere: no such folder"):
        read_runs((tmp_path / "nowhere",))
    with pytest.raises(ConfigError, match="name a folder"):
        hm_agent.load([])


def test_a_result_of_format_1_is_left_out_and_a_note_says_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / PD / "react" / "builtin" / "episode-0"
    folder.mkdir(parents=True)
    old = {"scenario": PD, "agent": "react", "episode": 0, "versions": {"hm_agent": "0.1.0"}}
    (folder / "result.json").write_text(json.dumps(old))
    runs = read_runs((tmp_path,))
    assert runs.results == []
    assert "has format 1, written by hm_agent 0.1.0" in " ".join(file_notes(runs))
