"""Stories as a world of one seat: an episode is a story, a turn a question about it, an action the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from hm_agent.core import Observation, Seat, Turn, World
from hm_agent.worlds.exploretom.questions.functional import pose_functional
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.posing import PosableQuestion, PosedStory
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, chance
from hm_agent.worlds.exploretom.random_stories.action_sets import ActionSet
from hm_agent.worlds.exploretom.random_stories.cast import CastLists
from hm_agent.worlds.exploretom.random_stories.sampling import story_of
from hm_agent.worlds.exploretom.story.language import text_of

READER: Seat = "reader"


@dataclass(frozen=True, slots=True)
class StoryView:
    """What a reader sees: the story's text, a question and its choices, none where the answer is free.

    sees_contents: whether entering a room shows what its containers hold. number, questions: which of how many.
    tells_grades: whether the next observation's reward tells if the answer was right.
    """

    story: str
    question: str
    choices: tuple[str, ...]
    sees_contents: bool
    number: int
    questions: int
    tells_grades: bool = True


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """A question as only viewers see it: with its answer, what was answered, and which choice that means, if any."""

    question: PosableQuestion
    given: str
    meant: str | None

    @property
    def is_right(self) -> bool:
        return self.meant == self.question.answer


@dataclass(frozen=True, slots=True)
class StorySettings:
    """What the stories of a world are like.

    is_functional: True to ask functional items, and the literal questions that they need.
    """

    action_set: ActionSet
    lists: CastLists
    sees_contents: bool = False
    is_functional: bool = False


PoseStory = Callable[[int], PosedStory]
"""The story of a seed, with its questions."""


def pose_drawn(settings: StorySettings, seed: int) -> PosedStory:
    """The story of a seed in these settings, with all its questions."""
    drawn = story_of(seed, settings.action_set, settings.lists, sees_contents=settings.sees_contents)
    story, text = AnsweredStory(drawn.script, drawn.tracker), text_of(drawn.script)
    if settings.is_functional:
        return pose_functional(story, text)
    return PosedStory(text, settings.sees_contents, story.questions())


class StoryWorld(World[StoryView, str]):
    """Asks questions about the story of a seed; each right answer pays 1.

    If any of them is a functional item, the reader is told no rewards: the grade of a literal answer would tell what to
    do in the item that depends on it.

    shows_choices: False for free answers. questions: at most so many are asked, drawn from the seed; None for all.
    """

    seats: Sequence[Seat] = (READER,)

    def __init__(self, pose: PoseStory, *, shows_choices: bool = True, questions: int | None = None) -> None:
        self._pose, self._shows_choices, self._most = pose, shows_choices, questions
        self._story = PosedStory("", sees_contents=False, questions=())
        self._graded: list[GradedAnswer] = []

    @property
    def graded(self) -> Sequence[GradedAnswer]:
        """All answers so far."""
        return self._graded

    @property
    def questions(self) -> Sequence[PosableQuestion]:
        """All that are asked in this episode."""
        return self._story.questions

    @property
    def scored_items(self) -> Sequence[PosableQuestion]:
        """The functional items that `pairing` counts."""
        return [self.questions[index] for index, needed in enumerate(self._story.relies_on) if needed]

    def reset(self, seed: int) -> Turn[StoryView]:
        self._story, self._graded = self._pose(seed), []
        if self._most is not None and self._most < len(self.questions):
            self._story = _some(self._story, self._most, seed)
        return self._turn({})

    def step(self, actions: Mapping[Seat, str]) -> Turn[StoryView]:
        question, given = self.questions[len(self._graded)], actions[READER]
        graded = GradedAnswer(question, given, meaning(given, question.choices, question.text))
        self._graded.append(graded)
        return self._turn({READER: float(graded.is_right)})

    def _turn(self, rewards: Mapping[Seat, float]) -> Turn[StoryView]:
        step = len(self._graded)
        if step == len(self.questions):
            return Turn(step, {}, rewards, is_over=True)
        question = self.questions[step]
        choices = question.choices if self._shows_choices else ()
        view = StoryView(
            self._story.text,
            question.text,
            choices,
            self._story.sees_contents,
            step + 1,
            len(self.questions),
            tells_grades=not any(one.kind.is_functional for one in self.questions),
        )
        told = rewards.get(READER, 0.0) if view.tells_grades else 0.0
        return Turn(step, {READER: Observation(step, view, told)}, rewards)

    def scene(self) -> GradedAnswer | None:
        return self._graded[-1] if self._graded else None

    def metrics(self) -> Mapping[str, float]:
        return {**accuracies(self._graded), **pairing(self._graded, self._story.relies_on)}


def _some(story: PosedStory, most: int, seed: int) -> PosedStory:
    """As many of the questions, drawn from the seed.

    Functional ones bring along those that they rely on, and go before these, which are asked for their sake. If none
    has room with them, one that relies on the fewest is asked all the same.
    """
    rng, relies_on = Random(seed), story.relies_on or [()] * len(story.questions)
    chosen: set[int] = set()
    drawn = rng.sample(range(len(story.questions)), len(story.questions))
    for index in sorted(drawn, key=lambda index: not relies_on[index]):
        together = {index, *relies_on[index]} | chosen
        chosen = together if len(together) <= most else chosen
    items = [{index, *relies_on[index]} for index in drawn if relies_on[index]]
    if items and not any(item <= chosen for item in items):
        chosen = min(items, key=len)
    kept = sorted(chosen)
    place = {index: new for new, index in enumerate(kept)}
    return replace(
        story,
        questions=[story.questions[index] for index in kept],
        relies_on=[[place[needed] for needed in relies_on[index]] for index in kept],
    )


def accuracies(graded: Sequence[GradedAnswer]) -> Mapping[str, float]:
    """Shares of right answers: of all, and by kind of question, for the kinds that were asked.

    sets_right: the share of sets with no wrong answer; a set has the questions about one property of one thing.
    all_right: 1 if no answer is wrong. chance: the share that answers drawn by lot would get right, from
    the choices that can be right. unclear: the share of answers that mean no choice, or may mean several; they count as
    wrong in the other shares.
    """
    if not graded:
        return {}
    kinds: dict[str, list[bool]] = {"accuracy": [one.is_right for one in graded]}
    sets: dict[str, bool] = {}
    for one in graded:
        kind = one.question.kind
        if kind.order is not None and not kind.is_functional:
            kinds.setdefault(f"accuracy_order_{kind.order}", []).append(one.is_right)
        kinds.setdefault(f"accuracy_{kind.about}", []).append(one.is_right)
        if kind.order and kind.is_interesting is not None:
            interest = "interesting" if kind.is_interesting else "uninteresting"
            kinds.setdefault(f"accuracy_{interest}", []).append(one.is_right)
        if kind.is_false_belief:
            kinds.setdefault("accuracy_false_belief", []).append(one.is_right)
        sets[kind.set_id] = sets.get(kind.set_id, True) and one.is_right
    shares = {name: _share(right) for name, right in kinds.items()}
    return {
        **shares,
        "sets_right": _share(sets.values()),
        "all_right": float(all(sets.values())),
        "chance": _share(chance(one.question.choices) for one in graded),
        "unclear": _share(one.meant is None for one in graded),
        "questions": len(graded),
    }


def pairing(graded: Sequence[GradedAnswer], relies_on: Sequence[Sequence[int]]) -> Mapping[str, float]:
    """Functional items beside the literal questions that they need; nothing where none was asked.

    functional: the share of items that are right. literal: the share of items of which all literal questions are
    right. functional_minus_literal: the difference.
    functional_if_literal: the share of right items among those whose literal questions are all right.
    """
    both = [
        (one.is_right, all(graded[index].is_right for index in needed))
        for one, needed in zip(graded, relies_on, strict=False)
        if needed
    ]
    if not both:
        return {}
    functional, literal = _share(right for right, _ in both), _share(known for _, known in both)
    given = [right for right, known in both if known]
    found = {"functional": functional, "literal": literal, "functional_minus_literal": functional - literal}
    return found | ({"functional_if_literal": _share(given)} if given else {})


def _share(right: Iterable[float]) -> float:
    values = list(right)
    return sum(values) / len(values)
