"""The inferred state of a pot against the engine: when it is full, and from which step on a dish takes its soup."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.kitchen import DISH, SOUP, Kitchen, Pot
from hm_agent.worlds.melting_pot.grid import Cell, Move, Pose
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver
from hm_agent.worlds.melting_pot.planning.beam import find_approach
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.simulator.substrate import GROUND_TRUTH, build_substrate, vision_of

GAME = game_named("cooking_asymmetric", KitchenFacts)
VISION = vision_of(GAME.short_name, 0)
POT, TOMATOES, DISHES, DELIVERY = (4, 2), (5, 1), (3, 4), (3, 1)
STEPS = 80


@dataclass(frozen=True)
class Look:
    """What the cook on the left holds and sees of the pot."""

    step: int
    pot: Pot | None
    hands: str | None


class Cook:
    """A cook that carries things from its source to the pot, and soup to the delivery; it receives its true pose."""

    def __init__(self, source: Cell) -> None:
        self.source = source
        self.kitchen = Kitchen(VISION.layout, GAME.recipe)
        self._perceiver = Perceiver(VISION)
        self._move = Move.NOOP

    def look(self, step: int, observation: Any) -> Look:
        self.kitchen.update(step, self._perceiver.see(observation["RGB"], self._move))
        pot = next((pot for pot in self.kitchen.pots if pot.cell == POT), None)
        return Look(step, pot, self.kitchen.hands)

    def act(self, observation: Any, *, may_use: bool = True) -> Move:
        x, y = map(int, observation["POSITION"])
        goal = {None: self.source, SOUP: DELIVERY}.get(self.kitchen.hands, POT)
        pose = Pose(x, y, int(observation["ORIENTATION"]))
        approach = find_approach(VISION.layout, pose, goal, GAME.beam, set(), horizon=60)
        must_wait = approach is None or (approach.move is Move.INTERACT and not may_use)
        self._move = Move.NOOP if approach is None or must_wait else approach.move
        return self._move


def cook_soup(first_try: int) -> Iterator[Look]:
    """One cook fills the pot, the other tries to take the soup with its dish.

    first_try: the steps from when it sees the pot full to the first try. Then it tries every other step, since the beam
    has a cooldown of one step.
    """
    stream = random.Random(1000)
    substrate = build_substrate(GAME.substrate, ("default",) * 2, stream, ground_truth=GROUND_TRUTH)
    seen = substrate.reset().observation
    left = 0 if seen[0]["POSITION"][0] < POT[0] else 1
    server, loader = Cook(DISHES), Cook(TOMATOES)
    full = STEPS
    for step in range(STEPS):
        look = server.look(step, seen[left])
        loader.look(step, seen[1 - left])
        yield look
        full = min(full, step) if look.pot and look.pot.is_full else full
        is_time = step >= full + first_try and (step - full - first_try) % 2 == 0
        serving = server.act(seen[left], may_use=look.hands != DISH or is_time)
        moves = {left: serving, 1 - left: loader.act(seen[1 - left])}
        seen = substrate.step([moves[0], moves[1]]).observation
    substrate.close()


@pytest.mark.parametrize(("first_try", "taken"), [(18, 20), (19, 21), (20, 20)])
def test_soup_can_be_taken_from_the_inferred_step_and_not_before(first_try: int, taken: int) -> None:
    looks = list(cook_soup(first_try))
    full = next(look for look in looks if look.pot and look.pot.is_full)
    soup = next(look for look in looks if look.hands == SOUP)
    assert soup.step - 1 - full.step == taken
    assert full.pot is not None
    assert full.pot.ready == full.step + 20


def test_every_sighting_of_a_cooking_pot_gives_the_same_ready_step_to_within_one() -> None:
    looks = list(cook_soup(first_try=STEPS))
    full = next(look.step for look in looks if look.pot and look.pot.is_full)
    cooking = [look.pot for look in looks[full : full + 20] if look.pot]
    assert {pot.ready for pot in cooking} == {full + 20, full + 21}
    assert not any(pot.is_cooked for pot in cooking)
    assert all(look.pot is not None and look.pot.is_cooked for look in looks[full + 20 :])
