"""How ExploreToM looks in replays: the story as lanes, the question, and where its answer stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.core import Seat, Step
from hm_agent.suite import ScenarioInfo
from hm_agent.worlds.exploretom.actions import StoryScript
from hm_agent.worlds.exploretom.grading import accepted_forms
from hm_agent.worlds.exploretom.story_questions import StoryQuestion
from hm_agent.worlds.exploretom.viewer.story_picture import StoryPicture
from hm_agent.worlds.exploretom.world import StoryScene

if TYPE_CHECKING:
    from hm_agent.suite import Pixels

SCRIPTS = Path(__file__).parent / "scripts"
STORY_STYLE, STORY_SCRIPT = SCRIPTS / "story.css", SCRIPTS / "story.js"
"""How a story is drawn, in replays and elsewhere; the script needs the replay page's dom.js."""


class StoryViewer:
    """Shows the story of an episode and, at each step, a question about it with what was answered."""

    scripts: Sequence[Path] = (STORY_STYLE, STORY_SCRIPT, SCRIPTS / "story_replay.js")

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        return {}

    def frames(self, step: Step) -> Mapping[str, Pixels]:
        return {}

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """story: a list with the picture of the story, the same at every step; question: one with the question."""
        scene = step.scene
        if not isinstance(scene, StoryScene):
            return {}
        picture = _picture_of(scene.script)
        graded = scene.graded
        asked = question_data(graded.question, picture) | {"given": graded.given, "right": graded.is_right}
        return {"story": [picture.data], "question": [asked]}

    def picture(self, scenario: ScenarioInfo, title: str) -> None:
        """A story is not filmed."""


@lru_cache(maxsize=4)
def _picture_of(script: StoryScript) -> StoryPicture:
    return StoryPicture(script)


def question_data(question: StoryQuestion, picture: StoryPicture | None) -> dict[str, Any]:
    """A question as scripts/story.js shows it. spot: where its answer stands in the picture, None if nowhere."""
    asked = question.asked
    return {
        "text": asked.text,
        "order": asked.order,
        "property": asked.about.value,
        "choices": list(question.choices),
        "answer": question.answer,
        "accepted": list(accepted_forms(question.answer)),
        "interesting": question.is_interesting,
        "false_belief": question.is_false_belief,
        "spot": picture.spot(asked) if picture else None,
    }
