"""Where the ceiling agent is none: it was told nothing, or others did better."""

from __future__ import annotations

from pathlib import Path

import pytest

from hm_agent.metrics import TOLD_SHARE
from hm_agent.recording.result import Result, SeatResult
from hm_agent.reporting.ceilings import CeilingGap, ceiling_gaps, exceeded_notes, told_mark, told_notes
from hm_agent.reporting.conditions import conditions_of, labels
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.summary import tables
from hm_agent.reporting.tables import tabulate
from hm_agent.reporting.writing import write_report
from tests.reporting.examples import PD, RWS, RWS_2, RWS_3, delivered, leave, result, settings


def oracle(told: float | None, reward: float = 10.0, seed: int = 1, **changes: object) -> Result:
    metrics = {"normalised_reward": reward, **({} if told is None else {TOLD_SHARE: told})}
    return result("oracle", reward, seed, metrics=metrics, **changes)


@pytest.mark.parametrize(
    ("share", "mark"),
    [(None, ""), (0.0, "told nothing"), (0.004, "told 1%"), (0.3, "told 30%"), (0.94, "told 94%"), (0.95, ""), (1, "")],
)
def test_a_mark_says_how_much_a_ceiling_was_told(share: float | None, mark: str) -> None:
    assert told_mark(share) == mark


def test_the_share_told_is_a_mean_over_finished_episodes() -> None:
    lost = oracle(1.0, seed=3, status="interrupted")
    row, *_ = tabulate([result(), oracle(0.2, seed=1), oracle(0.6, seed=2), lost, result("random")])
    assert row.ceiling_reference is not None
    assert row.ceiling_reference.told_share == pytest.approx(0.4)
    assert row.told_share is None


def test_scenarios_are_named_in_which_the_ceiling_was_told_nothing_or_little_or_it_is_not_known() -> None:
    rows = tabulate([result(), oracle(0.0), oracle(0.5, scenario=RWS_2), oracle(None, scenario=PD), result("random")])
    assert told_notes(rows) == [
        "† `oracle` was told nothing of the other players in rws_repeated_1: it is no ceiling there.",
        "† `oracle` was told of the other players in only a part of all steps and players: rws_repeated_2 (50%).",
        "The results of 1 scenario do not record how often `oracle` was told of the other players.",
    ]


def test_of_a_ceiling_that_is_always_told_nothing_is_said() -> None:
    assert told_notes(tabulate([result(), oracle(0.999), result("random")])) == []


def test_what_is_not_the_ceiling_is_not_asked_what_it_was_told() -> None:
    assert told_notes(tabulate([result(), result("random"), result("noop")])) == []


def test_every_table_marks_a_ceiling_that_was_told_nothing(tmp_path: Path) -> None:
    played = [result(reward=5), oracle(0.0), result("random", 0)]
    played += [result(reward=5, scenario=RWS_2), oracle(1.0, scenario=RWS_2), result("random", 0, scenario=RWS_2)]
    leave(tmp_path, *played)
    write_report(read_runs((tmp_path,)), tmp_path)
    lines = (tmp_path / "report.md").read_text().splitlines()
    marked = [line for line in lines if line.startswith("| rws") and "†" in line]
    assert [line.split(" | ")[:2] for line in marked] == [
        ["| rws_repeated_1", agent] for agent in ("hypothetical_minds", "oracle", "random")
    ]
    assert "| 10.0 † | - |" in marked[1]
    assert "- † `oracle` was told nothing of the other players in rws_repeated_1: it is no ceiling there." in lines
    page = (tmp_path / "report.html").read_text()
    assert page.count("<small>† told nothing</small>") == 1 + 3
    (rows,) = tables(tabulate(played)).values()
    assert [row["mean"] for row in rows if row["agent"] == "oracle"] == ["10.0 †", "10.0"]


# Who did better


def gaps(*results: Result) -> list[CeilingGap]:
    return ceiling_gaps(results, tabulate(results))


def beside(*gains: float, agent: str = "react", **changes: object) -> list[Result]:
    """Episodes in which an agent earns so much more than the ceiling, seed by seed."""
    ours = [result(agent, 10 * seed + gain, seed, **changes) for seed, gain in enumerate(gains)]
    return [*ours, *(oracle(1.0, 10.0 * seed, seed, **changes) for seed in range(len(gains)))]


@pytest.mark.parametrize(
    ("gains", "is_exceeded"),
    [
        ((1.0, 1.1, 0.9, 1.0, 1.0), True),
        ((-1.0, -1.1, -0.9, -1.0, -1.0), False),
        ((1.0, 5.0, -4.0, 3.0, -2.0), False),
        ((1.0, 1.1, 0.9, 1.0), False),  # too few
    ],
)
def test_a_ceiling_is_exceeded_if_the_paired_interval_lies_above_zero(
    gains: tuple[float, ...], is_exceeded: bool
) -> None:
    (gap,) = gaps(*beside(*gains))
    assert gap.is_exceeded == is_exceeded
    assert gap.difference.mean == pytest.approx(sum(gains) / len(gains))


@pytest.mark.usefixtures("delivery")
def test_where_less_is_better_a_ceiling_is_exceeded_from_below() -> None:
    played = [delivered("react", 5, seed) for seed in range(5)]
    for agent, minutes in (("vmp", 4.0), ("mmp", 6.0)):
        played += [delivered(agent, minutes + seed / 10, seed) for seed in range(5)]
    assert {gap.condition.agent: gap.is_exceeded for gap in gaps(*played)} == {"vmp": True, "mmp": False}


def test_only_the_same_seeds_are_set_beside_the_ceiling() -> None:
    assert gaps(result("react", 10, 1), oracle(1.0, 10, 2)) == []


def test_floors_are_not_set_beside_the_ceiling() -> None:
    elsewhere = result("react", 1, scenario=RWS_2)
    assert gaps(result("random", 10), result("noop", 10), elsewhere, oracle(1.0)) == []


def test_the_ceiling_of_other_bots_is_not_exceeded() -> None:
    trained = settings(bots="trained")
    assert gaps(*(result("react", 10 + seed, seed, settings=trained) for seed in range(5)), oracle(1.0)) == []


def test_a_setting_that_changes_agents_alone_keeps_the_ceiling() -> None:
    ours = [result("react", 12, seed, settings=settings(inference="model")) for seed in range(5)]
    found = gaps(*ours, *(oracle(1.0, seed=seed, settings=settings(inference="exact")) for seed in range(5)))
    assert [gap.is_exceeded for gap in found] == [True]


def test_it_is_said_where_the_ceiling_is_none_and_what_chance_would_bring() -> None:
    played = [*beside(*[2.0] * 5), *beside(1.0, -1.0, 0.5, 0.0, -0.5, scenario=RWS_2), *beside(9.0, scenario=RWS_3)]
    (said,) = exceeded_notes(gaps(*played), labels(conditions_of(played)))
    assert said == (
        "`oracle` is no ceiling where an agent did better on the same seeds, with a 95% interval that excludes 0: "
        "rws_repeated_1 (react by 2.0). If no agent differed from it, chance alone would show this in about 0.1 of 2 "
        "such intervals."
    )


def test_those_who_do_better_by_the_same_are_named_together() -> None:
    played = [*beside(*[2.0] * 5), *(result("vmp", 10 * seed + 2, seed) for seed in range(5))]
    played += [result("mmp", 10 * seed + 3, seed) for seed in range(5)]
    (said,) = exceeded_notes(gaps(*played), labels(conditions_of(played)))
    assert "rws_repeated_1 (react and vmp by 2.0; mmp by 3.0). If no agent" in said
    assert said.endswith("of 3 such intervals.")


def test_a_ceiling_whose_seats_have_different_models_is_compared_with_no_agent() -> None:
    seats = tuple(
        SeatResult(f"player_{number}", "oracle", model, 1.0) for number, model in enumerate(("builtin", "gpt-4"))
    )
    mixed = [oracle(1.0, seed=seed, model="builtin+gpt-4", seats=seats) for seed in range(5)]
    assert gaps(*mixed, *(result("react", 5, seed) for seed in range(5))) == []


def test_where_nobody_does_better_nothing_is_said() -> None:
    played = beside(-1.0, -1.0, -1.0)
    assert exceeded_notes(gaps(*played), labels(conditions_of(played))) == []


def test_the_tables_mark_who_exceeds_the_ceiling(tmp_path: Path) -> None:
    leave(tmp_path, *beside(*[2.0] * 5), *(result("vmp", 0, seed) for seed in range(5)))
    write_report(read_runs((tmp_path,)), tmp_path)
    lines = (tmp_path / "report.md").read_text().splitlines()
    assert [line.split(" | ")[1] for line in lines if "(exceeded)" in line] == ["react"]
    page = (tmp_path / "report.html").read_text()
    assert (page.count("above the ceiling"), page.count("<small>exceeded</small>")) == (1, 1)
    assert any(line.startswith("- `oracle` is no ceiling where") for line in lines)


def test_the_scenario_of_a_gap_is_its_own() -> None:
    found = gaps(*beside(2.0, 2.0), *beside(-3.0, -3.0, scenario=PD))
    assert {gap.scenario.name: gap.difference.mean for gap in found} == {RWS: 2, PD: -3}
