"""`hm-agent train symmtom`: the flags, the runs one after the other, and the table at their end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from hm_agent.catalogue.world_command import WorldCommand
from hm_agent.config import ConfigError
from hm_agent.flags.fields import flag_field, flag_fields
from hm_agent.learning.runs import ProgressLine, seeds_in, train_all
from hm_agent.storage.files import write_whole
from hm_agent.storage.folder_lock import locked
from hm_agent.worlds.symmtom.learning import results
from hm_agent.worlds.symmtom.learning.actors import ActorShape
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.settings import (
    COMPETITIVE,
    COOPERATIVE,
    PAPER,
    PRIVATE,
    PUBLIC,
    PUBLISHED,
    GameSettings,
    paper_settings,
    parse_name,
)

if TYPE_CHECKING:  # they need JAX
    from hm_agent.worlds.symmtom.learning.training import Parameters, Training, TrainingProgress

SEEDS = 2**32
"""The number of seeds: JAX takes seeds modulo 2**32, so a larger one would repeat another run."""
PPO_FLAGS, MADDPG_FLAGS = ("entropy", "team_share"), ("replay", "batch", "every")
"""The flags that only one of the two families of algorithms uses."""

USAGE = """Trains agents to play SymmToM in self-play; needs the extra hm_agent[train].

    hm-agent train symmtom --algorithm=ippo --scenario=symmtom_w6_n3_c3 --seeds=0,1,2 --out=runs/train

Each run leaves OUT/<scenario>/<algorithm>/seed-<s>/ with last.npz, best.npz, curve.csv, curve.png and evaluation.json;
OUT/summary.md sums all of OUT up. The same command again goes on where it was cut short. To see one play:

    hm-agent play --scenario=symmtom_w6_n3_c3 --agent=ippo --checkpoint=OUT/.../best.npz"""


@dataclass(frozen=True)
class TrainedRunsFlags:
    algorithm: tuple[str, ...] = flag_field(
        ("ippo",), f"The algorithms to train by, with commas: {', '.join(ALGORITHMS)}."
    )
    scenario: tuple[str, ...] = flag_field((), "Scenarios, with commas; symmtom_* are the paper's twelve.")
    seeds: tuple[str, ...] = flag_field(("0",), "The seeds, with commas; each is a run of its own.")
    out: str = flag_field("runs/train", "The folder to write to; a run that was cut short there goes on.")
    results: str | None = flag_field(
        None, "A folder for a table, the paper's relations and figures of all runs in --out."
    )
    missing: bool = flag_field(False, "Leave out runs whose results, by the same flags, --results has.")


@dataclass(frozen=True)
class LearningFlags:
    episodes: int = flag_field(60_000, "How many episodes to learn from.", lower=1)
    games: int | None = flag_field(
        None, "How many episodes each update plays: 128 and a multiple of 4 for PPO, 100 for MADDPG.", lower=1
    )
    learning_rate: float = flag_field(1e-3, "The learning rate at the start; that of PPO falls linearly.", lower=0)
    entropy: float = flag_field(0.01, "The weight of PPO's entropy bonus.", lower=0)
    team_share: float = flag_field(
        0.0, "The weight of all agents' mean reward in what each one learns from by PPO.", lower=0, upper=1
    )
    replay: int = flag_field(10_000, "How many episodes MADDPG's replay holds.", lower=1)
    batch: int = flag_field(1024, "How many transitions MADDPG learns from at once.", lower=1)
    every: int = flag_field(100, "How many steps of games lie between two steps of MADDPG's optimiser.", lower=1)
    hidden: int = flag_field(64, "Units of each hidden layer.", lower=1)
    evaluation: int = flag_field(1000, "How many episodes evaluate a checkpoint.", lower=1)
    checkpoint_every: int = flag_field(20, "How many updates lie between checkpoints.", lower=1)


@dataclass(frozen=True)
class GameRulesFlags:
    first_hand: str = flag_field(PUBLIC, "As in play.", choices=(PUBLIC, PRIVATE))
    rewards: str = flag_field(COOPERATIVE, "As in play.", choices=(COOPERATIVE, COMPETITIVE))
    rules: str = flag_field(PAPER, "As in play.", choices=(PAPER, PUBLISHED))


GROUPS = {"What learns, and where": TrainedRunsFlags, "How": LearningFlags, "The rules": GameRulesFlags}
COMMAND = WorldCommand("hm-agent train symmtom", USAGE, GROUPS)


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for flags that make no sense."""
    if COMMAND.read(arguments) is None:
        return 0
    try:
        return _train(COMMAND.values(TrainedRunsFlags), COMMAND.values(LearningFlags), COMMAND.values(GameRulesFlags))
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed: pip install 'hm_agent[train]'") from error


def _train(what: TrainedRunsFlags, how: LearningFlags, variant: GameRulesFlags) -> int:
    """Runs all that the flags ask for."""
    if not what.out:
        raise ConfigError("--out names no folder")
    out, kept = Path(what.out), Path(what.results) if what.results else None
    planned = _runs(what, how, variant)
    if what.missing:
        if not kept:
            raise ConfigError("--missing has no effect: --results names no folder")
        planned = results.missing(planned, kept)
    if kept:  # fails before the training if it is a file
        kept.mkdir(parents=True, exist_ok=True)
    status = train_all(train_one, [(training, out) for training in planned], lambda: _write_summary(out, kept))
    if status:
        return status
    if not planned:
        _write_summary(out, kept)
    print(f"Summary: {out / 'summary.md'}")
    return 0


def train_one(training: Training, out: Path) -> str:
    """Trains one run in its folder; returns a line on its evaluation."""
    from hm_agent.worlds.symmtom.learning.training import run

    show = LiveLine()
    folder = out / training.settings.name / training.algorithm / f"seed-{training.seed}"
    with locked(folder):
        evaluation = run(training, folder, show)
    show.end()
    return (
        f"{training.settings.name} {training.algorithm} seed {training.seed}: final {evaluation['final']:.1f}, "
        f"best {evaluation['best']:.1f}, heuristic {evaluation['heuristic']:.1f}, "
        f"mean reward per agent over {evaluation['evaluated_episodes']:,} episodes; by {evaluation['device']}"
    )


def _write_summary(out: Path, kept: Path | None) -> None:
    """Writes the summary of all runs in a folder, and keeps their results in another, if one is named."""
    out.mkdir(parents=True, exist_ok=True)
    training_results = results.read_results(out)
    write_whole(out / "summary.md", results.summary(training_results))
    if kept:
        results.keep(training_results, kept)


def _runs(what: TrainedRunsFlags, how: LearningFlags, variant: GameRulesFlags) -> list[Training]:
    """The runs that the flags ask for, in order; ConfigError if they make no sense, or a flag has no effect."""
    if not COMMAND.given(["scenario"]):
        if not what.results:
            raise ConfigError("no scenario: say --scenario=symmtom_w6_n3_c3 or the like")
        flags = [each.flag for group in GROUPS.values() for each in flag_fields(group)]
        idle = [flag for flag in flags if flag not in ("scenario", "out", "results")]
        COMMAND.refuse(idle, "without --scenario nothing is trained")
        return []
    from hm_agent.worlds.symmtom.learning.training import Training

    for flag, names in (("algorithm", what.algorithm), ("scenario", what.scenario)):
        if not names:
            raise ConfigError(f"--{flag} names nothing")
    for name in what.algorithm:
        if name not in ALGORITHMS:
            raise ConfigError(f"unknown algorithm {name!r}: there are {', '.join(ALGORITHMS)}")
    seeds = seeds_in(what.seeds, SEEDS)
    learn_by_maddpg = {isinstance(ALGORITHMS[name].network, ActorShape) for name in what.algorithm}
    if True not in learn_by_maddpg:
        COMMAND.refuse(MADDPG_FLAGS, f"{', '.join(what.algorithm)} learns by PPO")
    if False not in learn_by_maddpg:
        COMMAND.refuse(PPO_FLAGS, f"{', '.join(what.algorithm)} learns by MADDPG")
    parameters = {name: _parameters(name, how) for name in what.algorithm}
    return [
        Training(
            name,
            game.under(variant.first_hand, variant.rewards, variant.rules),
            seed,
            parameters[name],
            how.hidden,
            evaluation=how.evaluation,
            every=how.checkpoint_every,
        )
        for game in games_named(what.scenario)
        for name in parameters
        for seed in seeds
    ]


def _parameters(algorithm: str, how: LearningFlags) -> Parameters:
    """The learning parameters of an algorithm by the flags; ConfigError if they don't go together."""
    from hm_agent.worlds.symmtom.learning.maddpg import MaddpgParameters
    from hm_agent.worlds.symmtom.learning.ppo import PpoParameters

    if isinstance(ALGORITHMS[algorithm].network, ActorShape):
        games = how.games or MaddpgParameters.games
        if how.replay % games:
            raise ConfigError(f"--replay={how.replay} is no multiple of {games}, the episodes of an update")
        return MaddpgParameters(
            updates=-(-how.episodes // games),
            games=games,
            capacity=how.replay,
            every=how.every,
            batch=how.batch,
            learning_rate=how.learning_rate,
        )
    games = how.games or PpoParameters.games
    if games % PpoParameters.minibatches:
        raise ConfigError(f"--games={games} is no multiple of {PpoParameters.minibatches}")
    return PpoParameters(
        updates=-(-how.episodes // games),
        games=games,
        learning_rate=how.learning_rate,
        entropy=how.entropy,
        team_share=how.team_share,
    )


def games_named(names: Sequence[str]) -> list[GameSettings]:
    """The games of these scenarios or of the paper's that a pattern fits, each once; ConfigError for an unknown one."""
    games: dict[GameSettings, None] = {}
    for name in names:
        game = parse_name(name)
        fitting = [game] if game else [each.game for each in paper_settings() if fnmatchcase(each.game.name, name)]
        if not fitting:
            raise ConfigError(f"unknown scenario {name!r}: say symmtom_w6_n3_c3, symmtom_w6_* or the like")
        games |= dict.fromkeys(fitting)
    return list(games)


class LiveLine(ProgressLine):
    """Shows the progress of a run, as it is called to after every update."""

    def __init__(self) -> None:
        super().__init__("episodes")

    def __call__(self, training: Training, progress: TrainingProgress) -> None:
        name = f"{training.settings.name} {training.algorithm} seed {training.seed}"
        updates, games = training.parameters.updates, training.parameters.games
        self.show(name, progress.updates, updates, games, progress.curve.rewards[-20:], progress.best)
