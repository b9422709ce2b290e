"""Text environments as verifiers runs them: its own command, with an endpoint on loopback in place of a model.

These need the extra `verifiers`; `make test-verifiers` runs them by name.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from verifiers.v1.cli.eval.main import main as vf_eval
from verifiers.v1.utils.loaders import load_environment, resolve_env_config

from hm_agent.config import data_folder
from hm_agent.reporting.functional import FILE, read_points
from hm_agent.testing.endpoint import Endpoint, Response, completion

SCENARIOS: Mapping[str, tuple[str, ...]] = {
    "mg_pd_selfplay": ("--env.max_steps", "4"),
    "symmtom_w6_n3_c3": ("--env.max_steps", "8"),
    "exploretom_functional_a3": ("--env.max_steps", "6"),
    "enacttom_appendix_e": (),
    "rws_repeated_1": ("--env.max_steps", "60", "--env.taskset.options", '{"bots": "scripted"}'),
}
"""A scenario of each world, with flags."""


def reply(body: dict[str, Any]) -> Response:
    """A valid reply to a question of any world: its own example, where that is one."""
    asked = [message["content"] for message in body["messages"] if message["role"] == "user"]
    action = "defect" if body["model"] == "defector" else "cooperate"
    if "play(action)" in asked[0]:
        said: Any = {"calls": [f"play({action})"]}
    elif "wait(10)" in asked[0]:
        said = {"calls": ["wait(10)"]}
    elif '"answers"' in asked[-1]:
        said = {"answers": ["yes"] * asked[-1].count("Is it so")}
    elif "Choose one" in asked[-1]:
        said = {"answer": asked[-1].partition("Choose one: ")[2].split('"')[1]}
    else:
        shown = next(text for text in reversed(asked) if '"calls": [' in text)
        said = json.loads(shown[shown.rindex("{") :])
    return completion(json.dumps(said))


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(reply) as served:
        yield served


def evaluated(endpoint: Endpoint, out: Path, scenario: str, *flags: str) -> list[dict[str, Any]]:
    """The episodes that `vf-eval` leaves."""
    vf_eval(
        [
            "hm_agent_verifiers",
            *("--env.taskset.scenario", scenario, "-m", "cooperator", "-o", str(out), "--no-push", "--no-rich"),
            *("--client.base-url", endpoint.base_url, "--client.api-key-var", "LOOPBACK_KEY"),
            *flags,
        ]
    )
    (traces,) = out.glob("*/traces.jsonl")
    return [json.loads(line) for line in traces.read_text("utf-8").splitlines()]


def earned(episode: dict[str, Any]) -> dict[str, float]:
    """What each seat earned in an episode, by its role."""
    return {trace["agent"]["name"]: trace["rewards"]["earned"]["score"] for trace in episode["traces"]}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", "none")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_group_plays_one_seed_in_every_world(endpoint: Endpoint, tmp_path: Path, scenario: str) -> None:
    episodes = evaluated(endpoint, tmp_path, scenario, "--env.taskset.seeds", "2", "-r", "2", *SCENARIOS[scenario])
    assert [episode["ok"] for episode in episodes] == [True] * 4, [episode["errors"] for episode in episodes]
    by_seed: dict[int, list[dict[str, float]]] = {}
    for episode in episodes:
        by_seed.setdefault(episode["task"]["data"]["seed"], []).append(earned(episode))
        for trace in episode["traces"]:
            assert trace["metrics"]["unfinished"] == 0
            assert trace["metrics"]["invalid"] == 0, trace["nodes"][-2:]
            assert ("functional" in trace["metrics"]) != ("functional" in trace["info"]), (
                "a score, or why there is none"
            )
    assert set(by_seed) == {0, 1}
    assert all(first == second for first, second in by_seed.values())


def test_seats_have_models_and_rewards_of_their_own(endpoint: Endpoint, tmp_path: Path) -> None:
    flags = ("--env.taskset.seeds", "1", "--env.seat_1.model", "defector", "--env.max_steps", "3")
    (episode,) = evaluated(endpoint, tmp_path, "mg_pd_selfplay", *flags)
    assert earned(episode) == {"seat_0": 0.0, "seat_1": 15.0}


def test_a_whole_episode_is_scored_between_the_reference_points(endpoint: Endpoint, tmp_path: Path) -> None:
    (episode,) = evaluated(endpoint, tmp_path, "mg_pd_grim", "--env.taskset.seeds", "1")
    (trace,) = episode["traces"]
    assert earned(episode) == {"seat_0": 90.0}
    (points,) = (row for row in read_points(data_folder("scenarios") / FILE) if row.scenario == "mg_pd_grim")
    scored = (3.0 - points.floor) / (points.ceiling - points.floor)
    assert trace["metrics"]["functional"] == pytest.approx(scored)


def test_a_model_that_can_go_on_no_more_leaves_its_episode_unfinished(endpoint: Endpoint, tmp_path: Path) -> None:
    flags = ("--env.taskset.seeds", "1", "--env.seat_0.max_turns", "2")
    (episode,) = evaluated(endpoint, tmp_path, "mg_rps_pure", *flags)
    (trace,) = episode["traces"]
    assert trace["stop_condition"] == "max_turns"
    assert trace["metrics"]["unfinished"] == 1
    assert len(trace["nodes"]) < 8


def test_replies_that_are_no_answer_are_counted_and_cost_what_is_said(tmp_path: Path) -> None:
    with Endpoint(lambda body: completion("hm")) as mumbling:
        flags = ("--env.taskset.seeds", "1", "--env.max_steps", "2", "--env.invalid_cost", "0.25")
        (episode,) = evaluated(mumbling, tmp_path, "exploretom_a1", *flags)
    (trace,) = episode["traces"]
    assert trace["metrics"]["invalid"] == 8
    assert earned(episode) == {"seat_0": -2.0}


def test_the_example_for_a_trainer_names_environments_that_there_are() -> None:
    text = (Path(__file__).parents[2] / "docs" / "examples" / "prime_rl.toml").read_text("utf-8")
    for entry in tomllib.loads(text)["orchestrator"]["train"]["env"]:
        config = resolve_env_config({name: value for name, value in entry.items() if name != "name"})
        first, second = islice(load_environment(config).taskset, 2)
        assert (first.data.seed, first.data.idx, second.data.idx) == (0, 0, 1)
