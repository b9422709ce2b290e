"""What there is to be recorded, kept for comparison; and a world in which there is next to nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hm_agent.core import Counts, OpponentState, Step
from hm_agent.worlds.melting_pot.perception.atlas import Pixels
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld


@dataclass
class Witness:
    """Keeps what there was to be recorded."""

    world: MeltingPotWorld
    steps: list[Step] = field(default_factory=list)
    frames: list[Pixels] = field(default_factory=list)
    views: list[Pixels] = field(default_factory=list)
    truths: list[tuple[OpponentState, ...]] = field(default_factory=list)
    remembered: list[set[tuple[str, Any, int]]] = field(default_factory=list)
    scenes: list[str] = field(default_factory=list)

    def record(self, step: Step) -> None:
        self.steps.append(step)
        self.frames.append(self.world.frame().copy())
        self.views.append(np.array(step.observation.fields["RGB"]))
        self.truths.append(tuple(self.world.truth_of_others()))
        if step.decision.insight is not None:
            self.remembered.append(set(step.decision.insight.remembered))
            self.scenes.append(step.decision.insight.scene)

    def close(self) -> None:
        """Keeps what it has."""


class Nowhere:
    """A world of one grey square, with a player in it of whom little is known."""

    def frame(self) -> Pixels:
        return np.full((8, 8, 3), 128, np.uint8)

    def truth_of_others(self) -> tuple[OpponentState, ...]:
        return (OpponentState("somebody"),)

    def held_in_interaction(self) -> tuple[Counts, Counts] | None:
        return None
