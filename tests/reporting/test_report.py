"""The report on a small grid that was really played, as it lies in its folder."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from hm_agent.agents.registry import AGENTS
from hm_agent.catalogue.registry import register_scenarios
from hm_agent.command_line.commands import PLAY
from hm_agent.extensions import ADDED
from hm_agent.recording.result import Result, read_result
from hm_agent.reporting.csv_records import long_records, wide_records
from hm_agent.reporting.index import list_episodes, write_index
from hm_agent.reporting.report import Report
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.scores import OVERALL
from hm_agent.reporting.summary import write_summary
from hm_agent.reporting.what_was_run import SUMMED_TIME, TIME
from hm_agent.reporting.writing import write_report
from tests.reporting.conftest import SCENARIOS
from tests.reporting.examples import PD, RWS, RWS_2, delivered, leave, read, result, shared_result

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
        one.metrics["normalised_reward"]
        for one in results(grid)
        if one.scenario.endswith("_6") and one.agent == "oracle"
    ]
    assert (int(row["episodes"]), int(row["finished"])) == (3, 3)
    assert float(row["mean"]) == pytest.approx(mean(rewards))
    assert float(row["sem"]) == pytest.approx(stdev(rewards) / 3**0.5)
    assert (row["low"], row["high"]) == ("", "")  # fewer than five episodes
    assert float(row["normalised_score"]) == 1


def test_settings_that_differ_make_two_rows(report: Path) -> None:
    rows = [row for row in table(report / "report.csv") if row["agent"] == "hypothetical_minds"]
    assert {re.findall(r"\bthreshold=\S+", row["settings"])[0] for row in rows} == {"threshold=0.7", "threshold=0.5"}
    assert all(row["ceiling"] and row["floor"] for row in rows)


def test_differences_are_those_of_the_same_seeds(grid: Folders, report: Path) -> None:
    (pd,) = (row for row in table(report / "differences.csv") if row["group"].startswith("Prisoner"))
    rewards = {
        (one.settings["threshold"], one.seed): one.metrics["normalised_reward"]
        for one in results(grid)
        if one.agent == "hypothetical_minds" and one.scenario.startswith("prisoners")
    }
    first, second = (float(pd[name].split("threshold=")[1].rstrip(")")) for name in ("first", "second"))
    gaps = [rewards[first, seed] - rewards[second, seed] for _, seed in rewards]
    assert float(pd["difference"]) == pytest.approx(mean(gaps))
    assert (pd["common"], pd["difference_over"], pd["difference_pairs"]) == ("3", "episodes", "3")
    assert (pd["difference_low"], pd["difference_high"]) == ("", "")  # fewer than five pairs


def test_runs_that_differ_in_an_option_of_agents_are_paired_and_shown_side_by_side(ablated: Folders) -> None:
    report = Report(read_runs(ablated), ablated[0])
    exact, model = "hypothetical_minds (inference=exact)", "hypothetical_minds (inference=model)"
    rows = report.rows_by_unit["Reward per 1,200 steps: mean ± standard error over n episodes."]
    assert [report.labels[one] for one in report.columns(rows)] == [
        exact,
        model,
        "vmp (inference=exact)",
        "vmp (inference=model)",
        "oracle (inference=exact)",
        "random (inference=exact)",
    ]
    assert all(row.normalised_score is not None for row in rows)
    pairs = {(report.labels[one.first], report.labels[one.second]): one for one in report.contrasts}
    assert list(pairs) == [(exact, model), (exact, "vmp (inference=exact)"), (model, "vmp (inference=model)")]
    assert [report.labels[one.second] for one in report.setting_contrasts] == [model, "vmp (inference=model)"]
    for comparison in pairs[exact, model].by_group.values():
        assert comparison.common == (4 if comparison.group == OVERALL else 2)
    for group in SCENARIOS:
        ours = {
            (one.settings["inference"], one.seed): one.metrics["normalised_reward"]
            for one in results(ablated)
            if one.agent == "hypothetical_minds" and one.scenario == group.name
        }
        gaps = [ours["exact", seed] - ours["model", seed] for inference, seed in ours if inference == "exact"]
        difference = pairs[exact, model].by_group[group.group].difference
        assert difference is not None
        assert difference.mean == pytest.approx(mean(gaps))


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
        "(no interval)",
    ):
        assert said in text
    pictures = re.findall(r"\]\((figures/[^)]+)\)", text)
    assert len(pictures) >= 4
    for picture in pictures:
        assert "<text" in (report / picture).read_text()


def test_what_a_played_episode_leaves_is_found(grid: Folders) -> None:
    found = list_episodes(read_runs(grid[:1]), grid[0])
    assert len(found.entries) == 18
    assert all(one.picture and one.replay for one in found.entries)


def test_validation_is_drawn_and_ablations_are_not_where_there_are_none(grid: Folders) -> None:
    pictures = [picture.name for picture in Report(read_runs(grid), grid[0]).pictures]
    assert pictures == ["means", "adaptation", "validation", "effort", "calibration"]


def test_the_same_episodes_give_the_same_report(grid: Folders, report: Path, tmp_path: Path) -> None:
    again = write_report(read_runs(grid), tmp_path / "first" / "report").parent
    for name in ("report.csv", "differences.csv", "figures/means-0.svg", "figures/validation-0.svg"):
        assert (again / name).read_bytes() == (report / name).read_bytes()
    assert not [path.name for path in again.rglob(".*")]


def test_episodes_that_did_not_complete_are_shown(tmp_path: Path) -> None:
    leave(tmp_path, result(reward=7, seed=1), result(reward=1e6, seed=2, status="model_unavailable", reason="no key"))
    write_report(read_runs((tmp_path,)), tmp_path / "report")
    text = (tmp_path / "report" / "report.md").read_text()
    assert "1 episode did not complete and is in no mean: 1 model_unavailable." in text
    assert "| 1 of 2 | 7.0 | - |" in text
    assert "1 of 2 finished" in (tmp_path / "report" / "report.html").read_text()


def test_where_each_agent_of_ones_own_failed_the_references_are_drawn(tmp_path: Path) -> None:
    leave(tmp_path, result("random"), result("react", status="failed: KeyError: 'x'", metrics={}))
    assert [picture.name for picture in Report(read_runs((tmp_path,)), tmp_path).pictures][:1] == ["means"]


def test_a_users_ablation_is_drawn_like_one_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = replace(AGENTS["react"], ablation_of="reflexion")
    monkeypatch.setitem(ADDED.agents, "unreflective", part)
    leave(tmp_path, *(result(agent) for agent in ("reflexion", "unreflective", "react")))
    pictures = {picture.name: picture for picture in Report(read_runs((tmp_path,)), tmp_path).pictures}
    shown = {name: [key.label for key in pictures[name].legend] for name in ("means", "ablations")}
    known = "published (hollow)"
    assert shown == {"means": ["react", "reflexion", known], "ablations": ["reflexion", "unreflective", known]}


def test_agents_that_are_references_elsewhere_are_compared_where_they_are_alone(tmp_path: Path) -> None:
    earned = {"heuristic": 40, "k_ce": 55, "k_first": 5, "k_oracle": 60}
    played: dict[str, Any] = {
        "world": "symmtom",
        "scenario": "symmtom_w6_n3_c3",
        "settings": {"seed": 0, "max_steps": None},
    }
    for agent, points in earned.items():
        episodes = (result(agent, 0, n, **played, metrics={"reward_per_agent": points + n % 2}) for n in range(5))
        leave(tmp_path / "alone", *episodes)
    report = Report(read_runs((tmp_path / "alone",)), tmp_path)
    assert [(one.first.agent, one.second.agent) for one in report.comparisons] == [("heuristic", "k_ce")]
    assert [row.condition.agent for row in report.rows if report.is_best(row)] == ["k_ce"]
    assert [key.label for key in report.pictures[0].legend] == ["heuristic", "k_ce"]
    assert {score.condition.agent: score.mean for score in report.scores} == pytest.approx(
        {"heuristic": 35 / 55, "k_ce": 50 / 55}
    )
    report = Report(read_runs((tmp_path / "alone",)).of((), ("k_oracle",)), tmp_path)
    assert [key.label for key in report.pictures[0].legend] == ["k_oracle"]
    leave(tmp_path / "alone", result("react", 0, **played, metrics={"reward_per_agent": 30.0}))
    report = Report(read_runs((tmp_path / "alone",)), tmp_path)
    assert report.comparisons == []
    assert [condition.agent for condition in report.compared] == ["react"]


def test_means_by_group_need_no_floor_and_no_ceiling(tmp_path: Path) -> None:
    for scenario, reward in {RWS: 10.0, RWS_2: 20.0}.items():
        leave(tmp_path, *(result("react", reward + n, n, scenario=scenario) for n in range(3)))
    leave(tmp_path, *(result("vmp", 4.0, n) for n in range(3)), result("vmp", 1.0, scenario=PD))
    report = Report(read_runs((tmp_path,)), tmp_path)
    assert report.scores == []
    found = {(mean.condition.agent, mean.group.split(",")[0]): (mean.mean, mean.sample) for mean in report.group_means}
    assert found == {
        ("react", "Running With Scissors"): ("16.0 ± 5.0", "2 scenarios"),
        ("vmp", "Running With Scissors"): ("4.0 ± 0.0", "1 of 2 scenarios"),
        ("vmp", "Prisoner's Dilemma"): ("1.0", "1 scenario"),
    }


def test_each_metric_is_a_record_and_each_scenario_a_line_with_all_agents(tmp_path: Path) -> None:
    played = [*(result("react", 2.0 * n, n) for n in range(3)), result("vmp", 1.0), result("vmp", 9.0, scenario=PD)]
    leave(tmp_path, *played, result("react", 99, 7, status="interrupted"))
    runs = read_runs((tmp_path,))
    report = Report(runs, tmp_path)
    long = {(one["scenario"], one["agent"], one["metric"]): one for one in long_records(runs.results)}
    assert len(long) == 9
    own = long["rws_repeated_1", "react", "normalised_reward"]
    assert [own[name] for name in ("compared", "n", "mean")] == [True, 3, 2.0]
    other = long["rws_repeated_1", "react", "interactions"]
    assert [other[name] for name in ("compared", "unit", "mean", "sem")] == [False, None, 10.0, 0.0]
    wide = {str(one["scenario"]): one for one in wide_records(report.rows, report.labels)}
    assert [wide["rws_repeated_1"][name] for name in ("react", "react, n", "vmp")] == [2.0, 3, 1.0]
    assert [wide["pd_repeated_5"][name] for name in ("react", "react, n", "vmp")] == [None, 0, 9.0]


def test_time_is_the_clock_s_and_of_older_results_a_sum_and_usage_is_told_in_all(tmp_path: Path) -> None:
    leave(tmp_path, *(result(seed=n, wall_seconds=20.0) for n in range(2)))
    facts = {fact.name: fact.values for fact in Report(read_runs((tmp_path,)), tmp_path).facts}
    assert facts[SUMMED_TIME] == ("40 s",)
    assert facts["in all"] == ("2 episodes, 40 questions, no call of a language model",)
    ends = "2026-11-27T10:00:20+00:00", "2026-11-27T10:00:25.5+00:00", "2026-11-28T09:00:00+00:00"
    timed = tmp_path / "timed"
    leave(timed, *(result(seed=n, wall_seconds=20.0, made={"ended": end}) for n, end in enumerate(ends)))
    facts = {fact.name: fact.values for fact in Report(read_runs((timed,)), timed).facts}
    assert facts[TIME] == ("46 s",)


def test_a_failure_shows_its_traceback_and_the_page_how_it_was_made(tmp_path: Path) -> None:
    command = {"command": "hm-agent play --agent=<b>", "date": "2026-11-27T17:54:54+00:00"}
    failed = result(status="failed: ValueError: no", reason='Traceback\n  File "mine.py"\nValueError: no', made=command)
    leave(tmp_path, replace(failed, metrics={}, steps=0), result(seed=2))
    write_report(read_runs((tmp_path,)), tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "<pre>Traceback\n  File &#34;mine.py&#34;\nValueError: no</pre>" in page
    assert "Played on 2026-11-27" in page
    assert "hm-agent play --agent=&lt;b&gt; (1 of 2)" in page


def test_the_differences_are_shown_beside_the_first_agent(tmp_path: Path) -> None:
    rewards = {"hypothetical_minds": 4, "vmp": 4, "react": 1}
    leave(tmp_path, *(result(agent, reward + seed, seed) for agent, reward in rewards.items() for seed in range(5)))
    write_report(read_runs((tmp_path,)), tmp_path)
    text, page = ((tmp_path / name).read_text() for name in ("report.md", "report.html"))
    assert "| hypothetical_minds − vmp | 0.0 (0.0 to 0.0), contains 0 | 5 of 5 |" in text
    assert "| hypothetical_minds − react | 3.0 (3.0 to 3.0), p < .001 | 0 of 5 |" in text
    assert page.count("<small>contains 0</small>") == 1


def test_scores_are_shown_without_narrow_scales(tmp_path: Path) -> None:
    scales = {RWS: 10, RWS.replace("_1", "_2"): 10, RWS.replace("_1", "_3"): 2}
    for scenario, scale in scales.items():
        earned = {"react": 8.0, "oracle": scale, "random": 0.0}
        leave(tmp_path, *(result(agent, earned[agent], n, scenario=scenario) for agent in earned for n in range(3)))
    write_report(read_runs((tmp_path,)), tmp_path)
    text, page = ((tmp_path / name).read_text() for name in ("report.md", "report.html"))
    assert "| react | 0.80 (0.80 to 0.80) |" in text
    assert "The means leave out 1 scenario in which" in text
    assert [line.split(" | ")[0] for line in text.splitlines() if "4.00 ‡ |" in line] == ["| rws_repeated_3"]
    assert page.count("<small>in no mean</small>") == 3
    rows = [row for row in table(tmp_path / "report.csv") if row["narrow_scale"] == "True"]
    assert {row["scenario"] for row in rows} == {"rws_repeated_3"}


def test_what_an_interval_is_over_is_told_of_the_metric_and_of_a_score_with_fewer_scenarios(tmp_path: Path) -> None:
    for scenario, scale in {RWS: 40, RWS.replace("_1", "_2"): 4}.items():
        earned = {"react": 1.0, "vmp": 2.0, "oracle": scale, "random": 0.0}
        leave(tmp_path, *(result(agent, earned[agent], n, scenario=scenario) for agent in earned for n in range(5)))
    write_report(read_runs((tmp_path,)), tmp_path)
    assert '<td class="text">2 scenarios<small>score: 5 episodes</small></td>' in (tmp_path / "report.html").read_text()


def test_scenarios_without_a_score_are_named(tmp_path: Path) -> None:
    leave(tmp_path, result("react", 3), result("oracle", 1), result("random", 2), result("react", scenario=PD))
    (said,) = (note for note in Report(read_runs((tmp_path,)), tmp_path).notes if note.startswith("A normalised"))
    assert said.endswith("; 2 rows of pd_repeated_5 and rws_repeated_1 lack one.")


def test_names_are_escaped(tmp_path: Path) -> None:
    leave(tmp_path, *(result(model=model) for model in ("a|b<i>", "gpt-4")))
    write_report(read_runs((tmp_path,)), tmp_path)
    write_summary(tmp_path, read_runs((tmp_path,)))
    assert "a|b<i>" not in (tmp_path / "report.html").read_text()
    for name in ("report.md", "summary.md"):
        assert r"a\|b<i>" in (tmp_path / name).read_text()


def test_a_bar_in_a_game_s_title_breaks_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ADDED, "folders", {})
    shipped = ROOT / "scenarios" / "matrix_games" / "prisoners_dilemma.toml"
    own = re.sub('title = ".*"', 'title = "P(A|B)"', shipped.read_text().replace('"pd"', '"bar"'))
    (tmp_path / "matrix_games").mkdir()
    (tmp_path / "matrix_games" / "bar.toml").write_text(own)
    register_scenarios(tmp_path)
    earned = {"hypothetical_minds": 2.0, "react": 1.5, "oracle": 3.0, "random": 1.0}
    played: dict[str, Any] = {"world": "matrix_games", "settings": {"seed": 0, "max_steps": None}}
    for (agent, paid), scenario in product(earned.items(), ("mg_bar_defect", "mg_bar_grim")):
        leave(tmp_path / "runs", result(agent, scenario=scenario, **played, metrics={"reward_per_round": paid}))
    write_report(read_runs((tmp_path / "runs",)), tmp_path)
    lines = (tmp_path / "report.md").read_text().splitlines()
    tables = [place for place, line in enumerate(lines) if line.startswith("| ---")]
    widths = [[len(re.findall(r"(?<!\\)\|", line)) for line in lines[place - 1 : place + 2]] for place in tables]
    assert len(widths) > 5
    assert all(len(set(found)) == 1 for found in widths)


def test_a_share_is_shown_with_three_decimals_and_pages_are_named_after_their_worlds(tmp_path: Path) -> None:
    shares = {"reader": (0.912, 0.958), "perspective": (0.9, 0.9), "reality": (0.5, 0.52)}
    for agent, values in shares.items():
        leave(tmp_path, *(read(agent, value, seed) for seed, value in enumerate(values)))
    write_report(read_runs((tmp_path,)), tmp_path)
    write_index(tmp_path)
    write_summary(tmp_path, read_runs((tmp_path,)))
    text, page, index, summary = (
        (tmp_path / name).read_text() for name in ("report.md", "report.html", "index.html", "summary.md")
    )
    assert "# ExploreToM: comparison" in text
    assert "<title>ExploreToM: episodes</title>" in index
    assert "| exploretom_a1 | reader | 2 | **0.935 ± 0.023** | - | 0.510 |" in text
    assert "reader − perspective | 0.035 (" in text
    assert "<strong>0.935 ± 0.023</strong>" in page
    assert ">0.912<small>" in index
    assert "0.935 ± 0.023" in summary


def test_what_no_paper_gives_has_no_published_column(tmp_path: Path) -> None:
    played = {"world": "symmtom", "scenario": "symmtom_w6_n3_c3"}
    leave(tmp_path, *(result("heuristic", 50, seed, metrics={"reward_per_agent": 50.0}, **played) for seed in range(2)))
    write_report(read_runs((tmp_path,)), tmp_path)
    write_summary(tmp_path, read_runs((tmp_path,)))
    for name in ("report.md", "report.html", "summary.md"):
        assert "ublished" not in (tmp_path / name).read_text()
    assert "| 50.0 ± 0.0 |" in (tmp_path / "summary.md").read_text()


@pytest.mark.usefixtures("delivery")
def test_rows_of_different_units_stand_in_different_tables(tmp_path: Path) -> None:
    minutes = {"vmp": 4, "mmp": 6, "hypothetical_minds": 5}
    parcels = [delivered(agent, taken, seed) for agent, taken in minutes.items() for seed in range(5)]
    leave(tmp_path, result("vmp", 7), *parcels)
    report = Report(read_runs((tmp_path,)), tmp_path)
    assert [[row.scenario.group for row in rows] for rows in report.rows_by_unit.values()] == [
        ["Running With Scissors, repeated"],
        ["Delivery"] * 3,
    ]
    (_, rows) = report.rows_by_unit.values()
    assert [row.condition.agent for row in rows if report.is_best(row)] == ["vmp"]
    write_report(read_runs((tmp_path,)), tmp_path)
    text = (tmp_path / "report.md").read_text()
    for sentence in ("Reward per 1,200 steps: mean", "Minutes per parcel: mean", "over n episodes. Lower is better."):
        assert text.count(sentence) == 1
    assert "- Published: a postman's diary, on foot." in text
    assert "- The roads are empty." in text
    assert "- The bots are scripted" in text
    assert "minutes per parcel (lower is better)" in (tmp_path / "figures" / "means-0.svg").read_text()


def test_differences_in_different_units_stand_in_different_tables(tmp_path: Path) -> None:
    kitchen = "collaborative_cooking__asymmetric_1"
    leave(tmp_path, *(result(agent, scenario=name) for agent in ("vmp", "mmp") for name in (RWS, PD, kitchen)))
    report = Report(read_runs((tmp_path,)), tmp_path)
    assert {unit: len(found) for unit, found in report.by_difference_unit(report.comparisons).items()} == {
        None: 1,
        "reward per 1,000 steps": 1,
        "reward per 1,200 steps": 2,
    }


def test_who_plays_whom_is_shown_where_agents_share_a_world(tmp_path: Path) -> None:
    both = ("hypothetical_minds", 9.0), ("react", 3.0)
    leave(tmp_path, result(), *(shared_result(*both, seed=seed) for seed in (1, 2)))
    write_report(read_runs((tmp_path,)), tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert "rws_arena_selfplay, reward per 1,200 steps, 1,200 steps:" in text
    assert "| hypothetical_minds | - | 9.0 ± 0.0 (n = 2) |" in text
    assert "| react | 2 | 2 | 0 | 0 | 0 | 0 | 0.0000 |" in text
    page = (tmp_path / "report.html").read_text()
    assert 'id="matchups"' in page
    assert 'href="seats.csv"' in page
    rows = table(tmp_path / "seats.csv")
    assert [(row["seat"], row["agent"], row["others"], row["reward"]) for row in rows] == [
        ("player_0", "hypothetical_minds", "player_1=react", "9.0"),
        ("player_1", "react", "player_0=hypothetical_minds", "3.0"),
    ] * 2


def test_without_shared_worlds_nobody_is_said_to_meet(tmp_path: Path) -> None:
    leave(tmp_path, result())
    write_report(read_runs((tmp_path,)), tmp_path)
    assert "Who plays whom" not in (tmp_path / "report.html").read_text()
    assert not (tmp_path / "seats.csv").exists()


def test_importing_reports_imports_neither_scipy_nor_matplotlib_nor_agents_nor_worlds() -> None:
    modules = [path.stem for path in (ROOT / "hm_agent" / "reporting").glob("*.py") if path.stem != "__init__"]
    imports = "; ".join(f"import hm_agent.reporting.{name}" for name in modules)
    heavy = "scipy", "matplotlib", "hm_agent.agents", "hm_agent.worlds"
    code = f"import sys; {imports}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_a_table_needs_no_scipy() -> None:
    code = "import sys; from tests.reporting.examples import result; from hm_agent.reporting.tables import tabulate; "
    code += "rows = tabulate([result(reward=float(seed % 2), seed=seed) for seed in range(5)]); "
    code += "from hm_agent.reporting.summary import tables; tables(rows); before = 'scipy' in sys.modules; "
    code += "print(before, rows[0].estimate.interval is None, 'scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "False False True\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_report_only_reads_several_folders_and_writes_where_it_is_told(
    grid: Folders, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = f"--out={grid[0]},{grid[1]}", "--report=here", "--scenario=rws_*", "--agent=hypothetical*,random"
    assert PLAY.run(("--report_only", *arguments)) == 0
    assert capsys.readouterr() == ("Report: here/report.html\n", "")
    rows = table(here / "here" / "report.csv")
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
def test_where_there_is_nothing_to_report_one_line_says_so(
    arguments: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert PLAY.run(("--report_only", *arguments)) == 2
    output, errors = capsys.readouterr()
    assert (output, errors.count("\n")) == ("", 1)
    assert message in errors
    assert list(here.iterdir()) == []


def test_a_group_of_which_no_difference_is_known_has_no_column(tmp_path: Path) -> None:
    """Over all groups agents are compared by normalised scores, which need a floor and a ceiling."""
    leave(tmp_path, *(result(agent, 1.0, scenario=name) for agent in ("react", "vmp") for name in (RWS, PD)))
    report = Report(read_runs((tmp_path,)), tmp_path)
    assert OVERALL in report.groups
    assert [group for group, _ in report.compared_groups] == [one for one in report.groups if one != OVERALL]


def test_many_scenarios_of_agents_that_meet_are_folded(tmp_path: Path) -> None:
    seats = ("react", 1.0), ("random", 0.0)
    names = [f"enacttom_mixed_k2_00{number}" for number in range(5)]
    for folder, known in (("few", names[:4]), ("many", names)):
        leave(tmp_path / folder, *(shared_result(*seats, scenario=name, world="enacttom") for name in known))
        page = write_report(read_runs((tmp_path / folder,)), tmp_path / folder / "report").read_text()
        assert page.count("<details><summary>enacttom_mixed_k2_00") - len(known) == (5 if folder == "many" else 0)
