"""A recorder that keeps what there was to be drawn."""

from __future__ import annotations

from dataclasses import dataclass, field

from hm_agent.core import Step
from hm_agent.worlds.symmtom.views import BoardScene


@dataclass
class BoardLog:
    """Every step of an episode."""

    steps: list[Step] = field(default_factory=list)

    def record(self, step: Step) -> None:
        self.steps.append(step)

    def close(self) -> None:
        """Keeps what it has."""

    def scene(self, step: int) -> BoardScene:
        found = self.steps[step].scene
        assert isinstance(found, BoardScene)
        return found
