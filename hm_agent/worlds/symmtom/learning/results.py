"""What runs came to: a table of all evaluations, the paper's relations between its learners, and figures."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.files import write_whole
from hm_agent.worlds.symmtom.learning.actors import ActorShape
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.checkpoints import load, variant_of
from hm_agent.worlds.symmtom.learning.curves import LearningCurve, draw_curves
from hm_agent.worlds.symmtom.settings import parse_name

Rewards = Mapping[str, float]
"""The mean reward in one scenario by algorithm, and of the heuristic."""
HEURISTIC = "heuristic"
TOLD_PARAMETERS = ("team_share", "every", "batch")
TAILORED = ("maddpg_ce", "maddpg_ge", "maddpg_ee")
PAPER_RULES = {"first_hand": "public", "rewards": "cooperative"}
USUAL = {**PAPER_RULES, "hidden": 64}
"""What is meant where a results.json of an earlier version does not say it."""
USUAL_EVALUATION = 1000


@dataclass(frozen=True)
class TrainingResult:
    """One seed. found: what evaluation.json says. curve: empty where only that is at hand."""

    scenario: str
    algorithm: str
    seed: int
    found: Mapping[str, Any]
    curve: LearningCurve

    @property
    def game(self) -> str:
        """The scenario, and its rules where they are not the paper's, e.g. `symmtom_w6_n3_c3 first_hand=private`."""
        variant = [f"{name}={self.found[name]}" for name, usual in PAPER_RULES.items() if self.found[name] != usual]
        return " ".join([self.scenario, *variant])

    @property
    def training(self) -> str:
        """All that decides what is learned but for the game, the algorithm and the seed."""
        return json.dumps([self.found["hidden"], self.found["parameters"]], sort_keys=True)

    @property
    def condition(self) -> tuple[str, str]:
        """The number of episodes and how they were learned from, in words."""
        return f"{self.found['trained_episodes']:,}", _how(self)


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
    best = path.parent / "best.npz"
    if not found.keys() >= USUAL.keys() and best.exists():  # an evaluation by an earlier version
        player = load(best)[0]
        found = variant_of(player.settings, player.shape) | found
    return _result_of(found, curve)


def _result_of(found: Mapping[str, Any], curve: LearningCurve) -> TrainingResult:
    return TrainingResult(found["scenario"], found["algorithm"], found["seed"], {**USUAL, **found}, curve)


def summary(results: Sequence[TrainingResult]) -> str:
    """A table of all evaluations."""
    lines = ["Mean reward per agent and episode in self-play.", ""]
    lines += ["| scenario | algorithm | seed | trained on | how | final | best | heuristic |", "| --- " * 8 + "|"]
    for one in results:
        rewards = " | ".join(f"{one.found[name]:.1f}" for name in ("final", "best", HEURISTIC))
        episodes, how = one.condition
        lines.append(f"| {one.game} | {one.algorithm} | {one.seed} | {episodes} episodes | {how} | {rewards} |")
    return "\n".join(lines) + "\n"


def _how(result: TrainingResult) -> str:
    """`TOLD_PARAMETERS`, and whatever else was not as it is without a flag."""
    parameters, usual = result.found["parameters"], _usual_parameters(result.algorithm)
    told = {name: parameters[name] for name in TOLD_PARAMETERS if name in parameters}
    told |= {name: value for name, value in parameters.items() if value != usual.get(name, value)}
    told |= {"hidden": result.found["hidden"]} if result.found["hidden"] != USUAL["hidden"] else {}
    evaluated = result.found["evaluated_episodes"]
    told |= {"evaluation": evaluated} if evaluated != USUAL_EVALUATION else {}
    return ", ".join(f"{name}={value}" for name, value in told.items())


@cache
def _usual_parameters(algorithm: str) -> Mapping[str, Any]:
    """An algorithm's learning parameters without flags, but for the number of updates, which follows from episodes."""
    from hm_agent.worlds.symmtom.learning.maddpg import MaddpgParameters  # these two take long to import
    from hm_agent.worlds.symmtom.learning.ppo import PpoParameters

    kind = MaddpgParameters if isinstance(ALGORITHMS[algorithm].network, ActorShape) else PpoParameters
    return {name: value for name, value in asdict(kind(updates=1)).items() if name != "updates"}


def relations(results: Sequence[TrainingResult]) -> str:
    """The paper's relations, by the best checkpoints of each learner's seeds, in games of the paper's rules.

    Only runs with equal learning parameters are compared; a setting in which several such sets were run counts once.
    """
    lines = ["| the paper | published | here | settings | same direction |", "| --- " * 5 + "|"]
    rewards = _best_rewards([one for one in results if one.game == one.scenario])
    for one in RELATIONS:
        excesses: dict[str, list[float]] = defaultdict(list)
        for (scenario, *_), by in rewards.items():
            if (excess := _excess(one, scenario, by)) is not None:
                excesses[scenario].append(excess)
        found = [mean(of) for of in excesses.values()]
        agrees = "yes" if found and mean(found) > 0 else "no"
        here = f"{mean(found):+.0%} | {len(found)} | {agrees}" if found else "not run | 0 | -"
        lines.append(f"| {one.words} | {one.published:+.0%} | {here} |")
    return "\n".join(lines) + "\n"


def _best_rewards(results: Sequence[TrainingResult]) -> dict[tuple[str, str, int], dict[str, float]]:
    """By scenario, learning parameters and number of evaluated episodes; and by algorithm."""
    found: dict[tuple[str, str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in results:
        of = found[one.scenario, one.training, one.found["evaluated_episodes"]]
        of[one.algorithm].append(one.found["best"])
        of[HEURISTIC].append(one.found[HEURISTIC])
    return {key: {name: mean(values) for name, values in by.items()} for key, by in found.items()}


def _excess(relation: LearnerRelation, scenario: str, rewards: Rewards) -> float | None:
    """None if the relation is not about the scenario, not all of its learners were run there, or one earned nothing."""
    if not relation.is_about(scenario):
        return None
    try:
        above, below = relation.above(rewards), relation.below(rewards)
    except KeyError:
        return None
    return above / below - 1 if below > 0 else None


def publish(results: Sequence[TrainingResult], into: Path) -> None:
    """Writes README.md, results.json, and a figure for each scenario and for each algorithm of several scenarios.

    What was published there of other runs stays: their rows, and the figures that are not drawn anew. A learner that
    was trained anew with other parameters takes the place of the one that was published; other seeds with the same
    parameters stay beside the new ones.
    """
    into.mkdir(parents=True, exist_ok=True)
    whole = _with_published(results, into / "results.json")
    for title, curves in _figures(results).items():
        draw_curves(into / f"{title.replace(' ', '_')}.png", curves, title)
    pictures = sorted(path.stem for path in into.glob("*.png"))
    parts = ["# SymmToM: what was learned\n", means_over_seeds(whole), "## The paper's relations\n", relations(whole)]
    parts += [f"![learning curves of {title}]({title}.png)\n" for title in pictures]
    write_whole(into / "README.md", "\n".join(parts))
    write_whole(into / "results.json", json.dumps([one.found for one in whole], indent=1) + "\n")


def _with_published(results: Sequence[TrainingResult], path: Path) -> list[TrainingResult]:
    """These results and those of the file whose place they do not take, in order of their names."""
    trainings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in results:
        trainings[one.game, one.algorithm].add(one.training)
    seeds = {(one.game, one.algorithm, one.seed) for one in results}
    kept = [
        one
        for one in _published(path)
        if one.training in trainings.get((one.game, one.algorithm), {one.training})
        and (one.game, one.algorithm, one.seed) not in seeds
    ]
    return sorted([*results, *kept], key=lambda one: (one.game, one.algorithm, one.seed))


def _published(path: Path) -> list[TrainingResult]:
    """What a results.json holds; nothing if there is none. Raises ConfigError if it holds something else."""
    if not path.exists():
        return []
    try:
        return [_result_of(one, LearningCurve()) for one in json.loads(path.read_text("utf-8"))]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} holds no results of training: choose another --results, or remove it") from error


def means_over_seeds(results: Sequence[TrainingResult]) -> str:
    """A table of what each algorithm came to in each scenario: means over its seeds, and the least and the most."""
    groups: dict[tuple[str, ...], list[TrainingResult]] = defaultdict(list)
    for one in results:
        groups[one.game, one.algorithm, *one.condition].append(one)
    lines = [
        "Mean reward per agent and episode in self-play over games that no run was trained or chosen on: of the last",
        "checkpoint, and of the one that was best over the validation games. With several seeds, the mean over them",
        "(least to most).",
        "",
        "`every`: steps of a game for one step of the optimiser; `batch`: transitions that it learns from;",
        "`team_share`: the weight of the mean reward of all agents in what each learns from. Whatever else is not as",
        "without a flag is named, too, e.g. `capacity`: episodes in the replay.",
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
    """By title: the curves of each game by algorithm, and of each algorithm of several games by game.

    Where an algorithm was trained in several ways in a game, each has a line of its own.
    """
    by_game: dict[str, dict[str, list[LearningCurve]]] = defaultdict(lambda: defaultdict(list))
    by_algorithm: dict[str, dict[str, list[LearningCurve]]] = defaultdict(lambda: defaultdict(list))
    ways: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for one in results:
        ways[one.game, one.algorithm].add(one.condition)
    for one in results:
        is_alone = len(ways[one.game, one.algorithm]) == 1
        way = "" if is_alone else f" ({one.condition[0]} episodes, {one.condition[1]})"
        by_game[one.game][one.algorithm + way].append(one.curve)
        by_algorithm[one.algorithm][one.game + way].append(one.curve)
    several = {name: curves for name, curves in by_algorithm.items() if len(curves) > 1}
    compared = {name: curves for name, curves in by_game.items() if sum(map(len, curves.values())) > 1}
    return several | compared
