"""Draws tasks of a wanted category, K depth and number of agents, without any language model.

What makes a task need Theory of Mind of depth d, in what is *done* and not only in what is known at the end:

- What is wanted is secret. Each physical conjunct is known to one agent, its holder, and can only be brought about by
  agents in certain rooms. So the holder's knowledge has to reach one of them by messages.
- Messages go along channels, which everybody knows, as everybody knows who may enter which room. So all can work out
  who lacks what, who could use it, and over whom it would have to go.
- In a task of depth d some conjunct is d hops from its holder, and none is more. One hop: the holder tells the agent
  that can act. Two: it tells an agent that can't act itself, but would tell the one that can. Three: one more.
- What is wanted open or closed is on no other conjunct's way: nobody opens it only to get at something.
- The deepest K conjunct is nested along the same way back: the holder knows that the next knows ... that it was done.

Everything else is drawn freely, and much of it is wrong: agents that nobody needs, ways that are shorter than meant,
private goals that exclude the shared one, too few messages. The verifier finds these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from random import Random

from hm_agent.worlds.enacttom.author.drafts import GoalDraft, HouseDraft, TaskDraft, TaskRequest
from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    Channels,
    FurnitureState,
    InverseState,
    RemoteControl,
    StateMirroring,
)
from hm_agent.worlds.enacttom.tasks.propositions import (
    CONTROLS,
    IS_CLOSED,
    IS_INSIDE,
    IS_INVERSE,
    IS_ON_TOP,
    IS_OPEN,
    MIRRORS,
    Claim,
    Proposition,
    normalised_claim,
)
from hm_agent.worlds.enacttom.tasks.task import MIXED

ROOMS = (
    "kitchen", "living_room", "bedroom", "bathroom", "study", "garage", "cellar", "pantry", "laundry_room", "hall",
    "office", "nursery", "workshop", "dining_room", "library", "veranda",
)  # fmt: skip
OPENING = ("cabinet", "fridge", "chest", "wardrobe", "cupboard", "drawer", "locker", "trunk")
SURFACES = ("table", "shelf", "counter", "desk", "bench", "stand", "sideboard", "stool")
OBJECTS = (
    "bowl", "cup", "book", "lamp", "vase", "plate", "basket", "candle", "clock", "kettle", "pillow", "radio", "spoon",
    "teapot", "toy_car", "picture_frame", "umbrella", "watering_can", "blanket", "toolbox",
)  # fmt: skip
HIGHEST_NUMBER = 60
"""Furniture and objects are numbered from 1 to this."""

COMMON, SHARED = 0.5, 0.8
"""A further room is open to all up to the first number drawn, to some up to the second, else to nobody."""
EXTRA_LINK = 0.3
STARTS_OPEN = 0.25
IS_REVERSED = 0.2
AT_HOLDER = 0.5
"""Whether the holder or the nearest agent that can act is told of things and handles."""
IS_KNOWN = 0.5
"""Whether a further conjunct, at least one hop from its holder, has a K conjunct, too."""
IS_LIMITED = 0.5
HAS_WISH, IS_OPPOSED = 0.7, 0.3
TRIES = 40
"""Draws of one conjunct until it is one that can be."""


Wishes = Mapping[str, Sequence[GoalDraft]]


class NothingDrawn(Exception):
    """No conjunct that could be was found in this household."""


def draw_task(rng: Random, request: TaskRequest) -> TaskDraft:
    """One proposal; whether it is a task of that kind is open. Raises NothingDrawn for a household without one."""
    house = _house(rng, request)
    goals = [_goal(rng, house, lambda one: one.is_visible and one.hops == request.k_depth)]
    while (idle := set(house.agents) - {agent for one in goals for agent in one.path}) or len(goals) < 2:
        goals.append(_goal(rng, house, _has_part(request.k_depth, idle)))
    if rng.random() < 0.5:
        goals.append(_goal(rng, house, _has_part(request.k_depth, ())))
    known = [_known(rng, goals[0], request.k_depth)] if request.k_depth else []
    known += [_known(rng, one, rng.randint(1, one.hops)) for one in goals[1:] if _gets_known(rng, one)]
    wishes = _wishes(rng, house) if request.category == MIXED else {}
    _scatter(rng, house, rng.randint(1, 2))
    is_limited = bool(request.k_depth) and rng.random() < IS_LIMITED
    limits = _limits(rng, house, goals, known, wishes) if is_limited else {}
    return TaskDraft(house, goals, known, wishes, limits, rng.randrange(1000))


def _has_part(most_hops: int, agents: Collection[str]) -> Callable[[GoalDraft], bool]:
    """Tests for a conjunct that is not too far from its holder and in which one of some agents, if any, has a part."""
    return lambda one: one.hops <= most_hops and (not agents or any(agent in one.path for agent in agents))


def _gets_known(rng: Random, goal: GoalDraft) -> bool:
    return goal.is_visible and goal.hops > 0 and rng.random() < IS_KNOWN


# The household


def _house(rng: Random, request: TaskRequest) -> HouseDraft:
    """Each agent has a room that only it may enter; one or two further rooms are open to all, to some or to nobody."""
    agents = tuple(f"agent_{number}" for number in range(request.agents))
    house = HouseDraft(request, agents, _channels(rng, agents, request.k_depth))
    names = [f"{name}_1" for name in rng.sample(ROOMS, request.agents + rng.randint(1, 2))]
    for agent, room in zip(agents, names, strict=False):
        house.entrants[room] = (agent,)
    for room in names[len(agents) :]:
        house.entrants[room] = _entrants(rng, agents)
    numbers = iter(rng.sample(range(1, HIGHEST_NUMBER + 1), HIGHEST_NUMBER))
    for room in names:
        _furnish(rng, house, room, lambda kind: f"{kind}_{next(numbers)}")
    for agent in agents:
        house.spawns[agent] = rng.choice([room for room in names if agent in house.entrants[room]])
    for kind in rng.sample(OBJECTS, 2 * len(names)):
        house.free.add(f"{kind}_{next(numbers)}")
    return house


def _channels(rng: Random, agents: tuple[str, ...], k_depth: int) -> Channels:
    """A connected graph in which two agents are k_depth apart; complete at depth 0 and, half the time, at depth 1."""
    every = list(combinations(agents, 2))
    if k_depth == 0 or (k_depth == 1 and rng.random() < 0.5):
        return _both_ways(agents, every)
    while True:
        order = rng.sample(agents, len(agents))
        tree = [(one, rng.choice(order[:place])) for place, one in enumerate(order) if place]
        channels = _both_ways(agents, [*tree, *(link for link in every if rng.random() < EXTRA_LINK)])
        if any(channels.hops([one], [other]) == k_depth for one, other in every):
            return channels


def _both_ways(agents: tuple[str, ...], links: Sequence[tuple[str, str]]) -> Channels:
    joined = {frozenset(link) for link in links}
    return Channels({one: tuple(other for other in agents if frozenset((one, other)) in joined) for one in agents})


def _entrants(rng: Random, agents: tuple[str, ...]) -> tuple[str, ...]:
    drawn = rng.random()
    if drawn < COMMON or (len(agents) == 2 and drawn < SHARED):
        return agents
    if drawn < SHARED:
        return tuple(sorted(rng.sample(agents, rng.randint(2, len(agents) - 1))))
    return ()


def _furnish(rng: Random, house: HouseDraft, room: str, numbered: Callable[[str], str]) -> None:
    """Two or three pieces of furniture, of which one opens and one does not."""
    kinds = [rng.choice(OPENING), rng.choice(SURFACES)]
    if rng.random() < 0.5:
        kinds.append(rng.choice((*OPENING, *SURFACES)))
    for kind in kinds:
        name = numbered(kind)
        house.furniture[name] = room
        if kind in OPENING:
            house.is_open[name] = rng.random() < STARTS_OPEN
            house.free.add(name)


def _scatter(rng: Random, house: HouseDraft, count: int) -> None:
    """Puts some objects that nothing is wanted of on furniture, and forgets the others."""
    objects = sorted(one for one in house.free if one not in house.is_open)
    for one in objects[:count]:
        house.places[one] = Proposition(IS_ON_TOP, (one, rng.choice(list(house.furniture))))
    house.free -= set(objects)


# Physical conjuncts


def _goal(rng: Random, house: HouseDraft, fits: Callable[[GoalDraft], bool], holder: str | None = None) -> GoalDraft:
    """A conjunct that fits, with a drawn holder unless one is named; what it is about is free no longer."""
    for _ in range(TRIES):
        kind = rng.choices((_door_goal, _thing_goal, _handle_goal), (4, 5, 2))[0]
        before = list(house.handles)
        goal = kind(rng, house, holder or rng.choice(house.agents))
        if goal and fits(goal):
            house.free -= {*goal.goal.arguments, *goal.opened, *_bound(house.handles[len(before) :])}
            return goal
        house.handles[:] = before
        if goal and goal.goal.arguments[0] in house.places:
            del house.places[goal.goal.arguments[0]]
    raise NothingDrawn


def _bound(handles: Sequence[Binding]) -> Iterator[str]:
    """The furniture at both ends of mirrors and remote controls."""
    for one in handles:
        if isinstance(one, RemoteControl | StateMirroring):
            yield from (one.trigger_object, one.target_object)


def _door_goal(rng: Random, house: HouseDraft, holder: str) -> GoalDraft | None:
    """Something is to be opened or closed; its handle may be reversed."""
    room = rng.choice(list(house.entrants))
    path = house.channels.path([holder], house.entrants[room])
    doors = house.free_doors(room)
    if not (path and doors):
        return None
    door = rng.choice(doors)
    told: tuple[tuple[str, Proposition], ...] = ()
    if rng.random() < IS_REVERSED:
        house.handles.append(InverseState(trigger_object=door))
        told = ((_one_of(rng, path), Proposition(IS_INVERSE, (door,))),)
    return GoalDraft(_changed(house, door), holder, path, told)


def _thing_goal(rng: Random, house: HouseDraft, holder: str) -> GoalDraft | None:
    """An object is to lie on or within some furniture; it is elsewhere, where the agent that puts it there can go."""
    target = rng.choice(list(house.furniture))
    path = house.channels.path([holder], house.entrants[house.furniture[target]])
    objects = sorted(one for one in house.free if one not in house.is_open)
    if not (path and objects):
        return None
    thing = rng.choice(objects)
    reached = [one for one, room in house.furniture.items() if one != target and path[-1] in house.entrants[room]]
    if not reached:
        return None
    origin = rng.choice(reached)
    is_hidden = origin in house.is_open and origin in house.free and rng.random() < 0.5
    place = Proposition(IS_INSIDE if is_hidden else IS_ON_TOP, (thing, origin))
    house.places[thing] = place
    within = target in house.is_open and target in house.free and rng.random() < 0.5
    goal = Proposition(IS_INSIDE if within else IS_ON_TOP, (thing, target))
    told = ((_one_of(rng, path), place),) if is_hidden and not house.is_open[origin] else ()
    opened = [one for one, is_used in ((origin, is_hidden), (target, within)) if is_used]
    return GoalDraft(goal, holder, path, told, tuple(opened))


def _handle_goal(rng: Random, house: HouseDraft, holder: str) -> GoalDraft | None:
    """Furniture where nobody can go is to be opened or closed, by a handle that is somewhere else."""
    sealed = [door for room, entrants in house.entrants.items() if not entrants for door in house.free_doors(room)]
    near = [door for room, entrants in house.entrants.items() if entrants for door in house.free_doors(room)]
    if not (sealed and near):
        return None
    target, trigger = rng.choice(sealed), rng.choice(near)
    path = house.channels.path([holder], house.entrants[house.furniture[trigger]])
    goal = _changed(house, target)
    if rng.random() < 0.5:
        house.is_open[trigger] = house.is_open[target]
        house.handles.append(StateMirroring(trigger_object=trigger, target_object=target))
        what = MIRRORS
    else:
        house.is_open[trigger] = False
        state: FurnitureState = "open" if goal.predicate == IS_OPEN else "closed"
        house.handles.append(RemoteControl(trigger_object=trigger, target_object=target, target_state=state))
        what = CONTROLS
    told = ((_one_of(rng, path), Proposition(what, (trigger, target))),)
    return GoalDraft(goal, holder, path, told, is_visible=False)


def _changed(house: HouseDraft, door: str) -> Proposition:
    return Proposition(IS_CLOSED if house.is_open[door] else IS_OPEN, (door,))


def _one_of(rng: Random, path: tuple[str, ...]) -> str:
    return path[0] if rng.random() < AT_HOLDER else path[-1]


# Knowledge, private goals, messages


def _known(rng: Random, goal: GoalDraft, depth: int) -> Claim:
    """The holder knows that ... knows that the conjunct holds: with others of its path, in their order."""
    others = sorted(rng.sample(range(1, len(goal.path)), depth - 1))
    return normalised_claim((goal.holder, *(goal.path[place] for place in others)), goal.goal)


def _wishes(rng: Random, house: HouseDraft) -> dict[str, list[GoalDraft]]:
    """Private goals at most one hop from their owners; now and then two want the opposite of each other."""
    found: dict[str, list[GoalDraft]] = {}
    owners = [agent for agent in house.agents if rng.random() < HAS_WISH] or [rng.choice(house.agents)]
    for agent in owners:
        before = [one for wishes in found.values() for one in wishes if one.goal.predicate == IS_ON_TOP]
        if before and rng.random() < IS_OPPOSED:
            found[agent] = [_opposed(rng, house, agent, rng.choice(before))]
        else:
            found[agent] = [_goal(rng, house, lambda one: one.hops <= 1, agent)]
    return found


def _opposed(rng: Random, house: HouseDraft, agent: str, other: GoalDraft) -> GoalDraft:
    """The same thing on other furniture of the same room."""
    thing, target = other.goal.arguments
    room = house.furniture[target]
    elsewhere = rng.choice([one for one in house.in_room(room) if one != target])
    path = house.channels.path([agent], house.entrants[room])
    return GoalDraft(Proposition(IS_ON_TOP, (thing, elsewhere)), agent, path)


def _limits(
    rng: Random, house: HouseDraft, goals: Sequence[GoalDraft], known: Sequence[Claim], wishes: Wishes
) -> dict[str, int]:
    """As many messages as an agent would need to pass on each fact by itself, and at most one more."""
    paths = {one.goal: one.path for one in goals}
    counts = dict.fromkeys(house.agents, 0)
    for one in goals:
        for agent in one.path[:-1]:
            counts[agent] += 1
    for claimed in known:
        for agent in paths[claimed.proposition][1:]:
            counts[agent] += 1
    for owner, wished in wishes.items():
        counts[owner] += sum(one.hops > 0 for one in wished)
    return {agent: max(1, count + rng.randint(0, 1)) for agent, count in counts.items()}
