"""What tables show in bold: no other agent is better by the interval of the difference."""

from __future__ import annotations

import pytest
from scipy.stats import ttest_ind

from hm_agent.recording.result import Result
from hm_agent.reporting.best import unbeaten, unbeaten_in_groups
from hm_agent.reporting.comparing import compare, episode_values
from hm_agent.reporting.statistics import welch_interval
from hm_agent.reporting.tables import tabulate
from tests.reporting.examples import RWS_2, delivered, result, settings

LUCK = (-4.0, 3.0, 8.0, -5.0, 7.5)
"""What an episode's opponents are worth, by seed."""


def earned(agent: str, *rewards: float, first: int = 0, **changes: object) -> list[Result]:
    return [result(agent, reward, first + place, **changes) for place, reward in enumerate(rewards)]


def bold(*played: Result) -> set[str]:
    return {condition.agent for _, condition in unbeaten(tabulate(played), episode_values(played))}


def test_a_better_mean_within_the_noise_beats_nobody() -> None:
    first = earned("react", 1.0, -5.0, 8.0, 4.0, 1.5)
    assert bold(*first, *earned("vmp", *LUCK)) == {"react", "vmp"}


def test_what_is_always_better_on_the_same_seeds_beats_however_much_the_seeds_differ() -> None:
    assert bold(*earned("react", *LUCK), *earned("vmp", *(luck - 0.5 for luck in LUCK))) == {"react"}
    apart = earned("vmp", *(luck - 0.5 for luck in LUCK), first=10)
    assert bold(*earned("react", *LUCK), *apart) == {"react", "vmp"}


def test_without_common_seeds_a_large_difference_counts_and_five_episodes_are_needed() -> None:
    assert bold(*earned("react", *LUCK), *earned("vmp", *(luck - 40 for luck in LUCK), first=10)) == {"react"}
    few = earned("vmp", -40, -41, -40, -41, first=10)
    assert bold(*earned("react", *LUCK), *few) == {"react", "vmp"}


@pytest.mark.usefixtures("delivery")
def test_fewer_minutes_are_better() -> None:
    assert bold(*(delivered(agent, n + m, n) for agent, m in (("vmp", 4), ("mmp", 9)) for n in range(5))) == {"vmp"}


def test_floor_and_ceiling_are_no_rivals_and_nobody_is_best_alone() -> None:
    references = [*earned("oracle", *[90.0] * 5), *earned("random", *[0.0] * 5)]
    assert bold(*references, *earned("react", *LUCK), *earned("vmp", *LUCK)) == {"react", "vmp"}
    assert bold(*references, *earned("react", *LUCK)) == set()


def test_agents_in_other_worlds_are_no_rivals() -> None:
    trained = settings(bots="trained")
    ours = [*earned("react", *LUCK), *earned("vmp", *[99.0] * 5, settings=trained)]
    assert bold(*ours) == set()


def test_over_a_group_the_scenarios_are_the_sample() -> None:
    played = [
        *earned("react", *LUCK),
        *earned("react", *LUCK, scenario=RWS_2),
        *earned("vmp", *(luck - 2 for luck in LUCK)),
        *earned("vmp", *(luck - 2.1 for luck in LUCK), scenario=RWS_2),
        *earned("mmp", *(luck - 9 for luck in LUCK)),
        *earned("mmp", *(luck + 9 for luck in LUCK), scenario=RWS_2),
    ]
    found = unbeaten_in_groups(compare(played, tabulate(played)), lambda one: one.difference)
    assert {condition.agent for condition, _ in found} == {"react", "mmp"}


def test_welchs_interval_is_that_of_scipy() -> None:
    first, second = LUCK, (1.0, 2.0, 1.5, 4.0, 2.5, 1.0)
    expected = ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    assert welch_interval(first, second) == pytest.approx((expected.low, expected.high))
    assert welch_interval([1.0] * 5, [3.0] * 5) == (-2.0, -2.0)
    assert welch_interval(first[:4], second) is None
