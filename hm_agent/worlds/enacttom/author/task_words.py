"""Writes a drawn task as a file: its problem in PDDL, and texts that say in English what its facts say in PDDL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from hm_agent.worlds.enacttom.author.drafts import HouseDraft, TaskDraft
from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    HouseMechanics,
    LimitedBandwidth,
    RestrictedCommunication,
    RoomRestriction,
)
from hm_agent.worlds.enacttom.tasks.pddl_writing import write_house
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.task import CANARY, AgentSpawn, TaskFile

THEMES: Sequence[tuple[str, str]] = (
    ("Before the guests come", "Guests come tonight: make the house ready for them."),
    ("An inspection", "The house will be inspected in an hour: bring it into the state that is asked for."),
    ("After the move", "You have just moved in: put things where they belong."),
    ("Spring cleaning", "It is time for spring cleaning: leave the house as it should be."),
    ("Ready for winter", "Winter comes: prepare the house for it."),
    ("A photograph", "A photographer comes to take pictures of the house: set the scene."),
    ("The landlord's list", "You hand the house over today: settle what is still open."),
    ("A birthday", "There is a birthday to prepare, and not much time."),
    ("Leaving on holiday", "You leave on holiday: make sure that nothing is forgotten."),
    ("Back to order", "The house is in disorder after the weekend: bring it back to order."),
)
WANTED: Mapping[str, str] = {
    Is.OPEN: "{0} must end open.",
    Is.CLOSED: "{0} must end closed.",
    Is.ON_TOP: "{0} must end up on top of {1}.",
    Is.INSIDE: "{0} must end up inside {1}.",
}
WISHED: Mapping[str, str] = {
    name: "You would like " + text.replace(" must end", " to end", 1) for name, text in WANTED.items()
}
KNOWN: Mapping[str, str] = {
    Is.ON_TOP: "{0} is on top of {1} now.",
    Is.INSIDE: "{0} is inside {1} now.",
    Is.INVERSE: "The handle of {0} is reversed: Open closes it, and Close opens it.",
    Is.MIRRORS: "{0} and {1} always end up in the same state.",
    Is.CONTROLS: "Opening {0} changes {1}, too.",
}


def task_file_of(draft: TaskDraft, name: str) -> TaskFile:
    """Returns the task's file, without certificate and budgets."""
    house, (title, text) = draft.house, THEMES[draft.theme % len(THEMES)]
    bindings = tuple(_bindings(draft))
    public = public_facts(house.agents, house.entrants, bindings)
    return TaskFile(
        task_id=name,
        title=title,
        category=house.request.category,  # type: ignore[arg-type]
        task=" ".join([text, "Some of you know what exactly is wanted.", *_house_rules(house)]),
        agent_spawns={agent: AgentSpawn(room=house.spawns[agent]) for agent in house.agents},
        active_mechanics=tuple(dict.fromkeys(binding.mechanic_type for binding in bindings)),
        mechanic_bindings=bindings,
        agent_secrets={agent: tuple(_secrets(draft, agent)) for agent in house.agents},
        problem_pddl=_problem(draft, name),
        k_depth=house.request.k_depth,
        needs_communication=house.request.k_depth > 0,
        public_facts=tuple(fact.pddl for fact in public),
        secret_facts={agent: tuple(fact.pddl for fact in _secret_facts(draft, agent)) for agent in house.agents},
        canary=CANARY,
    )


def _bindings(draft: TaskDraft) -> Iterator[Binding]:
    """The mechanics of a task: barred rooms, message limits, channels that are not complete, and handles."""
    house = draft.house
    by_barred: dict[tuple[str, ...], list[str]] = {}
    for room, entrants in house.entrants.items():
        barred = tuple(agent for agent in house.agents if agent not in entrants)
        if barred:
            by_barred.setdefault(barred, []).append(room)
    for barred, rooms in by_barred.items():
        yield RoomRestriction(restricted_rooms=tuple(rooms), for_agents=barred)
    if draft.limits:
        yield LimitedBandwidth(message_limits=dict(draft.limits))
    if not house.channels.is_complete:
        yield RestrictedCommunication(allowed_targets=dict(house.channels.targets))
    yield from house.handles


def _problem(draft: TaskDraft, name: str) -> str:
    house = draft.house
    doors = (Proposition(Is.OPEN if is_open else Is.CLOSED, (piece,)) for piece, is_open in house.is_open.items())
    return write_house(
        name,
        spawns=house.spawns,
        rooms=house.entrants,
        furniture=house.furniture,
        objects=house.places,
        state=(*doors, *house.places.values()),
        goal=(*(Claim((), shared.goal) for shared in draft.goals), *draft.known),
        owned={agent: [Claim((), wish.goal) for wish in wishes] for agent, wishes in draft.wishes.items()},
    )


# Public


def public_facts(agents: tuple[str, ...], rooms: Iterable[str], bindings: Sequence[Binding]) -> list[Proposition]:
    """The facts that everyone is told: who can't enter which room, and who can message whom."""
    mechanics = HouseMechanics(agents, bindings)
    pairs = [(agent, room) for room in rooms for agent in agents]
    barred = [Proposition(Is.RESTRICTED, pair) for pair in pairs if not mechanics.may_enter(*pair)]
    links = [(agent, other) for agent in agents for other in mechanics.targets(agent)]
    return barred + [Proposition(Is.CAN_COMMUNICATE, pair) for pair in links]


def _house_rules(house: HouseDraft) -> Iterator[str]:
    """The public facts in sentences."""
    for room, entrants in house.entrants.items():
        if entrants != house.agents:
            yield f"Only {' and '.join(entrants)} may enter {room}." if entrants else f"Nobody may enter {room}."
    if house.channels.is_complete:
        yield "Everyone can message everyone."
        return
    for agent, targets in house.channels.targets.items():
        yield from (f"{agent} and {other} can message each other." for other in targets if agent < other)


# Secret


def _goals_known_to(draft: TaskDraft, agent: str) -> list[Proposition]:
    """The shared goals of which an agent alone knows at first."""
    return [shared.goal for shared in draft.goals if shared.holder == agent]


def _facts_told_to(draft: TaskDraft, agent: str) -> list[Proposition]:
    goals = chain(draft.goals, *draft.wishes.values())
    return [fact for goal in goals for addressee, fact in goal.secrets if addressee == agent]


def _secret_facts(draft: TaskDraft, agent: str) -> list[Proposition]:
    """All facts that an agent alone is told; not its private goals, which it knows anyway."""
    return [*map(wanted, _goals_known_to(draft, agent)), *_facts_told_to(draft, agent)]


def _secrets(draft: TaskDraft, agent: str) -> Iterator[str]:
    """In sentences, the secret facts of an agent, what it must be sure of by the end, and its private goals."""
    yield from (WANTED[goal.predicate].format(*goal.arguments) for goal in _goals_known_to(draft, agent))
    yield from (KNOWN[fact.predicate].format(*fact.arguments) for fact in _facts_told_to(draft, agent))
    for claim in draft.known:
        if claim.knowers[0] == agent:
            yield f"By the end, you must be sure that {claim.inner.words}."
    for wish in draft.wishes.get(agent, ()):
        yield WISHED[wish.goal.predicate].format(*wish.goal.arguments)
