"""What a substrate's map shows at each pose, by the things on it that stay where they are.

Which things lie where stands in the substrate's configuration: its map has a character for each cell, which stands for
things of certain kinds. What covers them, and what moves, tells nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hm_agent.worlds.melting_pot.grid import AHEAD, STEP_QUARTERS, TURNS, Layout, Numbers, Pose, Window
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Label
from hm_agent.worlds.melting_pot.perception.placing import Areas
from hm_agent.worlds.melting_pot.perception.sprites import SPRITE_SIZE, Layer, Sprite, components, states_of

FACINGS = 4
HIDING = 100
"""The alpha from which on what lies under a pixel is taken to be hidden."""
MOVABLE = ("Graspable", "Flag", "Seat")
"""The components of things that can be moved."""
NOWHERE = -1
"""The number in place of a pose's that is off the map or in a wall."""
FEW = 50
"""How many poses are compared with a frame at once; of more, most are ruled out by a few cells."""
Flags = npt.NDArray[np.bool_]


class MapSprite(NamedTuple):
    """A sprite on the layer that it lies on."""

    sprite: str
    layer: str


@dataclass(frozen=True)
class CellKind:
    """What a map's character stands for.

    shown: for each thing that always shows there, what it can look like. possible: what all things can look like that
    may be there. starts: the groups of players that may come into the world there. is_solid: True if nobody can ever
    stand there.
    """

    shown: frozenset[frozenset[MapSprite]] = frozenset()
    possible: frozenset[MapSprite] = frozenset()
    starts: frozenset[str] = frozenset()
    is_solid: bool = False

    @classmethod
    def joined(cls, kinds: Sequence[CellKind], *, is_all: bool) -> CellKind:
        """All of some kinds at the same cell if `is_all`, else one of them, as is drawn for each episode."""
        shown = [kind.shown for kind in kinds]
        return cls(
            frozenset[frozenset[MapSprite]]().union(*shown) if is_all else shown[0].intersection(*shown),
            frozenset(look for kind in kinds for look in kind.possible),
            frozenset(start for kind in kinds for start in kind.starts),
            (any if is_all else all)(kind.is_solid for kind in kinds),
        )


class MapReader:
    """Reads what lies on a substrate's map in its settings. layer: the one that players move on."""

    def __init__(self, settings: Mapping[str, Any], layer: str) -> None:
        simulation = settings["simulation"]
        self._prefabs, self._characters = simulation["prefabs"], simulation["charPrefabMap"]
        self.rows: Sequence[str] = simulation["map"].strip("\n").split("\n")
        self._layer, self._is_torus = layer, settings.get("topology") == "TORUS"

    @cached_property
    def kinds(self) -> Mapping[str, CellKind]:
        """What each character of the map stands for."""
        return {char: self._kind(self._characters.get(char)) for char in sorted(set("".join(self.rows)))}

    @cached_property
    def loose(self) -> frozenset[str]:
        """The sprites of all things that others change or move: they may show on any cell."""
        changed = (prefab for prefab in self._prefabs.values() if not _stays(prefab))
        return frozenset(state["sprite"] for prefab in changed for state in states_of(prefab) if state.get("sprite"))

    def layout(self) -> Layout:
        cells = ((x, y, char) for y, row in enumerate(self.rows) for x, char in enumerate(row))
        walls = frozenset((x, y) for x, y, char in cells if self.kinds[char].is_solid)
        return Layout(max(map(len, self.rows)), len(self.rows), walls, self._is_torus)

    def _kind(self, spec: str | Mapping[str, Any] | None) -> CellKind:
        if spec is None:
            return CellKind()
        if isinstance(spec, str):
            return self._kind_of_prefab(self._prefabs[spec])
        return CellKind.joined([*map(self._kind, spec["list"])], is_all=spec["type"] == "all")

    def _kind_of_prefab(self, prefab: Mapping[str, Any]) -> CellKind:
        states = states_of(prefab)
        starts = frozenset(group for state in states for group in state.get("groups", ()))
        is_solid = bool(states) and all(state.get("layer") == self._layer for state in states)
        if not _stays(prefab):
            return CellKind(starts=starts, is_solid=is_solid)
        looks = [
            MapSprite(state["sprite"], state["layer"]) for state in states if state.get("sprite") and state.get("layer")
        ]
        possible = frozenset(looks)
        shown = frozenset({possible} if looks and len(looks) == len(states) else ())
        return CellKind(shown, possible, starts, is_solid)


def alive_look(avatar: Mapping[str, Any]) -> MapSprite:
    """An avatar's own look on the layer that it moves on, as its player sees it."""
    kwargs = next(components(avatar, "Avatar"))
    alive = next(state for state in states_of(avatar) if state["state"] == kwargs["aliveState"])
    return MapSprite(kwargs.get("spriteMap", {}).get(alive["sprite"], alive["sprite"]), alive["layer"])


PLAIN = frozenset({"StateManager", "Transform", "Appearance", "AdditionalSprites", "BeamBlocker", "AllBeamBlocker"})
"""The components by which a thing doesn't change itself."""


def _stays(prefab: Mapping[str, Any]) -> bool:
    """True for a thing that stays where it is. One of several states that doesn't change itself may also be moved."""
    names = {component["component"] for component in prefab["components"]}
    return names.isdisjoint(MOVABLE) and (len(states_of(prefab)) == 1 or not names <= PLAIN)


class Evidence:
    """What labels tell of the things that lie in a cell.

    looks: those of all things that stay where they are. loose: the sprites that other things show, too.
    """

    def __init__(self, layers: Sequence[Layer], looks: Sequence[MapSprite], loose: Set[str]) -> None:
        order = {layer.name: number for number, layer in enumerate(layers)}
        drawn = [(layer.name, sprite, rgba) for layer in layers for sprite, rgba in layer.pictures]
        self._pixels = {(sprite.name, sprite.turns): rgba.reshape(-1, 4) for _, sprite, rgba in drawn}
        self._top = {sprite.name: order[layer] for layer, sprite, _ in drawn}
        turns = Counter(name for name, _ in self._pixels)
        self._numbers = {look: number for number, look in enumerate(looks)}
        self._levels = np.array([order.get(look.layer, NOWHERE) for look in looks])[:, None, None]
        pictures = [[self._pixels[name, -facing % turns[name]] for facing in range(FACINGS)] for name, _ in looks]
        self._pictures = np.array(pictures, np.uint8).reshape(len(looks), FACINGS, SPRITE_SIZE**2, 4)
        self._visible = (self._pictures[..., 3] > 0) & (self._pictures[..., :3] > 0).any(axis=-1)
        self._own, self._loose = {look.sprite for look in looks}, loose
        others = [pixels for (name, _), pixels in self._pixels.items() if name not in self._own]
        self._others = np.array(others, np.uint8).reshape(len(others), SPRITE_SIZE**2, 4)
        self._differences: dict[Sprite, Flags] = {}
        self._meanings: dict[Hashable, Flags | None] = {}

    def of(self, label: Label) -> tuple[Flags, list[Flags]]:
        """What a label tells, each as (looks, facings of the player).

        First: True where a thing of that look may be there, since it shows or is hidden. Second: for each sprite in the
        label that only things have which stay where they are, True for the looks that it may be.
        """
        hiding = [self._pixels[sprite.name, sprite.turns][:, 3] >= HIDING for sprite in label.sprites]
        hidden = np.zeros((len(self._levels), 1, SPRITE_SIZE**2), np.bool_)
        for sprite, hides in zip(label.sprites, hiding, strict=True):
            hidden |= (self._levels < self._top[sprite.name]) & hides
        fits: Flags = ~np.any(self._visible & ~hidden, axis=-1)
        told, over = [], np.zeros(SPRITE_SIZE**2, np.bool_)
        for sprite, hides in zip(reversed(label.sprites), reversed(hiding), strict=True):
            if sprite.name in self._own:
                fits |= ~(self._differs(sprite) & ~hidden).any(axis=-1)
                meaning = None if sprite.name in self._loose else self._meaning(sprite, over)
                told += [] if meaning is None else [meaning]
            over = over | hides
        return fits, told

    def picture(self, look: MapSprite, facing: int) -> bytes:
        return bytes(self._pictures[self._numbers[look], facing])

    def _differs(self, sprite: Sprite) -> Flags:
        """(looks, facings, pixels): True where a look's picture isn't a sprite's."""
        if sprite not in self._differences:
            self._differences[sprite] = (self._pictures != self._pixels[sprite.name, sprite.turns]).any(axis=-1)
        return self._differences[sprite]

    def _meaning(self, sprite: Sprite, over: Flags) -> Flags | None:
        """(looks, facings): the looks that a sprite may be, by its pixels that aren't hidden; None if anything else."""
        key = (sprite, over.tobytes())
        if key not in self._meanings:
            pixels = self._pixels[sprite.name, sprite.turns]
            is_other = (~((self._others != pixels).any(axis=-1) & ~over).any(axis=-1)).any()
            self._meanings[key] = None if is_other else ~np.any(self._differs(sprite) & ~over, axis=-1)
        return self._meanings[key]


class KnownMap:
    """The poses of a map, by number, and which of them a frame fits.

    A pose's number is 4 * the number of its cell + its facing. areas: the cells in view at each. free: those where
    nothing solid lies. scenery: the sprites of what always lies where the map says and never looks otherwise.
    """

    def __init__(self, reader: MapReader, window: Window, atlas: Atlas) -> None:
        self.layout = reader.layout()
        self.atlas, self.areas = atlas, Areas(self.layout, window)
        self._kinds = kinds = [CellKind(), *reader.kinds.values()]
        looks = sorted({look for kind in kinds for look in kind.possible})
        self.names = frozenset(look.sprite for look in looks)
        things = sorted({thing for kind in kinds for thing in kind.shown}, key=sorted)
        self.scenery = frozenset(look.sprite for thing in things if len(thing) == 1 for look in thing)
        self._evidence = Evidence(atlas.layers, looks, reader.loose)
        self._looks_of = _table(things, looks, lambda thing: thing)
        self._shown = _table(kinds, things, lambda kind: kind.shown)
        self._possible = _table(kinds, looks, lambda kind: kind.possible)
        numbers = {char: number for number, char in enumerate(reader.kinds, start=1)}
        self._cells = np.zeros((self.layout.height, self.layout.width), np.intp)
        for y, row in enumerate(reader.rows):
            self._cells[y, : len(row)] = [numbers[char] for char in row]
        self._fits = np.ones((0, len(kinds) * FACINGS), np.bool_)
        self._is_free = ~np.array([kind.is_solid for kind in kinds])[self._cells]
        self.free = np.flatnonzero(np.repeat(self._is_free, FACINGS))

    def starts(self, groups: frozenset[str]) -> Numbers:
        """The poses where players of one of these groups may come into the world."""
        is_start = np.array([not groups.isdisjoint(kind.starts) for kind in self._kinds])
        return np.flatnonzero(np.repeat(is_start[self._cells], FACINGS))

    def tells_apart(self, poses: Numbers) -> bool:
        """True if the map shows at some of these poses what it shows at none of the others."""
        numbers: dict[Hashable, int] = {}
        seen = [self._seen(kind, facing) for kind in self._kinds for facing in range(FACINGS)]
        alike = np.array([numbers.setdefault(each, len(numbers)) for each in seen], np.uint8)
        _, counts = np.unique(alike[self.views[poses]], axis=0, return_counts=True)
        return bool((counts == 1).any())

    def _seen(self, kind: CellKind, facing: int) -> Hashable:
        """What may be seen in a cell of a kind by a player with a facing: the same if that can't be told apart."""
        pictures = {look: (look.layer, self._evidence.picture(look, facing)) for look in kind.possible}
        shown = frozenset(frozenset(pictures[look] for look in thing) for thing in kind.shown)
        return shown, frozenset(pictures.values())

    def pose(self, number: int) -> Pose:
        cell, facing = divmod(number, FACINGS)
        return Pose(*self.layout.cell(cell), facing)

    @cached_property
    def after(self) -> Mapping[int, Numbers]:
        """By step or turn, the number of the pose after it by that before; NOWHERE if something solid is in the way."""
        return {move: self._after(move) for move in (*STEP_QUARTERS, *TURNS)}

    def _after(self, move: int) -> Numbers:
        height, width = self._cells.shape
        y, x, facing = (axis.ravel() for axis in np.mgrid[:height, :width, :FACINGS])
        if move in TURNS:
            facing = (facing + TURNS[move]) % FACINGS
        else:
            dx, dy = np.array(AHEAD).T[:, (facing + STEP_QUARTERS[move]) % FACINGS]
            x, y = x + dx, y + dy
        is_on = (x >= 0) & (x < width) & (y >= 0) & (y < height) | self.layout.is_torus
        x, y = x % width, y % height
        return np.where(is_on & self._is_free[y, x], (y * width + x) * FACINGS + facing, NOWHERE)

    @cached_property
    def views(self) -> npt.NDArray[np.intp]:
        """(poses, cells of the window): the kind of each cell at each pose, times 4, plus the facing."""
        height, width = self._cells.shape
        y, x = (axis[..., None] for axis in np.mgrid[:height, :width])
        views = []
        for facing in range(FACINGS):
            dx, dy = np.array(self.areas.window.cells(Pose(0, 0, facing))).T
            is_on = (x + dx >= 0) & (x + dx < width) & (y + dy >= 0) & (y + dy < height) | self.layout.is_torus
            views.append(np.where(is_on, self._cells[(y + dy) % height, (x + dx) % width], 0) * FACINGS + facing)
        return np.stack(views, axis=2).reshape(height * width * FACINGS, -1)

    def matching(self, labels: Numbers, poses: Numbers) -> Numbers:
        """Those poses at which the map may show these labels, cell for cell."""
        fits, views = self._fits, self.views
        if len(fits) < len(self.atlas.labels):
            new = [self._fits_of(number) for number in range(len(fits), len(self.atlas.labels))]
            self._fits = fits = np.concatenate([fits, new])
        parts = [slice(None)] if len(poses) < FEW else [slice(start, None, 5) for start in range(5)]
        for part in parts:
            poses = poses[fits[labels[part], views[poses, part]].all(axis=1)]
        return poses

    def _fits_of(self, number: int) -> Flags:
        """(kinds * facings,): True where a label may show a cell of a kind."""
        if number == UNKNOWN:
            return np.ones(self._fits.shape[1], np.bool_)
        label = self.atlas.labels[number]
        may_be, told = self._evidence.of(label)
        may_show = (self._looks_of[:, :, None] & may_be).any(axis=1)
        fits: Flags = ~np.any(self._shown[:, :, None] & ~may_show, axis=1)
        for meanings in told:
            fits &= (self._possible[:, :, None] & meanings).any(axis=1)
        fits[0] &= not label.sprites
        return fits.ravel()


def _table(rows: Sequence[Any], columns: Sequence[Any], of: Callable[[Any], frozenset[Any]]) -> Flags:
    """(rows, columns): True where a row has a column."""
    table = [[column in of(row) for column in columns] for row in rows]
    return np.array(table, np.bool_).reshape(len(rows), len(columns))
