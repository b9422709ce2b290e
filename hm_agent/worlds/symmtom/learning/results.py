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
TOLD_PARAMETERS = ("team_share", "every", "batch")
TAILORED = ("maddpg_ce", "maddpg_ge", "maddpg_ee")


@dataclass(frozen=True)
class TrainingResult:
    """One seed. found: what evaluation.json says. curve: empty where only that is at hand."""

    scenario: str
    algorithm: str
    seed: int
    found: Mapping[str, Any]
    curve: LearningCurve


@dataclass(frozen=True)
class LearnerRelation:
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
    LearnerRelation(
        "MADDPG-Oracle above MADDPG", 1.27, lambda found: found["maddpg_oracle"], lambda found: found["maddpg"]
    ),
    LearnerRelation(
        "models with recurrence (RMADDPG, CE, GE, EE) above MADDPG",
        0.60,
        lambda found: mean(found[name] for name in ("rmaddpg", *TAILORED)),
        lambda found: found["maddpg"],
    ),
    LearnerRelation(
        "the best of CE, GE and EE above RMADDPG",
        0.42,
        lambda found: max(found[name] for name in TAILORED),
        lambda found: found["rmaddpg"],
    ),
    LearnerRelation(
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
    lines += ["| scenario | algorithm | seed | trained on | how | final | best | heuristic |", "| --- " * 8 + "|"]
    for one in results:
        rewards = " | ".join(f"{one.found[name]:.1f}" for name in ("final", "best", HEURISTIC))
        episodes = f"{one.found['trained_episodes']:,} episodes"
        lines.append(f"| {one.scenario} | {one.algorithm} | {one.seed} | {episodes} | {_how(one)} | {rewards} |")
    return "\n".join(lines) + "\n"


def _how(result: TrainingResult) -> str:
    """What a run was asked to do in its own way."""
    parameters = result.found["parameters"]
    return ", ".join(f"{name}={parameters[name]}" for name in TOLD_PARAMETERS if name in parameters)


def relations(results: Sequence[TrainingResult]) -> str:
    """The paper's relations, by the best checkpoints of each learner's seeds; only runs of one length are compared."""
    rewards = _best_rewards(results)
    lines = ["| the paper | published | here | settings | same direction |", "| --- " * 5 + "|"]
    for one in RELATIONS:
        found = [excess for (scenario, _), by in rewards.items() if (excess := _excess(one, scenario, by)) is not None]
        agrees = "yes" if found and mean(found) > 0 else "no"
        here = f"{mean(found):+.0%} | {len(found)} | {agrees}" if found else "not run | 0 | -"
        lines.append(f"| {one.words} | {one.published:+.0%} | {here} |")
    return "\n".join(lines) + "\n"


def _best_rewards(results: Sequence[TrainingResult]) -> dict[tuple[str, int], dict[str, float]]:
    """By scenario and number of episodes, so that only runs of one length are compared; and by algorithm."""
    found: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in results:
        of = found[one.scenario, one.found["trained_episodes"]]
        of[one.algorithm].append(one.found["best"])
        of[HEURISTIC].append(one.found[HEURISTIC])
    return {key: {name: mean(values) for name, values in by.items()} for key, by in found.items()}


def _excess(relation: LearnerRelation, scenario: str, rewards: Rewards) -> float | None:
    """None if the relation is not about the scenario, or not all of its learners were run there."""
    if not relation.is_about(scenario):
        return None
    try:
        return relation.above(rewards) / relation.below(rewards) - 1
    except KeyError:
        return None


def publish(results: Sequence[TrainingResult], into: Path) -> None:
    """Writes README.md, results.json, and a figure for each scenario and for each algorithm of several scenarios.

    What was published there of other runs stays: their rows, and the figures that are not drawn anew.
    """
    into.mkdir(parents=True, exist_ok=True)
    whole = _with_published(results, into / "results.json")
    for title, curves in _figures(results).items():
        draw_curves(into / f"{title}.png", curves, title)
    pictures = sorted(path.stem for path in into.glob("*.png"))
    parts = ["# SymmToM: what was learned\n", means_over_seeds(whole), "## The paper's relations\n", relations(whole)]
    parts += [f"![learning curves of {title}]({title}.png)\n" for title in pictures]
    write_whole(into / "README.md", "\n".join(parts))
    write_whole(into / "results.json", json.dumps([one.found for one in whole], indent=1) + "\n")


def _with_published(results: Sequence[TrainingResult], path: Path) -> list[TrainingResult]:
    """These results and those of the file that are of other runs, in order of their names."""
    before = json.loads(path.read_text("utf-8")) if path.exists() else []
    kept = [TrainingResult(one["scenario"], one["algorithm"], one["seed"], one, LearningCurve()) for one in before]
    found = {(one.scenario, one.algorithm) for one in results}
    others = [one for one in kept if (one.scenario, one.algorithm) not in found]
    return sorted([*results, *others], key=lambda one: (one.scenario, one.algorithm, one.seed))


def means_over_seeds(results: Sequence[TrainingResult]) -> str:
    """A table of what each algorithm came to in each scenario: means over its seeds, and the least and the most."""
    groups: dict[tuple[str, ...], list[TrainingResult]] = defaultdict(list)
    for one in results:
        groups[one.scenario, one.algorithm, f"{one.found['trained_episodes']:,}", _how(one)].append(one)
    lines = [
        "Mean reward per agent and episode in self-play over games that no run was trained or chosen on: of the last",
        "checkpoint, and of the one that was best over the validation games. With several seeds, the mean over them",
        "(least to most).",
        "",
        "`every`: steps of a game for one step of the optimiser; `batch`: transitions that it learns from;",
        "`team_share`: the weight of the mean reward of all agents in what each learns from.",
        "",
        "| scenario | algorithm | episodes | how | seeds | last | best | heuristic |",
        "| --- " * 8 + "|",
    ]
    for names, of in sorted(groups.items()):
        last, best = (_mean_and_range([one.found[name] for one in of]) for name in ("final", "best"))
        heuristic = mean(one.found[HEURISTIC] for one in of)
        lines.append(f"| {' | '.join(names)} | {len(of)} | {last} | {best} | {heuristic:.1f} |")
    return "\n".join(lines) + "\n"


def _mean_and_range(values: Sequence[float]) -> str:
    return f"{mean(values):.1f}" + (f" ({min(values):.1f} to {max(values):.1f})" if len(values) > 1 else "")


def _figures(results: Sequence[TrainingResult]) -> dict[str, dict[str, list[LearningCurve]]]:
    """By title: the curves of each scenario by algorithm, and of each algorithm of several scenarios by scenario."""
    by_scenario: dict[str, dict[str, list[LearningCurve]]] = defaultdict(lambda: defaultdict(list))
    by_algorithm: dict[str, dict[str, list[LearningCurve]]] = defaultdict(lambda: defaultdict(list))
    for one in results:
        by_scenario[one.scenario][one.algorithm].append(one.curve)
        by_algorithm[one.algorithm][one.scenario].append(one.curve)
    several = {name: curves for name, curves in by_algorithm.items() if len(curves) > 1}
    compared = {name: curves for name, curves in by_scenario.items() if sum(map(len, curves.values())) > 1}
    return several | compared
