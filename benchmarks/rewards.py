"""The reward of `hypothetical_minds` over five seeds per scenario, with `oracle`, `random` and the paper's figures."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.playing import rows_of
from hm_agent.catalogue.casting import can_play
from hm_agent.experiment import Experiment
from hm_agent.reporting.summary import cells
from hm_agent.reporting.tables import Row
from hm_agent.worlds.melting_pot.suite import SUITE

AGENTS = ("hypothetical_minds", "oracle", "random")
EPISODES = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as out:
        scenarios = tuple(scenario for scenario in SUITE.scenarios if can_play("oracle", scenario))
        options = {"bots": "scripted"}
        experiment = Experiment(scenarios, AGENTS, episodes=EPISODES, out=Path(out), options=options)
        rows = rows_of(experiment)
    print("| scenario | hypothetical_minds | interactions | the paper's (GPT-4) | oracle | of oracle | random |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in dict.fromkeys(row.scenario.short_name for row in rows):
        by_agent = {row.condition.agent: row for row in rows if row.scenario.short_name == name}
        _show(name, *(by_agent[agent] for agent in AGENTS))


def _show(name: str, ours: Row, oracle: Row, floor: Row) -> None:
    mine, best = ours.mean, oracle.mean
    share = f"{100 * mine / best:.0f}%" if mine is not None and best else "-"
    mean, interactions, paper = (cells(ours, name)[heading] for heading in ("mean", "interactions", "published"))
    best_mean, floor_mean = (cells(row, name)["mean"] for row in (oracle, floor))
    print(f"| {name} | {mean} | {interactions} | {paper} | {best_mean} | {share} | {floor_mean} |")
