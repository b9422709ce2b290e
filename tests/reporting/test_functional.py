"""The functional score of single episodes, and the reference points that ship for it."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import pytest

import hm_agent
from hm_agent.cards.battery import Battery
from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.config import ConfigError, data_folder
from hm_agent.experiment import Experiment
from hm_agent.experiment.lineups import Lineup
from hm_agent.experiment.planned_episode import Episode
from hm_agent.reporting.functional import (
    FILE,
    ReferencePoints,
    functional_score,
    read_points,
    settings_text,
    shipped_score,
    write_points,
)

SHIPPED = data_folder("scenarios") / FILE


def test_an_episode_lies_between_floor_and_ceiling_and_may_be_worse_than_the_floor() -> None:
    scenario, points = scenario_named("mg_rps_pure"), ReferencePoints(0.2, 1.0)
    scores = [functional_score(scenario, {"reward_per_round": earned}.get, points).value for earned in (0.2, 0.6, -0.2)]
    assert scores == pytest.approx([0.0, 0.5, -0.5])


@pytest.mark.parametrize(
    ("name", "metrics", "settings", "why"),
    [
        ("mg_pd_selfplay", {}, {}, "no agent marks the best that can be reached"),
        ("mg_rps_pure", {}, {}, "the episode has no reward_per_round"),
        ("mg_rps_pure", {"reward_per_round": 1.0}, {"max_steps": 3}, "were not measured with these settings"),
        ("mg_stag_stag", {"reward_per_round": 1.0}, {}, "is hardly better than the floor"),
        ("exploretom_a1", {"accuracy": 1.0}, {}, "nothing in it counts for the share of the same items"),
    ],
)
def test_where_there_is_no_score_a_line_says_why(
    name: str, metrics: dict[str, float], settings: dict[str, int], why: str
) -> None:
    score = shipped_score(scenario_named(name), metrics.get, settings)
    assert score.value is None
    assert score.why.startswith(name)
    assert why in score.why
    assert "\n" not in score.why


def test_a_share_of_right_acts_is_the_score_where_a_world_counts_one() -> None:
    acted = shipped_score(scenario_named("exploretom_functional_a1"), {"functional": 0.75}.get, {})
    assert (acted.value, acted.why) == (0.75, "")


def test_every_item_of_the_small_battery_can_be_scored() -> None:
    known = {(row.scenario, row.settings) for row in read_points(SHIPPED) if not row.is_narrow}
    for part in Battery().parts():
        experiment = Battery().experiment(part, Experiment(()))
        for info in part.scenarios:
            settings = Episode(experiment, info, Lineup((), ()), 0).settings
            assert (info.name, settings_text(info.world, settings.items())) in known


def test_the_points_are_of_the_agents_that_mark_the_scales_today() -> None:
    for row in read_points(SHIPPED):
        info = scenario_named(row.scenario)
        assert row.ceiling_agent == info.metric.ceiling, row.scenario
        floors = (info.metric.floor,) if info.metric.floor else suites()[info.world].shortcuts
        assert row.floor_agent in floors, row.scenario
        assert (info.metric.guessing or row.floor) <= row.floor


@pytest.mark.parametrize("name", ["mg_pennies_cycle", "enacttom_hard_k1_blanks_00_a"])
def test_the_points_are_what_these_agents_earn(name: str, tmp_path: Path) -> None:
    (row,) = (row for row in read_points(SHIPPED) if row.scenario == name)
    results = hm_agent.play(
        name,
        [row.floor_agent, row.ceiling_agent],
        episodes=row.episodes,
        out=tmp_path,
        record_replay=False,
        report=False,
        progress=False,
    )
    info = scenario_named(name)
    for agent, told in ((row.floor_agent, row.floor), (row.ceiling_agent, row.ceiling)):
        earned = mean(result.metric(info.metric.name) or 0.0 for result in results if result.agent == agent)
        assert max(earned, info.metric.guessing or earned) == pytest.approx(told, abs=1e-6)


def test_points_are_read_as_they_were_written(tmp_path: Path) -> None:
    rows = read_points(SHIPPED)
    write_points(rows, tmp_path / FILE)
    assert (tmp_path / FILE).read_bytes() == SHIPPED.read_bytes()


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("0.933333", "nan", "row 0.floor: Input should be a finite number"),
        (",floor,", ",flor,", "row 0.floor: Field required"),
        (",25\n", "\n", "row 0.episodes: Input should be a valid integer"),
        ("mg_pd_grim", "\udcff", "can't decode"),
    ],
)
def test_an_edited_file_of_points_is_refused_in_one_line(was: str, now: str, told: str, tmp_path: Path) -> None:
    path, (row,) = tmp_path / FILE, [row for row in read_points(SHIPPED) if row.scenario == "mg_pd_grim"]
    write_points([row], path)
    path.write_text(path.read_text().replace(was, now), errors="surrogateescape")
    with pytest.raises(ConfigError, match=told) as raised:
        read_points(path)
    assert "\n" not in str(raised.value)
