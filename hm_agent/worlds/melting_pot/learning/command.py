"""`hm-agent train melting_pot`: the flags, the runs one after the other, and a table of what they reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.command_flags import define_float, define_integer, help_text, read_flags
from hm_agent.config import ConfigError
from hm_agent.extensions import nearest
from hm_agent.files import write_whole
from hm_agent.learning.runs import ProgressLine, train_all
from hm_agent.process.folder_lock import locked
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios, load_games, refuse_stand_ins

FLAGS = flags.FlagValues()  # type: ignore[no-untyped-call]
_OWN: dict[str, Any] = {"flag_values": FLAGS}
_WHAT_FLAGS = (
    flags.DEFINE_string("substrate", None, "The substrate to play among themselves, or its short name.", **_OWN),
    flags.DEFINE_string("against", None, "The scenario whose scripted bots to play against instead.", **_OWN),
    flags.DEFINE_enum("algorithm", "ppo", ["ppo"], "The algorithm to train by.", **_OWN),
    flags.DEFINE_bool("planes", False, "Learn from the sprites that perception finds, as by default.", **_OWN),
    flags.DEFINE_bool("pixels", False, "Learn from pixels.", **_OWN),
    flags.DEFINE_list("seeds", ["0"], "The seeds, with commas; each is a run of its own.", **_OWN),
    flags.DEFINE_string("out", "runs/train", "The folder to write to; a run that was cut short there goes on.", **_OWN),
)
_HOW_FLAGS = (
    define_integer("steps", 1_000_000, "How many steps of the environment to learn from.", lower_bound=1, **_OWN),
    flags.DEFINE_integer("population", None, "How many networks learn: 2, or 1 against bots.", 1, **_OWN),
    flags.DEFINE_integer("tables", 16, "How many worlds are played at once.", lower_bound=1, **_OWN),
    flags.DEFINE_integer("rollout", 100, "How many steps of each world an update learns from.", lower_bound=1, **_OWN),
    define_float("learning_rate", 1e-3, "The learning rate at the start, which falls linearly.", lower_bound=0, **_OWN),
    define_float("discount", 0.99, "How much a reward counts a step later.", 0, 1, **_OWN),
    define_float("entropy", 0.01, "The weight of the entropy bonus.", lower_bound=0, **_OWN),
    flags.DEFINE_integer("hidden", 64, "Units of each hidden layer.", lower_bound=1, **_OWN),
    flags.DEFINE_integer("actors", 2, "How many processes play.", lower_bound=1, **_OWN),
    flags.DEFINE_integer("checkpoint_every", 20, "How many updates lie between checkpoints.", lower_bound=1, **_OWN),
    flags.DEFINE_integer("evaluation", 5, "How many episodes of each scenario evaluate it.", lower_bound=1, **_OWN),
)
_HELP_FLAGS = (flags.DEFINE_bool("help", False, "Show this help, and end.", **_OWN),)
GROUPS = {"What learns, and where": _WHAT_FLAGS, "How": _HOW_FLAGS, "Help": _HELP_FLAGS}

USAGE = """Trains players of Melting Pot by PPO; needs the extra hm_agent[train].

    hm-agent train melting_pot --substrate=prisoners_dilemma_in_the_matrix__repeated --steps=2e6 --out=runs/train
    hm-agent train melting_pot --against=pd_repeated_5 --out=runs/train

Each run leaves OUT/<substrate or scenario>/ppo/seed-<s>/ with last.npz, best.npz, curve.csv, curve.png and
evaluation.json. The same command again goes on where it was cut short. To see one play:

    hm-agent play --scenario=pd_repeated_5 --agent=ppo --checkpoint=OUT/.../best.npz"""


def _value(flag: str) -> Any:
    return FLAGS[flag].value


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for flags that make no sense."""
    read_flags(FLAGS, ("hm-agent train melting_pot", *arguments))
    if _value("help"):
        print(help_text(USAGE, GROUPS, FLAGS))
        return 0
    if not _value("out"):
        raise ConfigError("--out names no folder")
    scenario, seeds, out = _scenario(), _seeds(), Path(_value("out"))
    try:
        planned = list(_runs(scenario, seeds))
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed: pip install 'hm_agent[train]'") from error
    return train_all(train_one, [(training, out) for training in planned], lambda: None)


def _scenario() -> Scenario:
    """The scenario to play; ConfigError unless the flags name one."""
    substrate, against = _value("substrate"), _value("against")
    if bool(substrate) == bool(against):
        raise ConfigError("say --substrate=NAME for self-play, or --against=SCENARIO for a best response to its bots")
    if substrate:
        games = {name: game for game in load_games() for name in (game.short_name, game.substrate)}
        if substrate not in games:
            raise ConfigError(f"unknown substrate {substrate!r}: {nearest(substrate, games)}see hm-agent list")
        return Scenario(games[substrate], None)
    named = {name: each for each in all_scenarios() for name in (each.short_name, each.name) if not each.is_self_play}
    if against not in named:
        raise ConfigError(f"--against: unknown scenario {against!r}: {nearest(against, named)}see hm-agent list")
    refuse_stand_ins(named[against])
    return named[against]


def _seeds() -> list[int]:
    given = [seed for seed in _value("seeds") if seed]
    if not given or not all(seed.isdecimal() and int(seed) < 2**31 for seed in given):
        raise ConfigError(f"--seeds={','.join(given)}: seeds are whole numbers below {2**31}, with commas")
    return list(dict.fromkeys(map(int, given)))


def _runs(scenario: Scenario, seeds: Sequence[int]) -> Iterator[Any]:
    """The runs that the flags ask for; ConfigError if they make no sense."""
    from hm_agent.worlds.melting_pot.learning.population_ppo import PopulationParameters
    from hm_agent.worlds.melting_pot.learning.training import PopulationTraining

    if _value("planes") and _value("pixels"):
        raise ConfigError("--planes and --pixels: a network learns from one of them")
    tables, rollout = _value("tables"), _value("rollout")
    given = {flag: _value(flag) for flag in ("learning_rate", "discount", "entropy")}
    population = _value("population") or (2 if scenario.is_self_play else 1)
    parameters = PopulationParameters(-(-_value("steps") // (tables * rollout)), tables, rollout, population, **given)
    for seed in seeds:
        training = PopulationTraining(
            scenario.name,
            "pixels" if _value("pixels") else "planes",
            seed,
            parameters,
            _value("hidden"),
            _value("checkpoint_every"),
            _value("actors"),
            _value("evaluation"),
        )
        training.check()
        yield training


def train_one(training: Any, out: Path) -> str:
    """Trains one run in its folder, and evaluates it; returns what it reached, a line for each scenario."""
    from hm_agent.worlds.melting_pot.learning.evaluating import evaluate
    from hm_agent.worlds.melting_pot.learning.training import run

    scenario: Scenario = training.played
    name = scenario.game.substrate if scenario.is_self_play else scenario.name
    line, title = ProgressLine("steps"), f"{scenario.short_name} ppo seed {training.seed}"

    def show(training: Any, progress: Any) -> None:
        rewards, updates = progress.curve.rewards[-20:], training.parameters.updates
        rate = f"{progress.rate:,.0f} steps/s, "
        line.show(title, progress.updates, updates, training.size, rewards, progress.best, rate)

    folder = out / name / "ppo" / f"seed-{training.seed}"
    with locked(folder):
        run(training, folder, show)
        line.end()
        evaluation = evaluate(training, folder)
    told = table(evaluation, scenario.game.measure.unit)
    write_whole(folder / "evaluation.md", told)
    return f"{title}: {folder}\n\n{told}"


def table(evaluation: Any, unit: str) -> str:
    """What a run reached in each scenario, as a table in Markdown."""
    lines = [f"Mean {unit}, and its standard error over {evaluation['evaluation']} episodes.", ""]
    lines += ["| scenario | final | best | random |", "| --- | --- | --- | --- |"]
    for name, found in evaluation["rewards"].items():
        cells = (f"{one['mean']:.1f}" + (f" ± {one['error']:.1f}" if one["error"] else "") for one in found.values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
