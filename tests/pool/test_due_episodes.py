"""Which episodes of a run begin: what the budget can finish, and none after a Ctrl-C, which lets the others end."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.experiment.played_episode import cut_short
from hm_agent.models.budget import RunBudget
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.due_episodes import DueEpisodes
from hm_agent.pool.progress import NoProgress, Pulse
from hm_agent.pool.run import run
from hm_agent.recording.result import Result
from hm_agent.testing.endpoint import Endpoint
from tests.support import schema_player


@pytest.fixture
def grid(tmp_path: Path) -> Experiment:
    """Five episodes of one agent and then five of another."""
    return Experiment(find_scenarios(["exploretom_a4"]), ("reader", "reality"), episodes=5, out=tmp_path / "out")


def ended(episode: Episode, cost: float, cached: float = 0.0, status: str = "completed") -> Result:
    blank = cut_short(episode)
    assert blank
    return replace(blank, status=status, model_calls=2, cached_calls=int(cached > 0), cost=cost, cached_cost=cached)


def taken(due: DueEpisodes) -> list[Episode]:
    return list(iter(due.take, None))


def pay(due: DueEpisodes, budget: RunBudget, episode: Episode, cost: float, **how: Any) -> None:
    result = ended(episode, cost, **how)
    budget.cost += result.usage.paid or 0.0
    due.end(episode, result)


def test_without_a_limit_on_money_all_may_begin_at_once(grid: Experiment) -> None:
    assert len(taken(DueEpisodes(grid.plan(), RunBudget(max_calls=1), NoProgress()))) == 10


def test_the_first_of_each_lineup_is_alone_and_then_as_many_run_as_can_be_finished(grid: Experiment) -> None:
    budget = RunBudget(max_cost=0.049)
    due = DueEpisodes(grid.plan(), budget, NoProgress())
    (first,) = taken(due)
    pay(due, budget, first, 0.015)
    second, third = taken(due)
    pay(due, budget, second, 0.005)
    assert taken(due) == [], "0.02 were paid, 0.015 are expected for the third and as much for the fourth"
    pay(due, budget, third, 0.01)
    (fourth,) = taken(due)
    pay(due, budget, fourth, 0.01)
    (other,) = taken(due)
    assert (budget.declined, other.agent, other.number) == (1, "reality", 0)
    pay(due, budget, other, 0.0)
    assert len(taken(due)) == 4, "what costs nothing can always be finished"
    assert budget.declined_note.startswith("0.0090 USD left of --max_cost=0.049 would not finish 1 more episode")


def test_answers_of_the_cache_count_as_paid_but_never_end_a_run_that_pays_nothing(grid: Experiment) -> None:
    budget = RunBudget(max_cost=0.01)
    due = DueEpisodes(grid.plan(), budget, NoProgress())
    for _ in range(3):
        (free,) = taken(due)
        pay(due, budget, free, 0.02, cached=0.02)
    (paid,) = taken(due)
    pay(due, budget, paid, 0.02, cached=0.019)
    (other,) = taken(due)
    assert (other.agent, budget.declined) == ("reality", 1)


def test_an_episode_that_was_cut_says_nothing_of_what_one_costs(grid: Experiment) -> None:
    budget = RunBudget(max_cost=1.0)
    due = DueEpisodes(grid.plan(), budget, NoProgress())
    (first,) = taken(due)
    pay(due, budget, first, 0.0, status="failed: at once")
    assert len(taken(due)) == 1


def test_a_budget_for_two_episodes_buys_two_whole_ones(tmp_path: Path, grid: Experiment) -> None:
    prices, budget = tmp_path / "prices.toml", RunBudget(max_cost=0.007)
    prices.write_text("[loopback]\ninput = 1.0\noutput = 1.0\n")
    with Endpoint(schema_player.answer) as server:  # the first episode costs 0.0031 USD, the second 0.0033
        model = ModelSettings("loopback", base_url=server.base_url, prices=prices)
        asking = replace(grid, agents=("reader",), model=model, max_steps=6, record_replay=False)
        results = run(asking, NoProgress(), budget)
    assert asking.at_once > 2
    assert [result.status for result in results] == ["max_steps"] * 2
    assert budget.declined == 3


class Interrupting(NoProgress):
    """Presses Ctrl-C `times` while two of the episodes run; keeps what it is told."""

    def __init__(self, times: int) -> None:
        self._left, self.begun, self.told = times, 0, list[tuple[int, float]]()

    def begin(self, episode: Episode) -> None:
        self.begun += 1

    def pulse(self, episode: Episode, pulse: Pulse) -> None:
        if self.begun >= 2 and self._left:
            self._left -= 1
            signal.raise_signal(signal.SIGINT)

    def finishing(self, episodes: int, seconds: float) -> None:
        self.told.append((episodes, seconds))


@pytest.mark.parametrize(("workers", "times", "grace"), [(2, 1, 60.0), (1, 2, 60.0), (1, 1, 0.3)])
def test_ctrl_c_lets_episodes_end_within_a_time_and_a_second_one_does_not(
    grid: Experiment, workers: int, times: int, grace: float
) -> None:
    delay, is_let = 0.12 if grace > 1 else 0.4, (times, grace) == (1, 60.0)
    progress = Interrupting(times)
    with Endpoint(schema_player.answer, delay=delay) as server:
        model = ModelSettings("loopback", base_url=server.base_url)
        how: dict[str, Any] = {"workers": workers, "concurrency": 2 // workers, "max_steps": 6, "grace": grace}
        with pytest.raises(KeyboardInterrupt):
            run(replace(grid, agents=("reader",), model=model, record_replay=False, **how), progress)
    names = [path.name for path in grid.out.glob("*/*/*/*/*.json")]
    assert names == ["result.json" if is_let else "unfinished.json"] * 2
    assert times == 2 or [seconds for _, seconds in progress.told] == [grace]
