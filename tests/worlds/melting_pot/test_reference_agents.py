"""The reference agents of Melting Pot: what they may know, and what they ask."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hm_agent.catalogue.casting import can_play
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import agent_names
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting
from hm_agent.core import Agent, Seat
from hm_agent.metrics import TOLD_SHARE
from hm_agent.testing.episodes import SeatStep, play_out, play_steps, seat_agents, settled
from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.theory_of_mind.mind_questions import Predict
from hm_agent.worlds.melting_pot.facts import FOCAL
from hm_agent.worlds.melting_pot.games.matrix.rules_of_thumb import CHOICES
from hm_agent.worlds.melting_pot.learning.inputs import input_sizes
from hm_agent.worlds.melting_pot.learning.player_network import PlayerShape
from hm_agent.worlds.melting_pot.learning.populations import Population, save
from hm_agent.worlds.melting_pot.own_agents import PPO
from hm_agent.worlds.melting_pot.reference_agents import InformedStrategist
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.scene import PlayerIntent
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld
from tests.strategists import arena, begin, interact

(SCENARIO,) = find_scenarios(["rws_repeated_1"])


class SecretiveWorld(MeltingPotWorld):
    """Raises an error if an agent asks for the bots' intents."""

    def intents(self, seat: Seat = FOCAL) -> Sequence[PlayerIntent]:
        raise AssertionError("an agent asked what only the oracle may know")


class PartlyKnownWorld(MeltingPotWorld):
    """Knows intents only from a step on, or for none if that is None; `rule`: what it then tells beside the intent."""

    known_from: int | None = None
    rule: str | None = None
    behaviour: str | None = "rock"

    def intents(self, seat: Seat = FOCAL) -> Sequence[PlayerIntent]:
        is_known = self.known_from is not None and self._step >= self.known_from
        return [PlayerIntent(self.behaviour, self.rule) if is_known else PlayerIntent(None)]


@pytest.mark.parametrize(("seat", "met"), [("player_0", 4), ("player_4", 4)])
def test_the_oracle_is_told_of_those_alone_whom_it_can_meet(seat: Seat, met: int) -> None:
    scenario = scenario_named("bach_or_stravinsky_in_the_matrix__arena_3")
    world = MeltingPotWorld(scenario, Bots.SCRIPTED)
    world.reset(0)
    world.step(dict.fromkeys(scenario.seats, 0))
    intents = world.intents(seat)
    world.close()
    own_side = scenario.is_column(scenario.seats.index(seat))
    bots = [slot for slot in range(len(scenario.seats), scenario.players) if scenario.is_column(slot) != own_side]
    assert len(intents) == met
    assert sum(intent.is_known for intent in intents) == len(bots)


def played(
    world: MeltingPotWorld, name: str, steps: int = 100, scenario: ScenarioInfo = SCENARIO, **options: Setting
) -> Agent[Any, Any]:
    """The agent in the first seat after an episode; raises what ended it."""
    agents = seat_agents(world, scenario, name, options=settled(scenario, bots="scripted", **options))
    play_out(world, agents, seed=1, steps=steps)
    return next(iter(agents.values()))


def told_share(**known: object) -> float:
    """What the oracle records after 100 steps in such a world."""
    world = PartlyKnownWorld(scenario_named(SCENARIO.name), Bots.SCRIPTED)
    for name, value in known.items():
        setattr(world, name, value)
    return played(world, "oracle").metrics()[TOLD_SHARE]


def play(name: str, steps: int) -> list[SeatStep]:
    return play_steps(SCENARIO, name, steps, bots="scripted")


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a network as it is before it learns."""
    substrate = scenario_named(SCENARIO.name).game.substrate
    shape = PlayerShape("planes", input_sizes(substrate, "planes"), hidden=4)
    weights = {name: np.asarray(value)[None] for name, value in shape.initial_weights(0).items()}
    path = tmp_path_factory.mktemp("untrained") / "last.npz"
    save(path, Population(substrate, "", shape, weights))
    return path


# All rules of thumb are one class, so that one of them will do.
@pytest.mark.parametrize(
    "name",
    sorted({"tit_for_tat"} | {name for name in agent_names() if can_play(name, SCENARIO)} - {"oracle", *CHOICES}),
)
def test_only_the_oracle_is_told_the_intents_of_others(name: str, untrained: Path) -> None:
    options: dict[str, Any] = {"checkpoint": str(untrained)} if name == PPO else {}
    played(SecretiveWorld(scenario_named(SCENARIO.name), Bots.SCRIPTED), name, **options)


def test_the_oracle_is_told_the_intents_of_others() -> None:
    with pytest.raises(AssertionError, match="only the oracle may know"):
        played(SecretiveWorld(scenario_named(SCENARIO.name), Bots.SCRIPTED), "oracle")


def test_the_oracle_changes_its_strategy_with_the_opponents_intent() -> None:
    assert len({step.decision.thoughts.strategy for step in play("oracle", 600)}) > 2


def test_an_oracle_that_is_told_nothing_records_a_share_of_zero() -> None:
    assert told_share() == 0


def test_the_share_told_counts_the_steps_in_which_an_intent_or_a_rule_was_known() -> None:
    assert told_share(known_from=0) == 1
    assert told_share(known_from=60) == 0.4
    assert told_share(known_from=75, behaviour=None, rule="copies you") == 0.25


def test_in_a_scenario_with_scripted_bots_the_oracle_is_told_something_from_the_second_step_on() -> None:
    (arena_0,) = find_scenarios(["rws_arena_0"])
    oracle = played(MeltingPotWorld(scenario_named(arena_0.name), Bots.SCRIPTED), "oracle", 40, arena_0)
    assert oracle.metrics()[TOLD_SHARE] == pytest.approx(39 / 40)


def test_agents_that_nobody_tells_anything_record_no_share() -> None:
    for name in ("hypothetical_minds", "react", "random"):
        agent = played(MeltingPotWorld(scenario_named(SCENARIO.name), Bots.SCRIPTED), name, 5)
        assert TOLD_SHARE not in agent.metrics()


def test_random_moves_depend_on_the_seed_alone() -> None:
    moves = [step.decision.action for step in play("random", 50)]
    assert moves == [step.decision.action for step in play("random", 50)]


def test_among_players_with_rules_the_commonest_is_answered_by_what_its_followers_met() -> None:
    model = ScriptedModel({Predict: lambda question: None})
    rules = ["always rock", "copies you", "copies you", *[None] * 4]
    oracle = InformedStrategist(arena().mind, model, lambda: [PlayerIntent("rock", rule) for rule in rules])
    assert oracle.metrics() == {}
    begin(oracle)
    interact(oracle, 100, partner="player_1")
    interact(oracle, 200, partner="player_2")
    asked = model.of(Predict)[-1]
    assert [known.words for known in asked.hypotheses] == ["copies you"]
    assert [met.partner for met in asked.history] == ["player_2"]
