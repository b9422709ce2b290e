"""Makes tasks without a language model, in several processes: draws until a proposal is proved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from random import Random

from hm_agent.process.workers import calls_in_workers
from hm_agent.worlds.enacttom.author.drafts import TaskDraft
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


@dataclass(frozen=True)
class MadeTask:
    """What became of one planned task. file: the task with its certificate; None if no proposal was kept.

    first, why: the first proposal that could be read, if it was refused, and the reason.
    """

    slot: PlannedTask
    file: TaskFile | None
    tally: Tally
    first: TaskFile | None = None
    why: str = ""


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
