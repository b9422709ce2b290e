"""Hands out the episodes of a run one by one: none that the budget would cut short, and none after a Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from hm_agent.experiment.planned_episode import Episode
from hm_agent.models.budget import RunBudget
from hm_agent.pool.progress import Progress
from hm_agent.recording.result import Result


class DueEpisodes:
    """The episodes of a run that have not begun yet.

    Under --max_cost an episode is expected to cost as much as the dearest that ended with the same agents and models in
    its group of scenarios or, before any has, in its world; answers from the cache count as if they were paid. It
    begins if that and what the running episodes are expected to cost fit the budget. One without an expectation is
    played alone, and so is any as long as nothing was paid: the cache may answer everything.
    """

    def __init__(self, episodes: Iterator[Episode], budget: RunBudget, progress: Progress, grace: float = 0.0) -> None:
        """grace: how many seconds running episodes have to end after `finish`."""
        self._episodes, self._budget, self._progress, self._grace = episodes, budget, progress, grace
        self._next: Episode | None = None
        self._expected_costs: dict[Hashable, float] = {}
        self._running: dict[Path, float | None] = {}
        self._paid = budget.cost  # by what has ended
        self._deadline: float | None = None
        self._has_told = False
        self.is_over = False

    def take(self) -> Episode | None:
        """Returns the next episode to begin; None if it has to wait for a running one, or none is left."""
        while not self.is_over and (episode := self._peek()) is not None:
            cost = self._expected_cost(episode)
            if self._is_too_dear(cost):
                self._budget.declined += 1
            elif self._running and not self._fits_beside_running(cost):
                return None
            else:
                self._running[episode.folder] = cost
                self._next = None
                return episode
            self._next = None
        return None

    def end(self, episode: Episode, result: Result | None) -> None:
        """Takes note of a taken episode's end. result: None if it is not known."""
        self._running.pop(episode.folder, None)
        if result is None:
            return
        self._paid += result.usage.paid or 0.0
        if result.is_finished and (cost := result.usage.cost) is not None:
            for kind in _kinds(episode):
                self._expected_costs[kind] = max(cost, self._expected_costs.get(kind, 0.0))
        self.is_over |= result.stops_the_run

    def finish(self) -> None:
        """Lets no further episode begin, and gives those that run `grace` seconds; a handler of signals may call it."""
        self._deadline = time.monotonic() + self._grace
        self.is_over = True

    def heed_interruption(self) -> None:
        """After `finish`, tells the user once; raises KeyboardInterrupt if no episode runs or the time is over."""
        if self._deadline is None:
            return
        if not self._running or time.monotonic() >= self._deadline:
            raise KeyboardInterrupt
        if not self._has_told:
            self._has_told = True
            self._progress.finishing(len(self._running), self._grace)

    def _peek(self) -> Episode | None:
        if self._next is None:
            self._next = next(self._episodes, None)
        return self._next

    def _expected_cost(self, episode: Episode) -> float | None:
        """None if no episode like it has ended."""
        costs = (self._expected_costs.get(kind) for kind in _kinds(episode))
        return next((cost for cost in costs if cost is not None), None)

    def _is_too_dear(self, cost: float | None) -> bool:
        limit, spent = self._budget.max_cost, self._budget.cost
        return limit is not None and cost is not None and spent > 0 and spent + cost > limit

    def _fits_beside_running(self, cost: float | None) -> bool:
        limit, costs = self._budget.max_cost, [*self._running.values(), cost]
        known = [each for each in costs if each is not None]
        return limit is None or (len(known) == len(costs) and self._paid + sum(known) <= limit)


def _kinds(episode: Episode) -> Sequence[Hashable]:
    """What episodes of about the same cost have in common, the closest first."""
    lineup, scenario = episode.lineup, episode.scenario
    return (scenario.world, scenario.group, lineup), (scenario.world, lineup)
