"""EnactToM's balanced literal measure: what others think, in pairs of questions that every shortcut answers alike.

`python -m benchmarks.enacttom_thoughts [RUNS]` plays every shipped task with each agent and prints the share of right
answers, and of pairs with two right answers, by depth; then what each shortcut would get in the same episodes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from benchmarks.enacttom_ladder import episode_seed
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.reporting.statistics import bootstrap_interval
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.wording import percent
from hm_agent.worlds.enacttom.thought_pairs import DEPTHS, MOST_PAIRS, SHORTCUTS, ThoughtPair, ThoughtQuestion
from hm_agent.worlds.enacttom.world import EnacttomWorld

AGENTS = ("random", "solo", "order1", "order2", "order3", "flood", "react", "hypothetical_minds", "planner")


def _by(shortcut: Callable[[ThoughtQuestion], tuple[bool, ...]]) -> Callable[[ThoughtQuestion], bool]:
    """The answers of an agent that goes by a shortcut: yes if it says so of all minds."""
    return lambda question: all(shortcut(question))


RULES: Mapping[str, Callable[[ThoughtQuestion], bool]] = {
    "always yes": lambda question: True,
    "always no": lambda question: False,
    **{name: _by(shortcut) for name, shortcut in SHORTCUTS.items()},
}


@dataclass(frozen=True)
class PairPlayed:
    """A pair with what was said: whether each answer is right. task: its scenario."""

    task: str
    pair: ThoughtPair
    right: tuple[bool, bool]

    def by(self, rule: Callable[[ThoughtQuestion], bool]) -> PairPlayed:
        """The same pair with a rule's answers."""
        return PairPlayed(self.task, self.pair, (rule(self.pair.yes), not rule(self.pair.no)))


def play(scenario: ScenarioInfo, agent: str, run: int) -> list[PairPlayed]:
    seed, model = episode_seed(scenario, run), BuiltinReasoner(suites()["enacttom"].answers())
    world, agents = set_up(scenario, agent, model=model, seed=seed)
    assert isinstance(world, EnacttomWorld)
    play_out(world, agents, seed=seed)
    scene = world.scene()
    assert scene
    right = {result.probe.claim: result.is_right for result in scene.thoughts}
    return [
        PairPlayed(scenario.name, pair, (right[pair.yes.claim], right[pair.no.claim]))
        for pair in world.thought_pairs
        if pair.yes.claim in right
    ]


def row(name: str, played: Sequence[PairPlayed], episodes: int) -> str:
    cells = [name]
    for depth in DEPTHS:
        own = [one for one in played if one.pair.depth == depth]
        by_task = {one.task: [each for each in own if each.task == one.task] for one in own}
        shares = [mean(answer for each in pairs for answer in each.right) for pairs in by_task.values()]
        both = [mean(all(each.right) for each in pairs) for pairs in by_task.values()]
        missing = episodes * MOST_PAIRS - len(own)
        cells += [_share(shares), _share(both), f"{len(own)} ({missing})"]
    return f"| {' | '.join(cells)} |"


def _share(values: Sequence[float]) -> str:
    if not values:
        return "-"
    interval = bootstrap_interval(values)
    return percent(mean(values)) + (f" ({percent(interval[0])} to {percent(interval[1])})" if interval else "")


def main(runs: int = 1) -> None:
    scenarios = find_scenarios(["enacttom_*"])
    heading = " | ".join(f"depth {depth}: right | both of a pair | pairs (missing)" for depth in DEPTHS)
    print(f"| agent, {len(scenarios)} tasks | {heading} |\n|" + " --- |" * (1 + 3 * len(DEPTHS)))
    everything: list[PairPlayed] = []
    for agent in AGENTS:
        played = [pair for scenario in scenarios for run in range(runs) for pair in play(scenario, agent, run)]
        everything += played
        print(row(f"`{agent}`", played, len(scenarios) * runs), flush=True)
    for name, rule in RULES.items():
        print(row(name, [one.by(rule) for one in everything], len(scenarios) * runs * len(AGENTS)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1)
