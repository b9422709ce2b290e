"""The report on a small grid that was really played, as it lies in its folder."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path
from statistics import mean, stdev

import pytest

from hm_agent.recording.result import Result, read_result
from hm_agent.reporting.report import gather
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import write_report
from tests.reporting.examples import leave, result

ROOT = Path(__file__).parents[2]
Folders = tuple[Path, Path]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def results(folders: Folders) -> list[Result]:
    read = [read_result(path) for folder in folders for path in folder.glob("*/*/*/*/result.json")]
    return [one for one in read if one is not None]


def test_a_row_has_the_figures_of_its_episodes(grid: Folders, report: Path) -> None:
    rows = table(report / "report.csv")
    assert len(rows) == 8
    (row,) = (row for row in rows if (row["scenario"], row["agent"]) == ("rws_repeated_6", "oracle"))
    rewards = [
        one.normalised_reward or 0.0 for one in results(grid) if one.scenario.endswith("_6") and one.agent == "oracle"
    ]
    assert (int(row["episodes"]), int(row["finished"])) == (3, 3)
    assert float(row["normalised_reward"]) == pytest.approx(mean(rewards))
    assert float(row["sem"]) == pytest.approx(stdev(rewards) / 3**0.5)
    assert min(rewards) <= float(row["low"]) <= mean(rewards) <= float(row["high"]) <= max(rewards)
    assert float(row["score"]) == 1


def test_settings_that_differ_make_two_rows(report: Path) -> None:
    rows = [row for row in table(report / "report.csv") if row["agent"] == "hypothetical_minds"]
    assert {re.findall(r"\bthreshold=\S+", row["settings"])[0] for row in rows} == {"threshold=0.7", "threshold=0.5"}
    assert all(row["oracle"] and row["random"] for row in rows)


def test_differences_are_those_of_the_same_seeds(grid: Folders, report: Path) -> None:
    (pd,) = (row for row in table(report / "differences.csv") if row["game"].startswith("Prisoner"))
    rewards = {
        (one.settings["threshold"], one.seed): one.normalised_reward or 0.0
        for one in results(grid)
        if one.agent == "hypothetical_minds" and one.scenario.startswith("prisoners")
    }
    first, second = (float(pd[name].split("threshold=")[1].rstrip(")")) for name in ("first", "second"))
    gaps = [rewards[first, seed] - rewards[second, seed] for _, seed in rewards]
    assert float(pd["reward"]) == pytest.approx(mean(gaps))
    assert (pd["common"], pd["reward_unit"]) == ("3", "episodes")


def test_every_episode_is_listed_with_its_seed(grid: Folders, report: Path) -> None:
    rows = table(report / "episodes.csv")
    assert len(rows) == 24
    assert {int(row["seed"]) for row in rows} == {one.seed for one in results(grid)}


def test_markdown_says_what_was_run_and_shows_the_pictures(report: Path) -> None:
    text = (report / "report.md").read_text()
    for said in (
        "24 episodes of 4 agents on 2 scenarios",
        "The bots are scripted",
        "no language model",
        "| --top_k | 5 |",
    ):
        assert said in text
    pictures = re.findall(r"\]\((figures/[^)]+)\)", text)
    assert len(pictures) >= 5
    for picture in pictures:
        assert "prefers-color-scheme: dark" in (report / picture).read_text()


def test_validation_is_drawn_and_ablations_are_not_where_there_are_none(grid: Folders) -> None:
    pictures = [picture.name for picture in gather(read_runs(grid), grid[0]).pictures]
    assert pictures == ["reward", "validation", "effort"]


def test_the_same_episodes_give_the_same_report(grid: Folders, report: Path, tmp_path: Path) -> None:
    again = write_report(read_runs(grid), tmp_path / "first" / "report").parent
    for name in ("report.csv", "differences.csv", "figures/reward-0.svg", "figures/validation-0.svg"):
        assert (again / name).read_bytes() == (report / name).read_bytes()
    assert not [path.name for path in again.rglob(".*")]


def test_episodes_that_did_not_complete_are_shown(tmp_path: Path) -> None:
    leave(tmp_path, result(reward=7, seed=1), result(reward=1e6, seed=2, status="model_unavailable", reason="no key"))
    write_report(read_runs((tmp_path,)), tmp_path / "report")
    text = (tmp_path / "report" / "report.md").read_text()
    assert "1 episode did not complete and is in no mean: 1 model_unavailable." in text
    assert "| 1 of 2 | 7.0 | - |" in text
    assert "1 of 2 finished" in (tmp_path / "report" / "report.html").read_text()


def test_ablations_are_drawn_beside_the_full_agent(tmp_path: Path) -> None:
    leave(tmp_path, *(result(agent, 5, seed) for agent in ("hypothetical_minds", "vmp", "react") for seed in (1, 2)))
    pictures = {picture.name: picture for picture in gather(read_runs((tmp_path,)), tmp_path).pictures}
    shown = {name: [key.label for key in pictures[name].legend] for name in ("reward", "ablations")}
    assert shown == {"reward": ["hypothetical_minds", "react"], "ablations": ["hypothetical_minds", "vmp"]}


def test_names_are_escaped(tmp_path: Path) -> None:
    leave(tmp_path, *(result(model=model) for model in ("a|b<i>", "gpt-4")))
    write_report(read_runs((tmp_path,)), tmp_path)
    assert "a|b<i>" not in (tmp_path / "report.html").read_text()
    assert r"a\|b<i>" in (tmp_path / "report.md").read_text()


def ask(*arguments: str, cwd: Path) -> tuple[int, str, str]:
    command = [sys.executable, str(ROOT / "run_scenario.py"), "--report_only", *arguments]
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_report_only_reads_several_folders_and_writes_where_it_is_told(grid: Folders, tmp_path: Path) -> None:
    arguments = f"--out={grid[0]},{grid[1]}", "--report=here", "--scenario=rws_*", "--agent=hypothetical*,random"
    assert ask(*arguments, cwd=tmp_path) == (0, "Report: here/report.html\n", "")
    rows = table(tmp_path / "here" / "report.csv")
    assert {(row["scenario"], row["agent"]) for row in rows} == {
        ("rws_repeated_6", agent) for agent in ("hypothetical_minds", "random")
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out=nowhere"], "--out=nowhere: no such folder"),
        (["--out=."], "no episode in .: play some first"),
        (["--out=.,nowhere"], "--out=nowhere: no such folder"),
    ],
)
def test_where_there_is_nothing_to_report_one_line_says_so(arguments: list[str], message: str, tmp_path: Path) -> None:
    status, output, errors = ask(*arguments, cwd=tmp_path)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert message in errors
    assert list(tmp_path.iterdir()) == []
