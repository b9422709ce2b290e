"""ExploreToM's own agents by name, which read stories: what each does in words, and how it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.suite import AgentSetup, OwnAgent
from hm_agent.core import Agent
from hm_agent.matched_pairs import MatchedPairWorld
from hm_agent.theory_of_mind.hypotheses import BY_PREDICTION
from hm_agent.worlds.exploretom.readers.shortcut_words import SHORTCUT_WORDS

if TYPE_CHECKING:
    from hm_agent.questions import Model
    from hm_agent.theory_of_mind.strategist import BaseStrategist

SHORTCUTS = ("reality", "no_distraction", "last_mention", "first_choice", *SHORTCUT_WORDS)
"""The agents that model no mind."""
_MODEL_READERS = {
    "reader": "reads the story and answers each question",
    "reader_cot": "the same, step by step",
    "perspective": "first says what the person asked about knows (SimToM)",
}
"""Descriptions of the agents that ask a model, by agent name."""
_WEAK_READERS = {
    "reality": "no model: answers what is so, whoever is asked about",
    "last_mention": "no model: answers the place that the story names last, or yes",
    "first_order": "no model: takes it that everyone knows what others believe",
    "no_distraction": "no model: overlooks who peeks and who is distracted",
    "seen_together": "no model: goes by what those asked about saw together, without nesting beliefs",
    "first_choice": "no model: takes the first choice",
    **{
        f"order_{depth}": f"no model: follows beliefs of order {depth} and below, and takes deeper ones for known"
        for depth in range(4)
    },
}
"""Descriptions of the agents that ask no model, by agent name."""


def _reader(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.exploretom.readers.readers import MODEL_READERS, RULES, WeakReader

    return MODEL_READERS[name](setup.model) if name in MODEL_READERS else WeakReader(RULES[name])


def _hypothesis_reader(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.theory_of_mind.module import TheoryOfMind

    parameters = setup.parameters.by_prediction
    return _mind_reader(setup, lambda mind, model: TheoryOfMind(mind, model, parameters))


def _odds_reader(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.theory_of_mind.calculating import Calculator

    return _mind_reader(setup, Calculator)


def _mind_reader(setup: AgentSetup, strategist: Callable[[Any, Model], BaseStrategist[Any]]) -> Agent[Any, Any]:
    from hm_agent.worlds.exploretom.readers.hypothesis_reader import HypothesisReader
    from hm_agent.worlds.exploretom.world import StoryWorld

    world = setup.world.worlds[setup.seat] if isinstance(setup.world, MatchedPairWorld) else setup.world
    assert isinstance(world, StoryWorld)
    return HypothesisReader(setup.model, strategist, lambda: world.graded)


OWN_AGENTS: Mapping[str, OwnAgent] = {
    **{name: OwnAgent(about, partial(_reader, name), uses=()) for name, about in _MODEL_READERS.items()},
    "hypothetical_minds": OwnAgent(
        "in ExploreToM: hypotheses about what each person knows, scored by whether answers were right",
        _hypothesis_reader,
        uses=BY_PREDICTION,
    ),
    "hm_odds": OwnAgent("in ExploreToM: the likeliest answer, by the chances of each", _odds_reader, uses=()),
    **{name: OwnAgent(about, partial(_reader, name), is_reference=True) for name, about in _WEAK_READERS.items()},
    **{
        name: OwnAgent(about, partial(_reader, name), is_reference=True, asked_by="shortcut")
        for name, about in SHORTCUT_WORDS.items()
    },
}
