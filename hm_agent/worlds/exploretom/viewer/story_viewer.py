"""How ExploreToM is shown in replays: the story as lanes, the question, and where the picture shows its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hm_agent.catalogue.suite import Viewer
from hm_agent.core import Seat, Step
from hm_agent.worlds.exploretom.questions.accepted_forms import accepted_forms
from hm_agent.worlds.exploretom.questions.posing import QuestionKind
from hm_agent.worlds.exploretom.story.beliefs import StoryError
from hm_agent.worlds.exploretom.story.language import parse_story
from hm_agent.worlds.exploretom.viewer.story_picture import StoryPicture
from hm_agent.worlds.exploretom.world import GradedAnswer, StoryView

SCRIPTS = Path(__file__).parent / "scripts"
STORY_STYLE, STORY_SCRIPT = SCRIPTS / "story.css", SCRIPTS / "story.js"
"""What draws a story, in replays and elsewhere; the script needs the replay page's dom.js."""


class StoryViewer(Viewer):
    """Shows the story of an episode and, at each step, a question about it with the reader's answer."""

    scripts = (STORY_STYLE, STORY_SCRIPT, SCRIPTS / "story_replay.js")

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """story: a list with the story (`story_data`), the same at every step; question: one with the question."""
        view, graded = step.turn.observations[seat].view, step.scene
        if isinstance(graded, Mapping):  # the stories of a matched pair
            graded = graded[seat]
        if not isinstance(graded, GradedAnswer) or not isinstance(view, StoryView):
            return {}
        question, picture = graded.question, picture_of(view.story, view.sees_contents)
        asked = question_data(question.text, question.answer, question.choices, question.kind, picture)
        return {
            "story": [_shown_story(view.story, view.sees_contents)],
            "question": [asked | {"given": graded.given, "right": graded.is_right}],
        }


@lru_cache(maxsize=4)
def picture_of(text: str, sees_contents: bool) -> StoryPicture | None:
    """The picture of a story in plain sentences, cached; None for text that can't be read, e.g. a language model's."""
    try:
        return StoryPicture(parse_story(text, sees_contents=sees_contents))
    except StoryError:
        return None


def story_data(text: str, picture: StoryPicture | None) -> dict[str, Any]:
    """A story for scripts/story.js. lines: its text. picture: `StoryPicture.data`, None if the text can't be read."""
    return {"lines": [line for line in text.splitlines() if line.strip()], "picture": picture.data if picture else None}


@lru_cache(maxsize=4)
def _shown_story(text: str, sees_contents: bool) -> dict[str, Any]:
    return story_data(text, picture_of(text, sees_contents))


def question_data(
    text: str, answer: str, choices: Sequence[str], kind: QuestionKind, picture: StoryPicture | None
) -> dict[str, Any]:
    """A question for scripts/story.js. spot: where the picture shows its answer, None if nowhere."""
    return {
        "text": text,
        "order": kind.order,
        "property": kind.about,
        "choices": list(choices),
        "answer": answer,
        "accepted": list(accepted_forms(answer)),
        "interesting": kind.is_interesting,
        "false_belief": kind.is_false_belief,
        "spot": picture.spot_of(text) if picture else None,
    }
