"""How far readers get in matched pairs of stories that are fitted to such pairs, or overlook one thing alone.

`PAIRS=20 python -m benchmarks.fitted_readers`: pairs of each kind and half. A regression is fitted to the pairs of one
half and answers those of the other, by what rules about words, and readers below the needed order, take.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hm_agent.matched_pairs import HALVES
from hm_agent.worlds.exploretom.pairs.drawing import MINDLESS, draw_pair, view_of
from hm_agent.worlds.exploretom.pairs.kinds import KINDS
from hm_agent.worlds.exploretom.questions.plans import answer_at
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.readers.readers import LADDER, no_distraction, seen_together
from hm_agent.worlds.exploretom.readers.reading import read_story
from hm_agent.worlds.exploretom.readers.shortcuts import Rule, shown_choices
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker
from hm_agent.worlds.exploretom.story.language import text_of
from hm_agent.worlds.exploretom.world import StoryView

PAIRS = int(os.environ.get("PAIRS", "20"))
SPREADS = (0.1, 0.3, 1.0)
"""The standard deviations of the weights before anything was seen, of which the best one on the other half counts."""
STEPS = 400

Array = npt.NDArray[np.float64]
Asked = tuple[StoryView, str]
"""A story with its question, and the right answer."""


def pairs_of(kind: str, half: str) -> Sequence[tuple[Asked, Asked]]:
    drawn = [draw_pair(kind, f"{half}/{seed}", read_cast()) for seed in range(PAIRS)]
    return [((view_of(a), a.questions[0].answer), (view_of(b), b.questions[0].answer)) for a, b in drawn]


def share(pairs: Sequence[tuple[Asked, Asked]], answer: Callable[[StoryView], str]) -> float:
    """The share of pairs with both stories answered rightly."""
    return float(np.mean([all(answer(view) == right for view, right in pair) for pair in pairs]))


def features(view: StoryView, rules: Sequence[Rule]) -> Array:
    """Of each choice: which rules take it, its place among the choices, and how often the story names it."""
    choices = shown_choices(view)
    taken = [rule(view) for rule in rules]
    counts = [view.story.count(choice) for choice in choices]
    return np.array(
        [
            [*(choice == each for each in taken), place == 0, place == len(choices) - 1, count / max(1, *counts)]
            for place, (choice, count) in enumerate(zip(choices, counts, strict=True))
        ],
        float,
    )


def fitted(asked: Sequence[Asked], rules: Sequence[Rule], spread: float) -> Callable[[StoryView], str]:
    """A reader that takes what a multinomial logistic regression finds likeliest, fitted to these questions."""
    known = [(features(view, rules), shown_choices(view).index(right)) for view, right in asked]
    weights = np.zeros(known[0][0].shape[1])
    for _ in range(STEPS):
        slope = -weights / spread**2
        for seen, right in known:
            worth = np.exp(seen @ weights - (seen @ weights).max())
            slope += seen[right] - worth / worth.sum() @ seen
        weights += slope * min(1.0, spread**2) / len(known)
    return lambda view: shown_choices(view)[int((features(view, rules) @ weights).argmax())]


OVERLOOKED: Sequence[Callable[[StoryAction], StoryAction]] = (
    lambda action: replace(action, peekers=()),
    lambda action: replace(action, distracted=()),
)


def overlooking(told: Callable[[StoryAction], StoryAction], order: int) -> Rule:
    """A reader of an order that reads each action as it is told here; what is then impossible it leaves out."""

    def rule(view: StoryView) -> str:
        script = read_story(view.story, view.sees_contents).script
        tracker, actions = BeliefTracker(script.people, sees_contents=view.sees_contents), []
        for action in script.actions:
            plain = told(action)
            if tracker.problem(plain) is None:
                tracker.apply(plain)
                actions.append(plain)
        text = text_of(StoryScript(tuple(actions), view.sees_contents))
        return answer_at(read_story(text, view.sees_contents), view.question, order) or LADDER["order_0"](view)

    return rule


def cells(kind: str) -> Iterator[str]:
    """The shares of both halves' pairs: of both regressions, then of both readers that overlook something."""
    order = KINDS[kind].order
    halves = {half: pairs_of(kind, half) for half in HALVES}
    below = [*list(LADDER.values())[:order], no_distraction, *([seen_together] if order > 1 else [])]
    for rules in (MINDLESS, [*MINDLESS, *below]):
        reached = []
        for learned, tested in (HALVES[::-1], HALVES):
            asked = [each for pair in halves[learned] for each in pair]
            reached.append(max(share(halves[tested], fitted(asked, rules, spread)) for spread in SPREADS))
        yield " / ".join(f"{each:.2f}" for each in reached)
    for told in OVERLOOKED:
        yield " / ".join(f"{share(pairs, overlooking(told, order)):.2f}" for pairs in halves.values())


def main() -> None:
    print(f"Share of matched pairs with both stories right, even / odd half, {PAIRS} pairs each\n")
    print("| kind | fitted: rules about words | and readers below its order | nobody peeks | nobody is distracted |")
    print("| --- | --- | --- | --- | --- |")
    for kind in KINDS:
        print(f"| {kind} | {' | '.join(cells(kind))} |", flush=True)


if __name__ == "__main__":
    main()
