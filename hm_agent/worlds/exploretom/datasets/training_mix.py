"""Which questions to train on: shares of interesting questions and of stories that require theory of mind (section 4).

Figure 5 of the paper compares such mixes; a question is interesting if its answer depends on whom it asks about, and a
story requires theory of mind if it has such a question (section 5).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.datasets.item import LITERAL, StoryItem
from hm_agent.worlds.exploretom.datasets.making import SourceStory, action_rows, items_of
from hm_agent.worlds.exploretom.questions.asked import AskedProperty
from hm_agent.worlds.exploretom.story.actions import StoryScript


@dataclass(frozen=True, slots=True)
class TrainingMix:
    """What a mix is made of. size: the number of questions.

    interesting: the share of interesting questions. tom_stories: the share of stories that require theory of mind.
    per_story: the most questions of a story. set_shares: the shares of action sets in the questions, 1 for those not
    named. told: the share asked about a story's telling, of the stories that a language model has told.
    """

    size: int
    interesting: float = 0.5
    tom_stories: float = 1.0
    per_story: int = 4
    set_shares: Mapping[str, int] = field(default_factory=dict)
    told: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        if self.interesting > self.tom_stories:
            raise ConfigError(
                f"--interesting={self.interesting:g} is more than --tom_stories={self.tom_stories:g}: only stories "
                "that require theory of mind have interesting questions"
            )


@dataclass(frozen=True, slots=True)
class MixedSet:
    """The part of a mix from one action set. items: its questions, `story` being the text that is asked about.

    stories: how many it comes from; tom_stories, told: how many of them require theory of mind, and are asked about as
    told by a language model.
    """

    action_set: str
    items: Sequence[StoryItem]
    stories: int
    tom_stories: int
    told: int

    @property
    def interesting(self) -> float:
        """The share of interesting questions."""
        return sum(item.interesting for item in self.items) / len(self.items)


@dataclass(frozen=True, slots=True)
class _Portion:
    """How many questions to take from one story."""

    interesting: int
    others: int


def mixed_sets(
    mix: TrainingMix, stories: Mapping[str, Iterable[SourceStory]], held_out: Collection[Hashable]
) -> list[MixedSet]:
    """Takes the questions of a mix from the stories of each action set, read in order and only as far as needed.

    held_out: the structures of the stories to evaluate on; stories that share one are passed over. Raises ConfigError
    if the stories of a set are too few.
    """
    if unknown := set(mix.set_shares) - set(stories):
        raise ConfigError(f"--set_shares: no training story is of the set {min(unknown)!r}: {', '.join(stories)}")
    shares = [mix.set_shares.get(name, 1) for name in stories]
    ends = [mix.size * sum(shares[:count]) // sum(shares) for count in range(len(shares) + 1)]
    return [
        _mixed_set(mix, name, end - start, stories[name], held_out)
        for name, (start, end) in zip(stories, pairwise(ends), strict=True)
        if end > start
    ]


def shuffled_items(mix: TrainingMix, parts: Sequence[MixedSet]) -> list[StoryItem]:
    """The questions of all sets in a random order, always the same for the same mix and stories."""
    items = [item for part in parts for item in part.items]
    Random(mix.seed).shuffle(items)
    return items


def structure_of(script: StoryScript) -> Hashable:
    """A story without its names: two stories have the same structure if renaming makes one the other.

    In which order those are listed who peek, or are distracted, makes no difference.
    """
    table, numbers = list(action_rows(script)), dict[tuple[str, str], int]()
    places: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for row_number, row in enumerate(table):
        for key, value in row.items():
            for name in value if isinstance(value, tuple) else [value]:
                places.setdefault((_sort(key), str(name)), []).append((row_number, key))

    def number(key: str, name: str) -> int:
        return numbers.setdefault((_sort(key), name), len(numbers))

    def cell(key: str, value: object) -> Hashable:
        if isinstance(value, tuple):
            in_order = sorted(value, key=lambda name: places[_sort(key), name])
            return tuple(sorted(number(key, name) for name in in_order))
        return number(key, value) if isinstance(value, str) and key != "action" else value

    rows = (tuple(cell(key, value) for key, value in row.items()) for row in table)
    return script.sees_contents, tuple(rows)


def _sort(column: str) -> str:
    """The sort of names in a column of actions."""
    return _SORTS.get(column, column.removeprefix("told_"))


_SORTS = {"listener": "person", "peekers": "person", "distracted": "person"}
"""The columns of actions that hold the same sort of name as another column."""


def _mixed_set(
    mix: TrainingMix, name: str, size: int, stories: Iterable[SourceStory], held_out: Collection[Hashable]
) -> MixedSet:
    """The questions from one action set: from each story in order one portion, if it has as many questions."""
    due = _portions(mix, size)
    tom_stories = len(due[True])
    items: list[StoryItem] = []
    number = can_tell = told = 0
    for story in stories:
        if not (due[True] or due[False]):
            break
        if structure_of(story.script) in held_out:
            continue
        if portion := _portion_of(story, due, Random(f"{mix.seed}/{story.id}")):
            number += 1
            if story.infilled:
                can_tell += 1
                if told < round(mix.told * can_tell):
                    told += 1
                    portion = [replace(item, story=story.infilled) for item in portion]
            items += portion
    if missing := sum(portion.interesting + portion.others for portions in due.values() for portion in portions):
        raise ConfigError(
            f"--mix={mix.size}: the training stories of the set {name!r} lack {missing:,} of {size:,} questions: more "
            "stories, fewer questions of a story (--per_story) or other shares are needed"
        )
    return MixedSet(name, items, number, tom_stories, told)


def _portion_of(story: SourceStory, due: Mapping[bool, list[_Portion]], rng: Random) -> list[StoryItem]:
    """Draws the questions that are due from a story, and removes them from what is due; none if it has too few."""
    asked = [item for item in items_of(story) if _is_of_table_4(item)]
    interesting = [item for item in asked if item.interesting]
    others = [item for item in asked if not item.interesting]
    portions = due[bool(interesting)]
    if not portions or len(interesting) < portions[-1].interesting or len(others) < portions[-1].others:
        return []
    portion = portions.pop()
    return [*rng.sample(interesting, portion.interesting), *rng.sample(others, portion.others)]


def _is_of_table_4(item: StoryItem) -> bool:
    """True for the paper's own questions."""
    return item.kind == LITERAL and item.property != AskedProperty.WHEREABOUTS.value


def _portions(mix: TrainingMix, size: int) -> Mapping[bool, list[_Portion]]:
    """The portions of so many questions, by whether the story requires theory of mind."""
    from_tom = round(mix.tom_stories * size)
    interesting = min(round(mix.interesting * size), from_tom)
    return {
        True: _even_portions(from_tom, interesting, mix.per_story),
        False: _even_portions(size - from_tom, 0, mix.per_story),
    }


def _even_portions(size: int, interesting: int, per_story: int) -> list[_Portion]:
    """The fewest portions of at most `per_story` questions, as equal as they can be."""
    number = -(-size // per_story)
    return [
        _Portion(part, whole - part)
        for whole, part in zip(_even(size, number), _even(interesting, number), strict=True)
    ]


def _even(total: int, parts: int) -> list[int]:
    """A whole number as a sum of parts that differ by at most 1, larger ones first."""
    return [total // parts + (place < total % parts) for place in range(parts)]
