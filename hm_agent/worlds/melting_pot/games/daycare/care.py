"""What a parent and a child do best, by the rule that the other follows: for the reasoner, and for scripted players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import BANANA, GROWING
from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareSeat
from hm_agent.worlds.melting_pot.games.open.calls import Call, LookAround, StandStill, UseAction, WalkTo
from hm_agent.worlds.melting_pot.games.open.seat import PlayingRule
from hm_agent.worlds.melting_pot.grid import Cell, around, distance

POINTS = "It grasps at the fruit that it wants until it is given it."
PLAYS = "It grasps at any fruit, and eats only what it likes."
REFUSES = "It takes nothing that it is given."
CHILDREN = (POINTS, PLAYS, REFUSES)
"""The rules of children."""
ATTENDS = "It brings the fruit that you grasped at last."
SPOILS = "It brings whichever fruit is nearest to it."
FORAGES = "It takes fruit only for itself."
PARENTS = (ATTENDS, SPOILS, FORAGES)
"""The rules of parents."""

TAKE, EAT = "grasp", "eat"
SHRUBS = 0.25
"""The share of shrubs among what grows bananas, by the game's probabilities."""
CAUGHT = 0.3
"""The probability that a child takes a fruit from a shrub in a try."""
TRIES = 3
"""A child's tries at a fruit in one plan."""
SETTING_OUT = 6
"""The steps of such tries, beside the way to the fruit."""
FED_FOR = 120
"""A parent feeds the child once it has not eaten for so many steps: it is removed after 200."""
BETWEEN_GIFTS = 30
"""The steps between two fruits that are brought to a child."""
LOST_FOR = 40
"""A child or parent that was out of view for so many steps counts as gone."""
NEAR = 5
"""The distance within which a child looks for fruit beside its parent."""
LEFT_LYING = 40
"""A fruit that a child has not eaten so many steps after it was given is one that it does not like."""


def nearest_first(here: Cell, cells: Iterable[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda cell: (distance(here, cell), cell))


def growing(seat: DaycareSeat, kinds: Sequence[str] = GROWING) -> list[Cell]:
    """The cells of all known fruit that can be picked, the nearest first."""
    return nearest_first(seat.here, seat.cells_of(kinds))


def _other(seat: DaycareSeat) -> Cell | None:
    """Where the other player is, as far as is known."""
    return next((known.cell for known in seat.players if known.ago < LOST_FOR), None)


# The parent


def parent_calls(seat: DaycareSeat, rule: str | None, *, fed_for: int = FED_FOR) -> Sequence[Call]:
    """Eats the nearest fruit, and brings the child one that it wants once it has not eaten for fed_for steps.

    rule: the child's; None: nobody else counts.
    """
    wanted = _wanted(seat, rule)
    if seat.held:
        return _bring(seat) if seat.grown in wanted else [UseAction(EAT)]
    fruit = growing(seat)
    to_give = [cell for cell in wanted if cell in fruit]
    is_hungry = seat.step - max(0, seat.child_ate) >= fed_for
    is_due = seat.given_at < 0 or seat.step - seat.given_at >= BETWEEN_GIFTS
    if to_give and is_hungry and is_due and _other(seat):
        return [UseAction(TAKE, to_give[0])]
    return eat_nearest(seat, [cell for cell in fruit if cell not in wanted])


def eat_nearest(seat: DaycareSeat, fruit: Sequence[Cell]) -> Sequence[Call]:
    """Takes and eats the nearest of some fruit, and the one nearest to that."""
    if not fruit:
        return [seat.search]
    first = fruit[0]
    second = nearest_first(first, fruit)[1:2]
    return [step for cell in (first, *second) for step in (UseAction(TAKE, cell), UseAction(EAT))]


def _wanted(seat: DaycareSeat, rule: str | None) -> list[Cell]:
    """Where the fruit grows that the child likes, as it seems: what it was seen to eat or, by its rule, to grasp at."""
    if rule is None or rule == REFUSES:
        return []
    eaten = nearest_first(seat.here, (each.cell for each in seat.fruit if each.eaten))
    if rule == PLAYS:
        return eaten
    left = seat.step - LEFT_LYING
    tried = [each for each in seat.fruit if each.other and not (each.given and each.given_at < left)]
    return [each.cell for each in sorted(tried, key=lambda each: -each.when) if not each.eaten] + eaten


def _bring(seat: DaycareSeat) -> Sequence[Call]:
    """Puts the fruit down beside the child; eats it if the child can't be found."""
    child = next(iter(seat.players), None)
    if child is None or child.ago >= LOST_FOR:
        return [UseAction(EAT)]
    if child.ago > 3:
        return [WalkTo(child.cell)] if distance(seat.here, child.cell) > NEAR else [LookAround()]
    bare = _bare_beside(seat, child.cell)
    return [UseAction(TAKE, bare), StandStill(2)] if bare else [UseAction(EAT)]


def _bare_beside(seat: DaycareSeat, cell: Cell) -> Cell | None:
    """The nearest cell beside one, or beside its neighbours, on which fruit can be put down."""
    beside = {each for near in around(cell) for each in (near, *around(near))} - {cell, seat.here}
    bare = [each for each in beside if seat.layout.is_open(each) and each not in seat.seen]
    return min(bare, key=lambda each: (distance(each, cell), distance(each, seat.here), each), default=None)


def spoiling_calls(seat: DaycareSeat) -> Sequence[Call]:
    """A parent that brings the child whichever fruit is nearest, and eats in between."""
    if seat.held and seat.step - seat.given_at >= BETWEEN_GIFTS:
        return _bring(seat)
    return [UseAction(EAT)] if seat.held else eat_nearest(seat, growing(seat))[:1]


# The child


def child_calls(seat: DaycareSeat, rule: str | None, *, refuses: bool = False) -> Sequence[Call]:
    """Takes and eats bananas that lie about or are held out to it, and else grasps at those that grow.

    rule: the parent's; None: nobody else counts. refuses: True for one that takes only what grows.
    """
    if seat.held:
        return [UseAction(EAT)]
    lying = [] if refuses or rule is None else nearest_first(seat.here, _lying(seat))
    if lying:
        return [UseAction(TAKE, lying[0]), UseAction(EAT)]
    bananas = growing(seat, ("banana in shrub",))
    parent = _other(seat)
    if rule == ATTENDS and parent is None:
        return [seat.search]
    if rule == ATTENDS and parent and seat.other_held and distance(parent, seat.here) <= NEAR:
        return [StandStill(2)]
    if not bananas:
        return [seat.search]
    if rule == ATTENDS and parent:
        return _try(max(bananas, key=lambda cell: _promise(seat, cell, parent)), pause=3)
    return _try(max(bananas, key=lambda cell: _promise(seat, cell, None)), pause=1)


def _lying(seat: DaycareSeat) -> list[Cell]:
    """The cells of loose bananas that were seen just now; of one in a hand only if it is within reach."""
    now = {cell for known in seat.things if known.kind == BANANA for cell, ago in known.cells if ago <= 2}
    reach = {cell: 2 if cell == seat.other_hand else NEAR for cell in now}
    return [cell for cell in now if distance(cell, seat.here) <= reach[cell]]


def _promise(seat: DaycareSeat, cell: Cell, parent: Cell | None) -> tuple[float, Cell]:
    """What tries at a growing banana are worth a step. parent: one who may bring it; None if nobody does."""
    steps = distance(seat.here, cell) + SETTING_OUT
    known = seat.known(cell)
    missed = SHRUBS * (1 - CAUGHT) ** known.own
    in_reach = 1.0 if known.is_own_reach else missed / (missed + 1 - SHRUBS)
    caught = in_reach * (1 - (1 - CAUGHT) ** TRIES)
    brought = 0.0 if parent is None else (1 - caught) * 0.7
    return (caught + brought) / (steps + (distance(parent, cell) if parent else 0)), cell


def _try(cell: Cell, pause: int) -> Sequence[Call]:
    return [UseAction(TAKE, cell), StandStill(pause)] * 2


def playful_calls(seat: DaycareSeat) -> Sequence[Call]:
    """A child that grasps at any fruit in turn; it eats bananas, and puts apples down."""
    if seat.held:
        bare = _bare_beside(seat, seat.here)
        return [UseAction(EAT)] if seat.held == BANANA or bare is None else [UseAction(TAKE, bare), StandStill(1)]
    if lying := nearest_first(seat.here, _lying(seat)):
        return [UseAction(TAKE, lying[0]), UseAction(EAT)]
    fruit = growing(seat)
    if not fruit:
        return [seat.search]
    return _try(min(fruit, key=lambda cell: (seat.known(cell).own, distance(seat.here, cell), cell)), pause=1)


SCRIPTED: Mapping[str, PlayingRule] = {
    "attends": PlayingRule(ATTENDS, partial(parent_calls, rule=POINTS, fed_for=0)),
    "spoils": PlayingRule(SPOILS, spoiling_calls),
    "forages": PlayingRule(FORAGES, partial(parent_calls, rule=None)),
    "points": PlayingRule(POINTS, partial(child_calls, rule=ATTENDS)),
    "plays": PlayingRule(PLAYS, playful_calls),
    "refuses": PlayingRule(REFUSES, partial(child_calls, rule=FORAGES, refuses=True)),
}
"""What scripted players do, by the names that the game's file calls puppeteers."""
STAND_INS: Mapping[str, str] = {
    "helping_parent": "attends",
    "foraging_parent": "forages",
    "pointing_child": "points",
    "foraging_child": "refuses",
}
"""The rules in place of Melting Pot's trained bots, by a part of their names."""
