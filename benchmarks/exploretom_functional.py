"""Functional items and the literal questions that they depend on: readers without a language model, and base rates."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.reporting.statistics import Estimate
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.exploretom.questions.posing import PosableQuestion
from hm_agent.worlds.exploretom.questions.story_questions import chance
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.readers.readers import WEAK_RULES
from hm_agent.worlds.exploretom.world import StoryWorld

READ = int(os.environ.get("READ", "50"))
"""Stories of each action set."""
AGENTS = ("reader", *WEAK_RULES)


def base_rates() -> None:
    """Prints the shares of right answers without reading: by lot, and by always giving a kind's commonest answer."""
    stories = [world.scored_items for world in _worlds()]
    answers: dict[str, Counter[str]] = {}
    by_lot: dict[str, list[float]] = {}
    for item in (item for items in stories for item in items):
        answers.setdefault(item.kind.about, Counter())[item.answer] += 1
        by_lot.setdefault(item.kind.about, []).append(chance(item.choices))
    commonest = {kind: counted.most_common(1)[0] for kind, counted in answers.items()}
    print(f"Base rates of functional items, {READ} stories of each action set")
    for kind, (answer, times) in commonest.items():
        total, lot = answers[kind].total(), sum(by_lot[kind])
        print(f"  {kind:6} {total:7,} items   by lot {lot / total:.3f}   always {answer!r} {times / total:.3f}")
    by_story = [(_lot(items), _constant(items, commonest)) for items in stories if items]
    lot, constant = (sum(column) / len(by_story) for column in zip(*by_story, strict=True))
    print(f"  all, each story the same: by lot {lot:.3f}   always the commonest of its kind {constant:.3f}\n")


def _worlds() -> Iterator[StoryWorld]:
    """Yields the world of each story of `paired` at its beginning."""
    for name in ACTION_SETS:
        world, _ = set_up(find_scenarios([f"exploretom_functional_{name}"])[0], AGENTS[0])
        assert isinstance(world, StoryWorld)
        for seed in range(READ):
            world.reset(seed)
            yield world


def _lot(items: Sequence[PosableQuestion]) -> float:
    return sum(chance(item.choices) for item in items) / len(items)


def _constant(items: Sequence[PosableQuestion], commonest: Mapping[str, tuple[str, int]]) -> float:
    return sum(item.answer == commonest[item.kind.about][0] for item in items) / len(items)


def paired() -> None:
    """Prints the shares of right items and of items whose literal questions are all right, paired by story."""
    print(f"Literal and functional, {READ} stories of each action set; 95% interval over stories (Student's t)")
    print(f"  {'':14} {'literal':>8} {'functional':>11} {'functional - literal':>24} {'functional if literal':>22}")
    for agent in AGENTS:
        stories = [metrics for metrics in _played(agent) if "functional" in metrics]
        gap = Estimate(tuple(metrics["functional_minus_literal"] for metrics in stories))
        low, high = gap.interval or (gap.mean, gap.mean)
        print(
            f"  {agent:14} {_mean(stories, 'literal'):8.3f} {_mean(stories, 'functional'):11.3f} "
            f"{gap.mean:8.3f} ({low:.3f} to {high:.3f}) {_mean(stories, 'functional_if_literal'):18.3f}",
            flush=True,
        )


def _played(agent: str) -> list[Mapping[str, float]]:
    """The metrics of an agent's episodes, one for each story of each action set."""
    stories = []
    for name in ACTION_SETS:
        scenario = find_scenarios([f"exploretom_functional_{name}"])[0]
        for seed in range(READ):
            world, agents = set_up(scenario, agent)
            play_out(world, agents, seed=seed)
            stories.append(world.metrics())
    return stories


def _mean(stories: list[Mapping[str, float]], name: str) -> float:
    values = [metrics[name] for metrics in stories if name in metrics]
    return sum(values) / len(values)


def main() -> None:
    base_rates()
    paired()
