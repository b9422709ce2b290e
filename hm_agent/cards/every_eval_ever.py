"""Cards and results in the form of Every Eval Ever, a shared schema for evaluations of models (version 0.3.0).

A record is one agent with one model; its results are means with their intervals, without single episodes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any
from uuid import UUID

from hm_agent.cards.card import Card, Figure, OrderFigures, WorldFigures
from hm_agent.models.settings import BUILTIN
from hm_agent.recording.result import versions
from hm_agent.reporting.tables import Row
from hm_agent.storage.files import folder_name, write_whole

SCHEMA = "0.3.0"
BENCHMARK = "hm_agent"
SCORE = "score from the best shortcut (0) to the ceiling (1)"
SHARE = "share of statements about other minds that are right"
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Publisher:
    """Who publishes the records: what no card knows. relation: to the model's developer, as the schema names it."""

    organization: str
    developer: str | None = None
    relation: str = "third_party"


def record_of_card(card: Card, publisher: Publisher) -> Record:
    """The functional and the literal figure of each world and needed order."""
    source = {"size": card.size, "split": card.split, "items": card.hashes.items, "answers": card.hashes.answers}
    results = [
        result
        for world in card.worlds
        for row in world.orders
        for name, figure, unit in (("functional", row.functional, SCORE), ("literal", row.literal, SHARE))
        if figure
        for result in [_of_figure(world, row, name, figure, unit, source) | _sampling(card.agent, card.settings)]
    ]
    return _record(card.agent, card.model, results, publisher, card.made)


def _of_figure(
    world: WorldFigures, row: OrderFigures, name: str, figure: Figure, unit: str, source: Mapping[str, str]
) -> dict[str, Any]:
    title = world.title if row.order is None else f"{world.title}, order {row.order}"
    bounds = (0.0, 1.0) if name == "literal" else (-inf, inf)
    metric = _metric(f"{BENCHMARK}.{name}", name, unit, bounds)
    counts = {"items": str(row.items), "planned_episodes": str(row.planned), "needs_order": str(row.order)}
    data = {"dataset_name": f"{BENCHMARK} battery", "source_type": "other", "additional_details": dict(source)}
    return _result(f"{title}: {name}", data, metric, figure.mean, figure.interval, row.episodes, counts)


def records_of_rows(rows: Iterable[Row], publisher: Publisher) -> Iterator[Record]:
    """A record for each agent and model, with the mean of each scenario in the scenario's own measure."""

    def who(row: Row) -> tuple[str, str]:
        return row.condition.agent, row.condition.model

    for (agent, model), group in groupby(sorted(rows, key=who), who):
        if results := [_of_row(row) | _sampling(agent, dict(row.settings)) for row in group if row.estimate]:
            yield _record(agent, model, results, publisher, None)


def _of_row(row: Row) -> dict[str, Any]:
    scenario, estimate = row.scenario, row.estimate
    assert estimate is not None
    measure = scenario.metric
    metric = _metric(f"{BENCHMARK}.{measure.name}", measure.name, measure.unit, measure.bounds)
    metric["lower_is_better"] = not measure.higher_is_better
    details = {name: str(value) for name, value in row.settings if value is not None}
    data = {"dataset_name": scenario.name, "source_type": "other", "additional_details": details}
    counts = {"episodes": row.played}
    return _result(scenario.name, data, metric, estimate.mean, estimate.interval, estimate.n, counts)


def _metric(name: str, title: str, unit: str, bounds: tuple[float, float]) -> dict[str, Any]:
    least, most = (bound if abs(bound) < inf else "Infinity" if bound > 0 else "-Infinity" for bound in bounds)
    return {
        "metric_id": name,
        "metric_name": title,
        "metric_unit": unit,
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": least,
        "max_score": most,
    }


def _result(
    name: str,
    source: Mapping[str, Any],
    metric: Mapping[str, Any],
    mean: float,
    interval: tuple[float, float] | None,
    episodes: int,
    counts: Mapping[str, str],
) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": episodes}
    if interval:
        uncertainty["confidence_interval"] = dict(zip(("lower", "upper"), interval, strict=True)) | {
            "confidence_level": 0.95
        }
    return {
        "evaluation_result_id": name,
        "evaluation_name": name,
        "source_data": source,
        "metric_config": metric,
        "score_details": {"score": mean, "details": counts, "uncertainty": uncertainty},
    }


def _sampling(agent: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """By what a result's answers were drawn: a run may have other settings in another scenario."""
    arguments = {"temperature": "temperature", "top_p": "top_p", "max_output_tokens": "max_tokens"}
    sent = {theirs: settings[own] for own, theirs in arguments.items() if settings.get(own) is not None}
    return {"generation_config": {"generation_args": sent, "additional_details": {"agent": agent}}}


def _record(agent: str, model: str, results: Sequence[Record], publisher: Publisher, made: str | None) -> Record:
    now, developer = datetime.now(UTC), BENCHMARK if model == BUILTIN else publisher.developer
    name = f"{developer or 'unknown'}/{model}" if "/" not in model else model
    place = {"deployment_type": "unknown", "model_availability": "unknown", "agent": agent}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{BENCHMARK}/{name}/{agent}/{now.timestamp():.0f}",
        **({"evaluation_timestamp": made} if made else {}),
        "retrieved_timestamp": f"{now.timestamp():.0f}",
        "source_metadata": {
            "source_name": BENCHMARK,
            "source_type": "evaluation_run",
            "source_organization_name": publisher.organization,
            "evaluator_relationship": publisher.relation,
        },
        "eval_library": {"name": BENCHMARK, "version": versions()[BENCHMARK]},
        "model_info": {"name": model, "id": name, "additional_details": place}
        | ({"developer": developer} if developer else {}),
        "evaluation_results": list(results),
    }


def write_record(record: Record, folder: Path) -> Path:
    """Writes a record where its repository keeps it: data/BENCHMARK/DEVELOPER/MODEL/UUID.json; returns the file.

    The UUID follows from agent, model and figures, so that the same results have the same file.
    """
    developer, _, model = str(record["model_info"]["id"]).partition("/")
    same = [record["model_info"], record["evaluation_results"]]
    digest = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).digest()
    path = folder / "data" / BENCHMARK / folder_name([developer]) / folder_name([model])
    path.mkdir(parents=True, exist_ok=True)
    file = path / f"{UUID(bytes=digest[:16], version=4)}.json"
    write_whole(file, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    return file
