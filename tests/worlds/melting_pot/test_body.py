"""The body of a player of Melting Pot: when a strategy has it ask for a plan."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hm_agent.agents.agent import Recipe
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.suite import AgentSetup
from hm_agent.core import Event, Thoughts
from hm_agent.testing.episodes import play_out, settled
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from tests.model_stand_ins import CheckedReasoner

CHANGED, AT = "your strategy has changed", 12
BEFORE = MatrixStrategy("hold rock", target=(6, 1, 1), expected=(1, 1, 5))


class Turning(Strategist):
    """Follows one strategy for some steps, and then another one."""

    history = ()

    def __init__(self, after: MatrixStrategy) -> None:
        self._after, self._step = after, -1

    async def revise(self, events: Sequence[Event]) -> MatrixStrategy:
        self._step += 1
        return BEFORE if self._step < AT else self._after

    def thoughts(self) -> Thoughts:
        return Thoughts()


def reasons(after: MatrixStrategy) -> list[str | None]:
    """Why plans are asked for in a game in which the strategy turns from BEFORE into another one."""
    (scenario,) = find_scenarios(["rws_repeated_1"])
    suite, options = suites()[scenario.world], settled(scenario)
    world, model = suite.open(scenario, options), CheckedReasoner(suite.answers())
    (seat,) = scenario.seats
    setup = AgentSetup(scenario, world, seat, model, 0, options, Parameters())
    agent = Recipe("turns", lambda mind, model, parameters: Turning(after)).build(
        suite.body(setup), model, setup.parameters
    )
    play_out(world, {seat: agent}, seed=0, steps=AT + 4)
    return [question.because for question in model.asked if isinstance(question, Plan)]


@pytest.mark.parametrize(
    "after",
    [
        MatrixStrategy("hold paper", target=(1, 6, 1), expected=(1, 1, 5)),
        MatrixStrategy("hold rock", target=(6, 1, 1), expected=(1, 1, 5), covert=True),
        MatrixStrategy("hold rock", target=(6, 1, 1), expected=(5, 1, 1)),
        MatrixStrategy("hold rock", target=(6, 1, 1), expected=(1, 1, 5), seek=()),
    ],
)
def test_a_plan_is_asked_for_once_the_strategy_aims_at_something_else(after: MatrixStrategy) -> None:
    assert CHANGED in reasons(after)


@pytest.mark.parametrize(
    "after",
    [
        MatrixStrategy("hold rock. It takes blue boxes", target=(6, 1, 1), expected=(1, 1, 5)),
        MatrixStrategy("hold rock", target=(6, 1, 1), expected=(1, 1, 7)),
    ],
)
def test_a_plan_goes_on_if_the_strategy_has_other_words_or_counts_alone(after: MatrixStrategy) -> None:
    assert CHANGED not in reasons(after)
