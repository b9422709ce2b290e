"""EnactToM's own agents by name: what each does in words, and how it is built."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from hm_agent.catalogue.suite import AgentSetup, OwnAgent
from hm_agent.core import Agent
from hm_agent.worlds.enacttom.scenarios import is_hard

FLOOD = "flood"
SHORTCUTS = ("random", "solo", FLOOD, "reality", "broadcaster", "openly", "apart", "openly_later", "apart_later")
"""The agents that model no mind."""
AGAINST_CHARACTERS = {
    "order_0": ("in hard tasks: plans as if characters did nothing", "order_"),
    "order_1": ("in hard tasks: plans by what characters saw and were told", "order_"),
    "order_2": ("in hard tasks: also by what characters know of what others know", "order_"),
    "order_3": ("in hard tasks: also by what characters know of what others know of what others know", "order_"),
    "order_1_sure": ("order_1, but takes what characters know of others' knowledge for known", "order_"),
    "order_2_sure": ("order_2, but takes deeper knowledge for known", "order_"),
    "reality": ("in hard tasks: plans as if characters knew what it knows", "reality"),
    "broadcaster": ("in hard tasks: tells everyone whatever it knows", "broadcaster"),
    "openly": ("in hard tasks: tells what helpers lack to all that can be trusted, in one message", "openly"),
    "apart": ("in hard tasks: tells what helpers lack to each that can be trusted alone", "apart"),
    "openly_later": ("openly, after two turns", "openly"),
    "apart_later": ("apart, after two turns", "apart"),
}
"""The agents that play hard tasks alone, which have characters: by name what they do, and `asked_by`."""
LADDER = (
    ("solo", "acts on its own secrets and on what it sees; sends no message and reads none", "solo"),
    ("order1", "also tells what it knows at first hand to those whom it concerns", "order"),
    ("order2", "also passes on what it was told, and thinks of what others know", "order"),
    ("order3", "also passes on what it was told that others know", "order"),
)
"""The agents without a model, in the order of their depth of reasoning: name, what they do, `asked_by`."""


def _random(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.agents import RandomHouseAgent

    return RandomHouseAgent(setup.seed)


def _ladder(order: int, setup: AgentSetup, *, floods: bool = False) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.ladder.ladder_agent import LadderAgent
    from hm_agent.worlds.enacttom.world import EnacttomWorld

    assert isinstance(setup.world, EnacttomWorld)
    if order:
        setup.world.claim_readers.add(setup.seat)
    return LadderAgent(order, floods=floods)


def _against_characters(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.ladder.order_agent import AGENTS

    return AGENTS[name]()


def _planner(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.enacttom.agents import PlannerHouseAgent
    from hm_agent.worlds.enacttom.world import EnacttomWorld

    assert isinstance(setup.world, EnacttomWorld)
    return PlannerHouseAgent(setup.world, setup.seat)


OWN_AGENTS: Mapping[str, OwnAgent] = {
    "random": OwnAgent("draws every action uniformly; marks the floor", _random, is_reference=True),
    "planner": OwnAgent(
        "follows the verifier's plan and is told everything; marks the ceiling", _planner, is_reference=True
    ),
    **{
        name: OwnAgent(about, partial(_ladder, order), asked_by=asked_by, uses=())
        for order, (name, about, asked_by) in enumerate(LADDER)
    },
    FLOOD: OwnAgent(
        "order1 that repeats what it was told as if it had seen it, to everyone it can message",
        partial(_ladder, 1, floods=True),
        asked_by=FLOOD,
        uses=(),
    ),
    **{
        name: OwnAgent(
            about,
            partial(_against_characters, name),
            plays=is_hard,
            asked_by=asked_by,
            is_reference=name in SHORTCUTS,
            uses=(),
        )
        for name, (about, asked_by) in AGAINST_CHARACTERS.items()
    },
}
