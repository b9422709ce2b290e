"""Each agent beside the one to measure it by, with p after correction for the table."""

from __future__ import annotations

import pytest

from hm_agent.recording.result import Result
from hm_agent.reporting.comparing import Comparison, compare
from hm_agent.reporting.conditions import conditions_of, labels
from hm_agent.reporting.contrasts import Contrast, contrasts, setting_contrasts
from hm_agent.reporting.tables import tabulate
from hm_agent.wording import interval
from tests.reporting.examples import result, settings


def compared(*results: Result) -> list[Comparison]:
    return compare(results, tabulate(results))


def names(found: list[Contrast], *results: Result) -> list[str]:
    said = labels(conditions_of(results))
    return [f"{said[one.first]} - {said[one.second]}" for one in found]


def test_each_agent_stands_beside_the_first_and_no_other() -> None:
    played = [result(agent, seed, seed) for agent in ("hypothetical_minds", "react", "vmp") for seed in (1, 2)]
    found = contrasts(compared(*played))
    assert names(found, *played) == ["hypothetical_minds - react", "hypothetical_minds - vmp"]


def test_an_agent_in_another_setting_stands_beside_the_first_with_that_setting() -> None:
    played = [
        result(agent, settings=settings(inference=inference))
        for agent in ("hypothetical_minds", "react")
        for inference in ("model", "exact")
    ]
    found = compared(*played)
    assert sorted(names(contrasts(found), *played)) == [
        "hypothetical_minds (inference=exact) - hypothetical_minds (inference=model)",
        "hypothetical_minds (inference=exact) - react (inference=exact)",
        "hypothetical_minds (inference=model) - react (inference=model)",
    ]
    assert sorted(names(setting_contrasts(found), *played)) == [
        "hypothetical_minds (inference=exact) - hypothetical_minds (inference=model)",
        "react (inference=exact) - react (inference=model)",
    ]


def test_without_other_settings_no_agent_stands_beside_itself() -> None:
    assert setting_contrasts(compared(result("react"), result("vmp"))) == []


def test_a_difference_that_is_one_of_several_has_a_corrected_p() -> None:
    shifts = (0.4, 1.0, 0.5, 1.5, 0.3)
    others = [result(agent, -shift, seed) for agent in ("react", "vmp") for seed, shift in enumerate(shifts)]
    baseline = [result("hypothetical_minds", 0, seed) for seed in range(5)]
    (alone,) = contrasts(compared(*baseline, *others[:5]))
    both = contrasts(compared(*baseline, *others))
    assert [p for one in (alone, *both) for p in one.corrected.values()] == pytest.approx(
        [0.030, 0.060, 0.060], abs=5e-4
    )


def test_a_difference_of_too_few_pairs_has_no_p() -> None:
    rewards = (("hypothetical_minds", 9), ("vmp", 1))
    (found,) = contrasts(compared(*(result(agent, reward, seed) for agent, reward in rewards for seed in range(4))))
    assert found.corrected == {}


@pytest.mark.parametrize(
    ("ends", "digits", "said"),
    [
        ((0.03, 4.8), 1, "0.03 to 4.8"),
        ((-0.0042, -0.0001), 2, "-0.004 to -0.0001"),
        ((-0.4, 3.0), 0, "-0.4 to 3"),
        ((0.0, 0.3), 1, "0.0 to 0.3"),
        ((-1e-17, 2.0), 1, "0.0 to 2.0"),
    ],
)
def test_end_of_an_interval_is_shown_as_zero_only_if_it_is(ends: tuple[float, float], digits: int, said: str) -> None:
    assert interval(ends, digits) == said
