"""Stories as a world of one seat: an episode is a story, a turn a question about it, an action the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from hm_agent.core import Observation, Seat, Turn, World
from hm_agent.worlds.exploretom.actions import StoryScript
from hm_agent.worlds.exploretom.cast import CastLists
from hm_agent.worlds.exploretom.grading import meaning
from hm_agent.worlds.exploretom.language import text_of
from hm_agent.worlds.exploretom.sampling import ActionSet, story_of
from hm_agent.worlds.exploretom.story_questions import AnsweredStory, StoryQuestion

READER: Seat = "reader"


@dataclass(frozen=True, slots=True)
class StoryView:
    """What a reader sees: the story's text, a question and its choices, none where the answer is free.

    sees_contents: whether entering a room shows what its containers hold. number, questions: which of how many.
    """

    story: str
    question: str
    choices: tuple[str, ...]
    sees_contents: bool
    number: int
    questions: int


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """A question as only viewers see it: with its answer, what was answered, and whether that is right."""

    question: StoryQuestion
    given: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class StoryScene:
    """What only viewers see once a question is answered: the actions of the story, and the graded answer."""

    script: StoryScript
    graded: GradedAnswer


@dataclass(frozen=True, slots=True)
class StorySettings:
    """What the stories of a world are like.

    questions: at most so many are asked, drawn from the seed; None for all. shows_choices: False for free answers.
    """

    action_set: ActionSet
    lists: CastLists
    sees_contents: bool = False
    shows_choices: bool = True
    questions: int | None = None


class StoryWorld(World[StoryView, str]):
    """Asks all that can be asked about a story drawn from the seed; each right answer pays 1."""

    seats: Sequence[Seat] = (READER,)

    def __init__(self, settings: StorySettings) -> None:
        self.settings = settings
        self._questions: Sequence[StoryQuestion] = ()
        self._graded: list[GradedAnswer] = []
        self._text = ""
        self._script = StoryScript(())

    @property
    def graded(self) -> Sequence[GradedAnswer]:
        """All answers so far."""
        return self._graded

    def reset(self, seed: int) -> Turn[StoryView]:
        settings = self.settings
        drawn = story_of(seed, settings.action_set, settings.lists, sees_contents=settings.sees_contents)
        self._script, self._text, self._graded = drawn.script, text_of(drawn.script), []
        self._questions = AnsweredStory(drawn.script, drawn.tracker).questions()
        if settings.questions is not None and settings.questions < len(self._questions):
            chosen = sorted(Random(seed).sample(range(len(self._questions)), settings.questions))
            self._questions = [self._questions[index] for index in chosen]
        return self._turn({})

    def step(self, actions: Mapping[Seat, str]) -> Turn[StoryView]:
        question, given = self._questions[len(self._graded)], actions[READER]
        is_right = meaning(given, question.choices) == question.answer
        self._graded.append(GradedAnswer(question, given, is_right))
        return self._turn({READER: float(is_right)})

    def _turn(self, rewards: Mapping[Seat, float]) -> Turn[StoryView]:
        step = len(self._graded)
        if step == len(self._questions):
            return Turn(step, {}, rewards, is_over=True)
        question = self._questions[step]
        choices = question.choices if self.settings.shows_choices else ()
        view = StoryView(
            self._text, question.asked.text, choices, self.settings.sees_contents, step + 1, len(self._questions)
        )
        return Turn(step, {READER: Observation(step, view, rewards.get(READER, 0.0))}, rewards)

    def scene(self) -> StoryScene | None:
        return StoryScene(self._script, self._graded[-1]) if self._graded else None

    def metrics(self) -> Mapping[str, float]:
        return accuracies(self._graded)


def accuracies(graded: Sequence[GradedAnswer]) -> Mapping[str, float]:
    """Shares of right answers: of all, and by kind of question, for the kinds that were asked.

    sets_right: the share of sets with no wrong answer; a set has the questions about one property of one thing.
    all_right: 1 if no answer is wrong.
    """
    if not graded:
        return {}
    kinds: dict[str, list[bool]] = {"accuracy": [one.is_right for one in graded]}
    sets: dict[tuple[str, str, str | None], bool] = {}
    for one in graded:
        asked = one.question.asked
        kinds.setdefault(f"accuracy_order_{asked.order}", []).append(one.is_right)
        kinds.setdefault(f"accuracy_{asked.about.value}", []).append(one.is_right)
        if asked.order:
            interest = "interesting" if one.question.is_interesting else "uninteresting"
            kinds.setdefault(f"accuracy_{interest}", []).append(one.is_right)
            if one.question.is_false_belief:
                kinds.setdefault("accuracy_false_belief", []).append(one.is_right)
        key = (asked.about.value, asked.subject, asked.state)
        sets[key] = sets.get(key, True) and one.is_right
    shares = {name: _share(right) for name, right in kinds.items()}
    return {
        **shares,
        "sets_right": _share(sets.values()),
        "all_right": float(all(sets.values())),
        "questions": len(graded),
    }


def _share(right: Iterable[bool]) -> float:
    values = list(right)
    return sum(values) / len(values)
