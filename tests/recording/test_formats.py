"""The published schemas of result.json and trace.jsonl are those of the code, and other formats are refused."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.config import ConfigError
from hm_agent.episode import run_episode
from hm_agent.recording.result import Result, check_format, other_format, read_result
from hm_agent.recording.trace import FORMAT, HEADER, TraceLine, TraceRecorder, read_trace
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.writing import write_report
from hm_agent.testing.episodes import seat_agents, settled
from tests.reporting.examples import leave, result

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.mark.parametrize(("name", "form"), [("result", Result), ("trace_line", TraceLine)])
def test_published_schema_is_the_one_of_the_code(name: str, form: type) -> None:
    schema = TypeAdapter(form).json_schema()
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


def test_a_result_that_names_a_file_whose_name_is_no_text_is_read_again(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9 \xc3\xa9")
    failed = result("react", status=f"failed: OSError: {name}", reason=f"Traceback: {name}", seed=1)
    leave(tmp_path, failed)
    (episode,) = read_runs((tmp_path,)).episodes
    assert (episode.result.status, episode.result.reason) == ("failed: OSError: caf? é", "Traceback: caf? é")
    write_report(read_runs((tmp_path,)), tmp_path / "report")


@pytest.mark.parametrize(
    ("changes", "writer"),
    [
        ({}, "hm_agent 0.1.0"),
        ({"format": 9, "versions": {"hm_agent": "3.0"}}, "hm_agent 3.0"),
        ({"versions": 1}, "unknown"),
    ],
)
def test_a_result_of_another_format_is_refused_in_one_line_that_names_its_writer(
    tmp_path: Path, changes: dict[str, object], writer: str
) -> None:
    path = tmp_path / "result.json"
    fields = {name: value for name, value in asdict(result()).items() if name not in ("format", "world")}
    path.write_text(json.dumps(fields | {"versions": {"hm_agent": "0.1.0"}} | changes))
    assert read_result(path) is None
    with pytest.raises(ConfigError, match=f"has format .*, written by .*{writer}.* --overwrite") as refusal:
        check_format(path)
    assert len(str(refusal.value).splitlines()) == 1


def test_a_damaged_result_is_no_result_of_another_format(tmp_path: Path) -> None:
    for content in ("", "3", "{}", json.dumps(asdict(result()))):
        (tmp_path / "result.json").write_text(content)
        assert other_format(tmp_path / "result.json") is None


@pytest.mark.parametrize("keys", [(), ("interactions",)])
def test_a_trace_of_format_1_is_refused_in_one_line(tmp_path: Path, keys: tuple[str, ...]) -> None:
    old = {"step": 0, "action": "noop", "reward": 0.0, "pose": [1, 2, "north"]}
    (tmp_path / "trace.jsonl").write_text(json.dumps(old) + "\n")
    with pytest.raises(ConfigError, match=r"trace.jsonl has format 1, written by hm_agent 0.1: .*"):
        list(read_trace(tmp_path / "trace.jsonl", with_any_of=keys))
