"""How fast text environments are with a policy that takes no time, and how much memory many of them take.

A rate is that of the fastest pass over eight episodes, in the process's own time, since other work slows all of them.
The policy repeats what the built-in reasoner said when the same episodes were played before.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hm_agent.catalogue.registry import suites
from hm_agent.core import Seat
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.questions import AnswerT, ModelCall, Question, Unanswered, ignore
from hm_agent.testing.episodes import play_out, seat_agents
from hm_agent.text_env import TextEnv, text_env

SEEDS = range(8)
SECONDS = 5.0
ENVIRONMENTS = 256


@dataclass(frozen=True)
class Target:
    """A scenario, and how many replies or steps of the world a second are wanted of it on one core."""

    scenario: str
    what: str
    rate: float
    max_steps: int | None = None
    counts_steps: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


TARGETS = (
    Target("mg_rps_pure", "rounds", 2000),
    Target("exploretom_a1", "questions", 1000),
    Target("enacttom_appendix_e", "turns of the household", 300, counts_steps=True),
    Target("symmtom_w6_n3_c3", "plans", 0),
    Target("rws_repeated_1", "plans", 100, max_steps=300, options={"bots": "scripted"}),
)


class SpokenReasoner:
    """The built-in reasoner, which keeps its answers as texts, in order."""

    name = "builtin"

    def __init__(self, answers: ReasonerTable) -> None:
        self._reasoner, self.texts = BuiltinReasoner(answers), list[str]()

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        try:
            answer = await self._reasoner.answer(question)
        except Unanswered:
            self.texts += ["none"] * 4  # as often as a language model is asked
            raise
        self.texts.append(answer.model_dump_json())
        return answer


def spoken(env: TextEnv, seed: int) -> Mapping[Seat, Sequence[str]]:
    """What the built-in reasoner says in each seat in the episode of a seed."""
    table, suite = env.table, suites()[env.table.scenario.world]
    world, agents, models = suite.open(table.scenario, table.options), {}, {}
    for seat, name in table.agents.items():
        models[seat] = SpokenReasoner(suite.answers())
        built = seat_agents(world, table.scenario, name, model=models[seat], seed=seed, options=table.options)
        agents[seat] = built[seat]
    play_out(world, agents, seed=seed, steps=table.max_steps)
    return {seat: model.texts for seat, model in models.items()}


def replies(env: TextEnv, target: Target, episodes: Sequence[Mapping[Seat, Sequence[str]]]) -> Iterator[int]:
    """Plays the episodes again and again; yields how many times the seats replied, together, or the world's steps."""
    while True:
        for seed, texts in zip(SEEDS, episodes, strict=True):
            said = {seat: iter(own) for seat, own in texts.items()}
            observations, count = env.reset(seed), 0
            while observations:
                observations = env.step({seat: next(said[seat]) for seat in observations}).observations
                count += 1
            yield env.latest.infos[env.possible_seats[0]]["step"] if target.counts_steps else count


def measure(target: Target) -> None:
    with text_env(target.scenario, max_steps=target.max_steps, **target.options) as env:
        episodes = [spoken(env, seed) for seed in SEEDS]
        playing, rates, ends = replies(env, target, episodes), list[float](), time.monotonic() + SECONDS
        while time.monotonic() < ends or len(rates) < 2:
            started = time.process_time()
            counts = [next(playing) for _ in SEEDS]
            rates.append(sum(counts) / (time.process_time() - started))
    aim = f"{target.rate:,.0f}" if target.rate else "-"
    print(f"| {target.scenario} | {target.what} | {aim} | {max(rates):,.0f} |", flush=True)


def measure_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    envs = [
        text_env(target.scenario, **target.options)
        for target in TARGETS
        for _ in range(ENVIRONMENTS // len(TARGETS) + 1)
    ]
    for seed, env in enumerate(envs):
        env.reset(seed)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"\n{len(envs)} environments of all worlds in one process: {after / 1e6:.2f} GB ({before / 1e6:.2f} before)")


def main() -> None:
    print("| scenario | per second of one core | target | measured |\n| --- | --- | --- | --- |")
    for target in TARGETS:
        measure(target)
    measure_memory()
