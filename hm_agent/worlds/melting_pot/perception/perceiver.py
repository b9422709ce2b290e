"""From pixels to a textual map: labels the patches, localizes the own avatar, then places everything on the map."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from hm_agent.worlds.melting_pot.grid import Move, Pose
from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Label, Labels
from hm_agent.worlds.melting_pot.perception.localizer import (
    OPPOSITE,
    Localizer,
    RelativeScene,
    WallPatterns,
    odds_of_staying,
)
from hm_agent.worlds.melting_pot.perception.placing import CellContent, MapMaker
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap


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
        self.meanings: list[CellContent] = []
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

    def _meaning(self, number: int, label: Label) -> CellContent:
        roles = self.roles
        mark = next((roles.marks[sprite.name] for sprite in label.sprites if sprite.name in roles.marks), None)
        for sprite in reversed(label.sprites):
            if sprite.name in roles.beams or number == UNKNOWN:
                return CellContent(is_hidden=True)
            if sprite.name == roles.own:
                if roles.fellow:
                    return CellContent(roles.fellow, is_player=True, turns=sprite.turns, mark=mark)
                break
            if sprite.name in roles.players:
                return CellContent(roles.players[sprite.name], is_player=True, turns=sprite.turns, mark=mark)
            if sprite.name in roles.solid or sprite.name in roles.kinds:
                kind = roles.kinds.get(sprite.name, roles.wall if mark else "")
                return CellContent(kind, is_wall=sprite.name in roles.solid, turns=sprite.turns, mark=mark)
        return CellContent(mark=mark)


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


class Perceiver(MapMaker):
    """One player's perception in one episode: turns frames into textual maps."""

    def __init__(self, vision: SubstrateVision) -> None:
        super().__init__(vision.patterns.areas)
        self._vision = vision
        self._localizer = Localizer(vision.patterns)
        self._before: Frame | None = None
        """The frame before, if it showed the own avatar."""
        self._off_map: tuple[bytes, TextualMap] | None = None
        """The latest pixels without the own avatar, and what they show: they stay the same until it is back."""

    def see(self, rgb: Pixels, move: int) -> TextualMap:
        """Perceives one frame. move: the own move since the frame before, NOOP at the first."""
        if self._off_map and rgb.tobytes() == self._off_map[0]:
            self.unknown_patches += self._off_map[1].unknown_patches
            return self._off_map[1]
        frame = Frame(self._vision, self._vision.read(rgb))
        view = self._placed(
            self._locate(frame, move),
            frame.contents,
            {n for n, each in frame.contents if each.is_hidden} if frame.hidden else frozenset(),
            is_present=frame.is_present,
            mark=frame.own_mark,
            unknown=frame.unknown,
            walls=lambda: (self._vision.window.offsets[n] for n, each in frame.contents if each.is_wall),
        )
        self._off_map = None if view.present else (rgb.tobytes(), view)
        return view

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
