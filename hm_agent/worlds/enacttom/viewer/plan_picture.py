"""Draws the floor plan as shapes: rooms and furniture, where everything is, and what happened in a turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot

from hm_agent.recording.shapes import DrawnShape, Point, colour_of, disc, line, polygon, shortened, text, text_width
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition, on_floors
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.viewer.plan_layout import PAD, TITLE, Rect, lay_out

ROOM_SIZE, NAME_SIZE, THING_SIZE, SMALL_SIZE = 13.0, 12.0, 11.0, 10.0
"""The heights of texts: names of rooms, of furniture and of objects, and notes beside them."""
CHIP, CHIP_GAP, LEAST_CHIP = 16.0, 4.0, 60.0
"""Of an object's box: its height, the distance to the next, and the least width into which a name is written."""
DISC = 11.0
STATE = 44.0
"""The width that the word for its state takes on a card."""
HATCH = 11.0
"""The distance between the hatching lines of a barred room."""
ASIDE, LETTER, BELOW = 4.0, 12.0, 34.0
"""How far a message's arrow lies to one side, so that an answer has room, and its letter from the sender's disc, also
where the arrow leads down, past what the sender holds."""

Layers = tuple[list[DrawnShape], list[DrawnShape]]
"""Shapes below the furniture, so that no arrow runs through a name, and shapes above it."""


@dataclass(frozen=True)
class PlanPicture:
    """What a picture shows. facts: what holds, or what an agent remembers; the rest stays unknown.

    looked_at: the agent that stands out. came_from: the earlier room of each agent that moved. sent: (sender,
    addressees, whether it taught anything). handles: (agent, furniture, what else it set). failed: agents whose action
    did not succeed.
    """

    facts: frozenset[Proposition]
    looked_at: str | None = None
    came_from: Mapping[str, str] = field(default_factory=dict)
    sent: Sequence[tuple[str, Sequence[str], bool]] = ()
    handles: Sequence[tuple[str, str, Sequence[str]]] = ()
    failed: Sequence[str] = ()


@dataclass(frozen=True)
class PlacedFact:
    """A fact with its place on the plan. words: the text at that place."""

    fact: Proposition
    place: Rect
    words: str


class DrawnPlan:
    """Draws the floor plan of one task at one width."""

    def __init__(self, task: HouseholdTask, width: float) -> None:
        self._task, self._plan = task, task.plan
        self.layout = lay_out(task.plan, width, {room for _, room in on_floors(task.init)})
        self._number = {agent: number for number, agent in enumerate(task.agents)}

    # What never changes

    @cached_property
    def walls(self) -> list[DrawnShape]:
        return [
            DrawnShape("box", (*room, 7), fill="wash", stroke="muted", width=1) for room in self.layout.rooms.values()
        ]

    def mechanics(self, known_to: str | None = None) -> Layers:
        """Thin arrows between furniture that mechanics link, and a sign at reversed handles.

        known_to: the agent whose known mechanics are drawn; None for all.
        """
        known = self._task.known[known_to] if known_to else None
        arrows, signs = list[DrawnShape](), list[DrawnShape]()
        for fact in sorted(self._task.mechanics.propositions, key=str):
            if known is not None and fact not in known:
                continue
            if fact.predicate == Is.INVERSE:
                place = self.layout.furniture[fact.arguments[0]]
                signs += _reversed_sign((place.x + place.width - 12, place.y + 12), fact.words)
            elif fact.predicate in (Is.CONTROLS, Is.MIRRORS):
                ends = _between(*(self.layout.furniture[furniture] for furniture in fact.arguments))
                arrows += _arrow(*ends, "muted", 1.2, opacity=0.7)
        return arrows, signs

    def hatching(self, agent: str) -> list[DrawnShape]:
        """Hatches the rooms that an agent can't enter."""
        shapes: list[DrawnShape] = []
        for room, (x, y, width, height) in self.layout.rooms.items():
            if self._task.mechanics.may_enter(agent, room):
                continue
            along = HATCH
            while along < width + height:
                start = (x + min(along, width), y + max(0.0, along - width))
                end = (x + max(0.0, along - height), y + min(along, height))
                shapes.append(line(start, end, colour_of(self._number[agent]), 1.5, 0.3))
                along += HATCH
        return shapes

    @cached_property
    def furnishing(self) -> list[DrawnShape]:
        """Furniture, all names, and for each room a sign for each agent that can't enter it."""
        shapes: list[DrawnShape] = []
        for room, place in self.layout.rooms.items():
            shapes += self._room_heading(room, place)
        for furniture, place in self.layout.furniture.items():
            shapes += self._card(furniture, place)
        for place in self.layout.floors.values():
            shapes.append(text((place.x, place.middle[1]), "floor", SMALL_SIZE, colour="muted", anchor="start"))
        return shapes

    def _room_heading(self, room: str, place: Rect) -> Iterator[DrawnShape]:
        barred = [agent for agent in self._plan.agents if not self._task.mechanics.may_enter(agent, room)]
        left = place.width - 2 * PAD - 20 * len(barred)
        y = place.y + TITLE / 2
        words = shortened(room, ROOM_SIZE, left)
        yield DrawnShape(
            "box", (place.x + PAD - 3, place.y + 4, text_width(words, ROOM_SIZE) + 4, TITLE - 7, 3), "wash"
        )
        yield text((place.x + PAD, y), words, ROOM_SIZE, anchor="start", title=room)
        for count, agent in enumerate(reversed(barred)):
            x, colour = place.x + place.width - PAD - 8 - 20 * count, colour_of(self._number[agent])
            yield DrawnShape("disc", (x, y, 8), "page", colour, 1.5, title=f"{agent} cannot enter {room}")
            yield text((x, y), str(self._number[agent]), SMALL_SIZE)
            yield line((x - 5.5, y + 5.5), (x + 5.5, y - 5.5), colour, 1.5)

    def _card(self, furniture: str, place: Rect) -> Iterator[DrawnShape]:
        yield DrawnShape("box", (*place, 4), fill="page", stroke="line", width=1)
        left, right = place.x + 7, place.x + place.width - 6
        if furniture in self._plan.openable:
            left += 15
            right = self._state_place(furniture).x
        words = shortened(furniture, NAME_SIZE, right - left)
        yield text((left, place.y + 12), words, NAME_SIZE, anchor="start", title=furniture)

    # What changes

    def figures(self, picture: PlanPicture) -> Layers:
        """Everything that a turn changes: arrows and ways below the furniture, the rest above it."""
        below, above = list[DrawnShape](), list[DrawnShape]()
        for furniture in self._plan.openable:
            above += self._door(furniture, picture.facts)
        for placed in self._placed_objects(picture.facts):
            above += _chip(placed)
        for agent, room in picture.came_from.items():
            below += self._arrival(agent, room, picture.facts)
        for agent, furniture, others in picture.handles:
            place = self.layout.furniture[furniture]
            above.append(DrawnShape("box", (*place, 4), stroke=colour_of(self._number[agent]), width=2.5))
            for set_too in (self.layout.furniture[other] for other in others):
                below += _arrow(*_between(place, set_too), "glow", 3)
                above.append(DrawnShape("box", (*set_too, 4), stroke="glow", width=2.5))
        for placed in self._placed_agents(picture.facts):
            above += self._agent_disc(placed, picture)
        for sender, addressees, is_news in picture.sent:
            colour = colour_of(self._number[sender])
            for start, end in self._ways(sender, addressees, picture.facts):
                below += _arrow(start, end, colour, 3 if is_news else 1.5)
                above += _letter(_letter_place(start, end), colour)
        return below, above

    def layers(self, picture: PlanPicture) -> list[DrawnShape]:
        """The whole plan from the bottom to the top, with all mechanics."""
        (arrows, signs), (below, above) = self.mechanics(), self.figures(picture)
        return [*self.walls, *arrows, *below, *self.furnishing, *signs, *above]

    def strokes(self, facts: frozenset[Proposition], wrong: Iterable[Proposition]) -> list[DrawnShape]:
        """A frame and a stroke over each wrong fact, where `figures` draws it. facts: all that an agent remembers."""
        wrong_facts = set(wrong)
        states = (
            PlacedFact(fact, self._state_place(fact.arguments[0]), "") for fact in facts if fact.predicate in Is.STATES
        )
        shapes: list[DrawnShape] = []
        for placed in (*self._placed_objects(facts), *self._placed_agents(facts), *states):
            if placed.fact in wrong_facts:
                x, y, width, height = placed.place
                middle = y + height / 2
                shapes.append(DrawnShape("box", (x - 1, y - 1, width + 2, height + 2, 4), stroke="loss", width=1.5))
                shapes.append(line((x, middle), (x + width, middle), "loss", 1.5))
        return shapes

    def _state_place(self, furniture: str) -> Rect:
        """The place of the word for the state, beside the name; further left where a sign stands in the corner."""
        place = self.layout.furniture[furniture]
        sign = 14.0 if self._task.mechanics.is_inverse(furniture) else 0.0
        return Rect(place.x + place.width - STATE - sign, place.y + 5, STATE - 4, 14)

    def _door(self, furniture: str, facts: frozenset[Proposition]) -> Iterator[DrawnShape]:
        """A door, with a knob if closed and ajar if open, and the word for its state; `?` if it is unknown."""
        place = self.layout.furniture[furniture]
        x, y = place.x + 7, place.y + 6
        states = (state for state in Is.STATES if Proposition(state, (furniture,)) in facts)
        state = next(states, None)
        word, colour = {Is.OPEN: ("open", "ink"), Is.CLOSED: ("closed", "muted"), None: ("?", "muted")}[state]
        yield DrawnShape("box", (x, y, 9, 12, 1), "band" if state == Is.CLOSED else None, "muted", 1.2)
        if state == Is.OPEN:
            yield polygon([(x, y), (x + 6, y + 3), (x + 6, y + 14), (x, y + 12)], "muted")
        elif state == Is.CLOSED:
            yield disc((x + 6.5, y + 6.5), 1, "muted")
        at = self._state_place(furniture)
        yield text((at.x + at.width, at.middle[1]), word, SMALL_SIZE, colour=colour, anchor="end")

    def _placed_objects(self, facts: frozenset[Proposition]) -> Iterator[PlacedFact]:
        """The places of all objects: on and in furniture, on the floor, and in hands."""
        by_place: dict[tuple[str, str], list[Proposition]] = {}
        for fact in sorted(facts, key=lambda fact: fact.arguments):
            if fact.predicate in (Is.ON_TOP, Is.INSIDE, Is.HELD_BY):
                by_place.setdefault((fact.predicate, fact.arguments[1]), []).append(fact)
        for thing, room in sorted(on_floors(facts)):
            by_place.setdefault((Is.ON_FLOOR, room), []).append(Proposition(Is.IN_ROOM, (thing, room)))
        for furniture, place in self.layout.furniture.items():
            row = Rect(place.x + 6, place.y + 21, place.width - 12, CHIP)
            there = [fact for where in Is.ON_FURNITURE for fact in by_place.get((where, furniture), [])]
            yield from _in_a_row(there, row)
        for room, place in self.layout.floors.items():
            row = Rect(place.x + 30, place.y + 2, place.width - 30, CHIP)
            yield from _in_a_row(by_place.get((Is.ON_FLOOR, room), []), row)
        for placed in self._placed_agents(facts):
            slot_width = self.layout.strips[placed.fact.arguments[1]].width / len(self._plan.agents)
            middle, bottom = placed.place.middle[0], placed.place.y + placed.place.height
            held = by_place.get((Is.HELD_BY, placed.fact.arguments[0]), [])[:1]
            for fact in held:
                width = min(slot_width - 2, text_width(fact.arguments[0], THING_SIZE) + 10)
                row = Rect(middle - width / 2, bottom + 2, width, CHIP)
                yield PlacedFact(fact, row, shortened(fact.arguments[0], THING_SIZE, width - 6))

    def _placed_agents(self, facts: frozenset[Proposition]) -> Iterator[PlacedFact]:
        for fact in sorted(facts, key=lambda fact: fact.arguments):
            if fact.predicate == Is.AGENT_IN_ROOM:
                x, y = self._disc_middle(*fact.arguments)
                place = Rect(x - DISC, y - DISC, 2 * DISC, 2 * DISC)
                yield PlacedFact(fact, place, str(self._number[fact.arguments[0]]))

    def _disc_middle(self, agent: str, room: str) -> Point:
        """The middle of an agent's disc in a room; an agent has the same slot in every room."""
        strip = self.layout.strips[room]
        slot = strip.width / len(self._plan.agents)
        return strip.x + (self._number[agent] + 0.5) * slot, strip.y + DISC + 3

    def _agent_disc(self, placed: PlacedFact, picture: PlanPicture) -> Iterator[DrawnShape]:
        agent = placed.fact.arguments[0]
        (x, y), colour = placed.place.middle, colour_of(self._number[agent])
        if agent == picture.looked_at:
            yield disc((x, y), DISC + 3.5, "page", "ink", 1.5)
        yield DrawnShape("disc", (x, y, DISC - 1), "page", colour, 3.5, title=placed.fact.words)
        yield text((x, y), placed.words, NAME_SIZE)
        if agent in picture.failed:
            for start, end in (((-4, -4), (4, 4)), ((-4, 4), (4, -4))):
                ends = (x + 14 + start[0], y - 6 + start[1]), (x + 14 + end[0], y - 6 + end[1])
                yield from (line(*ends, "page", 5), line(*ends, "loss", 2.5))

    def _arrival(self, agent: str, room: str, facts: frozenset[Proposition]) -> Iterator[DrawnShape]:
        """A line from the room that an agent left in this turn."""
        current = next((placed for placed in self._placed_agents(facts) if placed.fact.arguments[0] == agent), None)
        if current:
            start, colour = self._disc_middle(agent, room), colour_of(self._number[agent])
            yield line(start, current.place.middle, colour, 2.5, 0.55)
            yield DrawnShape("disc", (*start, 3.5), fill=colour, opacity=0.55)

    def _ways(
        self, sender: str, addressees: Sequence[str], facts: frozenset[Proposition]
    ) -> Iterator[tuple[Point, Point]]:
        """The two ends of the arrow from the sender of a message to each addressee, beside that of an answer."""
        places = {placed.fact.arguments[0]: placed.place for placed in self._placed_agents(facts)}
        for other in addressees if sender in places else ():
            if other in places:
                (x, y), (to_x, to_y) = _between(places[sender], places[other])
                length = hypot(to_x - x, to_y - y) or 1.0
                across, down = ASIDE * (y - to_y) / length, ASIDE * (to_x - x) / length
                yield (x + across, y + down), (to_x + across, to_y + down)


def _letter_place(start: Point, end: Point) -> Point:
    """The middle of a message's letter on its arrow."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = hypot(across, down) or 1.0
    share = min(0.5, (BELOW if down > abs(across) else LETTER) / length)
    return start[0] + share * across, start[1] + share * down


def _in_a_row(things: Sequence[Proposition], row: Rect) -> Iterator[PlacedFact]:
    """Places objects side by side with shortened names; a last place stands for those that find no room."""
    x, end = row.x, row.x + row.width
    for number, fact in enumerate(things):
        left = len(things) - number - 1
        full_width = text_width(fact.arguments[0], THING_SIZE) + 10
        width = min(full_width, end - x - (left > 0) * (LEAST_CHIP + CHIP_GAP))
        if width < min(full_width, LEAST_CHIP):
            names = ", ".join(rest.arguments[0] for rest in things[number:])
            yield PlacedFact(Proposition("", (names,)), Rect(x, row.y, max(18.0, end - x), row.height), f"+{left + 1}")
            return
        words = shortened(fact.arguments[0], THING_SIZE, width - 8)
        yield PlacedFact(fact, Rect(x, row.y, width, row.height), words)
        x += width + CHIP_GAP


def _reversed_sign(middle: Point, title: str) -> Iterator[DrawnShape]:
    """The sign of a reversed handle: an arrow up beside an arrow down."""
    x, y = middle
    for side, turn in ((-3, -1), (3, 1)):
        yield line((x + side, y - 4 * turn), (x + side, y + 3 * turn), "muted", 1.5)
        points = ((x + side, y + 6 * turn), (x + side - 3, y + 1 * turn), (x + side + 3, y + 1 * turn))
        yield polygon(points, "muted")
    yield DrawnShape("box", (x - 7, y - 7, 14, 14, 2), fill="page", opacity=0.01, title=title)


def _chip(placed: PlacedFact) -> Iterator[DrawnShape]:
    """The box of an object, with an edge if it is inside furniture."""
    is_within = placed.fact.predicate == Is.INSIDE
    title = placed.fact.words if placed.fact.predicate else placed.fact.arguments[0]
    edge, width = ("muted", 1.0) if is_within else (None, 0.0)
    yield DrawnShape("box", (*placed.place, 4), "band", edge, width, title=title)
    yield text(placed.place.middle, placed.words, THING_SIZE, title=title)


def _between(one: Rect, other: Rect) -> tuple[Point, Point]:
    """The part between two rectangles of the line from middle to middle, as its two ends."""
    return _edge_towards(one, other.middle), _edge_towards(other, one.middle)


def _edge_towards(place: Rect, towards: Point) -> Point:
    """The point at which the line from a rectangle's middle towards a point leaves the rectangle."""
    (x, y), across, down = place.middle, towards[0] - place.middle[0], towards[1] - place.middle[1]
    shares = [size / 2 / abs(way) for size, way in ((place.width, across), (place.height, down)) if way]
    share = min([1.0, *shares])
    return x + across * share, y + down * share


def _arrow(start: Point, end: Point, colour: str, width: float, *, opacity: float = 1.0) -> Iterator[DrawnShape]:
    length = hypot(end[0] - start[0], end[1] - start[1])
    if length < 1:
        return
    across, down = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    size = 4 + 1.5 * width
    back = (end[0] - across * size, end[1] - down * size)
    sides = [(back[0] + side * down * size / 2, back[1] - side * across * size / 2) for side in (1, -1)]
    yield line(start, back, colour, width, opacity)
    yield polygon([end, *sides], colour, opacity)


def _letter(middle: Point, colour: str) -> Iterator[DrawnShape]:
    x, y = middle[0] - 8, middle[1] - 5.5
    yield DrawnShape("box", (x, y, 16, 11, 1.5), "page", colour, 1.5)
    yield from (line((x + side, y), (middle[0], middle[1] + 1), colour, 1.5) for side in (0, 16))
