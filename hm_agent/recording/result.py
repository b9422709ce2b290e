"""What remains of an episode in one small file: `result.json`."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from hm_agent.questions import Usage
from hm_agent.recording.files import write_whole

FILE = "result.json"
"""Tells of an episode that was played to its end, or failed."""
UNFINISHED = "unfinished.json"
"""Tells of one that was cut short for no reason of its own, and is yet to be played."""
PACKAGES = ("hm_agent", "dm-meltingpot", "dmlab2d", "openai", "numpy")
FINISHED = ("completed", "max_steps")
"""The statuses of episodes that were played as far as they were to be."""
INTERRUPTED = "interrupted"
FAILED = "failed"
"""How the status of an episode begins that came to grief."""

Setting = str | int | float | None
Count = Annotated[int, Field(ge=0, le=10**15)]
Amount = Annotated[float, Field(ge=-1e15, le=1e15)]
"""No number is so large; in a file it is a fault, and means of such numbers would be none."""


@dataclass(frozen=True)
class Result:
    """One episode, as reports read it.

    status: `completed`; `max_steps`, `interrupted`, `model_unavailable`, `budget_spent` or `failed: ...` where it was
    cut. reward: the sum over all steps. normalised_reward: for as many steps as the paper reports it for, which are
    1,200 or, in kitchens, an episode's 1,000. background: the bots drawn for the other players. bots: whether they are
    trained or scripted. reason: what ended it before its time. model_calls: requests to a language model, of which
    cached_calls were answered from a record; tokens and cost (USD) are those of all of them, None if not known.
    agent_ms_per_step_median: over the steps in which nothing was asked of the model. settings: what else was asked for
    that may change the outcome, by flag; None where a flag was not set.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    scenario: str
    agent: str
    model: str
    episode: Count
    seed: Count
    status: str
    reason: str
    steps: Count
    reward: Amount
    normalised_reward: Amount | None
    interactions: Count
    background: tuple[str, ...]
    bots: str
    questions: Count
    unanswered_questions: Count
    model_calls: Count
    cached_calls: Count
    input_tokens: Count | None
    output_tokens: Count | None
    cost: Amount | None
    unknown_patches: Count
    pose_lost_steps: Count
    agent_ms_per_step_median: Amount | None
    wall_seconds: Amount
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def usage(self) -> Usage:
        return Usage(
            questions=self.questions,
            unanswered=self.unanswered_questions,
            calls=self.model_calls,
            cached=self.cached_calls,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost=self.cost,
        )

    @property
    def ending(self) -> str:
        """The status without what failed."""
        return self.status.split(":")[0]

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED

    @property
    def has_failed(self) -> bool:
        return self.status.startswith(FAILED)

    @property
    def stops_the_run(self) -> bool:
        """Whether no other episode could be played either."""
        return not self.is_finished and not self.has_failed


_READER = TypeAdapter(Result)
"""Made once: it takes a hundred times as long to make as to use, and a grid reads its results several times."""


def write_result(result: Result, folder: Path) -> None:
    """Writes the file whole or not at all."""
    name = UNFINISHED if result.stops_the_run else FILE
    write_whole(folder / name, json.dumps(asdict(result), indent=2) + "\n")


def read_result(path: Path) -> Result | None:
    """Reads a result; None where there is none, or none that this version knows."""
    try:
        return _READER.validate_json(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError, ValidationError):
        return None


def versions() -> dict[str, str]:
    """The versions of what an episode's outcome depends on."""
    return {"python": platform.python_version()} | {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
