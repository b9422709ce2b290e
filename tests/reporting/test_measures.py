"""The unit stays with the number: what a result was measured by is what reports say, whatever its scenario says now."""

from __future__ import annotations

from pathlib import Path

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import scenario_named
from hm_agent.metrics import UNBOUNDED, Measure
from hm_agent.recording.result import Result
from hm_agent.reporting.comparing import compare
from hm_agent.reporting.conditions import IdleParameters, conditions_of, labels
from hm_agent.reporting.csv_records import long_records
from hm_agent.reporting.group_means import group_means
from hm_agent.reporting.orders import OrderStudy
from hm_agent.reporting.runs import identity, read_runs
from hm_agent.reporting.seats import matchups
from hm_agent.reporting.tables import tabulate
from hm_agent.watching.state import Watcher
from tests.reporting.examples import RWS, leave, read, result, shared_result

OLD = Measure.reward_per(100)
PRESENT = scenario_named(RWS).metric.measure


def both(*agents: str) -> list[Result]:
    """Two episodes of each agent in the unit of before, and two in the scenario's present one."""
    old = [result(agent, 3.0, seed, measure=OLD) for agent in agents for seed in (1, 2)]
    return [*old, *(result(agent, 36.0, seed, measure=PRESENT) for agent in agents for seed in (1, 2))]


def test_results_of_two_units_are_two_rows() -> None:
    rows = tabulate(both("react"))
    assert {(row.mean, row.scenario.metric.unit, row.episodes) for row in rows} == {
        (36.0, "reward per 1,200 steps", 2),
        (3.0, "reward per 100 steps", 2),
    }
    assert len({row.unit for row in rows}) == len({row.scenario.group for row in rows}) == 2


def test_any_part_of_the_measure_makes_another_row() -> None:
    others = [
        Measure("other", PRESENT.unit, per_steps=PRESENT.per_steps),
        Measure(PRESENT.name, "points", per_steps=PRESENT.per_steps),
        Measure(PRESENT.name, PRESENT.unit, per_steps=7),
    ]
    for other in others:
        metrics = {"normalised_reward": 1.0, "other": 1.0}
        rows = tabulate([result(measure=PRESENT), result(seed=2, measure=other, metrics=metrics)])
        assert [row.episodes for row in rows] == [1, 1], other


def test_a_result_without_its_measure_has_the_present_one_of_its_scenario(tmp_path: Path) -> None:
    leave(tmp_path, result("react", 1.0, 1), result("react", 3.0, 2, measure=PRESENT))
    (row,) = tabulate(read_runs((tmp_path,)).results)
    assert (row.mean, row.scenario) == (2.0, scenario_named(RWS))
    first, present, other = (
        identity(one, IdleParameters()) for one in (result("react"), result("react", measure=PRESENT), both("react")[0])
    )
    assert first == present != other


def test_floor_and_ceiling_of_another_unit_mark_no_scale() -> None:
    rows = tabulate([*both("random", "react"), result("oracle", 60.0, measure=PRESENT)])
    scales = {(row.scenario.metric.unit, row.floor, row.ceiling) for row in rows if row.condition.agent == "react"}
    assert scales == {("reward per 1,200 steps", 36.0, 60.0), ("reward per 100 steps", 3.0, None)}


def test_published_figures_stand_beside_their_own_unit_alone() -> None:
    rows = tabulate(both("hypothetical_minds"))
    published = {row.scenario.metric.unit: row.published is not None for row in rows}
    assert published == {"reward per 1,200 steps": True, "reward per 100 steps": False}


def test_agents_are_compared_within_a_unit() -> None:
    results = [*both("react"), result("hypothetical_minds", 4.0, measure=OLD)]
    (comparison,) = [one for one in compare(results, tabulate(results)) if one.first.agent != one.second.agent]
    assert (comparison.common, comparison.unit) == (1, "reward per 100 steps")
    assert comparison.group == scenario_named(RWS).measured_by(OLD).group


def test_labels_say_the_unit_that_has_changed() -> None:
    names = labels(conditions_of(both("react")))
    assert sorted(names.values()) == ["react", "react (reward per 100 steps)"]


def test_who_plays_whom_is_averaged_within_a_unit() -> None:
    seats = ("react", 1.0), ("vmp", 2.0)
    shared = matchups([shared_result(*seats), shared_result(*seats, seed=2, measure=OLD)])
    assert [one.scenario.metric.unit for one in shared] == ["reward per 1,200 steps", "reward per 100 steps"]


def test_the_study_of_orders_keeps_units_apart(tmp_path: Path) -> None:
    scenario = find_scenarios(["rws_order_*"])[0].name
    leave(tmp_path / "old", result(scenario=scenario, reward=3.0, measure=OLD))
    leave(tmp_path / "new", result(scenario=scenario, reward=36.0, seed=2))
    study = OrderStudy(read_runs((tmp_path / "old", tmp_path / "new")))
    assert {study.unit(family) for family in study.families} == {"reward per 1,200 steps", "reward per 100 steps"}
    assert sorted(mean.estimate.mean for mean in study.means) == [3.0, 36.0]


def test_the_live_page_averages_within_a_unit(tmp_path: Path) -> None:
    old, new = result("react", 3.0, 1, measure=OLD), result("react", 36.0, 2, measure=PRESENT)
    leave(tmp_path, old, new)
    groups = Watcher(tmp_path).look()["groups"]
    assert {(one["unit"], one["mean"]) for one in groups} == {
        ("reward per 1,200 steps", 36.0),
        ("reward per 100 steps", 3.0),
    }


def test_the_number_is_made_where_its_words_are() -> None:
    assert Measure.reward_per(100).of_reward(6.0, 1200) == 0.5
    assert Measure.reward_per(0) == Measure()
    assert Measure().of_reward(6.0, 1200) == Measure.reward_per(100).of_reward(6.0, 0) == 6.0


def test_no_interval_of_a_share_goes_beyond_0_and_1() -> None:
    found = [
        *(read("reader", share, seed) for seed, share in enumerate((1, 1, 1, 1, 0.6))),
        *(read("perspective", share, seed) for seed, share in enumerate((0, 0, 0, 0, 0.9))),
    ]
    rows = tabulate(found)
    ends = {row.condition.agent: row.estimate.interval for row in rows if row.estimate and row.estimate.interval}
    assert (ends["reader"][1], ends["perspective"][0]) == (1, 0)
    means = {mean.condition.agent: mean.interval for mean in group_means(rows)}
    assert means == ends
    (difference,) = (one.difference for one in compare(found, rows))
    assert difference is not None
    assert difference.interval is not None
    assert max(map(abs, difference.interval)) == 1
    of_shares = {line["agent"]: line["high"] for line in long_records(found) if line["compared"]}
    assert of_shares["reader"] == 1


def test_the_bounds_of_a_metric_are_not_those_of_another_measure() -> None:
    share = scenario_named("exploretom_a1").metric
    assert share.measured_by(share.measure).bounds == (0, 1)
    assert share.measured_by(OLD).bounds == UNBOUNDED
