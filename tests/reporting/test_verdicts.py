"""What comparisons come to, in sentences and beside the agent to measure by."""

from __future__ import annotations

import pytest

from hm_agent.recording.result import Result
from hm_agent.reporting.comparing import Comparison, compare
from hm_agent.reporting.conditions import conditions_of, labels
from hm_agent.reporting.tables import tabulate
from hm_agent.reporting.verdicts import Contrast, alike, contrasts, identical, setting_contrasts
from hm_agent.reporting.verdicts import verdicts as verdicts_on
from hm_agent.wording import interval
from tests.reporting.examples import PD, RWS, delivered, result, settings


def compared(*results: Result) -> list[Comparison]:
    return compare(results, tabulate(results))


def words(*results: Result) -> list[str]:
    return alike(compared(*results), labels(conditions_of(results)))


def names(found: list[Contrast], *results: Result) -> list[str]:
    said = labels(conditions_of(results))
    return [f"{said[one.first]} - {said[one.second]}" for one in found]


def verdicts(*results: Result) -> list[str]:
    return verdicts_on(contrasts(compared(*results)), labels(conditions_of(results)))


def test_agents_with_the_same_results_are_named() -> None:
    played = [result(agent, seed, seed) for agent in ("react", "reflexion") for seed in range(20)]
    assert words(*played) == ["react had the same result as reflexion in all of their 20 common episodes."]
    other = result("react", 5, 99), result("reflexion", 6, 99)
    assert words(*played, *other) == ["react had the same result as reflexion in 20 of their 21 common episodes."]


@pytest.mark.parametrize(("equal", "is_said"), [(18, True), (17, False)])
def test_agents_do_the_same_if_nine_in_ten_of_their_episodes_are_equal(equal: int, is_said: bool) -> None:
    played = [result("react", seed, seed) for seed in range(20)]
    played += [result("reflexion", seed + (seed >= equal), seed) for seed in range(20)]
    assert any("had the same result" in said for said in words(*played)) == is_said


def test_agents_whose_difference_may_be_zero_are_said_to_be_left_open() -> None:
    played = [
        result(agent, (seed + place) % 2, seed)
        for place, agent in enumerate(("react", "reflexion"))
        for seed in range(6)
    ]
    open_ = "Whether react does better or worse than reflexion is undecided:"
    (said,) = words(*played)
    assert said.startswith(f"{open_} the interval")
    (said,) = words(*(one for one in played if one.seed < 4))
    assert said == f"{open_} there is no interval for fewer than 5 pairs of episodes."


def test_what_is_alike_is_said_before_what_is_open() -> None:
    agents = ("hypothetical_minds", "react", "reflexion")
    played = [result(agent, (agent == "react") * (-1) ** seed, seed) for agent in agents for seed in range(4)]
    same, *unsure = words(*played)
    assert same == "hypothetical_minds had the same result as reflexion in all of their 4 common episodes."
    assert [said.split(" is undecided")[0] for said in unsure] == [
        "Whether hypothetical_minds does better or worse than react",
        "Whether react does better or worse than reflexion",
    ]


def test_those_of_whom_the_same_is_said_are_named_together() -> None:
    agents = ("hypothetical_minds", "react", "reflexion")
    first, _ = words(*(result(agent, 1, seed) for agent in agents for seed in range(4)))
    assert first == "hypothetical_minds had the same result as react and reflexion in all of their 4 common episodes."


def test_agents_that_are_told_apart_are_not_mentioned() -> None:
    assert words(*(result(agent, reward + seed % 2, seed) for agent, reward in FAR_APART for seed in range(5))) == []


FAR_APART = (("hypothetical_minds", 9.0), ("react", 1.0))


# Each agent beside one other


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


SHIFTS = (0.0, 0.5, 1.0, 1.5, 2.0)


def gained(agent: str, gain: float, scenario: str = RWS) -> list[Result]:
    return [result(agent, gain + shift, seed, scenario=scenario) for seed, shift in enumerate(SHIFTS)]


def test_a_verdict_says_where_each_did_better_by_how_much() -> None:
    noisy = [result("react", -3 - shift, seed, scenario=RWS) for seed, shift in enumerate(SHIFTS)]
    (said,) = verdicts(*gained("hypothetical_minds", 0), *noisy)
    reach = 2.776445 * (2.5 / 5) ** 0.5  # t with 4 degrees of freedom, variance 2.5
    ends = f"{5 - reach:.1f} to {5 + reach:.1f}"
    group = "“Running With Scissors, repeated”"
    lead = f"in {group} (by 5.0, 95% interval {ends}, corrected p = .002)"
    assert said == f"hypothetical_minds compared with react: hypothetical_minds did better {lead}."
    (said,) = verdicts(*(gained("hypothetical_minds", -9)), *noisy)
    ends = f"{4 - reach:.1f} to {4 + reach:.1f}"
    lead = f"in {group} (by 4.0, 95% interval {ends}, corrected p = .005)"
    assert said == f"hypothetical_minds compared with react: react did better {lead}."


def test_a_difference_that_is_one_of_several_is_told_with_its_corrected_p() -> None:
    """Alone it has p = .030."""
    shifts = (0.4, 1.0, 0.5, 1.5, 0.3)
    others = [result(agent, -shift, seed) for agent in ("react", "vmp") for seed, shift in enumerate(shifts)]
    baseline = [result("hypothetical_minds", 0, seed) for seed in range(5)]
    told = " ".join(verdicts(*baseline, *others))
    assert "but corrected p = .060)" in told
    (alone,) = verdicts(*baseline, *others[:5])
    assert ", corrected p = .030)" in alone


def test_a_verdict_says_plainly_where_no_difference_shows() -> None:
    same = [*gained("hypothetical_minds", 1), *gained("vmp", 1)]
    (said,) = verdicts(*same)
    group = "in “Running With Scissors, repeated”"
    assert said == f"hypothetical_minds compared with vmp: no clear difference {group}, as the interval contains 0."
    both = [*same, *gained("hypothetical_minds", 1, PD), *gained("vmp", 1, PD)]
    (said,) = verdicts(*both)
    assert said == "hypothetical_minds compared with vmp: no clear difference anywhere, as every interval contains 0."


def test_those_of_whom_a_verdict_says_the_same_are_named_together() -> None:
    played = [*gained("hypothetical_minds", 1), *gained("vmp", 1), *gained("mmp", 1), *gained("react", 0)]
    said = verdicts(*played)
    assert [one.split(":")[0] for one in said] == [
        "hypothetical_minds compared with react",
        "hypothetical_minds compared with vmp and mmp",
    ]


def test_a_verdict_tells_groups_with_a_difference_from_those_without() -> None:
    played = [
        *gained("hypothetical_minds", 1),
        *gained("vmp", 1),
        *gained("hypothetical_minds", 5, PD),
        *gained("vmp", 1, PD),
    ]
    (said,) = verdicts(*played)
    assert said == (
        "hypothetical_minds compared with vmp: hypothetical_minds did better in “Prisoner's Dilemma, repeated” "
        "(by 4.0, 95% interval 4.0 to 4.0, corrected p < .001); no clear difference in “Running With Scissors, "
        "repeated”, as the interval contains 0."
    )


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


@pytest.mark.parametrize("pairs", [1, 4])
def test_few_pairs_are_no_interval_that_holds_zero(pairs: int) -> None:
    rewards = (("hypothetical_minds", 9), ("vmp", 1))
    (said,) = verdicts(*(result(agent, reward, seed) for agent, reward in rewards for seed in range(pairs)))
    assert said == (
        "hypothetical_minds compared with vmp: fewer than 5 pairs of episodes, too few for an interval, in “Running "
        "With Scissors, repeated”."
    )


def test_a_verdict_over_all_scenarios_is_in_the_normalised_score() -> None:
    rewards = {"hypothetical_minds": 7.5, "vmp": 2.5, "oracle": 10.0, "random": 0.0}
    (said,) = verdicts(
        *(
            result(agent, reward, seed, scenario=name)
            for name in (RWS, PD)
            for agent, reward in rewards.items()
            for seed in range(3)
        )
    )
    assert said.startswith(
        "hypothetical_minds compared with vmp: hypothetical_minds did better over all scenarios (by 0.50, 95% interval "
        "0.50 to 0.50, corrected p < .001);"
    )


@pytest.mark.usefixtures("delivery")
def test_where_less_is_better_the_one_with_less_did_better() -> None:
    minutes = {"vmp": 4.0, "mmp": 8.0}
    (said,) = verdicts(*(delivered(agent, value, seed) for agent, value in minutes.items() for seed in range(5)))
    assert (
        said
        == "vmp compared with mmp: vmp did better in “Delivery” (by 4.0, 95% interval 4.0 to 4.0, corrected p < .001)."
    )


# Columns that are one


def same(*results: Result) -> list[str]:
    return identical(compared(*results), labels(conditions_of(results)))


def test_agents_with_the_same_result_in_every_episode_are_said_to_be_one_column() -> None:
    played = [result(agent, seed, seed) for agent in ("react", "reflexion", "vmp") for seed in range(4)]
    assert same(*played) == [
        "react, reflexion and vmp had the same result in all of their 4 common episodes, so their columns are the same."
    ]


def test_one_episode_that_differs_makes_two_columns() -> None:
    played = [result(agent, seed, seed) for agent in ("react", "reflexion") for seed in range(40)]
    assert len(same(*played)) == 1
    assert same(*played, result("react", 1, 99), result("reflexion", 1.01, 99)) == []


def test_agents_whose_other_episodes_differ_have_no_one_column() -> None:
    played = [result("react", 1, 1), result("react", 2, 2)]
    assert same(*played, result("reflexion", 1, 1), result("reflexion", 5, 3)) == []
    assert same(*played, result("reflexion", 1, 1)) == []
    assert same(*played, result("reflexion", 1, 1), result("reflexion", 5, 1, scenario=PD)) == []


def test_an_agent_with_fewer_episodes_is_in_no_set_of_equal_agents() -> None:
    played = [result(agent, seed, seed) for agent in ("react", "reflexion") for seed in range(4)]
    (said,) = same(*played, result("vmp", 0, 0), result("vmp", 1, 1))
    assert said.startswith("react and reflexion had the same result in all of their 4 common episodes,")


def test_two_sets_of_equal_agents_are_told_apart() -> None:
    rewards = {"hypothetical_minds": 1, "hm_joint": 1, "react": 2, "reflexion": 2, "vmp": 3}
    said = same(*(result(agent, reward * seed, seed) for agent, reward in rewards.items() for seed in (1, 2)))
    assert [one.split(" had")[0] for one in said] == ["hypothetical_minds and hm_joint", "react and reflexion"]
