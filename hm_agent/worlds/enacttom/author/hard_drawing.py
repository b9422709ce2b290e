"""Draws hard tasks in pairs: the same house, goal, text and characters; who knows what differs.

Two things are to be brought to their places. Where they are the agent under test knows; it can reach neither, and has
few messages of one fact each. In a pair's first task a message about the first thing is needed, in its twin one about
the second, since others know or believe otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from hm_agent.worlds.enacttom.author.hard_scenes import ME, SCENES, Cast, HardHouse, HardScene, StartingMind
from hm_agent.worlds.enacttom.author.task_drawing import OBJECTS, OPENING, ROOMS, SURFACES
from hm_agent.worlds.enacttom.author.task_words import THEMES, public_facts
from hm_agent.worlds.enacttom.tasks.characters import BLANK, Slot
from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    LimitedBandwidth,
    RestrictedCommunication,
    RoomRestriction,
    ShortMessages,
)
from hm_agent.worlds.enacttom.tasks.pddl_writing import write_house
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.task import CANARY, AgentSpawn, TaskFile

HELPERS = ("helper", "mate", "guard")
"""The roles of orders 2 and 3 that bring things about."""
LONGEST = 12
"""The most turns of a task; it has as many as its plan takes."""


def draw_pair(rng: Random, scene: str, depth: int, name: str) -> tuple[TaskFile, TaskFile]:
    """Draws the two tasks of a pair, `NAME_a` and `NAME_b`, with LONGEST turns and without certificates."""
    drawn = SCENES[depth][scene]
    house = _house(rng, drawn, depth)
    theme = rng.randrange(len(THEMES))
    is_kept = rng.random() < 0.5 or depth > 1
    first, second = (
        _file(house, drawn.cast(house, number, depth), depth, f"{name}_{letter}", name, theme, is_kept)
        for number, letter in enumerate("ab")
    )
    return first, second


def _house(rng: Random, scene: HardScene, depth: int) -> HardHouse:
    numbers = iter(rng.sample(range(1, 61), 20))
    rooms = tuple(f"{room}_{next(numbers)}" for room in rng.sample(ROOMS, rng.choice((3, 3, 4))))
    opening = [f"{kind}_{next(numbers)}" for kind in rng.sample(OPENING, 4)]
    surfaces = [f"{kind}_{next(numbers)}" for kind in rng.sample(SURFACES, 2)]
    things = [f"{kind}_{next(numbers)}" for kind in rng.sample(OBJECTS, 2)]
    first, second = rooms[1], rooms[2]
    beside = (rooms[0], rooms[0]) if scene.is_watched else (rng.choice(rooms[1:]), rng.choice(rooms[1:]))
    furniture = dict(zip(opening, (first, second, *beside), strict=True))
    furniture |= {piece: rng.choice((first, second)) for piece in surfaces}
    roles = [ME, *scene.roles]
    agents = [f"agent_{number}" for number in range(len(roles))]
    house = HardHouse(
        dict(zip(roles, rng.sample(agents, len(agents)), strict=True)),
        rooms,
        (things[0], things[1]),
        (opening[0], opening[1]),
        (opening[2], opening[3]),
        (surfaces[0], surfaces[1]),
        furniture,
    )
    if depth > 1:
        _draw_minds(rng, house, roles)
    near = (ME, "silent")
    house.spawns = {role: rooms[0] if role in near else rng.choice((rooms[0], *rooms)) for role in roles}
    return house


def _draw_minds(rng: Random, house: HardHouse, roles: Iterable[str]) -> None:
    """Draws what helpers want, in which order, and what they have in mind in either twin.

    The one called helper wants both things at their places; another one surely one of them, and to open where the other
    one may be taken to be, so that it has to know of both.
    """
    for role in roles:
        own = rng.randrange(2)
        needed_wants = [house.goal(own), house.opened(1 - own)]
        more = [want for want in (house.goal(1 - own), house.opened(own)) if rng.random() < 0.3]
        wants = [house.goal(0), house.goal(1)] if role == "helper" else [*needed_wants, *more]
        if role in HELPERS:
            house.wants[role] = tuple(rng.sample(wants, len(wants)))
        for needed in (0, 1):
            house.minds[role, needed] = StartingMind(rng.random() < 0.5, rng.random() < 0.4)


def _file(house: HardHouse, cast: Cast, depth: int, name: str, pair: str, theme: int, is_kept: bool) -> TaskFile:
    names = house.names
    agents, me = tuple(sorted(names.values())), names[ME]
    bindings = _bindings(house, cast)
    places = [house.place(0), house.place(1)]
    goals = [house.goal(0), house.goal(1), *cast.more_goals]
    known = {names[role]: [places[number] for number in numbers] for role, numbers in cast.known.items()}
    told = {me: [*map(wanted, goals), *([] if cast.has_blanks else places)], **known}
    hidden = [Claim((names["rival"],), place) for place in places] if is_kept and "rival" in names else []
    spawns = {names[role]: room for role, room in house.spawns.items()}
    title, text = THEMES[theme]
    return TaskFile(
        task_id=name,
        title=title,
        category="cooperative",
        task=" ".join([text, *_public_words(house, cast, goals, hidden)]),
        agent_spawns={agent: AgentSpawn(room=room) for agent, room in spawns.items()},
        active_mechanics=tuple(dict.fromkeys(binding.mechanic_type for binding in bindings)),
        mechanic_bindings=bindings,
        agent_secrets={me: tuple(_secrets(house, cast))},
        problem_pddl=write_house(
            name,
            spawns=spawns,
            rooms=house.rooms,
            furniture=house.furniture,
            objects=house.things,
            state=(*(Proposition(Is.CLOSED, (piece,)) for piece in (*house.holders, *house.decoys)), *places),
            goal=[Claim((), goal) for goal in goals],
            hidden=hidden,
        ),
        k_depth=0,
        public_facts=tuple(fact.pddl for fact in public_facts(agents, house.rooms, bindings)),
        secret_facts={agent: tuple(fact.pddl for fact in facts) for agent, facts in told.items()},
        max_turns=LONGEST,
        canary=CANARY,
        characters={names[role]: character for role, character in cast.characters.items()},
        needs_order=depth,
        unsure={names[role]: tuple(place.pddl for place in places) for role in cast.unsure} or None,
        slots=_slots(house) if cast.has_blanks else None,
        pair=pair,
    )


def _bindings(house: HardHouse, cast: Cast) -> tuple[Binding, ...]:
    """The mechanics: the agent under test stays in the first room, and has few messages of few facts to some others."""
    me = house.names[ME]
    return (
        RoomRestriction(restricted_rooms=house.rooms[1:], for_agents=(me,)),
        LimitedBandwidth(message_limits={me: cast.messages}),
        RestrictedCommunication(allowed_targets={me: tuple(sorted(house.names[role] for role in cast.targets))}),
        ShortMessages(most_facts=cast.most_facts),
    )


def _slots(house: HardHouse) -> tuple[Slot, ...]:
    return tuple(Slot(fact=house.place(n).pddl, instead=(house.decoy(n).pddl,)) for n in (0, 1))


def _public_words(house: HardHouse, cast: Cast, goals: list[Proposition], hidden: list[Claim]) -> list[str]:
    """What everyone is told in sentences, but for the rules of characters."""
    me = house.names[ME]
    words = [f"In the end {' and '.join(goal.words.replace(' is ', ' must be ') for goal in goals)}."]
    if hidden:
        kept = " or ".join(claim.proposition.arguments[0] for claim in hidden)
        words.append(f"{hidden[0].knowers[0]} must never come to know where {kept} was at first.")
    if cast.has_blanks:
        blank = " and ".join(f"{thing} is inside {BLANK}" for thing in house.things)
        either = "; ".join(
            f"{thing} may be inside {' or '.join(sorted((holder, decoy)))}"
            for thing, holder, decoy in zip(house.things, house.holders, house.decoys, strict=True)
        )
        words.append(f"Now {blank}; {house.names['teller']} knows what is missing here: {either}.")
    words.append(f"{me} cannot enter {' or '.join(house.rooms[1:])}.")
    starts = ", ".join(
        f"{agent} in {house.spawns[role]}" for role, agent in sorted(house.names.items(), key=lambda one: one[1])
    )
    return [*words, f"At first {starts}."]


def _secrets(house: HardHouse, cast: Cast) -> list[str]:
    """What the agent under test is told of places, and of what others know and believe, in sentences."""
    places = [house.place(0), house.place(1)]
    words = [] if cast.has_blanks else [f"{place.words} now." for place in places]
    for role, character in cast.characters.items():
        name = house.names[role]
        if role in cast.unsure:
            words.append(f"{name} knows exactly one of these two places, and you were not told which.")
            continue
        known = cast.known.get(role, ())
        words += [
            f"{name} knows {f'where {house.things[number]} is' if cast.has_blanks else f'that {places[number].words}'}."
            for number in known
        ]
        for number, belief in ((n, house.decoy(n)) for n in (0, 1) if house.decoy(n).pddl in character.believes):
            words.append(
                f"{name} saw {house.things[number]} last inside {belief.arguments[1]}, and believes it is still there."
            )
        nothing = [house.things[n] for n in (0, 1) if n not in known and house.decoy(n).pddl not in character.believes]
        if nothing:
            words.append(f"{name} knows nothing of where {' or '.join(nothing)} is.")
    return words
