"""Who answers the matched pairs of stories, and what rules without a mind get of the other questions.

`PAIRS=40 READ=30 python -m benchmarks exploretom_pairs`: pairs of each kind and half, stories of each action set.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from statistics import mean

from hm_agent.catalogue.registry import scenario_named
from hm_agent.matched_pairs import HALVES
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.exploretom.pairs.kinds import BOTH, KINDS
from hm_agent.worlds.exploretom.questions.functional import functional_questions
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, chance
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import story_of
from hm_agent.worlds.exploretom.readers.readers import RULES
from hm_agent.worlds.exploretom.readers.shortcut_words import SHORTCUT_WORDS
from hm_agent.worlds.exploretom.story.language import text_of
from hm_agent.worlds.exploretom.world import StoryView

PAIRS = int(os.environ.get("PAIRS", "40"))
READ = int(os.environ.get("READ", "30"))
AGENTS = (*RULES, "reader", "perspective", "hypothetical_minds")
"""Questions are answered by the built-in reasoner."""


def pairs() -> None:
    """Prints the share of matched pairs that each agent answers rightly."""
    print(f"Share of matched pairs with both stories right, even / odd half, {PAIRS} pairs each\n")
    print(f"| agent | {' | '.join(KINDS)} |\n| --- |{' --- |' * len(KINDS)}")
    for agent in AGENTS:
        cells = (" / ".join(f"{share(agent, kind, half):.2f}" for half in HALVES) for kind in KINDS)
        print(f"| {agent} | {' | '.join(cells)} |", flush=True)


def share(agent: str, kind: str, half: str) -> float:
    """The share of the first pairs of a half that an agent answers rightly in both stories."""
    scenario, passed = scenario_named(f"exploretom_pairs_{kind}_{half}"), 0.0
    for number in range(PAIRS):
        world, agents = set_up(scenario, agent, seed=number)
        play_out(world, agents, seed=number)
        passed += world.metrics()[BOTH]
    return passed / PAIRS


def base_rates() -> None:
    """Prints what answers by lot and the best rule of words get of all questions and of functional items."""
    print(f"\nRight answers without reading on, {READ} stories of each action set\n")
    print(
        "| action set | by lot | best shortcut | functional: by lot | best shortcut |\n| --- | --- | --- | --- | --- |"
    )
    for name in ACTION_SETS:
        cells = []
        for is_functional in (False, True):
            asked = list(_asked(name, is_functional))
            rights = {rule: mean(RULES[rule](view) == answer for view, answer in asked) for rule in SHORTCUT_WORDS}
            best = max(rights, key=rights.__getitem__)
            lot = mean(chance(view.choices) for view, _ in asked)
            cells += [f"{lot:.3f}", f"{rights[best]:.3f} `{best}`"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _asked(name: str, is_functional: bool) -> Iterator[tuple[StoryView, str]]:
    """Yields the questions about the first stories of an action set, with their answers."""
    for seed in range(READ):
        drawn = story_of(seed, ACTION_SETS[name], read_cast())
        story, text = AnsweredStory(drawn.script, drawn.tracker), text_of(drawn.script)
        for question in functional_questions(story) if is_functional else story.questions():
            yield StoryView(text, question.text, question.choices, False, 1, 1), question.answer


def main() -> None:
    pairs()
    base_rates()
