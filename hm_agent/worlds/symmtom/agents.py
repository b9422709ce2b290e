"""The agents that only SymmToM has: a policy in a seat, with what it believes for the trace."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.core import Decision, Observation
from hm_agent.questions import Usage
from hm_agent.worlds.symmtom.policies.policy import Policy
from hm_agent.worlds.symmtom.rules import Direction
from hm_agent.worlds.symmtom.sights import sight_of
from hm_agent.worlds.symmtom.views import BoardView, SpokenMove


class PolicyAgent:
    """Plays one seat by a policy. seed: of its own random numbers."""

    usage = Usage()

    def __init__(self, policy: Policy, seed: int) -> None:
        self._policy, self._seed = policy, seed

    async def act(self, observation: Observation[BoardView]) -> Decision[SpokenMove]:
        sights = sight_of(observation.view, observation.step, observation.reward, self._seed)
        directions, pieces = self._policy.act(sights)
        return Decision(SpokenMove(Direction(int(directions[0])), int(pieces[0])))

    def metrics(self) -> Mapping[str, float]:
        return {}
