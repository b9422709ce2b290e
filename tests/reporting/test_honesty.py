"""Hardly answered is no result, cut episodes have a word beside published figures, costs are two numbers."""

from __future__ import annotations

import io
import json
import re
import time
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import hm_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.command_line.console import show_rows
from hm_agent.command_line.converting import convert_command
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.pool.console_progress import ConsoleProgress
from hm_agent.questions import ModelCall, Usage
from hm_agent.recording.result import Result, read_result
from hm_agent.reporting.folder_pages import write_pages
from hm_agent.reporting.index import write_index
from hm_agent.reporting.report import Report
from hm_agent.reporting.request import ReportRequest
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.tables import tabulate
from tests.reporting.examples import RWS, leave, read, result, settings

SILENT: dict[str, Any] = {"questions": 14, "unanswered_questions": 14, "model": "gpt-4", "model_calls": 56}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Two episodes of one agent, one of them without any answer."""
    leave(tmp_path, result(reward=20, seed=1, model="gpt-4"), result(reward=0, seed=2, **SILENT))
    return tmp_path


def test_a_fifth_of_the_questions_may_go_unanswered() -> None:
    assert result(questions=10, unanswered_questions=2).judged.is_finished
    assert result(questions=10, unanswered_questions=3).judged.status == "no_result: 3 of 10 questions unanswered"
    assert result(questions=0).judged.is_finished
    failed = result(questions=10, unanswered_questions=10, status="failed: x")
    assert failed.judged is failed


def test_an_unanswered_episode_is_in_no_mean_unless_asked_for(out: Path) -> None:
    (row,) = tabulate(read_runs((out,)).results)
    assert (row.mean, row.played, dict(row.unfinished)) == (20.0, "1 of 2", {"no_result": 1})
    (counted,) = tabulate(read_runs((out,), counts_unanswered=True).results)
    assert (counted.mean, counted.played) == (10.0, "2")


def test_every_page_tells_of_unanswered_questions(out: Path) -> None:
    write_pages(out, ReportRequest((out,), out / "report"))
    for name in ("index.html", "summary.md", "report/report.md", "report/report.html"):
        text = (out / name).read_text()
        assert "left 14 of 34 questions without a valid answer" in text.replace("<code>", "`"), name
        assert "no_result" in text or "no result" in text, name
    assert "14 of 14 questions unanswered" in (out / "index.html").read_text()
    write_pages(out, ReportRequest((out,), out / "report", counts_unanswered=True))
    assert json.loads((out / "summary.json").read_text())["rows"][0]["mean"] == 10.0


def test_a_run_of_such_episodes_alone_is_not_converted_and_said_to_be_played(tmp_path: Path) -> None:
    leave(tmp_path, result(reward=0, seed=2, **SILENT))
    with pytest.raises(ConfigError, match="has no card, and no episode that counts as a result"):
        convert_command([str(tmp_path)])


def test_frames_tell_of_them_too(out: Path) -> None:
    assert sorted(hm_agent.load(out)["status"]) == ["completed", "no_result: 14 of 14 questions unanswered"]
    assert set(hm_agent.load(out, count_unanswered=True)["status"]) == {"completed"}


@pytest.mark.parametrize(("rewards", "is_said"), [([3, 3, 3, 3, 3], True), ([3, 3, 3, 3, 4], False), ([3] * 4, False)])
def test_a_report_tells_where_intervals_rest_on_no_spread(tmp_path: Path, rewards: list[float], is_said: bool) -> None:
    leave(tmp_path, *(result(reward=reward, seed=seed) for seed, reward in enumerate(rewards)))
    notes = Report(read_runs((tmp_path,)), tmp_path).notes
    assert is_said == any(note.startswith("In 1 mean of rws_repeated_1 all episodes came out alike") for note in notes)


def printed(one: Result, scenario: str | None = None, **options: Any) -> str:
    output = io.StringIO()
    console = Console(file=output, width=200)
    episode = next(Experiment(find_scenarios([scenario or one.scenario]), **options).plan())
    with ConsoleProgress(console, 1) as progress:
        progress.begin(episode)
        progress.end(episode, one)
    return output.getvalue()


class Hasty(ConsoleProgress):
    PERIOD = 0.01
    SILENCE = inf


class Impatient(Hasty):
    SILENCE = 0.0


def test_without_a_terminal_it_tells_how_long_nothing_new_has_come() -> None:
    output = io.StringIO()
    with Impatient(Console(file=output, width=200), 1) as progress:
        progress.begin(next(Experiment(find_scenarios(["mg_pd_grim"])).plan()))
        while output.getvalue().count("1 running") < 2:
            time.sleep(0.01)
    assert re.search(
        r"^\[0/1\] after 0 min: 1 running, 0 failed, nothing new for \d+ s$", output.getvalue(), re.MULTILINE
    )


def test_many_scripted_episodes_are_told_of_by_their_totals_alone() -> None:
    output = io.StringIO()
    episode = next(Experiment(find_scenarios(["mg_pd_grim"])).plan())
    with Hasty(Console(file=output, width=200), 2, lists_episodes=False) as progress:
        progress.begin(episode)
        progress.end(episode, result(reward=1))
        while "[1/2] after 0 min: 0 running, 0 failed" not in output.getvalue():
            time.sleep(0.01)
    assert "mg_pd_grim" not in output.getvalue()


def test_without_a_terminal_a_line_comes_at_the_start_and_now_and_then() -> None:
    output = io.StringIO()
    episode = next(Experiment(find_scenarios(["mg_pd_grim"])).plan())
    with Hasty(Console(file=output, width=200), 1) as progress:
        progress.begin(episode)
        while output.getvalue().count("1 running") < 2:
            time.sleep(0.01)
    first, *later = output.getvalue().splitlines()
    assert first == "[0/1] 1 episode to play"
    assert {line.replace("0 running", "1 running") for line in later} == {"[0/1] after 0 min: 1 running, 0 failed"}


def test_the_console_tells_what_went_unanswered_which_unit_and_what_was_paid() -> None:
    assert ", 14 of 14 questions unanswered: no result" in printed(result(**SILENT))
    assert ", 1 of 14 questions unanswered, 56 calls" in printed(result(**SILENT | {"unanswered_questions": 1}))
    earned = result(reward=87.2, metrics={"normalised_reward": 69.8})
    assert "reward 87.2 in all (reward per 1,200 steps: 69.8)" in printed(earned)
    asked = result(model_calls=4, cached_calls=3, cost=0.4, cached_cost=0.3, input_tokens=9, output_tokens=9)
    assert "0.1000 USD (0.3000 USD saved by the cache)" in printed(asked)


def test_the_console_names_the_models_where_several_play() -> None:
    alone = printed(result(), "mg_pd_selfplay", agents=("react",))
    assert "mg_pd_selfplay react #0: completed" in alone
    assert "mg_pd_selfplay react (one+two) #0: completed" in printed(
        result(), "mg_pd_selfplay", agents=("react",), seat_models=("one", "two")
    )


def test_the_console_shows_a_share_with_as_many_decimals_as_tables_do() -> None:
    assert "(share of questions answered rightly: 0.958)" in printed(read("reader", 0.958))


def test_a_cut_episode_stands_beside_a_published_figure_with_a_word() -> None:
    cut = result(reward=7, scenario=RWS, status="max_steps", steps=300, settings=settings(max_steps=300))
    output = io.StringIO()
    show_rows(Console(file=output, width=100), tabulate([cut]))
    assert "23.2 ± 4.7 §" in output.getvalue()
    note = "§ Episodes were cut after 300 steps (--max_steps); the published figures are of whole episodes."
    assert note in output.getvalue()
    show_rows(Console(file=(whole := io.StringIO()), width=100), tabulate([result(reward=7, scenario=RWS)]))
    assert "§" not in whole.getvalue()


def test_paid_now_and_saved_are_two_numbers() -> None:
    calls = [ModelCall("", cost=0.1), ModelCall("", cost=0.3, cached=True), ModelCall("", cost=0.3, cached=True)]
    usage = sum(map(Usage.of, calls), Usage())
    assert (usage.cost, usage.paid, usage.cached_cost) == pytest.approx((0.7, 0.1, 0.6))
    assert (Usage.of(ModelCall("")).paid, Usage.of(ModelCall("", cached=True)).paid) == (None, 0.0)


def test_calls_that_the_cache_answered_are_counted_where_calls_are(tmp_path: Path) -> None:
    asked = result(model="gpt-4", model_calls=30, cached_calls=30, cost=None, cached_cost=None)
    half = replace(asked, cached_calls=12, episode=2, seed=2)
    assert ", 30 calls, all from the cache, " in printed(asked)
    assert ", 30 calls, 12 from the cache, " in printed(half)
    leave(tmp_path, asked, half)
    write_pages(tmp_path, ReportRequest((tmp_path,), tmp_path / "report"))
    summary, page = ((tmp_path / name).read_text() for name in ("summary.md", "report/report.html"))
    assert "| 60 (42 cached) |" in summary
    assert "60 calls, 42 from the cache, 0 input tokens" in summary
    assert "<td>60 (42 cached)</td>" in page


def test_results_of_earlier_versions_tell_the_paid_cost_where_it_is_certain(tmp_path: Path) -> None:
    old = result(model_calls=4, cost=0.4)
    leave(
        tmp_path, old, replace(old, cached_calls=4, episode=2, seed=2), replace(old, cached_calls=1, episode=3, seed=3)
    )
    read = [read_result(path) for path in sorted(tmp_path.rglob("result.json"))]
    assert [one and one.usage.paid for one in read] == [0.4, 0.0, None]


def test_the_index_shows_what_the_cache_saved(tmp_path: Path) -> None:
    asked = result(model="gpt-4", model_calls=4, cached_calls=3, cost=0.4, cached_cost=0.3)
    leave(tmp_path, asked)
    text = write_index(tmp_path).read_text()
    assert 'data-label="paid, USD"' in text
    assert "0.3000 saved by the cache" in text
