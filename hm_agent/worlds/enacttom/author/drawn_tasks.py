"""Makes tasks without a language model, in several processes: draws until a proposal is proved.

A recipe is what a task is drawn from, so that it can be drawn again with one thing changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from hm_agent.process.workers import calls_in_workers
from hm_agent.worlds.enacttom.author.drafts import DEEPEST, TaskDraft, TaskRequest, least_agents
from hm_agent.worlds.enacttom.author.proving import NOT_READ, quick_proof, refusal
from hm_agent.worlds.enacttom.author.task_drawing import NothingDrawn, draw_task
from hm_agent.worlds.enacttom.author.task_plan import PlannedTask, Tally
from hm_agent.worlds.enacttom.author.task_words import task_file_of
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.task import TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.verification.verifier import certified, verdict

MOST_PROPOSALS = 500
"""The most proposals for one task; if none of them is kept, the task is not made."""
ROOMS, SECRETS, DEEPER, BUDGET = "other rooms", "other secrets", "deeper K", "smaller budget"
TURNS_LEFT = (1.0, 0.75, 0.5)
"""By scarcity, the share of a task's usual turns that its episodes have; never fewer than its plan takes."""
_SEEDS = 1 << 32


@dataclass(frozen=True)
class TaskRecipe:
    """What determines a drawn task: its kind, a seed for the house, one for goals and secrets, how scarce budgets are.

    scarcity: 0 for the budgets of other drawn tasks; see `draw_task` and TURNS_LEFT.
    """

    request: TaskRequest
    house: int
    secrets: int
    scarcity: int = 0

    @classmethod
    def fresh(cls, rng: Random, request: TaskRequest) -> TaskRecipe:
        return cls(request, rng.randrange(_SEEDS), rng.randrange(_SEEDS))

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> TaskRecipe:
        """The recipe that `asdict` made this of."""
        return cls(**{**content, "request": TaskRequest(**content["request"])})

    def varied(self, rng: Random) -> tuple[str, TaskRecipe]:
        """Draws one change that is possible; returns its name, and the recipe with it.

        All but ROOMS draw goals and secrets anew, so that no variation is the same task as another one.
        """
        request, redrawn = self.request, replace(self, secrets=rng.randrange(_SEEDS))
        changes = {ROOMS: replace(self, house=rng.randrange(_SEEDS)), SECRETS: redrawn}
        if request.k_depth < DEEPEST:
            depth = request.k_depth + 1
            agents = max(request.agents, least_agents(depth))
            changes[DEEPER] = replace(redrawn, request=replace(request, k_depth=depth, agents=agents))
        if self.scarcity + 1 < len(TURNS_LEFT):
            changes[BUDGET] = replace(redrawn, scarcity=self.scarcity + 1)
        name = rng.choice(list(changes))
        return name, changes[name]

    def decided(self, number: str) -> tuple[TaskFile, str | None]:
        """Draws the task and decides on it as `decided` does. Raises NothingDrawn."""
        draft = draw_task(Random(self.house), self.request, Random(self.secrets), self.scarcity)
        file, why = decided(draft, f"{self.request.cell}_{number}")
        return (self._with_turns(file), None) if why is None else (file, why)

    def _with_turns(self, file: TaskFile) -> TaskFile:
        assert file.certificate is not None
        assert file.max_turns is not None
        left = round(TURNS_LEFT[self.scarcity] * file.max_turns)
        return file.model_copy(update={"max_turns": max(left, len(file.certificate.plan))})


@dataclass(frozen=True)
class MadeTask:
    """What became of one planned task. file: the task with its certificate; None if no proposal was kept.

    first, why: the first proposal that could be read, if it was refused, and the reason; not of tasks drawn without a
    recipe. recipe, changed: what it was drawn from, and what differs from its parent's; empty without a parent.
    """

    slot: PlannedTask
    file: TaskFile | None
    tally: Tally
    first: TaskFile | None = None
    why: str = ""
    recipe: TaskRecipe | None = None
    changed: str = ""


def drawn_task(seed: int, slot: PlannedTask) -> MadeTask:
    """Draws proposals from a seed and the task's name, and returns the first one that is proved.

    Households in which no conjunct of the wanted kind can be drawn are drawn again and count as no proposal.
    """
    refused = Counter[str]()
    rng = Random(f"{seed}/{slot.name}/{slot.request.agents}")
    while refused.total() < MOST_PROPOSALS:
        try:
            draft = draw_task(rng, slot.request)
        except NothingDrawn:
            continue
        file, why = decided(draft, slot.name)
        if why is None:
            return MadeTask(slot, file, Tally(1, refused))
        refused[why] += 1
    return MadeTask(slot, None, Tally(0, refused))


def decided(draft: TaskDraft, name: str) -> tuple[TaskFile, str | None]:
    """The file of a draft with its certificate and None, or without one and why it is refused."""
    file = task_file_of(draft, name)
    try:
        proof = quick_proof(check_task(file))
    except TaskError:
        return file, NOT_READ
    why = refusal(proof, draft.house.request)
    return (certified(file, verdict(proof)), None) if why is None else (file, why)


def drawn_offspring(rng: Random, number: str, slot: PlannedTask, parent: TaskRecipe | None) -> MadeTask:
    """Draws recipes until a task is proved: variations of the parent's or, without one, fresh ones of the request.

    number: the end of the task's name, whose kind a variation may change.
    """
    refused, first, why_first = Counter[str](), None, ""
    for changed, recipe in _recipes(rng, slot.request, parent):
        if refused.total() >= MOST_PROPOSALS:
            break
        try:
            file, why = recipe.decided(number)
        except NothingDrawn:
            continue
        if why is None:
            return MadeTask(slot, file, Tally(1, refused), first, why_first, recipe, changed)
        if first is None and why != NOT_READ:
            first, why_first = file, why
        refused[why] += 1
    return MadeTask(slot, None, Tally(0, refused), first, why_first)


def _recipes(rng: Random, request: TaskRequest, parent: TaskRecipe | None) -> Iterator[tuple[str, TaskRecipe]]:
    while True:
        yield parent.varied(rng) if parent else ("", TaskRecipe.fresh(rng, request))


def drawn_tasks(seed: int, slots: Sequence[PlannedTask], workers: int) -> Generator[MadeTask]:
    """Yields tasks as they are finished; what each one is depends on the seed and its slot alone.

    Closing the generator ends the worker processes.
    """
    if workers == 1 or len(slots) < 2 * workers:
        yield from (drawn_task(seed, slot) for slot in slots)
        return
    with calls_in_workers(workers, drawn_task, ((seed, slot) for slot in slots)) as made_tasks:
        for made_task in as_completed(made_tasks):
            yield made_task.result()
