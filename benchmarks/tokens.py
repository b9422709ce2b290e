"""The input tokens of a language model: by game, beside those of the authors' code, which we measured; and of plans.

The prompts are those that a language model would be sent; the built-in reasoner answers the questions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from statistics import mean, median

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.models.prompts import render
from hm_agent.questions import AnswerT, ModelCall, Question, ignore
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
PLANS_STEPS, MOST_TOKENS = 100, 700
"""For how many steps plans are made on each substrate, and the most tokens that one is to take on the median one."""


@dataclass
class CountingReasoner:
    """The built-in reasoner, noting the tokens that a language model would be sent, by the kind of question."""

    answers: ReasonerTable
    name: str = "builtin"
    tokens: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        self.tokens[question.asked_as].append(len(render(question)) / CHARACTERS_PER_TOKEN)
        return await BuiltinReasoner(self.answers).answer(question, note)

    @property
    def all_tokens(self) -> list[float]:
        return [*chain(*self.tokens.values())]


def count(scenario: ScenarioInfo, steps: int, agent: str = "hypothetical_minds") -> CountingReasoner:
    """Counts the tokens of one episode with an agent in all seats."""
    counter = CountingReasoner(answers())
    world, agents = set_up(scenario, agent, model=counter, bots="scripted")
    play_out(world, agents, seed=SEED, steps=steps)
    return counter


def count_plans() -> None:
    print("\n| substrate, without bots | plans of `react` | median input tokens |\n| --- | --- | --- |")
    medians = []
    for scenario in find_scenarios(["*_selfplay"]):
        if scenario.world == "melting_pot":
            plans = count(scenario, PLANS_STEPS, "react").tokens["Plan"]
            medians.append(median(plans))
            print(f"| {scenario.short_name} | {len(plans)} | {medians[-1]:,.0f} |", flush=True)
    print(f"\nOn the median of {len(medians)} substrates a plan takes {median(medians):,.0f} (target {MOST_TOKENS}).")


def main() -> None:
    print("| game | steps | calls | input tokens | the authors' code | share (target 10%) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for game, (steps, theirs) in AUTHORS_CODE.items():
        runs = [count(scenario, steps) for scenario in find_scenarios([f"{game}_*"])]
        calls, tokens = mean(len(run.all_tokens) for run in runs), mean(sum(run.all_tokens) for run in runs)
        print(f"| {game} | {steps:,} | {calls:.0f} | {tokens:,.0f} | {theirs:,} | {100 * tokens / theirs:.1f}% |")
    count_plans()
