"""Who holds, takes, puts down and eats which fruit, as one player's frames show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hm_agent.worlds.melting_pot.facts import seat_of
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import BANANA, CHILD, GROWING, LOOSE, PARENT
from hm_agent.worlds.melting_pot.games.open.conduct import (
    LEAST_SEEN,
    STAYS,
    STRETCH,
    WALKS,
    Conduct,
    ConductSeen,
    Stretch,
)
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen
from hm_agent.worlds.melting_pot.grid import Cell, distance
from hm_agent.worlds.melting_pot.memory.entities import Disappearance

HAND = "grasp "
"""What the words of a hand begin with; the number of its player follows, counted from 1."""
GIVEN_WITHIN = 3
"""Fruit that a parent puts down at this distance from the child, or nearer, is given to it."""

ONE, SEVERAL = "grasps at one fruit in vain", "grasps at several fruits in vain"
EATS_GIVEN, EATS_OWN = "eats fruit that it is given", "eats fruit that it took itself"
OF_CHILDREN = (EATS_GIVEN, EATS_OWN, SEVERAL, ONE, WALKS, STAYS)
"""What children are seen to do, what tells most first."""
GIVES_BANANA, GIVES_APPLE, EATS = "gives you a banana", "gives you an apple", "eats fruit itself"
OF_PARENTS = (GIVES_BANANA, GIVES_APPLE, EATS, WALKS, STAYS)
"""What parents are seen to do, what tells most first."""


@dataclass(slots=True)
class FruitKnown:
    """One fruit, by the cell where it grows, to which it always returns.

    own, other: how often the agent and the other player grasped at it in vain; when: the step of the other's latest
    try. is_own_reach: True if the agent has taken it. given: how often the parent has given it to the child, at the
    latest in step given_at. eaten: how often the child has eaten it.
    """

    cell: Cell
    own: int = 0
    other: int = 0
    when: int = -1
    is_own_reach: bool = False
    given: int = 0
    given_at: int = -1
    eaten: int = 0


@dataclass(frozen=True, slots=True)
class HeldFruit:
    """A fruit in a hand. grown: the cell where it grows."""

    cell: Cell
    fruit: str
    grown: Cell


@dataclass(slots=True)
class _HandStretch(Stretch):
    """tried: where the player grasped in vain."""

    tried: set[Cell] = field(default_factory=set)


def words_by_cell(sight: FrameSeen) -> Mapping[Cell, frozenset[str]]:
    """All that a frame shows in each cell, beside ground and players."""
    words = {}
    for each in sight.map.detections:
        if each.cell is not None:
            beside = each.mark.split(", ") if each.mark else ()
            words[each.cell] = frozenset((*beside, *(() if each.is_player else (each.kind,))))
    if sight.map.pose is not None:
        words[sight.map.pose.cell] = frozenset(sight.own)
    return words


def hands_in(sight: FrameSeen) -> Mapping[str, Cell]:
    """The cells of the hands that a frame shows, by player: of those that hold something and of those that try to."""
    shown = ((cell, effect.removeprefix(HAND)) for cell, effect in sight.effects if effect.startswith(HAND))
    return {seat_of(int(number) - 1): cell for cell, number in shown}


class HandWatch:
    """Watches both players' hands through one episode. own: the agent's name.

    fruit: what is known of each fruit, by the cell where it grows. held: by player. let_go: the cells in which the
    latest frame no longer shows the fruit that moved on with its holder. child_ate: the latest step in which the child
    was seen to eat; -1 before the first.
    """

    def __init__(self, own: str) -> None:
        self.fruit: dict[Cell, FruitKnown] = {}
        self.held: dict[str, HeldFruit] = {}
        self.let_go: list[Cell] = []
        self.child_ate = self.given_at = -1
        self._own, self._other = own, CHILD if own == PARENT else PARENT
        self._lying: dict[Cell, Cell] = {}
        """By cell, where the fruit that was put down there grows."""
        self._stretch, self._begun, self._earned = _HandStretch(), 0, 0.0
        self.behaviours = dict.fromkeys(OF_CHILDREN if own == PARENT else OF_PARENTS)

    def read(
        self, step: int, sight: FrameSeen, gone: Sequence[Disappearance], own: Cell | None, reward: float
    ) -> Sequence[ConductSeen]:
        """Takes in a frame; returns the stretch that it ends, if the other player was in view in it for long enough."""
        self._earned += reward
        seen = {each.kind: each.cell for each in sight.map.players}
        words, hands = words_by_cell(sight), hands_in(sight)
        if cell := seen.get(self._other):
            self._stretch.see(cell)
        before, self.held, self.let_go = self.held, {}, []
        for player, cell in hands.items():
            fruit = next((each for each in LOOSE if each in words.get(cell, ())), None)
            if fruit:
                grown = self._taken(step, player, cell, before)
                self.held[player] = HeldFruit(cell, fruit, grown)
                if player in before and before[player].cell != cell:
                    self.let_go.append(before[player].cell)
            elif words.get(cell, frozenset()) & {*GROWING}:
                self._tried(step, player, cell)
        here = sight.map.pose.cell if sight.map.pose else None
        for player, held in before.items():
            is_shown = player == self._own or player in seen
            if is_shown and player not in self.held and held.grown not in {each.grown for each in self.held.values()}:
                self._put_or_eaten(step, player, held, words, here if player == self._other else seen.get(self._other))
        return self._ended(step)

    def _known(self, cell: Cell) -> FruitKnown:
        return self.fruit.setdefault(cell, FruitKnown(cell))

    def _tried(self, step: int, player: str, cell: Cell) -> None:
        known = self._known(cell)
        if player == self._own:
            known.own += 1
        else:
            known.other, known.when = known.other + 1, step
            self._stretch.tried.add(cell)

    def _taken(self, step: int, player: str, cell: Cell, before: Mapping[str, HeldFruit]) -> Cell:
        """Where the fruit in a hand grows; notes whose it was, if it has just been taken."""
        if player in before:
            return before[player].grown
        giver, held = next(((name, held) for name, held in before.items() if held.cell == cell), (None, None))
        if held is not None:
            if giver == PARENT:
                self._given(step, held)
            return held.grown
        if cell in self._lying:
            return self._lying.pop(cell)
        if player == self._own:
            self._known(cell).is_own_reach = True
        return cell

    def _given(self, step: int, held: HeldFruit) -> None:
        known = self._known(held.grown)
        known.given, known.given_at = known.given + 1, step
        self.given_at = step
        if self._own == CHILD:
            self._stretch.acts[GIVES_BANANA if held.fruit == BANANA else GIVES_APPLE] += 1

    def _put_or_eaten(
        self, step: int, player: str, held: HeldFruit, words: Mapping[Cell, frozenset[str]], child: Cell | None
    ) -> None:
        """Notes what has become of a fruit that is no longer in a hand. child: where the child is, if that is seen."""
        if held.fruit in words.get(held.cell, ()):
            self._lying[held.cell] = held.grown
            if player == PARENT and child is not None and distance(child, held.cell) <= GIVEN_WITHIN:
                self._given(step, held)
            return
        if player == CHILD:
            known = self._known(held.grown)
            known.eaten += 1
            self.child_ate = step
            if self._own == PARENT:
                self._stretch.acts[EATS_GIVEN if known.given else EATS_OWN] += 1
        elif self._own == CHILD:
            self._stretch.acts[EATS] += 1

    def _ended(self, step: int) -> Sequence[ConductSeen]:
        if step - self._begun < STRETCH:
            return ()
        stretch, earned = self._stretch, self._earned
        self._stretch, self._begun, self._earned = _HandStretch(), step, 0.0
        if stretch.steps < LEAST_SEEN or stretch.cell is None:
            return ()
        acts = Counter(stretch.acts)
        if stretch.tried:
            acts[ONE if len(stretch.tried) == 1 else SEVERAL] = len(stretch.tried)
        behaviour = next((each for each in self.behaviours if each in acts), stretch.moves)
        told = tuple(acts.most_common())
        conduct = Conduct(step, self._other, behaviour, told, stretch.steps, stretch.cell, earned)
        return [ConductSeen(step, conduct)]
