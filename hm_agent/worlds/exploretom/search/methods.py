"""Three ways to find stories that a reader finds hard, at equal cost: A*, over-generation and random search."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

from hm_agent.worlds.exploretom.random_stories.sampling import StoryDraft, StorySampler
from hm_agent.worlds.exploretom.search.difficulty import Difficulty, do_nothing
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker

ROOT_TRIES = 20
"""A* ends when it has drawn no new beginning of a story in this many expansions of the empty story in a row."""

Measure = Callable[[StoryScript, BeliefTracker], Awaitable[Difficulty]]
"""Measures how hard a story, or its beginning, is, given its tracker (`DifficultyMeter.measure`)."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How stories are searched; the defaults are the paper's (section 3), except `drawn`, which it does not give.

    evaluations: the most evaluations by the reader, of stories or beginnings of stories, for each story to find.
    grouping: the number of actions that a node adds (k). completions: the number of random completions that estimate h
    (P). weight: the weight of h (alpha). neighbours: (accuracy, number of neighbours to evaluate of a node on which the
    reader's accuracy is at most that). drawn: the number of random continuations to draw for each neighbour to
    evaluate; the best of all are evaluated.
    """

    evaluations: int = 50
    grouping: int = 3
    completions: int = 50
    weight: float = 0.1
    neighbours: tuple[tuple[float, int], ...] = ((0.5, 5), (0.75, 3), (1.0, 1))
    drawn: int = 2


@dataclass(frozen=True, slots=True)
class FoundStory:
    """A story that meets the conditions. evaluations, questions: how many of both it took to find it."""

    script: StoryScript
    tracker: BeliefTracker
    difficulty: Difficulty
    evaluations: int
    questions: int


@dataclass(order=True, slots=True)
class _Node:
    """The beginning of a story. cost: f = g + h. number: orders nodes of equal cost by their age."""

    cost: float
    number: int
    accuracy: float
    draft: StoryDraft


class StorySearch:
    """A search for stories of one sampler.

    evaluations, questions: the numbers of both so far. best: the hardest story so far that meets the conditions.
    after_each: called after each evaluation.
    """

    def __init__(
        self,
        sampler: StorySampler,
        measure: Measure,
        rng: Random,
        settings: SearchSettings,
        after_each: Callable[[], None] = do_nothing,
    ) -> None:
        self.evaluations = self.questions = 0
        self.best: FoundStory | None = None
        self._sampler, self._measure, self._rng, self._settings = sampler, measure, rng, settings
        self._after_each = after_each
        self._seen: set[tuple[StoryAction, ...]] = set()

    async def _evaluate(self, draft: StoryDraft) -> FoundStory:
        """Asks the reader about a story; keeps it if it meets the conditions and is harder than all before it."""
        self.evaluations += 1
        script, tracker = self._sampler.script(draft), self._sampler.tracked(draft)
        difficulty = await self._measure(script, tracker)
        self.questions += difficulty.questions
        evaluated = FoundStory(script, tracker, difficulty, self.evaluations, self.questions)
        is_harder = self.best is None or difficulty.accuracy < self.best.difficulty.accuracy
        if is_harder and self._sampler.is_met(draft):
            self.best = evaluated
        self._after_each()
        await asyncio.sleep(0)  # lets other searches of this process take their answers
        return evaluated

    def _is_perfect(self) -> bool:
        """True if no story can be harder than the best one: the reader answers all its questions wrongly."""
        return self.best is not None and self.best.difficulty.right == 0 < self.best.difficulty.questions

    # A*

    async def a_star(self) -> FoundStory | None:
        """Expands the node of least f = g + h until the evaluations are spent; returns the hardest story found.

        Where no node is left to expand, it starts anew at the empty story; it ends early if `ROOT_TRIES` expansions of
        that draw nothing new.

        g is the reader's accuracy on the beginning of a story, h is small if many random completions of it meet the
        conditions. If no story that meets them has been found, the last evaluation is kept for a random completion.
        Returns None if there is none.
        """
        settings, frontier, tries = self._settings, list[_Node](), 0
        while not self._is_perfect():
            node = heapq.heappop(frontier) if frontier else _Node(0.0, 0, 0.0, self._sampler.begin())
            neighbours = await self._neighbours(node)
            if not node.draft.actions:
                tries = 0 if neighbours else tries + 1
                if tries == ROOT_TRIES:
                    break
            for draft, share in neighbours:
                if self.evaluations >= settings.evaluations - (self.best is None) or self._is_perfect():
                    break
                evaluated = await self._evaluate(draft)
                if self._sampler.is_met(draft):
                    continue  # a story ends as soon as it meets the conditions
                # A beginning about which nothing can be asked yet counts as perfectly hard.
                accuracy = evaluated.difficulty.accuracy if evaluated.difficulty.questions else 0.0
                cost = accuracy + settings.weight * (1 - share)
                heapq.heappush(frontier, _Node(cost, self.evaluations, accuracy, draft))
            if self.evaluations >= settings.evaluations - (self.best is None):
                break
        if self.best is None and (last := self._completed(frontier)):
            await self._evaluate(last)
        return self.best

    async def _neighbours(self, node: _Node) -> list[tuple[StoryDraft, float]]:
        """Returns new continuations and their shares of completions that meet the conditions, highest shares first."""
        number = next(number for most, number in self._settings.neighbours if node.accuracy <= most)
        candidates: list[tuple[StoryDraft, float]] = []
        drawn: dict[tuple[StoryAction, ...], StoryDraft] = {}
        for _ in range(number * self._settings.drawn):
            draft = self._lengthened(node.draft)
            if draft is not None:
                drawn.setdefault(tuple(draft.actions), draft)
        for actions, draft in drawn.items():
            if actions not in self._seen:
                candidates.append((draft, self.share_met(draft)))
                await asyncio.sleep(0)  # lets other searches of this process take their answers
        candidates = sorted(candidates, key=lambda candidate: -candidate[1])[:number]
        self._seen.update(tuple(draft.actions) for draft, _ in candidates)
        return candidates

    def _lengthened(self, draft: StoryDraft) -> StoryDraft | None:
        """The draft with `grouping` more actions, fewer if it then meets the conditions; None if none is possible."""
        sampler, longer = self._sampler, draft.copy()
        for _ in range(self._settings.grouping):
            if sampler.is_full(longer) or not sampler.add(longer, self._rng) or sampler.is_met(longer):
                break
        return longer if len(longer.actions) > len(draft.actions) else None

    def share_met(self, draft: StoryDraft) -> float:
        """Estimates the share of random completions that meet the conditions; 1 if the story already meets them."""
        sampler, number = self._sampler, self._settings.completions
        if sampler.is_met(draft):
            return 1.0
        if not sampler.can_be_met(draft):
            return 0.0
        return sum(sampler.can_complete(draft.copy(), self._rng) for _ in range(number)) / number

    def _completed(self, frontier: list[_Node]) -> StoryDraft | None:
        """A random completion of the best node that has one, or else a random story; None if neither is found."""
        for node in sorted(frontier):
            for _ in range(self._settings.completions):
                draft = node.draft.copy()
                if self._sampler.complete(draft, self._rng):
                    return draft
        return self._sampler.draw_draft(self._rng)

    # Baselines

    async def random_search(self) -> FoundStory | None:
        """The hardest of as many random stories as there are evaluations; None if none meets the conditions."""
        for _ in range(self._settings.evaluations):
            draft = self._sampler.draw_draft(self._rng)
            if draft is None or self._is_perfect():
                break
            await self._evaluate(draft)
        return self.best

    async def over_generate(self, stories: int) -> list[FoundStory]:
        """Evaluates as many random stories as this many searches would, and returns the hardest ones, each once."""
        found: dict[StoryScript, FoundStory] = {}
        for _ in range(stories * self._settings.evaluations):
            draft = self._sampler.draw_draft(self._rng)
            if draft is None:
                break
            evaluated = await self._evaluate(draft)
            found.setdefault(evaluated.script, evaluated)
        return sorted(found.values(), key=lambda story: story.difficulty.accuracy)[:stories]


A_STAR, RANDOM, OVER_GENERATION = "a_star", "random", "over_generation"
METHODS = (A_STAR, RANDOM, OVER_GENERATION)
"""A* with f = g + h; the hardest of as many random stories as A* evaluates; the hardest of all those of a setting."""


async def search_stories(method: str, search: StorySearch, stories: int) -> list[FoundStory]:
    """Finds stories by a method: over-generation up to `stories`, A* and random search at most one."""
    if method == OVER_GENERATION:
        return await search.over_generate(stories)
    story = await (search.a_star() if method == A_STAR else search.random_search())
    return [story] if story else []
