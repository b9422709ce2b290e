"""A game's file gets another `reward_per_steps` after episodes were played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hm_agent
from hm_agent.catalogue.registry import register_scenarios
from hm_agent.config import data_folder
from hm_agent.extensions import ADDED
from hm_agent.metrics import Measure
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.tables import tabulate

FILE = "prisoners_dilemma_repeated.toml"


def play(out: Path) -> None:
    how: dict[str, Any] = {"record_replay": False, "report": False, "progress": False, "bots": "scripted"}
    hm_agent.play("pd_repeated_0", agent="noop", max_steps=30, out=out, **how)


def test_a_changed_unit_leaves_old_rows_as_they_were_labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ADDED, "folders", {})
    play(tmp_path / "old")
    (before,) = tabulate(read_runs((tmp_path / "old",)).results)
    shipped = (data_folder("scenarios") / "melting_pot" / FILE).read_text()
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / FILE).write_text(shipped.replace("reward_per_steps = 1200", "reward_per_steps = 100"))
    register_scenarios(tmp_path / "games")
    play(tmp_path / "new")
    old, new = read_runs((tmp_path / "old",)).results[0], read_runs((tmp_path / "new",)).results[0]
    assert new.measure == Measure.reward_per(100)
    assert new.metrics["normalised_reward"] == new.reward * 100 / 30
    rows = tabulate([old, new])
    assert {(row.scenario.metric.unit, row.mean) for row in rows} == {
        ("reward per 1,200 steps", before.mean),
        ("reward per 100 steps", new.metrics["normalised_reward"]),
    }
