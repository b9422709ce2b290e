"""The record in a task file of what the verifier proved about the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["solved", "unsolvable", "unknown"]
"""unknown: the solver stopped without a proof, e.g. because its time or its nodes were used up."""


class Certificate(BaseModel):
    """The proofs of a task. Where a status concerns a variant of the task, the comment says what is wanted of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task_hash: str = Field(description="SHA-256 of the task file without certificate and budgets, as canonical JSON.")
    strips_hash: str = Field(description="SHA-256 of the compiled STRIPS domain and problem.")
    solver: str = Field(description="What solved it, with its version.")
    status: Status = Field(description="Of the task itself: solved, for a task that may be shipped.")
    checked_by: Mapping[str, Status] = Field(default_factory=dict, description="What other planners say of the task.")
    k_depth: int = Field(description="The deepest nesting of K in the goal.")
    relay_depth: int | None = Field(
        default=None,
        ge=0,
        description="How many messages, one after another, it takes at least until the physical goal can be brought "
        "about. Null if a part of it is out of reach, and in certificates of earlier versions.",
    )
    plan: tuple[Mapping[str, str], ...] = Field(description="The plan: each turn's commands by agent; others wait.")
    messages: int = Field(description="How many messages the plan sends.")
    without_agent: Mapping[str, Status] = Field(description="The task if that agent only waits: unsolvable.")
    without_communication: Status = Field(description="The task if nobody sends a message.")
    deepest_by_sight: Status | None = Field(
        default=None, description="The deepest K conjuncts if nobody sends a message: unsolvable. Null without K."
    )
    baseline: Status = Field(description="The task with all secrets public: solved.")
    baseline_turns: int | None = Field(description="Turns of the baseline's plan.")
    baseline_messages: int | None = Field(description="Messages of the baseline's plan.")
    private_goals: Mapping[str, Status] = Field(
        default_factory=dict, description="The shared goal with one agent's private goals: solved."
    )
    all_private_goals: Status | None = Field(
        default=None, description="The shared goal with all private goals: unsolvable where these conflict."
    )
    faults: tuple[str, ...] | None = Field(
        default=None, description="What the proof found wrong, so that the task counts as unproved; null: nothing."
    )


class HardCertificate(BaseModel):
    """What the exhaustive search with characters proved of a hard task."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task_hash: str = Field(description="SHA-256 of the task file without certificates, as canonical JSON.")
    plan: tuple[str, ...] = Field(description="The commands of the agent under test in the cheapest plan.")
    solvable: Status = Field(description="With all secrets public to the agent under test: solved.")
    broadcasters: Status = Field(description="If each message goes to all that may be written to: unsolvable.")
    silent: Status = Field(description="Without a message: unsolvable.")
    orders: Mapping[str, bool] = Field(description="Whether each agent of the ladder solves it, by its name.")
    shortcuts: Mapping[str, float] = Field(description="The share of episodes that each shortcut solves: 0.")
    twin_fails: Status | None = Field(
        default=None, description="The twin after this plan's first message: unsolvable. Null without a twin."
    )
