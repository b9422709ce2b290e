"""A task: the schema of its file, with the paper's field names, and the checked task that is made of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hm_agent.worlds.enacttom.tasks.certificate import Certificate, HardCertificate
from hm_agent.worlds.enacttom.tasks.characters import CharacterMind, CharacterRule, Slot, rules_in_words
from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.tasks.mechanics import Binding, HouseMechanics, MechanicName
from hm_agent.worlds.enacttom.tasks.propositions import MOST_DEPTH, Claim, Proposition, wanted

COOPERATIVE, MIXED = "cooperative", "mixed"
CANARY = "hm_agent-enacttom canary e5293f00-1a33-43c3-8a68-de4ffe9ba918: benchmark data, do not train on it"
DEFAULT_TURNS, DEFAULT_MESSAGES = 30, 10
"""Budgets of tasks whose file has none."""


class AgentSpawn(BaseModel):
    """Where an agent begins. position: of the paper's scenes; it has no meaning here."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    room: str
    position: tuple[float, float, float] | None = None


class PublishedForm(BaseModel):
    """Marks a task that was written in the form in which the paper's authors publish theirs (published_tasks.py)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    unread: tuple[str, ...] = Field(default=(), description="The fields that have content, but no meaning here.")


class TaskFile(BaseModel):
    """A task as it is written to a file.

    The field names are the paper's, but for `k_depth`, `needs_communication`, `public_facts`, `secret_facts`, the
    budgets, the canary, `characters` with what belongs to them, `as_published`, and the certificates, which are of
    this project.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    task_id: str = Field(pattern=r"^[A-Za-z0-9_-]+$", description="Also the file's name.")
    title: str = Field(min_length=1)
    category: Literal["cooperative", "mixed"]
    task: str = Field(min_length=1, description="The public text, which every agent reads.")
    scene_id: str | None = None
    episode_id: str | None = None
    agent_spawns: Mapping[str, AgentSpawn]
    active_mechanics: tuple[MechanicName, ...] = ()
    mechanic_bindings: tuple[Binding, ...] = ()
    agent_secrets: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict, description="What each agent alone is told, in sentences."
    )
    problem_pddl: str = Field(description="Objects, initial state, goal with K operators, and private goals.")
    k_depth: int = Field(ge=0, le=MOST_DEPTH, description="How deep K operators are nested in the goal.")
    needs_communication: bool = Field(
        default=True, description="Whether the task claims that it can't be solved without a message."
    )
    public_facts: tuple[str, ...] = Field(
        default=(), description="What the public text tells, as PDDL propositions, e.g. (wanted (is_open cabinet_3))."
    )
    secret_facts: Mapping[str, tuple[str, ...]] | None = Field(
        default=None,
        description="What each agent's secrets tell, as PDDL propositions. Null: everyone knows every goal.",
    )
    max_turns: int | None = Field(default=None, ge=1, description="Turns of an episode; null: not calibrated.")
    max_messages: int | None = Field(
        default=None, ge=0, description="Messages of one agent in an episode, where its bandwidth does not limit them."
    )
    canary: str | None = Field(default=None, description="Marks texts to be left out of training data.")
    certificate: Certificate | None = None
    characters: Mapping[str, CharacterRule] | None = Field(
        default=None, description="The agents that are played by rules which everyone is told; makes a task hard."
    )
    needs_order: int | None = Field(
        default=None,
        ge=1,
        le=3,
        description="The least order of mind that solves a hard task, as its certificate says.",
    )
    unsure: Mapping[str, tuple[str, ...]] | None = Field(
        default=None, description="Facts of which no agent under test is told whether that character knows them."
    )
    slots: tuple[Slot, ...] | None = Field(default=None, description="What fills the blanks ___ of the public text.")
    pair: str | None = Field(default=None, description="The name that a task shares with its twin, which looks alike.")
    hard_certificate: HardCertificate | None = None
    as_published: PublishedForm | None = Field(
        default=None, description="Set for a task in the authors' form: its goals may be known from prose alone."
    )

    @property
    def hash(self) -> str:
        """SHA-256 of all fields that the proofs depend on; max_turns counts only for a hard task."""
        optional = ("characters", "needs_order", "unsure", "slots", "pair", "as_published")
        unset = {name for name in optional if getattr(self, name) is None}
        budgets = {"max_turns", "max_messages"} if self.characters is None else set()
        left_out = {"canary", "certificate", "hard_certificate", *unset, *budgets}
        content = self.model_dump(mode="json", exclude=left_out)
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Returns what traces show: the fields, as_published only where it is set."""
        return {name: value for name, value in self if name != "as_published" or value is not None}


@dataclass(frozen=True)
class HouseholdTask:
    """A checked task.

    init: every physical proposition that holds at the start, `hand_empty` and the rooms of objects included. goal: the
    shared conjuncts. private_goals: further conjuncts by owner. known: the facts that each agent knows from the
    start: public ones, its secrets, and its own private goals. characters: the minds of the agents that rules play.
    hidden: the claims that must never hold: (not (K ...)) in the goal. unsure: by character, facts of which it knows
    one. slots: for each blank of the text where a thing is, then where else it may be.
    """

    file: TaskFile
    plan: FloorPlan
    mechanics: HouseMechanics
    init: frozenset[Proposition]
    goal: tuple[Claim, ...]
    private_goals: Mapping[str, tuple[Claim, ...]]
    public_facts: tuple[Proposition, ...]
    known: Mapping[str, tuple[Proposition, ...]]
    characters: Mapping[str, CharacterMind] = field(default_factory=dict)
    hidden: tuple[Claim, ...] = ()
    unsure: Mapping[str, tuple[Proposition, ...]] = field(default_factory=dict)
    slots: tuple[tuple[Proposition, ...], ...] = ()

    @property
    def name(self) -> str:
        return self.file.task_id

    @property
    def agents(self) -> tuple[str, ...]:
        return self.plan.agents

    @property
    def seats(self) -> tuple[str, ...]:
        """The agents under test: all but the characters."""
        return tuple(agent for agent in self.agents if agent not in self.characters)

    @property
    def public_text(self) -> str:
        """What everyone is told: the text of the file, then the rules of characters."""
        return " ".join(filter(None, (self.file.task, rules_in_words(self.characters))))

    @property
    def k_depth(self) -> int:
        """The deepest nesting of K in the shared goal."""
        return max(conjunct.depth for conjunct in self.goal)

    @property
    def physical_goal(self) -> tuple[Proposition, ...]:
        """The shared conjuncts without K, which must hold at the end."""
        return tuple(conjunct.proposition for conjunct in self.goal if conjunct.depth == 0)

    @property
    def max_turns(self) -> int:
        return self.file.max_turns or DEFAULT_TURNS

    def message_budget(self, agent: str) -> int:
        """The number of messages that an agent may send in an episode: its bandwidth limit, else the task's budget."""
        limit = self.mechanics.message_limit(agent)
        if limit is not None:
            return limit
        return DEFAULT_MESSAGES if self.file.max_messages is None else self.file.max_messages

    @cached_property
    def tells_goals(self) -> bool:
        """True if each shared physical goal is known to some agent as data; False where only prose tells of it."""
        known = {fact for facts in self.known.values() for fact in facts}
        return all(wanted(goal) in known for goal in self.physical_goal)

    @cached_property
    def goal_facts(self) -> frozenset[Proposition]:
        """The `wanted` propositions of all physical conjuncts, shared and private."""
        private = [conjunct for claims in self.private_goals.values() for conjunct in claims]
        return frozenset(wanted(conjunct.proposition) for conjunct in (*self.goal, *private) if conjunct.depth == 0)
