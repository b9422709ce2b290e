"""What a training run of any world has reached, and how its folder holds that, so that it can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from hm_agent.config import ConfigError
from hm_agent.files import write_whole
from hm_agent.learning.archives import Arrays, leaves_of, named
from hm_agent.learning.curves import LearningCurve, draw_curves

StateT = TypeVar("StateT")


class DescribedRun(Protocol):
    """What to train. title: what its curves show."""

    @property
    def seed(self) -> int: ...

    @property
    def title(self) -> str: ...

    def described(self) -> str:
        """All that the trained weights depend on, as JSON."""
        ...

    @staticmethod
    def as_flags(described: Mapping[str, Any]) -> dict[str, Any]:
        """A description's settings as flags of `hm-agent train`; a field without a flag keeps its own name."""
        ...


@dataclass
class RunProgress(Generic[StateT]):
    """A run between two updates. state: the learner's. best: the largest reward of a checkpoint.

    rate: steps of the environment per second lately, where that is measured.
    """

    state: StateT
    updates: int = 0
    curve: LearningCurve = field(default_factory=LearningCurve)
    best: float = -np.inf
    rate: float = 0.0

    @classmethod
    def resumed(cls, state: StateT, extra: Arrays, curve: type[LearningCurve] = LearningCurve) -> RunProgress[StateT]:
        """The progress whose `arrays` a checkpoint holds."""
        return cls(state, int(extra["updates"]), curve.of(leaves_of("curve", extra)), float(extra["best"]))

    def arrays(self, run: DescribedRun) -> dict[str, npt.NDArray[Any]]:
        """What a checkpoint of the run holds, beside its network and the learner's state."""
        facts: Mapping[str, Any] = {"updates": self.updates, "best": self.best, "training": run.described()}
        return {**named("curve", self.curve.arrays()), **{name: np.array(value) for name, value in facts.items()}}

    def write_curve(self, run: DescribedRun, folder: Path) -> None:
        """Writes curve.csv and, once there is something to draw, curve.png."""
        write_whole(folder / "curve.csv", self.curve.as_csv())
        if self.updates:
            draw_curves(folder / "curve.png", {f"seed {run.seed}": [self.curve]}, run.title)


def difference(run: DescribedRun, described: str) -> str:
    """Says in which flag of `hm-agent train` a run that was described differs from this one; empty if in none."""
    was, now = (run.as_flags(json.loads(text)) for text in (described, run.described()))
    name = next((name for name in {**was, **now} if was.get(name) != now.get(name)), None)
    return f"--{name}={was.get(name)}, not --{name}={now.get(name)}" if name else ""


def check_same_run(run: DescribedRun, path: Path, extra: Arrays) -> None:
    """Raises ConfigError for a checkpoint of a run with other settings, or of a network alone, without its run."""
    if "training" not in extra:
        raise ConfigError(f"{path}: a network without its run, which can't go on: choose another --out, or remove it")
    if different := difference(run, str(extra["training"])):
        raise ConfigError(f"{path.parent} holds a run with {different}: choose another --out, or the same settings")
