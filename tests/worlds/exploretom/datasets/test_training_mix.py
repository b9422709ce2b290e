"""Training data in chat form: its shares, its form, and what it shares with the stories to evaluate on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hm_agent.command_line.cli import main
from hm_agent.models.answer_parsing import read_answer
from hm_agent.storage.folder_lock import LOCK
from hm_agent.worlds.exploretom.datasets.item import CANARY, LITERAL, StoryItem
from hm_agent.worlds.exploretom.datasets.making import SourceStory, drawn_stories, items_of
from hm_agent.worlds.exploretom.datasets.training_mix import TrainingMix, mixed_sets, structure_of
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.readers.reading import AnswerQuestion, answers_in
from hm_agent.worlds.exploretom.story.language import parse_story
from hm_agent.worlds.exploretom.story.story_data import to_data
from tests.worlds.exploretom.story_examples import FALSE_BELIEF

MIX = ("--action_sets=a2,a8", "--stories=80", "--mix=60", "--interesting=0.4", "--tom_stories=0.6", "--set_shares=a8:2")


def run(*arguments: str) -> int:
    return main(["hm-agent", "export", "exploretom", *arguments])


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of two action sets with a mix, to be read only."""
    out = tmp_path_factory.mktemp("mixed") / "set"
    assert run(*MIX, f"--out={out}") == 0
    return out


def chats(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "chat" / "train.jsonl").read_text("utf-8").splitlines()]


@cache
def story(action_set: str, seed: int) -> SourceStory:
    [found] = drawn_stories([ACTION_SETS[action_set]], [seed], read_cast())
    return found


def items_of_chats(out: Path) -> list[StoryItem]:
    """The items that the chats ask, drawn again from their seeds."""
    found = []
    for chat in chats(out):
        action_set, seed, _ = chat["id"].split("-")
        found += [item for item in items_of(story(action_set, int(seed))) if item.id == chat["id"]]
    return found


def test_shares_of_questions_stories_and_action_sets_hold(mixed: Path) -> None:
    items = items_of_chats(mixed)
    assert Counter(item.action_set for item in items) == {"a2": 20, "a8": 40}
    assert {item.kind for item in items} == {LITERAL}
    assert "whereabouts" not in {item.property for item in items}
    needs_tom: dict[str, bool] = {}
    for action_set, size in (("a2", 20), ("a8", 40)):
        of_set = [item for item in items if item.action_set == action_set]
        assert sum(item.interesting for item in of_set) == 0.4 * size
        for item in of_set:
            needs_tom[item.story_id] = any(other.interesting for other in items_of(story(action_set, item.seed)))
    assert sum(needs_tom.values()) == 0.6 * len(needs_tom) == 9
    assert set(Counter(item.story_id for item in items).values()) == {4}
    assert "| a8 | 40 | 0.400 | 10 | 6 | 0 |" in (mixed / "README.md").read_text("utf-8")


def test_no_structure_of_a_held_out_story_is_trained_on(mixed: Path) -> None:
    held_out = {
        structure_of(story(row["action_set"], row["seed"]).script)
        for split in ("validation", "test")
        for row in map(json.loads, (mixed / "literal" / f"{split}.jsonl").read_text("utf-8").splitlines())
    }
    trained_on = {structure_of(story(item.action_set, item.seed).script) for item in items_of_chats(mixed)}
    assert held_out
    assert not held_out & trained_on
    assert not (mixed / "literal" / "train.jsonl").exists()


def test_stories_with_a_held_out_structure_are_passed_over() -> None:
    stories = [story("a8", seed) for seed in range(40)]
    mix = TrainingMix(size=12)
    [free] = mixed_sets(mix, {"a8": stories}, ())
    taken = {structure_of(story("a8", item.seed).script) for item in free.items}
    [other] = mixed_sets(mix, {"a8": stories}, taken)
    assert not taken & {structure_of(story("a8", item.seed).script) for item in other.items}


def test_structure_is_all_but_the_names() -> None:
    def structure(text: str) -> object:
        return structure_of(parse_story(text))

    renamed = FALSE_BELIEF.replace("Anne", "Zoe").replace("apple", "map").replace("hall", "attic").replace("box", "urn")
    assert structure(renamed) == structure(FALSE_BELIEF)
    moved_on = f"{FALSE_BELIEF}\nAnne moved the apple to the crate, which is also located in the hall."
    moved_back = f"{FALSE_BELIEF}\nAnne moved the apple to the box, which is also located in the hall."
    assert len({structure(text) for text in (FALSE_BELIEF, moved_on, moved_back)}) == 3


def test_structure_has_no_order_of_those_who_peek() -> None:
    seen = f"{FALSE_BELIEF} While this action was happening, %s and %s witnessed it in secret (and only it).\n%s"
    stories = {
        seen % (*peekers, f"{enters} entered the hall.")
        for peekers in (("Zoe", "Max"), ("Max", "Zoe"))
        for enters in peekers
    }
    assert len(stories) == 4
    assert len({structure_of(parse_story(text)) for text in stories}) == 1


def test_the_same_command_gives_the_same_mix_and_another_seed_another(mixed: Path, tmp_path: Path) -> None:
    assert run(*MIX, f"--out={tmp_path / 'again'}") == run(*MIX, "--seed=1000", f"--out={tmp_path / 'other'}") == 0
    assert chats(tmp_path / "again") == chats(mixed)
    assert not {chat["id"] for chat in chats(tmp_path / "other")} & {chat["id"] for chat in chats(mixed)}


def test_chats_are_what_a_reader_is_asked_and_replies_what_it_takes(mixed: Path) -> None:
    for chat, item in zip(chats(mixed), items_of_chats(mixed), strict=True):
        # TRL's conversational form: `messages`, each with a role and a text.
        asked, reply = chat["messages"]
        assert (asked.keys(), reply.keys()) == ({"role", "content"},) * 2
        assert (asked["role"], reply["role"]) == ("user", "assistant")
        assert item.story in asked["content"]
        assert item.question in asked["content"]
        question = AnswerQuestion(item.story, item.question, item.choices)
        assert answers_in(read_answer(reply["content"], question)) == [item.answer]
        assert CANARY not in asked["content"]


@pytest.mark.parametrize(("share", "told"), [(0, 0), (0.5, 3), (1, 6)])
def test_told_stories_are_asked_about_as_told_by_their_share(share: float, told: int) -> None:
    stories = [replace(story("a2", seed), infilled=f"Once upon a time {seed}.") for seed in range(40)]
    [part] = mixed_sets(TrainingMix(size=24, told=share), {"a2": stories}, ())
    assert (part.stories, part.told) == (6, told)
    assert len({item.story for item in part.items if item.story.startswith("Once")}) == told


def test_stories_of_a_file_are_mixed_and_held_out_by_their_lines(tmp_path: Path) -> None:
    source, told = tmp_path / "stories.jsonl", tmp_path / "told.jsonl"
    scripts = {f"one-{seed}-x": to_data(story("a2", seed).script) for seed in range(30)}
    rows = [{"id": name, "action_set": "a2", "story": script} for name, script in scripts.items()]
    source.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    told.write_text("\n".join(json.dumps({"id": name, "text": f"A tale of {name}."}) for name in scripts), "utf-8")
    flags = (f"--from={source}", f"--told={told}", "--mix=16", "--told_share=1")
    assert run(*flags, f"--out={tmp_path / 'set'}") == 0
    trained_on = {chat["id"].rpartition("-q")[0] for chat in chats(tmp_path / "set")}
    assert len(trained_on) == 4
    assert all("A tale of one" in chat["messages"][0]["content"] for chat in chats(tmp_path / "set"))
    test_lines = (tmp_path / "set" / "literal" / "test.jsonl").read_text("utf-8").splitlines()
    assert not trained_on & {json.loads(line)["story_id"] for line in test_lines}


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--interesting=0.2"], "--interesting has no effect without --mix"),
        (["--mix=9", "--training"], "--training is for the split `train`, which --mix replaces"),
        (["--mix=9", "--interesting=0.5", "--tom_stories=0.4"], "--interesting=0.5 is more than --tom_stories=0.4"),
        (["--mix=9", "--splits=train:1"], "no stories to evaluate on"),
        (["--mix=9", "--set_shares=a1"], "--set_shares=a1: say names with shares from 1"),
        (["--mix=9", "--set_shares=a3:2"], "no training story is of the set 'a3': a1"),
        (["--mix=900"], "the training stories of the set 'a1' lack"),
    ],
)
def test_bad_mixes_are_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: Sequence[str], complaint: str
) -> None:
    assert run("--action_sets=a1", *flags, f"--out={tmp_path / 'set'}") == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
    assert not [path for path in (tmp_path / "set").rglob("*") if path.is_file() and path.name != LOCK]
