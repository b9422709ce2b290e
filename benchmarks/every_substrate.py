"""Agents on every substrate of Melting Pot, without bots: no episode may fail, and few answers be refused.

First each question is answered at random within the schema of its answer, over HTTP; then by the built-in reasoner, for
as long as episodes last in the paper.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter

from hm_agent.suite import ScenarioInfo
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from tests.support.melting_pot.whole_episodes import play, play_at_random, self_play

AGENTS = ("react", "hypothetical_minds")
FEW_STEPS, STEPS = 50, 1000
SLOW = "chemistry"
"""Where many players have nothing to do but to plan, one of the agents is enough."""


def answered_at_random() -> None:
    """Every substrate, with random answers over HTTP."""
    columns = "| substrate | agent | steps | questions | answers | refused | unanswered |"
    print(f"{columns}\n| --- | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    refusals: Counter[str] = Counter()
    for scenario in self_play():
        for agent in AGENTS:
            steps, answers = play_at_random(scenario, agent, FEW_STEPS)
            refusals += answers.refusals
            counts = f"{answers.questions} | {answers.calls} | {answers.refusals.total()} | {answers.unanswered}"
            print(f"| `{scenario.name}` | {agent} | {steps} | {counts} |", flush=True)
    print("\nWhy answers were refused:\n")
    for reason, times in refusals.most_common():
        print(f"- {times} times {reason}")


def with_the_reasoner() -> None:
    """The substrates beside those of games with an agent of their own, with the reasoner."""
    print("| substrate | agent | seats | steps | questions | seconds |\n| --- | --- | ---: | ---: | ---: | ---: |", flush=True)
    for scenario in self_play():
        for agent in _agents_on(scenario):
            began = time.process_time()
            steps, answers = asyncio.run(play(scenario, agent, STEPS))
            counts = f"{len(scenario.seats)} | {steps} | {answers.questions} | {time.process_time() - began:.0f}"
            print(f"| `{scenario.name}` | {agent} | {counts} |", flush=True)


def _agents_on(scenario: ScenarioInfo) -> tuple[str, ...]:
    """The agents that are tried on a scenario for long."""
    return AGENTS
