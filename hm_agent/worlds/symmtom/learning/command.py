"""`hm-agent train symmtom`: the flags, the runs one after the other, and the table at their end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.command_flags import define_float, help_text, read_flags
from hm_agent.config import ConfigError
from hm_agent.files import write_whole
from hm_agent.worlds.symmtom.learning import results
from hm_agent.worlds.symmtom.learning.actors import ActorShape
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.settings import GameSettings, paper_settings, parse_name

SEEDS = 2**32
"""The number of seeds: JAX takes seeds modulo 2**32, so a larger one would repeat another run."""
FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_HERE: dict[str, Any] = {"flag_values": FLAGS}
_WHAT = (
    flags.DEFINE_list("algorithm", ["ippo"], f"What learns, with commas: {', '.join(ALGORITHMS)}.", **_HERE),
    flags.DEFINE_list("scenario", [], "Scenarios by name, with commas, or symmtom_* for the paper's twelve.", **_HERE),
    flags.DEFINE_list("seeds", ["0"], "The seeds, with commas; each is a run of its own.", **_HERE),
    flags.DEFINE_string("out", "runs/train", "The folder to write to; a run that is there goes on.", **_HERE),
    flags.DEFINE_string(
        "results", None, "A folder for a table, the paper's relations and figures of all in --out.", **_HERE
    ),
)
_HOW = (
    flags.DEFINE_integer("episodes", 60_000, "How many episodes to learn from.", lower_bound=1, **_HERE),
    flags.DEFINE_integer(
        "games",
        None,
        "How many episodes each update plays: 128 and a multiple of 4 for PPO, 100 for MADDPG.",
        1,
        **_HERE,
    ),
    define_float("learning_rate", 1e-3, "At the start; that of PPO falls in a line.", lower_bound=0, **_HERE),
    define_float("entropy", 0.01, "The weight of PPO's entropy bonus.", lower_bound=0, **_HERE),
    define_float(
        "team_share", 0.0, "The weight of all agents' mean reward in what each one learns from by PPO.", 0, 1, **_HERE
    ),
    flags.DEFINE_integer("replay", 10_000, "How many episodes MADDPG's replay holds.", lower_bound=1, **_HERE),
    flags.DEFINE_integer("batch", 1024, "How many transitions MADDPG learns from at once.", lower_bound=1, **_HERE),
    flags.DEFINE_integer("every", 100, "MADDPG learns once in so many steps of a game.", lower_bound=1, **_HERE),
    flags.DEFINE_integer("hidden", 64, "Units of each hidden layer.", lower_bound=1, **_HERE),
    flags.DEFINE_integer("evaluation", 1000, "How many episodes evaluate a checkpoint.", lower_bound=1, **_HERE),
    flags.DEFINE_integer("checkpoint_every", 20, "How many updates lie between checkpoints.", lower_bound=1, **_HERE),
)
_RULES = (
    flags.DEFINE_enum("first_hand", "public", ["public", "private"], "As in play.", **_HERE),
    flags.DEFINE_enum("rewards", "cooperative", ["cooperative", "competitive"], "As in play.", **_HERE),
)
_HELP = (flags.DEFINE_bool("help", False, "Show this help, and end.", **_HERE),)
GROUPS = {"What learns, and where": _WHAT, "How": _HOW, "The rules": _RULES, "Help": _HELP}
OF_PPO, OF_MADDPG = ("entropy", "team_share"), ("replay", "batch", "every")
"""The flags that only one of the two families of algorithms uses."""

USAGE = """Trains agents to play SymmToM in self-play; needs the extra hm_agent[train].

    hm-agent train symmtom --algorithm=ippo --scenario=symmtom_w6_n3_c3 --seeds=0,1,2 --out=runs/train

Each run leaves OUT/<scenario>/<algorithm>/seed-<s>/ with last.npz, best.npz, curve.csv, curve.png and evaluation.json;
OUT/summary.md sums all of OUT up. The same command again goes on where it was cut short. To see one play:

    hm-agent play --scenario=symmtom_w6_n3_c3 --agent=ippo --checkpoint=OUT/.../best.npz"""


def _asked(flag: str) -> Any:
    return FLAGS[flag].value


def _listed(flag: str) -> list[str]:
    """The values of a list flag without empty ones, as a comma at the end leaves; ConfigError if there is none."""
    values = [value for value in _asked(flag) if value]
    if not values:
        raise ConfigError(f"--{flag} names nothing")
    return values


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for flags that make no sense."""
    read_flags(FLAGS, ("hm-agent train symmtom", *arguments))
    if _asked("help"):
        print(help_text(USAGE, GROUPS, FLAGS))
        return 0
    try:
        from hm_agent.worlds.symmtom.learning import training
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed: pip install 'hm_agent[train]'") from error
    return _train(training)


def _train(training: Any) -> int:
    """Runs all that the flags ask for. training: the module, which is imported late since it needs JAX."""
    if not _asked("out"):
        raise ConfigError("--out names no folder")
    out = Path(_asked("out"))
    planned_runs = _planned(training)
    if _asked("results"):  # fails before the training if it is a file
        Path(_asked("results")).mkdir(parents=True, exist_ok=True)
    for planned in planned_runs:
        folder = out / planned.settings.name / planned.algorithm / f"seed-{planned.seed}"
        show = LiveLine()
        try:
            evaluation = training.run(planned, folder, show)
        except training.TrainingFailed as error:
            print(f"\nhm-agent train: {error}", file=sys.stderr)
            return 1
        show.end()
        print(
            f"{planned.settings.name} {planned.algorithm} seed {planned.seed}: final {evaluation['final']:.1f}, "
            f"best {evaluation['best']:.1f}, heuristic {evaluation['heuristic']:.1f}, "
            f"mean reward per agent over {evaluation['evaluated_episodes']:,} episodes"
        )
        _tell(out)
    if not planned_runs:
        _tell(out)
    print(f"Summary: {out / 'summary.md'}")
    return 0


def _tell(out: Path) -> None:
    """Writes the summary of all runs in a folder, and publishes them where --results says."""
    out.mkdir(parents=True, exist_ok=True)
    found = results.read_results(out)
    write_whole(out / "summary.md", results.summary(found))
    if _asked("results"):
        results.publish(found, Path(_asked("results")))


def _planned(training: Any) -> list[Any]:
    """The runs that the flags ask for, in order; ConfigError if they make no sense, or a flag has no effect."""
    if not _asked("scenario"):
        if not _asked("results"):
            raise ConfigError("no scenario: say --scenario=symmtom_w6_n3_c3 or the like")
        idle = [flag.name for flag in (*_WHAT, *_HOW, *_RULES) if flag.name not in ("scenario", "out", "results")]
        _refuse(idle, "without --scenario nothing is trained")
        return []
    algorithms, seeds = _listed("algorithm"), _listed("seeds")
    for name in algorithms:
        if name not in ALGORITHMS:
            raise ConfigError(f"unknown algorithm {name!r}: there are {', '.join(ALGORITHMS)}")
    if not all(seed.isdecimal() and int(seed) < SEEDS for seed in seeds):
        raise ConfigError(f"--seeds={','.join(seeds)}: seeds are whole numbers below {SEEDS}, with commas")
    learn_by_maddpg = {isinstance(ALGORITHMS[name].network, ActorShape) for name in algorithms}
    if True not in learn_by_maddpg:
        _refuse(OF_MADDPG, f"{', '.join(algorithms)} learns by PPO")
    if False not in learn_by_maddpg:
        _refuse(OF_PPO, f"{', '.join(algorithms)} learns by MADDPG")
    parameters = {name: _parameters(name) for name in algorithms}
    return [
        training.Training(
            name,
            settings,
            seed,
            parameters[name],
            _asked("hidden"),
            evaluation=_asked("evaluation"),
            every=_asked("checkpoint_every"),
        )
        for settings in _games()
        for name in dict.fromkeys(algorithms)
        for seed in dict.fromkeys(map(int, seeds))
    ]


def _refuse(unused: Iterable[str], why: str) -> None:
    """Raises ConfigError if any of these flags is given."""
    for name in unused:
        if FLAGS[name].present:
            raise ConfigError(f"--{name} has no effect: {why}")


def _parameters(algorithm: str) -> Any:
    """The learning parameters of an algorithm by the flags; ConfigError if they don't go together."""
    from hm_agent.worlds.symmtom.learning.maddpg import MaddpgParameters
    from hm_agent.worlds.symmtom.learning.ppo import PpoParameters

    if isinstance(ALGORITHMS[algorithm].network, ActorShape):
        games = _asked("games") or MaddpgParameters.games
        if _asked("replay") % games:
            raise ConfigError(f"--replay={_asked('replay')} is no multiple of {games}, the episodes of an update")
        return MaddpgParameters(
            updates=-(-_asked("episodes") // games),
            games=games,
            every=_asked("every"),
            batch=_asked("batch"),
            capacity=_asked("replay"),
            learning_rate=_asked("learning_rate"),
        )
    games = _asked("games") or PpoParameters.games
    if games % PpoParameters.minibatches:
        raise ConfigError(f"--games={games} is no multiple of {PpoParameters.minibatches}")
    return PpoParameters(
        updates=-(-_asked("episodes") // games),
        games=games,
        learning_rate=_asked("learning_rate"),
        entropy=_asked("entropy"),
        team_share=_asked("team_share"),
    )


def _games() -> list[GameSettings]:
    """The games to train for, each once; ConfigError for an unknown scenario."""
    games: dict[GameSettings, None] = {}
    for name in _listed("scenario"):
        game = parse_name(name)
        if game is None and name != "symmtom_*":
            raise ConfigError(f"unknown scenario {name!r}: say symmtom_w6_n3_c3 or the like")
        games |= dict.fromkeys([game] if game else [setting.game for setting in paper_settings()])
    return [
        replace(
            game,
            has_public_first_hand=_asked("first_hand") == "public",
            is_competitive=_asked("rewards") == "competitive",
        )
        for game in games
    ]


class LiveLine:
    """Shows the progress of a run: one line that changes in a terminal, else a line every 30 seconds."""

    def __init__(self) -> None:
        self._started, self._shown, self._first = time.monotonic(), -60.0, 0

    def __call__(self, training: Any, progress: Any) -> None:
        updates, now = training.parameters.updates, time.monotonic()
        self._first = self._first or progress.updates
        pause = 0.2 if sys.stderr.isatty() else 30.0
        if now - self._shown < pause and progress.updates < updates:
            return
        self._shown = now
        done = progress.updates - self._first + 1
        left = (now - self._started) / done * (updates - progress.updates)
        rewards = progress.curve.rewards[-20:]
        best = f"best {progress.best:.1f}, " if isfinite(progress.best) else ""
        line = (
            f"{training.settings.name} {training.algorithm} seed {training.seed}: "
            f"{progress.updates * training.parameters.games:,} of {updates * training.parameters.games:,} episodes, "
            f"reward {sum(rewards) / len(rewards):.1f}, {best}{left:.0f} s left"
        )
        print(
            f"\r{line:<110}" if sys.stderr.isatty() else line, end="" if sys.stderr.isatty() else "\n", file=sys.stderr
        )

    def end(self) -> None:
        if sys.stderr.isatty():
            print(file=sys.stderr)
