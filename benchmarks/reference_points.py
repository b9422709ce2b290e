"""Measures the ends of scenarios' scales: the means of floor and ceiling go to scenarios/reference_points.csv.

`python -m benchmarks.reference_points OUT WORLD ...` plays into the folder OUT, where it goes on if it was cut short,
and writes the rows of the named worlds anew; of all worlds without a name, in about an hour and a half of one core.
Those of Melting Pot's compared scenarios are from `make compare`.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

import hm_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.config import data_folder
from hm_agent.grouping import grouped
from hm_agent.recording.result import Result
from hm_agent.reporting.functional import FILE, ShippedPoints, read_points, settings_text, write_points
from hm_agent.reporting.tables import tabulate

DIGITS = 6


@dataclass(frozen=True)
class Played:
    """Episodes of scenarios by which their scales are measured."""

    scenarios: tuple[str, ...]
    episodes: int
    max_steps: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


OTHER_GAMES = (
    *(f"{game}_repeated_?" for game in ("chicken", "stag_hunt", "bach_or_stravinsky")),
    *(f"{game}_coordination_repeated_?" for game in ("pure", "rationalizable")),
    *(f"cooking_{kitchen}_?" for kitchen in ("cramped", "ring", "circuit", "forced")),
    "rws_one_shot_?",
    "coins_?",
    "coins_unseen_?",
    "daycare_?",
)
"""Scenarios of Melting Pot with one seat for agents that are not in the comparison."""
COMPARED = Path(__file__).parent / "results" / "report.csv"
PLAYED: Mapping[str, Sequence[Played]] = {
    "matrix_games": [Played(("mg_*",), 25)],
    "symmtom": [Played(("symmtom_w*", "symmtom_pairs_*", "symmtom_mixed_*"), 10)],
    "exploretom": [Played(("exploretom_pairs_*",), 5)],
    "enacttom": [Played(("enacttom_hard_*",), 5)],
    "melting_pot": [
        Played(("rws_repeated_1", "rws_unseen_0"), 5, 400, {"bots": "scripted"}),
        Played(OTHER_GAMES, 5, options={"bots": "scripted"}),
        Played(("rws_pairs_*",), 18),
    ],
}


def ends(scenario: ScenarioInfo) -> tuple[str, ...]:
    """The agents between whose means a scenario's score lies: of shortcuts all, since the best is the floor."""
    metric = scenario.metric
    return (*((metric.floor,) if metric.floor else suites()[scenario.world].shortcuts), str(metric.ceiling))


def results(played: Played, out: Path) -> Iterator[Result]:
    scenarios = [info for info in find_scenarios(played.scenarios) if info.metric.ceiling]
    for agents, own in grouped((ends(info), info.name) for info in scenarios).items():
        yield from hm_agent.play(
            own,
            agents,
            episodes=played.episodes,
            max_steps=played.max_steps,
            out=out / scenarios[0].world / str(played.max_steps or "whole"),
            record_replay=False,
            report=False,
            progress=False,
            **played.options,
        )


def points_of(found: Iterable[Result]) -> Iterator[ShippedPoints]:
    """A row for each scenario and each length whose ceiling was played."""
    for row in tabulate(found):
        floor, ceiling = row.floor_reference, row.ceiling_reference
        if row.is_ceiling and row.floor is not None and floor and ceiling:
            yield ShippedPoints(
                row.scenario.name,
                settings_text(row.scenario.world, row.settings),
                floor.condition.agent,
                round(row.floor, DIGITS),
                ceiling.condition.agent,
                round(ceiling.estimate.mean, DIGITS),
                row.is_narrow,
                row.episodes,
            )


def compared() -> Iterator[ShippedPoints]:
    """The rows of the report of the comparison that ships."""
    with COMPARED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            info = find_scenarios([row["scenario"]])[0]
            if row["agent"] == info.metric.ceiling:
                settings = [tuple(pair.split("=")) for pair in row["settings"].split()]
                yield ShippedPoints(
                    info.name,
                    settings_text(info.world, settings),
                    str(info.metric.floor),
                    round(float(row["floor"]), DIGITS),
                    row["agent"],
                    round(float(row["ceiling"]), DIGITS),
                    row["narrow_scale"] == "True",
                    int(row["episodes"]),
                )


def main(out: Path, worlds: Sequence[str]) -> None:
    path = data_folder("scenarios") / FILE
    others = suites().keys() - set(worlds)
    kept = [row for row in read_points(path) if scenario_named(row.scenario).world in others]
    new = [row for world in worlds for played in PLAYED[world] for row in points_of(results(played, out))]
    more = [row for row in compared() if scenario_named(row.scenario).world in worlds]
    write_points(sorted([*kept, *new, *more], key=astuple), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or tuple(PLAYED))
