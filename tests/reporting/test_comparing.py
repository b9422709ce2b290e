from __future__ import annotations

import pytest

from hm_agent.recording.result import Result
from hm_agent.reporting.comparing import Comparison, alike, compare
from hm_agent.reporting.conditions import conditions_of, labels
from hm_agent.reporting.tables import OVERALL, tabulate
from tests.reporting.examples import PD, RWS, delivered, result, settings


def compared(*results: Result) -> list[Comparison]:
    return compare(results, tabulate(results))


def words(*results: Result) -> list[str]:
    return alike(compared(*results), labels(conditions_of(results)))


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


GAINS = {"hypothetical_minds": 0.8, "react": 0.4, "oracle": 1.0, "random": 0.0}


def test_without_floor_and_ceiling_there_is_no_score() -> None:
    overall, *_ = compared(
        *(result(agent, scenario=name) for name in (RWS, PD) for agent in ("hypothetical_minds", "react"))
    )
    assert (overall.group, overall.difference, overall.normalised) == (OVERALL, None, None)


def test_agents_with_the_same_results_are_named() -> None:
    played = [result(agent, seed, seed) for agent in ("react", "reflexion") for seed in range(20)]
    assert words(*played) == ["react had the same result as reflexion in all of 20 common episodes."]
    other = result("react", 5, 99), result("reflexion", 6, 99)
    assert words(*played, *other) == ["react had the same result as reflexion in 20 of 21 common episodes."]


def test_agents_whose_difference_may_be_zero_are_said_to_be_left_open() -> None:
    one, other = ((result("react", a, seed), result("reflexion", b, seed)) for a, b, seed in ((1, 2, 1), (2, 1, 2)))
    (said,) = words(*one, *other)
    assert said.startswith("Whether react does better or worse than reflexion is left open: the interval")


def test_what_is_alike_is_said_before_what_is_open() -> None:
    agents = ("hypothetical_minds", "react", "reflexion")
    played = [result(agent, (agent == "react") * (-1) ** seed, seed) for agent in agents for seed in range(4)]
    same, *unsure = words(*played)
    assert same == "hypothetical_minds had the same result as reflexion in all of 4 common episodes."
    assert [said.split(" is left open")[0] for said in unsure] == [
        "Whether hypothetical_minds does better or worse than react",
        "Whether react does better or worse than reflexion",
    ]


def test_those_of_whom_the_same_is_said_are_named_together() -> None:
    agents = ("hypothetical_minds", "react", "reflexion")
    first, _ = words(*(result(agent, 1, seed) for agent in agents for seed in range(4)))
    assert first == "hypothetical_minds had the same result as react and reflexion in all of 4 common episodes."


def test_agents_that_are_told_apart_are_not_mentioned() -> None:
    assert words(*(result(agent, reward + seed % 2, seed) for agent, reward in FAR_APART for seed in range(5))) == []


FAR_APART = (("hypothetical_minds", 9.0), ("react", 1.0))


@pytest.mark.usefixtures("delivery")
def test_where_less_is_better_a_lower_metric_is_a_higher_score() -> None:
    minutes = {"vmp": 4.0, "mmp": 8.0, "react": 2.0, "random": 10.0}
    (found,) = compared(*(delivered(agent, value) for agent, value in minutes.items()))
    assert (found.first.agent, found.second.agent, found.unit) == ("vmp", "mmp", "minutes per parcel")
    assert found.difference is not None
    assert found.normalised is not None
    assert (found.difference.mean, found.normalised.mean) == (-4, 0.5)
