"""Where a player is, from its own frames, on any substrate."""

from __future__ import annotations

from functools import cache

import numpy as np

from hm_agent.worlds.melting_pot.games.open.known_map import NOWHERE, KnownMap, MapReader, alive_look
from hm_agent.worlds.melting_pot.games.open.motion import Motion
from hm_agent.worlds.melting_pot.grid import Facing, Layout, Move, Numbers, Pose, Window
from hm_agent.worlds.melting_pot.perception.atlas import Atlas, Labels
from hm_agent.worlds.melting_pot.perception.placing import Areas
from hm_agent.worlds.melting_pot.perception.sprites import beam_sprites, components

OWN_SIZE = 101
"""The width and height of an own map."""
OWN_MAP = Layout(OWN_SIZE, OWN_SIZE, frozenset())
"""The own map of everybody, which is bare; its neighbours take long to list."""
START = Pose(OWN_SIZE // 2, OWN_SIZE // 2, Facing.NORTH)
"""Where a player is at the start on its own map."""
CLEAR = 2
"""How many more cells must speak for a move than against it, or the other way round, to settle it on a known map."""


class Bearings:
    """Finds the pose of one player in one episode.

    areas: the cells in view at each pose on the map. is_own_map: True if poses are relative to the start, which is
    START on a bare map. starts: how often a new start was made, whose poses have nothing to do with earlier ones;
    always 0 on known maps. scenery: the sprites of what always lies where the map says, so that it is no news.
    """

    areas: Areas
    is_own_map: bool
    starts = 0
    scenery: frozenset[str] = frozenset()

    def __init__(self, atlas: Atlas, motion: Motion) -> None:
        self._atlas, self._motion = atlas, motion
        self._before: Numbers | None = None

    @property
    def layout(self) -> Layout:
        """The map, whose walls are what always blocks a step."""
        return self.areas.layout

    @staticmethod
    def of(substrate: str, slot: int) -> Bearings:
        """For the player of a slot in a substrate's usual line-up."""
        known, motion, starts = _found(substrate, slot)
        return OnOwnMap(motion, known) if starts is None else OnKnownMap(motion, known, starts)

    def update(self, labels: Labels, move: Move) -> Pose | None:
        """The pose at a frame; None while it is unknown or the player is off the map, where all it sees is black.

        It takes every frame of the episode, in order. labels: those of the window's cells. move: the own step or turn
        since the frame before; NOOP for everything else.
        """
        before, self._before = self._before, None
        if not any(self._atlas.labels[number].sprites for number in set(labels)):
            return None
        self._before = now = np.array(labels, np.intp)
        return self._arrived(now) if before is None else self._followed(before, now, move)

    def _arrived(self, now: Numbers) -> Pose | None:
        """The pose at the first frame of the episode, or the first back on the map."""
        raise NotImplementedError

    def _followed(self, before: Numbers, now: Numbers, move: Move) -> Pose | None:
        """The pose after a move, which may have failed. before, now: the labels at the two frames."""
        raise NotImplementedError


class OnKnownMap(Bearings):
    """Keeps all poses at which the map shows what the frames so far do.

    starts: the poses where the player may come into the world.
    """

    is_own_map = False

    def __init__(self, motion: Motion, known: KnownMap, starts: Numbers) -> None:
        super().__init__(known.atlas, motion)
        self.areas, self.scenery = known.areas, known.scenery
        self._map, self._starts = known, starts
        self._poses = starts

    def _arrived(self, now: Numbers) -> Pose | None:
        return self._keep(now, self._map.matching(now, self._starts))

    def _followed(self, before: Numbers, now: Numbers, move: Move) -> Pose | None:
        stayed = self._map.matching(now, self._poses)
        if move not in self._map.after:
            return self._keep(now, stayed)
        moved = self._map.after[move][self._poses]
        moved = self._map.matching(now, moved[moved != NOWHERE])
        if len(stayed) and len(moved):
            evidence = self._motion.evidence(before, now, move)
            if evidence <= -CLEAR:
                moved = moved[:0]
            elif evidence >= CLEAR or (evidence >= 0 and self._motion.is_undisturbed(before, now)):
                stayed = stayed[:0]
        return self._keep(now, np.union1d(stayed, moved))

    def _keep(self, now: Numbers, poses: Numbers) -> Pose | None:
        """Keeps these poses or, if there is none, all that fit the frame; returns the only one, if it is."""
        self._poses = poses if len(poses) else self._map.matching(now, self._map.free)
        return self._map.pose(int(self._poses[0])) if len(self._poses) == 1 else None


class OnOwnMap(Bearings):
    """Reckons from a start, by moves and whether the frames show that they happened."""

    is_own_map = True

    def __init__(self, motion: Motion, known: KnownMap) -> None:
        super().__init__(known.atlas, motion)
        self.areas = Areas(OWN_MAP, known.areas.window)
        self._pose: Pose | None = None

    def _arrived(self, now: Numbers) -> Pose | None:
        self.starts += self._pose is not None
        self._pose = START
        return START

    def _followed(self, before: Numbers, now: Numbers, move: Move) -> Pose | None:
        assert self._pose is not None, "a player arrives before it moves"
        evidence = self._motion.evidence(before, now, move)
        if evidence > 0 or (evidence == 0 and not self._motion.is_barred(before, now, move)):
            self._pose = self._pose.after(move)
        return self._pose if self.layout.contains(self._pose.cell) else self._arrived(now)


@cache
def _found(substrate: str, slot: int) -> tuple[KnownMap, Motion, Numbers | None]:
    """A substrate's map, what judges the player's moves, and its poses at a start, None if the map isn't known."""
    from hm_agent.worlds.melting_pot.simulator.substrate import DRAWS, avatars_in, default_settings, window_of

    avatar = list(avatars_in(default_settings(substrate)))[slot]
    window, look = window_of(avatar), alive_look(avatar)
    known = _map_found(substrate, window, look.layer)
    own, beams = known.atlas.alike([look.sprite]), beam_sprites(default_settings(substrate))
    motion = Motion(window, known.atlas, known.names, own, beams)
    kwargs = next(components(avatar, "Avatar"))
    starts = known.starts(frozenset({kwargs["spawnGroup"], kwargs.get("postInitialSpawnGroup", "")}))
    is_known = substrate not in DRAWS and (known.tells_apart(starts) or known.tells_apart(known.free))
    return known, motion, starts if is_known else None


@cache
def _map_found(substrate: str, window: Window, layer: str) -> KnownMap:
    from hm_agent.worlds.melting_pot.simulator.substrate import atlas_of, default_settings

    return KnownMap(MapReader(default_settings(substrate), layer), window, atlas_of(substrate))
