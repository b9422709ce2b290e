"""The content of the report on one or several runs, calculated from their files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path

from hm_agent.grouping import grouped
from hm_agent.recording.making import made_in_words
from hm_agent.recording.result import Result
from hm_agent.reporting.best import GROUP_RULE, RULE, unbeaten, unbeaten_in_groups
from hm_agent.reporting.breakdowns import breakdown_pictures, kind_means
from hm_agent.reporting.calibration import PredictionScores, calibration_picture, predictions
from hm_agent.reporting.ceilings import ceiling_gaps, exceeded_notes
from hm_agent.reporting.comparing import Comparison, compare, episode_values
from hm_agent.reporting.conditions import Condition, Labels, conditions_of, count_agents, in_order, labels
from hm_agent.reporting.contrasts import Contrast, contrasts, setting_contrasts
from hm_agent.reporting.curves import EARLY, SHARE_RULE, adaptation_curves, adaptation_rows, validation_curves
from hm_agent.reporting.figures import ablation_picture, compared_rows, effort_picture, means_picture
from hm_agent.reporting.group_means import GroupMean, by_unit_of_means, group_means
from hm_agent.reporting.halves import SCORE, SplitMean, split_means
from hm_agent.reporting.interaction_figures import adaptation_picture, validation_picture
from hm_agent.reporting.interactions import Curve, StreamGroup, stream_groups
from hm_agent.reporting.notes import alike_notes, file_notes, notes, unscored
from hm_agent.reporting.pages import Link, address
from hm_agent.reporting.payoff_map import payoff_picture
from hm_agent.reporting.pictures import Picture, keys
from hm_agent.reporting.runs import RecordedEpisode, Runs, scenario_order, worlds_of
from hm_agent.reporting.scores import (
    INTERVAL_ABOUT,
    NormalisedScore,
    groups,
    lacking_note,
    narrow_note,
    narrow_scales,
    scores,
)
from hm_agent.reporting.seats import matchups, player_labels
from hm_agent.reporting.tables import Row, by_group, by_unit, tabulate, without_spare_shortcuts
from hm_agent.reporting.tournament import TOURNAMENT_ABOUT, all_tables, tournaments
from hm_agent.reporting.what_was_run import seeds_played, what_was_run
from hm_agent.reporting.world_table import WORLDS_ABOUT, world_table
from hm_agent.wording import listed


class Report:
    """The content of a report on some runs, calculated and drawn. into: its folder, to which links are relative.

    conditions: by an episode's folder. scores: without the scenarios on a narrow scale, which narrow_note names; it is
    empty if there are none, as is lacking_note if all scores are over the same scenarios. worlds: None for a single
    world. split_means: empty unless there are scenarios of both halves.
    """

    best_rule, best_group_rule = RULE, GROUP_RULE
    """What a bold mean of a scenario says, and a bold mean or score of a group."""
    worlds_about, tournament_about, share_rule = WORLDS_ABOUT, TOURNAMENT_ABOUT, SHARE_RULE
    interval_about = INTERVAL_ABOUT
    early_interactions = EARLY

    def __init__(self, runs: Runs, into: Path) -> None:
        results = runs.results
        self.runs, self.into = runs, into
        folders = [episode.folder for episode in runs.episodes]
        self.conditions = dict(zip(folders, conditions_of(results), strict=True))
        self.rows = tabulate(results)
        self.labels = labels(in_order(row.condition for row in self.rows))
        self.scores = scores(self.rows)
        self.lacking_note = lacking_note(self.scores)
        self.narrow_note = narrow_note(narrow_scales(self.rows))
        self.worlds = world_table(self.rows, self.labels)
        self.split_means = split_means(self.rows)
        self.comparisons = compare(results, self.rows)
        self.group_means = group_means(without_spare_shortcuts(self.rows))
        self._best = unbeaten(self.rows, episode_values(results))
        self._best_means = unbeaten_in_groups(self.comparisons, lambda one: one.difference)
        self._best_scores = unbeaten_in_groups(self.comparisons, lambda one: one.normalised)
        self.matchups = [matchup for matchup in matchups(results) if matchup.is_mixed]
        self.players = player_labels(self.matchups)
        self.tournaments = tournaments(results)
        streams = stream_groups(runs.episodes)
        curves = adaptation_curves(streams)
        self.adaptation = adaptation_rows(curves, self.rows)
        self.predictions = predictions(results)
        self.pictures = _pictures(results, self.rows, self.labels, curves, streams, self.predictions)
        if payoffs := payoff_picture(self.tournaments, self.players):
            self.pictures.append(payoffs)
        self.facts, self.seeds = what_was_run(runs), seeds_played(runs)
        self.made = made_in_words(results)
        gaps = ceiling_gaps(results, self.rows)
        self._exceeded = {(gap.scenario, gap.condition) for gap in gaps if gap.is_exceeded}
        self.notes = [
            *notes(self.rows),
            *alike_notes(self.rows),
            *exceeded_notes(gaps, self.labels),
            *unscored(self.rows),
            *file_notes(runs),
        ]

    @property
    def title(self) -> str:
        return f"{worlds_of(self.runs)}: comparison"

    @property
    def agents(self) -> int:
        return count_agents((condition.agent, label) for condition, label in self.labels.items())

    @cached_property
    def ordered(self) -> list[Condition]:
        return in_order(self.labels)

    @property
    def compared(self) -> list[Condition]:
        """The conditions that are compared in any scenario."""
        return in_order(row.condition for row in self.rows if not row.is_reference)

    @property
    def scored(self) -> list[Condition]:
        return in_order(score.condition for score in self.scores)

    @property
    def groups(self) -> list[str]:
        """The titles of the groups in order, after `OVERALL` if there are several."""
        return groups(self.rows)

    @property
    def scale(self) -> str:
        """The two ends of the normalised score, in words."""
        metrics = [row.scenario.metric for row in self.rows if row.normalised_score is not None]
        floors = dict.fromkeys(f"`{metric.floor}`" if metric.floor else "the best shortcut" for metric in metrics)
        ceilings = dict.fromkeys(f"`{metric.ceiling}`" for metric in metrics)
        return f"from {listed(list(floors), 'or')} (0) to {listed(list(ceilings), 'or')} (1)"

    @property
    def tournament_tables(self) -> list[tuple[str, list[dict[str, str]]]]:
        """The tables of tournaments, each with its caption; empty if there are none."""
        return all_tables(self.tournaments, self.players)

    @property
    def rows_by_unit(self) -> dict[str, list[Row]]:
        return by_unit(self.rows)

    @cached_property
    def contrasts(self) -> list[Contrast]:
        """Each agent compared with the first one with its settings, and that one with the first of all."""
        return contrasts(self.comparisons)

    @cached_property
    def setting_contrasts(self) -> list[Contrast]:
        """Each agent compared with itself in other settings."""
        return setting_contrasts(self.comparisons)

    @property
    def split_groups(self) -> list[tuple[str, list[SplitMean]]]:
        return [(group, list(splits)) for group, splits in groupby(self.split_means, key=lambda split: split.group)]

    @property
    def compared_groups(self) -> list[tuple[str, str]]:
        """The groups in which any difference is known, and the unit of their differences."""
        units = {comparison.group: comparison.unit or SCORE for comparison in self.comparisons if comparison.known}
        return [(group, units[group]) for group in self.groups if group in units]

    @property
    def compared_halves(self) -> list[tuple[str, str]]:
        """Those of the compared groups of which the difference in a half is known."""
        halved = {comparison.group for comparison in self.comparisons if comparison.chosen or comparison.held_out}
        return [(group, unit) for group, unit in self.compared_groups if group in halved]

    @property
    def episodes(self) -> list[tuple[str, list[RecordedEpisode]]]:
        """All episodes by the short name of the scenario."""
        place = {condition: number for number, condition in enumerate(self.ordered)}
        by_agent = sorted(self.runs.episodes, key=lambda episode: place[self.conditions[episode.folder]])
        ordered = sorted(by_agent, key=lambda episode: scenario_order(episode.result.scenario))
        by_scenario = groupby(ordered, key=lambda episode: episode.scenario)
        return [(scenario.short_name, list(episodes)) for scenario, episodes in by_scenario]

    def columns(self, rows: Sequence[Row]) -> list[Condition]:
        """The conditions of a wide table; of the shortcuts that others are measured by, the floors alone."""
        return in_order(row.condition for row in without_spare_shortcuts(rows))

    def by_scenario(self, rows: Sequence[Row]) -> list[tuple[str, list[list[Row]]]]:
        """The rows of each scenario, by group."""
        return [
            (group, [list(of_scenario) for _, of_scenario in groupby(of_group, key=lambda row: row.scenario)])
            for group, of_group in by_group(rows).items()
        ]

    def by_difference_unit(self, comparisons: Iterable[Comparison]) -> dict[str | None, list[Comparison]]:
        """The comparisons by unit: those of different units belong in different tables."""
        return grouped((comparison.unit, comparison) for comparison in comparisons)

    def is_best(self, row: Row) -> bool:
        """True if no other agent is better in this scenario by an interval; references are left out."""
        return (row.scenario, row.condition) in self._best

    def is_best_mean(self, mean: GroupMean) -> bool:
        """True if no other agent is better in this group by an interval; references are left out."""
        return (mean.condition, mean.group) in self._best_means

    def is_best_score(self, score: NormalisedScore) -> bool:
        """True if no other agent has a better score in this group by an interval."""
        return (score.condition, score.group) in self._best_scores

    @property
    def group_means_by_unit(self) -> dict[str, list[GroupMean]]:
        """The means of the groups, where any has several scenarios, by the sentence on their unit."""
        return by_unit_of_means(self.group_means)

    def score(self, condition: Condition, group: str) -> NormalisedScore | None:
        return next((score for score in self.scores if (score.condition, score.group) == (condition, group)), None)

    def exceeds_ceiling(self, row: Row) -> bool:
        """True if the row's agent did better than the ceiling, by an interval that excludes 0."""
        return (row.scenario, row.condition) in self._exceeded

    def label(self, episode: RecordedEpisode) -> str:
        return self.labels[self.conditions[episode.folder]]

    def links(self, episode: RecordedEpisode) -> list[Link]:
        """The files of an episode that exist."""
        return [Link(path.name, address(path, self.into)) for path in episode.files]


def _pictures(
    results: Sequence[Result],
    rows: Sequence[Row],
    names: Labels,
    curves: Sequence[Curve],
    streams: Sequence[StreamGroup],
    predicted: Sequence[PredictionScores],
) -> list[Picture]:
    """The figures for which there are data."""
    compared = {row.condition for row in compared_rows(rows)}
    drawn = [condition for condition in names if condition in compared or not condition.is_world_reference]
    drawn_as = keys(drawn or list(names))
    pictures = (
        means_picture(rows, names, drawn_as),
        adaptation_picture(curves, names, drawn_as),
        validation_picture(validation_curves(streams), names, drawn_as),
        ablation_picture(rows, names, drawn_as),
        effort_picture(rows, names, drawn_as),
        calibration_picture(predicted, names, drawn_as),
    )
    by_kind = breakdown_pictures(kind_means(results), names, drawn_as)
    return [*(picture for picture in pictures if picture is not None), *by_kind]
