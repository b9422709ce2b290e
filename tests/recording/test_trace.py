from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from pydantic import BaseModel

from hm_agent.bounds import MAX_RECORDED, MAX_SAMPLE
from hm_agent.core import Decision, Event, Hypothesis, Step, Thoughts, Turn
from hm_agent.questions import UNSHOWN, Exchange, ModelCall, Question
from hm_agent.recording.trace import HEADER, TraceRecorder, read_trace, to_json
from hm_agent.worlds.melting_pot.grid import Facing, Move, Pose
from hm_agent.worlds.melting_pot.planning.calls import Call, FireAt, Interact, MoveTo, Wait
from tests.recording.recordings import PlainStrategy, a_step

ROCK = Hypothesis("it plays rock", 0.3, "rock")
PAPER = Hypothesis("it plays paper")


@dataclass(frozen=True, slots=True)
class Met(Event):
    inventory: tuple[int, ...]

    def describe(self) -> str:
        return f"met it holding {self.inventory}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player of some world believes and plans."""

    subgoal: str | None
    pose: Pose | None = None
    inventory: tuple[int, ...] = ()
    skipped: tuple[Call, ...] = ()
    secret: str = field(default="", metadata=UNSHOWN)


@dataclass(frozen=True, slots=True)
class Collect:
    """A strategy with a field of its game's own."""

    words: str
    target: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """An interaction."""

    step: int
    partner: str
    behaviour: str | None
    reward: float


class Guess(BaseModel):
    behaviour: str
    confidence: float


@dataclass(frozen=True)
class GuessBehaviour(Question[Guess]):
    template: ClassVar[str] = "guess.j2"
    schema: ClassVar[type[BaseModel]] = Guess
    seen: frozenset[str]
    score: float = float("nan")


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
        state=Plan("move_to((3, 4))", Pose(3, 4, Facing.NORTH), (1, 6, 1), secret="unshown"),
        thoughts=Thoughts(
            strategy=Collect("collect paper", target=(1, 6, 1)),
            about="player_3",
            hypotheses=(ROCK, PAPER),
            validated=ROCK,
            interactions=(Played(7, "player_3", "rock", 10.0),),
            relied_on=(replace(ROCK, value=0.0),),
            right=(True,),
        ),
        events=(Met(7, (1, 6, 1)),),
        exchanges=(Exchange(question, Guess(behaviour="rock", confidence=0.5), seconds=1.5),),
    )
    assert traced(tmp_path / "trace.jsonl", a_step(7, decision, 10.0, "player_1")) == [
        {
            "step": 7,
            "seat": "player_1",
            "action": "step_left",
            "reward": 10.0,
            "state": {"subgoal": "move_to((3, 4))", "pose": [3, 4, "north"], "inventory": [1, 6, 1]},
            "strategy": {"words": "collect paper", "target": [1, 6, 1]},
            "events": [
                {"kind": "Met", "words": "met it holding (1, 6, 1)", "fields": {"step": 7, "inventory": [1, 6, 1]}}
            ],
            "interactions": [{"step": 7, "partner": "player_3", "behaviour": "rock", "reward": 10.0}],
            "relied_on": [{"words": "it plays rock", "value": 0.0, "prediction": "rock"}],
            "right": [True],
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
            "about": "player_3",
            "validated": "it plays rock",
        }
    ]


def test_an_interaction_without_a_hypothesis_relied_on_nothing(tmp_path: Path) -> None:
    met = (Played(0, "player_1", "rock", 1.0), Played(0, "player_2", "rock", 1.0))
    first, second = (Thoughts(interactions=met, relied_on=held) for held in ((None, PAPER), (None, None)))
    lines = traced(
        tmp_path / "trace.jsonl", a_step(0, Decision(0, thoughts=first)), a_step(1, Decision(0, thoughts=second))
    )
    assert [line.get("relied_on") for line in lines] == [[None, {"words": "it plays paper", "value": 0.0}], None]


def test_skipped_calls_are_the_calls_that_were_planned(tmp_path: Path) -> None:
    state = Plan("interact((1, 2))", skipped=(MoveTo((3, 4)), FireAt((5, 6)), Interact((7, 8)), Wait((7, 8))))
    (line,) = traced(tmp_path / "trace.jsonl", a_step(0, Decision(0, state=state)))
    assert line["state"] == {
        "subgoal": "interact((1, 2))",
        "skipped": ["move_to((3, 4))", "fire_at((5, 6))", "interact((7, 8))", "wait((7, 8))"],
    }


def test_empty_step_is_compact(tmp_path: Path) -> None:
    traced(tmp_path / "trace.jsonl", a_step(0, Decision(action=99)))
    header, line = (tmp_path / "trace.jsonl").read_text().splitlines()
    assert json.loads(header) == HEADER
    assert line == '{"step": 0, "seat": "player_0", "action": 99, "reward": 0.0}'


def test_every_seat_that_acts_or_is_paid_has_a_line_and_beliefs_of_its_own(tmp_path: Path) -> None:
    thinking = Decision(0, thoughts=Thoughts(hypotheses=(ROCK,)))
    both = Step(Turn(0, {}), {"player_0": Decision(1), "player_1": thinking}, {"player_1": 2.0}, {})
    one = Step(Turn(1, {}), {"player_1": thinking}, {"player_0": 1.0}, {})
    lines = traced(tmp_path / "trace.jsonl", both, one)
    assert [(line["step"], line["seat"], line["reward"]) for line in lines] == [
        (0, "player_0", 0.0),
        (0, "player_1", 2.0),
        (1, "player_1", 0.0),
        (1, "player_0", 1.0),
    ]
    assert ["hypotheses" in line for line in lines] == [False, True, False, False]
    assert ["action" in line for line in lines] == [True, True, True, False]


def test_unanswered_question_has_no_answer(tmp_path: Path) -> None:
    exchange = Exchange(GuessBehaviour(frozenset()), None, seconds=0.1)
    (line,) = traced(tmp_path / "trace.jsonl", a_step(0, Decision(0, exchanges=(exchange,))))
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
    thoughts = (Thoughts(hypotheses=bank, validated=best) for bank, best in held)
    steps = (a_step(i, Decision(0, thoughts=thought)) for i, thought in enumerate(thoughts))
    lines = traced(tmp_path / "trace.jsonl", *steps)
    assert [line["step"] for line in lines if "hypotheses" in line] == [1, 4, 5, 6, 7]
    assert [line["step"] for line in lines if "validated" in line] == [5]
    assert lines[-1]["hypotheses"] == []


def test_every_step_is_on_disk_before_the_next(tmp_path: Path) -> None:
    recorder = TraceRecorder(tmp_path / "trace.jsonl")
    for number in range(3):
        recorder.record(a_step(number, Decision(0)))
        assert len(list(read_trace(tmp_path / "trace.jsonl"))) == number + 1
    recorder.close()
    recorder.close()


@pytest.mark.parametrize("cut", range(1, 20))
def test_cut_last_line_is_left_out(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "trace.jsonl"
    traced(path, a_step(0, Decision(0)), a_step(1, Decision(0, state=Plan("é→漢"))))
    path.write_bytes(path.read_bytes()[:-cut])
    assert [line["step"] for line in read_trace(path)] == [0]


def test_half_a_surrogate_pair_is_kept(tmp_path: Path) -> None:
    (line,) = traced(tmp_path / "trace.jsonl", a_step(0, Decision(0, state=PlainStrategy("α \ud83d\nω"))))
    assert line["state"] == {"words": "α \ud83d\nω"}


def test_time_taken_leaves_no_mark(tmp_path: Path) -> None:
    exchanges = [Exchange(GuessBehaviour(frozenset()), None, seconds) for seconds in (0.1, 9.9)]
    first, second = (tmp_path / "first.jsonl", tmp_path / "second.jsonl")
    traced(first, a_step(0, Decision(0, exchanges=exchanges[:1])))
    traced(second, a_step(0, Decision(0, exchanges=exchanges[1:])))
    assert first.read_bytes() == second.read_bytes()


def test_order_does_not_depend_on_the_process() -> None:
    code = (
        "import json; from hm_agent.recording.trace import to_json; words = frozenset(map(str, range(99)));"
        "print(json.dumps(to_json([words, dict.fromkeys(words, 1), frozenset({(2, 1), (1, 2)})])))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
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
        recorder.record(a_step(0, Decision(0)))
    with pytest.raises(OSError, match="No space left"):
        recorder.close()


def test_a_line_is_bounded_and_keeps_the_end_of_each_reply(tmp_path: Path) -> None:
    long = "y" * (MAX_SAMPLE - 7) + "the end"

    def replies(calls: int) -> list[str]:
        asked = Exchange(GuessBehaviour(frozenset()), None, 0.1, (ModelCall("prompt", (long,) * 8),) * calls)
        (line,) = traced(tmp_path / "trace.jsonl", a_step(0, Decision(Move.NOOP, exchanges=(asked,))))
        return [reply for call in line["questions"][0]["calls"] for reply in call["replies"]]  # type: ignore[index]

    many = replies(4)
    assert len(many) == 32
    assert sum(map(len, many)) <= MAX_RECORDED
    assert all(reply.startswith("…y") and reply.endswith("the end") for reply in many)
    assert replies(1) == [long] * 8


def test_lines_without_any_of_the_wanted_keys_are_left_out(tmp_path: Path) -> None:
    believed = Decision(Move.NOOP, thoughts=Thoughts(about="player_1", hypotheses=(ROCK,)))
    lines = traced(tmp_path / "trace.jsonl", a_step(0, Decision(Move.NOOP)), a_step(1, believed))
    asked = list(read_trace(tmp_path / "trace.jsonl", with_any_of=("hypotheses", "interactions")))
    assert asked == lines[1:]
    assert len(lines) == 2
