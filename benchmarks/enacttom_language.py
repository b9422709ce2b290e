"""EnactToM played by language agents: success, tokens of the prompts, and sixteen episodes at the same time.

The first table is of the built-in reasoner, which is no language model, on every shipped task. Only `random` draws its
actions, so it plays each task ten times. Tokens are characters / 4 of the prompts that a language model would be sent.
The second table is of an endpoint on loopback that takes 0.2 seconds for each answer, with which agents walk about and
write to all others.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import mean, median
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory

from benchmarks.enacttom_ladder import episode_seed
from benchmarks.tokens import CountingReasoner
from hm_agent.api import play
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Recorder, Step
from hm_agent.experiment.planned_episode import Episode
from hm_agent.models.settings import ModelSettings
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.theory_of_mind.predictions import BASE_RATE, PREDICTED, RIGHT

AGENTS = ("random", "solo", "react", "reflexion", "plan_react", "hypothetical_minds", "hm_joint", "planner")
RANDOM_RUNS = 10
LATENCY, AT_ONCE, MOST_LONGER = 0.2, 16, 0.15


@dataclass
class TaskRun:
    """One episode. tokens, questions: per decision of a seat. largest: tokens of the longest prompt.

    judged, right: the numbers of predictions that could be judged and that were right. base: how many would have been
    right if each agent had always predicted the one act that proved best in hindsight.
    """

    metrics: Mapping[str, float]
    questions: float
    tokens: float
    largest: float
    judged: float
    right: float
    base: float


def measure(scenario: ScenarioInfo, agent: str, run: int = 0) -> TaskRun:
    model, seed = CountingReasoner(suites()["enacttom"].answers()), episode_seed(scenario, run)
    world, agents = set_up(scenario, agent, model=model, seed=seed)
    outcome = play_out(world, agents, seed=seed)
    decisions = outcome.steps * len(scenario.seats)
    metrics = [agent.metrics() for agent in agents.values()]
    judged = sum(own.get(PREDICTED, 0.0) for own in metrics)
    right, base = (sum(own.get(PREDICTED, 0.0) * own.get(kind, 0.0) for own in metrics) for kind in (RIGHT, BASE_RATE))
    size = sum(model.all_tokens) / decisions
    largest = max(model.all_tokens, default=0.0)
    return TaskRun(world.metrics(), len(model.all_tokens) / decisions, size, largest, judged, right, base)


def row(agent: str, runs: Sequence[TaskRun]) -> str:
    def share(name: str) -> str:
        return f"{mean(run.metrics[name] for run in runs if name in run.metrics):.3f}"

    judged = sum(run.judged for run in runs)
    right = f"{sum(run.right for run in runs) / judged:.2f} of {judged:.0f}" if judged else "-"
    base = f"{sum(run.base for run in runs) / judged:.2f}" if judged else "-"
    shares = " | ".join(map(share, ("functional_success", "literal_right", "known_share")))
    used = f"{mean(run.metrics['turns'] for run in runs):.1f} | {mean(run.metrics['messages'] for run in runs):.1f}"
    asked = f"{mean(run.questions for run in runs):.2f} | {median(run.tokens for run in runs):.0f}"
    return f"| {agent} | {shares} | {used} | {right} | {base} | {asked} | {max(run.largest for run in runs):.0f} |"


@dataclass
class RoundTrips(Recorder):
    """Counts an episode's requests that had to wait for each other: in each turn, those of the seat with the most."""

    started: float = field(default_factory=time.perf_counter)
    ended: float = 0.0
    count: int = 0

    def record(self, step: Step) -> None:
        calls = (sum(len(exchange.calls) for exchange in decision.exchanges) for decision in step.decisions.values())
        self.count += max(calls, default=0)
        self.ended = time.perf_counter()


@contextmanager
def endpoint() -> Iterator[str]:
    """Runs the endpoint in a process of its own; yields its URL."""
    command = [sys.executable, "-m", "tests.support.enacttom.house_endpoint", str(LATENCY)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()


def longer_than_needed(scenarios: Sequence[ScenarioInfo], agent: str) -> tuple[float, float]:
    """Plays an episode of each scenario, all at the same time; returns the seconds needed and the seconds taken.

    Needed are the delays of the longest chain of requests in which each has to wait for the one before.
    """
    trips: list[RoundTrips] = []

    def begin(episode: Episode) -> Recorder:
        trips.append(RoundTrips())
        return trips[-1]

    names = [scenario.name for scenario in scenarios]
    with TemporaryDirectory() as folder, endpoint() as url:
        play(
            names,
            agent,
            out=folder,
            model=ModelSettings("loopback", base_url=url),
            concurrency=len(names),
            record_replay=False,
            report=False,
            progress=False,
            recorders=[begin],
        )
    taken = max(episode.ended for episode in trips) - min(episode.started for episode in trips)
    return max(episode.count for episode in trips) * LATENCY, taken


def at_once(scenarios: Sequence[ScenarioInfo], agent: str) -> None:
    """Prints how much longer than needed an episode of each scenario takes, if all are played at the same time."""
    longer_than_needed(scenarios[:1], agent)  # so that imports at the first request are not measured
    worked = time.process_time()
    needed, taken = longer_than_needed(scenarios, agent)
    worked, load, over = time.process_time() - worked, os.getloadavg()[0], taken / needed - 1
    verdict = "ok" if over <= MOST_LONGER else "missed"
    seconds = f"{needed:.1f} | {taken:.1f} | {over:+.0%} | {worked:.1f}"
    print(f"| {agent} | {len(scenarios)} | {seconds} | {load:.1f} | {verdict} |", flush=True)


def main() -> None:
    scenarios = find_scenarios(["enacttom_*"])
    headings = "functional_success | literal_right | known_share | turns | messages | predictions right | best constant"
    tokens = "questions per decision | tokens per decision (median task) | largest prompt"
    print(f"| agent, {len(scenarios)} tasks | {headings} | {tokens} |\n|" + " --- |" * 11)
    by_agent: list[list[list[TaskRun]]] = []
    for agent in AGENTS:
        runs = [
            [measure(scenario, agent, run) for scenario in scenarios]
            for run in range(RANDOM_RUNS if agent == "random" else 1)
        ]
        print(row(agent, [task for tasks in runs for task in tasks]), flush=True)
        by_agent.append(runs)
    literal = [mean(task.metrics["literal_right"] for task in tasks) for tasks in by_agent[0]]
    print(f"\nliteral_right of {AGENTS[0]} in its {len(literal)} runs: {min(literal):.3f} to {max(literal):.3f}")
    headings = "episodes at once | seconds needed | seconds taken | more | CPU s | load of the machine | within 15%"
    print(f"\n| agent | {headings} |\n|" + " --- |" * 8)
    chosen = scenarios[:: max(1, len(scenarios) // AT_ONCE)][:AT_ONCE]
    for agent in ("react", "hypothetical_minds"):
        at_once(chosen, agent)


if __name__ == "__main__":
    main()
