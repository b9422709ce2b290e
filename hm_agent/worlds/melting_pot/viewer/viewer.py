"""Gives replays and videos what they show of Melting Pot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Seat, Step
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.facts import seat_of
from hm_agent.worlds.melting_pot.games import KINDS, kind_of
from hm_agent.worlds.melting_pot.games.game import LED
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.perception.sprites import SPRITE_SIZE, Pixels
from hm_agent.worlds.melting_pot.scenarios import Scenario
from hm_agent.worlds.melting_pot.scene import Scene
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of, layout_of
from hm_agent.worlds.melting_pot.strategy import SubstrateStrategy
from hm_agent.worlds.melting_pot.viewer.avatars import avatars_of

SCRIPTS = Path(__file__).parent / "scripts"
IN_VIEW = "in view"
MOST_UNNAMED = 2
"""The most players whose names maps leave out."""


class MeltingPotViewer:
    """Shows the map, each seat's view, what its agent believes and plans, and what is hidden from it."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario, self._game, self._seats = scenario, scenario.game, scenario.seats

    @property
    def scripts(self) -> Sequence[Path]:
        """The files that all games share, then the one for this kind of game."""
        return SCRIPTS / "substrate.css", SCRIPTS / "substrate.js", kind_of(self._game).script

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        return {
            "substrate": self._game.substrate,
            "holdings": [{"name": held.name, "colour": held.colour} for held in self._game.holdings],
            "actions": [name.lower() for name in actions_of(self._game.substrate).__members__],
            "spriteSize": SPRITE_SIZE,
            **({"rows": layout_of(self._game).height} if self._scenario.pairs else {}),
            "planning": [question.__name__ for kind in KINDS.values() for question in kind.planning_questions()],
            "players": [{"name": name, "colour": colour} for name, colour in self._named().items()],
        }

    def _named(self) -> Mapping[str, str]:
        """The colours of the players that look different on the map, by name; empty unless they are more than two."""
        colours = avatars_of(self._game).colours
        return colours if len(colours) > MOST_UNNAMED else {}

    def frames(self, step: Step) -> Mapping[str, Pixels]:
        views = {seat: self.seen(observed.view) for seat, observed in step.turn.observations.items()}
        boards = [scene.frame for scene in step.scene.values()] if isinstance(step.scene, Mapping) else []
        return {"world": np.concatenate(boards) if boards else _scene(step).frame, **views}

    def seen(self, view: Mapping[str, Any]) -> Pixels:
        return np.asarray(view["RGB"], np.uint8)

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """What is hidden from a seat and, for an agent with a body, what it sees, remembers and plans.

        held: the inventories (own, other's) in an interaction that the step began. where: the cells of the players in
        `facts`, None for a player off the map. inventory: what an agent without a body holds. cell: where the player
        is, where its agent doesn't say it by the cells of the map; None if unknown. own_map: True if an agent with a
        body counts cells from where it began.
        watches: True if the strategy is to meet nobody yet, which a trace can't tell from meeting anybody. below: in a
        pair, how many boards are drawn above the seat's; is_led: True while the world moves the player.
        """
        scene, decision = _scene(step, seat), step.decisions[seat]
        slot = self._scenario.slot_of(seat)
        state, strategy = decision.state, decision.thoughts.strategy
        watches = isinstance(strategy, SubstrateStrategy) and strategy.seek == ()
        others = self._others(scene, slot)
        shown = {**others, "held": scene.held.get(seat_of(slot)), "watches": watches or None}
        if self._scenario.pairs:
            is_led = LED in step.turn.observations[seat].view
            shown |= {"below": self._seats.index(seat), "is_led": is_led or None}
        is_own_map = isinstance(state, SubstrateAgentState) and state.is_own_map
        if (named := self._named()) or is_own_map:
            places = avatars_of(self._game).places(scene.frame)
            shown |= {"where": [places.get(player) for player in named]} if named else {}
            shown |= {"cell": places.get(seat), "own_map": True} if is_own_map else {}
        if isinstance(state, SubstrateAgentState):
            return {**shown, **_agent_state(state, step.turn.step)}
        return {**shown, "inventory": scene.players[slot].inventory, "cell": scene.cell(seat_of(slot))}

    def _others(self, scene: Scene, slot: int) -> Mapping[str, Any]:
        """The other players, by the names that the player of a slot uses. policy: None for a player in a seat."""
        others = [other for other in range(len(scene.players)) if other != slot]
        names = self._game.others(slot) * max(1, self._game.alike)
        named = zip(names, others, strict=False)
        return {
            "others": [
                {
                    "name": name,
                    "seat": seat_of(other) if seat_of(other) in self._seats else None,
                    "policy": scene.players[other].policy,
                    "rule": scene.players[other].rule,
                }
                for name, other in named
            ],
            "aims": [scene.players[other].behaviour for other in others],
            "inventories": [scene.players[other].inventory for other in others],
        }

    def picture(self, scenario: ScenarioInfo, title: str) -> Callable[[Step], Pixels] | None:
        """Of the first seat or, in a pair, of both boards."""
        from hm_agent.worlds.melting_pot.viewer.video_picture import PairPicture, VideoPicture

        if not self._scenario.pairs:
            return VideoPicture(self._game, self._seats[0], title)
        players = {seat: seat_of(self._scenario.slot_of(seat)) for seat in self._seats}
        return PairPicture(
            {seat: VideoPicture(self._game, seat, f"{seat}: {title}", player) for seat, player in players.items()}
        )


def _scene(step: Step, seat: Seat = "") -> Scene:
    """A step's scene; in a pair, that of a seat's board."""
    scene = step.scene[seat] if isinstance(step.scene, Mapping) else step.scene
    assert isinstance(scene, Scene)
    return scene


def _agent_state(state: SubstrateAgentState, step: int) -> Mapping[str, Any]:
    """What an agent sees, remembers and plans.

    remembered: by `kind x y`, the step of the latest sighting or, for what this step's frame shows, IN_VIEW, so that an
    entry changes only when its thing comes into view or leaves it.
    """
    seen = [(kind, cell, when) for cell, (kind, when) in state.things.items()]
    seen += [(name, sighting.cell, sighting.step) for name, sighting in state.players.items()]
    return {
        "scene": state.view.describe(state.kinds),
        "present": state.view.present,
        "remembered": {_spot(kind, cell): IN_VIEW if when == step else when for kind, cell, when in seen},
        "plan": [str(call) for call in state.plan],
        "current": state.current,
        "shot": str(state.shot) if state.shot else None,
        "over": state.over_because,
        "route": state.route,
        "failed": str(state.failed) if state.failed else None,
    }


@lru_cache(10_000)
def _spot(kind: str, cell: Cell) -> str:
    """A thing or player and its place, as a key of `remembered`."""
    return f"{kind} {cell[0]} {cell[1]}"
