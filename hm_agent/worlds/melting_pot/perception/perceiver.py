"""From pixels to a textual map: labels the patches, localizes the own avatar, then places everything on the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hm_agent.worlds.melting_pot.grid import Move, Pose
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Label, Pixels, label_patches
from hm_agent.worlds.melting_pot.perception.localizer import Localizer, RelativeScene, WallPatterns, odds_of_staying
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap


@dataclass(frozen=True)
class SpriteRoles:
    """The meaning of a substrate's sprites, by the substrate's names for them.

    wall: the plain wall. solid: all that blocks a step, except players. own: the own avatar. players: names by sprite.
    kinds: the kinds of things that can be taken or used, by sprite. marks: the names of what is worn, held or shown on
    top of something, by sprite. freezing_mark: a player with this mark can't move. fellow: the name of other players
    that look like the own avatar, None where there are none. is_crowd: True if several players share a name.
    """

    wall: str
    solid: tuple[str, ...]
    own: str
    players: Mapping[str, str]
    kinds: Mapping[str, str]
    marks: Mapping[str, str]
    beams: tuple[str, ...] = ()
    freezing_mark: str | None = None
    fellow: str | None = None
    is_crowd: bool = False


class PatchMeaning(NamedTuple):
    """The meaning of a label. kind: empty for floor, bare walls and the own avatar."""

    kind: str = ""
    is_player: bool = False
    is_wall: bool = False
    is_hidden: bool = False
    turns: int = 0
    mark: str | None = None


Contents = Sequence[tuple[int, PatchMeaning]]
"""(number, meaning) of the window's cells that show more than floor."""


class SubstrateVision:
    """The parts of perception that depend on the substrate alone; shared by all players and episodes.

    plain: the labels that show only floor or the own avatar. has_compass: True if walls are drawn rotated against the
    own facing, so that they tell it.
    """

    def __init__(self, atlas: Atlas, patterns: WallPatterns, roles: SpriteRoles) -> None:
        self.atlas, self.patterns, self.roles = atlas, patterns, roles
        self.layout, self.window = patterns.layout, patterns.window
        self.surroundings = frozenset(self.window.offsets) - {(0, 0)}
        self.meanings = tuple(self._meaning(number, label) for number, label in enumerate(atlas.labels))
        self.has_compass = any(meaning.is_wall and meaning.turns for meaning in self.meanings)
        self.own_labels = frozenset(n for n, label in enumerate(atlas.labels) if label.find(roles.own))
        self.plain = frozenset(
            n for n, meaning in enumerate(self.meanings) if not (meaning.kind or meaning.is_wall or meaning.is_hidden)
        )

    def is_own(self, rgb: Pixels) -> bool:
        """True if a frame shows the own avatar of these roles where the player stands."""
        return label_patches(rgb, self.atlas)[self.window.own_index] in self.own_labels

    def _meaning(self, number: int, label: Label) -> PatchMeaning:
        roles = self.roles
        mark = next((roles.marks[sprite.name] for sprite in label.sprites if sprite.name in roles.marks), None)
        for sprite in reversed(label.sprites):
            if sprite.name in roles.beams or number == UNKNOWN:
                return PatchMeaning(is_hidden=True)
            if sprite.name == roles.own:
                if roles.fellow:
                    return PatchMeaning(roles.fellow, is_player=True, turns=sprite.turns, mark=mark)
                break
            if sprite.name in roles.players:
                return PatchMeaning(roles.players[sprite.name], is_player=True, turns=sprite.turns, mark=mark)
            if sprite.name in roles.solid or sprite.name in roles.kinds:
                kind = roles.kinds.get(sprite.name, roles.wall if mark else "")
                return PatchMeaning(kind, is_wall=sprite.name in roles.solid, turns=sprite.turns, mark=mark)
        return PatchMeaning(mark=mark)


class Perceiver:
    """One player's perception in one episode: turns frames into textual maps.

    unknown_patches: cells with a picture that the atlas doesn't hold, over all frames. lost_steps: frames in which the
    avatar was on the map and its pose unknown.
    """

    def __init__(self, vision: SubstrateVision) -> None:
        self._vision = vision
        self._localizer = Localizer(vision.patterns)
        self._scene = RelativeScene()
        self.unknown_patches = 0
        self.lost_steps = 0
        self._lost_for = 0

    def see(self, rgb: Pixels, move: int) -> TextualMap:
        """Perceives one frame. move: the own move since the frame before, NOOP at the first."""
        vision = self._vision
        labels = label_patches(rgb, vision.atlas)
        here = vision.window.own_index
        own = labels[here]
        present = own in vision.own_labels
        contents = [
            (n, vision.meanings[label])
            for n, label in enumerate(labels)
            if label not in vision.plain and not (present and n == here)
        ]
        if not present:
            self._localizer.reset()
            self._scene = RelativeScene()
        pose = self._locate(contents, move, vision.meanings[own].mark) if present else None
        unknown = labels.count(UNKNOWN)
        self.unknown_patches += unknown
        is_lost = present and pose is None
        self.lost_steps += is_lost
        self._lost_for = self._lost_for + 1 if is_lost else 0
        return self._map(contents, pose, present, vision.meanings[own].mark, unknown)

    def _map(self, contents: Contents, pose: Pose | None, present: bool, mark: str | None, unknown: int) -> TextualMap:
        cells = self._vision.patterns.cells[pose] if pose else ()
        hidden = {n for n, meaning in contents if meaning.is_hidden}
        in_view = tuple(cell for n, cell in enumerate(cells) if n not in hidden) if hidden else cells
        detections = tuple(self._detection(n, meaning, pose) for n, meaning in contents if meaning.kind)
        offsets = self._vision.window.offsets if self._lost_for else ()
        walls = frozenset(offsets[n] for n, meaning in contents if meaning.is_wall) if offsets else frozenset()
        return TextualMap(pose, present, mark, detections, in_view, unknown, self._lost_for, walls)

    def _locate(self, contents: Contents, move: int, mark: str | None) -> Pose | None:
        walls = sum(1 << n for n, meaning in contents if meaning.is_wall)
        hidden = sum(1 << n for n, meaning in contents if meaning.is_hidden)
        # A wall's sprite is drawn rotated against the own facing.
        compass = (-meaning.turns % 4 for _, meaning in contents if meaning.is_wall)
        facing = next(compass, None) if self._vision.has_compass else None
        frozen = mark is not None and mark == self._vision.roles.freezing_mark
        scene = self._relative_scene(contents)
        # A hit player can't move, but its mark appears one frame after the hit: the move of that frame failed, too.
        actual_move = Move.NOOP if frozen else move
        odds = odds_of_staying(self._scene, scene, actual_move)
        self._scene = scene
        return self._localizer.update(walls, hidden, facing, actual_move, odds)

    def _relative_scene(self, contents: Contents) -> RelativeScene:
        offsets = self._vision.window.offsets
        things = {offsets[n]: meaning.kind for n, meaning in contents if meaning.kind and not meaning.is_player}
        players = {offsets[n] for n, meaning in contents if meaning.is_player}
        hidden = {offsets[n] for n, meaning in contents if meaning.is_hidden}
        return RelativeScene(things, players, self._vision.surroundings - hidden - players, bool(hidden))

    def _detection(self, n: int, meaning: PatchMeaning, pose: Pose | None) -> Detection:
        cell = self._vision.patterns.cells[pose][n] if pose else None
        facing = (pose.facing + meaning.turns) % 4 if pose and meaning.is_player else None
        return Detection(meaning.kind, self._vision.window.offsets[n], cell, facing, meaning.mark, meaning.is_player)
