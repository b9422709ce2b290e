"""The list of episodes as data, and as a page without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hm_agent.recording.result import Result
from hm_agent.reporting.index import Entry, Index, list_episodes, write_index
from hm_agent.reporting.pages import page
from hm_agent.reporting.runs import read_runs
from tests.reporting.examples import KITCHEN, PD, RWS, leave, read, result, settings

EVIL = "<img src=x onerror=alert(1)>\"'&{{ 1 }}"


def index(out: Path, *results: Result) -> Index:
    leave(out, *results)
    return list_episodes(read_runs((out,)), out)


def entry(out: Path, **changes: object) -> Entry:
    (found,) = index(out, result(**changes)).entries  # type: ignore[arg-type]
    return found


def written(out: Path, *results: Result) -> str:
    leave(out, *results)
    return write_index(out).read_text()


def test_every_episode_is_listed_in_the_order_of_the_scenarios(tmp_path: Path) -> None:
    found = index(tmp_path, result("react", seed=2), result("react", seed=1), result("random", scenario=PD))
    names = [(one.scenario.short_name, one.agent, one.result.seed) for one in found.entries]
    assert names == [("pd_repeated_5", "random", 1), ("rws_repeated_1", "react", 1), ("rws_repeated_1", "react", 2)]
    assert (found.agents, found.scenarios) == (2, 2)


def test_references_stand_after_the_agents_that_are_measured_by_them(tmp_path: Path) -> None:
    found = index(tmp_path, *map(result, ("oracle", "hypothetical_minds", "random", "react")))
    assert [one.agent for one in found.entries] == ["hypothetical_minds", "react", "oracle", "random"]


def test_only_files_that_are_there_are_linked_and_by_relative_addresses(tmp_path: Path) -> None:
    out = tmp_path / "my runs"
    folder = out / RWS / "react" / "builtin" / "episode-1"
    assert [link.name for link in entry(out, agent="react").links] == ["result"]
    for name in ("trace.jsonl", "replay.html", "thumbnail.png"):
        (folder / name).touch()
    (found,) = list_episodes(read_runs((out,)), out).entries
    assert [link.name for link in found.links] == ["replay", "trace", "result"]
    assert found.replay == f"{RWS}/react/builtin/episode-1/replay.html"
    assert found.picture == f"{RWS}/react/builtin/episode-1/thumbnail.png"


def test_without_any_picture_there_is_no_column_for_them_and_without_replay_no_link(tmp_path: Path) -> None:
    text = written(tmp_path, result())
    assert "picture</span>" not in text
    assert "<img" not in text
    assert "replay.html" not in text


def test_beside_an_episode_with_a_picture_the_cell_of_others_is_empty(tmp_path: Path) -> None:
    leave(tmp_path, result("react"), result("random"))
    (tmp_path / RWS / "react" / "builtin" / "episode-1" / "thumbnail.png").touch()
    text = write_index(tmp_path).read_text()
    assert "picture</span>" in text
    assert (text.count('<td class="picture"><img'), text.count('<td class="picture"></td>')) == (1, 1)


def test_the_report_is_linked_wherever_it_lies_and_not_where_there_is_none(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "report.html" not in written(out, result())
    (tmp_path / "else where").mkdir()
    (tmp_path / "else where" / "report.html").touch()
    text = write_index(out, tmp_path / "else where" / "report.html").read_text()
    assert 'href="../else%20where/report.html"' in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("status", "reason", "mark", "shown", "details"),
    [
        ("completed", "", "finished", "", ""),
        ("max_steps", "", "finished", "", ""),
        ("interrupted", "ended from outside", "cut", "ended from outside", ""),
        ("failed: ValueError: bad plan", "bad plan", "failed", "ValueError: bad plan", ""),
        ("failed: killed", "a trace\nkilled", "failed", "killed", "a trace\nkilled"),
        ("model_unavailable", "401\ninvalid key", "cut", "401", "401\ninvalid key"),
    ],
)
def test_a_reason_is_one_line_and_all_of_it_is_kept(
    status: str, reason: str, mark: str, shown: str, details: str, tmp_path: Path
) -> None:
    found = entry(tmp_path, status=status, reason=reason)
    assert (found.result.outcome, found.result.short_reason, found.details) == (mark, shown, details)


def test_statuses_are_counted_and_finished_ones_come_first(tmp_path: Path) -> None:
    statuses = ("failed: a", "failed: b", "max_steps", "interrupted")
    found = index(tmp_path, *(result(seed=seed, status=status) for seed, status in enumerate(statuses)))
    assert list(found.statuses.items()) == [("max_steps", 1), ("failed", 2), ("interrupted", 1)]


def test_interactions_have_a_column_only_where_any_were_counted(tmp_path: Path) -> None:
    none = result(metrics={"normalised_reward": 1.0})
    assert "interactions" not in written(tmp_path / "none", none)
    assert 'data-label="interactions" data-value="">-' in written(tmp_path / "some", none, result("react"))


def test_calls_tokens_and_cost_are_shown_only_where_a_language_model_was_asked(tmp_path: Path) -> None:
    assert "paid, USD" not in written(tmp_path / "builtin", result())
    asked = result(model="gpt-4", model_calls=7, input_tokens=100, output_tokens=23, cost=None)
    text = written(tmp_path / "asked", asked)
    assert ">paid, USD</th>" in text
    assert 'data-label="tokens" data-value="123">123<small>23 out</small>' in text
    assert 'data-label="paid, USD" data-value="">unknown' in text


def test_it_says_what_stood_in_for_whom(tmp_path: Path) -> None:
    scripted, trained = (
        index(tmp_path / bots, result(settings=settings(bots=bots))).notes for bots in ("scripted", "trained")
    )
    assert any("The bots are scripted" in note for note in scripted)
    assert not any("The bots are scripted" in note for note in trained)
    assert any("no language model was involved" in note for note in trained)


def test_it_says_which_unit_holds_for_which_group(tmp_path: Path) -> None:
    (one, *_) = index(tmp_path / "one", result()).notes
    (two, *_) = index(tmp_path / "two", result(), result(scenario=KITCHEN)).notes
    assert one.startswith("The column `reward` shows: reward per 1,200 steps; below it, the episode's sum")
    assert "reward per 1,000 steps in Collaborative Cooking, asymmetric; reward per 1,200 steps in Running With" in two


def test_a_world_with_one_unit_is_named_instead_of_its_groups(tmp_path: Path) -> None:
    (first, *_) = index(tmp_path, result(), result(scenario=KITCHEN), read("reader", 0.9)).notes
    assert "; share of questions answered rightly in ExploreToM; " in first
    assert "reward per 1,000 steps in Collaborative Cooking, asymmetric; " in first


def test_the_column_of_the_metric_is_called_what_it_is(tmp_path: Path) -> None:
    shown = {
        "rewards": [result(), result(scenario=KITCHEN)],
        "stories": [read("reader", 0.9)],
        "both": [result(), read("reader", 0.9)],
    }
    found = {name: index(tmp_path / name, *some) for name, some in shown.items()}
    assert {name: one.measured for name, one in found.items()} == {
        "rewards": "reward",
        "stories": "accuracy",
        "both": "result",
    }
    assert found["stories"].notes[0].startswith("The column `accuracy` shows: ")
    text = (tmp_path / "stories" / write_index(tmp_path / "stories").name).read_text()
    assert 'data-name="accuracy" data-first="descending">accuracy</th>' in text
    assert 'data-label="accuracy" data-value="0.9"' in text
    assert 'data-name="reward"' not in text


def test_foreign_text_stays_text(tmp_path: Path) -> None:
    leave(tmp_path, result(agent="evil", reason=f"{EVIL}\nmore", status=f"failed: {EVIL}"))
    (path,) = tmp_path.glob("*/*/*/*/result.json")
    path.write_text(path.read_text().replace('"builtin"', '"<script>alert(2)</script>"'))
    text = write_index(tmp_path).read_text()
    assert "onerror=alert(1)&gt;&#34;&#39;&amp;{{ 1 }}" in text
    assert "<img" not in text
    assert len(re.findall("<script", text)) == 1


def test_where_nothing_was_played_it_says_so(tmp_path: Path) -> None:
    text = write_index(tmp_path).read_text()
    assert "No episode has been played yet." in text
    assert "<script" not in text


class _Counted(tuple[Entry, ...]):
    """Entries that count how often somebody goes through them."""

    times = 0

    def __iter__(self) -> Iterator[Entry]:
        type(self).times += 1
        return super().__iter__()


def test_the_page_goes_through_its_entries_a_few_times_whatever_their_number(tmp_path: Path) -> None:
    listed = index(tmp_path, result("react"))
    page("index.html.j2", index=replace(listed, entries=_Counted(listed.entries * 50)))
    assert 0 < _Counted.times < 20
