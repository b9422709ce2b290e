"""The lines of a report's CSV files, with raw numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from hm_agent.grouping import grouped
from hm_agent.metrics import UNBOUNDED
from hm_agent.recording.result import Result, SeatResult
from hm_agent.reporting.comparing import Comparison
from hm_agent.reporting.conditions import Condition, Labels, conditions_of, folders_named, scenario_of
from hm_agent.reporting.halves import SplitMean
from hm_agent.reporting.minds import MindRow
from hm_agent.reporting.orders import OrderDifference, OrderMean, OrderStudy
from hm_agent.reporting.report import Report
from hm_agent.reporting.runs import RecordedEpisode
from hm_agent.reporting.statistics import ClusteredMean, Estimate, Interval, estimate, without_noise
from hm_agent.reporting.tables import Row, metric_values
from hm_agent.storage.files import path_in_words

Record = dict[str, str | int | float | None]
"""A line of a CSV file by heading; None for an unknown value."""


def row_record(row: Row) -> Record:
    metric = row.scenario.metric
    return {
        "scenario": row.scenario.short_name,
        "group": row.scenario.group,
        "agent": row.condition.agent,
        "model": row.condition.model,
        "settings": _joined({**dict(row.settings), **dict(row.condition.settings)}),
        "episodes": row.episodes,
        "finished": row.finished,
        "unfinished": _joined(row.unfinished),
        "metric": metric.name,
        "unit": metric.unit,
        **_mean_record(row.estimate),
        **_ends("", row.estimate.interval if row.estimate else None),
        "published": row.published.mean if row.published else None,
        "published_sem": row.published.error if row.published else None,
        "floor": row.floor,
        "ceiling": row.ceiling,
        "ceiling_told_share": row.ceiling_reference.told_share if row.ceiling_reference else None,
        "normalised_score": row.normalised_score,
        "narrow_scale": row.is_narrow,
        "held_out": row.scenario.held_out,
        "interactions": row.interactions,
        **asdict(row.usage),
    }


def wide_records(rows: Sequence[Row], labels: Labels) -> list[Record]:
    """A record for each scenario in each unit: mean, standard error and number of episodes of each agent."""
    conditions = [condition for condition in labels if any(row.condition == condition for row in rows)]
    records = []
    for scenario, of_scenario in grouped((row.scenario, row) for row in rows).items():
        found = {row.condition: row.estimate for row in of_scenario}
        record: Record = {"scenario": scenario.short_name, "group": scenario.group, "unit": scenario.metric.unit}
        for condition in conditions:
            own, label = found.get(condition), labels[condition]
            mean, error = _mean_record(own).values()
            record |= {label: mean, f"{label}, sem": error, f"{label}, n": own.n if own else 0}
        records.append(record)
    return records


def _mean_record(found: Estimate | None) -> Record:
    return {"mean": found.mean, "sem": found.error} if found else {"mean": None, "sem": None}


def long_records(results: Sequence[Result]) -> list[Record]:
    """A record for each scenario, condition and metric of its finished episodes, the reward among them.

    compared: True for the metric that the scenario's agents are compared by.
    """
    groups = grouped(zip(zip(map(scenario_of, results), conditions_of(results), strict=True), results, strict=True))
    records: list[Record] = []
    for (scenario, condition), of_group in groups.items():
        finished = [result for result in of_group if result.is_finished]
        for name in dict.fromkeys(["reward", *(name for result in finished for name in result.metrics)]):
            is_own = name == scenario.metric.name
            bounds = scenario.metric.bounds if is_own else UNBOUNDED
            if found := estimate(metric_values(finished, name), bounds):
                records.append(
                    {
                        "scenario": scenario.short_name,
                        "group": scenario.group,
                        "agent": condition.agent,
                        "model": condition.model,
                        "settings": _joined(dict(condition.settings)),
                        "metric": name,
                        "compared": is_own,
                        "unit": scenario.metric.unit if is_own else None,
                        "n": found.n,
                        **_mean_record(found),
                        **_ends("", found.interval),
                    }
                )
    return records


def comparison_record(comparison: Comparison, labels: Labels) -> Record:
    return {
        "group": comparison.group,
        "unit": comparison.unit,
        "first": labels[comparison.first],
        "second": labels[comparison.second],
        **_difference_record("difference", comparison.difference),
        **_difference_record("normalised", comparison.normalised),
        **_difference_record("chosen", comparison.chosen),
        **_difference_record("held_out", comparison.held_out),
        "p": comparison.known.p if comparison.known else None,
        "equal": comparison.equal,
        "common": comparison.common,
    }


def world_records(report: Report) -> list[Record]:
    """A record for each agent and world of the table over worlds; the score is None where the table has a dash."""
    if report.worlds is None:
        return []
    scored = report.worlds.scores
    return [
        {
            "agent": report.labels[condition],
            "world": world,
            "normalised_score": score.mean if (score := scored.get((condition, world))) else None,
            **_ends("", score.interval if score else None),
            "scenarios": score.scenarios if score else 0,
        }
        for condition in report.worlds.conditions
        for world in report.worlds.worlds
    ]


def standing_records(report: Report) -> Iterator[Record]:
    """Yields a record for each agent of each tournament, the best by payoff first."""
    for tournament in report.tournaments:
        for one in tournament.standings:
            yield {
                "tournament": tournament.title,
                "unit": tournament.unit,
                "agent": report.players[one.player],
                "payoff": one.payoff.mean,
                **_ends("payoff_", one.payoff.interval),
                "seeds": one.payoff.n,
                "with_itself_less_with_others": one.with_itself.mean,
                **_ends("with_itself_", one.with_itself.interval),
                "skill": one.skill.mean,
                **_ends("skill_", one.skill.interval),
            }
        for player in tournament.failed:
            yield {"tournament": tournament.title, "unit": tournament.unit, "agent": report.players[player], "seeds": 0}


def payoff_records(report: Report) -> Iterator[Record]:
    """Yields a record for each cell of the payoffs of each tournament, with the lead of the agent over the other."""
    for tournament in report.tournaments:
        leads = {(duel.first, duel.second): duel.lead for duel in tournament.duels}
        for (player, other), payoff in tournament.payoffs.items():
            lead = leads.get((player, other))
            yield {
                "tournament": tournament.title,
                "unit": tournament.unit,
                "agent": report.players[player],
                "against": report.players[other],
                "payoff": payoff.mean,
                **_ends("", payoff.interval),
                "seeds": payoff.n,
                "lead": lead.mean if lead else None,
                **_ends("lead_", lead.interval if lead else None),
            }


def split_record(split: SplitMean, labels: Labels) -> Record:
    record: Record = {"group": split.group, "unit": split.unit, "agent": labels[split.condition]}
    for name, half in (("all", split.whole), ("chosen", split.chosen), ("held_out", split.held_out)):
        record |= {
            name: half.mean if half else None,
            f"{name}_sem": half.error if half else None,
            f"{name}_scenarios": half.n if half else 0,
        }
    return record


def _difference_record(name: str, difference: ClusteredMean | None) -> Record:
    return {
        name: difference.mean if difference else None,
        **_ends(f"{name}_", difference.interval if difference else None),
        f"{name}_over": difference.unit if difference else None,
        f"{name}_clusters": difference.clusters if difference else None,
        f"{name}_pairs": difference.pairs if difference else None,
    }


def _ends(prefix: str, interval: Interval | None) -> Record:
    low, high = interval or (None, None)
    return {f"{prefix}low": low, f"{prefix}high": high}


def episode_record(episode: RecordedEpisode) -> Record:
    """The row of an episode in episodes.csv. folder: as it was named when the report was written."""
    result, metric = episode.result, episode.scenario.metric
    value = result.metric(metric.name)
    return {
        "scenario": episode.scenario.short_name,
        "agent": result.agent,
        "model": result.model,
        **_play_record(result),
        "background": " ".join(result.background),
        "reason": result.reason,
        "reward": without_noise(result.reward),
        "unit": metric.unit,
        "value": None if value is None else without_noise(value),
        "interactions": result.metrics.get("interactions"),
        **asdict(result.usage),
        "wall_seconds": result.wall_seconds,
        "folder": path_in_words(episode.folder),
    }


def order_record(mean: OrderMean, labels: Labels) -> Record:
    return {
        "family": mean.opponents.family,
        "order": mean.opponents.order,
        "agent": labels[mean.condition],
        "scenarios": mean.scenarios,
        "rounds": mean.estimate.n,
        **_mean_record(mean.estimate),
        **_ends("", mean.interval),
    }


def order_difference_record(difference: OrderDifference, labels: Labels) -> Record:
    return {
        "family": difference.opponents.family,
        "order": difference.opponents.order,
        "first": labels[difference.first],
        "second": labels[difference.second],
        **_ends("rounds_", difference.over_rounds),
        **_difference_record("difference", difference.over_scenarios),
        "p": difference.over_scenarios.p,
        "p_holm": difference.corrected,
    }


def matchup_records(study: OrderStudy) -> Iterator[Record]:
    for matchup in study.matchups:
        for (player, other), reward in matchup.rewards.items():
            yield {
                "scenario": matchup.title,
                "unit": matchup.unit,
                "agent": study.players[player],
                "against": study.players[other],
                "episodes": reward.n,
                **_mean_record(reward),
            }


def seat_record(episode: RecordedEpisode, seat: SeatResult) -> Record:
    others = [f"{other.seat}={other.agent}" for other in episode.result.seats if other.seat != seat.seat]
    return {
        "scenario": episode.scenario.short_name,
        "seat": seat.seat,
        "agent": seat.agent,
        "model": seat.model,
        "others": " ".join(others),
        **_play_record(episode.result),
        "reward": seat.reward,
        "metrics": _joined(seat.metrics),
        **asdict(seat.usage),
        "folder": path_in_words(episode.folder),
    }


def _play_record(result: Result) -> Record:
    return {
        "settings": _joined(dict(folders_named([result], [Condition.of(result)])[0].settings)),
        "base_seed": result.settings.get("seed"),
        "episode": result.episode,
        "seed": result.seed,
        "status": result.status,
        "steps": result.steps,
    }


def _joined(values: Mapping[str, object]) -> str:
    """`name=value` for each value that is not None, joined by spaces."""
    return " ".join(f"{name}={value}" for name, value in values.items() if value is not None)


def mind_record(row: MindRow) -> Record:
    return {
        "world": row.suite.name,
        "agent": row.label,
        "model": row.condition.model,
        "scenarios": row.scenarios,
        "episodes": row.episodes,
        **_difference_record("literal", row.literal),
        "base_rate": row.base_rate,
        **_difference_record("functional", row.functional),
        **_difference_record("gap", row.gap),
    }
