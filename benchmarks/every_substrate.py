"""Agents on the substrates of Melting Pot, without bots: no episode may fail, and few answers be refused.

Seats have the two agents by turns. On every substrate, a random answer that fits its schema comes over HTTP on each
question; then the built-in reasoner plays long episodes of the games of matrices and kitchens, and of three of the
slowest substrates, where one of the agents is enough.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter

from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from tests.support.melting_pot.whole_episodes import AGENTS, play, play_at_random, self_play

FEW_STEPS, STEPS = 50, 1000
SLOW = (
    "two_metabolic_cycles_selfplay",
    "three_metabolic_cycles_selfplay",
    "two_metabolic_cycles_with_distractors_selfplay",
)


def main() -> None:
    refusals: Counter[str] = Counter()
    print(
        "| substrate | seats | steps | questions | answers | refused | unanswered |\n| --- |" + 6 * " ---: |",
        flush=True,
    )
    for scenario in self_play():
        answers = asyncio.run(play_at_random(scenario, AGENTS, FEW_STEPS))
        refusals += answers.refusals
        counts = f"{answers.questions} | {answers.calls} | {answers.refusals.total()} | {answers.unanswered}"
        print(f"| `{scenario.name}` | {len(scenario.seats)} | {answers.steps} | {counts} |", flush=True)
    print("\nWhy answers were refused:", *(f"{times} x {why}" for why, times in refusals.most_common()), sep="\n- ")
    print("\n| substrate | seats | steps | questions | CPU seconds |\n| --- |" + 4 * " ---: |", flush=True)
    others = [each for each in self_play() if not isinstance(scenario_named(each.name).game, SubstrateFacts)]
    slow = [each for each in self_play() if each.name.startswith("chemistry") and each.name.endswith(SLOW)]
    for scenario in (*others, *slow):
        began = time.process_time()
        answers = asyncio.run(play(scenario, AGENTS[:1] if scenario in slow else AGENTS, STEPS))
        counts = f"{answers.steps} | {answers.questions} | {time.process_time() - began:.0f}"
        print(f"| `{scenario.name}` | {len(scenario.seats)} | {counts} |", flush=True)
