"""Who can play what: which agents can take a seat in a scenario, and why others can't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.registry import agent_names, shared_agent, shared_agents, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, OwnAgent, Setting
from hm_agent.config import ConfigError
from hm_agent.core import Agent
from hm_agent.wording import first_of, listed

if TYPE_CHECKING:
    from hm_agent.theory_of_mind.mind import BasicMind

CEILINGS, FLOOR = ("ceiling", "oracle"), "floor"
"""Names that stand for the agents by which a scenario's score is measured, whatever they are called in its world."""


def _own_agent(name: str, scenario: ScenarioInfo) -> OwnAgent | None:
    """Returns the `OwnAgent` of this name that would play a scenario, None for a recipe or an unknown name."""
    agent = suites()[scenario.world].own_agents.get(name) or shared_agent(name)
    return agent if isinstance(agent, OwnAgent) else None


def can_play(agent: str, scenario: ScenarioInfo) -> bool:
    """True if an agent can take a seat in a scenario."""
    if own := _own_agent(agent, scenario):
        return own.plays(scenario)
    return _lacking(agent, scenario) == ()


def _lacking(agent: str, scenario: ScenarioInfo) -> Sequence[type[BasicMind]] | None:
    """What an agent of no single world needs and a scenario's world does not offer; None if it can't play any way."""
    recipe, offers = shared_agent(agent), suites()[scenario.world].offers_in(scenario)
    if recipe is None or isinstance(recipe, OwnAgent) or offers is None:
        return None
    offered = {kind for offer in offers for kind in offer.__mro__}
    return tuple(need for need in recipe.needs if need not in offered)


def stand_ins(name: str, scenario: ScenarioInfo) -> tuple[str, ...]:
    """The agents that a name stands for in a scenario: itself; for `ceiling` and `oracle` the metric's ceiling.

    `floor` is the metric's floor or, where it names none, every shortcut that can play there, of which reports take the
    best. Empty if the scenario's score has no such end, but a world's own `oracle` stays what it is.
    """
    metric, suite = scenario.metric, suites()[scenario.world]
    if name in shared_agents() or name not in (*CEILINGS, FLOOR):
        return (name,)
    if name in CEILINGS:
        return (metric.ceiling,) if metric.ceiling else (name,) if name in suite.own_agents else ()
    shortcuts = tuple(agent for agent in suite.shortcuts if can_play(agent, scenario)) if metric.ceiling else ()
    return (metric.floor,) if metric.floor else shortcuts


def obstacle(agent: str, scenario: ScenarioInfo, model: str) -> str:
    """Why an agent can't play a scenario, or can't with the model of its seat, in a few words; empty if it can."""
    own, suite = _own_agent(agent, scenario), suites()[scenario.world]
    if own and own.plays(scenario):
        return "" if own.only_model in (None, model) else f"it works only with the model {own.only_model}"
    if lacking := () if own else _lacking(agent, scenario):
        from hm_agent.agents.agent import words_of

        return f"it needs {words_of(lacking)}, which {scenario.world} does not offer there"
    if can_play(agent, scenario):
        return ""
    if own:
        return "it is made for other scenarios"
    homes = [home.title for home in suites().values() if agent in home.own_agents]
    return f"it belongs to {listed(homes)}" if homes else f"{suite.title} is played by its own agents alone"


def check_agent(agent: str, scenario: ScenarioInfo, model: str) -> None:
    """Raises ConfigError if an agent can't play a scenario, or can't with the model of its seat."""
    if not can_play(agent, scenario):
        able = [name for name in agent_names() if can_play(name, scenario)]
        lacking = None if _own_agent(agent, scenario) else _lacking(agent, scenario)
        why = f" ({obstacle(agent, scenario, model)})" if lacking else ""
        raise ConfigError(f"{agent} can't play {scenario.short_name}{why}: {first_of(able)} can")
    own = _own_agent(agent, scenario)
    if own and own.only_model not in (None, model):
        raise ConfigError(f"{agent} works only with the model {own.only_model}, not with {model}")


def check_options(agent: str, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> None:
    """Raises ConfigError if an agent can't play a scenario with the world's settled options."""
    if own := _own_agent(agent, scenario):
        own.check(scenario, options)


def ignores(agent: str, parameter: str, scenario: ScenarioInfo) -> bool:
    """True if a hyperparameter of the Theory of Mind changes nothing that an agent does in a scenario."""
    found = _own_agent(agent, scenario) or shared_agent(agent)
    if found is None:
        return False
    uses = () if found.uses is None and isinstance(found, OwnAgent) and found.is_reference else found.uses
    return uses is not None and parameter not in uses


def build_agent(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    """Builds an agent for one seat, after `check_agent` has found that it can play there."""
    agent = _own_agent(name, setup.scenario) or shared_agent(name)
    assert agent is not None, "check the agent first"
    if isinstance(agent, OwnAgent):
        return agent.build(setup)
    return agent.build(suites()[setup.scenario.world].body(setup), setup.model, setup.parameters)
