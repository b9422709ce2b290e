"""Curves around validation from traces as agents leave them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from hm_agent.core import Decision, Hypothesis, Seat, Step, Thoughts, Turn
from hm_agent.recording.trace import TraceRecorder
from hm_agent.reporting.runs import RecordedEpisode
from hm_agent.reporting.validation import Stream, curves, read_streams
from tests.reporting.examples import KITCHEN, result

BELIEF = Hypothesis("it plays rock", 0.8)
Met = tuple[str | None, float, bool]
"""An interaction: with whom, its reward, and whether a hypothesis is validated from then on."""


@dataclass(frozen=True)
class Paid:
    """An interaction that paid."""

    step: int
    partner: str | None
    behaviour: str | None
    reward: float


def thoughts(met: Met, *, interactions: tuple[Paid, ...] = ()) -> Thoughts:
    validated = BELIEF if met[2] else None
    return Thoughts(about=met[0], hypotheses=(BELIEF,), validated=validated, interactions=interactions)  # type: ignore[arg-type]


def trace(folder: Path, *met: Met) -> Path:
    return traces(folder, {"player_0": met})


def traces(folder: Path, by_seat: dict[Seat, tuple[Met, ...]]) -> Path:
    """A trace in which each seat has its interactions, and does nothing in every second step."""
    folder.mkdir(exist_ok=True)
    recorder = TraceRecorder(folder / "trace.jsonl")
    for seat, all_met in by_seat.items():
        for number, met in enumerate(all_met):
            paid = Paid(number, met[0], "rock", met[1])
            for interactions in ((paid,), ()):
                decision = Decision(0, thoughts=thoughts(met, interactions=interactions))
                recorder.record(Step(Turn(number, {}), {seat: decision}, {}, {}))
    recorder.close()
    return folder / "trace.jsonl"


def test_the_interaction_that_meets_the_threshold_is_at_zero(tmp_path: Path) -> None:
    path = trace(tmp_path, ("it", -1, False), ("it", 2, False), ("it", 3, True), ("it", 4, True))
    (stream,) = read_streams(path)
    assert stream.by_offset() == {-2: -1, -1: 2, 0: 3, 1: 4}


def test_validation_that_is_lost_and_won_again_counts_from_the_first(tmp_path: Path) -> None:
    path = trace(tmp_path, ("it", 1, False), ("it", 2, True), ("it", 3, False), ("it", 4, True))
    assert read_streams(path) == [Stream((1, 2, 3, 4), validated=1)]


def test_each_other_player_makes_a_stream_of_its_own(tmp_path: Path) -> None:
    met: list[Met] = [("one", 1, False), ("two", 2, True), (None, 9, False), ("one", 3, False), ("two", 4, True)]
    assert read_streams(trace(tmp_path, *met)) == [Stream((1, 3), validated=None), Stream((2, 4), validated=0)]


def test_in_self_play_each_seat_and_partner_makes_a_stream(tmp_path: Path) -> None:
    met: dict[Seat, tuple[Met, ...]] = {
        "player_0": (("player_1", 1, False), ("player_1", 2, True)),
        "player_1": (("player_0", 3, True), ("player_0", 4, True)),
    }
    assert read_streams(traces(tmp_path, met)) == [Stream((1, 2), validated=1), Stream((3, 4), validated=0)]


def test_a_seat_that_holds_no_hypotheses_makes_no_stream(tmp_path: Path) -> None:
    recorder = TraceRecorder(tmp_path / "trace.jsonl")
    for number in range(3):
        met = Thoughts(about="it", interactions=(Paid(number, "it", "rock", 1),))  # type: ignore[arg-type]
        recorder.record(Step(Turn(number, {}), {"player_0": Decision(0, thoughts=met)}, {}, {}))
    recorder.close()
    assert read_streams(tmp_path / "trace.jsonl") == []


def test_a_trace_of_format_1_is_read_too(tmp_path: Path) -> None:
    belief = {"hypotheses": [{"words": "it plays rock", "value": 0.8}], "about": "it", "validated": "it plays rock"}
    lines: list[dict[str, object]] = [
        {"step": 0, "action": "noop", "reward": 0, "understood": [{"step": 0, "partner": "it", "reward": 1}]},
        {"step": 1, "action": "noop", "reward": 0, "understood": [{"step": 1, "partner": "it", "reward": 2}], **belief},
    ]
    (tmp_path / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_streams(tmp_path / "trace.jsonl") == [Stream((1, 2), validated=1)]


def test_a_stream_without_validation_is_counted_and_not_drawn() -> None:
    assert Stream((1.0, 2.0), validated=None).by_offset() == {}


def episodes(tmp_path: Path, *played: tuple[Met, ...], **changes: object) -> list[RecordedEpisode]:
    return [
        RecordedEpisode(result(seed=number, **changes), trace(tmp_path / str(number), *met).parent)  # type: ignore[arg-type]
        for number, met in enumerate(played)
    ]


def test_a_curve_averages_episodes_and_cuts_what_few_of_them_have(tmp_path: Path) -> None:
    long: tuple[Met, ...] = (("it", 5, False), ("it", 1, True), ("it", 8, True))
    short: tuple[Met, ...] = (("it", 3, True), ("it", 2, True))
    never: tuple[Met, ...] = (("it", 100, False),)
    (curve,) = curves(episodes(tmp_path, long, short, short, never))
    assert {offset: (point.mean, point.n) for offset, point in curve.points.items()} == {0: (7 / 3, 3), 1: (4, 3)}
    assert (curve.streams, curve.validated) == (4, 3)


def test_streams_of_one_episode_weigh_as_one(tmp_path: Path) -> None:
    crowd: tuple[Met, ...] = tuple((f"player_{number}", 6.0, True) for number in range(5))
    alone: tuple[Met, ...] = (("it", 3.0, True),)
    (curve,) = curves(episodes(tmp_path, crowd, alone, alone))
    assert (curve.points[0].mean, curve.points[0].n) == (4, 3)


def test_few_episodes_unfinished_ones_and_kitchens_make_no_curve(tmp_path: Path) -> None:
    met: tuple[Met, ...] = (("it", 3, True),)
    assert curves(episodes(tmp_path, met, met)) == []
    assert curves(episodes(tmp_path, met, met, met, status="interrupted")) == []
    assert curves(episodes(tmp_path, met, met, met, scenario=KITCHEN)) == []
    assert len(curves(episodes(tmp_path, met, met, met))) == 1
