"""Learning curves: reward and loss by how much was played, as numbers and as a picture."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hm_agent.storage.files import write_whole

SMOOTHED = 20
"""The number of updates over which the picture's line is averaged."""


@dataclass
class LearningCurve:
    """The course of a training run.

    played, rewards, losses: one per update. judged, validation: how much was played when a checkpoint was judged, and
    its reward. UNIT: of what is played. REWARD: the reward's name in files. AXIS: its name in words.
    """

    UNIT: ClassVar[str] = "episodes"
    REWARD: ClassVar[str] = "reward_per_agent"
    AXIS: ClassVar[str] = "reward per agent and episode"

    played: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    judged: list[int] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Returns the curve whose `arrays` these are."""
        return cls(**{"played" if name == cls.UNIT else name: value.tolist() for name, value in arrays.items()})

    @classmethod
    def from_csv(cls, text: str) -> Self:
        """Parses what `as_csv` wrote."""
        curve = cls()
        for line in text.splitlines()[1:]:
            played, reward, loss, validation = line.split(",")
            curve.add(int(played), float(reward), float(loss))
            if validation:
                curve.judge(int(played), float(validation))
        return curve

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {self.UNIT if name == "played" else name: np.array(value) for name, value in vars(self).items()}

    def add(self, played: int, reward: float, loss: float) -> None:
        self.played.append(played)
        self.rewards.append(reward)
        self.losses.append(loss)

    def judge(self, played: int, reward: float) -> None:
        self.judged.append(played)
        self.validation.append(reward)

    def as_csv(self) -> str:
        validation = dict(zip(self.judged, self.validation, strict=True))
        lines = [f"{self.UNIT},{self.REWARD},loss,validation_{self.REWARD}"]
        for played, reward, loss in zip(self.played, self.rewards, self.losses, strict=True):
            judged = f"{validation[played]:.4f}" if played in validation else ""
            lines.append(f"{played},{reward:.4f},{loss:.6f},{judged}")
        return "\n".join(lines) + "\n"


def draw_curves(path: Path, curves: Mapping[str, Sequence[LearningCurve]], title: str) -> None:
    """Writes a picture of the rewards, one line per name.

    The line of several curves, one for each seed, is their mean, within a band from the least to the most. Dots beside
    the line of a single curve are its checkpoints' rewards over the validation games.
    """
    from matplotlib.figure import Figure  # takes long to import

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, seeds in curves.items():
        played = np.array(min((curve.played for curve in seeds), key=lambda played: played[-1]))
        rewards = np.array([np.interp(played, curve.played, _smoothed(curve.rewards)) for curve in seeds])
        label = f"{name} ({len(seeds)} seeds)" if len(seeds) > 1 else name
        (line,) = axes.plot(played, rewards.mean(0), label=label)
        if len(seeds) > 1:
            axes.fill_between(played, rewards.min(0), rewards.max(0), color=line.get_color(), alpha=0.2, linewidth=0)
        else:
            axes.plot(seeds[0].judged, seeds[0].validation, ".", color=line.get_color())
    shown = next(iter(curves.values()))[0]
    axes.set(title=title, xlabel=shown.UNIT, ylabel=shown.AXIS)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    # Within the axes the legend may hide the end of a line.
    figure.legend(loc="outside lower center", ncols=min(len(curves), 3), fontsize="small", frameon=False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110, metadata={"Software": None})
    write_whole(path, picture.getvalue())


def _smoothed(rewards: Sequence[float]) -> npt.NDArray[np.float64]:
    """Replaces each reward by the mean of the latest `SMOOTHED` ones."""
    sums = np.convolve(rewards, np.ones(SMOOTHED))[: len(rewards)]
    return sums / np.minimum(np.arange(1, len(rewards) + 1), SMOOTHED)
