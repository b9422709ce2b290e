"""From permitted pixels to a textual map: patches, then the own pose, then everything in view in global coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hm_agent.worlds.melting_pot.grid import Layout, Move, Pose
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Label, Pixels
from hm_agent.worlds.melting_pot.perception.localizer import Localizer, WallPatterns
from hm_agent.worlds.melting_pot.perception.odometry import Scene, odds_of_staying
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.perception.view import Window, label_patches


@dataclass(frozen=True)
class SpriteRoles:
    """What the sprites of a substrate stand for: its name of a sprite, and our word for it.

    wall, solid: the plain wall, and all that can't be walked through. kinds: what can be taken or used, by sprite.
    marks: what is worn, held or shown on top. freezing_mark: who wears it can't move.
    """

    wall: str
    solid: tuple[str, ...]
    own: str
    players: Mapping[str, str]
    kinds: Mapping[str, str]
    marks: Mapping[str, str]
    beams: tuple[str, ...] = ()
    freezing_mark: str | None = None


class Meaning(NamedTuple):
    """What a label says, worked out once for the whole atlas. kind is empty for floor, bare walls and oneself."""

    kind: str = ""
    is_player: bool = False
    is_wall: bool = False
    is_hidden: bool = False
    turns: int = 0
    mark: str | None = None


Contents = Sequence[tuple[int, Meaning]]
"""The cells of a window that show more than floor, by their place in it."""


class SubstrateVision:
    """The parts of perception that depend on the substrate alone; shared by all players and episodes."""

    def __init__(self, atlas: Atlas, layout: Layout, window: Window, roles: SpriteRoles) -> None:
        self.atlas, self.layout, self.window, self.roles = atlas, layout, window, roles
        self.patterns = WallPatterns(layout, window)
        self.cells = {pose: window.cells(pose) for pose in self.patterns.poses}
        self.surroundings = frozenset(window.offsets) - {(0, 0)}
        self.meanings = tuple(self._meaning(number, label) for number, label in enumerate(atlas.labels))
        self.has_compass = any(meaning.is_wall and meaning.turns for meaning in self.meanings)
        self.own_labels = frozenset(n for n, label in enumerate(atlas.labels) if label.find(roles.own))
        self.plain = frozenset(
            n for n, meaning in enumerate(self.meanings) if not (meaning.kind or meaning.is_wall or meaning.is_hidden)
        )

    def _meaning(self, number: int, label: Label) -> Meaning:
        roles = self.roles
        mark = next((roles.marks[sprite.name] for sprite in label.sprites if sprite.name in roles.marks), None)
        for sprite in reversed(label.sprites):
            if sprite.name in roles.beams or number == UNKNOWN:
                return Meaning(is_hidden=True)
            if sprite.name == roles.own:
                break
            if sprite.name in roles.players:
                return Meaning(roles.players[sprite.name], is_player=True, turns=sprite.turns, mark=mark)
            if sprite.name in roles.solid or sprite.name in roles.kinds:
                kind = roles.kinds.get(sprite.name, roles.wall if mark else "")
                return Meaning(kind, is_wall=sprite.name in roles.solid, turns=sprite.turns, mark=mark)
        return Meaning(mark=mark)


class Perceiver:
    """One player's perception through an episode: frames in, textual maps out."""

    def __init__(self, eyes: SubstrateVision) -> None:
        self._eyes = eyes
        self._localizer = Localizer(eyes.patterns)
        self._scene = Scene()
        self.unknown_patches = 0
        self.lost_steps = 0

    def see(self, rgb: Pixels, move: int) -> TextualMap:
        """Understands one frame. move: what was done since the last one (NOOP at the first)."""
        eyes = self._eyes
        labels = label_patches(rgb, eyes.atlas)
        own = labels[eyes.window.own_cell]
        contents = [(n, eyes.meanings[label]) for n, label in enumerate(labels) if label not in eyes.plain]
        present = own in eyes.own_labels
        if not present:
            self._leave()
        pose = self._locate(contents, move, eyes.meanings[own].mark) if present else None
        unknown = labels.count(UNKNOWN)
        self.unknown_patches += unknown
        self.lost_steps += present and pose is None
        return self._map(contents, pose, present, eyes.meanings[own].mark, unknown)

    def _map(self, contents: Contents, pose: Pose | None, present: bool, mark: str | None, unknown: int) -> TextualMap:
        cells = self._eyes.cells[pose] if pose else ()
        hidden = {n for n, meaning in contents if meaning.is_hidden}
        in_view = tuple(cell for n, cell in enumerate(cells) if n not in hidden) if hidden else cells
        sights = tuple(self._sight(n, meaning, pose) for n, meaning in contents if meaning.kind)
        return TextualMap(pose, present, mark, sights, in_view, unknown)

    def _leave(self) -> None:
        self._localizer.forget()
        self._scene = Scene()

    def _locate(self, contents: Contents, move: int, mark: str | None) -> Pose | None:
        walls = sum(1 << n for n, meaning in contents if meaning.is_wall)
        hidden = sum(1 << n for n, meaning in contents if meaning.is_hidden)
        facing = self._compass(contents) if self._eyes.has_compass else None
        frozen = mark is not None and mark == self._eyes.roles.freezing_mark
        scene = self._relative_scene(contents)
        # The mark appears one frame after the beam hit, and from the hit on nobody moves: this move failed already.
        done = Move.NOOP if frozen else move
        stayed = odds_of_staying(self._scene, scene, done)
        self._scene = scene
        return self._localizer.update(walls, hidden, facing, done, stayed)

    def _compass(self, contents: Contents) -> int | None:
        """A wall is drawn turned against the viewer; None where no wall is in view."""
        return next((-meaning.turns % 4 for _, meaning in contents if meaning.is_wall), None)

    def _relative_scene(self, contents: Contents) -> Scene:
        offsets = self._eyes.window.offsets
        things = {offsets[n]: meaning.kind for n, meaning in contents if meaning.kind and not meaning.is_player}
        players = {offsets[n] for n, meaning in contents if meaning.is_player}
        hidden = {offsets[n] for n, meaning in contents if meaning.is_hidden}
        return Scene(things, players, self._eyes.surroundings - hidden - players, bool(hidden))

    def _sight(self, n: int, meaning: Meaning, pose: Pose | None) -> Detection:
        cell = self._eyes.cells[pose][n] if pose else None
        facing = (pose.facing + meaning.turns) % 4 if pose and meaning.is_player else None
        return Detection(meaning.kind, self._eyes.window.offsets[n], cell, facing, meaning.mark, meaning.is_player)
