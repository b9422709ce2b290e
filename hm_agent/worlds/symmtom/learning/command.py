"""`hm-agent train symmtom`: the flags, the runs one after the other, and the table at their end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.command_flags import define_float, help_text, read_flags
from hm_agent.config import ConfigError
from hm_agent.files import write_whole
from hm_agent.learning.runs import ProgressLine, train_all
from hm_agent.process.folder_lock import locked
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

SEEDS = 2**32
"""The number of seeds: JAX takes seeds modulo 2**32, so a larger one would repeat another run."""
FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_OWN: dict[str, Any] = {"flag_values": FLAGS}
_WHAT_FLAGS = (
    flags.DEFINE_list(
        "algorithm", ["ippo"], f"The algorithms to train by, with commas: {', '.join(ALGORITHMS)}.", **_OWN
    ),
    flags.DEFINE_list("scenario", [], "Scenarios by name, with commas, or symmtom_* for the paper's twelve.", **_OWN),
    flags.DEFINE_list("seeds", ["0"], "The seeds, with commas; each is a run of its own.", **_OWN),
    flags.DEFINE_string("out", "runs/train", "The folder to write to; a run that was cut short there goes on.", **_OWN),
    flags.DEFINE_string(
        "results", None, "A folder for a table, the paper's relations and figures of all runs in --out.", **_OWN
    ),
    flags.DEFINE_bool("missing", False, "Leave out runs whose results, by the same flags, --results has.", **_OWN),
)
_HOW_FLAGS = (
    flags.DEFINE_integer("episodes", 60_000, "How many episodes to learn from.", lower_bound=1, **_OWN),
    flags.DEFINE_integer(
        "games",
        None,
        "How many episodes each update plays: 128 and a multiple of 4 for PPO, 100 for MADDPG.",
        1,
        **_OWN,
    ),
    define_float(
        "learning_rate", 1e-3, "The learning rate at the start; that of PPO falls linearly.", lower_bound=0, **_OWN
    ),
    define_float("entropy", 0.01, "The weight of PPO's entropy bonus.", lower_bound=0, **_OWN),
    define_float(
        "team_share", 0.0, "The weight of all agents' mean reward in what each one learns from by PPO.", 0, 1, **_OWN
    ),
    flags.DEFINE_integer("replay", 10_000, "How many episodes MADDPG's replay holds.", lower_bound=1, **_OWN),
    flags.DEFINE_integer("batch", 1024, "How many transitions MADDPG learns from at once.", lower_bound=1, **_OWN),
    flags.DEFINE_integer(
        "every", 100, "How many steps of games lie between two steps of MADDPG's optimiser.", lower_bound=1, **_OWN
    ),
    flags.DEFINE_integer("hidden", 64, "Units of each hidden layer.", lower_bound=1, **_OWN),
    flags.DEFINE_integer("evaluation", 1000, "How many episodes evaluate a checkpoint.", lower_bound=1, **_OWN),
    flags.DEFINE_integer("checkpoint_every", 20, "How many updates lie between checkpoints.", lower_bound=1, **_OWN),
)
_RULES_FLAGS = (
    flags.DEFINE_enum("first_hand", PUBLIC, [PUBLIC, PRIVATE], "As in play.", **_OWN),
    flags.DEFINE_enum("rewards", COOPERATIVE, [COOPERATIVE, COMPETITIVE], "As in play.", **_OWN),
    flags.DEFINE_enum("rules", PAPER, [PAPER, PUBLISHED], "As in play.", **_OWN),
)
_HELP_FLAGS = (flags.DEFINE_bool("help", False, "Show this help, and end.", **_OWN),)
GROUPS = {"What learns, and where": _WHAT_FLAGS, "How": _HOW_FLAGS, "The rules": _RULES_FLAGS, "Help": _HELP_FLAGS}
PPO_FLAGS, MADDPG_FLAGS = ("entropy", "team_share"), ("replay", "batch", "every")
"""The flags that only one of the two families of algorithms uses."""

USAGE = """Trains agents to play SymmToM in self-play; needs the extra hm_agent[train].

    hm-agent train symmtom --algorithm=ippo --scenario=symmtom_w6_n3_c3 --seeds=0,1,2 --out=runs/train

Each run leaves OUT/<scenario>/<algorithm>/seed-<s>/ with last.npz, best.npz, curve.csv, curve.png and evaluation.json;
OUT/summary.md sums all of OUT up. The same command again goes on where it was cut short. To see one play:

    hm-agent play --scenario=symmtom_w6_n3_c3 --agent=ippo --checkpoint=OUT/.../best.npz"""


def _value(flag: str) -> Any:
    return FLAGS[flag].value


def _list_values(flag: str) -> list[str]:
    """The values of a list flag without empty ones, as a comma at the end leaves; ConfigError if there is none."""
    values = [value for value in _value(flag) if value]
    if not values:
        raise ConfigError(f"--{flag} names nothing")
    return values


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for flags that make no sense."""
    read_flags(FLAGS, ("hm-agent train symmtom", *arguments))
    if _value("help"):
        print(help_text(USAGE, GROUPS, FLAGS))
        return 0
    try:
        from hm_agent.worlds.symmtom.learning import training
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed: pip install 'hm_agent[train]'") from error
    return _train(training)


def _train(training: Any) -> int:
    """Runs all that the flags ask for. training: the module, which is imported late since it needs JAX."""
    if not _value("out"):
        raise ConfigError("--out names no folder")
    out = Path(_value("out"))
    planned_runs = _runs_to_train(training)
    if _value("missing"):
        if not _value("results"):
            raise ConfigError("--missing has no effect: --results names no folder")
        planned_runs = results.missing(planned_runs, Path(_value("results")))
    if _value("results"):  # fails before the training if it is a file
        Path(_value("results")).mkdir(parents=True, exist_ok=True)
    status = train_all(train_one, [(planned, out) for planned in planned_runs], lambda: _write_summary(out))
    if status:
        return status
    if not planned_runs:
        _write_summary(out)
    print(f"Summary: {out / 'summary.md'}")
    return 0


def train_one(planned: Any, out: Path) -> str:
    """Trains one run in its folder; returns a line on its evaluation."""
    from hm_agent.worlds.symmtom.learning import training

    show = LiveLine()
    folder = out / planned.settings.name / planned.algorithm / f"seed-{planned.seed}"
    with locked(folder):
        evaluation = training.run(planned, folder, show)
    show.end()
    return (
        f"{planned.settings.name} {planned.algorithm} seed {planned.seed}: final {evaluation['final']:.1f}, "
        f"best {evaluation['best']:.1f}, heuristic {evaluation['heuristic']:.1f}, "
        f"mean reward per agent over {evaluation['evaluated_episodes']:,} episodes; by {evaluation['device']}"
    )


def _write_summary(out: Path) -> None:
    """Writes the summary of all runs in a folder, and keeps them where --results says."""
    out.mkdir(parents=True, exist_ok=True)
    training_results = results.read_results(out)
    write_whole(out / "summary.md", results.summary(training_results))
    if _value("results"):
        results.keep(training_results, Path(_value("results")))


def _runs_to_train(training: Any) -> list[Any]:
    """The runs that the flags ask for, in order; ConfigError if they make no sense, or a flag has no effect."""
    if not _value("scenario"):
        if not _value("results"):
            raise ConfigError("no scenario: say --scenario=symmtom_w6_n3_c3 or the like")
        idle = [
            flag.name
            for flag in (*_WHAT_FLAGS, *_HOW_FLAGS, *_RULES_FLAGS)
            if flag.name not in ("scenario", "out", "results")
        ]
        _refuse(idle, "without --scenario nothing is trained")
        return []
    algorithms, seeds = _list_values("algorithm"), _list_values("seeds")
    for name in algorithms:
        if name not in ALGORITHMS:
            raise ConfigError(f"unknown algorithm {name!r}: there are {', '.join(ALGORITHMS)}")
    if not all(seed.isdecimal() and int(seed) < SEEDS for seed in seeds):
        raise ConfigError(f"--seeds={','.join(seeds)}: seeds are whole numbers below {SEEDS}, with commas")
    learn_by_maddpg = {isinstance(ALGORITHMS[name].network, ActorShape) for name in algorithms}
    if True not in learn_by_maddpg:
        _refuse(MADDPG_FLAGS, f"{', '.join(algorithms)} learns by PPO")
    if False not in learn_by_maddpg:
        _refuse(PPO_FLAGS, f"{', '.join(algorithms)} learns by MADDPG")
    parameters = {name: _parameters(name) for name in algorithms}
    return [
        training.Training(
            name,
            settings,
            seed,
            parameters[name],
            _value("hidden"),
            evaluation=_value("evaluation"),
            every=_value("checkpoint_every"),
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
        games = _value("games") or MaddpgParameters.games
        if _value("replay") % games:
            raise ConfigError(f"--replay={_value('replay')} is no multiple of {games}, the episodes of an update")
        given = {"capacity": _value("replay"), **{flag: _value(flag) for flag in ("every", "batch", "learning_rate")}}
        return MaddpgParameters(-(-_value("episodes") // games), games, **given)
    games = _value("games") or PpoParameters.games
    if games % PpoParameters.minibatches:
        raise ConfigError(f"--games={games} is no multiple of {PpoParameters.minibatches}")
    given = {flag: _value(flag) for flag in ("learning_rate", "entropy", "team_share")}
    return PpoParameters(-(-_value("episodes") // games), games, **given)


def _games() -> list[GameSettings]:
    """The games to train for, each once; ConfigError for an unknown scenario."""
    games: dict[GameSettings, None] = {}
    for name in _list_values("scenario"):
        game = parse_name(name)
        if game is None and name != "symmtom_*":
            raise ConfigError(f"unknown scenario {name!r}: say symmtom_w6_n3_c3 or the like")
        games |= dict.fromkeys([game] if game else [setting.game for setting in paper_settings()])
    return [game.under(_value("first_hand"), _value("rewards"), _value("rules")) for game in games]


class LiveLine(ProgressLine):
    """Shows the progress of a run, as it is called to after every update."""

    def __init__(self) -> None:
        super().__init__("episodes")

    def __call__(self, training: Any, progress: Any) -> None:
        name = f"{training.settings.name} {training.algorithm} seed {training.seed}"
        updates, games = training.parameters.updates, training.parameters.games
        self.show(name, progress.updates, updates, games, progress.curve.rewards[-20:], progress.best)
