"""The study of orders: rewards by the order of the other players' rules, and of agents against each other.

Scenarios are grouped by family and order (`ScenarioInfo`). Episodes of one number are a round: in each, a condition
has one mean over the scenarios of a family and order. Intervals over rounds hold for these opponents and other seeds,
those over scenarios for other opponents of the same kind and other seeds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import mean
from typing import NamedTuple

from hm_agent.catalogue.registry import scenario_named
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.config import ConfigError
from hm_agent.grouping import grouped
from hm_agent.metrics import Metric
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import Condition, conditions_of, in_order, is_reference, labels, scenario_of
from hm_agent.reporting.runs import Runs
from hm_agent.reporting.seats import matchups, player_labels
from hm_agent.reporting.statistics import ClusteredMean, Estimate, Interval, clustered_mean, holm, t_interval
from hm_agent.reporting.tables import Row, tabulate, without_spare_shortcuts

Round = tuple[object, int]
"""The base seed and the number of an episode."""
Values = Mapping[str, Mapping[Round, float]]
"""The metric of one condition's episodes, by scenario and round."""


class Opponents(NamedTuple):
    """The other players of some scenarios."""

    family: str
    order: int


@dataclass(frozen=True)
class OrderMean:
    """One condition's mean against opponents of one order. scenarios: their number. estimate: over rounds."""

    opponents: Opponents
    condition: Condition
    scenarios: int
    estimate: Estimate

    @property
    def interval(self) -> Interval | None:
        """Student's t interval over rounds; None for fewer than five episodes in all."""
        return t_interval(self.estimate.values, self.scenarios * self.estimate.n, self.estimate.bounds)


@dataclass(frozen=True)
class OrderDifference:
    """The metric of the second condition minus that of the first, against opponents of one order.

    over_rounds: the interval over rounds, for these opponents; over_scenarios: the mean difference with its interval
    over scenarios, for other opponents of their kind and other seeds. Fewer than five pairs of episodes have no
    interval. corrected: the p of over_scenarios after Holm's correction for all differences of the study.
    """

    opponents: Opponents
    first: Condition
    second: Condition
    over_rounds: Interval | None
    over_scenarios: ClusteredMean
    corrected: float | None = None


class OrderStudy:
    """The study of some runs; ConfigError if no opponent has a known order.

    rows: by scenario; of the shortcuts that others are measured by, the floors alone. matchups: self-play, in the
    metric's unit.
    """

    def __init__(self, runs: Runs) -> None:
        results = [result for result in runs.results if _is_measured(result)]
        if not results:
            raise ConfigError(
                "no episode has opponents of a known order: play some first, e.g. --scenario='rws_order_*'"
            )
        self.rows = without_spare_shortcuts(tabulate(results))
        self.labels = labels(in_order(row.condition for row in self.rows))
        values = _values(results, self.labels)
        shared = (result for result in runs.results if len(result.seats) > 1 and result.is_finished)
        self.means, self.differences = list(_means(values)), _corrected(list(_differences(values)))
        self.matchups = matchups(shared)
        self.players = player_labels(self.matchups)

    @property
    def families(self) -> list[str]:
        return list(dict.fromkeys(mean.opponents.family for mean in self.means))

    @property
    def conditions(self) -> list[Condition]:
        return list(self.labels)

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(condition.model for condition in self.labels))

    def unit(self, family: str) -> str:
        return self._metric(family).unit

    def digits(self, family: str) -> int:
        """How many decimals a family's means are shown with."""
        return self._metric(family).digits

    def _metric(self, family: str) -> Metric:
        return next(row.scenario.metric for row in self.rows if row.scenario.family == family)

    def orders(self, family: str) -> list[int]:
        """The orders of a family's opponents."""
        return sorted({mean.opponents.order for mean in self.means if mean.opponents.family == family})

    def means_of(self, family: str, condition: Condition) -> dict[int, OrderMean]:
        """A condition's means against a family of opponents, by the opponents' order."""
        means = (mean for mean in self.means if (mean.opponents.family, mean.condition) == (family, condition))
        return {mean.opponents.order: mean for mean in means}

    def by_scenario(self) -> list[tuple[ScenarioInfo, dict[Condition, Row]]]:
        """The rows of each scenario by condition, sorted by family, then by order."""
        rows = grouped((row.scenario, (row.condition, row)) for row in self.rows)
        by_scenario = [(scenario, dict(of_scenario)) for scenario, of_scenario in rows.items()]
        return sorted(by_scenario, key=lambda item: (item[0].family, item[0].order or 0))


def _is_measured(result: Result) -> bool:
    """True if the episode is finished, has the scenario's metric, and was played against opponents of a known order."""
    scenario = scenario_of(result)
    return scenario.order is not None and result.is_finished and result.metric(scenario.metric.name) is not None


def _values(results: Sequence[Result], shown: Container[Condition]) -> dict[Opponents, dict[Condition, Values]]:
    """The metric of all episodes, by opponents and those conditions that are shown, in the order of reports."""
    conditions = conditions_of(results)
    by_opponents: dict[Opponents, dict[Condition, dict[str, dict[Round, float]]]] = {}
    for result, condition in sorted(zip(results, conditions, strict=True), key=lambda pair: pair[0].episode):
        scenario = scenario_of(result)
        value = result.metric(scenario.metric.name)
        assert scenario.order is not None
        assert value is not None
        of_opponents = by_opponents.setdefault(Opponents(scenario.family, scenario.order), {})
        of_condition = of_opponents.setdefault(condition, {})
        of_condition.setdefault(result.scenario, {})[result.settings.get("seed"), result.episode] = value
    ordered = [condition for condition in in_order(conditions) if condition in shown]
    return {
        opponents: {condition: by_condition[condition] for condition in ordered if condition in by_condition}
        for opponents, by_condition in sorted(by_opponents.items())
    }


def _by_round(values: Values) -> list[float]:
    """The mean over scenarios in each round that all scenarios have."""
    rounds = set.intersection(*(set(of_scenario) for of_scenario in values.values()))
    return [mean(of_scenario[number] for of_scenario in values.values()) for number in sorted(rounds, key=repr)]


def _means(values: Mapping[Opponents, Mapping[Condition, Values]]) -> Iterable[OrderMean]:
    for opponents, by_condition in values.items():
        for condition, of_condition in by_condition.items():
            if by_round := _by_round(of_condition):
                bounds = _metric_of(of_condition, condition).bounds
                yield OrderMean(opponents, condition, len(of_condition), Estimate(tuple(by_round), bounds))


def _differences(values: Mapping[Opponents, Mapping[Condition, Values]]) -> Iterable[OrderDifference]:
    """The difference of each two conditions that differ in the agent alone, references left out."""
    for opponents, by_condition in values.items():
        for first, second in combinations(by_condition, 2):
            old, new = by_condition[first], by_condition[second]
            scenario = scenario_named(next(iter(old)))
            is_compared = not (is_reference(first, scenario) or is_reference(second, scenario))
            paired = {
                name: {key: new[name][key] - old[name][key] for key in old[name].keys() & new[name].keys()}
                for name in old.keys() & new.keys()
            }
            bounds = _metric_of(old, first).difference_bounds
            by_scenario = {name: list(pairs.values()) for name, pairs in sorted(paired.items())}
            over_scenarios = clustered_mean(by_scenario, bounds)
            if is_compared and over_scenarios is not None and replace(first, agent="") == replace(second, agent=""):
                by_round = _by_round(paired)
                over_rounds = t_interval(by_round, len(by_round) * len(paired), bounds) if by_round else None
                yield OrderDifference(opponents, first, second, over_rounds, over_scenarios)


def _metric_of(values: Values, condition: Condition) -> Metric:
    """The metric of a condition's values, which is that of any of their scenarios."""
    return scenario_named(next(iter(values))).measured_by(condition.measure).metric


def _corrected(differences: Sequence[OrderDifference]) -> list[OrderDifference]:
    """The differences, each with its p corrected for their number."""
    chances = [one.over_scenarios.p for one in differences]
    corrected = iter(holm([p for p in chances if p is not None]))
    return [
        replace(one, corrected=None if p is None else next(corrected))
        for one, p in zip(differences, chances, strict=True)
    ]
