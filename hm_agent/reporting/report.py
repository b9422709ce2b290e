"""The report of one or several runs, gathered from their files: all that it says, as data."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

from hm_agent.reporting.comparing import Comparison, alike, compare, outermost
from hm_agent.reporting.conditions import Condition, in_order, labels
from hm_agent.reporting.figures.picture import Picture
from hm_agent.reporting.links import Link, address
from hm_agent.reporting.notes import notes, of_files, unfinished, unscored
from hm_agent.reporting.provenance import Fact, Seeds, seeds_played, what_was_run
from hm_agent.reporting.runs import Played, Runs
from hm_agent.reporting.tables import Row, Score, games, scores, tabulate

FEW = 6
"""So many pairs of agents are shown at once."""

ASKED_ALIKE = (
    "The built-in reasoner answers a question by calculation from its fields alone, so agents that ask it the same "
    "questions play the same: how they differ takes a language model to see."
)


@dataclass(frozen=True)
class Report:
    """All that a report says, as data. into: the folder it is for, which its links start from.

    alike: in words, whom the episodes don't tell apart.
    """

    runs: Runs
    into: Path
    rows: tuple[Row, ...]
    scores: tuple[Score, ...]
    comparisons: tuple[Comparison, ...]
    labels: Mapping[Condition, str]
    alike: tuple[str, ...]
    pictures: tuple[Picture, ...]
    facts: tuple[Fact, ...]
    seeds: tuple[Seeds, ...]
    notes: tuple[str, ...]

    title: str = "Hypothetical Minds: comparison"

    @cached_property
    def contestants(self) -> list[Condition]:
        return in_order(self.labels)

    @property
    def competing(self) -> list[Condition]:
        return [one for one in self.contestants if not one.is_reference]

    @property
    def games(self) -> list[str]:
        """The games by title, after all of them together where there are several."""
        return games(self.rows)

    @property
    def leading(self) -> list[Comparison]:
        """The comparisons to see first: each pair over all its games or, of many pairs, those with the first agent."""
        pairs = outermost(self.comparisons)
        return pairs if len(pairs) <= FEW else [pair for pair in pairs if pair.first == self.competing[0]]

    @property
    def by_scenario(self) -> list[tuple[str, list[list[Row]]]]:
        """The rows of each scenario, by game."""
        scenarios = [list(group) for _, group in groupby(self.rows, key=lambda row: row.stage)]
        return [(game, list(group)) for game, group in groupby(scenarios, key=lambda rows: rows[0].stage.game)]

    @property
    def episodes(self) -> list[tuple[str, list[Played]]]:
        """All episodes, by scenario."""
        played = sorted(self.runs.episodes, key=lambda one: self.contestants.index(Condition.of(one.result)))
        ordered = sorted(played, key=lambda one: one.stage.place)
        return [(stage.short_name, list(group)) for stage, group in groupby(ordered, key=lambda one: one.stage)]

    def best(self, rows: Sequence[Row]) -> list[Row]:
        """Those who earn most among several that compete."""
        competing = [row for row in rows if row.reward and not row.contestant.is_reference]
        most = max((row.reward.mean for row in competing if row.reward), default=0.0)
        return [row for row in competing if row.reward and row.reward.mean == most] if len(competing) > 1 else []

    def score(self, contestant: Condition, game: str) -> Score | None:
        return next((s for s in self.scores if (s.contestant, s.game) == (contestant, game)), None)

    def label(self, played: Played) -> str:
        return self.labels[Condition.of(played.result)]

    def links(self, played: Played) -> list[Link]:
        """The files of an episode that are there."""
        return [Link(path.name, address(path, self.into)) for path in played.files]


def gather(runs: Runs, into: Path) -> Report:
    """All that is to be said of some episodes."""
    rows = tabulate(runs.results)
    names = labels(in_order(row.contestant for row in rows))
    comparisons = compare(runs.results, rows)
    return Report(
        runs=runs,
        into=into,
        rows=tuple(rows),
        scores=tuple(scores(rows)),
        comparisons=tuple(comparisons),
        labels=names,
        alike=tuple(_alike(comparisons, names)),
        pictures=tuple(_pictures(runs, rows, names)),
        facts=tuple(what_was_run(runs)),
        seeds=tuple(seeds_played(runs)),
        notes=(*notes(rows), *unfinished(rows), *unscored(rows), *of_files(runs)),
    )


def _alike(comparisons: Iterable[Comparison], names: Mapping[Condition, str]) -> list[str]:
    said = alike(list(comparisons), names)
    calculated = any(one.is_alike and "builtin" in {one.first.model, one.second.model} for one in comparisons)
    return [*said, ASKED_ALIKE] if calculated else said


def _pictures(runs: Runs, rows: list[Row], names: Mapping[Condition, str]) -> Iterable[Picture]:
    """Those that there is data for."""
    # Matplotlib takes long to import, and what it then says of its caches would look like something wrong with a run.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from hm_agent.reporting.figures.drawing import keys
    from hm_agent.reporting.figures.effort import effort_picture
    from hm_agent.reporting.figures.rewards import ablation_picture, reward_picture
    from hm_agent.reporting.figures.validated import validation_picture
    from hm_agent.reporting.validation import curves

    drawn_as = keys([one for one in names if not one.is_reference])
    made = (
        reward_picture(rows, names, drawn_as),
        validation_picture(curves(runs.episodes), names, drawn_as),
        ablation_picture(rows, names, drawn_as),
        effort_picture(rows, names, drawn_as),
    )
    return [picture for picture in made if picture is not None]
