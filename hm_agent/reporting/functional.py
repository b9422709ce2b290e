"""The functional score: how well the acts of an episode use what can be understood of others.

It is one in cards, in the study of minds and in other tools. Where a world declares a share of right acts
(`Suite.functional`) and the scenario states no order that it needs, it is that share. Else it is the scenario's metric
from the mean of the floor agent, 0, to that of the ceiling agent, 1, below 0 for what is worse than the floor. Reports
take both means from episodes that they read; for a single episode they are looked up in `FILE`. Where agents take
several seats, the score is that of all of them together.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from pydantic import FiniteFloat, TypeAdapter, ValidationError

from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError, data_folder, first_problem
from hm_agent.metrics import Metric, ShareMetric
from hm_agent.reporting.conditions import Condition, Settings
from hm_agent.reporting.statistics import normalised_score

FILE = "reference_points.csv"
"""In scenarios/: the reference points of many scenarios (`python -m benchmarks.reference_points`)."""


@dataclass(frozen=True)
class ReferencePoints:
    """The means of a scenario's metric that are 0 and 1 of the score; None if unknown. is_narrow: as in `Row`."""

    floor: float | None = None
    ceiling: float | None = None
    is_narrow: bool = False


@dataclass(frozen=True)
class FunctionalScore:
    """value: None if there is none; why: the reason then, in a line."""

    value: float | None
    why: str = ""


@dataclass(frozen=True)
class ShippedPoints:
    """A row of the file. settings: those that change the world, by flag, in words. episodes: of each of the agents.

    floor: the mean of the floor agent or, if that is more, what guessing earns.
    """

    scenario: str
    settings: str
    floor_agent: str
    floor: FiniteFloat
    ceiling_agent: str
    ceiling: FiniteFloat
    is_narrow: bool
    episodes: int


def share_of_acts(scenario: ScenarioInfo) -> ShareMetric | None:
    """The share of right acts that is a scenario's score; None if the score is its metric from floor to ceiling.

    None, too, for a scenario that is not known here, e.g. one of the user's own whose folder was not named.
    """
    suite = suites().get(scenario.world)
    return suite.functional if suite and scenario.needs_order is None else None


def functional_score(
    scenario: ScenarioInfo, metric: Callable[[str], float | None], points: ReferencePoints
) -> FunctionalScore:
    """The score of an episode. metric: gives the value of one of its metrics, None if it has none of that name."""
    share = share_of_acts(scenario)
    if share is not None:
        score, why = metric(share.name), f"nothing in it counts for {share.about}"
    else:
        value = metric(scenario.metric.name)
        score, why = _normalised(scenario.metric, value, points), _lacking(scenario.metric, value, points)
    return FunctionalScore(score, "" if score is not None else f"{scenario.short_name}: {why}")


def _normalised(metric: Metric, value: float | None, points: ReferencePoints) -> float | None:
    if value is None or points.is_narrow:
        return None
    return normalised_score(value, points.floor, points.ceiling, higher_is_better=metric.higher_is_better)


def _lacking(metric: Metric, value: float | None, points: ReferencePoints) -> str:
    """Why an episode has no normalised score."""
    if metric.ceiling is None:
        return "no agent marks the best that can be reached"
    if value is None:
        return f"the episode has no {metric.name}"
    if None in (points.floor, points.ceiling):
        return "floor and ceiling were not measured with these settings"
    return f"the ceiling, {points.ceiling:g}, is hardly better than the floor, {points.floor:g}"


def shipped_score(
    scenario: ScenarioInfo, metric: Callable[[str], float | None], settings: Mapping[str, Setting]
) -> FunctionalScore:
    """The score of an episode by the file. settings: its settled options and `max_steps`, by flag."""
    row = _shipped().get((scenario.name, settings_text(scenario.world, settings.items())))
    points = ReferencePoints(row.floor, row.ceiling, row.is_narrow) if row else ReferencePoints()
    return functional_score(scenario, metric, points)


def settings_text(world: str, settings: Iterable[tuple[str, Setting]]) -> str:
    """The settings that episodes must agree in to be compared, e.g. `max_steps=400 bots=scripted`."""
    agreed: Settings = Condition("", "", tuple(settings)).world_settings(world)
    return " ".join(f"{flag}={value}" for flag, value in agreed if value is not None)


@cache
def _shipped() -> Mapping[tuple[str, str], ShippedPoints]:
    return {(row.scenario, row.settings): row for row in read_points(data_folder("scenarios") / FILE)}


def read_points(path: Path) -> list[ShippedPoints]:
    """Reads a file that `write_points` wrote; ConfigError, in one line, for any other."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return TypeAdapter(list[ShippedPoints]).validate_python(list(csv.DictReader(file)))
    except ValidationError as error:
        raise ConfigError(f"{path}: row {first_problem(error)}") from error
    except (OSError, ValueError, csv.Error) as error:
        raise ConfigError(f"{path}: {error}") from error


def write_points(rows: Iterable[ShippedPoints], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ShippedPoints.__annotations__, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, rows))
