from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from pydantic import BaseModel

from hm_agent.core import Decision, Event, Hypothesis, Observation, Step, Strategy
from hm_agent.questions import Exchange, Question
from hm_agent.recording.trace import TraceRecorder, read_trace, to_json
from hm_agent.worlds.melting_pot.grid import Facing, Move, Pose

ROCK = Hypothesis("it plays rock", 0.3, "rock")
PAPER = Hypothesis("it plays paper")


@dataclass(frozen=True, slots=True)
class Met(Event):
    inventory: tuple[int, ...]

    def describe(self) -> str:
        return f"met it holding {self.inventory}"


class Guess(BaseModel):
    behaviour: str
    confidence: float


@dataclass(frozen=True)
class GuessBehaviour(Question[Guess]):
    template: ClassVar[str] = "guess.j2"
    schema: ClassVar[type[BaseModel]] = Guess
    seen: frozenset[str]
    score: float = float("nan")


def step(number: int, decision: Decision, reward: float = 0.0) -> Step:
    return Step(Observation(number, {}), decision, reward, reward)


def traced(path: Path, *steps: Step) -> list[dict[str, object]]:
    recorder = TraceRecorder(path)
    for one in steps:
        recorder.record(one)
    recorder.close()
    return list(read_trace(path))


def test_full_step_says_everything(tmp_path: Path) -> None:
    question = GuessBehaviour(frozenset({"rock", "paper"}))
    decision = Decision(
        action=Move.STEP_LEFT,
        pose=Pose(3, 4, Facing.NORTH),
        inventory=(1, 6, 1),
        other_inventory=(5, 1, 1),
        subgoal="move_to((3, 4))",
        strategy=Strategy("collect paper", target=(1, 6, 1)),
        hypotheses=(ROCK, PAPER),
        validated=ROCK,
        events=(Met(7, (1, 6, 1)),),
        exchanges=(Exchange(question, Guess(behaviour="rock", confidence=0.5), seconds=1.5),),
    )
    assert traced(tmp_path / "trace.jsonl", step(7, decision, reward=10.0)) == [
        {
            "step": 7,
            "action": "step_left",
            "reward": 10.0,
            "pose": [3, 4, "north"],
            "inventory": [1, 6, 1],
            "other_inventory": [5, 1, 1],
            "subgoal": "move_to((3, 4))",
            "strategy": {"words": "collect paper", "target": [1, 6, 1]},
            "events": [
                {"kind": "Met", "words": "met it holding (1, 6, 1)", "fields": {"step": 7, "inventory": [1, 6, 1]}}
            ],
            "questions": [
                {
                    "question": "GuessBehaviour",
                    "fields": {"seen": ["paper", "rock"], "score": "NaN"},
                    "answer": {"behaviour": "rock", "confidence": 0.5},
                }
            ],
            "hypotheses": [
                {"words": "it plays rock", "value": 0.3, "prediction": "rock"},
                {"words": "it plays paper", "value": 0.0},
            ],
            "validated": "it plays rock",
        }
    ]


def test_empty_step_is_compact(tmp_path: Path) -> None:
    traced(tmp_path / "trace.jsonl", step(0, Decision(action=99)))
    assert (tmp_path / "trace.jsonl").read_text() == '{"step": 0, "action": 99, "reward": 0.0}\n'


def test_unanswered_question_has_no_answer(tmp_path: Path) -> None:
    exchange = Exchange(GuessBehaviour(frozenset()), None, seconds=0.1)
    (line,) = traced(tmp_path / "trace.jsonl", step(0, Decision(0, exchanges=(exchange,))))
    assert line["questions"] == [{"question": "GuessBehaviour", "fields": {"seen": [], "score": "NaN"}, "answer": None}]


def test_hypotheses_are_written_when_they_change(tmp_path: Path) -> None:
    held = [
        ((), None),
        ((ROCK, PAPER), None),
        ((ROCK, PAPER), None),
        ((replace(ROCK, born=3), PAPER), None),
        ((replace(ROCK, value=0.51), PAPER), None),
        ((replace(ROCK, value=0.51), PAPER), PAPER),
        ((replace(ROCK, value=0.51), PAPER), None),
        ((), None),
    ]
    steps = (step(i, Decision(0, hypotheses=bank, validated=best)) for i, (bank, best) in enumerate(held))
    lines = traced(tmp_path / "trace.jsonl", *steps)
    assert [line["step"] for line in lines if "hypotheses" in line] == [1, 4, 5, 6, 7]
    assert [line["step"] for line in lines if "validated" in line] == [5]
    assert lines[-1]["hypotheses"] == []


def test_every_step_is_on_disk_before_the_next(tmp_path: Path) -> None:
    recorder = TraceRecorder(tmp_path / "trace.jsonl")
    for number in range(3):
        recorder.record(step(number, Decision(0)))
        assert len(list(read_trace(tmp_path / "trace.jsonl"))) == number + 1
    recorder.close()
    recorder.close()


@pytest.mark.parametrize("cut", range(1, 20))
def test_cut_last_line_is_left_out(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "trace.jsonl"
    traced(path, step(0, Decision(0)), step(1, Decision(0, subgoal="é→漢")))
    path.write_bytes(path.read_bytes()[:-cut])
    assert [line["step"] for line in read_trace(path)] == [0]


def test_half_a_surrogate_pair_is_kept(tmp_path: Path) -> None:
    (line,) = traced(tmp_path / "trace.jsonl", step(0, Decision(0, subgoal="α \ud83d\nω")))
    assert line["subgoal"] == "α \ud83d\nω"


def test_time_taken_leaves_no_mark(tmp_path: Path) -> None:
    exchanges = [Exchange(GuessBehaviour(frozenset()), None, seconds) for seconds in (0.1, 9.9)]
    first, second = (tmp_path / "first.jsonl", tmp_path / "second.jsonl")
    traced(first, step(0, Decision(0, exchanges=exchanges[:1])))
    traced(second, step(0, Decision(0, exchanges=exchanges[1:])))
    assert first.read_bytes() == second.read_bytes()


def test_order_does_not_depend_on_the_process() -> None:
    code = (
        "import json; from hm_agent.recording.trace import to_json; words = frozenset('rock paper scissors'.split());"
        "print(json.dumps(to_json([words, dict.fromkeys(words, 1), frozenset({(2, 1), (1, 2)})])))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (np.float32("nan"), "NaN"),
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1.0, np.inf]]), [[1.0, "Infinity"]]),
        (True, True),
        (Facing.WEST, "west"),
        (Colour.RED, "red"),
        ({(1, 2): Pose(0, 0, 1), "a": None}, {"[1, 2]": [0, 0, "east"], "a": None}),
        ({Facing.EAST: {3, 1, 2}}, {"east": [1, 2, 3]}),
        ([Guess(behaviour="rock", confidence=float("inf"))], [{"behaviour": "rock", "confidence": "Infinity"}]),
    ],
)
def test_value_in_json(value: object, form: object) -> None:
    assert json.dumps(to_json(value)) == json.dumps(form)


def test_value_without_a_form_is_an_error_that_names_it() -> None:
    with pytest.raises(TypeError, match="a trace can't hold object"):
        to_json({"deep": [object()]})


def test_full_disk_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "trace.jsonl").symlink_to("/dev/full")
    recorder = TraceRecorder(tmp_path / "trace.jsonl")
    with pytest.raises(OSError, match="No space left"):
        recorder.record(step(0, Decision(0)))
    with pytest.raises(OSError, match="No space left"):
        recorder.close()
