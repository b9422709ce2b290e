"""The reference agents, which ask no model: `random`, and `planner`, which is told everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from hm_agent.core import Agent, Decision, Observation, Seat
from hm_agent.metrics import TOLD_SHARE
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand
from hm_agent.worlds.enacttom.house.probes import HouseAction, ProbeAnswer, ProbeAnswers, ProbeReport
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.house.views import HouseView, broadcasts
from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.worlds.enacttom.verification.character_search import CharacterSearch, Position
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import Variant
from hm_agent.worlds.enacttom.verification.plans import JointTurn, in_turns, steps_of
from hm_agent.worlds.enacttom.world import EnacttomWorld

_YES_OR_NO = {True: ProbeAnswer.YES, False: ProbeAnswer.NO}


@dataclass(frozen=True)
class HouseAgentState:
    """What recordings show: the chosen command. choices: how many there were; for `planner`, turns left in its plan."""

    command: str
    choices: int


class RandomHouseAgent(Agent[HouseView, HouseAction]):
    """Draws uniformly from the commands that can succeed as far as it sees, and messages without content.

    It draws its answers to probes, too.
    """

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseAction]:
        view = observation.view
        if view.probes:
            said = {probe.name: self._rng.choice(list(ProbeAnswer)) for probe in view.closed_probes}
            reports = {
                probe.name: ProbeReport.on(probe.about.proposition, self._rng.choice((True, False, None)))
                for probe in view.open_probes
            }
            return Decision(ProbeAnswers(said, reports))
        choices = [*view.commands(), *broadcasts(view, "Hello.")]
        command = self._rng.choice(choices)
        return Decision(command, state=HouseAgentState(str(command), len(choices)))


class PlannerHouseAgent(Agent[HouseView, HouseAction]):
    """Follows the verifier's plan for the shared goal. It is told the whole state, so all planners find the same plan.

    When the state is not as planned, or without such a plan, it plans for the physical conjuncts alone, and waits if
    there is no plan for these either. It answers probes by the truth, but leaves out checks: otherwise its seat would
    count as knowing what it is told. In a household with characters it searches for its own plan.
    """

    def __init__(self, world: EnacttomWorld, seat: Seat) -> None:
        self._world, self._seat = world, seat
        self._plan: list[JointTurn] = []
        self._expected: int | None = None
        self._search: CharacterSearch | None = None

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseAction]:
        if observation.view.probes:
            truths = {probe.name: self._world.is_so(probe) for probe in observation.view.closed_probes}
            said = {name: _YES_OR_NO[is_so] for name, is_so in truths.items() if is_so is not None}
            facts = {probe.name: probe.about.proposition for probe in observation.view.open_probes}
            reports = {name: ProbeReport.on(fact, self._world.holds(Claim((), fact))) for name, fact in facts.items()}
            return Decision(ProbeAnswers(said, reports))
        if self._world.task.characters:
            command = self._against_characters()
            return Decision(command, state=HouseAgentState(str(command), 0))
        task, state = self._world.task, self._world.runtime.state
        is_lost = self._expected not in (None, state)
        if self._expected is None:
            self._plan_for(Variant(task.goal, is_knowing=task.tells_goals), state)
            is_lost = not self._plan
        if is_lost:
            physical = tuple(Claim((), proposition) for proposition in task.physical_goal)
            self._plan_for(Variant(physical, is_knowing=False), state)
        turn = self._plan.pop(0) if self._plan else {}
        self._expected = self._after(turn, state)
        command = turn.get(self._seat, IDLE)
        return Decision(command, state=HouseAgentState(str(command), len(self._plan)))

    def _against_characters(self) -> HouseCommand:
        """The next command of a cheapest plan in a household with characters; Wait without a plan."""
        if self._search is None:
            self._search = CharacterSearch(self._world.household, self._world.task.agents.index(self._seat))
        return self._search.best([Position(self._world.runtime.copy(), self._world.quiet_turns)]) or IDLE

    def _plan_for(self, variant: Variant, state: int) -> None:
        problem = compile_task(self._world.household, variant, start=state)
        result = solve(problem)
        self._plan = in_turns(problem, steps_of(problem, result.actions)) if result.status == "solved" else []

    def _after(self, turn: JointTurn, state: int) -> int:
        """Returns the state after a turn, if all agents do as planned."""
        household = self._world.household
        runtime = HouseRuntime(household, start=state)
        runtime.turn = self._world.runtime.turn
        runtime.step([turn.get(agent, IDLE) for agent in household.agents])
        return runtime.state

    def metrics(self) -> Mapping[str, float]:
        return {TOLD_SHARE: 1.0}
