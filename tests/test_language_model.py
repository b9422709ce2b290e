"""Episodes with a language model: a real HTTP endpoint on loopback whose answers are made from the real prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.models.chat import Sampling
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.progress import Progress
from hm_agent.recording.result import Result
from hm_agent.recording.trace import read_trace
from hm_agent.testing.endpoint import Endpoint, Response, completion, refusal
from tests.support.commands import call_here
from tests.support.melting_pot import text_player
from tests.support.one_episode import result_of

ROOT = Path(__file__).parents[1]
(SCENARIO,) = find_scenarios(["rws_repeated_1"])
PRICED = "gpt-4o-mini"
SCRIPTED = {"bots": "scripted"}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(text_player.answer) as server:
        yield server


def settings(server: Endpoint | None, **changes: Any) -> ModelSettings:
    return ModelSettings(**({"name": PRICED, "base_url": server.base_url if server else None, "retries": 0} | changes))


def priced(folder: Path) -> Path:
    """A file with the model's price: a server of the user's own has none that is listed."""
    path = folder / "prices.toml"
    path.write_text(f"[{PRICED}]\ninput = 0.15\noutput = 0.6\n")
    return path


def play(
    out: Path, model: ModelSettings, silence: Progress, max_steps: int | None = 250, scenario: ScenarioInfo = SCENARIO
) -> Result:
    """The result of one episode, even if the model became unavailable."""
    how: dict[str, Any] = {"options": SCRIPTED, "max_steps": max_steps, "record_replay": False}
    return result_of(Experiment((scenario,), model=model, out=out, **how), silence)


def trace_of(out: Path) -> Path:
    (path,) = out.glob("*/*/*/*/trace.jsonl")
    return path


def test_a_whole_episode_is_played_over_http(endpoint: Endpoint, tmp_path: Path, silence: Progress) -> None:
    result = play(tmp_path / "out", settings(endpoint, prices=priced(tmp_path)), silence, max_steps=None)
    assert (result.status, result.unanswered_questions, result.cached_calls) == ("completed", 0, 0)
    assert result.steps >= 1000
    assert result.metrics["interactions"] >= 8
    assert result.model_calls == len(endpoint.received) >= result.questions > 20
    assert result.input_tokens is not None
    assert result.output_tokens is not None
    assert result.cost == pytest.approx((0.15 * result.input_tokens + 0.6 * result.output_tokens) / 1e6)


def test_the_trace_holds_every_prompt_and_reply(endpoint: Endpoint, tmp_path: Path, silence: Progress) -> None:
    result = play(tmp_path, settings(endpoint), silence)
    asked = [question for line in read_trace(trace_of(tmp_path)) for question in line.get("questions", [])]
    calls = [call for question in asked for call in question["calls"]]
    assert len(calls) == result.model_calls
    assert sorted(call["prompt"] for call in calls) == sorted(
        received.body["messages"][-1]["content"] for received in endpoint.received
    )
    assert all(call["replies"] and "cached" not in call for call in calls)


def test_a_second_run_is_answered_from_the_cache_bit_for_bit(
    endpoint: Endpoint, tmp_path: Path, silence: Progress
) -> None:
    how = {"cache": tmp_path / "answers.sqlite", "prices": priced(tmp_path)}
    first = play(tmp_path / "1", settings(endpoint, **how), silence)
    asked = len(endpoint.received)
    assert first.cost
    second = play(tmp_path / "2", settings(endpoint, **how, offline=True), silence)
    assert len(endpoint.received) == asked
    assert (second.status, second.cached_calls, second.cost) == ("max_steps", second.model_calls, first.cost)
    assert trace_of(tmp_path / "2").read_bytes() == trace_of(tmp_path / "1").read_bytes()


def test_offline_ends_with_the_first_question_that_the_cache_lacks(
    endpoint: Endpoint, tmp_path: Path, silence: Progress
) -> None:
    cache = tmp_path / "answers.sqlite"
    play(tmp_path / "1", settings(endpoint, cache=cache), silence, max_steps=50)
    hotter = Sampling(temperature=1.0)
    result = play(tmp_path / "2", settings(None, cache=cache, offline=True, sampling=hotter), silence)
    assert (result.status, result.steps) == ("model_unavailable", 0)
    assert "cache" in result.reason


def test_a_spent_budget_ends_the_episode_with_trace_and_result(
    endpoint: Endpoint, tmp_path: Path, silence: Progress
) -> None:
    result = play(tmp_path, settings(endpoint, max_calls=5), silence)
    assert (result.status, result.model_calls, len(endpoint.received)) == ("budget_spent", 5, 5)
    assert "--max_calls" in result.reason
    assert len(list(read_trace(trace_of(tmp_path)))) == result.steps > 0


def test_an_endpoint_that_dies_ends_the_episode_with_trace_and_result(tmp_path: Path, silence: Progress) -> None:
    with Endpoint(dying_after(4)) as server:
        result = play(tmp_path, settings(server, patience=0.0), silence)
    assert (result.status, result.model_calls) == ("model_unavailable", 4)
    assert not result.is_finished
    assert len(list(read_trace(trace_of(tmp_path)))) == result.steps > 0


def dying_after(count: int) -> Callable[[dict[str, Any]], Response]:
    answered: list[None] = []

    def answer(body: dict[str, Any]) -> Response:
        answered.append(None)
        return text_player.answer(body) if len(answered) <= count else refusal(503, "overloaded")

    return answer


def test_nonsense_leaves_every_question_unanswered_and_the_episode_goes_on(tmp_path: Path, silence: Progress) -> None:
    with Endpoint(lambda body: completion("I would rather talk about the weather.")) as server:
        result = play(tmp_path, settings(server), silence, max_steps=60)
    assert result.status == f"no_result: {result.questions} of {result.questions} questions unanswered"
    assert result.unanswered_questions == result.questions > 0
    assert result.model_calls == 4 * result.questions


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ModelSettings("gpt-4o", api_key_env="HM_NO_SUCH_KEY"), "HM_NO_SUCH_KEY.*--base_url"),
        (ModelSettings("gpt-4o", base_url="http://localhost:1/v1", offline=True), "--cache"),
        (ModelSettings("mine", base_url="http://localhost:1/v1", max_cost=1.0), "no price is known for 'mine'"),
        (ModelSettings("gpt-4o", base_url="http://localhost:1/v1", cache=ROOT / "README.md"), "--cache=.*README.md"),
    ],
)
def test_a_model_that_can_not_be_used_is_refused_before_anything_is_played(
    model: ModelSettings, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        Experiment((SCENARIO,), model=model, out=tmp_path, options=SCRIPTED).check()


def test_the_command_line_reaches_an_endpoint_and_keeps_the_key_to_itself(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-loopback-0123456789"
    monkeypatch.setenv("MY_KEY", key)
    monkeypatch.chdir(tmp_path)
    arguments = ["--scenario=rws_repeated_1", "--bots=scripted", "--max_steps=100", "--model=gpt-4o-mini"]
    arguments += [f"--base_url={endpoint.base_url}", "--api_key_env=MY_KEY", "--temperature=0.1", "--max_calls=4"]
    arguments += [f"--cache={tmp_path / 'answers.sqlite'}", "--retries=0"]
    status, output, errors = call_here(*arguments)
    assert (status, errors.count("\n")) == (3, 1)
    assert "budget_spent: all 4 calls of --max_calls are made; what was played is in runs" in errors
    assert {received.headers["authorization"] for received in endpoint.received} == {f"Bearer {key}"}
    assert {received.body["temperature"] for received in endpoint.received} == {0.1}
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 5
    assert not any(key.encode() in content for content in [*written, output.encode(), errors.encode()])
