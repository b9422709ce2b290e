"""The reference agents of Melting Pot: what they may know, and what they ask."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from hm_agent.episode import EpisodeOutcome, run_episode
from hm_agent.registry import agent_names, find_scenarios
from hm_agent.testing.episodes import SeatStep, play_steps, seat_agents, settled
from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.scene import OpponentIntent
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

(SCENARIO,) = find_scenarios(["rws_repeated_1"])


class SecretiveWorld(MeltingPotWorld):
    """Raises an error if an agent asks for the bots' intents."""

    def intents(self) -> Sequence[OpponentIntent]:
        raise AssertionError("an agent asked what only the oracle may know")


def play(name: str, steps: int) -> list[SeatStep]:
    return play_steps(SCENARIO, name, steps, bots="scripted")


def play_secretively(name: str) -> EpisodeOutcome:
    world = SecretiveWorld(scenario_named(SCENARIO.name), Bots.SCRIPTED)
    agents = seat_agents(world, SCENARIO, name, options=settled(SCENARIO, bots="scripted"))
    outcome = asyncio.run(run_episode(world, agents, seed=1, max_steps=200))
    world.close()
    return outcome


@pytest.mark.parametrize("name", sorted({*agent_names()} - {"oracle"}))
def test_only_the_oracle_is_told_the_intents_of_others(name: str) -> None:
    assert play_secretively(name).error is None


def test_the_oracle_is_told_the_intents_of_others() -> None:
    assert isinstance(play_secretively("oracle").error, AssertionError)


def test_the_oracle_changes_its_strategy_with_the_opponents_intent() -> None:
    assert len({step.decision.thoughts.strategy for step in play("oracle", 600)}) > 2


@pytest.mark.parametrize("name", ["random", "noop"])
def test_an_agent_that_does_not_think_asks_nothing(name: str) -> None:
    model = ScriptedModel({})
    steps = play_steps(SCENARIO, name, 60, model=model, bots="scripted")
    assert not any(step.decision.exchanges for step in steps)
    assert not model.asked


def test_random_moves_depend_on_the_seed_alone() -> None:
    moves = [step.decision.action for step in play("random", 50)]
    assert moves == [step.decision.action for step in play("random", 50)]
