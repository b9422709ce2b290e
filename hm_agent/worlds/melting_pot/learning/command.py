"""`hm-agent train melting_pot`: the flags, the runs one after the other, and a table of what they reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.world_command import WorldCommand
from hm_agent.config import ConfigError
from hm_agent.extensions import nearest
from hm_agent.flags.fields import flag_field
from hm_agent.learning.runs import ProgressLine, seeds_in, train_all
from hm_agent.storage.files import write_whole
from hm_agent.storage.folder_lock import locked
from hm_agent.wording import counted, markdown_table, with_error
from hm_agent.worlds.melting_pot.learning.populations import PUPPETS
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios, load_games, refuse_stand_ins

if TYPE_CHECKING:  # they need JAX
    from hm_agent.worlds.melting_pot.learning.training import PopulationProgress, PopulationTraining

USAGE = """Trains players of Melting Pot by PPO; needs the extra hm_agent[train].

    hm-agent train melting_pot --substrate=prisoners_dilemma_in_the_matrix__repeated --steps=2e6 --out=runs/train
    hm-agent train melting_pot --against=pd_repeated_5 --out=runs/train
    hm-agent train melting_pot --puppets --substrate=stag_hunt_repeated --discount=0.98 --out=runs/train

Each run leaves OUT/<substrate or scenario>/<ppo or puppets>/seed-<s>/ with last.npz, best.npz, curve.csv, curve.png and
evaluation.json. The same command again goes on where it was cut short. To see one play:

    hm-agent play --scenario=pd_repeated_5 --agent=ppo --checkpoint=OUT/.../best.npz"""


@dataclass(frozen=True)
class WhatFlags:
    substrate: str | None = flag_field(None, "The substrate to play among themselves, or its short name.")
    against: str | None = flag_field(None, "The scenario whose scripted bots to play against instead.")
    algorithm: str = flag_field("ppo", "The algorithm to train by.", choices=("ppo",))
    planes: bool = flag_field(False, "Learn from the sprites that perception finds, as by default.")
    pixels: bool = flag_field(False, "Learn from pixels.")
    puppets: bool = flag_field(False, "Learn to follow a puppeteer's goals, for --bots=learned, and not to earn.")
    start: str | None = flag_field(None, f"Begin from a checkpoint of the substrate, or from the {PUPPETS} that ship.")
    seeds: tuple[str, ...] = flag_field(("0",), "The seeds, with commas; each is a run of its own.")
    out: str = flag_field("runs/train", "The folder to write to; a run that was cut short there goes on.")


@dataclass(frozen=True)
class HowFlags:
    steps: int = flag_field(1_000_000, "How many steps of the environment to learn from.", lower=1)
    population: int | None = flag_field(None, "How many networks learn: 2, or 1 against bots or as puppets.", lower=1)
    tables: int = flag_field(16, "How many worlds are played at once.", lower=1)
    rollout: int = flag_field(100, "How many steps of each world an update learns from.", lower=1)
    learning_rate: float = flag_field(1e-3, "The learning rate at the start, which falls linearly.", lower=0)
    discount: float = flag_field(0.99, "How much a reward counts a step later.", lower=0, upper=1)
    entropy: float = flag_field(0.01, "The weight of the entropy bonus.", lower=0)
    hidden: int = flag_field(64, "Units of each hidden layer.", lower=1)
    actors: int = flag_field(2, "How many processes play.", lower=1)
    checkpoint_every: int = flag_field(20, "How many updates lie between checkpoints.", lower=1)
    evaluation: int = flag_field(5, "How many episodes of each scenario evaluate it.", lower=1)


COMMAND = WorldCommand("hm-agent train melting_pot", USAGE, {"What learns, and where": WhatFlags, "How": HowFlags})


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for flags that make no sense."""
    if COMMAND.read(arguments) is None:
        return 0
    what, how = COMMAND.values(WhatFlags), COMMAND.values(HowFlags)
    if not what.out:
        raise ConfigError("--out names no folder")
    scenario, seeds, out = _scenario(what), seeds_in(what.seeds, 2**31), Path(what.out)
    try:
        planned = list(_runs(scenario, seeds, what, how))
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed: pip install 'hm_agent[train]'") from error
    return train_all(train_one, [(training, out) for training in planned], lambda: None)


def _scenario(what: WhatFlags) -> Scenario:
    """The scenario to play; ConfigError unless the flags name one."""
    substrate, against = what.substrate, what.against
    if bool(substrate) == bool(against):
        raise ConfigError("say --substrate=NAME for self-play, or --against=SCENARIO for a best response to its bots")
    if substrate:
        games = {name: game for game in load_games() for name in (game.short_name, game.substrate)}
        if substrate not in games:
            raise ConfigError(f"unknown substrate {substrate!r}: {nearest(substrate, games)}see hm-agent list")
        return Scenario(games[substrate], None)
    named = {name: each for each in all_scenarios() for name in (each.short_name, each.name) if each.facts}
    if against not in named:
        raise ConfigError(f"--against: unknown scenario {against!r}: {nearest(str(against), named)}see hm-agent list")
    refuse_stand_ins(named[against])
    return named[against]


def _runs(scenario: Scenario, seeds: Sequence[int], what: WhatFlags, how: HowFlags) -> Iterator[PopulationTraining]:
    """The runs that the flags ask for; ConfigError if they make no sense."""
    from hm_agent.worlds.melting_pot.learning.population_ppo import PopulationParameters
    from hm_agent.worlds.melting_pot.learning.training import PopulationTraining

    if what.planes and what.pixels:
        raise ConfigError("--planes and --pixels: a network learns from one of them")
    parameters = PopulationParameters(
        updates=-(-how.steps // (how.tables * how.rollout)),
        tables=how.tables,
        steps=how.rollout,
        population=how.population or (2 if scenario.is_self_play and not what.puppets else 1),
        learning_rate=how.learning_rate,
        discount=how.discount,
        entropy=how.entropy,
    )
    for seed in seeds:
        training = PopulationTraining(
            scenario=scenario.name,
            sight="pixels" if what.pixels else "planes",
            seed=seed,
            parameters=parameters,
            hidden=how.hidden,
            every=how.checkpoint_every,
            actors=how.actors,
            evaluation=how.evaluation,
            puppets=what.puppets,
            start=what.start,
        )
        training.check()
        yield training


def train_one(training: PopulationTraining, out: Path) -> str:
    """Trains one run in its folder, and evaluates it; returns what it reached, a line for each scenario."""
    from hm_agent.worlds.melting_pot.learning.evaluating import evaluate
    from hm_agent.worlds.melting_pot.learning.training import run

    scenario = training.played
    name = scenario.game.substrate if scenario.is_self_play else scenario.name
    line, title = ProgressLine("steps"), f"{scenario.short_name} {training.learns} seed {training.seed}"

    def show(training: PopulationTraining, progress: PopulationProgress) -> None:
        rewards, updates = progress.curve.rewards[-20:], training.parameters.updates
        rate = f"{progress.rate:,.0f} steps/s, "
        line.show(title, progress.updates, updates, training.size, rewards, progress.best, rate)

    folder = out / name / training.learns / f"seed-{training.seed}"
    with locked(folder):
        run(training, folder, show)
        line.end()
        evaluation = evaluate(training, folder)
    told = table(evaluation, "reward for pursuing goals" if training.puppets else scenario.game.measure.unit)
    write_whole(folder / "evaluation.md", told)
    return f"{title}: {folder}\n\n{told}"


def table(evaluation: Any, unit: str) -> str:
    """What a run reached in each scenario, as a table in Markdown."""
    about = f"Mean {unit}, and its standard error over {counted(evaluation['evaluation'], 'episode')}."
    rows = (
        (name, *(with_error(one["mean"], one["error"]) for one in found.values()))
        for name, found in evaluation["rewards"].items()
    )
    return f"{about}\n\n{markdown_table(('scenario', 'final', 'best', 'random'), rows)}"
