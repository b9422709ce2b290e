"""Makes hard tasks: draws pairs of a scene until both tasks are proved, and counts why others were refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rich.console import Console

from hm_agent.config import ConfigError
from hm_agent.process.workers import calls_in_workers
from hm_agent.storage.row_file import Row, RowFile, check_identity
from hm_agent.worlds.enacttom.author.hard_drawing import LONGEST, draw_pair
from hm_agent.worlds.enacttom.author.hard_scenes import SCENES
from hm_agent.worlds.enacttom.author.proving import NOT_READ
from hm_agent.worlds.enacttom.author.task_plan import IDENTITY, PROPOSALS, ROW_KEYS, report
from hm_agent.worlds.enacttom.ladder.order_agent import AGENTS
from hm_agent.worlds.enacttom.tasks.pddl import TaskError
from hm_agent.worlds.enacttom.tasks.task import TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.tasks.task_files import save_task
from hm_agent.worlds.enacttom.verification.character_search import places_alone
from hm_agent.worlds.enacttom.verification.hard_proof import HABIT, LOWER, OUT_OF_REACH, HardProof, prove

MOST_PROPOSALS = 300
"""The most proposals for one pair; if none of them is kept, the pair is not made."""
SHORTEST = 4
SHORTEST_APART, LONGEST_APART = 6, 8
"""The turns of tasks of orders 2 and 3, whose search takes longer."""


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


def checked_slots(tasks: int, depths: Sequence[str]) -> list[HardSlot]:
    """The pairs of a number of tasks; raises ConfigError for an odd number, and for an order that no scene has."""
    if tasks % 2:
        raise ConfigError(f"--tasks={tasks}: hard tasks come in pairs: say an even number")
    if not depths or not all(depth.isdecimal() and int(depth) in SCENES for depth in depths):
        raise ConfigError(f"--k_depth={','.join(depths)}: with --hard say numbers from {min(SCENES)} to {max(SCENES)}")
    return hard_slots(tasks // 2, tuple(dict.fromkeys(map(int, depths))))


def hard_slots(pairs: int, depths: Sequence[int]) -> list[HardSlot]:
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
        try:
            kept = _proved(draw_pair(rng, slot.scene, slot.depth, slot.name))
        except TaskError:
            kept = NOT_READ
        if not isinstance(kept, str):
            return MadePair(slot, kept, refused)
        refused[kept] += 1
    return MadePair(slot, (), refused)


def make_hard_tasks(slots: Sequence[HardSlot], seed: int, out: Path, workers: int, console: Console) -> int:
    """Writes the tasks that OUT does not have yet, and what became of their proposals; returns the exit status."""
    out.mkdir(parents=True, exist_ok=True)
    rows = RowFile(out / PROPOSALS, ROW_KEYS)
    check_identity(out / IDENTITY, {"hard": True, "seed": seed}, rows)
    missing = [slot for slot in slots if slot.name not in rows.rows]
    with calls_in_workers(workers, made_pair, ((seed, slot) for slot in missing)) as made_pairs:
        for made in (one.result() for one in as_completed(made_pairs)):
            for file in made.files:
                save_task(file, out)
            rows.add(_row_of(made))
    rows.sort()
    return report([rows.rows[slot.name] for slot in slots], out, console, "pair")


def _row_of(made: MadePair) -> Row:
    slot = made.slot
    agents = len(made.files[0].agent_spawns) if made.files else 0
    row = {"id": slot.name, "category": slot.scene, "k_depth": slot.depth, "agents": agents}
    return {**row, "kept": int(bool(made.files)), "refused": dict(sorted(made.refused.items()))}


def _shortest(files: Sequence[TaskFile]) -> list[HardProof] | None:
    """Both tasks of a pair with the fewest turns in which they can be solved; None if LONGEST do not suffice."""
    for turns in range(SHORTEST, LONGEST + 1):
        proofs = [HardProof(check_task(file.model_copy(update={"max_turns": turns}))) for file in files]
        if all(proof.has_own_plan for proof in proofs):
            return proofs
    return None


def _apart(files: Sequence[TaskFile]) -> list[HardProof] | str:
    """Both tasks of a pair of order 2 or 3 with the fewest turns, if no schedule solves both and no lower order one.

    What is quick to find out comes first: here messages say where things are, and nothing of who knows what.
    """
    for turns in range(SHORTEST_APART, LONGEST_APART + 1):
        proofs = [HardProof(check_task(file.model_copy(update={"max_turns": turns}))) for file in files]
        found = [proof.schedules(places_alone) for proof in proofs]
        if all(found):
            break
    else:
        return OUT_OF_REACH
    if frozenset.intersection(*found):
        return HABIT
    lower = (f"order_{order}" for order in range(1, files[0].needs_order or 0))
    is_low = any(proof.is_solved_by(AGENTS[order]) for order in lower for proof in proofs)
    return LOWER if is_low else proofs


def _proved(files: tuple[TaskFile, ...]) -> tuple[TaskFile, ...] | str:
    """Both files with the turns that they need and their certificates, or the first reason to refuse them."""
    proofs = _apart(files) if (files[0].needs_order or 0) > 1 else _shortest(files) or OUT_OF_REACH
    if isinstance(proofs, str):
        return proofs
    tasks = [proof.task for proof in proofs]
    certified = []
    for task, twin in zip(tasks, reversed(tasks), strict=True):
        verdict = prove(task, twin, is_quick=True)
        if verdict.faults:
            return verdict.faults[0]
        certified.append(task.file.model_copy(update={"hard_certificate": verdict.certificate}))
    return tuple(certified)
