"""How much a language model would have to read, game by game, beside the paper's published code.

The prompts are real; the built-in reasoner answers them, so that no language model is involved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean

from benchmarks.stage import set_up
from hm_agent.episode import run_episode
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.models.prompts import render
from hm_agent.questions import AnswerT, Call, Question, ignore
from hm_agent.worlds.melting_pot.scenarios import Scenario, find_scenarios

SEED = 0
CHARACTERS_PER_TOKEN = 4
PAPERS_CODE = {
    "rws_repeated": (1000, 399_000),
    "pd_repeated": (1200, 613_000),
    "rws_arena": (1000, 2_060_000),
    "cooking_asymmetric": (1000, 368_000),
}
"""By game: for how many steps the paper's published code was measured, and its input tokens (characters / 4) then."""


@dataclass
class Reader:
    """Answers as the built-in reasoner does, and counts what a language model would have been sent."""

    name: str = "builtin"
    calls: int = 0
    characters: int = 0

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        self.calls += 1
        self.characters += len(render(question))
        return await BuiltinReasoner().answer(question, note)


def read(scenario: Scenario, steps: int) -> Reader:
    """What one run of so many steps takes."""
    reader = Reader()
    world, agent = set_up(scenario, SEED, reader)
    asyncio.run(run_episode(world, agent, seed=SEED, max_steps=steps))
    world.close()
    return reader


def main() -> None:
    print("| game | steps | calls | input tokens | the paper's code | share (target 25%) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for game, (steps, theirs) in PAPERS_CODE.items():
        runs = [read(scenario, steps) for scenario in find_scenarios([f"{game}_*"])]
        calls, tokens = mean(run.calls for run in runs), mean(run.characters for run in runs) / CHARACTERS_PER_TOKEN
        print(f"| {game} | {steps:,} | {calls:.0f} | {tokens:,.0f} | {theirs:,} | {100 * tokens / theirs:.0f}% |")
