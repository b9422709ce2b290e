"""SymmToM's own agents: each plays a seat by a policy and records the policy's beliefs in the trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from hm_agent.core import Agent, Decision, Observation
from hm_agent.metrics import TOLD_SHARE
from hm_agent.worlds.symmtom.knowledge.filters import KnowledgeFilter
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
from hm_agent.worlds.symmtom.policies.orders import OrderPolicy
from hm_agent.worlds.symmtom.policies.planner import Planner
from hm_agent.worlds.symmtom.policies.policy import HeuristicPolicy, Policy, RandomPolicy, own_seeds
from hm_agent.worlds.symmtom.policies.shortcuts import RATINGS, ShortcutPolicy
from hm_agent.worlds.symmtom.rules import Bools, Direction, GameState, Ints
from hm_agent.worlds.symmtom.sights import Sights, sight_of
from hm_agent.worlds.symmtom.tables.peddlers import WORDS, PeddlerPolicy
from hm_agent.worlds.symmtom.tables.teller import TellerPolicy
from hm_agent.worlds.symmtom.views import BelievedKnowledge, BoardView, SpokenMove
from hm_agent.worlds.symmtom.world import SymmtomWorld, pieces_of

POLICIES: Mapping[str, Callable[[], Policy]] = {
    "random": RandomPolicy,
    "heuristic": HeuristicPolicy,
    "k_first": lambda: Planner(KINDS["first_hand"]()),
    "k_ce": lambda: Planner(KINDS["ce"]()),
    "k_ge": lambda: Planner(KINDS["ge"]()),
    "k_oracle": lambda: Planner(KINDS["oracle"]()),
    "k_filter": lambda: Planner(KnowledgeFilter()),
    **{f"order_{order}": partial(OrderPolicy, order) for order in range(4)},
    **{f"shortcut_{name}": partial(ShortcutPolicy, name) for name in RATINGS},
    **{f"shortcut_peddler_{name}": partial(PeddlerPolicy, name) for name in WORDS},
    "shortcut_peddler_hushed": partial(PeddlerPolicy, "rarest", hushes=True),
    "teller": TellerPolicy,
}
"""The policy of every agent by its name."""


def count_right_bits(known: Bools, truth: GameState, sights: Sights) -> tuple[Ints, Ints]:
    """(R,): how many bits of each K (R, n, c) are right, and how many count: those on others' second-hand pieces."""
    copies = len(sights.me) // len(truth.step)
    others = np.arange(sights.settings.agents) != sights.me[:, None]
    counted = others[..., None] & ~np.repeat(truth.first_hand, copies, axis=0)
    right = (known == np.repeat(truth.knows, copies, axis=0)) & counted
    return right.sum((1, 2), dtype=np.int32), counted.sum((1, 2), dtype=np.int32)


class BeliefScore:
    """Measures which share of an agent's beliefs is true, by the full game state that the agent never sees."""

    def __init__(self, world: SymmtomWorld) -> None:
        self._world = world
        self._right, self._counted = 0, 0

    def note(self, believed: Bools, sights: Sights) -> None:
        """Compares K before an action with the truth; skips the first turn, when nobody knows anything second-hand."""
        if sights.step[0] > 0:
            right, counted = count_right_bits(believed, self._world.state, sights)
            self._right, self._counted = self._right + int(right.sum()), self._counted + int(counted.sum())

    def metrics(self) -> Mapping[str, float]:
        return {"believed_rightly": self._right / self._counted} if self._counted else {}


class PolicyAgent(Agent[BoardView, SpokenMove]):
    """Plays one seat by a policy. is_told: True if the policy is given the true state of the game.

    seed: of the agent's random numbers; it is hashed first, since the first seat's seed is also that of the game.
    """

    def __init__(self, policy: Policy, world: SymmtomWorld, seed: int, *, is_told: bool = False) -> None:
        self._policy, self._world, self._is_told = policy, world, is_told
        self._seed = int(own_seeds(np.array([seed % 2**32], np.uint32), 1)[0, 0])
        self._score = BeliefScore(world)

    async def act(self, observation: Observation[BoardView]) -> Decision[SpokenMove]:
        sights = sight_of(observation.view, observation.step, observation.reward, self._seed)
        truth: GameState | None = self._world.state if self._is_told else None
        directions, pieces = self._policy.act(sights, truth)
        action = SpokenMove(Direction(int(directions[0])), int(pieces[0]))
        believed = getattr(self._policy, "believed", None)
        if believed is None:
            return Decision(action)
        self._score.note(believed, sights)
        return Decision(action, state=BelievedKnowledge(tuple(map(pieces_of, np.asarray(believed)[0]))))

    def metrics(self) -> Mapping[str, float]:
        return {**self._score.metrics(), **({TOLD_SHARE: 1.0} if self._is_told else {})}
