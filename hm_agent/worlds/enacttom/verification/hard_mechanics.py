"""What hard tasks add, as a classical planner sees it: short messages, claims that must never hold, and characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

from hm_agent.worlds.enacttom.house.commands import WITHIN, Verb, tell
from hm_agent.worlds.enacttom.house.household import Household, bits, union
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition
from hm_agent.worlds.enacttom.verification.planning_problem import PlanAction, PlanningProblem, Variant

# Short messages


def short_messages(
    household: Household, variant: Variant, number: int, sayable: Sequence[Claim], left: Sequence[int]
) -> Iterator[PlanAction]:
    """Yields an agent's messages of at most as many claims as the household allows, all of which it has to know.

    number: the agent's. left: the bits that count its messages. There is one message for each choice of claims that
    teaches something and, if a claim must never hold, of addressees; else telling all that it can reach loses no plan.
    """
    tokens = list(zip(left[1:], left[:-1], strict=True)) if left else [(0, 0)]
    for addressees in _audiences(household, variant, number):
        group = household.group(number, addressees)
        rules = [rule for claim in sayable if (rule := household.tell_rule(number, group, claim))]
        for count in range(1, min(len(rules), household.mechanics.most_facts or len(rules)) + 1):
            for told in combinations(rules, count):
                command = tell([rule.claim for rule in told], addressees)
                needs, adds = union(rule.needs for rule in told), union(rule.adds for rule in told)
                for before, after in tokens:
                    yield PlanAction(number, command, needs | before, adds | after, before)


def _audiences(household: Household, variant: Variant, number: int) -> Iterator[Sequence[str]]:
    """Yields the choices of addressees. A relaxed character has one, to whom its rule has it pass things on."""
    agent = household.agents[number]
    mind = household.task.characters.get(agent) if variant.is_relaxed else None
    targets = mind.tells if mind else household.mechanics.targets(agent)
    has_choice = household.hidden_mask and not variant.is_broadcast and not mind
    for count in range(1 if has_choice else max(1, len(targets)), len(targets) + 1):
        yield from combinations(targets, count)


# Claims that must never hold


def with_secrets_kept(problem: PlanningProblem) -> PlanningProblem:
    """The problem without actions after which a claim holds that must never hold.

    A message that teaches such a claim is left out. An action after which such a claim can be seen needs that something
    is missing of what seeing it takes: there is one action for each way in which enough is missing. That something is
    missing is a bit of its own, so that no action needs the absence of a bit. A problem that begins with such a claim
    has no plan: its goal has a further bit, which is then not set.
    """
    household, names = problem.household, problem.household.names
    leaks = [sight.needs for sight in problem.sights if sight.adds & household.hidden_mask]
    watched, first = list(bits(union(leaks))), len(names) + len(problem.tokens)
    missing = {1 << number: 1 << first + place for place, number in enumerate(watched)}
    kept = 1 << first + len(watched)
    actions = tuple(
        replace(
            action,
            needs=action.needs | union(missing[bit] for bit in lacking),
            adds=action.adds | union(missing[bit] for bit in missing if bit & action.deletes & ~action.adds),
            deletes=action.deletes | union(missing[bit] for bit in missing if bit & action.adds),
        )
        for action in problem.actions
        if not action.adds & household.hidden_mask
        for lacking in _ways_to_keep(action, leaks)
    )
    start = problem.start | union(missing[bit] for bit in missing if not bit & problem.start)
    start |= 0 if problem.look(problem.start) & household.hidden_mask else kept
    tokens = (*problem.tokens, *(f"(not_{names[number].pddl[1:]}" for number in watched), "(secrets_kept)")
    return replace(problem, start=start, goal=problem.goal | kept, actions=actions, tokens=tokens)


def _ways_to_keep(action: PlanAction, leaks: Iterable[int]) -> set[frozenset[int]]:
    """Returns sets of bits: if all bits of any set are missing before an action, nothing is seen that must not be.

    leaks: what seeing such a thing needs, for each way to see one.
    """
    lost = action.deletes & ~action.adds
    opened = [needs for needs in leaks if needs & action.adds and not needs & lost]
    ways = [[1 << number for number in bits(needs & ~action.adds & ~action.needs)] for needs in opened]
    return set(map(frozenset, product(*ways)))


# Characters


def with_relaxed_characters(problem: PlanningProblem) -> PlanningProblem:
    """The problem in which characters do whatever helps, out of all that their rules could ever make them do.

    It has a plan if the agent under test has one against the characters: what they do is one way of it. To put a thing
    down a character has to want it there. To open furniture it has to know or believe that a thing is inside, unless it
    wants it open, or somebody could close it or put something inside: then it may believe so when it is not. What must
    never be known is kept from messages alone, since sights depend on the order of what happens in one turn.
    """
    household = problem.household
    hidden, barred = household.hidden_mask, _barred_positions(household)
    actions = [
        action
        for action in problem.actions
        if not action.adds & hidden and not action.needs & barred and _could_do(household, action)
    ]
    changed = union(action.adds for action in actions)
    actions = [
        replace(action, needs=action.needs | reason)
        for action in actions
        for reason in _reasons(household, action, changed)
    ]
    return replace(problem, actions=tuple(actions))


def _barred_positions(household: Household) -> int:
    """The mask of rooms that agents never are in."""
    pairs = product(household.agents, household.plan.rooms)
    barred = (Proposition(Is.AGENT_IN_ROOM, pair) for pair in pairs if not household.mechanics.may_enter(*pair))
    return household.mask(barred) & ~household.start


def _could_do(household: Household, action: PlanAction) -> bool:
    """False for what the rule of a character never makes it do, whatever it believes."""
    mind = household.task.characters.get(household.agents[action.agent])
    verb, arguments = action.command.verb, action.command.arguments
    if mind is None or verb not in (Verb.PLACE, Verb.OPEN, Verb.CLOSE):
        return True
    if verb == Verb.PLACE:
        thing, relation, furniture = arguments
        return Proposition(Is.INSIDE if relation == WITHIN else Is.ON_TOP, (thing, furniture)) in mind.wants
    opened = household.bits[Proposition(Is.OPEN, arguments)]
    return bool(action.adds & opened) or Proposition(Is.CLOSED, arguments) in mind.wants


def _reasons(household: Household, action: PlanAction, changed: int) -> list[int]:
    """Returns masks of which one has to be set before an action. changed: the bits that anybody could set."""
    agent = household.agents[action.agent]
    mind = household.task.characters.get(agent)
    if mind is None or action.command.verb not in (Verb.OPEN, Verb.CLOSE):
        return [0]
    (furniture,) = action.command.arguments
    inside = [Proposition(Is.INSIDE, (thing, furniture)) for thing in household.plan.objects]
    closed = Proposition(Is.CLOSED, (furniture,))
    is_wanted = any(want.arguments[-1] == furniture and want.predicate != Is.ON_TOP for want in mind.wants)
    if is_wanted or changed & household.mask((*inside, closed)) or set(inside) & set(mind.believes):
        return [0]
    return [household.bits[knows] for fact in inside if (knows := Claim((agent,), fact)) in household.bits]
