"""Functional items beside the literal questions that they need: readers without a language model, and base rates."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping

from hm_agent.registry import find_scenarios
from hm_agent.reporting.statistics import Estimate
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.exploretom.questions.functional import functional_questions
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import story_of
from hm_agent.worlds.exploretom.readers.readers import WEAK_RULES

READ = int(os.environ.get("READ", "50"))
"""Stories of each action set."""
AGENTS = ("reader", *WEAK_RULES)


def base_rates() -> None:
    """What needs no reading: drawing by lot, and always the commonest answer of all stories."""
    answers: dict[str, Counter[str]] = {}
    by_lot: dict[str, list[float]] = {}
    for action_set in ACTION_SETS.values():
        for seed in range(READ):
            drawn = story_of(seed, action_set, read_cast())
            for item in functional_questions(AnsweredStory(drawn.script, drawn.tracker)):
                kind = item.asked.type.value
                answers.setdefault(kind, Counter())[item.answer] += 1
                by_lot.setdefault(kind, []).append(1 / len(item.choices))
    print(f"Base rates of functional items, {READ} stories of each action set")
    for kind, counted in answers.items():
        (commonest, times), total = counted.most_common(1)[0], counted.total()
        lot = sum(by_lot[kind]) / total
        print(f"  {kind:6} {total:7,} items   by lot {lot:.3f}   always {commonest!r} {times / total:.3f}")
    print()


def paired() -> None:
    """The shares of right items and of items whose literal questions are all right, each story a pair."""
    print(f"Literal and functional, {READ} stories of each action set; 95% bootstrap interval over stories")
    print(f"  {'':14} {'literal':>8} {'functional':>11} {'functional - literal':>24} {'functional if literal':>22}")
    for agent in AGENTS:
        stories = [found for found in _played(agent) if "functional" in found]
        gap = Estimate(tuple(found["functional_minus_literal"] for found in stories))
        low, high = gap.interval or (gap.mean, gap.mean)
        print(
            f"  {agent:14} {_mean(stories, 'literal'):8.3f} {_mean(stories, 'functional'):11.3f} "
            f"{gap.mean:8.3f} ({low:.3f} to {high:.3f}) {_mean(stories, 'functional_if_literal'):18.3f}",
            flush=True,
        )


def _played(agent: str) -> list[Mapping[str, float]]:
    found = []
    for name in ACTION_SETS:
        scenario = find_scenarios([f"exploretom_functional_{name}"])[0]
        for seed in range(READ):
            world, agents = set_up(scenario, agent)
            play_out(world, agents, seed=seed)
            found.append(world.metrics())
    return found


def _mean(stories: list[Mapping[str, float]], name: str) -> float:
    values = [found[name] for found in stories if name in found]
    return sum(values) / len(values)


def main() -> None:
    base_rates()
    paired()
