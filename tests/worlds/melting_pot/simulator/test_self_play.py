"""Self-play: every player has a seat, sees what its own player sees alone, and one seed gives one episode."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Agent, Decision, Recorder, Seat, Step, World
from hm_agent.recording.trace import TraceRecorder
from hm_agent.testing.episodes import play_out, seat_agents, settled
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.grid import Pose
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld
from tests.support.commands import output_by_another_hash_seed
from tests.support.melting_pot.accuracy import pose_of

DYAD, ARENA, KITCHEN = "rws_repeated_selfplay", "rws_arena_selfplay", "cooking_asymmetric_selfplay"
STEPS: Mapping[str, int] = {DYAD: 300, ARENA: 110, KITCHEN: 220}
SEED = 7
IN_THE_MATRIX = {"RGB", "INVENTORY", "READY_TO_SHOOT", "COLLECTIVE_REWARD"}
IN_A_KITCHEN = {"RGB", "COLLECTIVE_REWARD"}
MOST_LOST = 0.05
"""The share of steps in which an agent may not know its pose: the first ones of each life."""

each_scenario = pytest.mark.parametrize("short_name", STEPS)


def seated(world: World[Any, Any], scenario: ScenarioInfo) -> dict[Seat, Agent[Any, Any]]:
    """Two agents, in the scenario's seats by turns."""
    agents = [seat_agents(world, scenario, name) for name in ("hypothetical_minds", "react")]
    return {seat: agents[place % len(agents)][seat] for place, seat in enumerate(scenario.seats)}


def scenario_of(short_name: str) -> ScenarioInfo:
    (scenario,) = find_scenarios([short_name])
    return scenario


@dataclass(frozen=True)
class Moment:
    """A step by seat: what each received and decided, what the engine showed its own player, and where that was."""

    step: int
    views: Mapping[Seat, Mapping[str, Any]]
    decisions: Mapping[Seat, Decision[Any]]
    rewards: Mapping[Seat, float]
    truths: Mapping[Seat, Mapping[str, Any]]
    poses: Mapping[Seat, Pose]

    def state(self, seat: Seat) -> SubstrateAgentState:
        state = self.decisions[seat].state
        assert isinstance(state, SubstrateAgentState)
        return state

    def is_present(self, seat: Seat) -> bool:
        return bool(np.any(self.views[seat]["RGB"]))


@dataclass
class Witness(Recorder):
    """Keeps every step together with the engine's own truth about the state that was acted on."""

    world: SelfPlayWorld
    moments: list[Moment] = field(default_factory=list)

    def record(self, step: Step) -> None:
        seats = self.world.seats
        truths = {seat: self.world.scene().before[slot] for slot, seat in enumerate(seats)}
        seen = {
            seat: {name: np.copy(truth[name]) for name in IN_THE_MATRIX & {*truth}} for seat, truth in truths.items()
        }
        poses = {seat: pose_of(truth) for seat, truth in truths.items()}
        views = {seat: observation.view for seat, observation in step.turn.observations.items()}
        self.moments.append(Moment(step.turn.step, views, step.decisions, step.rewards, seen, poses))


@dataclass(frozen=True)
class Played:
    moments: list[Moment]
    metrics: Mapping[Seat, Mapping[str, float]]
    trace: bytes


@cache
def played(short_name: str) -> Played:
    """An episode, with the engine's truth beside what the seats received."""
    scenario = scenario_of(short_name)
    world = SelfPlayWorld(scenario_named(scenario.name), ground_truth=True)
    agents, witness = seated(world, scenario), Witness(world)
    trace = traced(world, agents, SEED, STEPS[short_name], witness)
    return Played(witness.moments, {seat: agents[seat].metrics() for seat in scenario.seats}, trace)


def traced(
    world: World[Any, Any], agents: Mapping[Seat, Agent[Any, Any]], seed: int, steps: int, *others: Recorder
) -> bytes:
    """Plays an episode; returns its trace. others: recorders beside that of the trace."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        play_out(world, agents, seed=seed, steps=steps, recorders=[*others, TraceRecorder(path)])
        return path.read_bytes()


def trace_of(short_name: str, seed: int = SEED) -> bytes:
    """The trace of the same episode, through the suite as the command plays it."""
    scenario = scenario_of(short_name)
    world = suites()[scenario.world].open(scenario, settled(scenario))
    return traced(world, seated(world, scenario), seed, STEPS[short_name])


# Bit for bit


@pytest.mark.slow
@pytest.mark.parametrize(
    "short_name", [pytest.param(name, marks=pytest.mark.heavy if name == ARENA else ()) for name in STEPS]
)
def test_one_seed_gives_one_episode(short_name: str) -> None:
    seats = len(scenario_of(short_name).seats)
    trace = played(short_name).trace
    assert trace.count(b"\n") == 1 + seats * STEPS[short_name]
    assert trace_of(short_name) == trace


def test_another_seed_gives_another_episode() -> None:
    assert trace_of(DYAD, seed=SEED + 1) != played(DYAD).trace


@pytest.mark.slow
def test_one_seed_gives_one_episode_in_any_process() -> None:
    assert output_by_another_hash_seed(__file__).strip() == hashlib.sha256(played(DYAD).trace).hexdigest()


# Privacy


@each_scenario
def test_every_seat_acts_in_every_step(short_name: str) -> None:
    moments, seats = played(short_name).moments, scenario_of(short_name).seats
    assert [moment.step for moment in moments] == list(range(STEPS[short_name]))
    assert all(tuple(moment.decisions) == tuple(moment.views) == seats for moment in moments)


@each_scenario
def test_a_seat_receives_permitted_observations_only(short_name: str) -> None:
    game = scenario_named(scenario_of(short_name).name).game
    permitted = IN_THE_MATRIX if isinstance(game, MatrixFacts) else IN_A_KITCHEN
    received = {frozenset(view) for moment in played(short_name).moments for view in moment.views.values()}
    assert received == {frozenset(permitted)}


@each_scenario
def test_a_seat_receives_what_the_engine_shows_its_own_player(short_name: str) -> None:
    for moment in played(short_name).moments:
        for seat, view in moment.views.items():
            assert {*view} == {*moment.truths[seat]}
            assert all(np.array_equal(seen, moment.truths[seat][name]) for name, seen in view.items())


@each_scenario
def test_no_seat_receives_the_view_of_another(short_name: str) -> None:
    """Two places without a thing or a player in view may look alike; this is rare."""
    compared = alike = 0
    for moment in played(short_name).moments:
        present = [seat for seat in moment.views if moment.is_present(seat)]
        for one, other in combinations(present, 2):
            alike += np.array_equal(moment.views[one]["RGB"], moment.views[other]["RGB"])
            assert not np.shares_memory(moment.views[one]["RGB"], moment.views[other]["RGB"])
            compared += 1
    assert compared > STEPS[short_name] / 2
    assert alike <= compared / 50


@each_scenario
def test_each_agent_shows_the_inventory_of_its_own_player(short_name: str) -> None:
    differing = 0
    for moment in played(short_name).moments:
        for seat, truth in moment.truths.items():
            if "INVENTORY" in truth:
                assert moment.state(seat).inventory == tuple(map(int, truth["INVENTORY"]))
        differing += len({moment.state(seat).inventory for seat in moment.views}) > 1
    assert differing > STEPS[short_name] / 10


@each_scenario
def test_rewards_are_those_of_the_seats_own_players(short_name: str) -> None:
    """The collective reward that all see is the sum of what the seats are paid."""
    moments = played(short_name).moments
    for before, after in pairwise(moments):
        for view in after.views.values():
            assert float(view["COLLECTIVE_REWARD"]) == pytest.approx(sum(before.rewards.values()))
    assert any(any(moment.rewards.values()) for moment in moments)


# Perception from every slot


@each_scenario
def test_every_frame_of_every_seat_is_known(short_name: str) -> None:
    for metrics in played(short_name).metrics.values():
        assert metrics["unknown_patches"] == 0
        assert metrics["pose_lost_steps"] <= MOST_LOST * STEPS[short_name]


@each_scenario
def test_each_agent_finds_the_pose_of_its_own_player(short_name: str) -> None:
    known = exact = 0
    for moment in played(short_name).moments:
        for seat, truth in moment.poses.items():
            if (pose := moment.state(seat).pose) is not None:
                known, exact = known + 1, exact + (pose == truth)
    steps = len(scenario_of(short_name).seats) * STEPS[short_name]
    assert known >= 0.5 * steps
    assert exact >= 0.999 * known


def others_of(scenario: ScenarioInfo, seat: Seat) -> Mapping[str, Seat]:
    """The seat of each other player, by the name that the agent in a seat knows it by."""
    game, slot = scenario_named(scenario.name).game, scenario.seats.index(seat)
    others = [other for other in scenario.seats if other != seat]
    return dict(zip(game.others(slot), others, strict=True))


def test_players_know_all_others_of_many_by_their_seats_and_an_only_other_by_one_name() -> None:
    arena = scenario_of(ARENA)
    assert arena.seats == tuple(f"player_{slot}" for slot in range(8))
    for seat in arena.seats:
        assert others_of(arena, seat) == {other: other for other in arena.seats if other != seat}
    for short_name, name in ((DYAD, "opponent"), (KITCHEN, "teammate")):
        scenario = scenario_of(short_name)
        assert [others_of(scenario, seat) for seat in scenario.seats] == [{name: "player_1"}, {name: "player_0"}]


@each_scenario
def test_players_are_seen_under_their_own_names_where_they_are(short_name: str) -> None:
    scenario, right, seen_by = scenario_of(short_name), [], set()
    for moment in played(short_name).moments:
        for seat in scenario.seats:
            names, state = others_of(scenario, seat), moment.state(seat)
            assert {*state.players} <= {*names}
            if state.pose != moment.poses[seat]:
                continue
            for name, sighting in state.players.items():
                if sighting.step == moment.step:
                    right.append(sighting.cell == moment.poses[names[name]].cell)
                    seen_by.add(seat)
    assert all(right)
    assert len(right) > STEPS[short_name] / 4
    assert seen_by == {*scenario.seats}


if __name__ == "__main__":
    print(hashlib.sha256(trace_of(DYAD)).hexdigest())
