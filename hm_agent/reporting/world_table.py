"""One table over worlds: the mean normalised score of each agent by world, and why a cell is a dash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hm_agent.catalogue.casting import obstacle
from hm_agent.catalogue.registry import agent_names, suites
from hm_agent.grouping import grouped
from hm_agent.reporting.conditions import Condition, Labels, in_order
from hm_agent.reporting.runs import world_title
from hm_agent.reporting.scores import INTERVAL_ABOUT, SCORE_DIGITS, NormalisedScore, lacking_note, mean_scores
from hm_agent.reporting.tables import Row
from hm_agent.wording import NOTHING, listed, with_interval

WORLDS_ABOUT = (
    "Normalised scores by world, from the floor (0) to the ceiling (1) of each scenario: means over scenarios and, in "
    f"brackets, their 95% intervals ({INTERVAL_ABOUT})."
)


@dataclass(frozen=True)
class WorldTable:
    """Agents by worlds. worlds: their titles. said: sentences on the agents that lack scores in a world, or some."""

    worlds: tuple[str, ...]
    conditions: tuple[Condition, ...]
    scores: Mapping[tuple[Condition, str], NormalisedScore] = field(hash=False)
    said: tuple[str, ...] = ()

    def cell(self, condition: Condition, world: str) -> str:
        """`0.61 (0.40 to 0.82)`, with `, 3 of 4 scenarios` where others have more; or a dash."""
        score = self.scores.get((condition, world))
        if score is None:
            return NOTHING
        return ", ".join(filter(None, (with_interval(score.mean, score.interval, SCORE_DIGITS), score.lacking)))

    def lines(self, labels: Labels) -> list[dict[str, str]]:
        """A line for each agent, its cells by heading."""
        return [
            {"agent": labels[condition], **{world: self.cell(condition, world) for world in self.worlds}}
            for condition in self.conditions
        ]


def world_table(rows: Sequence[Row], labels: Labels) -> WorldTable | None:
    """The table of all agents but the references; None for a single world, or without any score.

    Left out are scenarios on a narrow scale, unproved ones, and those that are not known here. labels: of all
    conditions.
    """
    by_world = grouped((world_title(row.scenario.world), row) for row in rows if row.scenario.world)
    scores = {
        (score.condition, world): score
        for world, of_world in by_world.items()
        for score in mean_scores([row for row in of_world if not row.scenario.is_unproved], world)
    }
    if len(by_world) < 2 or not scores:
        return None
    known = [row for of_world in by_world.values() for row in of_world]
    conditions = tuple(in_order(row.condition for row in known if not row.is_reference))
    reasons = grouped(
        ((world, _reason(condition, of_world)), labels[condition])
        for condition in conditions
        for world, of_world in by_world.items()
        if (condition, world) not in scores
    )
    dashes = [f"{listed(names)} in {world}: {why}." for (world, why), names in reasons.items()]
    said = tuple(filter(None, (*dashes, lacking_note(scores.values()))))
    return WorldTable(tuple(by_world), conditions, scores, said)


def _reason(condition: Condition, of_world: Sequence[Row]) -> str:
    """Why a condition has no score in a world, of which these are all rows."""
    own = [row for row in of_world if row.condition == condition]
    if not own:
        return next(_obstacles(condition, of_world), "not played")
    if not any(row.estimate for row in own):
        return "no episode finished"
    if any(row.is_narrow for row in own):
        return "the ceiling is too little better than the floor"
    return "no floor with a better ceiling was played"


def _obstacles(condition: Condition, rows: Sequence[Row]) -> Iterator[str]:
    """Yields why agents of a condition can't play the scenarios of rows."""
    known = [agent for agent in condition.agent.split("+") if agent in agent_names()]
    for scenario in dict.fromkeys(row.scenario for row in rows if row.scenario.world in suites()):
        yield from filter(None, (obstacle(agent, scenario, condition.model) for agent in known))
