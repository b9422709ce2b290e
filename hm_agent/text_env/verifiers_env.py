"""Text environments for the package `verifiers` (v1): its tasks are seeds of scenarios, its roles are seats.

    vf-eval hm_agent_verifiers --env.taskset.scenario exploretom_a1 --env.taskset.seeds 20 -m MODEL

Needs the extra `verifiers`. Rewards are by seat, and all episodes of a task, hence of a group, have one seed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from typing import Any

import verifiers.v1 as vf
from aiohttp import ClientSession
from pydantic import Field
from verifiers.v1.dialects.chat import message_to_wire

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.config import ConfigError
from hm_agent.core import Seat
from hm_agent.models.settings import BUILTIN
from hm_agent.reporting.functional import FunctionalScore, shipped_score
from hm_agent.text_env import NEW, TextEnv, text_env

MOST_SEATS = 8
SEAT = vf.AgentConfig(runtime=vf.SubprocessConfig())
"""No program runs, so a place on this machine is enough."""


class SeedData(vf.TaskData):
    """One episode of a scenario. options: the world's own, by flag."""

    scenario: str
    seed: int
    options: dict[str, str]


class SeedTask(vf.Task[SeedData, vf.State, vf.TaskConfig]):
    """A seed of a scenario; the rewards come from the world."""


class TextTasksetConfig(vf.TasksetConfig):
    """scenario: a name or glob, e.g. of a whole world. seeds: how many of each scenario, from `first_seed` on."""

    scenario: str = "mg_rps_pure"
    seeds: int = 100
    first_seed: int = 0
    options: dict[str, str] = Field(default_factory=dict)  # the command line reads JSON into no other mapping


class TextTaskset(vf.Taskset[SeedTask, TextTasksetConfig]):
    """Every scenario in turn, seed by seed."""

    def load(self) -> Iterator[SeedTask]:
        config = self.config
        scenarios = find_scenarios([config.scenario])
        for seed in range(config.first_seed, config.first_seed + config.seeds):
            for scenario in scenarios:
                name = f"{scenario.short_name}#{seed}"
                data = SeedData(name=name, scenario=scenario.name, seed=seed, options=config.options)
                yield SeedTask(data, config.task)


class SeatsEnvConfig(vf.EnvConfig):
    """Who sits where: `seat_0` is the scenario's first seat, and so on; the others are those of `text_env`.

    play: the seats that models take, by name; all by default.
    """

    seat_0: vf.AgentConfig = SEAT
    seat_1: vf.AgentConfig = SEAT
    seat_2: vf.AgentConfig = SEAT
    seat_3: vf.AgentConfig = SEAT
    seat_4: vf.AgentConfig = SEAT
    seat_5: vf.AgentConfig = SEAT
    seat_6: vf.AgentConfig = SEAT
    seat_7: vf.AgentConfig = SEAT
    play: tuple[Seat, ...] = ()
    agent: str | None = None
    others: str | None = None
    others_model: str = BUILTIN
    history: str = NEW
    invalid_cost: float = 0.0
    max_steps: int | None = None


class SeatsEnv(vf.Env[SeatsEnvConfig]):
    """Episodes in which each seat is a conversation: a question is the user's turn, the reply the model's."""

    async def run(self, task: SeedTask, agents: vf.Agents) -> None:
        data, config = task.data, self.config
        env = text_env(
            data.scenario,
            seats=config.play,
            agent=config.agent,
            others=config.others,
            others_model=config.others_model,
            history=config.history,
            invalid_cost=config.invalid_cost,
            max_steps=config.max_steps,
            **data.options,
        )
        try:
            roles = roles_of(env)
            async with AsyncExitStack() as opened:
                talks = {
                    seat: await opened.enter_async_context(getattr(agents, role).interaction(task))
                    for seat, role in roles.items()
                }
                earned = await talked_through(env, data.seed, talks)
            for seat, talk in talks.items():
                talk.trace.record_reward("earned", earned[seat])
                acted = functional_of(env, seat)
                talk.trace.record_metrics(metrics_of(env, seat, acted))
                if acted.value is None:
                    talk.trace.info["functional"] = acted.why
        finally:
            await env.leave()
            env.close()


def roles_of(env: TextEnv) -> Mapping[Seat, str]:
    """The role of each seat that a model takes; raises ConfigError if there are too many."""
    places = {seat: place for place, seat in enumerate(env.table.scenario.seats) if seat in env.possible_seats}
    if max(places.values()) >= MOST_SEATS:
        raise ConfigError(f"{env.table.scenario.short_name} has seats beyond {MOST_SEATS}: name those to play")
    return {seat: f"seat_{place}" for seat, place in places.items()}


async def talked_through(env: TextEnv, seed: int, talks: Mapping[Seat, vf.Interaction]) -> Mapping[Seat, float]:
    """Plays the episode of a seed until it ends or a model can't go on; returns what each seat earned."""
    earned = dict.fromkeys(talks, 0.0)
    observations = await env.begin(seed)
    while observations:
        said = await asyncio.gather(*(talks[seat].turn(text) for seat, text in observations.items()))
        if any(segment.terminated for segment in said):
            break
        replies = {seat: segment.last_reply for seat, segment in zip(observations, said, strict=True)}
        observations, rewards, _, _ = await env.advance(replies)
        for seat, reward in rewards.items():
            earned[seat] += reward
    return earned


def functional_of(env: TextEnv, seat: Seat) -> FunctionalScore:
    """How well the acts of an episode that ended use what can be understood of others."""
    table, metrics = env.table, env.latest.infos[seat].get("metrics")
    if metrics is None:
        return FunctionalScore(None, "the episode did not end")
    return shipped_score(table.scenario, metrics.get, {**table.options, "max_steps": table.max_steps})


def metrics_of(env: TextEnv, seat: Seat, acted: FunctionalScore) -> Mapping[str, float]:
    """What the traces of a seat say beside its reward; metrics of the world only of episodes that ended.

    invalid: how many replies were no valid answer. unfinished: 1 if a model could not go on. literal: the world's share
    of right statements about minds. functional: what `acted` says. Either is left out where there is none.
    """
    info, literal = env.latest.infos[seat], suites()[env.table.scenario.world].literal
    metrics = dict(info.get("metrics", {}))
    named = {"literal": metrics.get(literal.name) if literal else None, "functional": acted.value}
    known = {name: value for name, value in named.items() if value is not None}
    return {**metrics, **known, "invalid": info["invalid"], "unfinished": float(not env.latest.done)}


class SeatHarnessConfig(vf.HarnessConfig):
    """Nothing to choose."""


class SeatHarness(vf.Harness[SeatHarnessConfig]):
    """Sends the conversation so far to the model, in this process: no program is started for a reply."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: Mapping[str, str],
        data: vf.TaskData,
        **further: Any,
    ) -> vf.ProgramResult:
        system, prompt = self.resolve_prompt(data)
        told: list[Any] = [{"role": "system", "content": system}] if system else []
        messages = told + [message_to_wire(message) for message in prompt or ()]
        body, headers = {"model": ctx.model, "messages": messages}, {"Authorization": f"Bearer {secret}"}
        async with (
            ClientSession() as client,
            client.post(f"{endpoint}/chat/completions", json=body, headers=headers) as response,
        ):
            response.raise_for_status()
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
