"""Turns planners' actions into commands of agents: steps, cut down to what is needed, and packed into turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hm_agent.grouping import grouped
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, Verb, tell
from hm_agent.worlds.enacttom.house.household import Household, bits
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.worlds.enacttom.verification.planning_problem import PlanAction, PlanningProblem
from hm_agent.worlds.enacttom.verification.strips import StripsAction, StripsProblem

JointTurn = Mapping[str, HouseCommand]
"""The commands of a turn by agent; agents without one wait."""


@dataclass(frozen=True)
class PlanStep:
    """One action of a plan. group, said: for a message, its members as bits of agents, and the claims that it says."""

    action: PlanAction
    group: int = 0
    said: tuple[Claim, ...] = ()

    def command(self, household: Household) -> HouseCommand:
        if not self.group:
            return self.action.command
        return tell(self.said, self.addressees(household))

    def addressees(self, household: Household) -> list[str]:
        others = self.group & ~(1 << self.action.agent)
        return [household.agents[number] for number in bits(others)]

    def after(self, household: Household, state: int) -> int | None:
        """Returns the state after the step, before anyone looks around; None if the step is impossible."""
        if self.action.needs & ~state:
            return None
        after = state & ~self.action.deletes | self.action.adds
        for claim in self.said:
            rule = household.tell_rule(self.action.agent, self.group, claim)
            if rule and state & rule.needs:
                after |= rule.adds
        return after


def steps_of(problem: PlanningProblem, actions: Iterable[PlanAction]) -> tuple[PlanStep, ...]:
    """Returns the steps of a plan, without the steps, addressees and claims that it does not need."""
    state, steps = problem.look(problem.start), []
    for action in actions:
        claims = [rule.claim for rule in action.tells if state & rule.needs == rule.needs and rule.adds & ~state]
        steps.append(PlanStep(action, action.group, tuple(claims)))
        state = problem.look(action.after(state))
    return _shortened(problem, steps)


def reaches(problem: PlanningProblem, steps: Iterable[PlanStep]) -> bool:
    """True if the steps are possible one after another and end in the goal."""
    state = problem.look(problem.start)
    for step in steps:
        after = step.after(problem.household, state)
        if after is None:
            return False
        state = problem.look(after)
    return problem.goal & ~state == 0


def _shortened(problem: PlanningProblem, steps: list[PlanStep]) -> tuple[PlanStep, ...]:
    """Leaves out single steps, pairs of steps, addressees and claims, as long as the plan still reaches the goal."""
    place = 0
    while place < len(steps):
        candidates = (_renumbered(problem, candidate) for candidate in _shorter_plans(steps, place))
        shorter = next((candidate for candidate in candidates if reaches(problem, candidate)), None)
        if shorter is None:
            place += 1
        else:
            steps = shorter
    for place, step in enumerate(steps):
        for part in _omissions(step):
            step = _without_part(steps[place], part)
            slimmed = [*steps[:place], step, *steps[place + 1 :]]
            if (step.group & step.group - 1) and reaches(problem, slimmed):
                steps = slimmed
    return tuple(steps)


def _renumbered(problem: PlanningProblem, steps: Iterable[PlanStep]) -> list[PlanStep]:
    """Gives the messages of each agent its tokens in order, without the gaps of messages that were left out."""
    in_order = sorted(problem.actions, key=lambda action: -action.needs)
    tokens = grouped(((one.agent, one.command), one) for one in in_order if one.command.verb == Verb.COMMUNICATE)
    sent: dict[int, int] = {}
    renumbered = []
    for step in steps:
        if step.action.command.verb == Verb.COMMUNICATE:
            messages = tokens[step.action.agent, step.action.command]
            count = sent.get(step.action.agent, 0)
            sent[step.action.agent] = count + 1
            step = replace(step, action=messages[min(count, len(messages) - 1)])
        renumbered.append(step)
    return renumbered


def _shorter_plans(steps: Sequence[PlanStep], place: int) -> list[list[PlanStep]]:
    """Returns the steps without one, and without it and a later one of the same agent, e.g. a Pick with its Place."""
    rest = [*steps[:place], *steps[place + 1 :]]
    own_later = (later for later in range(place, len(rest)) if rest[later].action.agent == steps[place].action.agent)
    return [rest, *([*rest[:later], *rest[later + 1 :]] for later in own_later)]


def _omissions(step: PlanStep) -> list[PlanStep]:
    """Returns what may be left out of a message: each addressee and each claim, as a step with that alone."""
    addressees = [PlanStep(step.action, 1 << number) for number in bits(step.group & ~(1 << step.action.agent))]
    return [*addressees, *(PlanStep(step.action, 0, (claim,)) for claim in step.said)]


def _without_part(step: PlanStep, part: PlanStep) -> PlanStep:
    """Returns a message without the addressees and claims of a part of it."""
    return replace(
        step, group=step.group & ~part.group, said=tuple(claim for claim in step.said if claim not in part.said)
    )


# From and to STRIPS


def strips_plan(problem: PlanningProblem, strips: StripsProblem, steps: Iterable[PlanStep]) -> list[StripsAction]:
    """Returns the steps as actions of the STRIPS problem, each followed by the sights that it makes possible."""
    by_key = {action.step.key: action for action in strips.actions if action.step}
    sights = [action for action in strips.actions if action.name.startswith("see_")]
    state, plan = strips.start, [*_new_sights(strips.start, sights)]
    for step in steps:
        plan.append(by_key[step.action.key])
        if step.group:
            agent = problem.household.agents[step.action.agent]
            by_claim = {
                action.said: action
                for action in strips.actions
                if action.said and action.name.startswith(f"tell_{agent}-")
            }
            plan += [by_claim[claim] for claim in step.said]
            plan.append(strips.by_name[f"hush_{agent}"])
        state = strips.after(plan)
        plan += _new_sights(state, sights)
    return plan


def _new_sights(state: int, sights: Iterable[StripsAction]) -> list[StripsAction]:
    """Returns the sights that are possible in a state and would change it."""
    return [sight for sight in sights if sight.needs & ~state == 0 and sight.adds & ~state]


# Turns


def in_turns(problem: PlanningProblem, steps: Sequence[PlanStep]) -> list[JointTurn]:
    """Packs steps into turns in which several agents act at once; one step a turn if that would miss the goal."""
    packed = _packed(problem, steps)
    if packed and problem.goal & ~replay(problem, packed) & problem.household.all_bits == 0:
        return packed
    agents = problem.household.agents
    return [{agents[step.action.agent]: step.command(problem.household)} for step in steps]


def _packed(problem: PlanningProblem, steps: Sequence[PlanStep]) -> list[JointTurn]:
    """Fills each turn with the earliest steps that are possible in it; empty if no step is possible in some turn."""
    household, waiting = problem.household, list(steps)
    turns: list[JointTurn] = []
    state = problem.look(problem.start)
    while waiting:
        turn, delayed = _split_turn(household, waiting, state)
        if not turn:
            return []
        after = state
        for step in turn:
            after = step.after(household, after) or 0
        state, waiting = problem.look(after), delayed
        turns.append({household.agents[step.action.agent]: step.command(household) for step in turn})
    return turns


def _split_turn(household: Household, waiting: Iterable[PlanStep], state: int) -> tuple[list[PlanStep], list[PlanStep]]:
    """Splits steps into those of one turn and those that have to wait.

    A step waits if its agent is busy, if it isn't possible yet, if it shares a bit with an earlier step that waits, or
    if it or an earlier step of the turn deletes a bit that the other uses.
    """
    turn: list[PlanStep] = []
    delayed: list[PlanStep] = []
    busy = delayed_bits = used = deleted = 0
    for step in waiting:
        touched, agent = _touched(household, step), 1 << step.action.agent
        conflicts = busy & agent or touched & delayed_bits or touched & deleted or step.action.deletes & used
        if conflicts or step.action.needs & ~state or not _can_say(household, step, state):
            delayed.append(step)
            delayed_bits |= touched
        else:
            turn.append(step)
            used, deleted = used | touched, deleted | step.action.deletes
        busy |= agent
    return turn, delayed


def _can_say(household: Household, step: PlanStep, state: int) -> bool:
    """True if the speaker knows all that it says when the turn begins."""
    return all(household.known_bit(step.action.agent, claim) & state for claim in step.said)


def _touched(household: Household, step: PlanStep) -> int:
    """Returns all bits that a step needs or changes."""
    touched = step.action.needs | step.action.adds | step.action.deletes
    for claim in step.said:
        rule = household.tell_rule(step.action.agent, step.group, claim)
        touched |= rule.needs | rule.adds if rule else 0
    return touched


def replay(problem: PlanningProblem, turns: Iterable[JointTurn]) -> int:
    """Plays turns in the runtime from the problem's start, and returns its last state."""
    household = problem.household
    runtime = HouseRuntime(household, start=problem.start & household.all_bits)
    for turn in turns:
        runtime.step([turn.get(agent, IDLE) for agent in household.agents])
    return runtime.state
