"""SymmToM played by language agents with the built-in reasoner: rewards, questions, and the tokens of their prompts.

Self-play, 20 episodes a row. Tokens are characters / 4 of the prompts that a language model would be sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.models.prompts import render
from hm_agent.questions import AnswerT, Call, Question, ignore
from hm_agent.registry import find_scenarios, suites
from hm_agent.suite import ScenarioInfo
from hm_agent.testing.episodes import play_out, set_up

AGENTS = ("random", "heuristic", "k_ge", "hypothetical_minds", "hm_joint", "react", "reflexion", "plan_react")
SCENARIOS = ("symmtom_w6_n3_c3", "symmtom_w6_n3_c9", "symmtom_w12_n4_c4")
SEEDS = range(1000, 1020)
CHARACTERS_PER_TOKEN = 4


class MeasuringReasoner:
    """The built-in reasoner; keeps the tokens of each prompt that a language model would be sent."""

    name = "builtin"

    def __init__(self) -> None:
        self._reasoner = BuiltinReasoner(suites()["symmtom"].answers())
        self.tokens: list[float] = []

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        self.tokens.append(len(render(question)) / CHARACTERS_PER_TOKEN)
        return await self._reasoner.answer(question, note)


@dataclass(frozen=True)
class SelfPlayRow:
    """rewards: per agent, by episode. decisions: of all seats. tokens: by prompt."""

    rewards: Sequence[float]
    decisions: int
    tokens: Sequence[float]

    def __str__(self) -> str:
        error = stdev(self.rewards) / len(self.rewards) ** 0.5
        asked, tokens = len(self.tokens) / self.decisions, sum(self.tokens) / self.decisions
        largest = max(self.tokens, default=0)
        return f"{mean(self.rewards):.1f} ± {error:.1f} | {asked:.2f} | {tokens:.0f} | {largest:.0f}"


def measure(scenario: ScenarioInfo, agent: str) -> SelfPlayRow:
    rewards, decisions, reasoner = [], 0, MeasuringReasoner()
    for seed in SEEDS:
        world, agents = set_up(scenario, agent, model=reasoner, seed=seed)
        outcome = play_out(world, agents, seed=seed)
        rewards.append(outcome.reward)
        decisions += outcome.steps * len(scenario.seats)
    return SelfPlayRow(rewards, decisions, reasoner.tokens)


def main() -> None:
    print("| scenario | agent | reward per agent | questions per decision | tokens per decision | largest prompt |")
    print("| --- | --- | --- | --- | --- | --- |")
    for scenario in find_scenarios(SCENARIOS):
        for agent in AGENTS:
            print(f"| {scenario.short_name} | {agent} | {measure(scenario, agent)} |", flush=True)
