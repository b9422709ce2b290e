"""The study of minds: what is measured, paired and shown."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hm_agent.config import ConfigError
from hm_agent.recording.result import Result
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.minds import MindRow, study_minds
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import write_minds
from hm_agent.theory_of_mind.predictions import BASE_RATE, RIGHT
from tests.reporting.examples import RWS, RWS_2, RWS_3, leave, result, settings

STORIES, READ = "exploretom_functional_a1", {"literal": 0.9, "functional": 0.6}
ENDS = [("oracle", 40.0), ("random", 0.0)]


def asked(reward: float, right: float, base: float = 0.5, seed: int = 1, scenario: str = RWS) -> Result:
    metrics = {"normalised_reward": reward, RIGHT: right, BASE_RATE: base}
    return result(reward=reward, seed=seed, scenario=scenario, metrics=metrics)


def rows(out: Path, *results: Result) -> tuple[MindRow, ...]:
    ends = [result(agent, value, scenario=name) for name in {one.scenario for one in results} for agent, value in ENDS]
    leave(out, *results, *ends)
    return study_minds(read_runs((out,))).rows


def test_gap_is_what_is_said_rightly_less_the_normalised_score(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, asked(10, right=0.75), asked(30, right=0.85, seed=2))
    assert row.suite.title == "Melting Pot"
    assert row.condition.agent == "hypothetical_minds"
    assert row.literal is not None
    assert row.functional is not None
    assert row.gap is not None
    assert [row.literal.mean, row.functional.mean, row.gap.mean] == pytest.approx([0.8, 0.5, 0.3])
    assert row.base_rate == 0.5


def test_a_scenario_that_is_not_known_here_has_its_literal_measure_alone(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, asked(10, right=0.75, scenario="rws_of_somebody_s_own"))
    assert row.literal is not None
    assert (row.literal.mean, row.functional) == (0.75, None)


def test_scenarios_weigh_the_same(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, asked(0, 1.0), asked(0, 1.0, seed=2), asked(0, 0.5, scenario=RWS_2))
    assert row.literal is not None
    assert (row.literal.mean, row.scenarios, row.episodes) == (0.75, 2, 3)


def test_fewer_than_five_make_no_interval(tmp_path: Path) -> None:
    (row,) = rows(tmp_path / "four", *(asked(n, n / 10, seed=n) for n in range(4)))
    assert row.gap is not None
    assert row.gap.interval is None
    (row,) = rows(tmp_path / "five", *(asked(n, n / 10, seed=n) for n in range(5)))
    assert row.gap is not None
    assert row.gap.interval is not None
    assert row.gap.unit == "episodes"


def test_the_interval_of_a_share_ends_at_1_and_that_of_a_score_does_not(tmp_path: Path) -> None:
    played = enumerate([(40, 1.0)] * 4 + [(20, 0.6)])
    (row,) = rows(tmp_path, *(asked(reward, right, seed=seed) for seed, (reward, right) in played))
    assert row.literal is not None
    assert row.functional is not None
    assert row.literal.interval is not None
    assert row.functional.interval is not None
    assert row.literal.interval[1] == 1 < row.functional.interval[1]


def test_episodes_that_asked_nothing_are_no_row(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, asked(10, 0.5), result("react", 10))
    assert row.condition.agent == "hypothetical_minds"


def test_whoever_was_not_asked_is_named_with_what_would_ask(tmp_path: Path) -> None:
    told = [result("reader", world="exploretom", scenario=STORIES, metrics=READ), result("react", 10)]
    told += [result("reader", seed=2, world="exploretom", scenario=STORIES, status="interrupted")]
    unasked = {
        "symmtom": ("symmtom_w6_n3_c6", {"reward_per_agent": 50.0}),
        "enacttom": ("enacttom_cooperative_k2_000", {"functional_success": 1.0, "literal_pairs": 0.0}),
    }
    for world, (scenario, metrics) in unasked.items():
        told += [result(seed=seed, world=world, scenario=scenario, metrics=metrics) for seed in (1, 2)]
    leave(tmp_path / "runs", *told, *(result(agent, value) for agent, value in ENDS))
    study = study_minds(read_runs((tmp_path / "runs",)))
    assert [row.suite.title for row in study.rows] == ["ExploreToM"]
    grid, symmtom, household, cut_short = study.left_out
    assert grid.startswith("Melting Pot has no row for react (1 episode): agents that predict are measured")
    assert symmtom.startswith("SymmToM has no row for hypothetical_minds (2 episodes): ")
    assert symmtom.endswith("with --literal=5.")
    assert household.startswith("EnactToM has no row for hypothetical_minds (2 episodes): ")
    assert cut_short == "1 episode did not complete and is in no mean: 1 interrupted."
    page = write_minds(study, tmp_path / "minds").read_text("utf-8")
    assert all(f"- {sentence}\n" in page for sentence in study.left_out)


def test_nothing_asked_is_an_error_that_says_what_to_play(tmp_path: Path) -> None:
    leave(tmp_path, result("react", 10))
    with pytest.raises(ConfigError, match=r"play an agent that predicts or answers\. Melting Pot has no row for"):
        study_minds(read_runs((tmp_path,)))


def test_without_floor_and_ceiling_there_is_no_score_and_no_gap(tmp_path: Path) -> None:
    leave(tmp_path, asked(10, 0.5))
    (row,) = study_minds(read_runs((tmp_path,))).rows
    assert row.literal is not None
    assert (row.functional, row.gap) == (None, None)


def test_study_is_written_as_page_picture_and_table(tmp_path: Path) -> None:
    rows(tmp_path / "runs", *(asked(10 + n, 0.75, seed=n) for n in range(5)))
    page = write_minds(study_minds(read_runs((tmp_path / "runs",))), tmp_path / "minds").read_text("utf-8")
    shown = "75% (75% to 75%), 5/1 | 50% | 30% (25% to 35%), 5/1 | 45% (40% to 50%), 5/1"
    assert f"| Melting Pot | hypothetical_minds | {shown} |" in page
    assert (tmp_path / "minds" / "minds.png").read_bytes().startswith(b"\x89PNG")
    (line,) = csv.DictReader((tmp_path / "minds" / "minds.csv").read_text("utf-8").splitlines())
    assert (line["world"], float(line["literal"]), float(line["base_rate"])) == ("melting_pot", 0.75, 0.5)


def test_every_mean_is_shown_with_the_episodes_and_scenarios_that_it_has(tmp_path: Path) -> None:
    """The third scenario has a literal share, but neither floor nor ceiling, so that it has no score."""
    rows(tmp_path / "runs", asked(10, 0.75), asked(30, 0.75, seed=2), asked(20, 0.75, scenario=RWS_2))
    leave(tmp_path / "runs", asked(10, 0.75, scenario=RWS_3))
    page = write_minds(study_minds(read_runs((tmp_path / "runs",))), tmp_path / "minds").read_text("utf-8")
    assert "| Melting Pot | hypothetical_minds | 75%, 4/3 | 50% | 50%, 3/2 | 25%, 3/2 |" in page


def test_agents_are_named_by_what_differs_within_their_world(tmp_path: Path) -> None:
    """That one world's episodes were cut short tells nobody apart."""
    cut = result(scenario=RWS, metrics={RIGHT: 0.5, BASE_RATE: 0.5}, settings=settings(max_steps=400))
    leave(tmp_path, cut, result("reader", world="exploretom", scenario=STORIES, metrics=READ))
    assert [row.label for row in study_minds(read_runs((tmp_path,))).rows] == ["hypothetical_minds", "reader"]
    leave(tmp_path, asked(10, 0.5, seed=2))
    names = sorted(row.label for row in study_minds(read_runs((tmp_path,))).rows)
    assert names == ["hypothetical_minds", "hypothetical_minds (max_steps=400)", "reader"]


def drawn(runs: Path) -> list[str]:
    """The texts of the picture."""
    write_minds(study_minds(read_runs((runs,))), runs / "minds", FigureFiles("svg"))
    return [text for text in ET.parse(runs / "minds" / "minds.svg").getroot().itertext() if text.strip()]


def test_the_legend_names_what_only_a_later_panel_shows(tmp_path: Path) -> None:
    leave(tmp_path, asked(10, 0.75), result("reader", world="exploretom", scenario=STORIES, metrics=READ))
    assert {"literal", "functional", "base rate"} <= set(drawn(tmp_path))


def test_a_score_beyond_the_ceiling_is_drawn_to_its_end(tmp_path: Path) -> None:
    rows(tmp_path, *(asked(60 + n, 0.75, seed=n) for n in range(5)))
    assert "150" in drawn(tmp_path)


def test_of_yes_and_no_the_better_constant_over_all_episodes_is_the_base_rate(tmp_path: Path) -> None:
    name, known = "symmtom_w6_n3_c6", {"literal_right": 0.8, "reward_per_agent": 50.0}
    shares = [{**known, "literal_true": share} for share in (0.2, 0.6)]
    played = [result(seed=n, world="symmtom", scenario=name, metrics=metrics) for n, metrics in enumerate(shares)]
    leave(tmp_path, *played)
    (row,) = study_minds(read_runs((tmp_path,))).rows
    assert row.base_rate == pytest.approx(0.6)


def test_a_score_on_a_narrow_scale_counts_in_no_mean(tmp_path: Path) -> None:
    """The ceiling of the third scenario is less than half as high as those of the others."""
    names = (RWS, RWS_2, RWS_3)
    ends = [result(agent, value, scenario=name) for name in names[:2] for agent, value in ENDS]
    narrow = [result(agent, value, scenario=RWS_3) for agent, value in (("oracle", 10.0), ("random", 0.0))]
    leave(tmp_path, *(asked(10, 0.75, scenario=name) for name in names), *ends, *narrow)
    (row,) = study_minds(read_runs((tmp_path,))).rows
    assert row.literal is not None
    assert row.functional is not None
    assert (row.literal.pairs, row.functional.mean, row.functional.pairs) == (3, 0.25, 2)


def test_the_best_habit_is_the_base_rate(tmp_path: Path) -> None:
    known = {"literal_right": 0.9, "literal_true": 0.4, "literal_by_hearing": 0.7, "reward_per_agent": 50.0}
    leave(tmp_path, result(world="symmtom", scenario="symmtom_w6_n3_c6", metrics=known))
    (row,) = study_minds(read_runs((tmp_path,))).rows
    assert row.base_rate == pytest.approx(0.7)
