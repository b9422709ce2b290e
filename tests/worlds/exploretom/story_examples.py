"""Stories, and an example of every kind of question about them, that several tests read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from hm_agent.core import Hypothesis
from hm_agent.questions import Question
from hm_agent.worlds.exploretom.infilling import JudgeTelling, TellAction
from hm_agent.worlds.exploretom.questions.asked import NO, YES
from hm_agent.worlds.exploretom.questions.functional import ActionType, AskedAction
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import DrawnStory, story_of
from hm_agent.worlds.exploretom.random_stories.suggested_cast import JudgeDetail, SuggestChanges, SuggestSetting
from hm_agent.worlds.exploretom.readers.readers import perspective_question
from hm_agent.worlds.exploretom.readers.reading import AnswerQuestion, TakePerspective, WeighAnswers
from hm_agent.worlds.exploretom.story.evidence import location_key
from hm_agent.worlds.exploretom.world import StoryView

FALSE_BELIEF = (
    "Anne entered the hall.\nBeth entered the hall.\n"
    "Anne moved the apple to the box, which is also located in the hall.\nBeth left the hall.\n"
    "Anne moved the apple to the bin, which is also located in the hall."
)
"""Beth believes that the apple is in the box; it is in the bin."""
ASKED, CHOICES = "In which container will Beth search for the apple?", ("bin", "box")
BELIEVING = StoryView(FALSE_BELIEF, ASKED, CHOICES, False, 1, 1)
FETCHING = AskedAction(ActionType.FETCH, "Beth", location_key("apple")).text
STORY_EXAMPLES: Mapping[str, Question[Any]] = {
    "answer": AnswerQuestion(FALSE_BELIEF, ASKED, CHOICES),
    "answer_free": AnswerQuestion(FALSE_BELIEF, ASKED, (), sees_contents=True),
    "answer_with_reasons": AnswerQuestion(FALSE_BELIEF, ASKED, CHOICES, by_steps=True),
    "weigh_answers": WeighAnswers(FALSE_BELIEF, ASKED, CHOICES),
    "weigh_answers_free": WeighAnswers(FALSE_BELIEF, ASKED, (), sees_contents=True),
    "take_perspective": TakePerspective(FALSE_BELIEF, "Beth"),
    "revise_perspective": TakePerspective(
        FALSE_BELIEF,
        "Beth",
        best=(Hypothesis("Anne moved the apple to the box.", value=0.3, right=1, tested=1),),
        mistaken="Anne moved the apple to the bin.",
        question=ASKED,
        answer="bin",
    ),
    "revise_perspective_unanswered": TakePerspective(FALSE_BELIEF, "Beth", mistaken="", question=ASKED),
    "answer_from_perspective": perspective_question(
        BELIEVING, "Beth", "Anne moved the apple to the box, and Beth was there."
    ),
    "answer_from_no_perspective": perspective_question(BELIEVING, "Beth", ""),
    "answer_from_perspectives": perspective_question(
        BELIEVING, "Beth", "Anne moved the apple to the box.", "Anne moved the apple to the bin."
    ),
    "answer_from_perspective_what_is_so": perspective_question(
        replace(BELIEVING, question=FETCHING, choices=(NO, YES)), "Beth", "Anne moved the apple to the box."
    ),
    "tell_action": TellAction(
        "",
        "Anne entered the hall.",
        "in one sentence",
        "without direct speech",
        ("Anne", "hall"),
        may_not_name=("Beth",),
    ),
    "tell_action_again": TellAction(
        "Anne came into the hall, humming.",
        "Anne told privately to Beth that the apple is in the box in the hall.",
        "in one or two sentences",
        "with direct speech where someone speaks",
        ("Anne", "Beth", "apple", "box", "hall"),
        "Anne told Beth, who stood in the hall, that the apple was in the box.",
        "it tells more than what happens. Beth may be elsewhere.",
    ),
    "judge_telling": JudgeTelling(
        "Anne came into the hall, humming.",
        "Anne moved the apple to the box, which is also located in the hall.",
        "Anne laid the apple into the box in the hall.",
    ),
    "suggest_setting": SuggestSetting(("Anne", "Beth", "Carl")),
    "suggest_another_setting": SuggestSetting(("Anne", "Beth", "Carl"), ("school", "farm")),
    "suggest_changes": SuggestChanges("farm", "apple"),
    "judge_detail": JudgeDetail("farm", "The apple fits into the barrel, and nobody sees it in there."),
}


def drawn(name: str, seed: int, *, sees_contents: bool = False) -> DrawnStory:
    """The story of a seed, with the names that ship."""
    return story_of(seed, ACTION_SETS[name], read_cast(), sees_contents=sees_contents)


DRAWN = st.builds(drawn, st.sampled_from(list(ACTION_SETS)), st.integers(0, 10_000), sees_contents=st.booleans())
"""Any story that can be drawn."""
