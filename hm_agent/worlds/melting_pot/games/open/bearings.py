"""Where a player is, from its own frames, on any substrate."""

from __future__ import annotations

from functools import cache

import numpy as np

from hm_agent.worlds.melting_pot.games.open.known_map import NOWHERE, KnownMap, MapReader, alive_layer
from hm_agent.worlds.melting_pot.games.open.motion import Motion
from hm_agent.worlds.melting_pot.grid import Facing, Layout, Move, Numbers, Pose, Window
from hm_agent.worlds.melting_pot.perception.atlas import Atlas, Labels
from hm_agent.worlds.melting_pot.perception.sprites import components

OWN_SIZE = 101
"""The width and height of an own map."""
START = Pose(OWN_SIZE // 2, OWN_SIZE // 2, Facing.NORTH)
"""Where a player is at the start on its own map."""
CLEAR = 2
"""How many more cells must speak for a move than against it, or the other way round, to settle it on a known map."""


class Bearings:
    """Finds the pose of one player in one episode.

    layout: the map, whose walls are what always blocks a step. is_own_map: True if poses are relative to the start,
    which is START on a bare map. starts: how often a new start was made, whose poses have nothing to do with earlier
    ones; always 0 on known maps.
    """

    layout: Layout
    is_own_map: bool
    starts = 0

    def __init__(self, atlas: Atlas, motion: Motion) -> None:
        self._atlas, self._motion = atlas, motion
        self._before: Numbers | None = None

    @staticmethod
    def of(substrate: str, slot: int) -> Bearings:
        """For the player of a slot in a substrate's usual line-up."""
        known, motion, starts = _found(substrate, slot)
        atlas = known.atlas
        return OnKnownMap(atlas, motion, known, starts) if starts is not None else OnOwnMap(atlas, motion, known)

    def update(self, labels: Labels, move: Move) -> Pose | None:
        """The pose at a frame; None while it is unknown or the player is off the map, where all it sees is black.

        It takes every frame of the episode, in order. labels: those of the window's cells. move: the own step or turn
        since the frame before; NOOP for everything else.
        """
        if not any(self._atlas.labels[number].sprites for number in set(labels)):
            self._before = None
            self._leave()
            return None
        now = np.array(labels, np.intp)
        pose = self._locate(now, move)
        self._before = now
        return pose

    def _leave(self) -> None:
        """Forgets the pose of a player that is off the map."""
        raise NotImplementedError

    def _locate(self, now: Numbers, move: Move) -> Pose | None:
        raise NotImplementedError

    def _evidence(self, now: Numbers, move: Move) -> int:
        return 0 if self._before is None else self._motion.evidence(self._before, now, move)


class OnKnownMap(Bearings):
    """Keeps all poses at which the map shows what the frames so far do.

    starts: the poses where the player may come into the world.
    """

    is_own_map = False

    def __init__(self, atlas: Atlas, motion: Motion, known: KnownMap, starts: Numbers) -> None:
        super().__init__(atlas, motion)
        self._map, self._starts = known, starts
        self.layout = known.layout
        self._poses = starts
        self._is_new = True

    def _leave(self) -> None:
        self._poses, self._is_new = self._starts, True

    def _locate(self, now: Numbers, move: Move) -> Pose | None:
        moved = self._map.after.get(move)
        if self._is_new or moved is None:
            poses = self._map.matching(now, self._poses)
        else:
            poses = self._followed(now, moved[self._poses], move)
        if not len(poses):
            poses = self._map.matching(now, self._map.free)
        self._poses, self._is_new = poses, False
        return self._map.pose(int(poses[0])) if len(poses) == 1 else None

    def _followed(self, now: Numbers, moved: Numbers, move: Move) -> Numbers:
        """The poses after a move that may have failed, at each of the poses before."""
        moved = self._map.matching(now, moved[moved != NOWHERE])
        stayed = self._map.matching(now, self._poses)
        poses = np.union1d(stayed, moved)
        if len(poses) > 1 and len(stayed) and len(moved):
            clear = self._evidence(now, move)
            if abs(clear) >= CLEAR:
                return np.unique(moved if clear > 0 else stayed)
        return poses


class OnOwnMap(Bearings):
    """Reckons from a start, and remembers what was seen where."""

    is_own_map = True

    def __init__(self, atlas: Atlas, motion: Motion, known: KnownMap) -> None:
        super().__init__(atlas, motion)
        self.layout = Layout(OWN_SIZE, OWN_SIZE, frozenset())
        self._pose = START

    def _leave(self) -> None:
        if self._pose is not START:
            self._start_anew()

    def _start_anew(self) -> None:
        self._pose = START
        self.starts += 1

    def _locate(self, now: Numbers, move: Move) -> Pose | None:
        evidence = self._evidence(now, move)
        if self._before is not None and (evidence > 0 or (evidence == 0 and not self._motion.is_barred(now, move))):
            self._pose = self._pose.after(move)
        if not self.layout.contains(self._pose.cell):
            self._start_anew()
        return self._pose


@cache
def _found(substrate: str, slot: int) -> tuple[KnownMap, Motion, Numbers | None]:
    from hm_agent.worlds.melting_pot.simulator.substrate import DRAWS, avatars_in, default_settings, window_of

    avatar = list(avatars_in(default_settings(substrate)))[slot]
    known, motion = _map_found(substrate, window_of(avatar), alive_layer(avatar))
    kwargs = next(components(avatar, "Avatar"))
    starts = known.starts(frozenset({kwargs["spawnGroup"], kwargs.get("postInitialSpawnGroup", "")}))
    is_known = substrate not in DRAWS and (known.tells_apart(starts) or known.tells_apart(known.free))
    return known, motion, starts if is_known else None


@cache
def _map_found(substrate: str, window: Window, layer: str | None) -> tuple[KnownMap, Motion]:
    from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of, default_settings

    known = KnownMap(MapReader(default_settings(substrate), layer), window, atlas_of(substrate))
    return known, Motion(window, known.atlas, known.names)
