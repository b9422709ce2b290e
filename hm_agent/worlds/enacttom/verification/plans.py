"""Plans as what agents do: steps one after another, cut down to what is needed, and packed into turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, tell
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.worlds.enacttom.verification.compiler import PlanAction, PlanningProblem
from hm_agent.worlds.enacttom.verification.strips import StripsAction, StripsProblem, bits

JointTurn = Mapping[str, HouseCommand]
"""What agents do in a turn, by name; all others wait."""


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
        """The state that follows, before anyone looks; None if the step is impossible."""
        if self.action.needs & ~state:
            return None
        found = state & ~self.action.deletes | self.action.adds
        for said in self.said:
            rule = household.tell_rule(self.action.agent, self.group, said)
            if rule and state & rule.needs:
                found |= rule.adds
        return found


def steps_of(problem: PlanningProblem, actions: Iterable[PlanAction]) -> tuple[PlanStep, ...]:
    """The steps of a plan, with only those messages, addressees and claims without which it would fail."""
    state, steps = problem.look(problem.start), []
    for action in actions:
        said = [rule.claim for rule in action.tells if state & rule.needs == rule.needs and rule.adds & ~state]
        steps.append(PlanStep(action, action.group, tuple(said)))
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
    """Leaves out, one after another, whatever can be left out: pairs of steps, steps, addressees, claims."""
    place = 0
    while place < len(steps):
        candidates = (_renumbered(problem, one) for one in _without(steps, place))
        fewer = next((one for one in candidates if reaches(problem, one)), None)
        if fewer is None:
            place += 1
        else:
            steps = fewer
    for place, step in enumerate(steps):
        for slimmer in _slimmer(problem.household, step):
            step = _merged(steps[place], slimmer)
            tried = [*steps[:place], step, *steps[place + 1 :]]
            if (step.group & step.group - 1) and reaches(problem, tried):
                steps = tried
    return tuple(steps)


def _renumbered(problem: PlanningProblem, steps: Iterable[PlanStep]) -> list[PlanStep]:
    """The steps with the tokens of their messages in order, as if none had been left out."""
    tokens: dict[int, list[PlanAction]] = {}
    for action in sorted(problem.actions, key=lambda one: -one.needs):
        if action.group:
            tokens.setdefault(action.agent, []).append(action)
    sent: dict[int, int] = {}
    found = []
    for step in steps:
        if step.group:
            mine, count = tokens[step.action.agent], sent.get(step.action.agent, 0)
            sent[step.action.agent] = count + 1
            step = replace(step, action=mine[min(count, len(mine) - 1)])
        found.append(step)
    return found


def _without(steps: Sequence[PlanStep], place: int) -> list[list[PlanStep]]:
    """The steps without one, and without it and a later one of the same agent, e.g. a Pick with its Place."""
    rest = [*steps[:place], *steps[place + 1 :]]
    mine = (later for later in range(place, len(rest)) if rest[later].action.agent == steps[place].action.agent)
    return [rest, *([*rest[:later], *rest[later + 1 :]] for later in mine)]


def _slimmer(household: Household, step: PlanStep) -> list[PlanStep]:
    """What may be left out of a message: a step for each addressee and each claim, with that alone."""
    fewer = [PlanStep(step.action, 1 << number) for number in bits(step.group & ~(1 << step.action.agent))]
    return [*fewer, *(PlanStep(step.action, 0, (said,)) for said in step.said)]


def _merged(step: PlanStep, less: PlanStep) -> PlanStep:
    return replace(step, group=step.group & ~less.group, said=tuple(one for one in step.said if one not in less.said))


# From and to STRIPS


def strips_plan(problem: PlanningProblem, strips: StripsProblem, steps: Iterable[PlanStep]) -> list[StripsAction]:
    """The steps as actions of the STRIPS problem, each followed by all that is then seen."""
    doing = {one.step.key: one for one in strips.actions if one.step}
    sights = [one for one in strips.actions if one.name.startswith("see_")]
    state, found = strips.start, [*_seen(strips.start, sights)]
    for step in steps:
        found.append(doing[step.action.key])
        if step.group:
            agent = problem.household.agents[step.action.agent]
            by_claim = {one.said: one for one in strips.actions if one.said and one.name.startswith(f"tell_{agent}-")}
            found += [by_claim[said] for said in step.said]
            found.append(strips.by_name[f"hush_{agent}"])
        state = strips.after(found)
        found += _seen(state, sights)
    return found


def _seen(state: int, sights: Iterable[StripsAction]) -> list[StripsAction]:
    return [one for one in sights if one.needs & ~state == 0 and one.adds & ~state]


# Turns


def in_turns(problem: PlanningProblem, steps: Sequence[PlanStep]) -> list[JointTurn]:
    """The steps packed into turns, in which several agents act at once, as far as the goal is still reached."""
    packed = _packed(problem, steps)
    if packed and problem.goal & ~replay(problem, packed) & problem.household.all_bits == 0:
        return packed
    agents = problem.household.agents
    return [{agents[step.action.agent]: step.command(problem.household)} for step in steps]


def _packed(problem: PlanningProblem, steps: Sequence[PlanStep]) -> list[JointTurn]:
    """Fills each turn with the earliest steps that are possible in it; empty if that leads nowhere."""
    household, waiting = problem.household, list(steps)
    turns: list[JointTurn] = []
    state = problem.look(problem.start)
    while waiting:
        turn, passed = _turn(household, waiting, state)
        if not turn:
            return []
        after = state
        for step in turn:
            after = step.after(household, after) or 0
        state, waiting = problem.look(after), passed
        turns.append({household.agents[step.action.agent]: step.command(household) for step in turn})
    return turns


def _turn(household: Household, waiting: Iterable[PlanStep], state: int) -> tuple[list[PlanStep], list[PlanStep]]:
    """The steps of one turn, and those that wait.

    A step waits if its agent is busy, if it isn't possible yet, if it shares a bit with an earlier one that waits, or
    if it or another one of the turn deletes what the other uses.
    """
    turn: list[PlanStep] = []
    passed: list[PlanStep] = []
    busy = held = used = gone = 0
    for step in waiting:
        touched, agent = _touched(household, step), 1 << step.action.agent
        meets = busy & agent or touched & held or touched & gone or step.action.deletes & used
        if meets or step.action.needs & ~state or not _is_told(household, step, state):
            passed.append(step)
            held |= touched
        else:
            turn.append(step)
            used, gone = used | touched, gone | step.action.deletes
        busy |= agent
    return turn, passed


def _is_told(household: Household, step: PlanStep, state: int) -> bool:
    """True if the speaker knows all that it says when the turn begins."""
    return all(household.known_bit(step.action.agent, said) & state for said in step.said)


def _touched(household: Household, step: PlanStep) -> int:
    found = step.action.needs | step.action.adds | step.action.deletes
    for said in step.said:
        rule = household.tell_rule(step.action.agent, step.group, said)
        found |= rule.needs | rule.adds if rule else 0
    return found


def replay(problem: PlanningProblem, turns: Iterable[JointTurn]) -> int:
    """The state in which the runtime is after these turns, from the problem's start."""
    household = problem.household
    runtime = HouseRuntime(household, start=problem.start & household.all_bits)
    for turn in turns:
        runtime.step([turn.get(agent, IDLE) for agent in household.agents])
    return runtime.state
