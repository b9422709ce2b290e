"""The input tokens of a language model by game, compared with those of the authors' code, which were measured.

The prompts are those that a language model would be sent; the built-in reasoner answers the questions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean

from hm_agent.finding import find_scenarios
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.models.prompts import render
from hm_agent.questions import AnswerT, ModelCall, Question, ignore
from hm_agent.scenario import ScenarioInfo
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.melting_pot.games import answers

SEED = 0
CHARACTERS_PER_TOKEN = 4
AUTHORS_CODE = {
    "rws_repeated": (1000, 399_000),
    "pd_repeated": (1200, 613_000),
    "rws_arena": (1000, 2_060_000),
    "cooking_asymmetric": (1000, 368_000),
}
"""By game: the steps over which we measured the authors' code, and its input tokens (characters / 4)."""


@dataclass
class CountingReasoner:
    """The built-in reasoner, counting the calls and the characters that a language model would be sent."""

    name: str = "builtin"
    calls: int = 0
    characters: int = 0

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        self.calls += 1
        self.characters += len(render(question))
        return await BuiltinReasoner(answers()).answer(question, note)


def count(scenario: ScenarioInfo, steps: int) -> CountingReasoner:
    """Counts the calls and characters of one episode."""
    counter = CountingReasoner()
    world, agents = set_up(scenario, model=counter, bots="scripted")
    play_out(world, agents, seed=SEED, steps=steps)
    return counter


def main() -> None:
    print("| game | steps | calls | input tokens | the authors' code | share (target 10%) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for game, (steps, theirs) in AUTHORS_CODE.items():
        runs = [count(scenario, steps) for scenario in find_scenarios([f"{game}_*"])]
        calls, tokens = mean(run.calls for run in runs), mean(run.characters for run in runs) / CHARACTERS_PER_TOKEN
        print(f"| {game} | {steps:,} | {calls:.0f} | {tokens:,.0f} | {theirs:,} | {100 * tokens / theirs:.1f}% |")
