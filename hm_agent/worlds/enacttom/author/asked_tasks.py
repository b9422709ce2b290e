"""Makes tasks with language models: one proposes, the verifier and two judges decide, and faults go back to the first.

Nothing of what a model says is run: its answer is read as data, checked as a task file, and proved.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from hm_agent.models.providers import ModelPool
from hm_agent.questions import Model, answer_or_none, in_one_line, together
from hm_agent.seeding import hashed_seed
from hm_agent.worlds.enacttom.author.author_questions import (
    MOST_THINGS,
    CouncilScores,
    JudgeTask,
    ProposedTask,
    ProposeTask,
)
from hm_agent.worlds.enacttom.author.drawn_tasks import MadeTask, drawn_task
from hm_agent.worlds.enacttom.author.proving import NOT_READ, explanation, quick_proof, refusal
from hm_agent.worlds.enacttom.author.task_plan import PlannedTask, Tally
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.verification.verifier import TaskProof, certified, verdict

NO_ANSWER, TOO_LARGE, COUNCIL = "no valid answer", "it is too large", "the council refuses it"
COPIED = "it is a task that was shown"
MOST_FAULTS, MOST_CHARACTERS = 10, 300
"""The most faults that a model is told at once, and the most characters of one."""


@dataclass(frozen=True)
class Authors:
    """The models by name. judges: two, which may be the same. rounds: how often the author may propose one task."""

    author: str
    judges: tuple[str, str]
    rounds: int


@dataclass(frozen=True)
class Parents:
    """Earlier tasks of a pool that a model is shown: those that a team failed, and those that it solved."""

    failed: tuple[TaskFile, ...] = ()
    solved: tuple[TaskFile, ...] = ()


NO_PARENTS = Parents()


class TaskAuthor:
    """Asks models for tasks. before_each: called before each question; an exception that it raises ends the task."""

    def __init__(self, author: Model, judges: Sequence[Model], rounds: int, before_each: Callable[[], None]) -> None:
        self._author, self._judges, self._rounds, self._before_each = author, judges, rounds, before_each

    async def make(self, slot: PlannedTask, example: TaskFile, parents: Parents = NO_PARENTS) -> MadeTask:
        """Asks for proposals until one is proved and passed by both judges. example: a task that shows the form."""
        refused, request = Counter[str](), slot.request
        first: TaskFile | None = None
        why = ""
        shown = {_content(check_task(file)) for file in (*parents.failed, *parents.solved)}
        agents = tuple(example.agent_spawns)
        failed, solved = (
            tuple(_as_json(ProposedTask.of(file)) for file in files) for files in (parents.failed, parents.solved)
        )
        question = ProposeTask(
            request.category, request.k_depth, agents, _as_json(ProposedTask.of(example)), failed=failed, solved=solved
        )
        for _ in range(self._rounds):
            self._before_each()
            answer = await answer_or_none(self._author, question)
            if answer is None:  # the model has been told several times what is wrong
                refused[NO_ANSWER] += 1
                break
            reason, faults, file = await self._decide(answer, slot, shown)
            if file is not None:
                return MadeTask(slot, file, Tally(1, refused), first, why)
            if first is None and reason not in (NOT_READ, TOO_LARGE, COPIED):
                first, why = _as_task(answer, slot).file, reason
            refused[reason] += 1
            first_faults = list(dict.fromkeys(faults))[:MOST_FAULTS]
            lines = tuple(in_one_line(fault)[:MOST_CHARACTERS] for fault in first_faults)
            question = replace(question, refused=_as_json(answer), faults=lines)
        return MadeTask(slot, None, Tally(0, refused), first, why)

    async def _decide(
        self, answer: ProposedTask, slot: PlannedTask, shown: Collection[TaskContent]
    ) -> tuple[str, list[str], TaskFile | None]:
        """Returns why a proposal is refused with all its faults, or its file with the certificate."""
        try:
            task = _as_task(answer, slot)
        except TaskError as error:
            return NOT_READ, [str(error)], None
        count = len(task.plan.rooms) + len(task.plan.furniture) + len(task.plan.objects)
        if count > MOST_THINGS:
            return TOO_LARGE, [f"it has {count} rooms, pieces of furniture and objects; at most {MOST_THINGS}"], None
        if _content(task) in shown:
            return COPIED, [COPIED], None
        proof = quick_proof(task)
        if reason := refusal(proof, slot.request):
            return reason, [reason, *explanation(proof, slot.request, reason), *verdict(proof).faults], None
        file = certified(task.file, verdict(proof))
        scores = await self._judge(proof, file)
        if all(score is not None and score.passes for score in scores):
            return "", [], file
        low = [fault for score in scores for fault in (score.faults if score else ["a judge gave no verdict"])]
        fixes = [fix for score in scores if score for fix in score.fixes if fix]
        return COUNCIL, [*low, *fixes], None

    async def _judge(self, proof: TaskProof, file: TaskFile) -> list[CouncilScores | None]:
        """Asks all judges for scores; None for a judge without a valid answer. file: the task with its budgets."""
        plan = json.dumps([{agent: str(command) for agent, command in turn.items()} for turn in proof.plan])
        task = _as_json(ProposedTask.of(file))
        self._before_each()
        question = JudgeTask(file.category, file.k_depth, task, plan, file.max_turns, file.max_messages)
        return await together(answer_or_none(judge, question) for judge in self._judges)


def _as_json(proposal: ProposedTask) -> str:
    """The proposal as JSON in one line, so that nothing in it can pass for a heading of a prompt."""
    return json.dumps(proposal.model_dump(mode="json"))


def _as_task(answer: ProposedTask, slot: PlannedTask) -> HouseholdTask:
    """The task that a proposal describes; raises TaskError if it describes none."""
    try:
        file = answer.file(slot.name, slot.request)
    except ValueError as error:
        raise TaskError(str(error)) from None
    return check_task(file)


TaskContent = tuple[frozenset[Proposition], frozenset[Claim]]


def _content(task: HouseholdTask) -> TaskContent:
    return task.init, frozenset(task.goal)


async def asked_task(
    seed: int,
    slot: PlannedTask,
    authors: Authors,
    models: ModelPool,
    before_each: Callable[[], None],
    parents: Parents = NO_PARENTS,
) -> MadeTask:
    """Has models make one task. The example of the form that they are shown is a drawn task of the same kind."""
    own_seed = hashed_seed(f"{seed}/{slot.name}")
    example = drawn_task(seed, slot).file
    assert example is not None, "a task of this kind can be drawn"
    async with AsyncExitStack() as stack:
        author = await stack.enter_async_context(models.model(authors.author, own_seed, {}))
        judges = [
            await stack.enter_async_context(models.model(name, own_seed + number, {}))
            for number, name in enumerate(authors.judges)
        ]
        return await TaskAuthor(author, judges, authors.rounds, before_each).make(slot, example, parents)
