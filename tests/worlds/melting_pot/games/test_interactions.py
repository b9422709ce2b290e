"""Interactions and their partners as the focal player reads them, against the engine's own record of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.core import Decision, Event, Observation, Recorder, Step
from hm_agent.testing.episodes import play_out, seat_agents, set_up
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.facts import FOCAL, Beam, Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.facts import INTERACTING, MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent, InteractionReader, PartnerTracker
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering
from hm_agent.worlds.melting_pot.games.matrix.rules import PartnerEvidence, infer_inventory, reward
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Facing, Layout, Pose, Window
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.scenarios import game_named, scenario_named
from hm_agent.worlds.melting_pot.scene import Scene
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld
from tests.support.step_log import StepLog
from tests.worlds.melting_pot.games.engine_events import ReportingWorld

STEPS = 1000
HALL = Layout.from_ascii("\n".join(["W" * 9, *["W       W"] * 7, "W" * 9]))
NEAR, AWAY = Pose(4, 5, Facing.NORTH), Pose(4, 5, Facing.SOUTH)
HERE = Pose(4, 3, Facing.NORTH)
RWS = game_named("rws_repeated", MatrixFacts)
LARGE_HALL = Layout.from_ascii("\n".join(["W" * 13, *["W" + 11 * " " + "W"] * 11, "W" * 13]))
BEAM = Beam(length=3, radius=1)
PLAYERS = ("player_1", "player_2")
CENTRE = Pose(6, 6, Facing.NORTH)
IN_VIEW = LARGE_HALL.area((x, y) for x in range(1, 12) for y in range(1, 8))


class InteractionLog(Recorder):
    """Keeps the interactions that the agent noticed, and the inventories in those that happened."""

    def __init__(self, world: MeltingPotWorld) -> None:
        self._world = world
        self.noticed: list[Event] = []
        self.happened: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self.shown: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        """The inventories in interactions by the scenes that viewers receive."""
        self.counted = 0.0
        """The number of interactions that the world tells of the episode."""

    def record(self, step: Step) -> None:
        assert isinstance(step.scene, Scene)
        self.noticed += [event for event in step.decisions[FOCAL].events if isinstance(event, InteractionEvent)]
        self.shown += step.scene.held.values()
        own, other = self._world.truth(0)["INTERACTION_INVENTORIES"]
        if own.min() >= 1:
            self.happened.append((tuple(map(int, own)), tuple(map(int, other))))


def play(scenario: str, world: MeltingPotWorld, seed: int, recorder: Recorder, steps: int = STEPS) -> None:
    (info,) = find_scenarios([scenario])
    play_out(world, seat_agents(world, info), seed=seed, steps=steps, recorders=[recorder])


@pytest.fixture(scope="module")
def interactions() -> InteractionLog:
    world = MeltingPotWorld(scenario_named("rws_repeated_2"), Bots.SCRIPTED)
    log = InteractionLog(world)
    play("rws_repeated_2", world, 3, log)
    log.counted = world.metrics()["interactions"]
    return log


Frame = tuple[Pose | None, Counts, str | None]
"""The other player's pose, None if it is out of view; what the agent holds; and the mark that it wears."""


def read(*frames: Frame) -> Iterator[tuple[InteractionReader, tuple[InteractionEvent, ...]]]:
    """Reads frames one by one; yields the reader and the frame's events."""
    partners = PartnerTracker(HALL, BEAM, ["opponent"])
    reader = InteractionReader((1, 1, 1), Window(left=2, right=2, forward=3, backward=1), partners)
    for step, (other, held, mark) in enumerate(frames):
        others = (Detection("opponent", (0, 0), other.cell, other.facing, is_player=True),) if other else ()
        view = TextualMap(HERE, True, mark, others, NOWHERE, 0)
        yield reader, reader.read(Observation(step, {"INVENTORY": np.array(held)}), view, EntityMemory(HALL))


def life(before: Pose | None, now: Pose | None) -> list[Frame]:
    """The agent collects a thing and is hit. before, now: the other's pose before the pickup and from then on."""
    return [(before, (1, 1, 1), None), (now, (1, 2, 1), None), (now, (1, 2, 1), INTERACTING), (now, (1, 1, 1), None)]


@pytest.mark.parametrize(
    ("before", "now", "shown"),
    [
        (NEAR, NEAR, (0, 1, 0)),
        (None, NEAR, (0, 1, 0)),
        (AWAY, AWAY, (0, 0, 0)),
        (AWAY, NEAR, (0, 0, 0)),  # it turns round after the pickup
    ],
)
def test_a_partner_that_faces_the_agent_has_seen_the_pickup(before: Pose | None, now: Pose, shown: Counts) -> None:
    (event,) = (event for _, events in read(*life(before, now)) for event in events)
    assert event.shown == shown


def test_what_a_partner_saw_counts_for_one_interaction_and_what_it_saw_last_for_all() -> None:
    told = [(reader, event) for reader, events in read(*life(NEAR, NEAR), *life(None, None)) for event in events]
    assert [(event.shown, event.last_shown) for _, event in told] == [((0, 1, 0), (1, 1)), ((0, 0, 0), (1, 1))]
    assert told[-1][0].last_shown == {"opponent": (1, 1)}


@pytest.mark.parametrize(
    ("lives", "reset"),
    [
        ([((1, 6, 1), None), ((1, 1, 1), None), ((1, 1, 1), INTERACTING)], 1),  # its own zap, which wins
        ([((1, 6, 1), None), ((1, 6, 1), INTERACTING), ((1, 1, 1), None)], 2),  # another's
    ],
)
def test_an_interaction_is_known_by_the_inventory_where_the_mark_lacks(
    lives: list[tuple[Counts, str | None]], reset: int
) -> None:
    told = [reader.is_reset for reader, _ in read(*((None, *frame) for frame in lives))]
    assert told == [step == reset for step in range(3)]


def test_no_plan_is_asked_for_while_an_interaction_begins_or_ends() -> None:
    (scenario,) = find_scenarios(["rws_repeated_1"])
    log = StepLog(object)
    world, agents = set_up(scenario, "react")
    play_out(world, agents, seed=0, steps=STEPS, recorders=[log])
    states = [decision.state for decision in log.decisions]
    held = [state.inventory for state in states if isinstance(state, SubstrateAgentState)]
    resets = [n for n, (before, now) in enumerate(pairwise(held), 1) if now == (1, 1, 1) != before]
    assert len(resets) >= 10
    assert not any(is_planned(log.decisions[n]) for n in resets)
    assert any(map(is_planned, log.decisions))


def is_planned(decision: Decision[Any]) -> bool:
    return any(isinstance(each.question, Plan) for each in decision.exchanges)


def test_every_interaction_that_paid_is_noticed_once(interactions: InteractionLog) -> None:
    assert len(interactions.noticed) >= 5
    assert 0 <= len(interactions.happened) - len(interactions.noticed) <= 1  # the last one may not have paid yet


def test_the_world_and_its_scenes_tell_every_interaction_that_happened(interactions: InteractionLog) -> None:
    assert interactions.counted == len(interactions.happened)
    assert interactions.shown == interactions.happened


def test_own_inventory_and_reward_are_those_of_the_engine(interactions: InteractionLog) -> None:
    for event, (own, other) in zip(interactions.noticed, interactions.happened, strict=False):
        assert isinstance(event, InteractionEvent)
        assert event.own == own
        assert event.reward == pytest.approx(reward(own, other, RWS.payoff))


def test_other_players_behaviour_is_inferred_from_the_reward(interactions: InteractionLog) -> None:
    right = 0
    for event, (own, other) in zip(interactions.noticed, interactions.happened, strict=False):
        assert isinstance(event, InteractionEvent)
        _, inferred = infer_inventory(own, event.reward, RWS.payoff, PartnerEvidence(1))
        right += inferred == argmax(other)
    assert right >= 0.9 * len(interactions.noticed)


def test_interactions_are_as_frequent_as_with_trained_bots(interactions: InteractionLog) -> None:
    assert 10 <= len(interactions.happened) <= 20


def player(name: str, cell: Cell, facing: int = Facing.SOUTH, mark: str | None = None) -> Detection:
    return Detection(name, CENTRE.offset(cell), cell, facing, mark, is_player=True)


def frame(*players: Detection) -> TextualMap:
    return TextualMap(CENTRE, True, None, players, IN_VIEW, 0)


def partner_after(*frames: TextualMap) -> str | None:
    """The partner that is inferred if the agent's interaction begins in the last of these frames."""
    partners = PartnerTracker(LARGE_HALL, BEAM, PLAYERS)
    memory = EntityMemory(LARGE_HALL, PlayerBeliefMap(LARGE_HALL, PLAYERS, 5))
    fresh: frozenset[str] = frozenset()
    for step, view in enumerate(frames):
        memory.update(step, view)
        fresh = partners.read(view)
    return partners.find(fresh, frames[-1], memory)


def test_partner_is_the_player_whose_mark_begins_in_the_same_frame() -> None:
    before = frame(player("player_1", (6, 4), mark=INTERACTING), player("player_2", (7, 4)))
    now = frame(player("player_1", (6, 4), mark=INTERACTING), player("player_2", (7, 4), mark=INTERACTING))
    assert partner_after(before, now) == "player_2"


def test_partner_is_within_reach_of_the_beam() -> None:
    now = frame(player("player_1", (1, 1), mark=INTERACTING), player("player_2", (6, 3), mark=INTERACTING))
    assert partner_after(frame(), now) == "player_2"


def test_partner_out_of_view_is_the_player_last_seen_near_the_unseen_cells() -> None:
    went = [frame(player("player_1", (6, 7)), player("player_2", (2, 2))), frame(player("player_2", (2, 2)))]
    assert partner_after(*went) == "player_1"


def test_no_partner_is_inferred_where_no_player_can_have_been() -> None:
    assert partner_after(frame(player("player_1", (2, 2)), player("player_2", (3, 2)))) is None


class PartnerLog(Recorder):
    """Keeps partners and pickups, as the agent infers them and as the engine has them.

    inferred: the partner of each interaction. partners: the same by the engine. pickups: (player, collected) of each
    clue. collected: the kinds that each player collected, by the engine.
    """

    def __init__(self) -> None:
        self.inferred: list[str | None] = []
        self.partners: list[str] = []
        self.pickups: list[tuple[str, tuple[int, ...]]] = []
        self.collected: dict[str, set[int]] = {}

    def hear(self, name: str, fields: dict[str, Any]) -> None:
        if name == "collected_resource":
            kinds = self.collected.setdefault(f"player_{int(fields['player_index']) - 1}", set())
            kinds.add(int(fields["class"]) - 1)
        elif name == "interaction":
            pair = {int(fields["row_player_idx"]), int(fields["col_player_idx"])}
            if 1 in pair:
                (other,) = pair - {1}
                self.partners.append(f"player_{other - 1}")

    def record(self, step: Step) -> None:
        for event in step.decisions[FOCAL].events:
            if isinstance(event, InteractionEvent):
                self.inferred.append(event.partner)
            if isinstance(event, Gathering):
                self.pickups.append((event.partner, event.taken))

    def close(self) -> None:
        """Drops the interactions that have not paid before the end of the episode."""
        del self.partners[len(self.inferred) :]


@pytest.fixture(scope="module")
def partners() -> PartnerLog:
    log = PartnerLog()
    play("rws_arena_0", ReportingWorld("rws_arena_0", log.hear), 1000, log, steps=600)
    return log


def test_inferred_partners_are_those_of_the_engine(partners: PartnerLog) -> None:
    assert len(partners.inferred) >= 5
    right = sum(named == other for named, other in zip(partners.inferred, partners.partners, strict=False))
    assert right >= 0.95 * len(partners.inferred)


def test_no_pickup_is_attributed_to_a_player_that_never_took_that_kind(partners: PartnerLog) -> None:
    assert len(partners.pickups) >= 25
    wrong = [
        (partner, kind)
        for partner, taken in partners.pickups
        for kind, count in enumerate(taken)
        if count and kind not in partners.collected[partner]
    ]
    assert wrong == []
