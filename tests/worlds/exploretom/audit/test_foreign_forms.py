"""The audit on labels in the forms of other sets: `foreign/` has right ones, which were written for these tests.

HM_AGENT_TOM_SETS names a folder with released files, e.g. ToMi's test.txt and Hi-ToM's Hi-ToM_data.json, which may not
be shipped; all of them must be read.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.audit.audit_command import judgements
from hm_agent.worlds.exploretom.audit.choices import meant_choices, read_choices
from hm_agent.worlds.exploretom.audit.judging import Convention, Judgement, LabelVerdict
from hm_agent.worlds.exploretom.audit.sentences import sentences_of, split_question

FOREIGN = Path(__file__).parent / "foreign"
NUMBERED = (FOREIGN / "numbered.txt").read_text("utf-8")
SETS = os.environ.get("HM_AGENT_TOM_SETS")
RIGHT, WRONG, ARGUABLE, NOT_JUDGED = LabelVerdict
MOVED = (
    "Mia entered the hall. Tom entered the hall. The pear is in the box. Tom exited the hall. "
    "Mia moved the pear to the bin."
)
ASKED = "Where will Tom look for the pear?"


def audit(tmp_path: Path, text: str, *, contents: bool | None = None) -> list[Judgement]:
    path = tmp_path / "set.txt"
    path.write_text(text, "utf-8")
    return list(judgements(path, sees_contents=contents))


def one(tmp_path: Path, **row: object) -> Judgement:
    [found] = audit(tmp_path, json.dumps({"story": MOVED, "question": ASKED, **row}))
    return found


def test_hundred_right_labels_in_foreign_forms_are_right() -> None:
    verdicts = Counter(found.verdict for path in sorted(FOREIGN.iterdir()) for found in judgements(path))
    assert verdicts == {RIGHT: 100}


def test_all_lists_of_questions_in_an_object_are_read(tmp_path: Path) -> None:
    rows = [[{"story": MOVED, "question": ASKED, "answer": answer}] for answer in ("box", "bin")]
    text = json.dumps({"about": {"test": []}, "by": [{"name": "Mia"}], "train": rows[0], "test": rows[1]}, indent=1)
    assert [(found.verdict, found.question.line) for found in audit(tmp_path, text)] == [(RIGHT, 11), (WRONG, 18)]


def test_each_right_label_of_numbered_text_is_missed_if_another_place_stands_there(tmp_path: Path) -> None:
    others = {"red_crate": "blue_barrel", "trunk": "sack", "bin": "tub", "jar": "vase", "basket": "cupboard"}
    others |= {"pantry": "drawer", "chest": "bag", "box": "cup"}
    others |= {other: place for place, other in others.items()}
    spoilt = [
        "\t".join((question, others.get(label, label), *rest))
        for question, label, *rest in (f"{line}\t".split("\t") for line in NUMBERED.splitlines())
    ]
    found = audit(tmp_path, "\n".join(spoilt))[:50]
    assert {judgement.verdict for judgement in found} == {WRONG, ARGUABLE}
    for judgement in found:
        assert judgement.trace if judgement.verdict is WRONG else judgement.convention
    assert Counter(judgement.convention for judgement in found if judgement.convention) == {Convention.CONTENTS: 4}


def test_distractors_without_full_stops_change_no_verdict(tmp_path: Path) -> None:
    spoilt = NUMBERED.replace("\tred_crate", "\tblue_barrel").replace("\tsack", "\ttrunk")
    before = [(one.verdict, one.question.label) for one in audit(tmp_path, spoilt)]
    assert {verdict for verdict, _ in before} == {RIGHT, WRONG}
    lines = [line.split(" ", 1) for line in spoilt.splitlines()]
    for seed in range(5):
        random, number, shuffled = Random(seed), 0, ""
        for before_it, line in lines:
            number = 0 if before_it == "1" else number
            for _ in range(random.choice((0, 0, 1, 2))):
                number += 1
                shuffled += f"{number} {random.choice(('Vera', 'Kai', 'Wim'))} dislikes the cellar\n"
            number += 1
            shuffled += f"{number} {line}\n"
        after = [(one.verdict, one.question.label) for one in audit(tmp_path, shuffled)]
        assert after == before, seed


def test_a_missing_full_stop_hides_no_event() -> None:
    told = sentences_of("Bob likes the hall Bob left the hall. 6 The cup is in the box 7 Ann moved the cup to the bin")
    assert told == ("Bob likes the hall", "Bob left the hall.", "The cup is in the box", "Ann moved the cup to the bin")
    assert sentences_of("Ann likes the TV_room") == ("Ann likes the TV_room",)
    assert split_question("Ann left the hall. Ann likes the pear Where is Ann?\nA. hall\nB. den") == (
        "Ann left the hall. Ann likes the pear",
        "Where is Ann?",
        "A. hall\nB. den",
    )


def test_nothing_is_wrong_if_a_sentence_is_not_read(tmp_path: Path) -> None:
    for sentence, reason in (
        ("Ann likes the hall then tom entered the hall", "can't read 'Ann likes the hall then"),
        ("He entered the hall.", "can't read 'He entered"),
        ("Then Tom entered the hall.", "can't read 'Then Tom"),
        ("Tom entered the hall quietly.", "can't tell 'hall quietly' and 'hall' apart"),
        ("Uncle Tom entered the hall.", "can't tell 'Uncle Tom' and 'Tom' apart"),
        ("Mia moved the pear to the tub while Tom looked.", "can't read 'Mia moved the pear to the tub while"),
        ("Mia opened the bin.", "can't read 'Mia opened"),
        ("Tom saw a pear.", "it may say where the pear is"),
        ("Tom saw a bin.", "it may say where the bin is"),
        ("Tom peeked through the window.", "can't read 'Tom peeked"),
    ):
        found = one(tmp_path, story=f"{MOVED} {sentence}", answer="bin")
        assert found.verdict is NOT_JUDGED, sentence
        assert reason in found.reason
    told = "Mia entered the hall. Tom entered the hall. Tom left the hall. Mia hid the pear."
    assert one(tmp_path, story=told, answer="hall").reason == "'Mia hid the pear.' may say where something is"


def test_nothing_is_wrong_if_a_choice_or_the_label_is_not_read(tmp_path: Path) -> None:
    for row, reason in (
        ({"choices": ["box", "bin"], "answer": "C"}, "'C' means none of the 2 choices"),
        ({"choices": ["A", "B", "C"], "answer": "bin"}, "'bin' means none of the 3 choices"),
        ({"choices": ["the wooden one", "bin"], "answer": "B"}, "none of the choices reads as the right answer"),
        ({"choices": [["box"], ["bin"]], "answer": "A"}, "can't read the choices"),
        ({"choices": ["box", "bin"], "answer": True}, "can't read the label 'True'"),
        ({"choices": ["box", "bin"], "answer": {"text": "bin"}}, "can't read the label"),
        ({"choices": ["B", "A"], "answer": "A"}, "'A' means none of the 2 choices"),
        ({"answer": "the wooden one"}, "can't read the label 'the wooden one' as a place of the story"),
        ({"answer": "box or bin"}, "can't read the label"),
        ({"answer": "bin in the attic"}, "can't read the label"),
    ):
        found = one(tmp_path, **row)
        assert found.verdict is NOT_JUDGED, row
        assert reason in found.reason
    assert one(tmp_path, choices=["box", "bin"], answer="B").verdict is WRONG
    assert one(tmp_path, choices=["box", "bin", "tub"], answer="C").verdict is WRONG
    assert one(tmp_path, answer="in the bin").verdict is WRONG


def test_a_label_means_a_choice_by_words_letter_or_number() -> None:
    for values, label, meant in (
        (["box", "bin"], "0", ["box"]),
        (["box", "bin"], 1, ["bin", "box"]),
        (["2", "1", "0"], "0", ["0"]),
        (["2", "1", "0"], 0, ["2"]),
        (["box", "bin"], "2", ["bin"]),
        (["box", "bin"], -1, []),
        (["box", "bin"], "crate", []),
        (["red_box", "blue_box"], "He looks in the red box.", ["red_box"]),
        (["red_box", "blue_box"], "box", []),
        ({"1": "box", "2": "bin"}, 1, ["box"]),
        ("A) box B) bin", "b", ["bin"]),
    ):
        choices = read_choices(values)
        assert choices
        assert list(meant_choices(label, choices)) == meant, (values, label)
    assert [read_choices(value) for value in ("box, bin", "B. box, A. bin", [], {"A": ""}, [{"x": "box"}])] == [
        None
    ] * 5


def test_a_label_that_a_convention_decides_is_arguable(tmp_path: Path) -> None:
    back = f"{MOVED} Tom entered the hall."
    found = one(tmp_path, story=back, answer="box")
    assert (found.verdict, found.convention) == (ARGUABLE, Convention.CONTENTS)
    assert found.reason.endswith("by default Tom believes it in the bin in the hall")
    row = json.dumps({"story": back, "question": ASKED, "answer": "box"})
    assert [audit(tmp_path, row, contents=shown)[0].verdict for shown in (True, False)] == [WRONG, RIGHT]
    alone = f"{MOVED} Mia exited the hall. Tom entered the hall."
    asked = "Where does Tom think that Mia searches for the pear?"
    assert one(tmp_path, story=alone, question=asked, answer="bin").convention is Convention.STAYED
    assert one(tmp_path, story=alone, question=asked, answer="box").verdict is RIGHT
    assert one(tmp_path, choices=["box", "bin"], answer=1).convention is Convention.NUMBERS
    for claim, heard in (
        ("publicly claimed", True),
        ("told everyone", True),
        ("privately told Tom", True),
        ("told Ada", False),
    ):
        story = f"{MOVED} Mia {claim} that the pear is in the tub. Ada entered the den."
        said = [one(tmp_path, story=story, choices=["box", "bin", "tub"], answer=label) for label in ("A", "B", "C")]
        assert [found.verdict for found in said] == ([ARGUABLE, WRONG, ARGUABLE] if heard else [RIGHT, WRONG, WRONG])


def test_files_are_read_in_whatever_wrapping(tmp_path: Path) -> None:
    row = {"story": MOVED.split(". "), "question": ASKED, "answer": "box"}
    two = [row, {**row, "answer": "bin"}]
    for text in (
        "\n".join(map(json.dumps, two)),
        json.dumps(two),
        json.dumps({"version": [1], "data": two}, indent=1),
        f"\ufeff{json.dumps(two)}",
    ):
        found = audit(tmp_path, text)
        assert [one.verdict for one in found] == [RIGHT, WRONG], text
    lines = ",\n\n".join(map(json.dumps, two))
    assert [one.question.line for one in audit(tmp_path, f'{{"data":\n[{lines}]}}')] == [2, 4]
    numbered = MOVED.replace(". ", "\n").splitlines()
    text = "\n".join(f"{number} {line}" for number, line in enumerate(numbered, 1))
    assert audit(tmp_path, f"\ufeff{text}\r\n9 {ASKED}\tbox\r\n")[0].verdict is RIGHT
    with pytest.raises(ConfigError, match="line 2: not valid JSON"):
        audit(tmp_path, f"[{json.dumps(row)},\n{{]")


@pytest.mark.skipif(not SETS, reason="HM_AGENT_TOM_SETS names no folder with released sets")
def test_released_sets_are_read_and_each_wrong_label_is_proved() -> None:
    for path in sorted(Path(str(SETS)).iterdir()):
        found = list(judgements(path))
        assert not [one.reason for one in found if one.verdict is NOT_JUDGED], path
        assert all(one.trace for one in found if one.verdict is WRONG), path
