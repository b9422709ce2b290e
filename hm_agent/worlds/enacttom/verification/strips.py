"""The compiled problem as pure STRIPS: no negative preconditions, no conditional effects, no axioms.

A message is spoken in three kinds of steps: `speak` spends a token and takes the floor, each `tell` passes on one claim
that the speaker knows, `hush` gives the floor back. While an agent has the floor nobody else acts, so that one token
carries exactly what was known at one moment. `see` lets the knowers of a claim see its proposition together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hm_agent.worlds.enacttom.house.household import bits
from hm_agent.worlds.enacttom.tasks.propositions import Claim
from hm_agent.worlds.enacttom.verification.planning_problem import PlanAction, PlanningProblem

_NO_LETTER = re.compile(r"[^a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class StripsAction:
    """A ground action. step: the plan's action that it does or, for a `speak`, begins. said: the claim of a `tell`."""

    name: str
    needs: int
    adds: int
    deletes: int = 0
    step: PlanAction | None = None
    said: Claim | None = None


@dataclass(frozen=True)
class StripsProblem:
    """Atoms are bits; `atoms[n]` is the name of bit n."""

    name: str
    atoms: Sequence[str]
    start: int
    goal: int
    actions: Sequence[StripsAction]

    @property
    def domain_pddl(self) -> str:
        """The domain, with ground actions."""
        lines = ["(define (domain household)", "  (:requirements :strips)", "  (:predicates"]
        lines += [f"    ({atom})" for atom in self.atoms]
        lines.append("  )")
        for action in self.actions:
            effects = [
                *self._atoms_in(action.adds),
                *(f"(not {atom})" for atom in self._atoms_in(action.deletes & ~action.adds)),
            ]
            lines += [f"  (:action {action.name}", "    :parameters ()"]
            lines.append(f"    :precondition (and {' '.join(self._atoms_in(action.needs))})")
            lines.append(f"    :effect (and {' '.join(effects)}))")
        return "\n".join([*lines, ")", ""])

    @property
    def problem_pddl(self) -> str:
        lines = [f"(define (problem {self.name})", "  (:domain household)", "  (:init"]
        lines += [f"    {atom}" for atom in self._atoms_in(self.start)]
        lines += ["  )", f"  (:goal (and {' '.join(self._atoms_in(self.goal))}))", ")", ""]
        return "\n".join(lines)

    @property
    def hash(self) -> str:
        """SHA-256 of domain and problem."""
        return hashlib.sha256((self.domain_pddl + self.problem_pddl).encode()).hexdigest()

    def _atoms_in(self, mask: int) -> list[str]:
        return [f"({self.atoms[number]})" for number in bits(mask)]

    @cached_property
    def by_name(self) -> dict[str, StripsAction]:
        return {action.name: action for action in self.actions}

    def after(self, plan: Sequence[StripsAction]) -> int:
        """Returns the state that a plan ends in; raises ValueError for an action whose needs are not met."""
        state = self.start
        for action in plan:
            if action.needs & ~state:
                lacking = " ".join(self._atoms_in(action.needs & ~state))
                raise ValueError(f"{action.name} needs {lacking}")
            state = state & ~action.deletes | action.adds
        return state


def to_strips(problem: PlanningProblem) -> StripsProblem:
    """Translates a problem to STRIPS: the result has a plan if and only if the problem has one."""
    agents = problem.household.agents
    names = [*(name.pddl for name in problem.household.names), *problem.tokens, "floor_free"]
    names += [f"(floor_of {agent})" for agent in agents]
    floor_free = 1 << len(names) - len(agents) - 1
    floors = [floor_free << number + 1 for number in range(len(agents))]
    actions: list[StripsAction] = []
    speakers: dict[int, PlanAction] = {}
    for number, action in enumerate(problem.actions):
        label = _atom_name(f"{agents[action.agent]} {action.command}")
        kind, taken, left = ("speak", floors[action.agent], floor_free) if action.group else ("do", 0, 0)
        needs, adds, deletes = action.needs | floor_free, action.adds | taken, action.deletes | left
        actions.append(StripsAction(f"{kind}_{number}_{label}", needs, adds, deletes, action))
        if action.group:
            speakers.setdefault(action.agent, action)
    for agent, message in speakers.items():
        actions.append(StripsAction(f"hush_{agents[agent]}", floors[agent], floor_free, floors[agent]))
        for rule in message.tells:
            name = _atom_name(f"tell_{agents[agent]} {rule.claim.pddl}")
            actions.append(StripsAction(name, floors[agent] | rule.needs, rule.adds, said=rule.claim))
    for number, sight in enumerate(problem.sights):
        actions.append(StripsAction(_atom_name(f"see_{number} {sight.claim.pddl}"), sight.needs, sight.adds))
    atoms = _distinct([_atom_name(name) for name in names])
    start = problem.start | floor_free
    name = _atom_name(problem.household.task.name.lower())
    return StripsProblem(name, atoms, start, problem.goal, tuple(actions))


def _atom_name(text: str) -> str:
    """Makes a text a name that PDDL permits."""
    return _NO_LETTER.sub("-", text.lower()).strip("-")


def _distinct(names: Sequence[str]) -> list[str]:
    """Numbers names that occur more than once."""
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return distinct
