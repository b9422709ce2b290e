from __future__ import annotations

from hm_agent.recording.result import Result
from hm_agent.reporting.comparing import Comparison, alike, compare
from hm_agent.reporting.conditions import Condition, labels
from hm_agent.reporting.tables import OVERALL, tabulate
from tests.reporting.examples import PD, RWS, result


def compared(*results: Result) -> list[Comparison]:
    return compare(results, tabulate(results))


def words(*results: Result) -> list[str]:
    return alike(compared(*results), labels([Condition.of(one) for one in results]))


def test_only_episodes_of_one_seed_and_background_are_paired() -> None:
    (found,) = compared(
        result("hypothetical_minds", 10, seed=1),
        result("react", 7, seed=1),
        result("hypothetical_minds", 10, seed=2),
        result("react", 1000, seed=3),
        result("hypothetical_minds", 10, seed=4),
        result("react", 1000, seed=4, background=("another bot",)),
    )
    assert found.reward is not None
    assert (found.reward.mean, found.common) == (3, 1)


def test_episodes_that_did_not_complete_are_not_paired() -> None:
    ours = [result("hypothetical_minds", 10, seed) for seed in (1, 2)]
    theirs = [result("react", 8, 1), result("react", 1000, 2, status="interrupted")]
    (found,) = compared(*ours, *theirs)
    assert (found.reward and found.reward.mean, found.common) == (2, 1)


def test_those_who_met_other_kinds_of_bots_are_not_compared() -> None:
    assert compared(result("hypothetical_minds", 10), result("react", 8, bots="trained")) == []


def test_references_do_not_compete() -> None:
    assert compared(*(result(agent) for agent in ("hypothetical_minds", "oracle", "random", "noop"))) == []


def test_games_of_different_scales_are_averaged_as_scores() -> None:
    overall, pd, rws = compared(
        *(result(agent, 10 * gain, scenario=RWS) for agent, gain in GAINS.items()),
        *(result(agent, 500 * gain, scenario=PD) for agent, gain in GAINS.items()),
    )
    assert (overall.game, overall.reward) == (OVERALL, None)
    assert overall.score is not None
    assert (round(overall.score.mean, 9), overall.score.clusters, overall.score.unit) == (0.4, 2, "scenarios")
    assert pd.reward is not None
    assert rws.reward is not None
    assert (pd.reward.mean, rws.reward.mean) == (200, 4)


GAINS = {"hypothetical_minds": 0.8, "react": 0.4, "oracle": 1.0, "random": 0.0}


def test_without_floor_and_ceiling_there_is_no_score() -> None:
    overall, *_ = compared(
        *(result(agent, scenario=name) for name in (RWS, PD) for agent in ("hypothetical_minds", "react"))
    )
    assert (overall.game, overall.reward, overall.score) == (OVERALL, None, None)


def test_agents_that_earn_the_same_are_said_to() -> None:
    played = [result(agent, seed, seed) for agent in ("react", "reflexion") for seed in range(20)]
    assert words(*played) == ["react earned the same as reflexion in all of 20 common episodes."]
    other = result("react", 5, 99), result("reflexion", 6, 99)
    assert words(*played, *other) == ["react earned the same as reflexion in 20 of 21 common episodes."]


def test_agents_whose_difference_may_be_zero_are_said_to_be_left_open() -> None:
    one, other = ((result("react", a, seed), result("reflexion", b, seed)) for a, b, seed in ((1, 2, 1), (2, 1, 2)))
    (said,) = words(*one, *other)
    assert said.startswith("Whether react earns more or less than reflexion is left open: the interval")


def test_what_is_alike_is_said_before_what_is_open() -> None:
    agents = ("hypothetical_minds", "react", "reflexion")
    played = [result(agent, (agent == "react") * (-1) ** seed, seed) for agent in agents for seed in range(4)]
    same, *unsure = words(*played)
    assert same == "hypothetical_minds earned the same as reflexion in all of 4 common episodes."
    assert [said.split(" is left open")[0] for said in unsure] == [
        "Whether hypothetical_minds earns more or less than react",
        "Whether react earns more or less than reflexion",
    ]


def test_those_of_whom_the_same_is_said_are_named_together() -> None:
    agents = ("hypothetical_minds", "react", "reflexion")
    first, _ = words(*(result(agent, 1, seed) for agent in agents for seed in range(4)))
    assert first == "hypothetical_minds earned the same as react and reflexion in all of 4 common episodes."


def test_agents_that_are_told_apart_are_not_mentioned() -> None:
    assert words(*(result(agent, reward + seed % 2, seed) for agent, reward in FAR_APART for seed in range(5))) == []


FAR_APART = (("hypothetical_minds", 9.0), ("react", 1.0))
