"""Makes the items of data sets from stories: those drawn from seeds, and those in a file that a generator wrote."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.datasets.belief_trace import StoryTrace, TracedAction
from hm_agent.worlds.exploretom.datasets.item import FUNCTIONAL, LITERAL, StoryItem, json_lines
from hm_agent.worlds.exploretom.questions.accepted_forms import accepted_forms
from hm_agent.worlds.exploretom.questions.functional import (
    FunctionalQuestion,
    functional_questions,
    literal_questions,
    relied_on,
)
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory, StoryQuestion
from hm_agent.worlds.exploretom.random_stories.action_sets import ActionSet
from hm_agent.worlds.exploretom.random_stories.cast import CastLists
from hm_agent.worlds.exploretom.random_stories.sampling import story_of
from hm_agent.worlds.exploretom.story.actions import StoryScript, is_asymmetric
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.evidence import Key
from hm_agent.worlds.exploretom.story.language import parse_story, text_of
from hm_agent.worlds.exploretom.story.story_data import from_data


@dataclass(frozen=True, slots=True)
class SourceStory:
    """A story of a set. id: unique in the set. infilled: the story as told by a language model, None if it is not.

    split_by: the number that decides on its split: the seed of a drawn story, the line of one from a file.
    """

    id: str
    script: StoryScript
    action_set: str
    seed: int
    split_by: int
    infilled: str | None = None


def drawn_stories(
    action_sets: Sequence[ActionSet], seeds: Collection[int], lists: CastLists, *, sees_contents: bool = False
) -> Iterator[SourceStory]:
    """Draws the stories of these seeds for one action set after the other."""
    for action_set in action_sets:
        for seed in seeds:
            script = story_of(seed, action_set, lists, sees_contents=sees_contents).script
            yield SourceStory(f"{action_set.name}-{seed}", script, action_set.name, seed, split_by=seed)


_STORY_KEYS = "`story`, a text or an object with `actions`, and maybe `infilled`, `action_set`, `seed`, `id`"


def told_texts(path: Path) -> Mapping[str, str]:
    """The texts of told stories by id, from told.jsonl as `hm-agent generate exploretom` writes it."""
    texts: dict[str, str] = {}
    for number, value in json_lines(path):
        row = value if isinstance(value, dict) else {}
        text, name = row.get("infilled", row.get("text")), row.get("id")
        if not (isinstance(text, str) and isinstance(name, str)):
            raise ConfigError(f"{path}: line {number}: a told story is an object with `id` and `infilled` or `text`")
        texts[name] = text
    return texts


def stories_in(
    path: Path, *, sees_contents: bool = False, told: Mapping[str, str] | None = None
) -> Iterator[SourceStory]:
    """Yields the stories of a file, one a line; raises ConfigError, with the line, for an invalid one.

    sees_contents: for stories that don't say. told: texts by id, for stories that have none themselves.
    """
    seen: set[str] = set()
    for number, value in json_lines(path):
        try:
            story = _story_from(value, number, sees_contents)
        except StoryError as error:
            raise ConfigError(f"{path}: line {number}: {error}") from error
        if story.id in seen:
            raise ConfigError(f"{path}: line {number}: two stories have the id {story.id[:60]!r}")
        seen.add(story.id)
        yield replace(story, infilled=story.infilled or (told or {}).get(story.id))


def _story_from(value: object, number: int, sees_contents: bool) -> SourceStory:
    if not isinstance(value, dict) or not isinstance(value.get("story"), dict | str):
        raise StoryError(f"a story is an object with {_STORY_KEYS}")
    if isinstance(value["story"], dict):
        script = from_data({"sees_contents": sees_contents, **value["story"]})
    else:
        script = parse_story(value["story"], sees_contents=sees_contents)
    if not script.actions:
        raise StoryError("a story has at least one action")
    infilled, seed = value.get("infilled"), value.get("seed", number)
    if not isinstance(infilled, str | None) or not isinstance(seed, int):
        raise StoryError("infilled is a text, and seed a whole number")
    name, action_set = str(value.get("id", number)), str(value.get("action_set", ""))
    return SourceStory(name, script, action_set, seed, split_by=number, infilled=infilled)


def items_of(source: SourceStory) -> list[StoryItem]:
    """The items of a story: all literal questions, then all functional ones."""
    script, text = source.script, text_of(source.script)
    story, trace = AnsweredStory(script), StoryTrace(script)
    traces: dict[Key, tuple[TracedAction, ...]] = {}
    actions = tuple(action_rows(script))
    literal, functional = literal_questions(story), functional_questions(story)
    questions: list[StoryQuestion | FunctionalQuestion] = [*literal, *functional]
    items: list[StoryItem] = []
    for number, question in enumerate(questions):
        kind, key = question.kind, question.asked.key
        if key not in traces:
            traces[key] = tuple(trace.of(key))
        relies_on = relied_on(question, literal) if isinstance(question, FunctionalQuestion) else ()
        items.append(
            StoryItem(
                id=_item_id(source, number),
                story_id=source.id,
                set_id=f"{source.id}/{kind.set_id}",
                kind=FUNCTIONAL if kind.is_functional else LITERAL,
                story=text,
                infilled=source.infilled,
                question=question.text,
                choices=question.choices,
                target=ascii_uppercase[question.choices.index(question.answer)],
                answer=question.answer,
                accepted=accepted_forms(question.answer, question.choices),
                order=kind.order or 0,
                property=kind.about,
                interesting=bool(kind.is_interesting),
                false_belief=kind.is_false_belief,
                relies_on=tuple(_item_id(source, index) for index in relies_on),
                people=script.people,
                actions=actions,
                action_set=source.action_set,
                asymmetric=any(map(is_asymmetric, script.actions)),
                contents="seen" if script.sees_contents else "hidden",
                seed=source.seed,
                trace=traces[key],
            )
        )
    return items


def _item_id(source: SourceStory, number: int) -> str:
    return f"{source.id}-q{number:03}"


_COLUMNS = ("person", "room", "object", "container", "topic", "listener", "verb", "rest", "is_visible")
_CLAIM_COLUMNS = ("object", "room", "container", "state")


def action_rows(script: StoryScript) -> Iterator[Mapping[str, Any]]:
    """Yields each action as a row with the same keys, so that tables have columns; None for missing parts.

    The keys: `action` (its kind), its parts, those of the change that it makes, and with `told_` those of the claim
    that it tells.
    """
    for action in script.actions:
        parts = asdict(action)
        claim, change = parts.pop("claim", {}), parts.pop("change", {})
        yield {
            "action": action.kind,
            **{name: {**parts, **change}.get(name) for name in _COLUMNS},
            **{f"told_{name}": claim.get(name) for name in _CLAIM_COLUMNS},
            "peekers": action.peekers,
            "distracted": action.distracted,
        }
