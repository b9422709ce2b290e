"""How far blind tellers get in EnactToM's hard tasks: schedules that are fitted to the tasks, and chosen by features.

    python -m benchmarks.hard_blindly

A teller looks up what a task shows at a glance, and sends what solved most of the other pairs that show the same: at
which turns, to which roles, and whether about the thing that helpers lack. It thinks of no mind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from hm_agent.worlds.enacttom.house.commands import HouseCommand
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.scenarios import hard_task_files
from hm_agent.worlds.enacttom.tasks.characters import RIVAL
from hm_agent.worlds.enacttom.tasks.propositions import Is
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.verification.character_search import Position, places_alone
from hm_agent.worlds.enacttom.verification.hard_proof import Schedule, ScheduleSearch


@dataclass(frozen=True)
class Glance:
    """What a task shows at a glance, and what solves it.

    scene: with the needed order. minds: by role, whether it knows where the other thing and the lacking one are, and
    whether it is misled. is_fetched: whether the considered one wants the lacking thing at its place. is_first: whether
    the helper that considers wants that before the other one.
    """

    scene: str
    minds: Hashable
    is_fetched: bool
    is_first: bool
    solving: frozenset[Schedule]


def roles(task: HouseholdTask) -> Mapping[str, str]:
    """Who is considered, who considers, and who is neither, by the rules."""
    considered = {name for agent, mind in task.characters.items() for name in mind.unless if name != agent}
    return {
        name: "considered" if name in considered else f"{mind.kind}{' that stops' if mind.unless else ''}"
        for name, mind in task.characters.items()
    }


def glance(task: HouseholdTask, number: int) -> Glance:
    """number: of the thing that helpers lack, in the order of the goals."""
    seat, role = task.seats[0], roles(task)
    lacking = task.physical_goal[number].arguments[0]
    places = {fact.arguments[0]: fact for fact in task.known[seat] if fact.predicate == Is.INSIDE}

    def label(turn: int, message: HouseCommand) -> Hashable:
        about = {claim.proposition.arguments[0] for claim in message.claims}
        return turn, tuple(sorted(role[name] for name in message.arguments)), about == {lacking}

    household = Household(task)
    search = ScheduleSearch(household, task.agents.index(seat), places_alone)
    facts = [places[thing] for thing in sorted(places, key=lacking.__eq__)]
    minds = frozenset(
        (role[name], *(fact in task.known[name] for fact in facts), bool(mind.believes))
        for name, mind in task.characters.items()
    )
    wants = {role[name]: [want.arguments[0] for want in mind.wants] for name, mind in task.characters.items()}
    fetched = [want for name, mind in task.characters.items() if role[name] == "considered" for want in mind.wants]
    helper = next(name for name, mind in task.characters.items() if mind.unless and mind.kind != RIVAL)
    scene = "_".join(task.name.split("_")[1:3])
    return Glance(
        scene,
        minds,
        any(want.predicate == Is.ON_TOP and want.arguments[0] == lacking for want in fetched),
        wants[role[helper]][0] == lacking,
        search.schedules(Position(HouseRuntime(household)), label),
    )


FEATURES: Mapping[str, Callable[[Glance], Hashable]] = {
    "nothing": lambda task: None,
    "the scene": lambda task: task.scene,
    "the scene, what the considered one wants": lambda task: (task.scene, task.is_fetched),
    "these, and which thing comes first": lambda task: (task.scene, task.is_fetched, task.is_first),
    "who knows what": lambda task: task.minds,
    "all of these": lambda task: (task.scene, task.minds, task.is_fetched, task.is_first),
}


def share(pairs: Mapping[str, tuple[Glance, Glance]], feature: Callable[[Glance], Hashable], leaves_out: bool) -> float:
    """The share of pairs of which both tasks are solved. leaves_out: whether a pair is fitted by the others alone."""
    solved = 0
    for name, pair in pairs.items():
        chosen = fitted((task for other in pairs for task in pairs[other] if not leaves_out or other != name), feature)
        solved += all(chosen.get(feature(task)) in task.solving for task in pair)
    return solved / len(pairs)


def fitted(tasks: Iterable[Glance], feature: Callable[[Glance], Hashable]) -> Mapping[Hashable, Schedule]:
    """By what tasks show, the schedule that solves most of them."""
    counts: dict[Hashable, Counter[Schedule]] = defaultdict(Counter)
    for task in tasks:
        counts[feature(task)].update(task.solving)
    return {shown: min(of_these, key=lambda one: (-of_these[one], str(one))) for shown, of_these in counts.items()}


def main() -> None:
    tasks = {name: load_task(path) for name, path in hard_task_files().items() if "_k1_" not in name}
    pairs = {
        name[:-2]: (glance(tasks[name], 0), glance(tasks[f"{name[:-2]}_b"], 1)) for name in tasks if name.endswith("_a")
    }
    print(f"| {len(pairs)} pairs, chosen by | fitted to all | to the others |\n| --- | --- | --- |")
    for about, feature in FEATURES.items():
        shares = (f"{100 * share(pairs, feature, leaves_out):.0f}%" for leaves_out in (False, True))
        print(f"| {about} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
