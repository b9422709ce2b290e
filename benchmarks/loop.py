"""How much of the simulator's own speed is left with an agent in every seat: both measured in the same episode.

CPU time of self-play with `react`, once pictures and prompts were seen in another episode. What the built-in reasoner
takes for its answers, in place of a language model, is shown but does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Seat, Turn
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import AnswerT, ModelCall, Question, ignore
from hm_agent.testing.episodes import play_out, seat_agents
from hm_agent.worlds.melting_pot.games import answers
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld

WARM_UP, STEPS = 40, 200
FEW = ("coins_selfplay", "daycare_selfplay", "pd_repeated_selfplay", "cooking_cramped_selfplay")
MANY = (
    "chicken_arena_selfplay",
    "cooking_crowded_selfplay",
    "paintball_king_of_the_hill_selfplay",
    "territory_open_selfplay",
)
TARGETS = {name: target for names, target in ((FEW, 60), (MANY, 35)) for name in names}
"""The scenarios, with the least share in percent: with two seats, and with eight or more."""


class TimedWorld(SelfPlayWorld):
    """Keeps the CPU seconds of its steps, and when its first state was ready and its latest step done."""

    began = ended = seconds = 0.0

    def reset(self, seed: int) -> Turn[View]:
        turn = super().reset(seed)
        self.began = time.process_time()
        return turn

    def step(self, actions: Mapping[Seat, int]) -> Turn[View]:
        began = time.process_time()
        turn = super().step(actions)
        self.ended = time.process_time()
        self.seconds += self.ended - began
        return turn


@dataclass
class TimedReasoner:
    """The built-in reasoner, with the CPU seconds of its answers."""

    name: str = "builtin"
    seconds: float = 0.0

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        began = time.process_time()
        answer = await BuiltinReasoner(answers()).answer(question, note)
        self.seconds += time.process_time() - began
        return answer


def main() -> None:
    columns = "scenario | seats | simulator, ms a step | loop without answers | share | target | answers"
    print(f"| {columns} |\n| --- |{6 * ' ---: |'}", flush=True)
    for scenario in find_scenarios([*TARGETS]):
        _play(scenario, WARM_UP)
        simulator, loop, answering = (1000 * seconds / STEPS for seconds in _play(scenario, STEPS))
        share = f"{100 * simulator / loop:.0f}% | {TARGETS[scenario.short_name]}%"
        seats = len(scenario.seats)
        print(
            f"| `{scenario.short_name}` | {seats} | {simulator:.2f} | {loop:.2f} | {share} | {answering:.2f} |",
            flush=True,
        )


def _play(scenario: ScenarioInfo, steps: int) -> tuple[float, float, float]:
    """The CPU seconds of the simulator's steps, of these with perception and agents, and of the reasoner's answers."""
    world, reasoner = TimedWorld(scenario_named(scenario.name)), TimedReasoner()
    agents = seat_agents(world, scenario, "react", model=reasoner)
    play_out(world, agents, seed=0, steps=steps)
    return world.seconds, world.ended - world.began - reasoner.seconds, reasoner.seconds
