"""How far readers get in matched pairs of stories that are fitted to such pairs, or overlook one thing alone.

`PAIRS=20 python -m benchmarks.fitted_readers`: pairs of each kind and half. A regression is fitted to the pairs of one
half and answers those of the other, by what rules about words, and readers below the needed order, take.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import mean

import numpy as np
import numpy.typing as npt

from hm_agent.matched_pairs import HALVES
from hm_agent.worlds.exploretom.pairs.drawing import MINDLESS, draw_pair, view_of
from hm_agent.worlds.exploretom.pairs.kinds import KINDS
from hm_agent.worlds.exploretom.questions.plans import answer_at
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.readers.readers import LADDER, no_distraction, retold, seen_together
from hm_agent.worlds.exploretom.readers.shortcuts import Rule, shown_choices
from hm_agent.worlds.exploretom.story.actions import StoryAction
from hm_agent.worlds.exploretom.world import StoryView

PAIRS = int(os.environ.get("PAIRS", "20"))
SPREADS = (0.1, 0.3, 1.0)
"""The standard deviations of the weights before anything was seen, of which the best one on the other half counts."""
STEPS = 400

Array = npt.NDArray[np.float64]
Asked = tuple[StoryView, str]
"""A story with its question, and the right answer."""
Seen = tuple[Array, int]
"""The `features` of a question's choices, and the number of the right one."""


def pairs_of(kind: str, half: str) -> Sequence[tuple[Asked, Asked]]:
    drawn = [draw_pair(kind, f"{half}/{seed}", read_cast()) for seed in range(PAIRS)]
    return [((view_of(a), a.questions[0].answer), (view_of(b), b.questions[0].answer)) for a, b in drawn]


def share(pairs: Sequence[tuple[Asked, Asked]], answer: Rule) -> float:
    """The share of pairs with both stories answered rightly."""
    return mean(all(answer(view) == right for view, right in pair) for pair in pairs)


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


def seen_of(asked: Asked, rules: Sequence[Rule]) -> Seen:
    view, right = asked
    return features(view, rules), shown_choices(view).index(right)


def fitted(known: Sequence[Seen], spread: float) -> Array:
    """The weights of a multinomial logistic regression by which these right choices are likeliest."""
    weights = np.zeros(known[0][0].shape[1])
    for _ in range(STEPS):
        slope = -weights / spread**2
        for seen, right in known:
            worth = np.exp(seen @ weights - (seen @ weights).max())
            slope += seen[right] - worth / worth.sum() @ seen
        weights += slope * min(1.0, spread**2) / len(known)
    return weights


def reached(learned: Sequence[Sequence[Seen]], tested: Sequence[Sequence[Seen]]) -> float:
    """The share of pairs with both stories right, with the best of `SPREADS`. Both: of each pair its two stories."""
    fits = [fitted([each for pair in learned for each in pair], spread) for spread in SPREADS]
    return max(
        mean(all((seen @ weights).argmax() == right for seen, right in pair) for pair in tested) for weights in fits
    )


OVERLOOKED: Sequence[Callable[[StoryAction], StoryAction]] = (
    lambda action: replace(action, peekers=()),
    lambda action: replace(action, distracted=()),
)


def overlooking(told: Callable[[StoryAction], StoryAction], order: int) -> Rule:
    """A reader of an order that reads the story as it is `retold`."""

    def rule(view: StoryView) -> str:
        return answer_at(retold(view.story, view.sees_contents, told), view.question, order) or LADDER["order_0"](view)

    return rule


def cells(kind: str) -> Iterator[str]:
    """The shares of both halves' pairs: of both regressions, then of both readers that overlook something."""
    order, halves = KINDS[kind].order, [pairs_of(kind, half) for half in HALVES]
    below = [*list(LADDER.values())[:order], no_distraction, *([seen_together] if order > 1 else [])]
    for rules in (MINDLESS, [*MINDLESS, *below]):
        even, odd = ([[seen_of(asked, rules) for asked in pair] for pair in pairs] for pairs in halves)
        yield f"{reached(odd, even):.2f} / {reached(even, odd):.2f}"
    for told in OVERLOOKED:
        yield " / ".join(f"{share(pairs, overlooking(told, order)):.2f}" for pairs in halves)


def main() -> None:
    print(f"Share of matched pairs with both stories right, even / odd half, {PAIRS} pairs each\n")
    print("| kind | fitted: rules about words | and readers below its order | nobody peeks | nobody is distracted |")
    print("| --- | --- | --- | --- | --- |")
    for kind in KINDS:
        print(f"| {kind} | {' | '.join(cells(kind))} |", flush=True)


if __name__ == "__main__":
    main()
