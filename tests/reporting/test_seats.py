"""Who earned how much against whom, where agents share a world."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.seats import Matchups, Player, matchups, player_labels
from hm_agent.reporting.writing import write_report
from tests.reporting.examples import leave, result, settings, shared_result

OURS, REACT = Player("hypothetical_minds", "builtin"), Player("react", "builtin")
MIXED = (("hypothetical_minds", 9.0), ("react", 3.0), ("hypothetical_minds", 5.0))


def rewards(one: Matchups) -> dict[tuple[Player, Player], tuple[float, int]]:
    return {pair: (found.mean, found.n) for pair, found in one.rewards.items()}


def test_an_agent_meets_those_of_the_other_seats() -> None:
    (found,) = matchups([shared_result(*MIXED)])
    assert (found.title, found.players, found.length) == ("rws_arena_selfplay", (OURS, REACT), "1,200 steps")
    assert rewards(found) == {(OURS, OURS): (7, 1), (OURS, REACT): (7, 1), (REACT, OURS): (3, 1)}


def test_an_episode_weighs_the_same_however_many_seats_an_agent_has() -> None:
    alone = shared_result(("react", 1.0), ("hypothetical_minds", 1.0), seed=2, steps=600)
    (found,) = matchups([shared_result(*MIXED), alone])
    assert rewards(found)[OURS, REACT] == (4.5, 2)  # 1 in 600 steps is 2 in 1,200
    assert found.unit == "reward per 1,200 steps"
    assert rewards(found)[OURS, OURS] == (7, 1)
    assert found.length == "600 to 1,200 steps"


def test_who_plays_whom_is_asked_where_different_agents_meet() -> None:
    (mixed,), (alone,) = matchups([shared_result(*MIXED)]), matchups([shared_result(*MIXED[:1], *MIXED[:1])])
    assert (mixed.is_mixed, alone.is_mixed) == (True, False)


def test_unfinished_episodes_count_in_usage_alone() -> None:
    (found,) = matchups([shared_result(*MIXED), shared_result(*MIXED, seed=2, status="interrupted")])
    assert rewards(found)[REACT, OURS] == (3, 1)
    assert {player: usage.questions for player, usage in found.usage.items()} == {OURS: 4, REACT: 2}
    assert found.seats == {OURS: 4, REACT: 2}


def test_settings_are_not_mixed() -> None:
    other = shared_result(*MIXED, settings=settings(bots=None, top_k=1))
    assert [one.title for one in matchups([shared_result(*MIXED), other])] == [
        "rws_arena_selfplay (top_k=1)",
        "rws_arena_selfplay (top_k=5)",
    ]


def test_models_are_named_where_they_differ() -> None:
    one = shared_result(*MIXED)
    other = replace(one, seed=2, seats=(*one.seats[:1], replace(one.seats[1], model="gpt-4")))
    assert set(player_labels(matchups([one])).values()) == {"hypothetical_minds", "react"}
    assert "react (gpt-4)" in player_labels(matchups([one, other])).values()


def test_one_seat_alone_meets_nobody() -> None:
    assert matchups([result()]) == []


def test_rewards_have_the_decimals_of_their_scenario(tmp_path: Path) -> None:
    table = {"scenario": "mg_pd_selfplay", "world": "matrix_games", "steps": 8}
    leave(tmp_path, shared_result(("react", 22.0), ("vmp", 26.0), **table))
    report = write_report(read_runs((tmp_path,)), tmp_path / "report")
    for page in ("report.md", "report.html"):
        assert "2.75" in (report.parent / page).read_text(), page


def test_a_report_without_shared_episodes_leaves_no_table_of_an_earlier_one(tmp_path: Path) -> None:
    shared, alone, into = tmp_path / "shared", tmp_path / "alone", tmp_path / "report"
    leave(shared, shared_result(("react", 1.0), ("vmp", 2.0)))
    leave(alone, result("react"))
    write_report(read_runs((shared,)), into)
    assert (into / "seats.csv").is_file()
    write_report(read_runs((alone,)), into)
    assert not (into / "seats.csv").exists()
