"""EnactToM: joint turns a second, the planner's times, making and verifying tasks, and agreement with Fast Downward.

`python -m benchmarks.enacttom TASKS COMPARED MADE SECONDS`: TASKS random households are planned and verified, COMPARED
others are also given to Fast Downward, which has SECONDS seconds for a question, and MADE tasks are drawn.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median, quantiles

from hm_agent.worlds.enacttom.author.drawn_tasks import drawn_tasks
from hm_agent.worlds.enacttom.author.proving import UNDECIDED
from hm_agent.worlds.enacttom.author.task_plan import Tally, TaskPlan
from hm_agent.worlds.enacttom.house.commands import HouseCommand
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.verification.compiler import compile_task, without_irrelevant
from hm_agent.worlds.enacttom.verification.fast_downward import Answer, ask_fast_downward
from hm_agent.worlds.enacttom.verification.planner import solve
from hm_agent.worlds.enacttom.verification.planning_problem import Variant
from hm_agent.worlds.enacttom.verification.strips import StripsProblem, to_strips
from hm_agent.worlds.enacttom.verification.verifier import variants, verify
from hm_agent.worlds.enacttom.world import EnacttomWorld
from tests.support.enacttom.fast_downward_search import ask_its_search
from tests.support.enacttom.random_tasks import TaskSize, random_task
from tests.support.enacttom.shipped_tasks import hand_made_files

TASKS, COMPARED, MADE, EPISODES, ROUNDS, SECONDS = 100, 1000, 300, 20, 5, 60.0
MAKERS, MADE_SEED = 2, 3
LARGE = TaskSize(agents=4, rooms=5, furniture=13, objects=9, goals=4, depth=3)
"""The size of households (up to 4 agents) on which the speeds of planners had been compared before."""
SMALL = TaskSize(agents=3, rooms=3, furniture=4, objects=2, goals=2, depth=4)


Ask = Callable[..., Answer]


def shipped() -> list[HouseholdTask]:
    return [load_task(path) for path in task_files().values()]


def show_turns() -> None:
    print("Joint turns a second of processor time, one core, random commands drawn beforehand.\n")
    print("| tasks | runtime | world, with views | target |\n| --- | --- | --- | --- |")
    for name, tasks in (("shipped", shipped()), ("large random", [random_task(seed, LARGE) for seed in range(10)])):
        played = [(task, drawn(task)) for task in tasks]
        runtime = median(speed_of_runtime(played) for _ in range(ROUNDS))
        world = median(speed_of_world(played) for _ in range(ROUNDS))
        print(f"| {name} | {runtime:,.0f} | {world:,.0f} | 20,000 |", flush=True)
    print()


Played = Sequence[tuple[HouseholdTask, Sequence[Sequence[Sequence[HouseCommand]]]]]


def drawn(task: HouseholdTask) -> list[list[list[HouseCommand]]]:
    """The commands of random episodes: by episode, turn and agent."""
    world, rng, episodes = EnacttomWorld(task), Random(0), []
    for _ in range(EPISODES):
        turn, episode = world.reset(0), []
        while not turn.is_over:
            commands = [rng.choice(turn.observations[seat].view.commands()) for seat in world.seats]
            episode.append(commands)
            turn = world.step(dict(zip(world.seats, commands, strict=True)))
        episodes.append(episode)
    return episodes


def speed_of_runtime(played: Played) -> float:
    turns, used = 0, 0.0
    for task, episodes in played:
        household = Household(task)
        started = time.process_time()
        for episode in episodes:
            runtime = HouseRuntime(household)
            for commands in episode:
                runtime.step(commands)
            turns += len(episode)
        used += time.process_time() - started
    return turns / used


def speed_of_world(played: Played) -> float:
    turns, used = 0, 0.0
    for task, episodes in played:
        world = EnacttomWorld(task)
        joint = [[dict(zip(world.seats, commands, strict=True)) for commands in episode] for episode in episodes]
        started = time.process_time()
        for episode in joint:
            world.reset(0)
            for actions in episode:
                world.step(actions)
            turns += len(episode)
        used += time.process_time() - started
    return turns / used


def show_planner(tasks: int) -> None:
    print("Our planner on all questions about each task: milliseconds of processor time, without compiling.\n")
    print("| tasks | questions | solved | unsolvable | unknown | median | 99% within | most | targets |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, chosen in (("shipped", shipped()), ("large random", [random_task(seed, LARGE) for seed in range(tasks)])):
        times, statuses = zip(*answers(chosen), strict=True)
        counts, last = Counter(statuses), quantiles(times, n=100, method="inclusive")[-1]
        cells = " | ".join(str(counts[status]) for status in ("solved", "unsolvable", "unknown"))
        print(
            f"| {name}: {len(chosen)} | {len(times)} | {cells} | {median(times):.2f} | {last:.1f} | {max(times):.0f} | "
            "10, 100 |",
            flush=True,
        )
    print()


def answers(tasks: Sequence[HouseholdTask]) -> Iterator[tuple[float, str]]:
    """Asks the planner all questions about each task; yields milliseconds and status of each question."""
    for task in tasks:
        household = Household(task)
        for variant in variants(task).values():
            problem = compile_task(household, variant)
            started = time.process_time()
            status = solve(problem).status
            yield 1000 * (time.process_time() - started), status


def show_verifying(tasks: int) -> None:
    drawn = [random_task(seed, LARGE) for seed in range(tasks)]
    started = time.process_time()
    sound = sum(not verify(task).faults for task in drawn)
    used = time.process_time() - started
    print(f"Verifying {tasks} large random tasks takes {used:.1f} s of processor time: {300 * used / tasks:.1f} s for")
    print(f"300 (target: 30 s on two cores). {sound} of them are sound.\n")


def show_author(tasks: int) -> None:
    """Draws tasks of the shipped set's categories and depths (both, 1 to 3) and verifies them once more."""
    plan = TaskPlan(tasks, seed=MADE_SEED)
    started, before = time.perf_counter(), seconds_of_children()
    drawn = list(drawn_tasks(plan.seed, plan.slots(), MAKERS))
    taken, own = time.perf_counter() - started, seconds_of_children() - before
    tally = sum((task.tally for task in drawn), Tally())
    undecided = tally.refused.get(UNDECIDED, 0)
    wrong = tally.proposed - tally.kept - undecided
    files = [task.file for task in drawn if task.file]
    started = time.process_time()
    sound = sum(not verify(check_task(file)).faults for file in files)
    used = time.process_time() - started
    print(f"{len(files)} tasks were drawn and proved in {taken:.1f} s by {MAKERS} processes, which used {own:.1f} s of")
    print(
        f"processor time: {60 * len(files) / taken:,.0f} a minute (target: 200). Of {tally.proposed} proposals {wrong}"
    )
    print(f"({wrong / tally.proposed:.0%}) would be broken without verification. For")
    print(f"{undecided} ({undecided / tally.proposed:.0%}) the planner found no proof in time.\n")
    print("| why refused | proposals |\n| --- | --- |")
    for why, count in sorted(tally.refused.items(), key=lambda item: -item[1]):
        print(f"| {why} | {count} |")
    print(
        f"\nVerifying these {len(files)} takes {used:.1f} s of processor time, {300 * used / len(files):.1f} s for 300"
    )
    print(f"(target: 30 s on two cores). {sound} of them are sound.\n")


def seconds_of_children() -> float:
    """The processor time of all child processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def show_agreement(compared: int, seconds: float) -> None:
    print(
        f"Answers of our planner and of Fast Downward, which gets the whole STRIPS problem and {seconds:.0f} s: as PDDL"
    )
    print(
        "for tasks written by hand, without its translator for shipped and random tasks. If it finds no answer, it is"
    )
    print("asked once more about the problem without its irrelevant parts.\n")
    print(
        "| tasks | both solved | both unsolvable | the same once asked again | never answered | disagree | median, ms |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    by_hand = [load_task(path) for path in hand_made_files().values()]
    random = [random_task(seed, SMALL) for seed in range(compared)]
    with_variants = [(task, variants(task)) for task in by_hand]
    show_compared("written by hand, from PDDL", with_variants, ask_from_pddl, seconds)
    show_compared("shipped", [(task, variants(task)) for task in shipped()], ask_its_search, seconds)
    show_compared("random", [(task, variants(task)) for task in random], ask_its_search, seconds)
    print()


def ask_from_pddl(_household: Household, problem: StripsProblem, *, seconds: float) -> Answer:
    return ask_fast_downward(problem, seconds=seconds)


def show_compared(
    name: str, tasks: Sequence[tuple[HouseholdTask, Mapping[str, Variant]]], ask: Ask, seconds: float
) -> None:
    """Prints a line of the table. tasks: with the questions about each. seconds: the most for one question."""
    counts, times = Counter[str](), []
    for task, questions in tasks:
        household = Household(task)
        for variant in questions.values():
            problem = compile_task(household, variant)
            strips, started = to_strips(problem), time.perf_counter()
            theirs, _ = ask(household, strips, seconds=seconds)
            times.append(1000 * (time.perf_counter() - started))
            ours = solve(problem).status
            answer: str = theirs
            if theirs == "unknown":
                theirs, _ = ask(household, to_strips(without_irrelevant(problem)), seconds=seconds)
                answer = "again" if theirs != "unknown" else "unknown"
            counts[answer if theirs in (ours, "unknown") else "disagree"] += 1
    cells = " | ".join(str(counts[kind]) for kind in ("solved", "unsolvable", "again", "unknown", "disagree"))
    typical = f"{median(times):.0f}" if times else "-"
    print(f"| {name}: {len(tasks)} | {cells} | {typical} |", flush=True)


def main(tasks: int = TASKS, compared: int = COMPARED, made: int = MADE, seconds: float = SECONDS) -> None:
    show_turns()
    show_planner(tasks)
    show_author(made)
    show_verifying(tasks)
    show_agreement(compared, seconds)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
