"""Writes problems in PDDL, as `pddl.py` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hm_agent.worlds.enacttom.tasks.propositions import AGENT, FURNITURE, OBJECT, ROOM, Claim, Is, Proposition


def write_house(
    name: str,
    *,
    spawns: Mapping[str, str],
    rooms: Iterable[str],
    furniture: Mapping[str, str],
    objects: Iterable[str],
    state: Iterable[Proposition],
    goal: Iterable[Claim],
    owned: Mapping[str, Iterable[Claim]] | None = None,
    hidden: Iterable[Claim] = (),
) -> str:
    """Writes the problem of a house as text that `read_problem` reads back.

    spawns, furniture: the room of each agent at first, and of each piece. state: what else holds at first. owned: the
    private goals. hidden: claims that must never hold.
    """
    by_type = {AGENT: sorted(spawns), ROOM: [*rooms], FURNITURE: [*furniture], OBJECT: [*objects]}
    init = [Proposition(Is.AGENT_IN_ROOM, pair) for pair in spawns.items()]
    init += [*(Proposition(Is.IN_ROOM, pair) for pair in furniture.items()), *state]
    lines = [f"(define (problem {name})", "  (:domain enacttom)", "  (:objects"]
    lines += [f"    {' '.join(names)} - {kind}" for kind, names in by_type.items() if names]
    lines += ["  )", "  (:init", *(f"    {proposition.pddl}" for proposition in init), "  )"]
    lines += ["  (:goal (and", *(f"    {conjunct.pddl}" for conjunct in goal)]
    lines += [*(f"    (not {claim.pddl})" for claim in hidden), "  ))"]
    if pairs := [(agent, conjunct) for agent, claims in (owned or {}).items() for conjunct in claims]:
        lines += ["  (:goal-owners", *(f"    ({agent} {conjunct.pddl})" for agent, conjunct in pairs), "  )"]
    return "\n".join([*lines, ")", ""])
