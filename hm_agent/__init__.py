"""Theory of Mind in language-model agents: plays, records and compares agents in several worlds.

    import hm_agent

    results = hm_agent.play("rws_repeated_*", agent=["hypothetical_minds", "react"], episodes=5, out="runs")
    frame = hm_agent.load("runs")

Importing the package imports none of its modules: each name imports its module at its first use. docs/python.md shows
how to add agents, strategists, models and recorders of your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hm_agent import envs
    from hm_agent.agents.agent import Recipe
    from hm_agent.api import Results, play
    from hm_agent.catalogue.registry import register_agent, register_scenarios, register_strategist, register_world
    from hm_agent.catalogue.suite import AgentSetup, OwnAgent, Suite
    from hm_agent.config import ConfigError
    from hm_agent.core import Agent, Decision, Observation, Recorder, Step, Thoughts
    from hm_agent.experiment.planned_episode import Episode
    from hm_agent.models.chat import Chat, Reply, Request, Sampling
    from hm_agent.models.own_prompts import ask
    from hm_agent.models.prompts import register_prompts
    from hm_agent.models.providers import register_model
    from hm_agent.models.settings import ModelSettings
    from hm_agent.models.transcript import Transcript
    from hm_agent.questions import Model, ModelCall, Question, Unanswered, Usage
    from hm_agent.recording.result import Result
    from hm_agent.reporting.frames import load, load_trace
    from hm_agent.theory_of_mind.hypotheses import Parameters
    from hm_agent.theory_of_mind.strategist import BaseStrategist

__all__ = [
    "Agent",
    "AgentSetup",
    "BaseStrategist",
    "Chat",
    "ConfigError",
    "Decision",
    "Episode",
    "Model",
    "ModelCall",
    "ModelSettings",
    "Observation",
    "OwnAgent",
    "Parameters",
    "Question",
    "Recipe",
    "Recorder",
    "Reply",
    "Request",
    "Result",
    "Results",
    "Sampling",
    "Step",
    "Suite",
    "Thoughts",
    "Transcript",
    "Unanswered",
    "Usage",
    "ask",
    "envs",
    "load",
    "load_trace",
    "play",
    "register_agent",
    "register_model",
    "register_prompts",
    "register_scenarios",
    "register_strategist",
    "register_world",
]

_MODULES = {
    "agents.agent": ("Recipe",),
    "api": ("Results", "play"),
    "catalogue.registry": ("register_agent", "register_scenarios", "register_strategist", "register_world"),
    "catalogue.suite": ("AgentSetup", "OwnAgent", "Suite"),
    "config": ("ConfigError",),
    "core": ("Agent", "Decision", "Observation", "Recorder", "Step", "Thoughts"),
    "experiment.planned_episode": ("Episode",),
    "models.chat": ("Chat", "Reply", "Request", "Sampling"),
    "models.own_prompts": ("ask",),
    "models.prompts": ("register_prompts",),
    "models.providers": ("register_model",),
    "models.settings": ("ModelSettings",),
    "models.transcript": ("Transcript",),
    "questions": ("Model", "ModelCall", "Question", "Unanswered", "Usage"),
    "recording.result": ("Result",),
    "reporting.frames": ("load", "load_trace"),
    "theory_of_mind.hypotheses": ("Parameters",),
    "theory_of_mind.strategist": ("BaseStrategist",),
}
_MODULE_OF = {name: f"hm_agent.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "envs":
        return import_module("hm_agent.envs")
    if name == "__version__":
        from importlib.metadata import version

        return version("hm_agent")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
