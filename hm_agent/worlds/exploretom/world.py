"""Stories as a world with one seat: an episode is a story, a turn is a question about it, an action is the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from hm_agent.core import LiteralQuestion, Observation, Seat, Turn, World
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
    """What a reader sees: the story's text, a question, and its choices, empty if the answer is free.

    sees_contents: whether entering a room shows what its containers hold. number: the number of the question, from 1.
    questions: how many are asked. tells_grades: whether the next observation's reward tells if the answer was right.
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
    """A question with the answer that was given, as only viewers see it.

    given: the answer in the reader's words. meant: the choice that it means; None if it means none, or may mean
    several.
    """

    question: PosableQuestion
    given: str
    meant: str | None

    @property
    def is_right(self) -> bool:
        return self.meant == self.question.answer


PoseStory = Callable[[int], PosedStory]
"""Maps a seed to a story with its questions."""


def pose_drawn(
    action_set: ActionSet, lists: CastLists, sees_contents: bool, is_functional: bool, seed: int
) -> PosedStory:
    """Draws the story of a seed, with all its questions.

    is_functional: True to ask functional items, and the literal questions that they rely on.
    """
    drawn = story_of(seed, action_set, lists, sees_contents=sees_contents)
    story, text = AnsweredStory(drawn.script, drawn.tracker), text_of(drawn.script)
    if is_functional:
        return pose_functional(story, text)
    return PosedStory(text, sees_contents, story.questions())


class StoryWorld(World[StoryView, str]):
    """Asks questions about the story of a seed; each right answer is rewarded with 1.

    If any question is a functional item, the reader sees no rewards: the grade of a literal answer would give away the
    item that relies on it.

    shows_choices: False for free answers. questions: the most questions to ask, sampled by the seed; None for all.
    """

    seats: Sequence[Seat] = (READER,)

    def __init__(self, pose: PoseStory, *, shows_choices: bool = True, questions: int | None = None) -> None:
        self._pose, self._shows_choices, self._max_questions = pose, shows_choices, questions
        self._story = PosedStory("", sees_contents=False, questions=())
        self.graded: list[GradedAnswer] = []
        """All answers so far."""

    @property
    def questions(self) -> Sequence[PosableQuestion]:
        return self._story.questions

    @property
    def scored_items(self) -> Sequence[PosableQuestion]:
        """The functional items that `pairing` counts."""
        return [self.questions[index] for index, needed in enumerate(self._story.relies_on) if needed]

    def reset(self, seed: int) -> Turn[StoryView]:
        self._story, self.graded = self._pose(seed), []
        if self._max_questions is not None and self._max_questions < len(self.questions):
            self._story = _sample_questions(self._story, self._max_questions, seed)
        return self._next_turn({})

    def step(self, actions: Mapping[Seat, str]) -> Turn[StoryView]:
        question, given = self.questions[len(self.graded)], actions[READER]
        if not isinstance(given, str):
            raise ValueError(f"{repr(given)[:60]} is no answer: say it as text")
        graded = GradedAnswer(question, given, meaning(given, question.choices, question.text))
        self.graded.append(graded)
        return self._next_turn({READER: float(graded.is_right)})

    def _next_turn(self, rewards: Mapping[Seat, float]) -> Turn[StoryView]:
        """The turn of the next question, or the last turn if none is left.

        If any question is functional, the reader isn't told the reward of its latest answer.
        """
        step = len(self.graded)
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
            tells_grades=not any(posed.kind.is_functional for posed in self.questions),
        )
        reward = rewards.get(READER, 0.0) if view.tells_grades else 0.0
        return Turn(step, {READER: Observation(step, view, reward)}, rewards)

    def literal_questions(self, seat: Seat) -> Sequence[LiteralQuestion]:
        """Returns all questions of the episode but its functional items."""
        literal = (question for question in self.questions if not question.kind.is_functional)
        return [LiteralQuestion(question.text, question.choices, question.answer) for question in literal]

    def scene(self) -> GradedAnswer | None:
        return self.graded[-1] if self.graded else None

    def metrics(self) -> Mapping[str, float]:
        return {**accuracies(self.graded), **pairing(self.graded, self._story.relies_on)}


def _sample_questions(story: PosedStory, max_questions: int, seed: int) -> PosedStory:
    """Returns a story with at most this many of its questions, sampled by the seed.

    Functional items come first, each with the literal questions that it relies on. If no item fits with these, only the
    one that relies on the fewest is asked, even if that is too many.
    """
    rng, relies_on = Random(seed), story.relies_on or [()] * len(story.questions)
    chosen: set[int] = set()
    shuffled = rng.sample(range(len(story.questions)), len(story.questions))
    for index in sorted(shuffled, key=lambda index: not relies_on[index]):
        together = {index, *relies_on[index]} | chosen
        chosen = together if len(together) <= max_questions else chosen
    items = [{index, *relies_on[index]} for index in shuffled if relies_on[index]]
    if items and not any(item <= chosen for item in items):
        chosen = min(items, key=len)
    indices = sorted(chosen)
    new_index = {index: new for new, index in enumerate(indices)}
    return replace(
        story,
        questions=[story.questions[index] for index in indices],
        relies_on=[[new_index[needed] for needed in relies_on[index]] for index in indices],
    )


def accuracies(graded: Sequence[GradedAnswer]) -> Mapping[str, float]:
    """Returns shares of right answers: over all questions, and for each kind of question that was asked.

    sets_right: the share of sets without a wrong answer; a set has the questions about one property of one thing.
    all_right: 1 if no answer is wrong. chance: the expected share for answers drawn uniformly from the choices that can
    be right. unclear: the share of answers that mean no choice, or may mean several; the other shares count them as
    wrong.
    """
    if not graded:
        return {}
    right_by_kind: dict[str, list[bool]] = {"accuracy": [answer.is_right for answer in graded]}
    sets: dict[str, bool] = {}
    for answer in graded:
        kind = answer.question.kind
        if kind.order is not None and not kind.is_functional:
            right_by_kind.setdefault(f"accuracy_order_{kind.order}", []).append(answer.is_right)
        right_by_kind.setdefault(f"accuracy_{kind.about}", []).append(answer.is_right)
        if kind.order and kind.is_interesting is not None:
            interest = "interesting" if kind.is_interesting else "uninteresting"
            right_by_kind.setdefault(f"accuracy_{interest}", []).append(answer.is_right)
        if kind.is_false_belief:
            right_by_kind.setdefault("accuracy_false_belief", []).append(answer.is_right)
        sets[kind.set_id] = sets.get(kind.set_id, True) and answer.is_right
    shares = {name: _mean(right) for name, right in right_by_kind.items()}
    return {
        **shares,
        "sets_right": _mean(sets.values()),
        "all_right": float(all(sets.values())),
        "chance": _mean(chance(answer.question.choices) for answer in graded),
        "unclear": _mean(answer.meant is None for answer in graded),
        "questions": len(graded),
    }


def pairing(graded: Sequence[GradedAnswer], relies_on: Sequence[Sequence[int]]) -> Mapping[str, float]:
    """Compares functional items with the literal questions that they rely on; empty if no item was asked.

    functional: the share of items that are right. literal: the share of items of which all literal questions are right.
    functional_minus_literal: the difference. functional_if_literal: the share of right items among those whose literal
    questions are all right; absent if there are none.
    """
    pairs = [
        (item.is_right, all(graded[index].is_right for index in needed))
        for item, needed in zip(graded, relies_on, strict=False)
        if needed
    ]
    if not pairs:
        return {}
    functional, literal = _mean(right for right, _ in pairs), _mean(known for _, known in pairs)
    if_literal = [right for right, known in pairs if known]
    metrics = {"functional": functional, "literal": literal, "functional_minus_literal": functional - literal}
    return metrics | ({"functional_if_literal": _mean(if_literal)} if if_literal else {})


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
