"""What the agent earns: five seeds a scenario, beside the ceiling, the floor and the paper."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rich.console import Console

from hm_agent.console import ConsoleProgress
from hm_agent.engines.run import run
from hm_agent.experiment import Experiment
from hm_agent.reporting.summary import cells
from hm_agent.reporting.tables import Row, tabulate
from hm_agent.worlds.melting_pot.scenarios import all_scenarios

AGENTS = ("hypothetical_minds", "oracle", "random")
EPISODES = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as out:
        experiment = Experiment(tuple(all_scenarios()), AGENTS, episodes=EPISODES, out=Path(out), bots="scripted")
        with ConsoleProgress(Console(stderr=True), sum(1 for _ in experiment.plan())) as progress:
            rows = tabulate(run(experiment, progress))
    print("| scenario | hypothetical_minds | interactions | the paper's (GPT-4) | oracle | of oracle | random |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in dict.fromkeys(row.stage.short_name for row in rows):
        by_agent = {row.contestant.agent: row for row in rows if row.stage.short_name == name}
        _show(name, *(by_agent[agent] for agent in AGENTS))


def _show(name: str, ours: Row, oracle: Row, floor: Row) -> None:
    mine, best = ours.normalised_reward, oracle.normalised_reward
    share = f"{100 * mine / best:.0f}%" if mine is not None and best else "-"
    mean, interactions, paper = cells(ours, name)[5:8]
    print(
        f"| {name} | {mean} | {interactions} | {paper} | {cells(oracle, name)[5]} | {share} | {cells(floor, name)[5]} |"
    )
