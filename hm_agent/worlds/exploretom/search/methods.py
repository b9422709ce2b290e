"""Three ways to find stories that a reader finds hard, at equal cost: A*, over-generation and random search."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from random import Random

from hm_agent.worlds.exploretom.random_stories.sampling import StoryDraft, StorySampler
from hm_agent.worlds.exploretom.search.difficulty import Difficulty, do_nothing
from hm_agent.worlds.exploretom.story.actions import StoryAction, StoryScript
from hm_agent.worlds.exploretom.story.beliefs import BeliefTracker

Measure = Callable[[StoryScript, BeliefTracker], Awaitable[Difficulty]]
"""From a story, or the beginning of one, and its tracker to how hard it is (`DifficultyMeter.measure`)."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How stories are searched; the defaults are the paper's (section 3), but for `drawn`, which it does not say.

    evaluations: how often, for each story that is found, a story or the beginning of one may be put to the reader.
    grouping: actions that a node adds (k). completions: random ones that estimate h (P). weight: of h (alpha).
    neighbours: (accuracy, how many neighbours of a node are evaluated if the reader's accuracy there is at most that).
    drawn: random continuations of a node among which these are chosen, for each.
    """

    evaluations: int = 50
    grouping: int = 3
    completions: int = 50
    weight: float = 0.1
    neighbours: tuple[tuple[float, int], ...] = ((0.5, 5), (0.75, 3), (1.0, 1))
    drawn: int = 2


@dataclass(frozen=True, slots=True)
class FoundStory:
    """A story that meets the conditions. evaluations, questions: what was spent to find it."""

    script: StoryScript
    tracker: BeliefTracker
    difficulty: Difficulty
    evaluations: int
    questions: int


@dataclass(order=True, slots=True)
class _Node:
    """The beginning of a story. cost: f = g + h. number: in the order of their making, for equal costs."""

    cost: float
    number: int
    accuracy: float
    draft: StoryDraft


class StorySearch:
    """A search for stories of one sampler.

    evaluations, questions: spent so far. best: the lowest accuracy among the stories so far that meet the conditions.
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
        """Puts a story to the reader; keeps it if it meets the conditions and is harder than all before it."""
        self.evaluations += 1
        script, tracker = self._sampler.script(draft), self._sampler.tracked(draft)
        difficulty = await self._measure(script, tracker)
        self.questions += difficulty.questions
        found = FoundStory(script, tracker, difficulty, self.evaluations, self.questions)
        is_harder = self.best is None or difficulty.accuracy < self.best.difficulty.accuracy
        if is_harder and self._sampler.is_met(draft):
            self.best = found
        self._after_each()
        await asyncio.sleep(0)  # other searches of this process have answers to take
        return found

    def _is_perfect(self) -> bool:
        """True if no story can be harder than the best one: its reader is never right."""
        return self.best is not None and self.best.difficulty.right == 0 < self.best.difficulty.questions

    # A*

    async def a_star(self) -> FoundStory | None:
        """Expands the node of least f = g + h, until the evaluations are spent; returns the hardest story met.

        g is the reader's accuracy on the beginning of a story, h is small if many random completions of it meet the
        conditions. The last evaluation is kept for a story that meets them. Returns None if there is none.
        """
        settings, frontier = self._settings, list[_Node]()
        while not self._is_perfect():
            node = heapq.heappop(frontier) if frontier else _Node(0.0, 0, 0.0, self._sampler.begin())
            is_root = not node.draft.actions
            neighbours = await self._neighbours(node)
            if is_root and not neighbours:
                break  # every story there is has been seen
            for draft, share in neighbours:
                if self.evaluations >= settings.evaluations - (self.best is None) or self._is_perfect():
                    break
                found = await self._evaluate(draft)
                if self._sampler.is_met(draft):
                    continue  # a story ends as soon as it meets the conditions
                # Of a beginning about which nothing can be asked yet, the best is to be hoped.
                accuracy = found.difficulty.accuracy if found.difficulty.questions else 0.0
                cost = accuracy + settings.weight * (1 - share)
                heapq.heappush(frontier, _Node(cost, self.evaluations, accuracy, draft))
            if self.evaluations >= settings.evaluations - (self.best is None):
                break
        if self.best is None and (last := self._completed(frontier)):
            await self._evaluate(last)
        return self.best

    async def _neighbours(self, node: _Node) -> list[tuple[StoryDraft, float]]:
        """New continuations, with their shares of completions that meet the conditions: those of the highest shares."""
        number = next(number for most, number in self._settings.neighbours if node.accuracy <= most)
        found: list[tuple[StoryDraft, float]] = []
        drawn: dict[tuple[StoryAction, ...], StoryDraft] = {}
        for _ in range(number * self._settings.drawn):
            draft = self._lengthened(node.draft)
            if draft is not None:
                drawn.setdefault(tuple(draft.actions), draft)
        for actions, draft in drawn.items():
            if actions not in self._seen:
                found.append((draft, self.share_met(draft)))
                await asyncio.sleep(0)  # other searches of this process have answers to take
        found = sorted(found, key=lambda one: -one[1])[:number]
        self._seen.update(tuple(draft.actions) for draft, _ in found)
        return found

    def _lengthened(self, draft: StoryDraft) -> StoryDraft | None:
        """The draft with a few more actions, fewer if it then meets the conditions; None if none is possible."""
        sampler, made = self._sampler, draft.copy()
        for _ in range(self._settings.grouping):
            if sampler.is_full(made) or not sampler.add(made, self._rng) or sampler.is_met(made):
                break
        return made if len(made.actions) > len(draft.actions) else None

    def share_met(self, draft: StoryDraft) -> float:
        """The share of random completions that meet the conditions; 1 if the story meets them as it is."""
        sampler, number = self._sampler, self._settings.completions
        if sampler.is_met(draft):
            return 1.0
        if not sampler.can_be_met(draft):
            return 0.0
        return sum(sampler.can_complete(draft.copy(), self._rng) for _ in range(number)) / number

    def _completed(self, frontier: list[_Node]) -> StoryDraft | None:
        """A random completion of the most promising node that has one, or else a random story; None without any."""
        for node in sorted(frontier):
            for _ in range(self._settings.completions):
                draft = node.draft.copy()
                if self._sampler.complete(draft, self._rng):
                    return draft
        return self._sampler.draw_draft(self._rng)

    # Without a search

    async def random_search(self) -> FoundStory | None:
        """The hardest of as many random stories as there are evaluations; None if none meets the conditions."""
        for _ in range(self._settings.evaluations):
            draft = self._sampler.draw_draft(self._rng)
            if draft is None or self._is_perfect():
                break
            await self._evaluate(draft)
        return self.best

    async def over_generate(self, stories: int) -> list[FoundStory]:
        """The hardest stories of all random ones that are evaluated, as many as a search for each would evaluate.

        Each is there once, however often it was drawn.
        """
        found: dict[StoryScript, FoundStory] = {}
        for _ in range(stories * self._settings.evaluations):
            draft = self._sampler.draw_draft(self._rng)
            if draft is None:
                break
            evaluated = await self._evaluate(draft)
            found.setdefault(evaluated.script, evaluated)
        return sorted(found.values(), key=lambda one: one.difficulty.accuracy)[:stories]


A_STAR, RANDOM, OVER_GENERATION = "a_star", "random", "over_generation"
METHODS: Mapping[str, str] = {
    A_STAR: "A* with f = g + h",
    RANDOM: "the hardest of as many random stories as A* evaluates",
    OVER_GENERATION: "the hardest of all random stories of a setting",
}
"""What each method does, by name."""


async def search_stories(method: str, search: StorySearch, stories: int) -> list[FoundStory]:
    """Finds as many stories as a method can; A* and random search find one."""
    if method == OVER_GENERATION:
        return await search.over_generate(stories)
    found = await (search.a_star() if method == A_STAR else search.random_search())
    return [found] if found else []
