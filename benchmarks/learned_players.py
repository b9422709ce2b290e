"""What players learn in Melting Pot, beside the agents of `make compare` in the same scenarios.

`python -m benchmarks.learned_players RUNS` reads the runs that `hm-agent train melting_pot` left in RUNS, puts their
final networks into the package, and their curves and a table into benchmarks/results/learned_players.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import copyfile
from typing import Any

from hm_agent.grouping import grouped
from hm_agent.reporting.statistics import mean_and_error
from hm_agent.storage.files import write_whole
from hm_agent.wording import with_error
from hm_agent.worlds.melting_pot.learning.populations import LEARNED, PUPPETS, load, save
from hm_agent.worlds.melting_pot.learning.ppo_agent import BEST_RESPONSE, SELF_PLAY
from hm_agent.worlds.melting_pot.own_agents import PPO
from hm_agent.worlds.melting_pot.scenarios import scenario_named

RESULTS = Path("benchmarks/results")
FOLDER = RESULTS / "learned_players"
MEASURED = ("random", "final", "best")
"""The players of an evaluation, in the order of the tables."""
BESIDE = ("react", "hypothetical_minds", "oracle")
"""Agents with the built-in reasoner that a player is compared with."""
HEAD = """# Learned players

`make learned-players` trains these networks by PPO on planes and measures them against scripted bots; those of seed 0
ship. Rewards are per 1,200 steps, in kitchens per 1,000, with standard errors over episodes, which leave out the
variation between training runs; no LLM is involved. The agents' are from [the comparison](../report.md) or, in
Chicken, from two episodes of [these](../games/README.md), on other seeds. Ratio: of `final` to `oracle`. The paper's
PPO: Hypothetical Minds, table 1, against the trained bots.

| trained | begun from | steps | scenario | episodes | random | final | best | the paper's PPO | {beside} | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | {lines} | --- |
"""
SEEDS_HEAD = """
## Between training runs

What `final` earns after training with other seeds: the mean ± standard error over seeds (least to most).

| trained | steps | scenario | seeds | random | final | the paper's PPO |
| --- | --- | --- | --- | --- | --- | --- |
"""
PUPPETS_HEAD = """
## Puppets

Their reward is [for pursuing goals](../../../hm_agent/worlds/melting_pot/games/matrix/simulator/practice.py).

| practised in | steps | episodes | random | final | best |
| --- | --- | --- | --- | --- | --- |
"""


def main(runs: Path) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    others = compared()
    rows = [row for run in runs_in(runs, "ppo") for row in lines(run, others)]
    seeds = [row for same in trained_again(runs) for row in seed_lines(same)]
    practised = [practice_line(run) for run in runs_in(runs, PUPPETS)]
    beside = " | ".join(f"`{name}`" for name in BESIDE)
    head = HEAD.format(beside=beside, lines=" | ".join("---" for _ in BESIDE))
    table = "\n".join([head + "\n".join(rows), SEEDS_HEAD + "\n".join(seeds), PUPPETS_HEAD + "\n".join(practised), ""])
    write_whole(FOLDER / "README.md", table)
    print(table)


def runs_in(folder: Path, algorithm: str) -> Iterator[Mapping[str, Any]]:
    """What each run of an algorithm was measured to earn; puts its network and its curves where they ship."""
    for path in sorted(folder.glob(f"*/{algorithm}/seed-0/evaluation.json")):
        evaluation = json.loads(path.read_text())
        scenario = scenario_named(evaluation["scenario"])
        substrate, played = scenario.game.substrate, SELF_PLAY if scenario.is_self_play else BEST_RESPONSE
        own = PUPPETS if algorithm == PUPPETS else played
        shipped = LEARNED / own / f"{scenario.name if own == BEST_RESPONSE else substrate}.npz"
        shipped.parent.mkdir(parents=True, exist_ok=True)
        save(shipped, load(path.with_name("last.npz"), substrate)[0])
        picture = f"{scenario.short_name}{'_puppets' if own == PUPPETS else ''}.png"
        copyfile(path.with_name("curve.png"), FOLDER / picture)
        yield evaluation


def trained_again(folder: Path) -> Iterator[Sequence[Mapping[str, Any]]]:
    """The evaluations of runs that differ in their seeds alone, if there are several."""
    for path in sorted(folder.glob("*/ppo")):
        evaluations = [json.loads(run.read_text()) for run in sorted(path.glob("seed-*/evaluation.json"))]
        if len(evaluations) > 1:
            yield evaluations


def seed_lines(evaluations: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The rows of runs that differ in their seeds alone, one for each scenario that they were measured in."""
    first = evaluations[0]
    for scenario, found in first["rewards"].items():
        played_in = scenario_named(scenario)
        final = [each["rewards"][scenario]["final"]["mean"] for each in evaluations]
        spread = f"{with_error(*mean_and_error(final))} ({min(final):.1f} to {max(final):.1f})"
        papers = played_in.published.get(PPO)
        cells = [scenario_named(first["scenario"]).short_name, f"{first['steps']:,}", played_in.short_name, len(final)]
        cells += [with_error(found["random"]["mean"], found["random"]["error"]), spread]
        yield f"| {' | '.join(map(str, [*cells, with_error(*papers) if papers else '-']))} |"


def practice_line(evaluation: Mapping[str, Any]) -> str:
    """The row of one run of puppets."""
    ((scenario, found),) = evaluation["rewards"].items()
    cells = (with_error(found[who]["mean"], found[who]["error"]) for who in MEASURED)
    told = f"{scenario_named(scenario).short_name} | {evaluation['steps']:,} | {evaluation['evaluation']}"
    return f"| {told} | {' | '.join(cells)} |"


def compared() -> Mapping[tuple[str, str], tuple[float, float | None]]:
    """The mean and its standard error by scenario and agent: of `make compare`, and of the other games' episodes."""
    with (RESULTS / "games" / "episodes.csv").open() as file:
        rewards = grouped(
            ((row["scenario"], row["agent"]), float(row["reward_per_1200_steps"]))
            for row in csv.DictReader(file)
            if row["reward_per_1200_steps"]
        )
    others = {played: mean_and_error(found) for played, found in rewards.items()}
    with (RESULTS / "report.csv").open() as file:
        return others | {
            (row["scenario"], row["agent"]): (float(row["mean"]), float(row["sem"])) for row in csv.DictReader(file)
        }


def lines(evaluation: Mapping[str, Any], others: Mapping[tuple[str, str], tuple[float, float | None]]) -> Iterator[str]:
    """The rows of one run, one for each scenario that it was measured in."""
    trained = scenario_named(evaluation["scenario"]).short_name
    for scenario, found in evaluation["rewards"].items():
        played_in = scenario_named(scenario)
        short = played_in.short_name
        beside = [others.get((short, agent)) for agent in BESIDE]
        learned = [(found[who]["mean"], found[who]["error"]) for who in MEASURED]
        papers = None if evaluation.get("start") else played_in.published.get(PPO)
        ratio = f"{learned[1][0] / beside[-1][0]:.2f}" if beside[-1] else "-"
        cells = (with_error(*value) if value else "-" for value in [*learned, papers, *beside])
        begun = f"{trained} | {evaluation.get('start') or 'random weights'}"
        counts = f"{evaluation['steps']:,} | {short} | {evaluation['evaluation']}"
        yield f"| {begun} | {counts} | {' | '.join(cells)} | {ratio} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
