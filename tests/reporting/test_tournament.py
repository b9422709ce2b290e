"""Who wins a tournament, on payoffs that are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.recording.result import Result
from hm_agent.reporting.report import Report
from hm_agent.reporting.runs import RecordedEpisode, Runs
from hm_agent.reporting.seats import player_labels
from hm_agent.reporting.tournament import Tournament, all_tables, tournaments
from hm_agent.reporting.writing import write_report
from tests.reporting.examples import shared_result

Table = Mapping[tuple[str, str], float]
DEFECTION: Table = {("react", "react"): 1, ("react", "vmp"): 5, ("vmp", "react"): 0, ("vmp", "vmp"): 3}
"""A Prisoner's Dilemma in which react defects and vmp cooperates."""
CYCLE: Table = {
    **{(name, name): 0 for name in ("react", "vmp", "reflexion")},
    ("react", "vmp"): 1,
    ("vmp", "reflexion"): 1,
    ("reflexion", "react"): 1,
    ("vmp", "react"): -1,
    ("reflexion", "vmp"): -1,
    ("react", "reflexion"): -1,
}
"""Rock, paper, scissors between three agents of one mind each."""


def played(table: Table, seeds: int = 6, noise: float = 0.0) -> list[Result]:
    """Each pair once at each seed, with these rewards, which rise from seed to seed by the noise."""
    agents = list(dict.fromkeys(agent for agent, _ in table))
    return [
        shared_result(*((own, table[own, other] + noise * seed) for own, other in ((a, b), (b, a))), seed=seed)
        for a, b in combinations_with_replacement(agents, 2)
        for seed in range(seeds)
    ]


def only(results: list[Result]) -> Tournament:
    (found,) = tournaments(results)
    return found


def test_defection_beats_cooperation_and_does_worse_with_itself() -> None:
    found = only(played(DEFECTION, noise=0.1))
    payoffs = {(one.agent, other.agent): cell.mean for (one, other), cell in found.payoffs.items()}
    assert payoffs == pytest.approx({pair: payoff + 0.25 for pair, payoff in DEFECTION.items()})
    defector, cooperator = found.standings
    assert (defector.player.agent, cooperator.player.agent) == ("react", "vmp")
    assert defector.payoff.mean == pytest.approx(3.25)
    assert defector.payoff.interval is not None
    assert defector.payoff.interval[0] < 3.25 < defector.payoff.interval[1]
    assert [defector.with_itself.mean, cooperator.with_itself.mean] == pytest.approx([-4, 3])
    assert defector.skill.interval[0] > cooperator.skill.mean
    (duel,) = found.duels
    assert (duel.winner, duel.won, duel.drawn, duel.tables) == (defector.player, 6, 0, 6)


def test_ranks_by_payoff_and_by_skill_differ_where_winning_costs() -> None:
    spite: Table = {("react", "react"): 0, ("react", "vmp"): 1, ("vmp", "react"): 0, ("vmp", "vmp"): 9}
    first, second = only(played(spite)).standings
    assert (first.player.agent, second.player.agent) == ("vmp", "react")
    assert second.skill.mean > first.skill.mean


def test_nobody_leads_a_cycle_whatever_the_order_of_the_games() -> None:
    results = played(CYCLE)
    one, other = only(results), only(results[::-1])
    assert one.standings == other.standings
    assert {standing.payoff.mean for standing in one.standings} == {0.0}
    skills = [standing.skill for standing in one.standings]
    assert all(skill.interval[0] < 25 < skill.interval[1] for skill in skills)
    assert max(skill.mean for skill in skills) - min(skill.mean for skill in skills) < 3
    ranking = next(lines for caption, lines in one.tables(player_labels([one])) if "ranking" in caption)
    assert [line["rank"] for line in ranking] == ["1", "1", "1"]


TWINS: Table = {
    **{(name, other): 3 for name in ("react", "reflexion") for other in ("react", "reflexion")},
    **{(name, "vmp"): 4 for name in ("react", "reflexion")},
    **{("vmp", name): 2 for name in ("react", "reflexion")},
    ("vmp", "vmp"): 3,
}
"""Two agents that always earn the same, and a third that earns less."""


def test_agents_that_always_earned_the_same_share_their_rank_by_skill() -> None:
    found = only(played(TWINS))
    (_, ranking), *_ = found.tables(player_labels([found]))
    assert [line["skill"] for line in ranking][:2] == [ranking[0]["skill"]] * 2
    assert [line["rank by skill"] for line in ranking] == ["1", "1", "3"]


def test_shared_rewards_are_even_at_every_table() -> None:
    found = only(played({("react", "react"): 4, ("react", "vmp"): 2, ("vmp", "react"): 2, ("vmp", "vmp"): 1}))
    assert found.standings[0].skill.mean == pytest.approx(found.standings[1].skill.mean)
    assert (found.duels[0].winner, found.duels[0].drawn) == (None, 6)


def test_agents_that_changed_places_have_one_payoff_for_each_seed() -> None:
    results = played(DEFECTION)
    mirrored = [shared_result(("vmp", 2.0), ("react", 7.0), seed=seed) for seed in range(6)]
    found = only([*results, *mirrored])
    react, vmp = found.players
    assert (found.payoffs[react, vmp].mean, found.payoffs[react, vmp].n) == (6.0, 6)
    assert found.duels[0].tables == 12


def test_a_table_that_was_not_played_makes_no_tournament() -> None:
    assert tournaments([one for one in played(DEFECTION) if one.agent != "vmp"]) == []
    assert tournaments([one for one in played(DEFECTION) if one.agent == "vmp"]) == []


def test_an_agent_that_always_fails_stands_in_the_tournament_without_a_rank() -> None:
    found = only([replace(one, status="failed: E") if "reflexion" in one.agent else one for one in played(CYCLE)])
    assert [one.player.agent for one in found.standings] == ["react", "vmp"]
    (_, ranking), (_, matrix), _ = found.tables(player_labels([found]))
    assert list(ranking[2].values()) == ["reflexion", "-", "none of 18 episodes finished", "-", "-", "-"]
    assert [line["reflexion"] for line in matrix] == ["-"] * 3


def test_several_tournaments_have_a_skill_over_all() -> None:
    pd = find_scenarios(["pd_arena_selfplay"])[0].name
    results = [*played(DEFECTION), *(shared_result_in(pd, one) for one in played(DEFECTION))]
    found = tournaments(results)
    caption, lines = all_tables(found, player_labels(found))[-1]
    assert caption == "All tournaments: ranking by skill"
    assert [line["agent"] for line in lines] == ["react", "vmp"]


def shared_result_in(scenario: str, one: Result) -> Result:
    return shared_result(*((seat.agent, seat.reward) for seat in one.seats), seed=one.seed, scenario=scenario)


def test_the_report_has_the_tournament_on_all_its_pages(tmp_path: Path) -> None:
    results = played(DEFECTION)
    episodes = tuple(RecordedEpisode(one, tmp_path / str(place)) for place, one in enumerate(results))
    runs = Runs((tmp_path,), episodes)
    write_report(runs, tmp_path)
    assert Report(runs, tmp_path).tournaments
    assert "18 episodes of 2 agents on 1 scenario" in (tmp_path / "report.md").read_text("utf-8")
    for name in ("report.md", "report.html"):
        assert "rws_arena_selfplay: ranking by payoff, reward per 1,200 steps" in (tmp_path / name).read_text("utf-8")
        assert all(file in (tmp_path / name).read_text("utf-8") for file in ("tournament.csv", "payoffs.csv"))
    assert r"\label{tab:tournament-3}" in (tmp_path / "report.tex").read_text("utf-8")
    assert (tmp_path / "figures" / "tournament-0.svg").is_file()
    first = (tmp_path / "tournament.csv").read_text("utf-8").splitlines()[1]
    assert first.startswith('rws_arena_selfplay,"reward per 1,200 steps",react,3.0,3.0,3.0,6,-4.0,-4.0,-4.0,')
    assert len((tmp_path / "payoffs.csv").read_text("utf-8").splitlines()) == 5
