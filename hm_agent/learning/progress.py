"""What a training run of any world has reached, and how its folder holds that, so that it can go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from hm_agent.config import ConfigError
from hm_agent.learning.archives import Arrays, leaves_of, named
from hm_agent.learning.curves import LearningCurve, draw_curves
from hm_agent.storage.files import write_whole

StateT = TypeVar("StateT")


class Resumable(Protocol[StateT]):
    """A learner, whose state a checkpoint holds."""

    def arrays(self, state: StateT) -> dict[str, npt.NDArray[Any]]:
        """The arrays that `resumed` needs besides the weights."""
        ...

    def resumed(self, weights: Arrays, arrays: Arrays) -> StateT:
        """Restores, bit for bit, the state from which these weights and arrays were taken."""
        ...


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

    def arrays(self, run: DescribedRun, learner: Resumable[StateT]) -> dict[str, npt.NDArray[Any]]:
        """What a checkpoint of the run holds, beside its network, so that it can be resumed."""
        facts: Mapping[str, Any] = {"updates": self.updates, "best": self.best, "training": run.described()}
        told = {name: np.array(value) for name, value in facts.items()}
        return {**learner.arrays(self.state), **named("curve", self.curve.arrays()), **told}

    def write_curve(self, run: DescribedRun, folder: Path) -> None:
        """Writes curve.csv and, once there is something to draw, curve.png."""
        write_whole(folder / "curve.csv", self.curve.as_csv())
        if self.updates:
            draw_curves(folder / "curve.png", {f"seed {run.seed}": [self.curve]}, run.title)


def resumed(
    run: DescribedRun,
    folder: Path,
    learner: Resumable[StateT],
    load: Callable[[Path], tuple[Any, Arrays]],
    curve: type[LearningCurve] = LearningCurve,
) -> RunProgress[StateT] | None:
    """The progress of an earlier run in this folder; None without one, ConfigError if its settings differ.

    Without one, an evaluation.json that was left is deleted. load: reads a checkpoint: what has the `weights` in it,
    and its `arrays`.
    """
    path = folder / "last.npz"
    if not path.exists():
        (folder / "evaluation.json").unlink(missing_ok=True)  # left by a run whose checkpoint is gone
        return None
    trained, extra = load(path)
    check_same_run(run, path, extra)
    state, reached = learner.resumed(trained.weights, extra), curve.of(leaves_of("curve", extra))
    return RunProgress(state, int(extra["updates"]), reached, float(extra["best"]))


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
