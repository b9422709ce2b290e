"""The published schemas of result.json and trace.jsonl are those of the code, and files of the old format are read."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from hm_agent.episode import run_episode
from hm_agent.recording.result import read_result, result_schema
from hm_agent.recording.trace import FORMAT, HEADER, TraceLine, TraceRecorder, read_trace, trace_schema
from hm_agent.registry import find_scenarios, suites
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import write_report
from hm_agent.testing.episodes import seat_agents, settled
from tests.recording.old_results import RESULT_1
from tests.reporting.examples import leave, result

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.mark.parametrize(("name", "schema"), [("result", result_schema()), ("trace_line", trace_schema())])
def test_published_schema_is_the_one_of_the_code(name: str, schema: dict[str, object]) -> None:
    assert json.loads((SCHEMAS / f"{name}.schema.json").read_text()) == schema


def test_trace_begins_with_its_format_and_every_line_fits_the_schema(tmp_path: Path) -> None:
    (scenario,) = find_scenarios(["rws_repeated_selfplay"])
    options = settled(scenario)
    world = suites()[scenario.world].open(scenario, options)
    recorder = TraceRecorder(tmp_path / "trace.jsonl")
    agents = seat_agents(world, scenario, options=options)
    asyncio.run(run_episode(world, agents, seed=0, max_steps=150, recorders=[recorder]))
    world.close()
    first, *_ = (tmp_path / "trace.jsonl").read_text().splitlines()
    assert json.loads(first) == HEADER == {"format": FORMAT, "kind": "hm_agent trace"}
    lines = list(read_trace(tmp_path / "trace.jsonl"))
    reader = TypeAdapter(TraceLine)
    for line in lines:
        assert set(reader.validate_python(line)) == set(line)
    assert [line["seat"] for line in lines] == ["player_0", "player_1"] * 150
    assert [line["step"] for line in lines[::2]] == list(range(150))


def test_result_of_format_1_is_read_in_the_form_of_today(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps(RESULT_1))
    read = read_result(tmp_path / "result.json")
    assert read is not None
    assert (read.format, read.world) == (2, "melting_pot")
    assert read.metrics == {"normalised_reward": 50.0, "interactions": 3, "unknown_patches": 0, "pose_lost_steps": 4}
    assert read.settings == {"seed": 0, "max_steps": 300, "bots": "scripted"}
    assert (read.reward, read.usage.questions, read.background) == (12.5, 24, ("a_bot",))


def test_a_result_that_names_a_file_whose_name_is_no_text_is_read_again(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9 \xc3\xa9")
    failed = result("react", status=f"failed: OSError: {name}", reason=f"Traceback: {name}", seed=1)
    leave(tmp_path, failed)
    (episode,) = read_runs((tmp_path,)).episodes
    assert (episode.result.status, episode.result.reason) == ("failed: OSError: caf? é", "Traceback: caf? é")
    write_report(read_runs((tmp_path,)), tmp_path / "report")


def test_result_of_a_later_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps({**RESULT_1, "format": 3}))
    assert read_result(tmp_path / "result.json") is None


def test_trace_of_format_1_is_read_in_the_form_of_today(tmp_path: Path) -> None:
    old = {"step": 0, "action": "noop", "reward": 0.0, "pose": [1, 2, "north"], "understood": [{"partner": "opponent"}]}
    (tmp_path / "trace.jsonl").write_text(json.dumps(old) + "\n")
    (line,) = read_trace(tmp_path / "trace.jsonl")
    assert line == {
        "step": 0,
        "action": "noop",
        "reward": 0.0,
        "seat": "player_0",
        "state": {"pose": [1, 2, "north"]},
        "interactions": [{"partner": "opponent"}],
    }
