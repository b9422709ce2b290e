"""The questions to language models that make tasks: propose one, and judge one (section 4, appendices F and G)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import mean
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from hm_agent.questions import Question, Remark, Words, check_all, in_one_line
from hm_agent.worlds.enacttom.author.drafts import TaskRequest
from hm_agent.worlds.enacttom.tasks.mechanics import AnyBinding
from hm_agent.worlds.enacttom.tasks.task import CANARY, MIXED, AgentSpawn, TaskFile

MOST_PDDL = 8000
"""The most characters of a problem in PDDL."""
MOST_THINGS = 60
"""The most rooms, furniture and objects of a proposal, together."""
LEAST_MEAN, LEAST_SCORE = 0.65, 0.5
"""What a judge's scores must reach on average, and what each score must reach."""
SHARED_CRITERIA = (
    "agent_necessity",
    "secret_quality",
    "public_private_grounding",
    "narrative_consistency",
    "goal_relevance",
    "mechanic_utilization",
    "formal_goal_quality",
)
INTERDEPENDENCE, TENSION = "task_interdependence", "subgoal_tension"

PublicText = Annotated[str, Field(min_length=1, max_length=1500), AfterValidator(in_one_line)]
Line = Annotated[str, Field(max_length=300)]


def criteria(category: str) -> tuple[str, ...]:
    return (*SHARED_CRITERIA, TENSION if category == MIXED else INTERDEPENDENCE)


class ProposedTask(BaseModel):
    """A task as a model proposes it. Its fields are those of a task file, except that a spawn is the name of a room."""

    title: Words
    task: PublicText
    agent_spawns: Mapping[str, Line]
    mechanic_bindings: Annotated[tuple[AnyBinding, ...], Field(max_length=20)]
    agent_secrets: Mapping[str, tuple[Words, ...]]
    problem_pddl: Annotated[str, Field(max_length=MOST_PDDL)]
    public_facts: tuple[Line, ...]
    secret_facts: Mapping[str, tuple[Line, ...]]

    def file(self, name: str, request: TaskRequest) -> TaskFile:
        """The proposal as a task file, which is not checked yet."""
        return TaskFile(
            task_id=name,
            title=self.title,
            category=request.category,  # type: ignore[arg-type]
            task=self.task,
            agent_spawns={agent: AgentSpawn(room=room) for agent, room in self.agent_spawns.items()},
            active_mechanics=tuple(dict.fromkeys(binding.mechanic_type for binding in self.mechanic_bindings)),
            mechanic_bindings=self.mechanic_bindings,
            agent_secrets=self.agent_secrets,
            problem_pddl=self.problem_pddl,
            k_depth=request.k_depth,
            needs_communication=request.k_depth > 0,
            public_facts=self.public_facts,
            secret_facts=self.secret_facts,
            canary=CANARY,
        )

    @classmethod
    def of(cls, file: TaskFile) -> ProposedTask:
        """The proposal that would give this task file."""
        content = file.model_dump(mode="json", include=set(cls.model_fields))
        rooms = {agent: spawn.room for agent, spawn in file.agent_spawns.items()}
        return cls.model_validate(content | {"agent_spawns": rooms})


@dataclass(frozen=True, slots=True)
class ProposeTask(Question[ProposedTask]):
    """Which household, goal and secrets would make a task of this kind?

    example: a proposal of this kind, as JSON. failed, solved: tasks that a team of agents failed and solved, as JSON.
    refused, faults: the latest proposal, as JSON, and what is wrong with it.
    """

    template = "enacttom/propose_task.j2"
    schema = ProposedTask
    category: str
    k_depth: int
    agents: tuple[str, ...]
    example: str
    refused: str = ""
    faults: tuple[str, ...] = ()
    most_things: int = MOST_THINGS
    failed: tuple[str, ...] = ()
    solved: tuple[str, ...] = ()

    @property
    def keys(self) -> Sequence[str]:
        return self.agents

    def check(self, answer: ProposedTask) -> None:
        def names_the_agents() -> None:
            for field in ("agent_spawns", "agent_secrets", "secret_facts"):
                if odd := set(getattr(answer, field)) ^ set(self.agents):
                    raise ValueError(f"{field}: it names {', '.join(self.agents)}, not {', '.join(sorted(odd))[:60]}")

        check_all(names_the_agents)


class CouncilScores(BaseModel):
    """A judge's scores by criterion, and the changes that it asks for."""

    scores: Mapping[str, float]
    fixes: Annotated[tuple[Remark, ...], Field(max_length=10)] = ()

    @property
    def passes(self) -> bool:
        return mean(self.scores.values()) >= LEAST_MEAN and min(self.scores.values()) >= LEAST_SCORE

    @property
    def faults(self) -> list[str]:
        """Why the scores don't pass: a line for each low score, and one for a low mean."""
        low = [f"{name} has only {score:.2f}" for name, score in self.scores.items() if score < LEAST_SCORE]
        average = mean(self.scores.values())
        if average < LEAST_MEAN:
            low.append(f"the scores are {average:.2f} on average; at least {LEAST_MEAN} is needed")
        return low


@dataclass(frozen=True, slots=True)
class JudgeTask(Question[CouncilScores]):
    """How good is a task that is proved? task, plan: as JSON, each in one line.

    turns: the most that an episode takes. messages: the most that each agent sends.
    """

    template = "enacttom/judge_task.j2"
    schema = CouncilScores
    category: str
    k_depth: int
    task: str
    plan: str
    turns: int | None
    messages: int | None

    @property
    def keys(self) -> Sequence[str]:
        return criteria(self.category)

    @property
    def count_range(self) -> tuple[int, int]:
        return 0, 1

    def check(self, answer: CouncilScores) -> None:
        def check_keys() -> None:
            if odd := set(self.keys) ^ set(answer.scores):
                raise ValueError(f"scores: the criteria are {', '.join(self.keys)}, not {', '.join(sorted(odd))[:100]}")

        def check_values() -> None:
            if not all(isfinite(score) and 0 <= score <= 1 for score in answer.scores.values()):
                raise ValueError("scores: each is between 0 and 1")

        check_all(check_keys, check_values)
