"""Episodes that end with their first interaction: played to their end, counted, reported and replayed as finished."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import hm_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.testing.episodes import SeatStep, play_steps
from hm_agent.worlds.melting_pot.facts import Length
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, reward
from hm_agent.worlds.melting_pot.scenarios import game_named

ONE_SHOT, SELF_PLAY = find_scenarios(["rws_one_shot_3", "rws_one_shot_selfplay"])
AGENTS = ["hypothetical_minds", "hm_joint", "react", "oracle", "random"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> hm_agent.Results:
    """One episode of each agent, with report and replay."""
    return hm_agent.play(
        ONE_SHOT.name, AGENTS, out=tmp_path_factory.mktemp("one_shot"), bots="scripted", progress=False
    )


@pytest.fixture(scope="module")
def steps() -> list[SeatStep]:
    """Every step of one episode."""
    return play_steps(ONE_SHOT, "hypothetical_minds", 1000, bots="scripted")


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_plays_to_the_end_of_the_one_interaction(agent: str, results: hm_agent.Results) -> None:
    (result,) = (one for one in results if one.seats[0].agent == agent)
    assert (result.status, result.metrics["interactions"]) == ("completed", 1)
    assert result.steps < game_named("rws_one_shot", MatrixFacts).length.least
    assert result.metric(ONE_SHOT.metric.name) == result.reward


def test_reports_tell_the_reward_of_the_episode_and_not_that_of_so_many_steps(results: hm_agent.Results) -> None:
    with (results.out / "report" / "episodes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(AGENTS)
    assert {row["unit"] for row in rows} == {"reward per episode"}
    assert [float(row["value"]) for row in rows] == [float(row["reward"]) for row in rows]
    assert "Reward per episode" in (results.out / "report" / "report.md").read_text("utf-8")


def test_the_replay_calls_the_episode_completed(results: hm_agent.Results) -> None:
    pages = list(Path(results.out).rglob("replay.html"))
    assert len(pages) == len(AGENTS)
    assert all("completed" in page.read_text("utf-8") for page in pages)


def test_the_interaction_is_understood_and_paid_before_the_episode_ends(steps: list[SeatStep]) -> None:
    *before, last = steps
    (event,) = (event for event in last.decision.events if isinstance(event, InteractionEvent))
    assert not any(isinstance(event, InteractionEvent) for step in before for event in step.decision.events)
    assert event.reward == last.total != 0
    (understood,) = last.decision.thoughts.interactions
    assert isinstance(understood, MatrixInteraction)
    payoff = game_named("rws_one_shot", MatrixFacts).payoff
    assert reward(understood.own, understood.other, payoff) == pytest.approx(event.reward, abs=1e-6)


def test_nothing_is_asked_once_nothing_is_left_to_decide(steps: list[SeatStep]) -> None:
    assert any(step.decision.exchanges for step in steps)
    assert not steps[-1].decision.exchanges


def test_an_episode_that_is_cut_still_ends_with_its_interaction() -> None:
    length = Length(1000, 1, 1.0, one_interaction=True)
    assert length.cut(300) == Length(300, 1, 1.0, one_interaction=True)
    assert length.cut(None) == length.cut(2000) == length


def test_self_play_ends_with_the_first_interaction_for_both() -> None:
    ends = play_steps(SELF_PLAY, "hypothetical_minds", 1000)
    assert len(ends) < 1000
    assert any(isinstance(event, InteractionEvent) for event in ends[-1].decision.events)
