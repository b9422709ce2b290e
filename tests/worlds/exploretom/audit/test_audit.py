"""The audit, on stories in ToMi's forms that were written for these tests, with right labels and with wrong ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hm_agent.command_line.cli import main
from hm_agent.worlds.exploretom.audit.audit_command import judgements
from hm_agent.worlds.exploretom.audit.judging import Judgement, LabelVerdict
from hm_agent.worlds.exploretom.datasets.export_command import main as export
from tests.worlds.exploretom.story_examples import FALSE_BELIEF

MOVED = """\
1 Vera hates the attic.
2 Vera entered the cellar.
3 Emil entered the cellar.
4 The turnips are in the red_crate.
5 Emil exited the cellar.
6 Emil entered the attic.
7 Vera moved the turnips to the blue_barrel.
"""
RETURNED = f"{MOVED}8 Emil entered the cellar.\n"
SEEN_AGAIN = """\
1 Vera entered the cellar.
2 The turnips are in the red_crate.
3 The red_crate is in the cellar.
4 Vera exited the cellar.
5 Emil entered the cellar.
6 Emil moved the turnips to the blue_barrel.
7 The blue_barrel is in the cellar.
8 Emil exited the cellar.
9 Vera entered the cellar.
"""
ONE_BY_ONE = """\
1 Vera entered the cellar.
2 Emil entered the cellar.
3 Otto entered the cellar.
4 The turnips are in the red_crate.
5 Otto exited the cellar.
6 Vera moved the turnips to the blue_barrel.
7 Emil exited the cellar.
8 Vera moved the turnips to the green_box.
"""
"""Otto leaves before the first move, Emil before the second one."""
RIGHT, WRONG, NOT_JUDGED = LabelVerdict.RIGHT, LabelVerdict.WRONG, LabelVerdict.NOT_JUDGED


def audit(tmp_path: Path, text: str, *, contents: str = "seen") -> list[Judgement]:
    path = tmp_path / "set.txt"
    path.write_text(text, "utf-8")
    return list(judgements(path, sees_contents=contents == "seen"))


def verdict(tmp_path: Path, story: str, question: str, label: str, *, contents: str = "seen") -> Judgement:
    [found] = audit(tmp_path, f"{story}99 {question}\t{label}\t1\n", contents=contents)
    return found


@pytest.mark.parametrize(
    ("story", "question", "right", "wrong"),
    [
        (MOVED, "Where will Emil look for the turnips?", "red_crate", "blue_barrel"),
        (MOVED, "Where will Vera look for the turnips?", "blue_barrel", "red_crate"),
        (MOVED, "Where does Vera think that Emil searches for the turnips?", "red_crate", "blue_barrel"),
        (MOVED, "Where does Emil think that Vera searches for the turnips?", "red_crate", "blue_barrel"),
        (MOVED, "Where are the turnips really?", "blue_barrel", "red_crate"),
        (MOVED, "Where is the turnips really?", "cellar", "attic"),
        (MOVED, "Where are the turnips now?", "blue_barrel", "red_crate"),
        (MOVED, "Where is the red_crate?", "cellar", "attic"),
        (MOVED, "Where does Emil think that Vera searches for the red_crate?", "cellar", "attic"),
        (MOVED, "Where does Emil think the turnips is right now?", "red_crate", "blue_barrel"),
        (MOVED, "Where were the turnips at the beginning?", "red_crate", "blue_barrel"),
        (MOVED, "Where is Emil?", "attic", "cellar"),
        (MOVED, "In which container will Emil search for the turnips?", "red crate", "blue barrel"),
        (RETURNED, "Where will Emil look for the turnips?", "blue_barrel", "red_crate"),
        (RETURNED, "Where does Vera think that Emil searches for the turnips?", "blue_barrel", "red_crate"),
        (SEEN_AGAIN, "Where will Vera look for the turnips?", "blue_barrel", "red_crate"),
    ],
)
def test_right_labels_stand_and_wrong_ones_are_found(
    tmp_path: Path, story: str, question: str, right: str, wrong: str
) -> None:
    assert verdict(tmp_path, story, question, right).verdict is RIGHT
    found = verdict(tmp_path, story, question, wrong)
    assert found.verdict is WRONG
    assert len(found.trace) == len(story.splitlines())
    assert verdict(tmp_path, story, question, "unheard-of shelf").verdict is NOT_JUDGED


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Where does Vera really think the turnips is?", "green_box", "blue_barrel"),
        ("Where does Vera think Emil thinks the turnips is?", "blue_barrel", "green_box"),
        ("Where does Vera think Emil thinks Otto thinks the turnips is?", "red_crate", "blue_barrel"),
        ("Where does Vera think Emil thinks Vera thinks the turnips is?", "blue_barrel", "green_box"),
        ("Where does Otto think that Vera thinks that Emil looks for the turnips?", "red_crate", "blue_barrel"),
        ("Where does Emil believe Otto believes Vera searches for the turnips?", "red_crate", "green_box"),
        ("Where does Vera think Emil thinks Vera thinks Emil thinks the turnips is?", "blue_barrel", "green_box"),
        ("Where does Emil think Vera thinks Otto thinks Vera thinks the turnips is?", "red_crate", "blue_barrel"),
        ("Where does Vera think Vera thinks Vera thinks the turnips is?", "green_box", "blue_barrel"),
        (
            "In which container does Vera think that Emil thinks that Otto will search for the turnips?",
            "red crate",
            "blue barrel",
        ),
    ],
)
def test_labels_of_any_order_are_judged(tmp_path: Path, question: str, right: str, wrong: str) -> None:
    assert verdict(tmp_path, ONE_BY_ONE, question, right).verdict is RIGHT
    assert verdict(tmp_path, ONE_BY_ONE, question, wrong).verdict is WRONG


def test_trace_follows_a_belief_of_the_third_order(tmp_path: Path) -> None:
    asked = "Where does Vera think Emil thinks Vera thinks the turnips is?"
    found = verdict(tmp_path, ONE_BY_ONE, asked, "green_box")
    holder = "Vera thinks that Emil thinks that Vera believes"
    assert found.reason == f"{holder} it in the blue barrel in the cellar"
    assert [line.partition(f"{holder}: ")[2] for line in found.trace if holder in line] == [
        "in the red crate in the cellar]",
        "in the blue barrel in the cellar]",
    ]


def test_third_order_about_someone_who_saw_nothing_is_not_judged(tmp_path: Path) -> None:
    story = f"{ONE_BY_ONE}9 Rosa entered the attic.\n"
    found = verdict(tmp_path, story, "Where does Vera think Emil thinks Rosa thinks the turnips is?", "red_crate")
    assert (found.verdict, found.reason) == (
        NOT_JUDGED,
        "the story does not say where the turnips, as Vera thinks that Emil thinks that Rosa believes, is",
    )


def test_trace_shows_why_a_label_is_wrong(tmp_path: Path) -> None:
    found = verdict(tmp_path, MOVED, "Where will Emil look for the turnips?", "blue_barrel")
    assert found.reason == "Emil believes it in the red crate in the cellar"
    assert found.trace == (
        "Vera hates the attic.",
        "Vera entered the cellar.   [seen by Vera]",
        "Emil entered the cellar.   [seen by Vera and Emil]",
        "The turnips are in the red_crate.   [seen by Vera and Emil; Emil believes: in the red crate in the cellar]",
        "Emil exited the cellar.   [seen by Vera and Emil]",
        "Emil entered the attic.   [seen by Emil]",
        "Vera moved the turnips to the blue_barrel.   [seen by Vera]",
    )


@pytest.mark.parametrize(
    ("story", "question", "reason"),
    [
        (f"{MOVED}8 Vera whistled.\n", "Where is the turnips really?", "line 8: can't read 'Vera whistled.'"),
        (MOVED, "Why is Emil sad?", "can't read the question"),
        (MOVED, "Where will Otto look for the turnips?", "the story names no Otto"),
        (MOVED, "Where will Emil look for the beets?", "the story does not say where the beets, as Emil believes, is"),
        (SEEN_AGAIN, "Where does Emil think Vera looks for the turnips?", "as Emil thinks that Vera believes, is"),
        ("1 Vera exited the cellar.\n", "Where is Vera?", "line 1: Vera is not in the cellar"),
        ("1 The egg is in the cup.\n", "Where is the egg?", "line 1: no sentence tells which room the cup is in"),
        (
            f"{MOVED}8 The turnips are in the red_crate.\n",
            "Where is the turnips?",
            "line 8: the turnips is in the blue",
        ),
        (
            f"{MOVED}8 Emil moved the turnips to the box.\n",
            "Where is the turnips?",
            "line 8: the turnips is in the cellar",
        ),
    ],
)
def test_what_is_not_sure_is_not_judged(tmp_path: Path, story: str, question: str, reason: str) -> None:
    found = verdict(tmp_path, story, question, "red_crate")
    assert found.verdict is NOT_JUDGED
    assert reason in found.reason


def test_questions_are_judged_where_they_are_asked(tmp_path: Path) -> None:
    text = f"{MOVED}8 Where will Emil look for the turnips?\tred_crate\n9 Emil entered the cellar.\n"
    text += "10 Where will Emil look for the turnips?\tred_crate\n11 Vera sang.\n12 Where is Vera?\tcellar\n"
    found = audit(tmp_path, f"{text}1 Vera entered the cellar.\n2 Where is Vera?\tcellar\n")
    assert [one.verdict for one in found] == [RIGHT, WRONG, NOT_JUDGED, RIGHT]
    assert [one.question.line for one in found] == [8, 10, 12, 14]


def test_who_leaves_with_nothing_known_rules_a_room_out(tmp_path: Path) -> None:
    story = "1 Vera entered the cellar.\n2 Emil entered the cellar.\n3 The jug is in the red_crate.\n"
    story += "4 The attic_door is in the attic.\n5 Emil entered the attic.\n6 Emil entered the cellar.\n"
    story += "7 Vera moved the jug to the attic.\n"
    found = verdict(tmp_path, story, "Where will Emil look for the jug?", "red_crate")
    assert (found.verdict, found.reason) == (WRONG, "Emil believes it not in the cellar")
    assert verdict(tmp_path, story, "Where will Emil look for the jug?", "attic").verdict is NOT_JUDGED


def test_lines_of_json_are_read(tmp_path: Path) -> None:
    story = "Vera entered the cellar. The jug is in the red crate. Vera left the cellar."
    rows = [
        {"story": story, "question": "Where is the jug?", "answer": "red crate"},
        {"context": MOVED, "question": "Where is the turnips really?", "answer": "red_crate"},
        {"story": story, "question": "Where is the jug?", "choices": ["attic", "red crate"], "target": "B"},
        {"story": story, "question": "Where is the jug?", "choices": ["attic", "red crate"], "target": 0},
        {"story": story, "question": "Where is the jug?", "choices": ["A. attic", "B. red crate"], "target": "B"},
        {"story": story, "question": "Where is the jug?", "choices": ["(A) attic", "(B) red crate"], "target": "A"},
        {
            "story": "1. Vera entered the cellar.\n2. The jug is in the crate.",
            "question": "Where is the jug?",
            "answer": "crate",
        },
    ]
    found = audit(tmp_path, "\n".join(map(json.dumps, rows)))
    assert [one.verdict for one in found] == [RIGHT, WRONG, RIGHT, WRONG, RIGHT, WRONG, RIGHT]


def test_a_question_without_a_label_spoils_no_other(tmp_path: Path) -> None:
    asked = "8 Where will Emil look for the turnips?"
    found = audit(tmp_path, f"{MOVED}{asked}\n9{asked[1:]}\t\n10{asked[1:]}\tred_crate\n")
    assert [one.verdict for one in found] == [NOT_JUDGED, NOT_JUDGED, RIGHT]
    assert {one.reason for one in found[:2]} == {"it has no label"}


def test_our_own_sets_hold_and_a_spoilt_label_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for contents in ("hidden", "seen"):
        out = tmp_path / contents
        export(("--stories=1", f"--contents={contents}", "--splits=test:1", f"--out={out}"))
        for config in ("literal", "functional"):
            assert main(["hm-agent", "audit", str(out / config / "test.jsonl")]) == 0
            assert " 0 wrong, 0 arguable, 0 not judged" in capsys.readouterr().out
    path = tmp_path / "hidden" / "literal" / "test.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    spoilt = next(row for row in rows if row["false_belief"])
    spoilt["target"] = next(
        letter for letter, _ in zip("ABCDEFGH", spoilt["choices"], strict=False) if letter != spoilt["target"]
    )
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert main(["hm-agent", "audit", str(path), "--json"]) == 1
    [found] = map(json.loads, capsys.readouterr().out.splitlines())
    assert (found["question"], found["verdict"], found["line"]) == (spoilt["question"], "wrong", rows.index(spoilt) + 1)
    assert len(found["trace"]) == len(spoilt["story"].splitlines())


def test_exit_status_tells_a_pipeline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "set.txt"
    path.write_text(f"{MOVED}8 Where will Otto look for the turnips?\tred_crate\n", "utf-8")
    assert main(["hm-agent", "audit", str(path)]) == 0
    assert main(["hm-agent", "audit", "exploretom", str(path), "--strict"]) == 1
    path.write_text(f"{MOVED}8 Where is Emil?\tcellar\n", "utf-8")
    assert main(["hm-agent", "audit", str(path)]) == 1
    assert "1 label: 0 right, 1 wrong, 0 arguable, 0 not judged" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "nothing in it"),
        ("no numbers here", "line 1: a line begins with its number"),
        ("1 Vera entered the cellar.\n", "no question with a label in it"),
        ('{"story": "x"}', "line 1: an object has story, question, and answer"),
        ('{"story": ', "line 1: not valid JSON"),
        ("\udcff", "not UTF-8 text"),
    ],
)
def test_files_without_labels_are_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, complaint: str
) -> None:
    path = tmp_path / "set.txt"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert main(["hm-agent", "audit", str(path)]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
    assert main(["hm-agent", "audit", str(tmp_path / "nowhere")]) == 2
    assert main(["hm-agent", "audit"]) == 2


def test_hostile_text_is_shown_and_does_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "set.jsonl"
    row = {
        "story": f"{FALSE_BELIEF} <script>alert(1)</script>{{{{7777*7777}}}}",
        "question": "Where\n\x1b[2J?",
        "answer": "x",
    }
    path.write_text(json.dumps(row), "utf-8")
    assert main(["hm-agent", "audit", str(path)]) == 0
    said = capsys.readouterr().out
    assert str(7777 * 7777) not in said
    assert "\x1b" not in said
