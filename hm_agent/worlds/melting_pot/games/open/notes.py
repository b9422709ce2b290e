"""What one player notices in any substrate: what it sees, remembers and did, and what others were seen to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from hm_agent.agents.planning_body import Notes, PlanningState
from hm_agent.core import Event, Observation
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.facts import seat_of
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.games.open.bearings import Bearings
from hm_agent.worlds.melting_pot.games.open.conduct import ConductWatch, Watch
from hm_agent.worlds.melting_pot.games.open.deeds import NOTHING_SPECIAL, DeedLog
from hm_agent.worlds.melting_pot.games.open.grid_view import SEVERAL, GridView
from hm_agent.worlds.melting_pot.games.open.open_facts import PLAYER, SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen, Seeing
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap

SEEN_ALREADY = ("RGB", "COLLECTIVE_REWARD")
"""The observations that a question doesn't tell beside the view."""

HAND, GRASP = "hand", "GRASP"
"""How words for the hand of a player that holds something begin, and the action by which it does or lets go."""


def role_of(facts: SubstrateFacts, slot: int) -> str:
    """Melting Pot's name of the role of the player of a slot; empty where the file tells no roles apart."""
    from hm_agent.worlds.melting_pot.simulator.substrate import usual_roles

    return (facts.roles or usual_roles(facts.substrate))[slot] if facts.by_role else ""


class OpenNotes(Notes[View, OpenSeat, IntEnum]):
    """Perceives and remembers for one player through an episode.

    seat_class: what questions show; kinds of games that say more of themselves have a class of their own. actions: the
    substrate's. sight: the latest one. occupied: the cells of the players in view. entered: the kind of thing that the
    agent has just walked onto; None if none lay there. has_moved_elsewhere: True if the game has just put the agent
    somewhere else, or back on the map.
    """

    seat_class: type[OpenSeat] = OpenSeat

    def __init__(self, facts: SubstrateFacts, slot: int) -> None:
        from hm_agent.worlds.melting_pot.simulator.substrate import actions_of

        self._facts, self._slot, self.own_name = facts.as_role(role_of(facts, slot)), slot, seat_of(slot)
        self._view = GridView.of(facts.substrate, slot, facts.roles).naming(facts.names)
        self._bearings = Bearings.of(facts.substrate, slot)
        self._seeing = Seeing(self._view, self._bearings, frozenset(facts.named_things), frozenset(facts.grounds))
        # What can be grasped lies in players' way, but the avatar's layer does not say so.
        graspable = self._facts.having.keys() & {*self._facts.uses.get(GRASP.lower(), ())}
        self._blocking = self._view.solid_words | graspable
        self.actions = actions_of(facts.substrate)
        self._own_actions = tuple(action.name.lower() for action in self.actions if action > Move.TURN_RIGHT)
        self.memory = EntityMemory(self._bearings.layout)
        self._watch = self._watching()
        self.deeds = DeedLog()
        self._action, self._aimed_at = Move.NOOP.value, ""
        self._starts = 0
        self._pose: Pose | None = None
        self._was_present = False
        self._earned = 0.0
        self._observation: Observation[View] = Observation(-1, {})
        nothing = TextualMap(None, present=False, mark=None, detections=(), in_view=NOWHERE, unknown_patches=0)
        self.sight = FrameSeen(nothing, (), ())
        self.occupied: frozenset[Cell] = frozenset()
        self.entered: str | None = None
        self.has_moved_elsewhere = False
        self._situation: OpenSeat | None = None
        self._has: Mapping[str, int] = {}

    def _watching(self) -> Watch:
        """What watches the others."""
        return ConductWatch(frozenset(self._facts.collects))

    @property
    def players(self) -> Sequence[str]:
        """The names of the other players that play."""
        playing = {*self._facts.others(self._slot), SEVERAL}
        return tuple(name for name in self._view.names if name in playing)

    def read(self, observation: Observation[View]) -> Sequence[Event]:
        step, move = observation.step, Move(self._action) if self._action <= Move.TURN_RIGHT else Move.NOOP
        self._observation, self._situation = observation, None
        ahead = self._bearings.layout.wrapped(self._pose.place(1, 0)) if self._pose else None
        self.sight = sight = self._seeing.see(observation.view["RGB"], move)
        self.occupied = frozenset(player.cell for player in sight.map.players if player.cell)
        self.has_moved_elsewhere = self._has_moved_elsewhere(sight.map)
        before = self.memory.kinds() if self._pose and self._pose != sight.map.pose else {}
        self.memory.update(step, sight.map)
        self._note_deed(sight.map.pose, before, observation.reward)
        self._pose = sight.map.pose
        self._earned += observation.reward
        own = ahead if self._action > Move.TURN_RIGHT else None
        return self._watch.read(step, sight, self.memory.disappeared, own, observation.reward)

    def _has_moved_elsewhere(self, seen: TextualMap) -> bool:
        """Drops the memory if its cells mean nothing any more, as the own map has begun anew."""
        returned, self._was_present = seen.present and not self._was_present, seen.present
        if self._bearings.starts != self._starts:
            self._starts = self._bearings.starts
            self.memory = EntityMemory(self._bearings.layout)
        return returned

    def _note_deed(self, pose: Pose | None, before: Mapping[Cell, str], reward: float) -> None:
        """Notes what the latest action was, with the reward of its step."""
        has_entered = pose is not None and self._pose is not None and pose.cell != self._pose.cell
        self.entered = before.get(pose.cell) if has_entered and pose else None
        had, self._has = self._has, self._having()
        if self._action > Move.TURN_RIGHT:
            deed = self._aimed_at
        else:
            deed = f"collect({self.entered})" if self.entered else NOTHING_SPECIAL
        self.deeds.note(deed, reward, max(0, sum(self._has.values()) - sum(had.values())))

    def _having(self) -> Mapping[str, int]:
        """How many the player has of each thing whose use the game's file tells."""
        counted = {item.name: count for item, count in zip(self._facts.holdings, self._inventory, strict=False)}
        drawn = dict.fromkeys((*self.sight.own, *self._grasped()), 1)
        return {name: count for name, count in {**drawn, **counted}.items() if count and name in self._facts.having}

    def _grasped(self) -> Iterator[str]:
        """What lies straight ahead while the own hand holds it, which shows a step after it has grasped or let go."""
        seen = self.sight.map
        if seen.pose is None:
            return
        ahead = self._bearings.layout.wrapped(seen.pose.place(1, 0))
        shows = any(cell == ahead and effect.startswith(HAND) for cell, effect in self.sight.effects)
        if shows != (self.actions(self._action).name == GRASP):
            yield from (each.kind for each in seen.detections if each.cell == ahead)

    def grid(self, observation: Observation[View]) -> str:
        """The frame of an observation as a grid of characters, with a legend."""
        return self._view.describe(observation.view["RGB"])

    def note_action(self, action: IntEnum) -> None:
        self._action = int(action)
        if action > Move.TURN_RIGHT:
            name = action.name.lower()
            target = self._aim(name) if name in self._facts.uses else None
            self._aimed_at = f"use({name}, {target})" if target else f"use({name})"

    def _aim(self, action: str) -> str | None:
        """The first thing or player straight ahead within reach, players being one kind; at reach 0, what lies here."""
        if self._pose is None:
            return None
        reach = self._facts.reach.get(action, 1)
        if reach == 0:
            return next((thing for thing in self.sight.own if thing in self._facts.uses[action]), None)
        kinds = self.memory.things
        for cell in map(self._bearings.layout.wrapped, (self._pose.place(ahead, 0) for ahead in range(1, reach + 1))):
            if cell in self.occupied:
                return PLAYER
            if cell in kinds:
                return kinds[cell][0]
        return None

    # What questions show

    @property
    def situation(self) -> OpenSeat:
        if self._situation is None:
            self._situation = self._seat()
        return self._situation

    def _seat(self) -> OpenSeat:
        memory = self.memory
        return self.seat_class(
            facts=self._facts,
            own_name=self.own_name,
            actions=self._own_actions,
            step=self._observation.step,
            pose=self.sight.map.pose,
            is_own_map=self._bearings.is_own_map,
            told=tuple(self._told()),
            own=self.sight.own,
            deeds=self.deeds.all,
            earned=self._earned,
            behaviours=tuple(self._watch.behaviours),
            layout=self._bearings.layout,
            seen=dict(memory.things),
            sighted=dict(memory.players),
            looked_at=memory.looked_at.copy(),
            blocking=self._blocking,
            has=self._has,
            **self._more(),
        )

    def _more(self) -> Mapping[str, Any]:
        """The fields that the seat's class has beyond those of every open game."""
        return {}

    def _told(self) -> Sequence[tuple[str, str]]:
        """What the game tells a player beside its view."""
        told = []
        for name, value in sorted(self._observation.view.items()):
            if name == "INVENTORY":
                told.append(("you hold", self._facts.words(self._inventory)))
            elif name not in SEEN_ALREADY:
                numbers = np.asarray(value).ravel().tolist()
                told.append((name.lower().replace("_", " "), ", ".join(f"{number:g}" for number in numbers)))
        return told

    # What recordings show

    def shown(self, planning: PlanningState) -> SubstrateAgentState:
        return SubstrateAgentState(
            pose=self.sight.map.pose,
            inventory=self._inventory,
            subgoal=str(planning.call) if planning.call else None,
            view=self.sight.map,
            things=dict(self.memory.things),
            players=dict(self.memory.players),
            plan=planning.plan,
            current=planning.done,
            over_because=planning.over_because,
            failed=planning.failed,
            asked_because=planning.asked_because,
            is_own_map=self._bearings.is_own_map,
        )

    @property
    def _inventory(self) -> tuple[int, ...]:
        held = self._observation.view.get("INVENTORY")
        return () if held is None else tuple(round(float(count)) for count in np.atleast_1d(held))

    def metrics(self) -> Mapping[str, float]:
        """As of the other kinds of games: pictures that nothing explains, and steps in which the pose was unknown."""
        return {"unknown_patches": self._seeing.unknown_patches, "pose_lost_steps": self._seeing.lost_steps}
