"""Calculates a card from the results of a battery's episodes."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from math import isfinite
from statistics import mean

from hm_agent.cards.battery import LATER_OPTIONS, Battery, Part
from hm_agent.cards.card import DIGITS, Bill, CalibrationBin, Card, Hashes, OrderFigures, WorldFigures
from hm_agent.cards.statistics import ItemScores, Sample, position, sampled
from hm_agent.catalogue.suite import Setting, Suite
from hm_agent.grouping import grouped
from hm_agent.questions import Usage
from hm_agent.recording.result import CODE, ENDPOINT, Result, versions
from hm_agent.reporting.calibration import reliability, seat_counts
from hm_agent.reporting.functional import functional_score
from hm_agent.reporting.tables import Row, tabulate

UNTIMED = (
    "wall_seconds",
    "agent_ms_per_step_median",
    "cached_calls",
    "cached_cost",
    "versions",
    "served",
    "fingerprints",
    "sampling_seeds",
    "made",
)
"""The fields of a result that may differ whenever the same episode is played again."""
KEPT_ELSEWHERE = ("prompts", ENDPOINT)
"""What a card has a hash of its own for, and what does not matter once all answers are there."""
CHANCES = ("log_loss", "brier")
"""Proper scores of predictions, the ends of their metrics' names; with `_base`, of the frequencies in hindsight."""


@dataclass(frozen=True)
class PlayedPart:
    """The results of one part of the battery: of the card's agent, and of those that items are scored by."""

    part: Part
    own: tuple[Result, ...]
    references: tuple[Result, ...]
    planned: int


@dataclass(frozen=True)
class Player:
    """Who is on the card: an agent with a model, and how the model is sampled."""

    agent: str
    model: str
    settings: Mapping[str, Setting]


def derive(player: Player, battery: Battery, played: Sequence[PlayedPart], answers_hash: str) -> Card:
    """Returns the card of what was played; it does not tell a private seed."""
    worlds = grouped((one.part.suite, one) for one in played)
    orders = grouped((part.suite.name, part.order) for part in battery.parts() if part.order is not None)
    results = [result for one in played for result in one.own]
    usage = sum((result.usage for result in results), Usage())
    code = {str(digest) for result in results if (digest := result.settings.get(CODE))}
    return Card(
        agent=player.agent,
        model=player.model,
        size=battery.size,
        split=battery.split.name,
        worlds=tuple(_world(suite, parts, orders.get(suite.name, ())) for suite, parts in worlds.items()),
        bill=Bill(
            usage.questions,
            usage.unanswered,
            usage.calls,
            usage.input_tokens,
            usage.output_tokens,
            _rounded(usage.cost),
        ),
        hashes=Hashes(
            battery.items_hash,
            prompts_hash(results),
            answers_hash,
            results_hash(results),
            ", ".join(sorted(code)) or None,
        ),
        made=datetime.now(UTC).date().isoformat(),
        only=battery.worlds,
        settings=player.settings,
        unfinished=dict(sorted(Counter(result.ending for result in results if not result.is_finished).items())),
        versions=versions(),
        endpoints=tuple(sorted({str(url) for result in results if (url := result.settings.get(ENDPOINT))})),
    )


def _world(suite: Suite, parts: Sequence[PlayedPart], needed: Sequence[int]) -> WorldFigures:
    """needed: the orders of the battery's items, also of those that the agent can't play."""
    found = [_order(one) for one in parts]
    samples = {figures.order: sample for figures, sample in found}
    unscored = {figures.order for figures, sample in found if sample is None and figures.episodes}
    placed = position([(order, samples.get(order)) for order in needed if order not in unscored])
    orders, calibration = tuple(figures for figures, _ in found), _calibration(one.own for one in parts)
    return WorldFigures(suite.name, suite.title, suite.needs_are, placed, orders, calibration)


def _calibration(played: Iterable[Sequence[Result]]) -> tuple[CalibrationBin, ...]:
    finished = (result for own in played for result in own if result.is_finished)
    return tuple(
        CalibrationBin(round(part.count), round(part.chance, DIGITS), round(part.came, DIGITS))
        for part in reliability(seat_counts(finished))
    )


def _order(played: PlayedPart) -> tuple[OrderFigures, Sample | None]:
    """The figures of one part, and its functional score."""
    part, own = played.part, [result for result in played.own if result.is_finished]
    rows = tabulate([*own, *(result for result in played.references if result not in own)])
    scored, base = _Scored(part, rows), base_rate(part.suite, own)
    items = scored.items(own, part.episodes if own else 0)
    functional, skill, gap = sampled([_over_base(item, base or 0.0) for item in items])
    literal = sampled([ItemScores(skill=item.skill) for item in items])[1]
    figures = OrderFigures(
        order=part.order,
        items=len(items),
        episodes=len(own),
        planned=played.planned,
        left_out=sum(not item.functional for item in items),
        literal=literal.figure if literal else None,
        base_rate=_rounded(base),
        skill=skill.figure if skill else None,
        functional=functional.figure if functional else None,
        gap=gap.figure if gap else None,
        **{f"{name}_skill": _chance_skill(name, own) for name in CHANCES},
        floor=_names(row.floor_reference.condition.agent for row in scored.rows(own) if row.floor_reference),
        ceiling=_names(row.ceiling_reference.condition.agent for row in scored.rows(own) if row.ceiling_reference),
        references=_references(scored, played.references),
    )
    return figures, functional


@dataclass(frozen=True)
class _Scored:
    """Scores the episodes of a part; in saying, by the share that was right, whatever the base rate."""

    part: Part
    table: Sequence[Row]

    def rows(self, results: Iterable[Result]) -> list[Row]:
        """The row of each scenario that these results of one agent are of."""
        who = {(result.scenario, result.agent, result.model) for result in results}
        return [row for row in self.table if (row.scenario.name, row.condition.agent, row.condition.model) in who]

    def items(self, results: Sequence[Result], planned: int = 0) -> list[ItemScores]:
        """The scores of one agent's episodes by item; on a narrow scale, and for half a pair, none for acting.

        planned: how many episodes of each of the part's scenarios count. One without a result counts as if nothing was
        reached and, for an agent that says anything, as if nothing that it said was right: nobody gains by leaving out
        what is hard.
        """
        found = {row.scenario.name: row for row in self.rows(results)}
        if planned:
            ours = set(self.part.scenarios)
            found = {row.scenario.name: row for row in self.table if row.scenario in ours} | found
        by_item = grouped((row.scenario.item, row) for _, row in sorted(found.items()))
        by_scenario = grouped((result.scenario, result) for result in sorted(results, key=lambda one: one.episode))
        says = any(self._right(result) is not None for result in results)
        items = []
        for pair in by_item.values():
            of_pair = [by_scenario.get(row.scenario.name, ()) for row in pair]
            lacking = [max(planned - len(own), 0) for own in of_pair]
            acted = [self._functional(row, own, less) for row, own, less in zip(pair, of_pair, lacking, strict=True)]
            rights = ([*map(self._right, own), *[0.0] * less] for own, less in zip(of_pair, lacking, strict=True))
            said = [_all_known(right) for right in rights] if says else []
            is_whole = all(acted) and (len(pair) > 1 or not pair[0].scenario.pair)
            items.append(ItemScores(tuple(acted) if is_whole else (), tuple(said) if all(said) else ()))
        return items

    def _functional(self, row: Row, results: Sequence[Result], lacking: int) -> tuple[float, ...]:
        """lacking: how many more episodes count as the least that the metric can be; without a least, as the floor."""
        scores = [functional_score(row.scenario, result.metric, row.points).value for result in results]
        least = row.scenario.metric.bounds[0]
        nothing = functional_score(row.scenario, lambda name: least, row.points).value if isfinite(least) else 0.0
        return _all_known([*scores, *[nothing] * lacking])

    def _right(self, result: Result) -> float | None:
        """The share of what was said of other minds that was right; None if nothing was."""
        literal = self.part.suite.literal
        return result.metric(literal.name) if literal else None


def _over_base(item: ItemScores, base: float) -> ItemScores:
    """An item whose shares of what was right become skill, from the base rate (0) to always right (1); none at 1."""
    skill = tuple(tuple((share - base) / (1 - base) for share in right) for right in item.skill) if base < 1 else ()
    return replace(item, skill=skill)


def _all_known(values: Iterable[float | None]) -> tuple[float, ...]:
    """The values; none if any is unknown, since the episodes of both measures must be the same."""
    found = tuple(values)
    return tuple(value for value in found if value is not None) if None not in found else ()


def base_rate(suite: Suite, results: Iterable[Result]) -> float | None:
    """What statements without any knowledge of these minds score, the best of them over all episodes."""
    own = tuple(results)

    def mean_of(key: str) -> float | None:
        known = [share for result in own if (share := result.metric(key)) is not None]
        return mean(known) if known else None

    return suite.literal.best_base_rate(mean_of) if suite.literal else None


def _chance_skill(name: str, results: Iterable[Result]) -> float | None:
    """How much better predictions are than the frequencies in hindsight: 0 no better, 1 certain and right."""
    pairs = [(result.metric(f"predictions_{name}"), result.metric(f"predictions_{name}_base")) for result in results]
    known = [(score, base) for score, base in pairs if score is not None and base is not None]
    bases = sum(base for _, base in known)
    return _rounded(1 - sum(score for score, _ in known) / bases) if bases > 0 else None


def _references(scored: _Scored, results: Sequence[Result]) -> dict[str, float]:
    """The functional score of the ladder, the scale's ends, and of the best of all shortcuts."""
    suite = scored.part.suite
    scores = {}
    for agent, own in grouped((result.agent, result) for result in results if result.is_finished).items():
        functional, _, _ = sampled([ItemScores(item.functional) for item in scored.items(own) if item.functional])
        if functional is not None:
            scores[agent] = round(functional.mean, DIGITS) + 0.0
    rivals = [agent for agent in scores if agent in suite.shortcuts]
    ends = {end for row in scored.table for end in (row.scenario.metric.floor, row.scenario.metric.ceiling) if end}
    shown = {*suite.ladder, *ends, *([max(rivals, key=scores.__getitem__)] if rivals else [])}
    return {agent: scores[agent] for agent in sorted(scores, key=lambda name: (scores[name], name)) if agent in shown}


def _names(agents: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(agents))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0


def results_hash(results: Iterable[Result]) -> str:
    """The hash of results without what differs whenever the same episode is played again."""
    lines = sorted(json.dumps(untimed(result), sort_keys=True) for result in results)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def untimed(result: Result) -> dict[str, object]:
    fields = {name: value for name, value in asdict(result).items() if name not in (*UNTIMED, *KEPT_ELSEWHERE)}
    later = LATER_OPTIONS.get(result.world, ())
    fields["settings"] = {
        name: value
        for name, value in fields["settings"].items()
        if name not in KEPT_ELSEWHERE and not (name in later and value is None)
    }
    seats = [{name: value for name, value in seat.items() if name not in UNTIMED} for seat in fields["seats"]]
    return {**fields, "seats": seats}


def prompts_hash(results: Iterable[Result]) -> str:
    """The hash of all templates that prompts were rendered from, with their names."""
    templates = {name: digest for result in results for name, digest in result.prompts.items()}
    return hashlib.sha256(json.dumps(templates, sort_keys=True).encode()).hexdigest()
