"""The own agents of matrix games by name: what each does in words, and how it is built. Imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, OwnAgent
from hm_agent.core import Agent
from hm_agent.repeated_games.learners import LEARNERS_ABOUT

SHORTCUTS: Mapping[str, str] = {
    "random": "draws every action alike",
    "constant": "plays the action whose least payoff is the largest, in every round",
    "average": "plays the action that pays most if the other draws every action alike",
    "boldest": "plays the action with the largest payoff",
    "cooperate": "plays its part of what pays both together the most, in every round",
    "equilibrium": "draws every action from an equilibrium of the game played once",
    "step_1": "goes one action on from its own last one, whatever the other does",
    "step_2": "the same, two actions on",
    "step_3": "the same, three actions on",
    "copy_last": "plays what the other played last: tit-for-tat",
    "win_stay_lose_shift": "stays with an action that paid more than the table's mean, else takes the next",
    "counter_last": "best-responds to the other's last action",
    "counter_commonest": "best-responds to the other's commonest action",
    "match_frequencies": "best-responds to an action drawn from all that the other has played",
    "double_counter": "best-responds to the other's last action; after a win, to the answer to that",
    **LEARNERS_ABOUT,
    "leader": "plays by the rule of thumb for one table that would have paid most so far",
    "automata": "answers what 560 automata of one or two habits foretell, by how well they foretold the other so far",
    "regression": "answers what a logistic regression on both players' payoffs foretells, fitted to the other so far",
}
"""The agents that model no mind, with what they do."""
LADDER = {f"order_{order}": f"knows how opponents up to order {order} play" for order in range(4)}
TOLD = {
    "bayes": "plays best against the mixture of all opponents of the game",
    "oracle": "plays the best response to the opponent's rule, of which it is told",
}
"""The agents that are told of opponents, with what they do."""


def _has_opponent(scenario: ScenarioInfo) -> bool:
    return len(scenario.seats) == 1


def _build(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.matrix_games.agents import PLAYERS
    from hm_agent.worlds.matrix_games.world import MatrixGameWorld

    assert isinstance(setup.world, MatrixGameWorld)
    return PLAYERS[name](setup.world, setup.seed)


OWN_AGENTS: Mapping[str, OwnAgent] = {
    **{name: OwnAgent(about, partial(_build, name), is_reference=True) for name, about in SHORTCUTS.items()},
    **{
        name: OwnAgent(about, partial(_build, name), _has_opponent, asked_by="order", uses=())
        for name, about in LADDER.items()
    },
    **{name: OwnAgent(about, partial(_build, name), _has_opponent, is_reference=True) for name, about in TOLD.items()},
}
