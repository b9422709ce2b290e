"""From pixels to a textual map: labels the patches, localizes the own avatar, then places everything on the map."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hm_agent.worlds.melting_pot.grid import NOWHERE, Area, Move, Pose
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Label, Labels
from hm_agent.worlds.melting_pot.perception.localizer import (
    OPPOSITE,
    Localizer,
    RelativeScene,
    WallPatterns,
    odds_of_staying,
)
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
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


class SubstrateVision:
    """The parts of perception that depend on the substrate alone; shared by all players and episodes.

    meanings: what each label of the atlas means, as far as the frames read so far show it. plain: the labels that show
    only floor or the own avatar. has_compass: True if walls are drawn rotated against the own facing, so that they tell
    it.
    """

    def __init__(self, atlas: Atlas, patterns: WallPatterns, roles: SpriteRoles) -> None:
        self.atlas, self.patterns, self.roles = atlas, patterns, roles
        self.layout, self.window = patterns.layout, patterns.window
        self.surroundings = frozenset(self.window.offsets) - {(0, 0)}
        self.has_compass = any(sprite.turns for sprite in atlas.sprites if sprite.name in roles.solid)
        self.meanings: list[PatchMeaning] = []
        self.own_labels: set[int] = set()
        self.plain: set[int] = set()
        self._lock = threading.Lock()

    def read(self, rgb: Pixels) -> Labels:
        """The label of every cell of a frame, each of which then has a meaning."""
        labels = self.atlas.label(rgb)
        if len(self.meanings) < len(self.atlas.labels):
            with self._lock:
                self._learn()
        return labels

    def is_own(self, rgb: Pixels) -> bool:
        """True if a frame shows the own avatar of these roles where the player stands."""
        return self.read(rgb)[self.window.own_index] in self.own_labels

    def _learn(self) -> None:
        """Finds out what the atlas's new labels mean."""
        for number, label in enumerate(self.atlas.labels[len(self.meanings) :], start=len(self.meanings)):
            meaning = self._meaning(number, label)
            if label.find(self.roles.own):
                self.own_labels.add(number)
            if not (meaning.kind or meaning.is_wall or meaning.is_hidden):
                self.plain.add(number)
            self.meanings.append(meaning)

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


class Frame:
    """What one frame shows of the window's cells, before the own pose is known.

    is_present: True if it shows the own avatar, with own_mark over its head. contents: (number, meaning) of the cells
    that show more than floor, except the own one. walls, hidden: bit sets over the window of the walls, as in
    `WallPatterns`, and of the cells whose content is hidden. unknown: how many cells show a picture that the atlas
    doesn't hold.
    """

    def __init__(self, vision: SubstrateVision, labels: Labels) -> None:
        here, plain, meanings = vision.window.own_index, vision.plain, vision.meanings
        own = labels[here]
        self._vision = vision
        self.is_present = own in vision.own_labels
        self.own_mark = meanings[own].mark
        self.contents = [
            (n, meanings[label])
            for n, label in enumerate(labels)
            if label not in plain and not (n == here and self.is_present)
        ]
        self.walls = self.hidden = 0
        self._shows_players = False
        for n, meaning in self.contents:
            if meaning.is_wall:
                self.walls |= vision.patterns.bits(n, meaning.kind)
            elif meaning.is_hidden:
                self.hidden |= 1 << n
            elif meaning.is_player:
                self._shows_players = True
        self.unknown = labels.count(UNKNOWN)

    @property
    def facing(self) -> int | None:
        """The own facing by a wall's sprite, which is drawn rotated against it; None if no wall is in view."""
        walls = (meaning for _, meaning in self.contents if meaning.is_wall)
        wall = next(walls, None) if self._vision.has_compass else None
        return None if wall is None else -wall.turns % 4

    @property
    def may_hide_a_block(self) -> bool:
        """True if a player is in view, or may be behind a beam: it can have blocked a move."""
        return self._shows_players or bool(self.hidden)

    @cached_property
    def scene(self) -> RelativeScene:
        """What the frame shows besides walls, by offset; computed only where a move may have failed."""
        offsets = self._vision.window.offsets
        things = {offsets[n]: meaning.kind for n, meaning in self.contents if meaning.kind and not meaning.is_player}
        players = {offsets[n] for n, meaning in self.contents if meaning.is_player}
        hidden = {offsets[n] for n, meaning in self.contents if meaning.is_hidden}
        return RelativeScene(things, players, self._vision.surroundings - hidden - players, bool(hidden))


class Perceiver:
    """One player's perception in one episode: turns frames into textual maps.

    unknown_patches: cells with a picture that the atlas doesn't hold, over all frames. lost_steps: frames in which the
    avatar was on the map and its pose unknown.
    """

    def __init__(self, vision: SubstrateVision) -> None:
        self._vision = vision
        self._localizer = Localizer(vision.patterns)
        self._before: Frame | None = None
        """The frame before, if it showed the own avatar."""
        self._off_map: tuple[bytes, TextualMap] | None = None
        """The latest pixels without the own avatar, and what they show: they stay the same until it is back."""
        self.unknown_patches = 0
        self.lost_steps = 0
        self._lost_for = 0

    def see(self, rgb: Pixels, move: int) -> TextualMap:
        """Perceives one frame. move: the own move since the frame before, NOOP at the first."""
        if self._off_map and rgb.tobytes() == self._off_map[0]:
            view = self._off_map[1]
        else:
            view = self._map(Frame(self._vision, self._vision.read(rgb)), move)
            self._off_map = None if view.present else (rgb.tobytes(), view)
        self.unknown_patches += view.unknown_patches
        return view

    def _map(self, frame: Frame, move: int) -> TextualMap:
        pose = self._locate(frame, move)
        is_lost = frame.is_present and pose is None
        self.lost_steps += is_lost
        self._lost_for = self._lost_for + 1 if is_lost else 0
        offsets = self._vision.window.offsets
        walls = frozenset(offsets[n] for n, meaning in frame.contents if meaning.is_wall) if is_lost else frozenset()
        return TextualMap(
            pose,
            frame.is_present,
            frame.own_mark,
            self._detections(frame, pose),
            self._in_view(frame, pose),
            frame.unknown,
            self._lost_for,
            walls,
        )

    def _locate(self, frame: Frame, move: int) -> Pose | None:
        before, self._before = self._before, frame if frame.is_present else None
        if not frame.is_present:
            self._localizer.reset()
            return None
        frozen = frame.own_mark is not None and frame.own_mark == self._vision.roles.freezing_mark
        # A hit player can't move, but its mark appears one frame after the hit: the move of that frame failed, too.
        actual_move = Move.NOOP if frozen else move
        odds = 0.0
        may_fail = frame.may_hide_a_block or (before is not None and before.may_hide_a_block)
        if may_fail and actual_move in OPPOSITE:
            odds = odds_of_staying(before.scene if before else RelativeScene(), frame.scene, actual_move)
        hidden = self._vision.patterns.in_all_sets(frame.hidden)
        return self._localizer.update(frame.walls, hidden, frame.facing, actual_move, odds)

    def _in_view(self, frame: Frame, pose: Pose | None) -> Area:
        if pose is None:
            return NOWHERE
        area = self._vision.patterns.areas[pose]
        if not frame.hidden:
            return area
        return self._vision.layout.area(cell for n, cell in enumerate(area.cells) if not frame.hidden >> n & 1)

    def _detections(self, frame: Frame, pose: Pose | None) -> tuple[Detection, ...]:
        offsets = self._vision.window.offsets
        cells = self._vision.patterns.areas[pose].cells if pose else None
        return tuple(
            Detection(
                meaning.kind,
                offsets[n],
                cells[n] if cells else None,
                (pose.facing + meaning.turns) % 4 if pose and meaning.is_player else None,
                meaning.mark,
                meaning.is_player,
            )
            for n, meaning in frame.contents
            if meaning.kind
        )
