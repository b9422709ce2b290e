"""Which scales are too narrow for a score, and what means come to without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import labels
from hm_agent.reporting.figures import efforts_of
from hm_agent.reporting.scores import OVERALL, lacking_note, narrow_note, narrow_scales, scores
from hm_agent.reporting.tables import Row, tabulate
from hm_agent.reporting.world_table import world_table
from tests.reporting.examples import HELD_OUT, PD, RWS, RWS_2, RWS_3, delivered, read, result, settings


def played(scenario: str, **rewards: float | Sequence[float]) -> list[Result]:
    """Episodes of agents with these rewards, one for each seed."""
    return [
        result(agent, reward, seed, scenario=scenario)
        for agent, values in rewards.items()
        for seed, reward in enumerate(values if isinstance(values, Sequence) else (values,))
    ]


def narrow(rows: Sequence[Row]) -> Mapping[str, bool]:
    return {row.scenario.short_name: row.is_narrow for row in rows}


def test_the_interquartile_mean_is_over_the_episodes_of_all_scenarios() -> None:
    found = [
        *played(RWS, react=(0, 1, 2, 3, 100), oracle=(10,) * 5, random=(0,) * 5),
        *played(RWS_2, react=(4, 5, 6, 7, 8), oracle=(10,) * 5, random=(0,) * 5),
    ]
    (score,) = scores(tabulate(found))
    # Scores 0, 0.1, 0.2, 0.3, 10 and 0.4 to 0.8: without two at either end, 0.2 to 0.7.
    assert score.middle == pytest.approx(0.45)
    assert score.middle_interval is not None
    assert 0.1 < score.middle_interval[0] < 0.45 < score.middle_interval[1] < 5
    assert score.mean == pytest.approx((2.12 + 0.6) / 2)


def test_a_scenario_of_four_episodes_leaves_the_interquartile_mean_without_interval() -> None:
    found = [
        *played(RWS, react=(1, 2, 3, 4), oracle=(10,) * 4, random=(0,) * 4),
        *played(RWS_2, react=(4, 5, 6, 7, 8), oracle=(10,) * 5, random=(0,) * 5),
    ]
    (score,) = scores(tabulate(found))
    assert score.middle_interval is None


@pytest.mark.parametrize(("ceiling", "is_narrow"), [(4.9, True), (5.0, False)])
def test_a_scale_of_less_than_half_the_median_is_narrow(ceiling: float, is_narrow: bool) -> None:
    found = [
        *played(RWS, react=1, oracle=10, random=0),
        *played(RWS_2, react=1, oracle=10, random=0),
        *played(RWS_3, react=1, oracle=ceiling, random=0),
    ]
    assert narrow(tabulate(found)) == {"rws_repeated_1": False, "rws_repeated_2": False, "rws_repeated_3": is_narrow}


@pytest.mark.parametrize(("ceiling", "is_narrow"), [((1.9, 3.9), True), ((2.1, 4.1), False)])
def test_a_scale_of_less_than_three_standard_errors_is_narrow(ceiling: tuple[float, float], is_narrow: bool) -> None:
    rows = tabulate(played(RWS, react=(1, 1), oracle=ceiling, random=(0, 0)))
    assert [row.scale_error for row in rows] == [pytest.approx(1)] * 3
    assert narrow(rows) == {"rws_repeated_1": is_narrow}


def test_the_error_of_a_scale_is_that_of_both_ends() -> None:
    row, *_ = tabulate(played(RWS, react=(1, 1), oracle=(97, 103), random=(-4, 4)))
    assert row.scale_error == pytest.approx(5)


def test_a_scale_of_single_episodes_has_no_error_and_is_not_narrow_for_that() -> None:
    row, *_ = tabulate(played(RWS, react=1, oracle=3, random=0))
    assert (row.scale, row.scale_error, row.is_narrow) == (3, None, False)
    row, *_ = tabulate(played(RWS, react=1, oracle=(2, 4), random=0))
    assert row.scale_error is None


def test_scales_are_compared_within_a_group_alone() -> None:
    rows = tabulate([*played(RWS, react=1, oracle=100, random=0), *played(PD, react=1, oracle=1, random=0)])
    assert not any(row.is_narrow for row in rows)


def test_scales_with_other_bots_are_no_measure_of_what_is_narrow() -> None:
    trained = settings(bots="trained")
    found = [result(agent, reward, settings=trained) for agent, reward in (("react", 1), ("oracle", 1), ("random", 0))]
    found += [*played(RWS_2, react=1, oracle=10, random=0), *played(RWS_3, react=1, oracle=10, random=0)]
    assert not any(row.is_narrow for row in tabulate(found))


def test_each_scenario_counts_once_in_the_median_whoever_played_it() -> None:
    crowd = dict.fromkeys(("react", "vmp", "mmp", "reflexion", "plan_react"), 1.0)
    found = [
        *played(RWS, oracle=4, random=0, **crowd),
        *played(RWS_2, react=1, oracle=10, random=0),
        *played(RWS_3, react=1, oracle=10, random=0),
    ]
    assert {row.is_narrow for row in tabulate(found) if row.scenario.name == RWS} == {True}


def test_where_no_score_is_known_no_scale_is_narrow() -> None:
    rows = tabulate([*played(RWS, react=1, oracle=1, random=5), *played(RWS_2, react=1)])
    assert [(row.scale, row.is_narrow) for row in rows] == [(None, False)] * 4


UNEVEN = [
    *played(RWS, react=5, oracle=10, random=0),
    *played(RWS_2, react=7, oracle=10, random=0),
    *played(RWS_3, react=12, oracle=4, random=0),
]


def test_a_mean_score_leaves_out_narrow_scales() -> None:
    (found,) = scores(tabulate(UNEVEN))
    assert (found.mean, found.scenarios) == pytest.approx((0.6, 2))


def test_a_row_on_a_narrow_scale_keeps_its_score() -> None:
    (row,) = (row for row in tabulate(UNEVEN) if row.condition.agent == "react" and row.is_narrow)
    assert (row.normalised_score, row.counted_score) == (3, None)


def test_what_is_left_out_is_named_once_with_its_scale() -> None:
    found = [*UNEVEN, *played(RWS_3, vmp=1)]
    said = narrow_note(narrow_scales(tabulate(found)))
    assert "leave out 1 scenario in which" in said
    assert said.count("rws_repeated_3 (4.0)") == 1
    assert "rws_repeated_1" not in said
    assert "less than 3 standard errors of the difference, or less than 50% of the median difference" in said


def test_where_nothing_is_left_out_nothing_is_said() -> None:
    assert narrow_note(narrow_scales(tabulate(played(RWS, react=5, oracle=10, random=0)))) == ""


def test_the_error_of_what_is_left_out_is_shown() -> None:
    (found,) = narrow_scales(tabulate(played(RWS, react=(1, 1), oracle=(0, 4), random=(0, 0))))
    assert (found.scale, found.error) == pytest.approx((2, 2))


@pytest.mark.usefixtures("delivery")
def test_where_less_is_better_a_short_scale_is_narrow_too() -> None:
    third = [delivered(agent, value, scenario=HELD_OUT) for agent, value in (("vmp", 4), ("react", 8), ("random", 10))]
    first = [delivered(agent, value) for agent, value in (("vmp", 4), ("react", 2), ("random", 12))]
    assert narrow(tabulate([*first, *third])) == {"delivery_0": False, "delivery_1": True}
    (found,) = narrow_scales(tabulate([*first, *third]))
    assert found.scale == 2


def test_overall_scores_leave_out_narrow_scales() -> None:
    rows = tabulate([*UNEVEN, *played(PD, react=9, oracle=10, random=0)])
    found = {one.group: (one.mean, one.scenarios) for one in scores(rows)}
    assert found[OVERALL] == pytest.approx((0.7, 3))


def test_the_picture_of_effort_leaves_out_narrow_scales() -> None:
    efforts, scale = efforts_of(tabulate([*UNEVEN, *played(PD, react=9, oracle=10, random=0)]))
    assert scale == "normalised score"
    assert [effort.result for effort in efforts] == [pytest.approx(0.7)]


def test_the_table_over_worlds_says_why_a_cell_is_a_dash() -> None:
    stories = {"reader": (0.4, 0.6), "order_3": (1, 1), "reality": (0, 0)}
    read_stories = [
        replace(read(agent, share, seed), settings={"seed": 0, "max_steps": None, "top_k": 5})
        for agent, shares in stories.items()
        for seed, share in enumerate(shares)
    ]
    grid = played(RWS, react=(2, 3, 4, 5, 6), hypothetical_minds=(8,) * 5, oracle=(10,) * 5, random=(0,) * 5)
    rows = tabulate([*grid, *read_stories])
    table = world_table(rows, labels([row.condition for row in rows]))
    assert table is not None
    cells = {line["agent"]: (line["Melting Pot"], line["ExploreToM"]) for line in table.lines(labels(table.conditions))}
    assert cells == {
        "hypothetical_minds": ("0.80 (0.80 to 0.80)", "-"),
        "react": ("0.40 (0.20 to 0.60)", "-"),
        "reader": ("-", "0.50"),
    }
    assert table.said == (
        "hypothetical_minds in ExploreToM: not played.",
        "react in ExploreToM: ExploreToM is played by its own agents alone.",
        "reader in Melting Pot: it belongs to ExploreToM.",
    )


def test_scenarios_that_are_not_known_are_no_world_in_the_table() -> None:
    unknown = [result(agent, 1.0, scenario="of_a_file_of_ones_own") for agent in ("react", "vmp")]
    rows = tabulate([*unknown, *played(RWS, react=(5,), oracle=(10,), random=(0,)), read("reader", 0.4)])
    table = world_table(rows, labels([row.condition for row in rows]))
    assert table is not None
    assert table.worlds == ("Melting Pot", "ExploreToM")
    assert {condition.agent for condition in table.conditions} == {"react", "reader"}


def test_a_score_of_one_scenario_has_the_interval_over_its_episodes_in_every_table() -> None:
    stories = [
        read(agent, share, seed)
        for agent, share in (("reader", 0.5), ("order_3", 1.0), ("reality", 0.0))
        for seed in range(5)
    ]
    rows = tabulate([*played(RWS, react=(2, 3, 4, 5, 6), oracle=(10,) * 5, random=(0,) * 5), *stories])
    table = world_table(rows, labels([row.condition for row in rows]))
    assert table is not None
    (in_groups,) = (one for one in scores(rows) if one.group != OVERALL and one.condition.agent == "react")
    assert in_groups.interval == pytest.approx((0.204, 0.596), abs=0.001)
    assert table.scores[in_groups.condition, "Melting Pot"].interval == in_groups.interval


def test_a_mean_over_fewer_scenarios_than_others_have_says_over_how_many() -> None:
    stories = [read(agent, share) for agent, share in (("reader", 0.5), ("order_3", 1.0), ("reality", 0.0))]
    stories = [replace(one, settings={"seed": 0, "max_steps": None, "top_k": 5}) for one in stories]
    grid = [
        *played(RWS, react=5, hypothetical_minds=8, oracle=10, random=0),
        *played(RWS_2, hypothetical_minds=6, oracle=10, random=0),
    ]
    rows = tabulate([*grid, *stories])
    found = {(one.condition.agent, one.group): one.lacking for one in scores(rows) if one.lacking}
    in_group = {agent for agent, group in found if group != OVERALL}
    assert in_group == {"react"}
    assert found["react", OVERALL] == "1 of 3 scenarios"
    assert found["hypothetical_minds", OVERALL] == "2 of 3 scenarios"
    table = world_table(rows, labels([row.condition for row in rows]))
    assert table is not None
    lines = {line["agent"]: line["Melting Pot"] for line in table.lines(labels(table.conditions))}
    assert (lines["react"], lines["hypothetical_minds"]) == ("0.50, 1 of 2 scenarios", "0.70")
    assert table.said[-1] == lacking_note(scores(rows)) != ""


def test_means_over_the_same_scenarios_do_not_say_over_how_many() -> None:
    found = scores(tabulate([*played(RWS, react=5, vmp=8, oracle=10, random=0)]))
    assert ([one.lacking for one in found], lacking_note(found)) == (["", ""], "")


def test_one_world_has_no_table_over_worlds() -> None:
    rows = tabulate(played(RWS, react=(2, 3), oracle=(10, 10), random=(0, 0)))
    assert world_table(rows, labels([row.condition for row in rows])) is None
