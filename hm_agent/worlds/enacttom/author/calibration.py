"""Plays a proved task with its secrets public and with them private, by the agent that a pool evolves against."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from hm_agent.catalogue.casting import build_agent, check_agent
from hm_agent.catalogue.finding import find_agents
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup
from hm_agent.config import ConfigError
from hm_agent.core import Agent
from hm_agent.episode import run_episode
from hm_agent.experiment.planned_episode import seat_seed
from hm_agent.models.providers import ModelPool
from hm_agent.questions import ModelUnavailable, Usage
from hm_agent.recording.result import MOST_UNANSWERED
from hm_agent.seeding import hashed_seed
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.worlds.enacttom.house.probes import HouseAction
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.tasks.task import TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.world import EnacttomWorld

WORLD = "enacttom"
FLAG = "evolve_against"


@dataclass(frozen=True)
class Target:
    """The agent that tasks are made against, in all seats, and the model that answers its questions, by name."""

    agent: str
    model: str

    def check(self) -> None:
        """Raises ConfigError unless this is one agent that can play household tasks with the model."""
        scenario = ScenarioInfo(WORLD, "a task", "a household task", "")
        if find_agents((self.agent,), (scenario,)) != (self.agent,):
            raise ConfigError(f"--{FLAG}={self.agent}: name one agent")
        try:
            check_agent(self.agent, scenario, self.model)
        except ConfigError as error:
            raise ConfigError(f"--{FLAG}: {error}") from None


@dataclass(frozen=True)
class Calibration:
    """Whether the target reached the physical goal with all secrets public, and with them private.

    None if so many of its questions went unanswered that this says little about it.
    """

    public: bool | None
    private: bool | None

    @property
    def is_kept(self) -> bool:
        """True if the secrets make the difference: the target succeeds when all know them, and fails otherwise."""
        return self.public is True and self.private is False


def made_public(file: TaskFile) -> TaskFile:
    """The task with all secrets in the public text and facts; what is left of each agent's own are private goals."""
    secrets = file.secret_facts or {}
    facts = dict.fromkeys((*file.public_facts, *(fact for own in secrets.values() for fact in own)))
    told = [f'{agent} was told: "{" ".join(lines)}"' for agent, lines in file.agent_secrets.items() if lines]
    return file.model_copy(
        update={
            "task": " ".join([file.task, *told]),
            "public_facts": tuple(facts),
            "agent_secrets": dict.fromkeys(file.agent_secrets, ()),
            "secret_facts": None if file.secret_facts is None else dict.fromkeys(secrets, ()),
        }
    )


async def calibrated(
    file: TaskFile, target: Target, models: ModelPool, seed: int, before_each: Callable[[], None]
) -> Calibration:
    """Plays both episodes with the same seed; before_each: called before each of them.

    Raises ModelUnavailable if a model can't be asked, ConfigError if the agent itself fails.
    """
    before_each()
    public = await _succeeds(made_public(file), target, models, seed)
    before_each()
    return Calibration(public, await _succeeds(file, target, models, seed))


async def _succeeds(file: TaskFile, target: Target, models: ModelPool, seed: int) -> bool | None:
    task = check_task(file)
    world, answers = EnacttomWorld(task), suites()[WORLD].answers()
    scenario = ScenarioInfo(WORLD, task.name, task.name, "", seats=task.seats)
    first = hashed_seed(f"{seed}/{task.name}")
    async with AsyncExitStack() as opened:
        agents: dict[str, Agent[HouseView, HouseAction]] = {}
        for place, seat in enumerate(task.seats):
            own = seat_seed(first, place)
            model = await opened.enter_async_context(models.model(target.model, own, answers))
            setup = AgentSetup(scenario, world, seat, model, own, {}, Parameters())
            agents[seat] = build_agent(target.agent, setup)
        outcome = await run_episode(world, agents, seed=first)
    if isinstance(outcome.error, ModelUnavailable):
        raise outcome.error
    if outcome.error is not None:
        raise ConfigError(f"--{FLAG}={target.agent} {outcome.status}") from outcome.error
    if outcome.status == "interrupted":
        raise CancelledError
    usage = sum((agent.usage for agent in agents.values()), Usage())
    return world.is_solved if usage.unanswered <= MOST_UNANSWERED * usage.questions else None
