"""What runs came to: a table of all evaluations, the paper's relations between its learners, and figures."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from hm_agent.files import write_whole
from hm_agent.worlds.symmtom.learning.curves import LearningCurve, draw_curves
from hm_agent.worlds.symmtom.settings import parse_name

Rewards = Mapping[str, float]
"""The mean reward in one scenario by algorithm, and of the heuristic."""
HEURISTIC = "heuristic"
TAILORED = ("maddpg_ce", "maddpg_ge", "maddpg_ee")


@dataclass(frozen=True)
class TrainingResult:
    """One seed. found: what evaluation.json says."""

    scenario: str
    algorithm: str
    seed: int
    found: Mapping[str, Any]
    curve: LearningCurve


@dataclass(frozen=True)
class ProseRelation:
    """A sentence of the paper: by how much one reward is above another, as a share of it, on average over settings."""

    words: str
    published: float
    above: Callable[[Rewards], float]
    below: Callable[[Rewards], float]
    is_about: Callable[[str], bool] = lambda scenario: True


def _has_more_pieces_than_agents(scenario: str) -> bool:
    game = parse_name(scenario)
    return game is not None and game.pieces > game.agents


RELATIONS = (
    ProseRelation(
        "MADDPG-Oracle above MADDPG", 1.27, lambda found: found["maddpg_oracle"], lambda found: found["maddpg"]
    ),
    ProseRelation(
        "models with recurrence (RMADDPG, CE, GE, EE) above MADDPG",
        0.60,
        lambda found: mean(found[name] for name in ("rmaddpg", *TAILORED)),
        lambda found: found["maddpg"],
    ),
    ProseRelation(
        "the best of CE, GE and EE above RMADDPG",
        0.42,
        lambda found: max(found[name] for name in TAILORED),
        lambda found: found["rmaddpg"],
    ),
    ProseRelation(
        "the heuristic above MADDPG-Oracle where c > n",
        0.92,
        lambda found: found[HEURISTIC],
        lambda found: found["maddpg_oracle"],
        _has_more_pieces_than_agents,
    ),
)


def read_results(out: Path) -> list[TrainingResult]:
    """All runs in a folder that were evaluated, in order of their names."""
    return [_result(path) for path in sorted(out.glob("*/*/seed-*/evaluation.json"))]


def _result(path: Path) -> TrainingResult:
    found = json.loads(path.read_text("utf-8"))
    curve = LearningCurve.from_csv((path.parent / "curve.csv").read_text("utf-8"))
    return TrainingResult(found["scenario"], found["algorithm"], found["seed"], found, curve)


def summary(results: Sequence[TrainingResult]) -> str:
    """A table of all evaluations."""
    lines = ["Mean reward per agent and episode in self-play.", ""]
    lines += ["| scenario | algorithm | seed | trained on | final | best | heuristic |", "| --- " * 7 + "|"]
    for one in results:
        rewards = " | ".join(f"{one.found[name]:.1f}" for name in ("final", "best", HEURISTIC))
        episodes = f"{one.found['trained_episodes']:,} episodes"
        lines.append(f"| {one.scenario} | {one.algorithm} | {one.seed} | {episodes} | {rewards} |")
    return "\n".join(lines) + "\n"


def relations(results: Sequence[TrainingResult]) -> str:
    """The paper's relations, by the best checkpoints of all seeds of each learner."""
    rewards = _best_rewards(results)
    lines = ["| the paper | published | here | settings | same direction |", "| --- " * 5 + "|"]
    for one in RELATIONS:
        found = [excess for scenario, by in rewards.items() if (excess := _excess(one, scenario, by)) is not None]
        here = f"{mean(found):+.0%} | {len(found)} | {'yes' if mean(found) > 0 else 'no'}" if found else "- | 0 | -"
        lines.append(f"| {one.words} | {one.published:+.0%} | {here} |")
    return "\n".join(lines) + "\n"


def _best_rewards(results: Sequence[TrainingResult]) -> dict[str, dict[str, float]]:
    """By scenario and algorithm."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in results:
        found[one.scenario][one.algorithm].append(one.found["best"])
        found[one.scenario][HEURISTIC].append(one.found[HEURISTIC])
    return {scenario: {name: mean(values) for name, values in by.items()} for scenario, by in found.items()}


def _excess(relation: ProseRelation, scenario: str, rewards: Rewards) -> float | None:
    """None if the relation is not about the scenario, or not all of its learners were run there."""
    if not relation.is_about(scenario):
        return None
    try:
        return relation.above(rewards) / relation.below(rewards) - 1
    except KeyError:
        return None


def publish(results: Sequence[TrainingResult], into: Path) -> None:
    """Writes README.md, results.json, and a figure for each scenario and for each algorithm of several runs."""
    into.mkdir(parents=True, exist_ok=True)
    parts = ["# SymmToM: what was learned", summary(results), "## The paper's relations", relations(results)]
    for title, curves in _figures(results).items():
        draw_curves(into / f"{title}.png", curves, title)
        parts.append(f"![learning curves of {title}]({title}.png)\n")
    write_whole(into / "README.md", "\n".join(parts))
    write_whole(into / "results.json", json.dumps([one.found for one in results], indent=1) + "\n")


def _figures(results: Sequence[TrainingResult]) -> dict[str, dict[str, LearningCurve]]:
    """By title: the curves of each scenario and of each algorithm that more than one run was about."""
    found: dict[str, dict[str, LearningCurve]] = defaultdict(dict)
    for one in results:
        found[one.scenario][f"{one.algorithm} {one.seed}"] = one.curve
        found[one.algorithm][f"{one.scenario} {one.seed}"] = one.curve
    return {title: curves for title, curves in found.items() if len(curves) > 1}
