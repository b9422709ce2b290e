"""Training data: prompts with replies, without and with reasons, which are put together from the belief trace."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from hm_agent.models.prompts import render
from hm_agent.wording import listed
from hm_agent.worlds.exploretom.datasets.belief_trace import TracedAction
from hm_agent.worlds.exploretom.datasets.item import StoryItem
from hm_agent.worlds.exploretom.questions.asked import parse_asked
from hm_agent.worlds.exploretom.questions.functional import ActionType, parse_asked_action
from hm_agent.worlds.exploretom.readers.reading import AnswerQuestion, ChosenAnswer, ReasonedAnswer

Holder = tuple[str, str | None]
"""(person, other): what the person thinks that the other believes; other is None for the person's own belief."""


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A prompt of the agent `reader`, or with reasons of `reader_cot`, and the reply to learn.

    completion: the reply as JSON, as the prompt asks for. reasoning, answer: its parts; reasoning is empty without
    reasons.
    """

    id: str
    prompt: str
    completion: str
    reasoning: str
    answer: str


def training_pair(item: StoryItem, *, by_steps: bool = False) -> TrainingPair:
    """A pair whose reply is the answer alone, or after its steps: who sees each action, and what is then believed."""
    prompt = render(AnswerQuestion(item.story, item.question, item.choices, item.contents == "seen", by_steps))
    reasons, alone = reasoning(item) if by_steps else "", ChosenAnswer(answer=item.answer)
    reply = ReasonedAnswer(reasoning=reasons, answer=item.answer) if by_steps else alone
    return TrainingPair(item.id, prompt, reply.model_dump_json(), reasons, item.answer)


def line_of_pair(pair: TrainingPair) -> str:
    """The pair as one line of JSON."""
    return json.dumps(asdict(pair), ensure_ascii=False)


def chat_line(item: StoryItem) -> str:
    """A question and its answer as one line of JSON: messages, as a model is asked in play and should reply."""
    pair = training_pair(item)
    turns = [{"role": "user", "content": pair.prompt}, {"role": "assistant", "content": pair.completion}]
    return json.dumps({"id": pair.id, "messages": turns}, ensure_ascii=False)


def reasoning(item: StoryItem) -> str:
    """The steps to an item's answer, one for each action, and the answer."""
    holders, needs_reality = _relevant_beliefs(item)
    values: dict[Holder, str] = {}
    steps = []
    truth: str | None = None
    for number, (sentence, traced) in enumerate(zip(item.story.splitlines(), item.trace, strict=True), 1):
        notes = [f"Seen by {listed(traced.seen_by)}."] if traced.seen_by else []
        has_moved, truth = traced.so != truth, traced.so
        if has_moved and needs_reality:
            notes.append(f"What is so: {truth}.")
        notes += _belief_notes(holders, values, traced, has_moved)
        steps.append(f"{number}. {sentence} {' '.join(notes)}")
    return "\n".join([*steps, f"So the answer is: {item.answer}."])


def _relevant_beliefs(item: StoryItem) -> tuple[Sequence[Holder], bool]:
    """The beliefs that an answer depends on, and whether it depends on the state of the world."""
    if action := parse_asked_action(item.question):
        others = [name for name in item.people if name != action.person] if action.type is ActionType.TELL else []
        own: Holder = (action.person, None)
        return [own, *((action.person, other) for other in others)], action.type is ActionType.FETCH
    asked = parse_asked(item.question)
    if asked.person is None:
        return [], True
    return [(asked.person, asked.other)], False


def _belief_notes(
    holders: Sequence[Holder], values: dict[Holder, str], traced: TracedAction, has_moved: bool
) -> Iterator[str]:
    """Yields sentences on how an action affects the holders' beliefs; updates `values`, the beliefs so far."""
    changes = {(change.person, change.other): change.value for change in traced.changes}
    for holder in holders:
        person, other = holder
        believes = f"{person} believes" if other is None else f"{person} thinks that {other} believes"
        if holder in changes:
            values[holder] = changes[holder]
            yield f"Now {believes}: {changes[holder]}."
        elif has_moved and person not in traced.seen_by:
            yield f"{person} does not see it, and {believes} as before: {values.get(holder, 'nothing')}."
