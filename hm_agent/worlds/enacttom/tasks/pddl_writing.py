"""Writes problems in PDDL, as `pddl.py` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from hm_agent.worlds.enacttom.tasks.propositions import AGENT, FURNITURE, OBJECT, ROOM, TYPES, Claim, Is, Proposition

NOBODY: Mapping[str, Iterable[Claim]] = MappingProxyType({})
"""The private goals where there are none."""


def write_problem(
    name: str,
    objects: Mapping[str, str],
    init: Iterable[Proposition],
    goal: Iterable[Claim],
    owned: Mapping[str, Iterable[Claim]],
    hidden: Iterable[Claim] = (),
) -> str:
    """Writes a problem as text that `read_problem` reads back. hidden: claims that must never hold."""
    by_type = [(kind, [thing for thing, its_kind in objects.items() if its_kind == kind]) for kind in TYPES]
    lines = [f"(define (problem {name})", "  (:domain enacttom)", "  (:objects"]
    lines += [f"    {' '.join(names)} - {kind}" for kind, names in by_type if names]
    lines += ["  )", "  (:init", *(f"    {proposition.pddl}" for proposition in init), "  )"]
    lines += ["  (:goal (and", *(f"    {conjunct.pddl}" for conjunct in goal)]
    lines += [*(f"    (not {claim.pddl})" for claim in hidden), "  ))"]
    if pairs := [(agent, conjunct) for agent, claims in owned.items() for conjunct in claims]:
        lines += ["  (:goal-owners", *(f"    ({agent} {conjunct.pddl})" for agent, conjunct in pairs), "  )"]
    return "\n".join([*lines, ")", ""])


def write_house(
    name: str,
    *,
    spawns: Mapping[str, str],
    rooms: Iterable[str],
    furniture: Mapping[str, str],
    objects: Iterable[str],
    state: Iterable[Proposition],
    goal: Iterable[Claim],
    owned: Mapping[str, Iterable[Claim]] = NOBODY,
    hidden: Iterable[Claim] = (),
) -> str:
    """Writes the problem of a house as `write_problem` does.

    spawns, furniture: the room of each agent at first, and of each piece. state: what else holds at first.
    """
    kinds = {AGENT: sorted(spawns), ROOM: rooms, FURNITURE: furniture, OBJECT: objects}
    init = [Proposition(Is.AGENT_IN_ROOM, pair) for pair in spawns.items()]
    init += [*(Proposition(Is.IN_ROOM, pair) for pair in furniture.items()), *state]
    things = {thing: kind for kind, names in kinds.items() for thing in names}
    return write_problem(name, things, init, goal, owned, hidden)
