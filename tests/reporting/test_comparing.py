from __future__ import annotations

import pytest

from hm_agent.recording.result import Result
from hm_agent.reporting.comparing import Comparison, compare
from hm_agent.reporting.scores import OVERALL
from hm_agent.reporting.tables import tabulate
from tests.reporting.examples import HELD_OUT, PD, RWS, RWS_2, RWS_3, delivered, result, settings, shared_result


def compared(*results: Result) -> list[Comparison]:
    return compare(results, tabulate(results))


def test_only_episodes_of_one_seed_and_background_are_paired() -> None:
    (found,) = compared(
        result("hypothetical_minds", 10, seed=1),
        result("react", 7, seed=1),
        result("hypothetical_minds", 10, seed=2),
        result("react", 1000, seed=3),
        result("hypothetical_minds", 10, seed=4),
        result("react", 1000, seed=4, background=("another bot",)),
    )
    assert found.difference is not None
    assert (found.difference.mean, found.common) == (3, 1)


def test_episodes_that_did_not_complete_are_not_paired() -> None:
    ours = [result("hypothetical_minds", 10, seed) for seed in (1, 2)]
    theirs = [result("react", 8, 1), result("react", 1000, 2, status="interrupted")]
    (found,) = compared(*ours, *theirs)
    assert (found.difference and found.difference.mean, found.common) == (2, 1)


def test_those_who_met_other_kinds_of_bots_are_not_compared() -> None:
    assert compared(result("hypothetical_minds", 10), result("react", 8, settings=settings(bots="trained"))) == []


def test_episodes_in_which_different_agents_meet_are_not_compared() -> None:
    alone = shared_result(("react", 4.0), ("react", 2.0))
    assert compared(alone, shared_result(("react", 9.0), ("vmp", 1.0))) == []
    (found,) = compared(alone, shared_result(("vmp", 1.0), ("vmp", 1.0)))
    assert found.difference is not None
    assert found.difference.mean == 2


def test_games_in_which_one_gains_what_another_loses_are_not_compared() -> None:
    one, other = (shared_result((agent, 3.0), (agent, -3.0)) for agent in ("react", "vmp"))
    assert compared(one, other) == []
    failed, also_failed = (shared_result((agent, 0.0), (agent, 0.0)) for agent in ("react", "vmp"))
    assert [pair.common for pair in compared(failed, also_failed)] == [1]


def test_references_do_not_compete() -> None:
    assert compared(*(result(agent) for agent in ("hypothetical_minds", "oracle", "random", "noop"))) == []


def test_groups_of_different_scales_are_averaged_as_scores() -> None:
    overall, pd, rws = compared(
        *(result(agent, 10 * gain, scenario=RWS) for agent, gain in GAINS.items()),
        *(result(agent, 500 * gain, scenario=PD) for agent, gain in GAINS.items()),
    )
    assert (overall.group, overall.difference, overall.unit) == (OVERALL, None, None)
    assert overall.normalised is not None
    assert (round(overall.normalised.mean, 9), overall.normalised.clusters, overall.normalised.unit) == (
        0.4,
        2,
        "scenarios",
    )
    assert pd.difference is not None
    assert rws.difference is not None
    assert (pd.difference.mean, rws.difference.mean) == (200, 4)


def test_groups_come_in_the_order_of_the_scenarios_whatever_their_seeds() -> None:
    played = [result(agent, scenario=name, seed=seed) for name, seed in ((PD, 9), (RWS, 1)) for agent in ("vmp", "mmp")]
    assert [one.group for one in compared(*played)] == [
        OVERALL,
        "Prisoner's Dilemma, repeated",
        "Running With Scissors, repeated",
    ]


GAINS = {"hypothetical_minds": 0.8, "react": 0.4, "oracle": 1.0, "random": 0.0}


def test_without_floor_and_ceiling_there_is_no_score() -> None:
    overall, *_ = compared(
        *(result(agent, scenario=name) for name in (RWS, PD) for agent in ("hypothetical_minds", "react"))
    )
    assert (overall.group, overall.difference, overall.normalised) == (OVERALL, None, None)


@pytest.mark.usefixtures("delivery")
def test_where_less_is_better_a_lower_metric_is_a_higher_score() -> None:
    minutes = {"vmp": 4.0, "mmp": 8.0, "react": 2.0, "random": 10.0}
    (found,) = compared(*(delivered(agent, value) for agent, value in minutes.items()))
    assert (found.first.agent, found.second.agent, found.unit) == ("vmp", "mmp", "minutes per parcel")
    assert found.difference is not None
    assert found.normalised is not None
    assert (found.difference.mean, found.normalised.mean) == (-4, 0.5)


REFERENCES = {"oracle": 10.0, "random": 0.0}


def test_a_narrow_scale_is_in_no_difference_of_scores() -> None:
    played = [
        result(agent, reward * width, scenario=scenario)
        for scenario, width in ((RWS, 1.0), (RWS_2, 1.0), (RWS_3, 0.4))
        for agent, reward in REFERENCES.items()
    ]
    for scenario, gain in ((RWS, 2.0), (RWS_2, 4.0), (RWS_3, 12.0)):
        played += [result("hypothetical_minds", gain, scenario=scenario), result("react", 0, scenario=scenario)]
    (found,) = compared(*played)
    assert found.difference is not None
    assert found.normalised is not None
    assert found.difference.mean == pytest.approx(6)
    assert (found.normalised.mean, found.normalised.clusters) == pytest.approx((0.3, 2))


@pytest.mark.usefixtures("delivery")
def test_the_halves_of_a_difference_are_over_their_own_scenarios() -> None:
    played = [
        delivered(agent, minutes, seed, scenario=scenario)
        for scenario, gains in (("delivery_0", (3, 5)), (HELD_OUT, (1, 1)))
        for seed, gain in enumerate(gains)
        for agent, minutes in (("vmp", 10.0), ("mmp", 10.0 + gain))
    ]
    (found,) = compared(*played)
    assert found.difference is not None
    assert found.chosen is not None
    assert found.held_out is not None
    assert (found.difference.mean, found.chosen.mean, found.held_out.mean) == (-2.5, -4, -1)
    assert (found.difference.unit, found.chosen.unit, found.held_out.pairs) == ("scenarios", "episodes", 2)


def test_without_held_out_scenarios_that_half_has_no_difference() -> None:
    (found,) = compared(result("vmp", 3, scenario=RWS_2), result("mmp", 1, scenario=RWS_2))
    assert (found.held_out, found.chosen) == (None, found.difference)


@pytest.mark.usefixtures("delivery")
def test_over_all_groups_the_halves_are_in_the_normalised_score() -> None:
    minutes = {"vmp": 4.0, "mmp": 8.0, "react": 2.0, "random": 10.0}
    played = [delivered(agent, value, scenario=HELD_OUT) for agent, value in minutes.items()]
    rewards = {"vmp": 7.0, "mmp": 1.0, "oracle": 10.0, "random": 0.0}
    overall, *_ = compared(*played, *(result(agent, reward, scenario=RWS_2) for agent, reward in rewards.items()))
    assert overall.chosen is not None
    assert overall.held_out is not None
    assert overall.group == OVERALL
    assert (overall.chosen.mean, overall.held_out.mean) == pytest.approx((0.6, 0.5))
