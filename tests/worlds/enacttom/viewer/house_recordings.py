"""Recorded episodes of households, played by what a test has written down."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Agent, Decision, Observation, Recorder
from hm_agent.episode import run_episode
from hm_agent.recording.replay.recorder import PAGE, ReplayRecorder
from hm_agent.recording.trace import TraceRecorder
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand
from hm_agent.worlds.enacttom.house.probes import HouseAction, ProbeAnswers
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.viewer.viewer import HouseViewer
from hm_agent.worlds.enacttom.world import EnacttomWorld, HouseScene
from tests.recording.recordings import result
from tests.support.step_log import StepLog


class Scripted(Agent[HouseView, HouseAction]):
    """Carries out commands in their order, then waits; answers probes as it was told."""

    def __init__(self, commands: Sequence[HouseCommand], answers: ProbeAnswers | None = None) -> None:
        self._commands, self._answers = list(commands), answers or ProbeAnswers()

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseAction]:
        if observation.view.probes:
            return Decision(self._answers)
        return Decision(self._commands.pop(0) if self._commands else IDLE)


def info_of(task: HouseholdTask) -> ScenarioInfo:
    return ScenarioInfo("enacttom", f"enacttom_{task.name}", task.name, "EnactToM", task.file.title, task.agents)


def played(
    task: HouseholdTask, agents: Mapping[str, Agent[Any, Any]], *, recorders: Sequence[Recorder] = ()
) -> StepLog[HouseScene]:
    """An episode that ends with its probes."""
    log = StepLog(HouseScene)
    outcome = asyncio.run(run_episode(EnacttomWorld(task, asks=True), agents, seed=1, recorders=[*recorders, log]))
    if outcome.error:
        raise outcome.error
    return log


@dataclass(frozen=True)
class Replayed:
    """The page on an episode."""

    path: Path
    log: StepLog[HouseScene]


def replayed(folder: Path, task: HouseholdTask, agents: Mapping[str, Agent[Any, Any]]) -> Replayed:
    replay = ReplayRecorder(HouseViewer(task), folder, info_of(task))
    log = played(task, agents, recorders=[TraceRecorder(folder / "trace.jsonl"), replay])
    replay.write(result(info_of(task), ("scripted",) * len(task.agents), steps=len(log.steps)))
    return Replayed(folder / PAGE, log)
