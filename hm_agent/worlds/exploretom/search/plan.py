"""The plan of a search: which stories to find, under which conditions, for which reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from hashlib import sha256
from itertools import groupby, product
from random import Random

from hm_agent.config import ConfigError
from hm_agent.core import Agent
from hm_agent.models.settings import ModelSettings
from hm_agent.questions import Model
from hm_agent.seeding import hashed_seed
from hm_agent.storage.row_file import Row
from hm_agent.worlds.exploretom.infilling import FIRST_TRY, PLAIN, RETOLD, ToldSentence
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, ActionKind, ActionSet
from hm_agent.worlds.exploretom.random_stories.cast import CastLists
from hm_agent.worlds.exploretom.random_stories.sampling import MAX_ACTIONS, StoryConditions, StorySampler, draw_story
from hm_agent.worlds.exploretom.readers.readers import MODEL_READERS, WEAK_RULES, WeakReader
from hm_agent.worlds.exploretom.search.difficulty import FIRST_ORDER
from hm_agent.worlds.exploretom.search.methods import A_STAR, OVER_GENERATION, FoundStory, SearchSettings
from hm_agent.worlds.exploretom.story.language import sentence_of
from hm_agent.worlds.exploretom.story.story_data import to_data
from hm_agent.worlds.exploretom.world import StoryView


def find_kinds(names: Sequence[str]) -> tuple[ActionKind, ...]:
    """The kinds of actions with these names in lower case; raises ConfigError for an unknown one."""
    known = {kind.name.lower(): kind for kind in ActionKind}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1) or known
            raise ConfigError(f"unknown kind of action {name!r}: say {', '.join(near)}")
    return tuple(known[name] for name in names)


@dataclass(frozen=True)
class SearchTask:
    """What one search finds: the stories of these numbers, all of one setting. seed: for the model's answers."""

    action_set: ActionSet
    numbers: tuple[int, ...]
    people: int
    important: int
    rooms: int
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of its stories, e.g. `a1/0003`."""
        return tuple(f"{self.action_set.name}/{number:04}" for number in self.numbers)


@dataclass(frozen=True)
class SearchPlan:
    """All searches of a command.

    stories: how many for each action set. seed: for all random draws. orders: of the questions that count. people,
    important: the stories of a set cycle through all combinations of these. rooms: one of these is drawn for each
    story. must_have: each story has an action of one of these kinds; those of the action set if empty. false_beliefs:
    see `StoryConditions`.
    """

    action_sets: tuple[str, ...]
    stories: int
    lists: CastLists = field(repr=False)
    model: ModelSettings = field(default_factory=ModelSettings)
    reader: str = "reader"
    method: str = A_STAR
    seed: int = 0
    orders: tuple[int, ...] = FIRST_ORDER
    people: tuple[int, ...] = (2, 3, 4)
    important: tuple[int, ...] = (2, 3, 4)
    rooms: tuple[int, ...] = (1, 2)
    max_actions: int = MAX_ACTIONS
    must_have: tuple[ActionKind, ...] = ()
    false_beliefs: int = 0
    sees_contents: bool = False
    settings: SearchSettings = field(default_factory=SearchSettings)

    def check(self) -> None:
        """Raises ConfigError, before any model call is paid for, if no random story meets the conditions of a task."""
        kinds = {(task.action_set.name, *_setting(task)): task for task in self.tasks()}
        for key, task in kinds.items():
            draw_story(Random(str(key)), self.lists, task.action_set.kinds, self.conditions(task))

    def tasks(self) -> list[SearchTask]:
        """All searches, in order: one for each story, but over-generation has one for each setting."""
        return [task for name in self.action_sets for task in self._tasks_of(ACTION_SETS[name])]

    def _tasks_of(self, action_set: ActionSet) -> Iterator[SearchTask]:
        single = [self._task(action_set, number) for number in range(self.stories)]
        if self.method != OVER_GENERATION:
            yield from single
            return
        by_setting = sorted(single, key=_setting)
        for _, tasks in groupby(by_setting, key=_setting):
            group = list(tasks)
            yield replace(group[0], numbers=tuple(number for task in group for number in task.numbers))

    def _task(self, action_set: ActionSet, number: int) -> SearchTask:
        settings = list(product(self.people, self.important))
        people, important = settings[number % len(settings)]
        key = f"{self.seed}/{action_set.name}/{number}"
        needs_two = set(self.must_have or action_set.must_have) == {ActionKind.CARRY}
        allowed_rooms = [rooms for rooms in self.rooms if rooms > 1 or not needs_two]
        if not allowed_rooms:
            raise ConfigError(f"--rooms: the stories of {action_set.name} move objects between rooms and need 2")
        rooms = Random(key).choice(allowed_rooms)
        return SearchTask(action_set, (number,), people, important, rooms, hashed_seed(key))

    def conditions(self, task: SearchTask) -> StoryConditions:
        return StoryConditions(
            people=task.people,
            important=task.important,
            rooms=task.rooms,
            max_actions=self.max_actions,
            must_have=self.must_have or task.action_set.must_have,
            is_asymmetric=task.action_set.is_asymmetric,
            sees_contents=self.sees_contents,
            needs_rooms=True,
            false_beliefs=self.false_beliefs,
        )

    def sampler(self, task: SearchTask, rng: Random) -> StorySampler:
        """A sampler of a task's stories, with a cast drawn for it."""
        cast = self.lists.draw(rng, task.people, task.rooms)
        return StorySampler(cast, task.action_set.kinds, self.conditions(task))

    @property
    def asks_model(self) -> bool:
        """False if the reader is a weak one."""
        return self.reader in MODEL_READERS

    def reader_for(self, model: Model | None) -> Agent[StoryView, str]:
        """A reader for one task; `model` is None for a weak one."""
        if self.reader in WEAK_RULES:
            return WeakReader(WEAK_RULES[self.reader])
        assert model is not None
        return MODEL_READERS[self.reader](model)

    @property
    def identity(self) -> Row:
        """The settings that all stories of a folder share; a later run with the same ones may add stories."""
        shared: Row = {
            "model": self.model.name if self.asks_model else None,
            "sampling": self.model.sampling.recorded() if self.asks_model else None,
            "reader": self.reader,
            "method": self.method,
            "seed": self.seed,
            "orders": list(self.orders),
            "people": list(self.people),
            "important": list(self.important),
            "rooms": list(self.rooms),
            "max_actions": self.max_actions,
            "must_have": [kind.name.lower() for kind in self.must_have],
            "false_beliefs": self.false_beliefs,
            "sees_contents": self.sees_contents,
            "search": asdict(self.settings) | {"neighbours": [list(pair) for pair in self.settings.neighbours]},
            "cast": sha256(repr(self.lists).encode()).hexdigest()[:16],
        }
        return shared | ({"stories": self.stories} if self.method == OVER_GENERATION else {})


def _setting(task: SearchTask) -> tuple[int, int, int]:
    return task.people, task.important, task.rooms


def rows_of(plan: SearchPlan, task: SearchTask, found: Sequence[FoundStory]) -> list[Row]:
    """The stories that a task found, as rows of stories.jsonl."""
    return [
        {
            "id": name,
            "action_set": task.action_set.name,
            "people": task.people,
            "important": task.important,
            "rooms": task.rooms,
            "seed": plan.seed,
            "model": plan.model.name if plan.asks_model else None,
            "reader": plan.reader,
            "method": plan.method,
            "orders": list(plan.orders),
            "accuracy": round(story.difficulty.accuracy, 6),
            "right": story.difficulty.right,
            "questions": story.difficulty.questions,
            "evaluations": story.evaluations,
            "asked": story.questions,
            "story": to_data(story.script),
            "text": [sentence_of(action) for action in story.script.actions],
        }
        for name, story in zip(task.names, found, strict=False)
    ]


@dataclass(frozen=True)
class Writers:
    """The models that tell stories and judge the tellings, by name."""

    teller: str
    judge: str


def telling_row(name: str, writers: Writers, tellings: Sequence[ToldSentence]) -> Row:
    """A told story as a row of told.jsonl. is_told: True if no action is told by its plain sentence."""
    counts = Counter(telling.how for telling in tellings)
    return {
        "id": name,
        "teller": writers.teller,
        "judge": writers.judge,
        "text": " ".join(telling.text for telling in tellings),
        "is_told": counts[PLAIN] == 0,
        **{how: counts[how] for how in (FIRST_TRY, RETOLD, PLAIN)},
        "refused": sum(len(telling.objections) for telling in tellings),
        "sentences": [asdict(telling) for telling in tellings],
    }
