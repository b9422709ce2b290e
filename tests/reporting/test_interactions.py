"""Curves of the rewards of interactions from traces: around validation, and by their number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from hm_agent.core import Decision, Hypothesis, Seat, Step, Thoughts, Turn
from hm_agent.recording.trace import TraceRecorder
from hm_agent.reporting.curves import adaptation_curves, adaptation_rows, by_offset, validation_curves
from hm_agent.reporting.interaction_figures import validation_picture
from hm_agent.reporting.interactions import Curve, Stream, read_streams, stream_groups
from hm_agent.reporting.pictures import keys
from hm_agent.reporting.runs import RecordedEpisode
from hm_agent.reporting.tables import tabulate
from tests.reporting.examples import KITCHEN, RWS_2, result

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
    folder.mkdir(parents=True, exist_ok=True)
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
    assert by_offset(stream) == {-2: -1, -1: 2, 0: 3, 1: 4}


def test_validation_that_is_lost_and_won_again_counts_from_the_first(tmp_path: Path) -> None:
    path = trace(tmp_path, ("it", 1, False), ("it", 2, True), ("it", 3, False), ("it", 4, True))
    assert read_streams(path) == [Stream((1, 2, 3, 4), validated=1, has_hypotheses=True)]


def test_each_other_player_makes_a_stream_of_its_own(tmp_path: Path) -> None:
    met: list[Met] = [("one", 1, False), ("two", 2, True), (None, 9, False), ("one", 3, False), ("two", 4, True)]
    one, two = read_streams(trace(tmp_path, *met))
    assert (one.rewards, one.validated) == ((1, 3), None)
    assert (two.rewards, two.validated) == ((2, 4), 0)


def test_in_self_play_each_seat_and_partner_makes_a_stream(tmp_path: Path) -> None:
    met: dict[Seat, tuple[Met, ...]] = {
        "player_0": (("player_1", 1, False), ("player_1", 2, True)),
        "player_1": (("player_0", 3, True), ("player_0", 4, True)),
    }
    first, second = read_streams(traces(tmp_path, met))
    assert (first.rewards, first.validated) == ((1, 2), 1)
    assert (second.rewards, second.validated) == ((3, 4), 0)


def test_a_seat_that_holds_no_hypotheses_counts_for_no_curve_around_validation(tmp_path: Path) -> None:
    recorder = TraceRecorder(tmp_path / "trace.jsonl")
    for number in range(3):
        met = Thoughts(about="it", interactions=(Paid(number, "it", "rock", 1),))  # type: ignore[arg-type]
        recorder.record(Step(Turn(number, {}), {"player_0": Decision(0, thoughts=met)}, {}, {}))
    recorder.close()
    assert read_streams(tmp_path / "trace.jsonl") == [Stream((1, 1, 1))]
    recorded = [RecordedEpisode(result(seed=number), tmp_path) for number in range(3)]
    assert curves(recorded) == []


def test_a_stream_without_validation_is_counted_and_not_drawn() -> None:
    assert by_offset(Stream((1.0, 2.0), validated=None)) == {}


def episodes(tmp_path: Path, *played: tuple[Met, ...], **changes: object) -> list[RecordedEpisode]:
    return [
        RecordedEpisode(result(seed=number, **changes), trace(tmp_path / str(number), *met).parent)  # type: ignore[arg-type]
        for number, met in enumerate(played)
    ]


def curves(recorded: list[RecordedEpisode]) -> list[Curve]:
    return validation_curves(stream_groups(recorded))


def test_a_curve_averages_episodes_and_cuts_what_few_of_them_have(tmp_path: Path) -> None:
    long: tuple[Met, ...] = (("it", 5, False), ("it", 1, True), ("it", 8, True))
    short: tuple[Met, ...] = (("it", 3, True), ("it", 2, True))
    never: tuple[Met, ...] = (("it", 100, False),)
    (curve,) = curves(episodes(tmp_path, long, short, short, never))
    assert {offset: (point.mean, point.n) for offset, point in curve.points.items()} == {0: (7 / 3, 3), 1: (4, 3)}
    picture = validation_picture([curve], {curve.of.condition: "agent"}, keys([curve.of.condition]))
    assert picture is not None
    assert "3 of 4 streams reached the threshold" in picture.caption


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


# By the number of the interaction


def paid(*rewards: float, partner: str = "it") -> tuple[Met, ...]:
    return tuple((partner, reward, False) for reward in rewards)


def adapted(recorded: list[RecordedEpisode]) -> list[Curve]:
    return adaptation_curves(stream_groups(recorded))


def test_rewards_are_averaged_by_the_number_of_the_interaction(tmp_path: Path) -> None:
    (curve,) = adapted(episodes(tmp_path, paid(0, 3, 6), paid(3, 3), paid(6, 0)))
    assert {number: (point.mean, point.n) for number, point in curve.points.items()} == {1: (3, 3), 2: (2, 3)}


def test_each_partner_is_numbered_apart(tmp_path: Path) -> None:
    mixed = (*paid(1), *paid(5, partner="other"), *paid(2), *paid(6, partner="other"))
    (curve,) = adapted(episodes(tmp_path, mixed, mixed, mixed))
    assert {number: point.mean for number, point in curve.points.items()} == {1: 3, 2: 4}


def test_the_first_five_are_early_and_the_rest_is_later(tmp_path: Path) -> None:
    long, short = paid(0, 1, 2, 3, 4, 10, 20), paid(7)
    (row,) = adaptation_rows(adapted(episodes(tmp_path, long, long, short)))
    assert row.early is not None
    assert row.early.values == (2, 2, 7)
    assert row.later is not None
    assert row.later.values == (15, 15)


def test_shares_are_of_the_ceiling_of_the_same_group(tmp_path: Path) -> None:
    agent = episodes(tmp_path / "agent", *[paid(1, 1, 1, 1, 1, 3)] * 3)
    ceiling = episodes(tmp_path / "ceiling", *[paid(4, 4, 4, 4, 4, 4)] * 3, agent="oracle")
    own, highest = adaptation_rows(adapted([*ceiling, *agent]))
    assert (own.early_share, own.later_share) == (0.25, 0.75)
    assert (highest.early_share, highest.later_share) == (None, None)
    assert highest.of.condition.agent == "oracle"


def test_shares_are_of_the_ceiling_with_the_same_settings(tmp_path: Path) -> None:
    played = [
        *episodes(tmp_path / "seeing", *[paid(3)] * 3, settings={"clues": "on"}),
        *episodes(tmp_path / "blind", *[paid(1)] * 3, settings={"clues": "off"}),
        *episodes(tmp_path / "seeing oracle", *[paid(4)] * 3, agent="oracle", settings={"clues": "on"}),
        *episodes(tmp_path / "blind oracle", *[paid(2)] * 3, agent="oracle", settings={"clues": "off"}),
    ]
    rows = adaptation_rows(adapted(played))
    shares = {(row.of.condition.agent, dict(row.of.condition.settings)["clues"]): row.early_share for row in rows}
    agent = rows[0].of.condition.agent
    assert shares == {(agent, "on"): 0.75, (agent, "off"): 0.5, ("oracle", "on"): None, ("oracle", "off"): None}


def test_without_a_ceiling_or_later_interactions_there_is_no_share(tmp_path: Path) -> None:
    agent = episodes(tmp_path / "agent", *[paid(1)] * 3)
    ceiling = episodes(tmp_path / "ceiling", *[paid(4)] * 3, agent="oracle")
    assert [(row.early_share, row.later_share) for row in adaptation_rows(adapted(agent))] == [(None, None)]
    own, _ = adaptation_rows(adapted([*agent, *ceiling]))
    assert (own.early_share, own.later_share) == (0.25, None)


def test_a_ceiling_within_the_noise_of_nothing_is_no_measure(tmp_path: Path) -> None:
    agent = episodes(tmp_path / "agent", *[paid(1)] * 3)
    ceiling = episodes(tmp_path / "ceiling", paid(3), paid(-2), paid(0), agent="oracle")
    assert adaptation_rows(adapted([*agent, *ceiling]))[0].early_share is None


def test_shares_leave_out_scenarios_on_a_narrow_scale(tmp_path: Path) -> None:
    played = [
        *episodes(tmp_path / "wide", *[paid(1)] * 3),
        *episodes(tmp_path / "narrow", *[paid(9)] * 3, scenario=RWS_2),
        *episodes(tmp_path / "wide ceiling", *[paid(4)] * 3, agent="oracle"),
        *episodes(tmp_path / "narrow ceiling", *[paid(1)] * 3, agent="oracle", scenario=RWS_2),
    ]
    rows = [replace(row, is_narrow=row.scenario.name == RWS_2) for row in tabulate([one.result for one in played])]
    unguarded, guarded = (adaptation_rows(adapted(played), known)[0] for known in ([], rows))
    assert (unguarded.early_share, guarded.early_share) == (2.0, 0.25)
    assert unguarded.early == guarded.early


def test_a_ceiling_that_earns_nothing_is_no_measure(tmp_path: Path) -> None:
    agent = episodes(tmp_path / "agent", *[paid(1)] * 3)
    ceiling = episodes(tmp_path / "ceiling", *[paid(-1)] * 3, agent="oracle")
    assert adaptation_rows(adapted([*agent, *ceiling]))[0].early_share is None
