from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Move, Pose, step_towards
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.planning.beam import reaches
from hm_agent.worlds.melting_pot.planning.walking import find_path
from hm_agent.worlds.melting_pot.simulator.substrate import GROUND_TRUTH, build_substrate
from tests.support.melting_pot.accuracy import pose_of

SEEDS, STEPS = range(4), 600
PURPOSE = 0.6
"""The probability that an avatar moves towards its goal, not at random."""


@dataclass(frozen=True)
class Zap:
    """One zap of the first avatar, as the engine has it.

    pose: the shooter's. other: where the second avatar stands. blocked: walls and resources. lit: where the beam is
    seen. both_collected: whether both had collected something before this step, so that they can interact.
    """

    pose: Pose
    other: Cell
    blocked: frozenset[Cell]
    lit: frozenset[Cell]
    both_collected: bool
    interacted: bool


def things_and_lit(world_rgb: Any, vision: SubstrateVision) -> tuple[frozenset[Cell], frozenset[Cell]]:
    """Where resources lie, and where a beam is painted."""
    labels = enumerate(vision.read(world_rgb))
    shown = {(n % vision.layout.width, n // vision.layout.width): vision.meanings[label] for n, label in labels}
    things = frozenset(cell for cell, meaning in shown.items() if meaning.kind and not meaning.is_player)
    return things, frozenset(cell for cell, meaning in shown.items() if meaning.is_hidden)


def wander(layout: Layout, pose: Pose, goal: Cell, rng: random.Random) -> Move:
    path = find_path(layout, pose.cell, goal) if layout.is_open(pose.cell) else None
    if path and rng.random() < PURPOSE:
        return step_towards(pose, path[0])
    return Move(rng.randrange(Move.FORWARD, Move.INTERACT))


def play(game: MatrixFacts, vision: SubstrateVision, seed: int) -> Iterator[Zap]:
    """Lets the first avatar follow the second and zap it often, and the second collect resources.

    Moves come before the zap of the same step, so the poses are those after the step. Zaps that destroy a resource with
    their third hit are left out: their beam goes on through it.
    """
    rng = random.Random(seed)
    substrate = build_substrate(game.substrate, ("default",) * 2, rng, ground_truth=GROUND_TRUTH)
    both = substrate.reset().observation
    collected = [False, False]
    for _ in range(STEPS):
        loaded = both[0]["READY_TO_SHOOT"] == 1.0
        things, _ = things_and_lit(both[0]["WORLD.RGB"], vision)
        me, other = map(pose_of, both)
        sought = other.cell if collected[0] else rng.choice(sorted(things))
        moves = [wander(vision.layout, me, sought, rng), wander(vision.layout, other, rng.choice(sorted(things)), rng)]
        if loaded and rng.random() < PURPOSE:
            moves[0] = Move.INTERACT
        both = substrate.step(moves).observation
        has_fired = loaded and both[0]["READY_TO_SHOOT"] == 0.0
        if has_fired and "destroyed_resource" not in dict(substrate.events()):
            me, other = map(pose_of, both)
            _, lit = things_and_lit(both[0]["WORLD.RGB"], vision)
            interacted = bool((both[0]["INTERACTION_INVENTORIES"] > 0).all())
            blocked = (vision.layout.walls | things) - {me.cell, other.cell}
            yield Zap(me, other.cell, blocked, lit, all(collected), interacted)
        collected = [int(each["INVENTORY"].sum()) > len(game.resources) for each in both]
    substrate.close()


@pytest.fixture(scope="module")
def zaps(rws: MatrixFacts, rws_vision: SubstrateVision) -> list[Zap]:
    return [zap for seed in SEEDS for zap in play(rws, rws_vision, seed)]


def unblocked_cells(zap: Zap, beam: Beam) -> set[Cell]:
    """The cells of each ray before the first wall, resource or avatar on it."""
    stops = zap.blocked | {zap.other}
    near = product(range(-beam.length, beam.length + 1), repeat=2)
    cells = {zap.pose.place(ahead, right) for ahead, right in near}
    return {cell for cell in cells - stops if reaches(zap.pose, cell, beam, stops)}


def test_beam_is_seen_on_exactly_the_cells_of_its_rays(zaps: list[Zap], rws: MatrixFacts) -> None:
    assert [zap for zap in zaps if zap.lit != unblocked_cells(zap, rws.beam)] == []


def test_nobody_interacts_out_of_reach(zaps: list[Zap], rws: MatrixFacts) -> None:
    interactions = [zap for zap in zaps if zap.interacted]
    assert len(interactions) > 10
    assert all(reaches(zap.pose, zap.other, rws.beam, zap.blocked) for zap in interactions)


def test_players_that_have_collected_interact_whenever_the_beam_reaches(zaps: list[Zap], rws: MatrixFacts) -> None:
    able = [zap for zap in zaps if zap.both_collected]
    assert [zap for zap in able if reaches(zap.pose, zap.other, rws.beam, zap.blocked) and not zap.interacted] == []


def test_players_that_have_not_collected_do_not_interact(zaps: list[Zap], rws: MatrixFacts) -> None:
    reached = [zap for zap in zaps if reaches(zap.pose, zap.other, rws.beam, zap.blocked)]
    assert any(not zap.interacted for zap in reached)
