"""Draws tasks of a given category, K depth and number of agents, without any language model.

What makes a task need Theory of Mind of depth d, in what is *done* and not only in what is known at the end:

- The goals are secret. Each physical conjunct is known to one agent, its holder, and can only be brought about by
  agents in certain rooms. So the holder's knowledge has to reach one of them by messages.
- Messages go along channels. Everybody knows these, and who may enter which room. So every agent can work out who lacks
  which knowledge, who could use it, and through whom it would have to go.
- In a task of depth d some conjunct is d hops from its holder, and none is more. One hop: the holder tells the agent
  that can act. Two: it tells an agent that can't act itself, but would tell the one that can. Three: one more.
- Furniture that a conjunct wants open or closed serves no other conjunct: nobody opens it only to get at something.
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
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, normalised_claim
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
"""A further room is open to all if the number drawn is below the first, to some if below the second, else to nobody."""
EXTRA_LINK_CHANCE = 0.3
OPEN_CHANCE = 0.25
REVERSED_CHANCE = 0.2
HOLDER_INFORMED_CHANCE = 0.5
"""How likely it is that the holder is told of things and handles, rather than the nearest agent that can act."""
K_CONJUNCT_CHANCE = 0.5
"""How likely a further conjunct, at least one hop from its holder, is to have a K conjunct."""
LIMITS_CHANCE = 0.5
WISH_CHANCE, OPPOSED_CHANCE = 0.7, 0.3
TRIES = 40
"""The most draws of one conjunct in a household."""


Wishes = Mapping[str, Sequence[GoalDraft]]


class NothingDrawn(Exception):
    """No fitting conjunct was drawn in this household within TRIES draws."""


def draw_task(rng: Random, request: TaskRequest, others: Random | None = None, scarcity: int = 0) -> TaskDraft:
    """Draws a proposal, which need not prove to be of the kind requested. Raises NothingDrawn if no conjunct fits.

    others: draws all but the house in place of `rng`, so that one of both can change without the other. scarcity: above
    0, messages are limited in any case, and it is how often their numbers are halved.
    """
    house = _house(rng, request)
    rng = others or rng
    goals = [_goal(rng, house, lambda goal: goal.is_visible and goal.hops == request.k_depth)]
    while (idle := set(house.agents) - {agent for goal in goals for agent in goal.path}) or len(goals) < 2:
        goals.append(_goal(rng, house, _involving(request.k_depth, idle)))
    if rng.random() < 0.5:
        goals.append(_goal(rng, house, _involving(request.k_depth, ())))
    known = [_k_conjunct(rng, goals[0], request.k_depth)] if request.k_depth else []
    known += [
        _k_conjunct(rng, goal, rng.randint(1, goal.hops))
        for goal in goals[1:]
        if goal.is_visible and goal.hops > 0 and rng.random() < K_CONJUNCT_CHANCE
    ]
    wishes = _wishes(rng, house) if request.category == MIXED else {}
    _scatter(rng, house, rng.randint(1, 2))
    is_limited = bool(request.k_depth) and (rng.random() < LIMITS_CHANCE or scarcity > 0)
    limits = _limits(rng, house, goals, known, wishes) if is_limited else {}
    limits = {agent: max(1, limit >> scarcity) for agent, limit in limits.items()}
    return TaskDraft(house, goals, known, wishes, limits, rng.randrange(1000))


def _involving(most_hops: int, agents: Collection[str]) -> Callable[[GoalDraft], bool]:
    """Returns a test for conjuncts of at most `most_hops` hops that have one of the agents, if any, on their path."""
    return lambda goal: goal.hops <= most_hops and (not agents or any(agent in goal.path for agent in agents))


# The household


def _house(rng: Random, request: TaskRequest) -> HouseDraft:
    """Draws a household: a room for each agent that only it may enter, and one or two further rooms (`_entrants`)."""
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
    """Draws a connected graph with two agents k_depth apart; complete at depth 0 and, half the time, at depth 1."""
    pairs = list(combinations(agents, 2))
    if k_depth == 0 or (k_depth == 1 and rng.random() < 0.5):
        return _both_ways(agents, pairs)
    while True:
        order = rng.sample(agents, len(agents))
        tree = [(agent, rng.choice(order[:place])) for place, agent in enumerate(order) if place]
        channels = _both_ways(agents, [*tree, *(pair for pair in pairs if rng.random() < EXTRA_LINK_CHANCE)])
        if any(channels.hops([agent], [other]) == k_depth for agent, other in pairs):
            return channels


def _both_ways(agents: tuple[str, ...], links: Sequence[tuple[str, str]]) -> Channels:
    """Channels in which messages go both ways along each link."""
    joined = {frozenset(link) for link in links}
    return Channels(
        {agent: tuple(other for other in agents if frozenset((agent, other)) in joined) for agent in agents}
    )


def _entrants(rng: Random, agents: tuple[str, ...]) -> tuple[str, ...]:
    """Draws who may enter a further room: all agents, some, or none."""
    drawn = rng.random()
    if drawn < COMMON or (len(agents) == 2 and drawn < SHARED):
        return agents
    if drawn < SHARED:
        return tuple(sorted(rng.sample(agents, rng.randint(2, len(agents) - 1))))
    return ()


def _furnish(rng: Random, house: HouseDraft, room: str, numbered: Callable[[str], str]) -> None:
    """Adds two or three pieces of furniture to a room, of which at least one opens and one does not."""
    kinds = [rng.choice(OPENING), rng.choice(SURFACES)]
    if rng.random() < 0.5:
        kinds.append(rng.choice((*OPENING, *SURFACES)))
    for kind in kinds:
        name = numbered(kind)
        house.furniture[name] = room
        if kind in OPENING:
            house.is_open[name] = rng.random() < OPEN_CHANCE
            house.free.add(name)


def _scatter(rng: Random, house: HouseDraft, count: int) -> None:
    """Puts `count` of the objects that no goal is about on furniture, and drops the others."""
    objects = sorted(thing for thing in house.free if thing not in house.is_open)
    for thing in objects[:count]:
        house.places[thing] = Proposition(Is.ON_TOP, (thing, rng.choice(list(house.furniture))))
    house.free -= set(objects)


# Physical conjuncts


def _goal(rng: Random, house: HouseDraft, accepts: Callable[[GoalDraft], bool], holder: str | None = None) -> GoalDraft:
    """Draws a conjunct that `accepts` takes; what it is about is then no longer free. holder: drawn if None.

    Raises NothingDrawn after TRIES draws.
    """
    for _ in range(TRIES):
        kind = rng.choices((_door_goal, _thing_goal, _handle_goal), (4, 5, 2))[0]
        before = list(house.handles)
        goal = kind(rng, house, holder or rng.choice(house.agents))
        if goal and accepts(goal):
            house.free -= {*goal.goal.arguments, *goal.opened, *_linked_furniture(house.handles[len(before) :])}
            return goal
        house.handles[:] = before
        if goal and goal.goal.arguments[0] in house.places:
            del house.places[goal.goal.arguments[0]]
    raise NothingDrawn


def _linked_furniture(handles: Sequence[Binding]) -> Iterator[str]:
    """The furniture at both ends of mirrors and remote controls."""
    for handle in handles:
        if isinstance(handle, RemoteControl | StateMirroring):
            yield from (handle.trigger_object, handle.target_object)


def _door_goal(rng: Random, house: HouseDraft, holder: str) -> GoalDraft | None:
    """Draws a goal to open or close furniture, whose handle may be reversed; None if nothing suits."""
    room = rng.choice(list(house.entrants))
    path = house.channels.path([holder], house.entrants[room])
    doors = house.free_doors(room)
    if not (path and doors):
        return None
    door = rng.choice(doors)
    secrets: tuple[tuple[str, Proposition], ...] = ()
    if rng.random() < REVERSED_CHANCE:
        house.handles.append(InverseState(trigger_object=door))
        secrets = ((_informed_agent(rng, path), Proposition(Is.INVERSE, (door,))),)
    return GoalDraft(_opposite_state(house, door), holder, path, secrets)


def _thing_goal(rng: Random, house: HouseDraft, holder: str) -> GoalDraft | None:
    """Draws a goal to move an object onto or into furniture, from furniture that the same agent can reach.

    None if nothing suits.
    """
    target = rng.choice(list(house.furniture))
    path = house.channels.path([holder], house.entrants[house.furniture[target]])
    objects = sorted(name for name in house.free if name not in house.is_open)
    if not (path and objects):
        return None
    thing = rng.choice(objects)
    reached = [piece for piece, room in house.furniture.items() if piece != target and path[-1] in house.entrants[room]]
    if not reached:
        return None
    origin = rng.choice(reached)
    is_hidden = origin in house.is_open and origin in house.free and rng.random() < 0.5
    place = Proposition(Is.INSIDE if is_hidden else Is.ON_TOP, (thing, origin))
    house.places[thing] = place
    is_inside = target in house.is_open and target in house.free and rng.random() < 0.5
    goal = Proposition(Is.INSIDE if is_inside else Is.ON_TOP, (thing, target))
    secrets = ((_informed_agent(rng, path), place),) if is_hidden and not house.is_open[origin] else ()
    opened = [piece for piece, is_used in ((origin, is_hidden), (target, is_inside)) if is_used]
    return GoalDraft(goal, holder, path, secrets, tuple(opened))


def _handle_goal(rng: Random, house: HouseDraft, holder: str) -> GoalDraft | None:
    """Draws a goal to open or close furniture where nobody can go, by a handle elsewhere; None if nothing suits."""
    sealed = [door for room, entrants in house.entrants.items() if not entrants for door in house.free_doors(room)]
    near = [door for room, entrants in house.entrants.items() if entrants for door in house.free_doors(room)]
    if not (sealed and near):
        return None
    target, trigger = rng.choice(sealed), rng.choice(near)
    path = house.channels.path([holder], house.entrants[house.furniture[trigger]])
    goal = _opposite_state(house, target)
    if rng.random() < 0.5:
        house.is_open[trigger] = house.is_open[target]
        house.handles.append(StateMirroring(trigger_object=trigger, target_object=target))
        predicate = Is.MIRRORS
    else:
        house.is_open[trigger] = False
        state: FurnitureState = "open" if goal.predicate == Is.OPEN else "closed"
        house.handles.append(RemoteControl(trigger_object=trigger, target_object=target, target_state=state))
        predicate = Is.CONTROLS
    secrets = ((_informed_agent(rng, path), Proposition(predicate, (trigger, target))),)
    return GoalDraft(goal, holder, path, secrets, is_visible=False)


def _opposite_state(house: HouseDraft, door: str) -> Proposition:
    """That furniture which is open at first is closed, or the reverse."""
    return Proposition(Is.CLOSED if house.is_open[door] else Is.OPEN, (door,))


def _informed_agent(rng: Random, path: tuple[str, ...]) -> str:
    """Draws who is told of a thing or handle: the holder of a goal or the nearest agent that can act."""
    return path[0] if rng.random() < HOLDER_INFORMED_CHANCE else path[-1]


# Knowledge, private goals, messages


def _k_conjunct(rng: Random, goal: GoalDraft, depth: int) -> Claim:
    """Draws a K conjunct: the holder knows that (others of its path, in order, know that) the conjunct holds."""
    others = sorted(rng.sample(range(1, len(goal.path)), depth - 1))
    return normalised_claim((goal.holder, *(goal.path[place] for place in others)), goal.goal)


def _wishes(rng: Random, house: HouseDraft) -> dict[str, list[GoalDraft]]:
    """Draws private goals by owner: at most one hop from the owner, or now and then opposed to an earlier one."""
    wishes: dict[str, list[GoalDraft]] = {}
    owners = [agent for agent in house.agents if rng.random() < WISH_CHANCE] or [rng.choice(house.agents)]
    for agent in owners:
        before = [wish for owned in wishes.values() for wish in owned if wish.goal.predicate == Is.ON_TOP]
        if before and rng.random() < OPPOSED_CHANCE:
            wishes[agent] = [_opposing_goal(rng, house, agent, rng.choice(before))]
        else:
            wishes[agent] = [_goal(rng, house, lambda goal: goal.hops <= 1, agent)]
    return wishes


def _opposing_goal(rng: Random, house: HouseDraft, agent: str, other: GoalDraft) -> GoalDraft:
    """A goal that opposes another one: the same object on other furniture of the same room."""
    thing, target = other.goal.arguments
    room = house.furniture[target]
    elsewhere = rng.choice([piece for piece in house.in_room(room) if piece != target])
    path = house.channels.path([agent], house.entrants[room])
    return GoalDraft(Proposition(Is.ON_TOP, (thing, elsewhere)), agent, path)


def _limits(
    rng: Random, house: HouseDraft, goals: Sequence[GoalDraft], known: Sequence[Claim], wishes: Wishes
) -> dict[str, int]:
    """Draws message limits: what an agent needs to pass on each fact in a message of its own, or one more."""
    paths = {goal.goal: goal.path for goal in goals}
    counts = dict.fromkeys(house.agents, 0)
    for goal in goals:
        for agent in goal.path[:-1]:
            counts[agent] += 1
    for conjunct in known:
        for agent in paths[conjunct.proposition][1:]:
            counts[agent] += 1
    for owner, owned in wishes.items():
        counts[owner] += sum(wish.hops > 0 for wish in owned)
    return {agent: max(1, count + rng.randint(0, 1)) for agent, count in counts.items()}
