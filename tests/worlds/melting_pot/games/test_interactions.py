"""Interactions as the focal player reads them, against the engine's own record of them."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.core import Event, Observation, Step
from hm_agent.episode import run_episode
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.worlds.melting_pot.facts import INTERACTING, Beam, MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent, InteractionReader
from hm_agent.worlds.melting_pot.games.matrix.partners import Partners
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax, infer_inventory, reward
from hm_agent.worlds.melting_pot.grid import Facing, Layout, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.perception.view import Window
from hm_agent.worlds.melting_pot.scenarios import find_scenarios, game_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

STEPS = 1000
HALL = Layout.from_ascii("\n".join(["W" * 9, *["W       W"] * 7, "W" * 9]))
NEAR, AWAY = Pose(4, 5, Facing.NORTH), Pose(4, 5, Facing.SOUTH)
HERE = Pose(4, 3, Facing.NORTH)
(SCENARIO,) = find_scenarios(["rws_repeated_2"])
RWS = game_named("rws_repeated", MatrixFacts)


class Witness:
    """Writes down what the agent noticed and what really happened."""

    def __init__(self, world: MeltingPotWorld) -> None:
        self._world = world
        self.noticed: list[Event] = []
        self.happened: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    def record(self, step: Step) -> None:
        self.noticed += [event for event in step.decision.events if event.is_interaction]
        own, other = self._world.truth(0)["INTERACTION_INVENTORIES"]
        if own.min() >= 1:
            self.happened.append((tuple(map(int, own)), tuple(map(int, other))))

    def close(self) -> None:
        """Keeps what it has."""


@pytest.fixture(scope="module")
def witness() -> Witness:
    world = MeltingPotWorld(SCENARIO, Bots.SCRIPTED)
    eyes = vision_of(SCENARIO.game.short_name)
    agent = AGENTS["hypothetical_minds"](Ingredients(SCENARIO.game, eyes, BuiltinReasoner(), 0, world.tell))
    witness = Witness(world)
    asyncio.run(run_episode(world, agent, seed=3, max_steps=STEPS, recorders=[witness]))
    world.close()
    return witness


def shown_to(before: Pose | None, now: Pose) -> tuple[int, ...]:
    """What the other is thought to have seen of one's taking a thing. before, now: where it was seen at that."""
    partners = Partners(HALL, Beam(length=3, radius=1), ["opponent"])
    reader = InteractionReader((1, 1, 1), Window(left=2, right=2, forward=3, backward=1), partners)
    events: tuple[Event, ...] = ()
    frames = [(before, (1, 1, 1), None), (now, (1, 2, 1), None), (now, (1, 2, 1), INTERACTING), (now, (1, 1, 1), None)]
    for step, (other, held, mark) in enumerate(frames):
        others = (Detection("opponent", (0, 0), other.cell, other.facing, is_player=True),) if other else ()
        view = TextualMap(HERE, True, mark, others, (), 0)
        observation = Observation(step, {"INVENTORY": np.array(held)})
        events += reader.read(observation, view, EntityMemory())
    (event,) = events
    assert isinstance(event, InteractionEvent)
    return event.shown


def test_a_partner_that_looks_on_has_seen_what_is_taken() -> None:
    assert shown_to(NEAR, NEAR) == shown_to(None, NEAR) == (0, 1, 0)


def test_a_partner_that_looks_away_has_not() -> None:
    assert shown_to(AWAY, AWAY) == (0, 0, 0)


def test_who_turns_round_too_late_has_not_seen_the_thing_before() -> None:
    assert shown_to(AWAY, NEAR) == (0, 0, 0)


def test_every_interaction_that_paid_is_noticed_once(witness: Witness) -> None:
    assert len(witness.noticed) >= 5
    assert 0 <= len(witness.happened) - len(witness.noticed) <= 1  # the last one may not have paid yet


def test_own_inventory_and_reward_are_those_of_the_engine(witness: Witness) -> None:
    for event, (own, other) in zip(witness.noticed, witness.happened, strict=False):
        assert isinstance(event, InteractionEvent)
        assert event.own == own
        assert event.reward == pytest.approx(reward(own, other, RWS.payoff))


def test_the_others_strategy_follows_from_the_reward(witness: Witness) -> None:
    right = 0
    for event, (own, other) in zip(witness.noticed, witness.happened, strict=False):
        assert isinstance(event, InteractionEvent)
        _, inferred = infer_inventory(own, event.reward, RWS.payoff, 1)
        right += inferred == argmax(other)
    assert right >= 0.9 * len(witness.noticed)


def test_the_pace_is_that_of_the_trained_bots(witness: Witness) -> None:
    assert 10 <= len(witness.happened) <= 20
