"""The results of training runs: a table of all evaluations, the paper's relations between its learners, and figures."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from hm_agent.config import ConfigError
from hm_agent.grouping import grouped
from hm_agent.learning.curves import LearningCurve, draw_curves
from hm_agent.storage.files import write_whole
from hm_agent.storage.folder_lock import in_turn
from hm_agent.wording import markdown_table, number, with_error
from hm_agent.worlds.symmtom.learning.actors import ActorShape
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.checkpoints import load, variant_of
from hm_agent.worlds.symmtom.settings import PAPER_RULES, parse_name, with_variant

if TYPE_CHECKING:
    from hm_agent.worlds.symmtom.learning.training import Training

Rewards = Mapping[str, float]
"""The mean rewards in one scenario, by algorithm and of the heuristic."""
HEURISTIC = "heuristic"
SHOWN_PARAMETERS = ("team_share", "every", "batch")
"""The learning parameters that tables always show."""
TAILORED = ("maddpg_ce", "maddpg_ge", "maddpg_ee")
"""The paper's learners with an estimate of K."""
USUAL = {**PAPER_RULES, "hidden": 64}
"""The values that hold where a results.json of an earlier version does not tell them."""
USUAL_EVALUATION = 1000
"""The number of evaluated episodes that tables don't mention."""

ABOUT_MEANS = """\
Mean reward per agent and episode in self-play over games that no run was trained or chosen on: of the last
checkpoint, and of the one that was best over the validation games. With several seeds, the mean over them
± standard error over seeds (least to most); with one, ± standard error over games, if the run recorded it,
without the variation between seeds.

`every`: steps of a game for one step of the optimiser; `batch`: transitions that it learns from;
`team_share`: the weight of the mean reward of all agents in what each learns from. Whatever else is not as
without a flag is named, too, e.g. `capacity`: episodes in the replay.
"""


@dataclass(frozen=True)
class TrainingResult:
    """One run of one seed. evaluation: the content of evaluation.json. curve: empty if only that is at hand."""

    scenario: str
    algorithm: str
    seed: int
    evaluation: Mapping[str, Any]
    curve: LearningCurve

    @property
    def game(self) -> str:
        """The scenario, and its rules where they are not the paper's."""
        return with_variant(self.scenario, self.evaluation)

    @property
    def training(self) -> str:
        """All that decides what is learned, except the game, the algorithm and the seed."""
        return parameters_text(self.evaluation["hidden"], self.evaluation["parameters"])

    def reward(self, name: str) -> str:
        """The mean reward of the `final` or `best` checkpoint or of the heuristic, ± standard error if it is known."""
        return with_error(self.evaluation[name], (self.evaluation.get("errors") or {}).get(name))

    @property
    def condition(self) -> tuple[str, str]:
        """The number of episodes and the learning parameters, in words."""
        return f"{self.evaluation['trained_episodes']:,}", _parameter_words(self)


def parameters_text(hidden: int, parameters: Mapping[str, Any]) -> str:
    """The size of the layers and the learning parameters as JSON, equal for equal ones."""
    return json.dumps([hidden, parameters], sort_keys=True)


@dataclass(frozen=True)
class LearnerRelation:
    """A finding of the paper: by which share one reward exceeds another, on average over settings.

    words: the finding. published: the share in the paper (section 7.1). above, below: the two rewards. is_about: True
    for the names of scenarios that it covers.
    """

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
        "MADDPG-Oracle above MADDPG", 1.27, lambda rewards: rewards["maddpg_oracle"], lambda rewards: rewards["maddpg"]
    ),
    LearnerRelation(
        "models with recurrence (RMADDPG, CE, GE, EE) above MADDPG",
        0.60,
        lambda rewards: mean(rewards[name] for name in ("rmaddpg", *TAILORED)),
        lambda rewards: rewards["maddpg"],
    ),
    LearnerRelation(
        "the best of CE, GE and EE above RMADDPG",
        0.42,
        lambda rewards: max(rewards[name] for name in TAILORED),
        lambda rewards: rewards["rmaddpg"],
    ),
    LearnerRelation(
        "the heuristic above MADDPG-Oracle where c > n",
        0.92,
        lambda rewards: rewards[HEURISTIC],
        lambda rewards: rewards["maddpg_oracle"],
        _has_more_pieces_than_agents,
    ),
)


def read_results(out: Path) -> list[TrainingResult]:
    """Reads all runs in a folder that were evaluated, in order of their names."""
    return [_read_result(path) for path in sorted(out.glob("*/*/seed-*/evaluation.json"))]


def _read_result(path: Path) -> TrainingResult:
    """Reads one run by its evaluation.json; what an earlier version left out there is taken from best.npz."""
    evaluation = json.loads(path.read_text("utf-8"))
    curve = LearningCurve.from_csv((path.parent / "curve.csv").read_text("utf-8"))
    best = path.parent / "best.npz"
    if not evaluation.keys() >= USUAL.keys() and best.exists():  # an evaluation by an earlier version
        player = load(best)[0]
        evaluation = variant_of(player.settings, player.shape) | evaluation
    return _result_of(evaluation, curve)


def _result_of(evaluation: Mapping[str, Any], curve: LearningCurve) -> TrainingResult:
    """The result of an evaluation, completed by the `USUAL` values."""
    scenario, algorithm, seed = (evaluation[name] for name in ("scenario", "algorithm", "seed"))
    return TrainingResult(scenario, algorithm, seed, {**USUAL, **evaluation}, curve)


def summary(results: Sequence[TrainingResult]) -> str:
    """A table of all evaluations, one row a run."""
    headings = ("scenario", "algorithm", "seed", "trained on", "how", "final", "best", HEURISTIC)
    rows = []
    for result in results:
        episodes, how = result.condition
        rewards = map(result.reward, ("final", "best", HEURISTIC))
        rows.append((result.game, result.algorithm, str(result.seed), f"{episodes} episodes", how, *rewards))
    return f"Mean reward per agent and episode in self-play.\n\n{markdown_table(headings, rows)}"


def _parameter_words(result: TrainingResult) -> str:
    """The `SHOWN_PARAMETERS`, and all others that differ from their defaults, as `name=value`."""
    parameters, usual = result.evaluation["parameters"], _usual_parameters(result.algorithm)
    shown = {name: parameters[name] for name in SHOWN_PARAMETERS if name in parameters}
    shown |= {name: value for name, value in parameters.items() if value != usual.get(name, value)}
    shown |= {"hidden": result.evaluation["hidden"]} if result.evaluation["hidden"] != USUAL["hidden"] else {}
    evaluated = result.evaluation["evaluated_episodes"]
    shown |= {"evaluation": evaluated} if evaluated != USUAL_EVALUATION else {}
    return ", ".join(f"{name}={value}" for name, value in shown.items())


@cache
def _usual_parameters(algorithm: str) -> Mapping[str, Any]:
    """An algorithm's default learning parameters, without the number of updates, which follows from episodes."""
    from hm_agent.worlds.symmtom.learning.maddpg import MaddpgParameters  # these two take long to import
    from hm_agent.worlds.symmtom.learning.ppo import PpoParameters

    kind = MaddpgParameters if isinstance(ALGORITHMS[algorithm].network, ActorShape) else PpoParameters
    return {name: value for name, value in asdict(kind(updates=1)).items() if name != "updates"}


def relations(results: Sequence[TrainingResult]) -> str:
    """A table of the paper's relations, by the best checkpoints of each learner's seeds, in games of the paper's rules.

    Only runs with equal learning parameters are compared; a scenario in which several such groups were run counts once.
    Errors are standard errors over scenarios.
    """
    rows = []
    rewards = _best_rewards([result for result in results if result.game == result.scenario])
    for relation in RELATIONS:
        excesses: dict[str, list[float]] = defaultdict(list)
        for (scenario, *_), by_algorithm in rewards.items():
            if (excess := _excess(relation, scenario, by_algorithm)) is not None:
                excesses[scenario].append(excess)
        means = [mean(values) for values in excesses.values()]
        agrees = "yes" if means and mean(means) > 0 else "no"
        error = f" ± {stdev(means) / len(means) ** 0.5:.0%}" if len(means) > 1 else ""
        here = (f"{mean(means):+.0%}{error}", str(len(means)), agrees) if means else ("not run", "0", "-")
        rows.append((relation.words, f"{relation.published:+.0%}", *here))
    return markdown_table(("the paper", "published", "here", "settings", "same direction"), rows)


def _best_rewards(results: Sequence[TrainingResult]) -> dict[tuple[str, str, int], dict[str, float]]:
    """The mean rewards of best checkpoints, by (scenario, learning parameters, evaluated episodes) and algorithm."""
    rewards: dict[tuple[str, str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        by_algorithm = rewards[result.scenario, result.training, result.evaluation["evaluated_episodes"]]
        by_algorithm[result.algorithm].append(result.evaluation["best"])
        by_algorithm[HEURISTIC].append(result.evaluation[HEURISTIC])
    return {key: {name: mean(values) for name, values in group.items()} for key, group in rewards.items()}


def _excess(relation: LearnerRelation, scenario: str, rewards: Rewards) -> float | None:
    """The share by which one reward exceeds the other.

    None if the relation does not cover the scenario, a learner was not run there, or the lower reward is not positive.
    """
    if not relation.is_about(scenario):
        return None
    try:
        above, below = relation.above(rewards), relation.below(rewards)
    except KeyError:
        return None
    return above / below - 1 if below > 0 else None


def keep(results: Sequence[TrainingResult], into: Path) -> None:
    """Writes README.md, results.json, and a figure for each scenario and for each algorithm of several scenarios.

    Earlier results of other runs stay there in rows, also those of a command that ends at the same time; a figure is
    drawn anew of these results alone, and stays if they have none for it. A learner that was trained again with other
    parameters replaces its earlier results in the same game; earlier seeds with the same parameters stay beside the new
    ones.
    """
    into.mkdir(parents=True, exist_ok=True)
    with in_turn(into / "results.json"):
        _keep(results, into)


def _keep(results: Sequence[TrainingResult], into: Path) -> None:
    merged = _with_earlier(results, into / "results.json")
    for title, curves in _figures(results).items():
        draw_curves(into / f"{title.replace(' ', '_')}.png", curves, title)
    pictures = sorted(path.stem for path in into.glob("*.png"))
    parts = ["# SymmToM: what was learned\n", means_over_seeds(merged), "## The paper's relations\n", relations(merged)]
    parts += [f"![learning curves of {title}]({title}.png)\n" for title in pictures]
    write_whole(into / "README.md", "\n".join(parts))
    write_whole(into / "results.json", json.dumps([result.evaluation for result in merged], indent=1) + "\n")


def _with_earlier(results: Sequence[TrainingResult], path: Path) -> list[TrainingResult]:
    """These results and those of the file that they do not replace, in order of their names."""
    trainings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for result in results:
        trainings[result.game, result.algorithm].add(result.training)
    seeds = {(result.game, result.algorithm, result.seed) for result in results}
    earlier = [
        result
        for result in _earlier(path)
        if result.training in trainings.get((result.game, result.algorithm), {result.training})
        and (result.game, result.algorithm, result.seed) not in seeds
    ]
    return sorted([*results, *earlier], key=lambda result: (result.game, result.algorithm, result.seed))


def _earlier(path: Path) -> list[TrainingResult]:
    """Reads a results.json; empty if there is none. Raises ConfigError if it holds something else."""
    if not path.exists():
        return []
    try:
        return [_result_of(evaluation, LearningCurve()) for evaluation in json.loads(path.read_text("utf-8"))]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} holds no results of training: choose another --results, or remove it") from error


def missing(planned: Sequence[Training], into: Path) -> list[Training]:
    """The runs of which a folder of results has none with the same parameters."""
    known = {(one.game, one.algorithm, one.seed, one.training) for one in _earlier(into / "results.json")}

    def run_of(one: Training) -> tuple[str, str, int, str]:
        game = with_variant(one.settings.name, one.settings.variant)
        return game, one.algorithm, one.seed, parameters_text(one.hidden, asdict(one.parameters))

    return [one for one in planned if run_of(one) not in known]


def means_over_seeds(results: Sequence[TrainingResult]) -> str:
    """A table of each algorithm's rewards in each scenario, with standard errors over its seeds, or else over games."""
    groups = grouped(((result.game, result.algorithm, *result.condition), result) for result in results)
    rows = []
    for names, group in sorted(groups.items()):
        means = (_mean_over_seeds(group, name) for name in ("final", "best"))
        rows.append((*names, str(len(group)), *means, group[-1].reward(HEURISTIC)))
    headings = ("scenario", "algorithm", "episodes", "how", "seeds", "last", "best", HEURISTIC)
    return f"{ABOUT_MEANS}\n{markdown_table(headings, rows)}"


def _mean_over_seeds(results: Sequence[TrainingResult], name: str) -> str:
    """The mean ± standard error over runs, and the least and the most; of a single run, its own."""
    values = [result.evaluation[name] for result in results]
    if len(values) == 1:
        return results[0].reward(name)
    error = stdev(values) / len(values) ** 0.5
    return f"{with_error(mean(values), error)} ({number(min(values))} to {number(max(values))})"


def _figures(results: Sequence[TrainingResult]) -> dict[str, dict[str, list[LearningCurve]]]:
    """By title: the curves of each game by algorithm, and the curves of each algorithm of several games by game.

    Runs of an algorithm in a game under several conditions have a line for each condition.
    """
    by_game: dict[str, dict[str, list[LearningCurve]]] = defaultdict(lambda: defaultdict(list))
    by_algorithm: dict[str, dict[str, list[LearningCurve]]] = defaultdict(lambda: defaultdict(list))
    conditions: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for result in results:
        conditions[result.game, result.algorithm].add(result.condition)
    for result in results:
        is_alone = len(conditions[result.game, result.algorithm]) == 1
        condition = "" if is_alone else f" ({result.condition[0]} episodes, {result.condition[1]})"
        by_game[result.game][result.algorithm + condition].append(result.curve)
        by_algorithm[result.algorithm][result.game + condition].append(result.curve)
    several = {name: curves for name, curves in by_algorithm.items() if len(curves) > 1}
    compared = {name: curves for name, curves in by_game.items() if sum(map(len, curves.values())) > 1}
    return several | compared
