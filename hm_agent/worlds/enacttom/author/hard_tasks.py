"""Makes hard tasks: draws pairs from scenes until both tasks of a pair are proved, and counts why others were refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from hm_agent.worlds.enacttom.author.hard_drawing import LONGEST, SCENES, draw_pair
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.task import TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.verification.hard_proof import OUT_OF_REACH, HardProof, prove

MOST_PROPOSALS = 300
"""The most proposals for one pair; if none of them is kept, the pair is not made."""
SHORTEST = 4
NOT_READ = "the loader refuses it"


@dataclass(frozen=True)
class HardSlot:
    """A pair to be made. name: of the pair; its tasks are `NAME_a` and `NAME_b`."""

    name: str
    scene: str
    depth: int


@dataclass(frozen=True)
class MadePair:
    """What became of one pair. files: both tasks with their certificates; empty if no proposal was kept."""

    slot: HardSlot
    files: tuple[TaskFile, ...]
    refused: Mapping[str, int]


def hard_slots(pairs: int, depths: Sequence[int] = (1, 2, 3)) -> list[HardSlot]:
    """The pairs to make: they cycle through the depths, and those of one depth through its scenes."""
    counts = Counter[int]()
    slots = []
    for number in range(pairs):
        depth = depths[number % len(depths)]
        scenes = list(SCENES[depth])
        scene = scenes[counts[depth] % len(scenes)]
        slots.append(HardSlot(f"hard_k{depth}_{scene}_{counts[depth] // len(scenes):02}", scene, depth))
        counts[depth] += 1
    return slots


def made_pair(seed: int, slot: HardSlot) -> MadePair:
    """Draws proposals from a seed and the pair's name, and returns the first one that is proved."""
    refused = Counter[str]()
    rng = Random(f"{seed}/{slot.name}")
    while refused.total() < MOST_PROPOSALS:
        files = draw_pair(rng, slot.scene, slot.depth, slot.name)
        why = NOT_READ
        try:
            turns = _shortest(files)
            if turns is None:
                why = OUT_OF_REACH
            else:
                kept = _proved(tuple(file.model_copy(update={"max_turns": turns}) for file in files))
                if not isinstance(kept, str):
                    return MadePair(slot, kept, refused)
                why = kept
        except TaskError:
            pass
        refused[why] += 1
    return MadePair(slot, (), refused)


def _shortest(files: Sequence[TaskFile]) -> int | None:
    """The least number of turns in which both tasks of a pair can be solved; None if LONGEST do not suffice."""
    for turns in range(SHORTEST, LONGEST + 1):
        tasks = [check_task(file.model_copy(update={"max_turns": turns})) for file in files]
        if all(HardProof(task).has_own_plan for task in tasks):
            return turns
    return None


def _proved(files: tuple[TaskFile, ...]) -> tuple[TaskFile, ...] | str:
    """Both files with their certificates, or the first reason to refuse them."""
    tasks = [check_task(file) for file in files]
    certified = []
    for task, twin in zip(tasks, reversed(tasks), strict=True):
        verdict = prove(task, twin, is_quick=True)
        if verdict.faults:
            return verdict.faults[0]
        certified.append(task.file.model_copy(update={"hard_certificate": verdict.certificate}))
    return tuple(certified)
