"""SymmToM's own agents by name: what each does in words, and how it is built. Imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, OwnAgent, Setting
from hm_agent.core import Agent
from hm_agent.worlds.symmtom.scenarios import game_settings

if TYPE_CHECKING:
    from hm_agent.worlds.symmtom.learning.checkpoints import TrainedPlayer
    from hm_agent.worlds.symmtom.world import SymmtomWorld

REFERENCES: Mapping[str, str] = {
    "random": "draws every move uniformly",
    "heuristic": "goes to the centre, says all that it knows in turn, recharges when complete",
    "k_first": "plans as if nobody ever learnt what others know first-hand; a shortcut",
    "k_ce": "plans over what it witnessed that others were told (CE)",
    "k_ge": "plans over that and the best guess at what it could not hear (GE)",
    "k_filter": "plans over what a filter holds likely that the others know",
}
"""The agents by which others are measured, except the ceiling: what each does."""

TRAINED: Mapping[str, str] = {
    "ippo": "PPO",
    "maddpg": "MADDPG; remembers nothing",
    "maddpg_oracle": "MADDPG; is told what the others truly know",
    "maddpg_ce": "MADDPG; knows what it witnessed that others were told",
    "maddpg_ge": "MADDPG; knows that, and guesses at what it could not hear",
    "maddpg_ee": "MADDPG; learned to guess at what it could not hear",
    "rmaddpg": "MADDPG; learned to remember",
}
"""The agents that play by a checkpoint, with the algorithm that trained them."""

SHORTCUTS: Mapping[str, str] = {
    "nearest": "the nearest agent",
    "farthest": "the farthest agent",
    "first_named": "the first agent",
    "owns_most": "the agent with most first-hand pieces",
    "most_met": "the agent it was near longest",
    "least_met": "the agent it was near shortest",
    "last_speaker": "the one that it heard last",
    "last_told": "the one last spoken to in its hearing",
    "last_news": "the one that last said a new piece",
    "said_most": "the one heard to say most pieces",
    "told_least": "the one told the fewest pieces in its hearing",
    "told_seldom": "the one spoken to most seldom in its hearing",
}
"""The rules of policies/shortcuts.py: whom they go to, in words."""
PEDDLERS: Mapping[str, str] = {
    "in_turn": "the one of the lowest number",
    "rarest": "the one that it heard said most seldom",
    "commonest": "the one that it heard said most often",
    "latest": "the one that it heard said last",
    "earliest": "the one that it has not heard said for longest",
    "newest": "the one that it learnt last",
    "hushed": "the one that it heard said most seldom, and nothing while it is told news",
}
"""The rules of tables/peddlers.py: what they tell first of what the one in front did not say itself, in words."""


def board_of(setup: AgentSetup) -> SymmtomWorld:
    """The board that a seat plays on: one of two in a matched pair."""
    from hm_agent.worlds.symmtom.pairs.pair_world import MindPairWorld
    from hm_agent.worlds.symmtom.world import SymmtomWorld

    board = setup.world.boards[setup.seat] if isinstance(setup.world, MindPairWorld) else setup.world
    assert isinstance(board, SymmtomWorld)
    return board


def _by_policy(
    name: str, about: str, asked_by: str = "", *, is_told: bool = False, is_reference: bool = True
) -> OwnAgent:
    """The agent of a policy. is_told: True if the policy is given the true state of the game."""

    def build(setup: AgentSetup) -> Agent[Any, Any]:
        from hm_agent.worlds.symmtom.agents import POLICIES, PolicyAgent

        return PolicyAgent(POLICIES[name](), board_of(setup), setup.seed, is_told=is_told)

    return OwnAgent(about, build, asked_by=asked_by, is_reference=is_reference, uses=())


def _load_player(name: str, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> TrainedPlayer:
    """Loads the weights that a trained agent plays a scenario by; ConfigError if there are none that fit."""
    from hm_agent.worlds.symmtom.learning.checkpoints import player_of

    path = options["checkpoint"]
    return player_of(name, Path(str(path)) if path else None, game_settings(scenario, options))


def _build_trained(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    """Builds the agent that the algorithm `name` trained."""
    from hm_agent.worlds.symmtom.agents import PolicyAgent
    from hm_agent.worlds.symmtom.learning.trained_policy import TrainedPolicy

    player = _load_player(name, setup.scenario, setup.options)
    return PolicyAgent(TrainedPolicy(player), board_of(setup), setup.seed, is_told=player.kind == "oracle")


def _trained(name: str, about: str) -> OwnAgent:
    build, check = partial(_build_trained, name), partial(_load_player, name)
    return OwnAgent(f"was trained by {about}", build, check=check, is_reference=True)


OWN_AGENTS: Mapping[str, OwnAgent] = {
    **{name: _by_policy(name, about) for name, about in REFERENCES.items()},
    **{
        f"order_{order}": _by_policy(
            f"order_{order}", f"reasons to order {order} about others' knowledge", "order", is_reference=False
        )
        for order in range(4)
    },
    **{
        f"shortcut_{rule}": _by_policy(
            f"shortcut_{rule}", f"goes to {whom}, and keeps no account of knowledge", "shortcut"
        )
        for rule, whom in SHORTCUTS.items()
    },
    **{
        f"shortcut_peddler_{rule}": _by_policy(
            f"shortcut_peddler_{rule}",
            f"goes round the others, tells first {what}, and keeps no account of who was told what",
            "shortcut_peddler",
        )
        for rule, what in PEDDLERS.items()
    },
    "k_oracle": _by_policy("k_oracle", "plans over what the others truly know; marks the ceiling", is_told=True),
    "teller": _by_policy(
        "teller",
        "tells others what they truly lack and is silent else; marks the ceiling of mixed tables",
        is_told=True,
    ),
    **{name: _trained(name, about) for name, about in TRAINED.items()},
}
