"""With whom one has interacted among many, against the engine's own record."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.core import Step
from hm_agent.episode import run_episode
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.worlds.melting_pot.facts import INTERACTING, Beam
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.partners import Partners
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.scenarios import find_scenarios
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

HALL = Layout.from_ascii("\n".join(["W" * 13, *["W" + 11 * " " + "W"] * 11, "W" * 13]))
BEAM = Beam(length=3, radius=1)
PLAYERS = ("player_1", "player_2")
HERE = Pose(6, 6, Facing.NORTH)
IN_VIEW = tuple((x, y) for x in range(1, 12) for y in range(1, 8))


def player(name: str, cell: Cell, facing: int = Facing.SOUTH, mark: str | None = None) -> Detection:
    return Detection(name, HERE.offset(cell), cell, facing, mark, is_player=True)


def frame(*players: Detection) -> TextualMap:
    return TextualMap(HERE, True, None, players, IN_VIEW, 0)


def partner_after(*frames: TextualMap) -> str | None:
    """Who is named once the last of these frames shows that one interacts."""
    partners, memory = Partners(HALL, BEAM, PLAYERS), EntityMemory(PlayerBeliefMap(HALL, PLAYERS, 5))
    fresh: frozenset[str] = frozenset()
    for step, view in enumerate(frames):
        memory.update(step, view)
        fresh = partners.read(view)
    return partners.find(fresh, frames[-1], memory)


def test_the_partner_wears_the_mark_from_the_same_frame_on() -> None:
    before = frame(player("player_1", (6, 4), mark=INTERACTING), player("player_2", (7, 4)))
    now = frame(player("player_1", (6, 4), mark=INTERACTING), player("player_2", (7, 4), mark=INTERACTING))
    assert partner_after(before, now) == "player_2"


def test_the_beam_of_one_reaches_the_other() -> None:
    now = frame(player("player_1", (1, 1), mark=INTERACTING), player("player_2", (6, 3), mark=INTERACTING))
    assert partner_after(frame(), now) == "player_2"


def test_who_zaps_from_behind_is_the_one_that_went_there() -> None:
    went = [frame(player("player_1", (6, 7)), player("player_2", (2, 2))), frame(player("player_2", (2, 2)))]
    assert partner_after(*went) == "player_1"


def test_where_nobody_can_have_been_nobody_is_named() -> None:
    assert partner_after(frame(player("player_1", (2, 2)), player("player_2", (3, 2)))) is None


class Witness:
    """Writes down with whom the agent thinks it has interacted, what it saw taken, and what the engine says."""

    def __init__(self) -> None:
        self.named: list[str | None] = []
        self.happened: list[str] = []
        self.blamed: list[tuple[int, str, tuple[int, ...]]] = []
        self.collected: dict[str, set[int]] = {}

    def engine(self, event: tuple[str, Any]) -> None:
        name, said = event
        facts = {key.decode(): value for key, value in zip(said[1::2], said[2::2], strict=True)}
        if name == "collected_resource":
            self.collected.setdefault(f"player_{int(facts['player_index']) - 1}", set()).add(int(facts["class"]) - 1)
        elif name == "interaction":
            pair = {int(facts["row_player_idx"]), int(facts["col_player_idx"])}
            if 1 in pair:
                (other,) = pair - {1}
                self.happened.append(f"player_{other - 1}")

    def record(self, step: Step) -> None:
        for event in step.decision.events:
            if isinstance(event, InteractionEvent):
                self.named.append(event.partner)
            if isinstance(event, Gathering):
                self.blamed.append((event.step, event.partner, event.taken))

    def close(self) -> None:
        """Strikes out what has not paid before the end of the episode."""
        del self.happened[len(self.named) :]


@pytest.fixture(scope="module")
def witness() -> Witness:
    (scenario,) = find_scenarios(["rws_arena_0"])
    witness = Witness()
    for seed in (1000, 1001, 1002):
        world = MeltingPotWorld(scenario, Bots.SCRIPTED)
        agent = AGENTS["hypothetical_minds"](
            Ingredients(scenario.game, vision_of(scenario.game.short_name), BuiltinReasoner(), 0, world.tell)
        )
        played = run_episode(Overheard(world, witness), agent, seed=seed, max_steps=1000, recorders=[witness])
        assert asyncio.run(played).error is None
        world.close()
    return witness


class Overheard:
    """A world whose engine's events a witness hears."""

    def __init__(self, world: MeltingPotWorld, witness: Witness) -> None:
        self._world, self._witness = world, witness
        self.step, self.background, self.close = world.step, world.background, world.close

    def reset(self, seed: int) -> Any:
        observation = self._world.reset(seed)
        assert self._world._stage is not None
        self._world._stage.observables().substrate.events.subscribe(on_next=self._witness.engine)
        return observation


def test_partners_are_named_as_the_engine_has_them(witness: Witness) -> None:
    assert len(witness.named) >= 20
    right = sum(named == other for named, other in zip(witness.named, witness.happened, strict=False))
    assert right >= 0.95 * len(witness.named)


def test_nobody_is_blamed_for_a_kind_it_never_took(witness: Witness) -> None:
    assert len(witness.blamed) >= 50
    wrong = [
        (partner, kind)
        for _, partner, taken in witness.blamed
        for kind, count in enumerate(taken)
        if count and kind not in witness.collected[partner]
    ]
    assert wrong == []
