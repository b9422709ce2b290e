"""Draws small household tasks of every kind, solvable or not, for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    InverseState,
    LimitedBandwidth,
    RemoteControl,
    RestrictedCommunication,
    RoomRestriction,
    StateMirroring,
)
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.pddl_writing import write_house
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, normalised_claim, wanted
from hm_agent.worlds.enacttom.tasks.task import AgentSpawn, HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task

_TRIES = 1000


@dataclass(frozen=True)
class TaskSize:
    """The greatest sizes of drawn tasks. goals: that of conjuncts without K, and of those with K."""

    agents: int = 3
    rooms: int = 3
    furniture: int = 4
    objects: int = 2
    goals: int = 2
    depth: int = 3


def random_task(seed: int, size: TaskSize | None = None) -> HouseholdTask:
    """Draws a task that passes `check_task`; it may be unsolvable."""
    rng = Random(seed)
    for _ in range(_TRIES):
        try:
            return _Draft(rng, size or TaskSize()).task(f"random_{seed}")
        except TaskError:
            continue
    raise TaskError(f"no task was drawn from seed {seed} in {_TRIES} tries")


class _Draft:
    def __init__(self, rng: Random, size: TaskSize) -> None:
        self.rng, self.size = rng, size
        self.agents = [f"agent_{n}" for n in range(rng.randint(2, size.agents))]
        self.rooms = [f"room_{n}" for n in range(rng.randint(2, size.rooms))]
        count = rng.randint(2, size.furniture)
        self.cabinets = [f"cabinet_{n}" for n in range(rng.randint(1, count))]
        self.furniture = [*self.cabinets, *(f"table_{n}" for n in range(len(self.cabinets), count))]
        self.objects = [f"cup_{n}" for n in range(rng.randint(1, size.objects))]

    def task(self, name: str) -> HouseholdTask:
        rng = self.rng
        bindings = self._bindings()
        spawns = {agent: rng.choice(self.rooms) for agent in self.agents}
        goal = [Claim((), self._proposition()) for _ in range(rng.randint(1, self.size.goals))]
        goal += [
            self._claim([conjunct.proposition for conjunct in goal]) for _ in range(rng.randint(0, self.size.goals))
        ]
        file = TaskFile(
            task_id=name,
            title="A random task",
            category="cooperative",
            task="Do what has to be done.",
            agent_spawns={agent: AgentSpawn(room=room) for agent, room in spawns.items()},
            active_mechanics=tuple(dict.fromkeys(binding.mechanic_type for binding in bindings)),
            mechanic_bindings=tuple(bindings),
            problem_pddl=write_house(
                name,
                spawns=spawns,
                rooms=self.rooms,
                furniture={furniture: rng.choice(self.rooms) for furniture in self.furniture},
                objects=self.objects,
                state=self._state(),
                goal=goal,
            ),
            k_depth=max(conjunct.depth for conjunct in goal),
            secret_facts=self._secrets(goal),
        )
        return check_task(file)

    def _state(self) -> list[Proposition]:
        """How the cabinets are, and where the things."""
        rng = self.rng
        facts = [Proposition(rng.choice((Is.OPEN, Is.CLOSED, Is.CLOSED)), (cabinet,)) for cabinet in self.cabinets]
        for thing in self.objects:
            facts += rng.choice(
                (
                    [Proposition(Is.ON_TOP, (thing, rng.choice(self.furniture)))],
                    [Proposition(Is.ON_TOP, (thing, rng.choice(self.furniture)))],
                    [Proposition(Is.INSIDE, (thing, rng.choice(self.cabinets)))],
                    [Proposition(Is.HELD_BY, (thing, rng.choice(self.agents)))],
                    [Proposition(Is.ON_FLOOR, (thing,)), Proposition(Is.IN_ROOM, (thing, rng.choice(self.rooms)))],
                )
            )
        return facts

    def _proposition(self) -> Proposition:
        rng = self.rng
        thing, agent, room = rng.choice(self.objects), rng.choice(self.agents), rng.choice(self.rooms)
        cabinet = rng.choice(self.cabinets)
        return rng.choice(
            (
                Proposition(Is.OPEN, (cabinet,)),
                Proposition(Is.CLOSED, (cabinet,)),
                Proposition(Is.ON_TOP, (thing, rng.choice(self.furniture))),
                Proposition(Is.INSIDE, (thing, cabinet)),
                Proposition(Is.IN_ROOM, (thing, room)),
                Proposition(Is.HELD_BY, (thing, agent)),
                Proposition(Is.AGENT_IN_ROOM, (agent, room)),
            )
        )

    def _claim(self, goals: Sequence[Proposition]) -> Claim:
        rng = self.rng
        proposition = self._proposition() if rng.random() < 0.3 else rng.choice(goals)
        return normalised_claim((rng.choice(self.agents) for _ in range(rng.randint(1, self.size.depth))), proposition)

    def _bindings(self) -> list[Binding]:
        """Draws each mechanic with some probability, where the household has the furniture for it."""
        rng, bindings = self.rng, list[Binding]()
        if rng.random() < 0.7:
            bindings.append(
                RoomRestriction(restricted_rooms=(rng.choice(self.rooms),), for_agents=tuple(self._some(self.agents)))
            )
        if rng.random() < 0.5:
            limits = {agent: rng.randint(0, 2) for agent in self._some(self.agents)}
            bindings.append(LimitedBandwidth(message_limits=limits))
        if rng.random() < 0.5:
            targets = {
                agent: tuple(self._some([other for other in self.agents if other != agent]))
                for agent in self._some(self.agents)
            }
            bindings.append(RestrictedCommunication(allowed_targets=targets))
        if rng.random() < 0.4:
            bindings.append(InverseState(trigger_object=rng.choice(self.cabinets)))
        if len(self.cabinets) > 1 and rng.random() < 0.5:
            first, second = rng.sample(self.cabinets, 2)
            bindings.append(
                RemoteControl(trigger_object=first, target_object=second, target_state="open")
                if rng.random() < 0.5
                else StateMirroring(trigger_object=first, target_object=second)
            )
        return bindings

    def _secrets(self, goal: Iterable[Claim]) -> dict[str, tuple[str, ...]] | None:
        """Draws an agent to know each goal; sometimes None, by which all are public."""
        if self.rng.random() < 0.3:
            return None
        secrets: dict[str, tuple[str, ...]] = dict.fromkeys(self.agents, ())
        for conjunct in goal:
            if not conjunct.depth:
                secrets[self.rng.choice(self.agents)] += (wanted(conjunct.proposition).pddl,)
        return secrets

    def _some(self, names: Sequence[str]) -> list[str]:
        return self.rng.sample(names, self.rng.randint(1, len(names)))
