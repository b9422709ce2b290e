"""The household as a world of two to four seats, all of which act at every turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.core import Observation, Seat, Turn, World
from hm_agent.worlds.enacttom.commands import CLOSE_IT, IDLE, OPEN_IT, WAIT, CommandError, HouseCommand, parse_command
from hm_agent.worlds.enacttom.household import Household
from hm_agent.worlds.enacttom.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.runtime import ActionOutcome, HouseRuntime, OutcomeKind, Sent
from hm_agent.worlds.enacttom.task import HouseholdTask
from hm_agent.worlds.enacttom.views import HouseView, ViewMaker

FUNCTIONAL_SUCCESS = "functional_success"
QUIET_TURNS = 2
"""An episode also ends after so many turns in a row in which everyone waits."""


@dataclass(frozen=True)
class HouseScene:
    """A turn as only viewers see it.

    before, after: all that was so; knew, knows: who knew what of it. memories: what each agent had seen last, before;
    remembers: the same after. outcomes: by agent. handles: by agent, what its Open or Close set, as furniture and
    state, and what mirrors and remote controls set with it. sent: messages with what they taught.
    """

    turn: int
    before: frozenset[Proposition]
    after: frozenset[Proposition]
    knew: frozenset[Claim]
    knows: frozenset[Claim]
    memories: Mapping[Seat, frozenset[Proposition]]
    outcomes: Mapping[Seat, ActionOutcome]
    handles: Mapping[Seat, Mapping[str, str]]
    sent: tuple[Sent, ...]
    remembers: Mapping[Seat, frozenset[Proposition]]


class EnacttomWorld(World[HouseView, HouseCommand | str]):
    """One task. Each seat bears the name of its agent. The rules are those of runtime.py; nothing in them is random.

    An action is a command, or its text; a text that is no command is lost, and its agent waits.
    """

    def __init__(self, task: HouseholdTask) -> None:
        self.task = task
        self.household = Household(task)
        self.seats: Sequence[Seat] = task.agents
        self._views = ViewMaker(self.household)
        self._runtime = HouseRuntime(self.household)
        self._quiet = 0
        self._before: tuple[int, tuple[int, ...]] | None = None

    @property
    def runtime(self) -> HouseRuntime:
        """The truth, for viewers, and for agents that are told it."""
        return self._runtime

    def reset(self, seed: int) -> Turn[HouseView]:
        self._runtime, self._quiet, self._before = HouseRuntime(self.household), 0, None
        return self._turn()

    def step(self, actions: Mapping[Seat, HouseCommand | str]) -> Turn[HouseView]:
        runtime = self._runtime
        self._before = (runtime.state, tuple(runtime.memories))
        commands, faults = self._read(actions)
        runtime.step(commands)
        for agent, fault in faults.items():
            runtime.outcomes[agent] = ActionOutcome(IDLE, OutcomeKind.FAILED, fault)
        waited = not faults and all(command.verb == WAIT for command in commands)
        self._quiet = self._quiet + 1 if waited else 0
        return self._turn()

    def _read(self, actions: Mapping[Seat, HouseCommand | str]) -> tuple[list[HouseCommand], dict[int, str]]:
        """The command of each agent, Wait for a text that is none, and what is wrong with those texts."""
        commands, faults = [], {}
        for agent, seat in enumerate(self.seats):
            action = actions[seat]
            if isinstance(action, str):
                try:
                    action = parse_command(action)
                except CommandError as error:
                    action, faults[agent] = IDLE, str(error)
            commands.append(action)
        return commands, faults

    @property
    def is_over(self) -> bool:
        return self._runtime.turn >= self.task.max_turns or self._quiet >= QUIET_TURNS

    @property
    def is_solved(self) -> bool:
        """True if all physical conjuncts of the shared goal hold now."""
        return self._runtime.holds(self.household.functional_mask)

    def _turn(self) -> Turn[HouseView]:
        turn, is_over = self._runtime.turn, self.is_over
        reward = float(is_over and self.is_solved)
        rewards = dict.fromkeys(self.seats, reward) if turn else {}
        observations = {
            seat: Observation(turn, self._views.view(self._runtime, agent), reward)
            for agent, seat in enumerate(self.seats)
        }
        return Turn(turn, observations, rewards, is_over)

    def scene(self) -> HouseScene | None:
        if self._before is None:
            return None
        runtime, (state, memories) = self._runtime, self._before
        outcomes = {seat: one for seat, one in zip(self.seats, runtime.outcomes, strict=True) if one}
        return HouseScene(
            runtime.turn - 1,
            self._propositions(state),
            self._propositions(runtime.state),
            self._claims(state),
            self._claims(runtime.state),
            self._remembered(memories),
            outcomes,
            {seat: self._handled(one) for seat, one in outcomes.items() if self._handled(one)},
            tuple(runtime.sent),
            self._remembered(runtime.memories),
        )

    def _remembered(self, memories: Sequence[int]) -> Mapping[Seat, frozenset[Proposition]]:
        return {seat: self._propositions(memory) for seat, memory in zip(self.seats, memories, strict=True)}

    def _handled(self, outcome: ActionOutcome) -> Mapping[str, str]:
        """What an action opened and closed; empty if it did not turn a handle."""
        command, mechanics = outcome.command, self.household.mechanics
        if outcome.kind is not OutcomeKind.DONE or command.verb not in (OPEN_IT, CLOSE_IT):
            return {}
        (furniture,) = command.arguments
        return mechanics.settings(furniture, mechanics.state_after(command.verb, furniture))

    def _propositions(self, mask: int) -> frozenset[Proposition]:
        return frozenset(one for one in self.household.named(mask) if isinstance(one, Proposition))

    def _claims(self, mask: int) -> frozenset[Claim]:
        return frozenset(one for one in self.household.named(mask) if isinstance(one, Claim))

    def metrics(self) -> Mapping[str, float]:
        """Of the present moment: whether the shared goal holds, and what was used.

        known_share: the share of the goal's K conjuncts that hold. private_share: that of the private conjuncts.
        """
        found = {FUNCTIONAL_SUCCESS: float(self.is_solved), "messages": float(self._runtime.messages_sent)}
        known = [one for one in self.task.goal if one.depth]
        private = [one for claims in self.task.private_goals.values() for one in claims]
        for name, goals in (("known_share", known), ("private_share", private)):
            if goals:
                found[name] = sum(self._runtime.holds(self.household.goal_mask([one])) for one in goals) / len(goals)
        return found

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        agent = self.seats.index(seat)
        used = self.task.message_budget(seat) - self._runtime.messages_left[agent]
        found = {"messages_sent": float(used)}
        if goals := self.task.private_goals.get(seat):
            found["private_goal"] = float(self._runtime.holds(self.household.goal_mask(goals)))
        return found
