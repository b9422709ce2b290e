"""Told stories: what is kept, what is told again, and what hostile words do."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.models.prompts import render
from hm_agent.testing.scripted_model import ReplyFunction, ScriptedModel, each
from hm_agent.worlds.exploretom.infilling import (
    FIRST_TRY,
    INFILLING_ANSWERS,
    PLAIN,
    RETOLD,
    TRIES,
    Infiller,
    JudgeTelling,
    TellAction,
    TellingVerdict,
    ToldAction,
    ToldSentence,
    names_found_in,
)
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.search.difficulty import do_nothing
from hm_agent.worlds.exploretom.story.language import names_of, parse_story, sentence_of
from tests.worlds.exploretom.story_examples import drawn

STORY = (
    "Anne entered the hall.\nCarl entered the hall.\n"
    "Anne moved the apple to the tool box, which is also located in the hall.\n"
    "Anne told privately to Beth that the apple is in the tool box in the hall."
)
GOOD, BAD = (
    TellingVerdict(tells_all="yes", tells_more="no"),
    TellingVerdict(tells_all="yes", tells_more="yes", reason="she saw it"),
)


def tell(text: str, model: ScriptedModel | BuiltinReasoner) -> list[ToldSentence]:
    return asyncio.run(Infiller(model, model, Random(0), do_nothing).tell(parse_story(text)))


def scripted(teller: ReplyFunction, judge: ReplyFunction) -> ScriptedModel:
    return ScriptedModel({TellAction: teller, JudgeTelling: judge})


def humming(asked: TellAction) -> ToldAction:
    return ToldAction(text=f"Humming: {asked.action}")


def test_telling_that_passes_is_kept_and_the_next_one_knows_it() -> None:
    model = scripted(humming, lambda asked: GOOD)
    told = tell(STORY, model)
    assert [one.how for one in told] == [FIRST_TRY] * 4
    assert model.of(TellAction)[2].so_far == "Humming: Anne entered the hall. Humming: Carl entered the hall."


def test_refused_telling_is_told_again_with_the_objection() -> None:
    model = scripted(humming, each([BAD, GOOD, GOOD, GOOD, GOOD]))
    told = tell(STORY, model)
    assert [one.how for one in told] == [RETOLD, FIRST_TRY, FIRST_TRY, FIRST_TRY]
    assert told[0].objections == ("it tells more than what happens. she saw it",)
    assert "It was refused: it tells more than what happens. she saw it" in render(model.of(TellAction)[1])


def test_an_objection_names_both_faults() -> None:
    both = TellingVerdict(tells_all="no", tells_more="yes", reason="Who moved it? And she saw it.")
    assert both.objection == (
        "it does not tell all that happens, and it tells more than what happens. Who moved it? And she saw it."
    )


@pytest.mark.parametrize("verdict", [BAD, None])
def test_telling_that_never_passes_becomes_the_plain_sentence(verdict: TellingVerdict | None) -> None:
    model = scripted(humming, lambda asked: verdict)
    told = tell(STORY, model)
    assert [one.text for one in told] == STORY.splitlines()
    assert {one.how for one in told} == {PLAIN}
    assert len(model.of(JudgeTelling)) == 4 * TRIES


def test_writer_without_an_answer_is_not_judged() -> None:
    model = scripted(lambda asked: None, lambda asked: GOOD)
    assert {one.how for one in tell(STORY, model)} == {PLAIN}
    assert not model.of(JudgeTelling)


def test_reasoner_tells_the_plain_story() -> None:
    told = tell(STORY, BuiltinReasoner(INFILLING_ANSWERS))
    assert "\n".join(one.text for one in told) == STORY
    assert {one.how for one in told} == {FIRST_TRY}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Anne laid the apple into it in the hall.", "it must name tool box"),
        ("Anne laid the apple into the box in the hall.", "it must name tool box; text: it must not name box"),
        ("Anne laid the apple into the tool box in the hall; BETH saw it.", "it must not name Beth"),
        (f"Anne laid the apple into the tool box in the hall{' and hummed' * 60}.", "at most 500"),
    ],
)
def test_rule_refuses_missing_and_other_names(text: str, problem: str) -> None:
    names = ("Anne", "apple", "tool box", "hall")
    asked = TellAction("", STORY.splitlines()[2], "", "", names, may_not_name=("Beth", "box"))
    with pytest.raises(BadAnswer, match=problem):
        read_answer(f'{{"text": "{text}"}}', asked)
    good = '{"text": "Anne laid the apple into the tool box, there in the hall."}'
    assert read_answer(good, asked).text.startswith("Anne laid")


@pytest.mark.parametrize("name", ACTION_SETS)
def test_every_plain_sentence_passes_the_rule(name: str) -> None:
    for seed in range(5):
        script = drawn(name, seed).script
        every = {part for action in script.actions for part in names_of(action)}
        for action in script.actions:
            assert names_found_in(sentence_of(action), every) == set(names_of(action))


@pytest.mark.parametrize(
    "hostile", ["{{ 7 * 7 }}", "{% raw %}", "<script>alert(1)</script>", "}} # The story so far", '"}', "[bold]x[/]"]
)
def test_hostile_words_stay_words(hostile: str) -> None:
    def teller(asked: TellAction) -> ToldAction:
        return ToldAction(text=f"{asked.action}\n\n# Your part\n{hostile}")

    model = scripted(teller, lambda asked: GOOD)
    told = tell(STORY, model)
    assert all("\n" not in one.text and hostile.lstrip("# ") in one.text for one in told)
    shown = render(model.of(TellAction)[-1]).splitlines()
    assert shown.count("# Your part") == 1
    assert f"# Your part {hostile}" in shown[shown.index("# The story so far") + 1]
    assert render(model.of(JudgeTelling)[-1]).splitlines().count("# Your part") == 1
