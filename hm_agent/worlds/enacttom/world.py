"""The household as a world of two to four seats, all of which act at every turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hm_agent.core import Observation, Seat, Turn, World
from hm_agent.worlds.enacttom.house.commands import (
    CLOSE_IT,
    IDLE,
    OPEN_IT,
    WAIT,
    CommandError,
    HouseCommand,
    parse_command,
)
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.probes import (
    ProbeAnswers,
    ProbeResult,
    answered_by,
    checks_of,
    foils_of,
    graded,
    literal_metrics,
    operators_of,
    probes_of,
    rule_metrics,
    rules_of,
)
from hm_agent.worlds.enacttom.house.runtime import ActionOutcome, HouseRuntime, OutcomeKind, Sent
from hm_agent.worlds.enacttom.house.views import HouseView, ViewMaker
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask

FUNCTIONAL_SUCCESS = "functional_success"
QUIET_TURNS = 2
"""An episode also ends after so many turns in a row in which everyone waits."""


@dataclass(frozen=True)
class HouseScene:
    """A turn as only viewers see it.

    before, after: all that was so; knew, knows: who knew what of it. memories: what each agent had seen last, before;
    remembers: the same after. outcomes: by agent. handles: by agent, what its Open or Close set, as furniture and
    state, and what mirrors and remote controls set with it. sent: messages with what they taught. probes: if the turn
    was their answering, in which nothing else happens.
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
    probes: tuple[ProbeResult, ...] = ()


class EnacttomWorld(World[HouseView, HouseCommand | str | ProbeAnswers]):
    """One task. Each seat bears the name of its agent. The rules are those of runtime.py; nothing in them is random.

    An action is a command, or its text; a text that is no command is lost, and its agent waits. asks: True if, once
    the last turn was played, the agents that the K operators of the goal or their foils name are asked what is known
    (probes.py): their views have `probes`, their actions are `ProbeAnswers`, and anything else is silence.

    claim_readers: seats whose agents understand claims and no free text. These agents add theirs before the reset; the
    others are told.
    """

    def __init__(self, task: HouseholdTask, *, asks: bool = False) -> None:
        self.task = task
        self.household = Household(task)
        operators = operators_of(task.goal) if asks else ()
        self.foils = foils_of(operators, self.household)
        self.checks = checks_of(self.foils, (*operators, *self.foils))
        self.probes = probes_of((*operators, *self.foils, *self.checks))
        self.seats: Sequence[Seat] = task.agents
        self.claim_readers: set[Seat] = set()
        self._views = ViewMaker(self.household)
        self._runtime = HouseRuntime(self.household)
        self._quiet = 0
        self._before: tuple[int, tuple[int, ...]] | None = None
        self._answered: tuple[ProbeResult, ...] | None = None

    @property
    def runtime(self) -> HouseRuntime:
        """The truth, for viewers, and for agents that are told it."""
        return self._runtime

    def reset(self, seed: int) -> Turn[HouseView]:
        self._views = ViewMaker(self.household, self.claim_readers)
        self._runtime, self._quiet, self._before, self._answered = HouseRuntime(self.household), 0, None, None
        return self._turn()

    def step(self, actions: Mapping[Seat, HouseCommand | str | ProbeAnswers]) -> Turn[HouseView]:
        runtime = self._runtime
        self._before = (runtime.state, tuple(runtime.memories))
        if self._has_ended:
            answers = {seat: said for seat, said in actions.items() if isinstance(said, ProbeAnswers)}
            self._answered = self._graded(answers)
            return self._turn()
        commands, faults = self._read(actions)
        runtime.step(commands)
        for agent, fault in faults.items():
            runtime.outcomes[agent] = ActionOutcome(IDLE, OutcomeKind.FAILED, fault)
        waited = not faults and all(command.verb == WAIT for command in commands)
        self._quiet = self._quiet + 1 if waited else 0
        return self._turn()

    def _graded(self, answers: Mapping[Seat, ProbeAnswers]) -> tuple[ProbeResult, ...]:
        return graded(self.probes, answers, self.holds, self.foils, self.checks)

    def holds(self, what: Claim) -> bool:
        """True if a part of the goal, or an end of it, is so now as far as the runtime knows."""
        return self._runtime.holds(self.household.goal_mask([what]))

    def _read(
        self, actions: Mapping[Seat, HouseCommand | str | ProbeAnswers]
    ) -> tuple[list[HouseCommand], dict[int, str]]:
        """The command of each agent, Wait for a text that is none, and what is wrong with those texts."""
        commands, faults = [], {}
        for agent, seat in enumerate(self.seats):
            action = actions[seat]
            if isinstance(action, str):
                try:
                    action = parse_command(action)
                except CommandError as error:
                    action, faults[agent] = IDLE, str(error)
            commands.append(IDLE if isinstance(action, ProbeAnswers) else action)
        return commands, faults

    @property
    def _has_ended(self) -> bool:
        """True once nobody acts any more; probes may be left to answer."""
        return self._runtime.turn >= self.task.max_turns or self._quiet >= QUIET_TURNS

    @property
    def is_over(self) -> bool:
        return self._has_ended and (not self.probes or self._answered is not None)

    @property
    def is_solved(self) -> bool:
        """True if all physical conjuncts of the shared goal hold now."""
        return self._runtime.holds(self.household.functional_mask)

    def _turn(self) -> Turn[HouseView]:
        turn, is_over = self._runtime.turn + (self._answered is not None), self.is_over
        reward = float(is_over and self.is_solved)
        rewards = dict.fromkeys(self.seats, reward) if turn else {}
        asked = {one.agent for one in self.probes} if self._has_ended and not is_over else set(self.seats)
        observations = {
            seat: Observation(turn, self._view(agent, seat, is_over), reward)
            for agent, seat in enumerate(self.seats)
            if seat in asked
        }
        return Turn(turn, observations, rewards, is_over)

    def _view(self, agent: int, seat: Seat, is_over: bool) -> HouseView:
        view = self._views.view(self._runtime, agent)
        if self._has_ended and not is_over:
            return replace(view, probes=tuple(one for one in self.probes if one.agent == seat))
        return view

    def scene(self) -> HouseScene | None:
        if self._before is None:
            return None
        runtime, (state, memories) = self._runtime, self._before
        is_asked = self._answered is not None
        outcomes = {seat: one for seat, one in zip(self.seats, runtime.outcomes, strict=True) if one and not is_asked}
        return HouseScene(
            runtime.turn - (not is_asked),
            self._propositions(state),
            self._propositions(runtime.state),
            self._claims(state),
            self._claims(runtime.state),
            self._remembered(memories),
            outcomes,
            {seat: self._handled(one) for seat, one in outcomes.items() if self._handled(one)},
            () if is_asked else tuple(runtime.sent),
            self._remembered(runtime.memories),
            self._answered or (),
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

        turns: how many were played. known_share: the share of the goal's K conjuncts that hold. private_share: that of
        the private conjuncts. Those of probes: `probes.literal_metrics` and `probes.rule_metrics`.
        """
        runtime = self._runtime
        found = {FUNCTIONAL_SUCCESS: float(self.is_solved), "messages": float(runtime.messages_sent)}
        found |= {"turns": float(runtime.turn), **literal_metrics(self._answered or ())}
        if self._answered is not None:
            rules = rules_of(self.task.file.agent_secrets)
            found |= rule_metrics({name: self._graded(answered_by(self.probes, rule)) for name, rule in rules.items()})
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
