"""Settings that a model suggests: what the judge refuses, what is left, and the file that `--cast` takes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random

import pytest

from hm_agent.command_line.cli import main
from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.grammar import grammar_of
from hm_agent.questions import answer_schema
from hm_agent.testing.scripted_model import ReplyFunction, ScriptedModel
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.cast_command import text_of_cast
from hm_agent.worlds.exploretom.random_stories.suggested_cast import (
    CastWriter,
    DetailVerdict,
    JudgeDetail,
    SuggestChanges,
    SuggestedCast,
    SuggestedChange,
    SuggestedChanges,
    SuggestedObject,
    SuggestedSetting,
    SuggestSetting,
)

FARM = SuggestedSetting(
    name="farm",
    people=["Anne", "Élodie", "Carl", "Dora"],
    rooms=["barn", "kitchen"],
    topics=["harvest", "weather", "new tractor", "old dog", "market"],
    objects=[
        SuggestedObject(name="apple", containers=["barrel", "keyhole", "clay jar", "lunch box"]),
        SuggestedObject(name="key", containers=["tool chest", "drawer", "boot", "tin can"]),
    ],
)
CHANGES = SuggestedChanges(
    visible=[SuggestedChange(verb="peeled"), SuggestedChange(verb="dipped", rest="in chocolate")],
    invisible=[SuggestedChange(verb="salted")],
)


def written(
    settings: int, refused: tuple[str, ...], suggest: ReplyFunction = lambda asked: FARM
) -> SuggestedCast | None:
    def judge(asked: JudgeDetail) -> DetailVerdict:
        is_refused = any(word in asked.detail for word in refused)
        return DetailVerdict(plausible="no" if is_refused else "yes", reason="Nobody does that." if is_refused else "")

    model = ScriptedModel({SuggestSetting: suggest, SuggestChanges: lambda asked: CHANGES, JudgeDetail: judge})
    return asyncio.run(CastWriter(model, model, Random(0)).write(settings))


def test_what_the_judge_refuses_is_left_out(tmp_path: Path) -> None:
    found = written(1, ("keyhole", "dipped the apple", "salted the key"))
    assert found
    [setting] = found.lists.setting
    [apple] = setting.objects  # no invisible change of the key is left
    assert apple.containers == ("barrel", "clay jar", "lunch box")
    assert (apple.visible, apple.invisible) == ((("peeled", ""),), (("salted", ""),))
    assert found.refused == (
        "farm: The apple fits into the keyhole, and nobody sees it in there. Nobody does that.",
        "farm: Anne dipped the apple in chocolate. Whoever sees it later sees that. Nobody does that.",
        "farm: Anne salted the key. Nobody who sees it later can see that. Nobody does that.",
    )
    path = tmp_path / "cast.toml"
    path.write_text(text_of_cast(found.lists), "utf-8")
    assert read_cast(path) == found.lists


def test_a_setting_without_an_object_is_replaced_by_another() -> None:
    def suggest(asked: SuggestSetting) -> SuggestedSetting:
        return FARM if asked.taken else FARM.model_copy(update={"name": "void"})

    found = written(1, (), suggest)
    assert found
    assert [setting.name for setting in found.lists.setting] == ["void"]
    assert written(1, ("fits into",), suggest) is None


def test_names_that_sentences_cannot_have_are_refused() -> None:
    asked = SuggestSetting(("Anne",), ("Farm",))
    assert read_answer(FARM.model_dump_json(), SuggestSetting(("Anne",))) == FARM
    for change, said in (
        ({}, "there is a farm already"),
        ({"name": "barn", "rooms": ["barn with hay", "kitchen"]}, "'with' can't stand in a name"),
        ({"name": "barn", "rooms": ["barrel", "kitchen"]}, "names of their own"),
        ({"name": "barn", "people": ["anne", "Beth", "Carl", "Dora"]}, "begins with a capital letter"),
    ):
        with pytest.raises(BadAnswer, match=said):
            read_answer(json.dumps(FARM.model_dump() | change), asked)
    good, bad = SuggestedChange(verb="peeled"), SuggestedChange(verb="rolled", rest="downhill")
    changes, question = CHANGES.model_copy(update={"visible": [bad, good]}), SuggestChanges("farm", "apple")
    with pytest.raises(BadAnswer, match="a change is one verb"):
        read_answer(changes.model_dump_json(), question)
    assert question.usable_part(changes) == CHANGES.model_copy(update={"visible": [good]})
    assert question.usable_part(CHANGES.model_copy(update={"visible": [bad]})) is None


def test_every_answer_has_a_grammar() -> None:
    questions = (SuggestSetting(("Anne",)), SuggestChanges("farm", "apple"), JudgeDetail("farm", "It rains."))
    assert all("root ::= " in grammar_of(answer_schema(question), 240) for question in questions)


def test_command_writes_a_file_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "missing" / "cast.toml"
    command = ["hm-agent", "cast", "--model=builtin", "--settings=2", f"--out={path}"]
    assert main(command) == 0
    assert "Settings: 2 of 2, with 4 objects" in capsys.readouterr().out
    assert [setting.name for setting in read_cast(path).setting] == [one.name for one in read_cast().setting[:2]]
    assert main(command) == 2
    assert "there is such a file already" in capsys.readouterr().err
    assert main([*command[:-1], f"--out={path}/cast.toml"]) == 2
    assert f"{path} is a file; name a folder" in capsys.readouterr().err
