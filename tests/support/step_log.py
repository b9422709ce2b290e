"""A recorder that keeps what there was to record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from hm_agent.core import Decision, Recorder, Step

SceneT = TypeVar("SceneT")


class StepLog(Recorder, Generic[SceneT]):
    """Keeps every step of an episode. kind: the class of the world's scenes."""

    def __init__(self, kind: type[SceneT]) -> None:
        self.steps: list[Step] = []
        self._kind = kind

    def record(self, step: Step) -> None:
        self.steps.append(step)

    @property
    def scenes(self) -> Sequence[SceneT]:
        return [self.scene(step) for step in range(len(self.steps))]

    @property
    def decisions(self) -> Sequence[Decision[Any]]:
        """Those of all seats."""
        return [decision for step in self.steps for decision in step.decisions.values()]

    def scene(self, step: int) -> SceneT:
        found = self.steps[step].scene
        assert isinstance(found, self._kind)
        return found
