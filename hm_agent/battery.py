"""The battery: a fixed set of episodes of every world, which compares the Theory of Mind of agents and models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.registry import can_play, find_scenarios, suites
from hm_agent.suite import BatteryPart, Suite


def experiments(requested: Experiment, size: str) -> Iterator[Experiment]:
    """Yields a battery's experiments, world by world: first the floor and ceiling agents, then the requested agents.

    requested: the requested agents and model, and where to write; the battery replaces its scenarios, episodes and
    max_steps, and overrides its options. Each world is played by those agents that can play all its scenarios of the
    battery. Raises ConfigError for an agent that can do so in no world.
    """
    parts = {suite: suite.battery[size] for suite in suites().values() if size in suite.battery}
    played = {suite: _part_experiment(requested, part) for suite, part in parts.items()}
    for agent in requested.agents:
        if not any(agent in experiment.agents for experiment in played.values()):
            raise ConfigError(f"{agent} can't play the battery's scenarios of any world")
    for suite, experiment in played.items():
        if experiment.agents:
            yield from _references(suite, experiment)
            yield experiment


def _part_experiment(requested: Experiment, part: BatteryPart) -> Experiment:
    """Returns what the requested agents play of one world's part of the battery."""
    scenarios = find_scenarios(part.scenarios)
    return replace(
        requested,
        scenarios=scenarios,
        agents=tuple(agent for agent in requested.agents if all(can_play(agent, scenario) for scenario in scenarios)),
        episodes=part.episodes,
        max_steps=part.max_steps,
        options={**requested.options, **part.options},
    )


def _references(suite: Suite, experiment: Experiment) -> Iterator[Experiment]:
    """Yields the same episodes for the agents that mark floor and ceiling, if the measure is the normalised score."""
    metrics = [scenario.metric for scenario in experiment.scenarios]
    ends = dict.fromkeys(end for metric in metrics for end in (metric.floor, metric.ceiling) if end)
    if any(metric.floor is None for metric in metrics):
        ends |= dict.fromkeys(suite.shortcuts)
    if ends and suite.functional is None:
        yield replace(experiment, agents=tuple(ends), model=ModelSettings(BUILTIN))
