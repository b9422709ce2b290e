"""A world that reports the engine's own events, so that tests can compare them with what an agent notices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hm_agent.core import Turn
from hm_agent.worlds.melting_pot.games.game import View
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

Listener = Callable[[str, dict[str, Any]], None]
"""Takes an event's name and its fields, whose player numbers count from 1."""


class ReportingWorld(MeltingPotWorld):
    """A scenario with scripted bots whose engine hands the events of every step to a listener."""

    def __init__(self, scenario: str, listener: Listener) -> None:
        super().__init__(scenario_named(scenario), Bots.SCRIPTED)
        self._listener = listener

    def reset(self, seed: int) -> Turn[View]:
        turn = super().reset(seed)
        assert self._environment is not None
        self._environment.observables().substrate.events.subscribe(on_next=self._report)
        return turn

    def _report(self, event: tuple[str, Any]) -> None:
        name, said = event
        self._listener(name, {key.decode(): value for key, value in zip(said[1::2], said[2::2], strict=True)})
