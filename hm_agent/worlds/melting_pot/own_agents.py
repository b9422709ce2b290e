"""Melting Pot's own agents by name, and the body that they share with all others. Imports no simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hm_agent.agents.agent import BodyBuilder, ComposedAgent, Recipe
from hm_agent.agents.reflection import FailureReflector
from hm_agent.agents.registry import AGENTS
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, OwnAgent, Setting
from hm_agent.core import Agent
from hm_agent.matched_pairs import MatchedPairWorld
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.theory_of_mind.hypotheses import BY_PREDICTION
from hm_agent.worlds.melting_pot.games import KINDS, kind_of
from hm_agent.worlds.melting_pot.scenarios import scenario_named

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.learning.populations import Population
    from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld, SubstrateWorld

PPO, ORACLE = "ppo", "oracle"
ORDERS: Mapping[int, str] = {
    0: "which look at no move",
    1: "which look at the agent's moves, too",
    2: "which look at their own moves, too; these are all",
}
"""The orders of rules in matrix games (`games/matrix/opponent_rules.py`)."""

SHORTCUTS: Mapping[str, str] = {name: about for kind in KINDS.values() for name, about in kind.shortcuts.items()}
"""The agents that model no mind, with what they do."""


def seat_body(setup: AgentSetup, order: int | None = None, *, is_asked: bool = True) -> BodyBuilder:
    """The body of a seat.

    order: the highest order of others' rules that the built-in reasoner considers; None for all. is_asked: False for an
    agent that is asked no literal question.
    """
    from hm_agent.worlds.melting_pot.games.options import AgentOptions, Hints, Inference

    own_scenario = scenario_named(setup.scenario.name)
    slot = own_scenario.slot_of(setup.seat)
    facts = own_scenario.game_of(slot)
    facts = replace(facts, length=facts.length.cut(setup.max_steps))
    options = AgentOptions(
        inference=Inference(str(setup.options["inference"])),
        clues=setup.options["clues"] == "on",
        hints=Hints(str(setup.options["hints"])),
        order=order,
        opponent_plays=getattr(world_of(setup), "opponent_plays", None) if is_asked else None,
    )
    return kind_of(facts).body(facts, options, slot, is_column=own_scenario.is_column(slot))


def world_of(setup: AgentSetup) -> SubstrateWorld:
    """The world that a seat's player is in: one of two boards in a matched pair."""
    world: Any = setup.world.worlds[setup.seat] if isinstance(setup.world, MatchedPairWorld) else setup.world
    substrate_world: SubstrateWorld = world
    return substrate_world


def _agent_of_order(order: int) -> OwnAgent:
    """`hypothetical_minds` in matrix games; the built-in reasoner considers only rules of others up to an order."""

    def build(setup: AgentSetup) -> ComposedAgent:
        return AGENTS["hypothetical_minds"].build(seat_body(setup, order), setup.model, setup.parameters)

    return OwnAgent(
        f"ablation: the built-in reasoner considers rules of others up to order {order}, {ORDERS[order]}",
        build,
        plays=lambda scenario: scenario.has_paid_interactions or bool(scenario_named(scenario.name).pairs),
        only_model=BuiltinReasoner.name,
        asked_by="order",
        uses=BY_PREDICTION,
    )


def _shortcut(name: str, about: str) -> OwnAgent:
    def build(setup: AgentSetup) -> ComposedAgent:
        decide = kind_of(scenario_named(setup.scenario.name).game).shortcut(name)
        recipe = Recipe("", lambda mind, model, _: decide(mind, model), FailureReflector)
        return recipe.build(seat_body(setup, is_asked=False), setup.model, setup.parameters)

    def plays(scenario: ScenarioInfo) -> bool:
        own = scenario_named(scenario.name)
        if own.pairs:
            return name in kind_of(own.game).pair_shortcuts
        is_played = not own.is_self_play and (own.players == 2 or not scenario.has_paid_interactions)
        return is_played and name in kind_of(own.game).shortcuts_in(own.game)

    return OwnAgent(about, build, plays, is_reference=True)


def _oracle(setup: AgentSetup) -> ComposedAgent:
    from hm_agent.worlds.melting_pot.reference_agents import InformedStrategist

    world: MeltingPotWorld = setup.world  # type: ignore[assignment]
    recipe = Recipe(
        "", lambda mind, model, _: InformedStrategist(mind, model, lambda: world.intents(setup.seat)), FailureReflector
    )
    return recipe.build(seat_body(setup), setup.model, setup.parameters)


def _population(scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Population:
    """The networks that `ppo` plays a scenario by; ConfigError if no checkpoint fits."""
    from hm_agent.worlds.melting_pot.learning.ppo_agent import population_named

    return population_named(options.get("checkpoint"), scenario_named(scenario.name))


def _ppo(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.melting_pot.learning.ppo_agent import PpoAgent

    return PpoAgent(_population(setup.scenario, setup.options), setup.seed, world_of(setup).actions)


def _random(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.melting_pot.reference_agents import RandomAgent

    return RandomAgent(setup.seed, world_of(setup).actions)


def _noop(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.melting_pot.reference_agents import NoopAgent

    return NoopAgent()


OWN_AGENTS: Mapping[str, OwnAgent] = {
    ORACLE: OwnAgent(
        "told what the others aim for, or their rule; same perception and planning; marks the ceiling",
        _oracle,
        plays=lambda scenario: scenario.metric.ceiling == ORACLE,
        is_reference=True,
    ),
    "random": OwnAgent("draws every move uniformly; marks the floor", _random, is_reference=True),
    "noop": OwnAgent("stands still", _noop, is_reference=True),
    PPO: OwnAgent(
        "was trained by independent PPO; plays by a --checkpoint",
        _ppo,
        plays=lambda scenario: not scenario_named(scenario.name).pairs,
        check=_population,
        is_reference=True,
        asked_by=PPO,
    ),
    **{name: _shortcut(name, about) for name, about in SHORTCUTS.items()},
    **{f"order_{order}": _agent_of_order(order) for order in ORDERS},
}
