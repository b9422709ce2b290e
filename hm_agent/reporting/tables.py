"""What agents earn by scenario and by game, from results alone: the rows of the summary and of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean

from hm_agent.questions import Usage
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import CEILING, FLOOR, Condition, in_order
from hm_agent.reporting.runs import Stage, by_stage, stage_of
from hm_agent.reporting.statistics import Estimate, Interval, estimate, score, t_interval

OVERALL = "all games"


@dataclass(frozen=True)
class Row:
    """All episodes of one contestant on one scenario. Reward and interactions are means over the finished ones.

    unfinished: how many ended before their time, by status; they are in no mean. usage: of all episodes together;
    usage_of_finished: of those that count.
    floor, ceiling: what `random` and `oracle` earned on the scenario under the same conditions.
    """

    stage: Stage
    contestant: Condition
    episodes: int
    unfinished: Mapping[str, int] = field(hash=False)
    reward: Estimate | None
    interactions: float | None
    usage: Usage
    usage_of_finished: Usage
    floor: float | None = None
    ceiling: float | None = None

    @property
    def finished(self) -> int:
        return self.episodes - sum(self.unfinished.values())

    @property
    def played(self) -> str:
        """How many episodes count, and of how many."""
        return str(self.episodes) if not self.unfinished else f"{self.finished} of {self.episodes}"

    @property
    def normalised_reward(self) -> float | None:
        return self.reward.mean if self.reward else None

    @property
    def paper(self) -> tuple[float, float] | None:
        """What the paper's table 1 has for this agent: (mean, standard error)."""
        return self.stage.paper.get(self.contestant.agent)

    @property
    def score(self) -> float | None:
        return None if self.reward is None else score(self.reward.mean, self.floor, self.ceiling)


@dataclass(frozen=True)
class Score:
    """A contestant's mean score over the scenarios of a game, or of all. interval: Student's t over the scenarios."""

    contestant: Condition
    game: str
    mean: float
    interval: Interval | None
    scenarios: int


def tabulate(results: Iterable[Result]) -> list[Row]:
    """One row for each scenario and contestant, in this order."""
    rows: list[Row] = []
    for group in by_stage(results).values():
        contestants = in_order(map(Condition.of, group))
        references = {one: _mean(_of(group, one)) for one in contestants if one.is_reference}
        rows += [_row(_of(group, one), one, references) for one in contestants]
    return rows


def _of(group: Sequence[Result], contestant: Condition) -> list[Result]:
    return [result for result in group if Condition.of(result) == contestant]


def rewards(results: Iterable[Result]) -> list[float]:
    """The normalised rewards of the finished ones."""
    return [r.normalised_reward for r in results if r.is_finished and r.normalised_reward is not None]


def _mean(results: Sequence[Result]) -> float | None:
    values = rewards(results)
    return mean(values) if values else None


def _row(group: Sequence[Result], contestant: Condition, references: Mapping[Condition, float | None]) -> Row:
    finished = [result for result in group if result.is_finished]
    return Row(
        stage=stage_of(group[0].scenario),
        contestant=contestant,
        episodes=len(group),
        unfinished=Counter(result.ending for result in group if not result.is_finished),
        reward=estimate(rewards(group)),
        interactions=mean(result.interactions for result in finished) if finished else None,
        usage=sum((result.usage for result in group), Usage()),
        usage_of_finished=sum((result.usage for result in finished), Usage()),
        floor=_reference(FLOOR, contestant, references),
        ceiling=_reference(CEILING, contestant, references),
    )


def _reference(agent: str, contestant: Condition, references: Mapping[Condition, float | None]) -> float | None:
    """What a reference earned under the same conditions; of several, the one with the same model and settings."""
    fitting = [
        (one.model != contestant.model, one.settings != contestant.settings, place, earned)
        for place, (one, earned) in enumerate(references.items())
        if one.agent == agent and one.conditions == contestant.conditions and earned is not None
    ]
    return min(fitting)[-1] if fitting else None


def scores(rows: Sequence[Row]) -> list[Score]:
    """The mean scores of every contestant that competes, by game and over all games where there are several."""
    found = []
    for game in games(rows):
        of_game = [row for row in rows if game in (row.stage.game, OVERALL)]
        for contestant in in_order(row.contestant for row in of_game):
            values = [r.score for r in of_game if r.contestant == contestant and r.score is not None]
            if values and not contestant.is_reference:
                found.append(Score(contestant, game, mean(values), t_interval(values), len(values)))
    return found


def games(rows: Iterable[Row]) -> list[str]:
    """The games by title, in order, after all of them together where there are several."""
    found = list(dict.fromkeys(row.stage.game for row in rows))
    return [OVERALL, *found] if len(found) > 1 else found
