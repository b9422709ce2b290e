"""Other tools take seats: inspect_ai's own runner, MCP's own client; Every Eval Ever's own validator reads the records.

These need the extra `evals`; `make test-evals` runs them by name.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from every_eval_ever.validate import validate_file
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import hm_agent
from hm_agent.cards.battery import Battery
from hm_agent.catalogue.registry import suites
from hm_agent.command_line.converting import convert_command
from hm_agent.experiment import Experiment
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.models.prompts import render
from hm_agent.models.providers import register_model
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run as run_experiment
from hm_agent.questions import AnswerT, ModelCall, Question, ignore
from hm_agent.recording import trace
from hm_agent.recording.result import FILE, UNFINISHED, read_result
from hm_agent.reporting.functional import shipped_score
from hm_agent.seats.inspect_tasks import battery, play
from hm_agent.seats.mcp_seat import ServedSeat, _episode, _serve
from hm_agent.seats.mcp_seat import main as serve_seat
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of
from tests.support.commands import ROOT

SPOKEN = ["mg_pd_grim", "enacttom_one_window", "symmtom_pairs_order_1_even", "rws_repeated_1"]
STEPS = 30
NAME = "openai-api/loop/model"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}


def first_choice(body: dict[str, Any]) -> Response:
    """Answers as the last line of a prompt shows, with the first of its choices."""
    prompt = prompt_of(body, 0)
    shown = json.loads(prompt.strip().splitlines()[-1])
    if "answer" in shown:
        shown["answer"] = prompt.partition('Choose one: "')[2].partition('"')[0]
    if "answers" in shown:
        shown["answers"] = [choices.partition(" | ")[0] for choices in shown["answers"]]
    if "calls" in shown and "(x, y)" in str(shown["calls"]):
        shown["calls"] = ["wait(10)"]
    return completion(json.dumps(shown))


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(first_choice) as served:
        yield served


def run(task: Task, endpoint: Endpoint, tmp_path: Path) -> EvalLog:
    model = get_model(NAME, base_url=endpoint.base_url, api_key="none", memoize=False)
    log = evaluate(task, model=model, display="none", log_dir=str(tmp_path / "logs"))[0]
    assert log.status == "success", log.error
    return log


def test_inspect_plays_the_same_episodes_in_all_worlds(endpoint: Endpoint, tmp_path: Path) -> None:
    options: dict[str, Any] = {"bots": "scripted", "literal": "1"}
    literal = 0
    for agent, names, used in (("react", SPOKEN, options), ("reader", ["exploretom_functional_a1"], {})):
        log = run(play(names, agent, max_steps=STEPS, **used), endpoint, tmp_path)
        settings = hm_agent.ModelSettings("model", base_url=endpoint.base_url)
        own = hm_agent.play(
            names, agent, model=settings, max_steps=STEPS, out=tmp_path / agent, report=False, progress=False, **used
        )
        played = {sample.store["result"]["scenario"]: sample for sample in log.samples or []}
        assert len(played) == len(names)
        for result in own:
            sample = played[result.scenario]
            told = sample.store["result"]
            same = ("reward", "steps", "metrics", "questions", "unanswered_questions", "model_calls", "seed", "status")
            assert {name: told[name] for name in same} == {name: getattr(result, name) for name in same}
            assert result.is_answered
            assert sample.scores
            info = hm_agent.catalogue.registry.scenario_named(result.scenario)
            assert sample.scores["measure"].value == result.metric(info.metric.name)
            asked = [event for event in sample.events if event.event == "model"]
            assert len(asked) == result.model_calls, "the log has every question"
        assert log.results
        literal += sum(score.scored_samples or 0 for score in log.results.scores if score.name == "literal")
    assert literal == 2, "in the tests of mind and in functional stories"


def test_inspect_leaves_other_seats_to_the_reasoner_and_files_where_they_are_asked_for(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    log = run(play("enacttom_one_window", "react", "builtin", out=str(out)), endpoint, tmp_path)
    (result,) = hm_agent.load(out).itertuples()
    assert result.model == f"{NAME}+builtin"
    (sample,) = log.samples or []
    assert [seat["model_calls"] > 0 for seat in sample.store["result"]["seats"]] == [True, False]


def test_what_goes_wrong_is_an_error_or_unscored(tmp_path: Path) -> None:
    with Endpoint(lambda body: completion("no answer")) as silent:
        log = run(play("mg_pd_grim", "react", max_steps=3), silent, tmp_path)
        (sample,) = log.samples or []
        assert sample.scores
        for score in sample.scores.values():
            assert str(score.value) == "nan"
            assert score.explanation == "no_result: 3 of 3 questions unanswered"
    model = get_model(NAME, base_url="http://127.0.0.1:9/v1", api_key="none", memoize=False)
    (log,) = evaluate(
        play("mg_pd_grim", "react", max_steps=3), model=model, display="none", log_dir=str(tmp_path), max_retries=0
    )
    assert log.status == "error"
    with pytest.raises(hm_agent.ConfigError, match="unknown scenario"):
        play("no_such_game")


def test_what_no_episode_can_be_played_with_is_refused(tmp_path: Path) -> None:
    for task, wrong, problem in (
        (play, {"scenario": "rws_repeated_1", "bot": "scripted"}, r"no option 'bot' .* did you mean bots\?"),
        (play, {"scenario": "mg_pd_grim", "max_steps": 0}, "max_steps=0"),
        (play, {"scenario": "mg_pd_grim", "episodes": 0}, "episodes=0"),
        (play, {"scenario": "mg_pd_grim", "agent": "human"}, "agent='human' asks a person, not the model under test"),
        (play, {"scenario": "mg_pd_selfplay", "others": "local:none.gguf"}, r"none\.gguf: No such file"),
        (play, {"scenario": "mg_pd_grim", "agent": "hm_*"}, r"agent 'hm_\*': name one of hm_joint, hm_odds"),
        (battery, {"size": "large"}, "size='large': say small or full"),
    ):
        with pytest.raises(hm_agent.ConfigError, match=problem):
            task(**wrong)
    for flag, problem in (("--option=bot=scripted", "no option 'bot'"), ("--max_steps=0", "max_steps=0")):
        with pytest.raises(hm_agent.ConfigError, match=problem):
            serve_seat(["rws_repeated_1", flag, f"--out={tmp_path}"])
    with pytest.raises(hm_agent.ConfigError, match=r"'rws_repeated_\*' matches \d+ scenarios: name one"):
        serve_seat(["rws_repeated_*", f"--out={tmp_path}"])


class DictatingReasoner:
    """The built-in reasoner; keeps what a language model would have to say to answer the same, by prompt."""

    name = "dictating"

    def __init__(self, answers: ReasonerTable, said: dict[str, str]) -> None:
        self._reasoner, self._said = BuiltinReasoner(answers), said

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        answer = await self._reasoner.answer(question)
        self._said[render(question)] = answer.model_dump_json()
        return answer


@pytest.mark.parametrize("world", suites())
def test_the_batterys_task_plays_and_scores_its_items_as_the_package_does(world: str, tmp_path: Path) -> None:
    said = dict[str, str]()
    register_model(f"dictating_{world}", lambda seed: DictatingReasoner(suites()[world].answers(), said))
    asked = Experiment((), model=ModelSettings(f"dictating_{world}"), out=tmp_path, record_replay=False)
    parts = [own for _, _, own in Battery("small", worlds=(world,)).experiments(asked)]
    own = {result.scenario: result for part in parts for result in run_experiment(part, NoProgress())}
    with Endpoint(lambda body: completion(said[prompt_of(body, 0)])) as endpoint:
        log = run(battery("small", world), endpoint, tmp_path)
    assert len(log.samples or []) == len(own)
    for sample in log.samples or []:
        told, scores = sample.store["result"], sample.scores
        result = own[told["scenario"]]
        assert (told["reward"], told["metrics"]) == (result.reward, result.metrics)
        info = hm_agent.catalogue.registry.scenario_named(result.scenario)
        functional = shipped_score(info, result.metric, result.settings)
        assert scores
        assert functional.value is not None, functional.why
        assert scores["functional"].value == functional.value


def test_mcp_client_takes_a_seat_over_standard_input(tmp_path: Path) -> None:
    asyncio.run(take_a_seat(tmp_path))
    folder = tmp_path / "mg_pd_grim" / "react" / "client" / "episode-0"
    result = read_result(folder / FILE)
    assert result
    assert (result.model, result.questions, result.model_calls, result.reward) == ("client", 2, 4, 6.0)
    assert {"replay.html", trace.FILE} <= {path.name for path in folder.iterdir()}


async def take_a_seat(tmp_path: Path) -> None:
    flags = ("mg_pd_grim", "--max_steps=2", "--name=client", f"--out={tmp_path}")
    command = ["-m", "hm_agent", "serve-seat", *flags]
    server = stdio_client(StdioServerParameters(command=sys.executable, args=command, env=ENVIRONMENT))
    async with Client(server) as client:

        async def call(tool: str, **arguments: str) -> str:
            said: str = (await client.call_tool(tool, arguments)).content[0].text
            return said

        assert {tool.name for tool in (await client.list_tools()).tools} == {"look", "act", "ask_rules"}
        first = await call("look")
        assert "Round 1 of 30" in first
        assert await call("look") == first
        assert "no answer found" in await call("act", answer="x" * 1_000_000)
        assert "'rob' is no action" in await call("act", answer="play(rob)")
        second = await call("act", answer="play(defect)")
        assert "Round 2 of 30" in second
        assert "(as before)" in second
        assert "5 (0) against cooperate" in await call("ask_rules")
        over = await call("act", answer='{"reasoning": "", "calls": ["play(defect)"]}')
        assert over.startswith("The episode is over (max_steps). reward per round: 3.")
        assert await call("act", answer="play(defect)") == over


class RawClient:
    """Speaks MCP over the standard input of `serve-seat`, line by line, as no client's library does."""

    def __init__(self, *flags: str) -> None:
        command = [sys.executable, "-m", "hm_agent", "serve-seat", "mg_pd_grim", *flags]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(command, **pipes, env=ENVIRONMENT)  # type: ignore[call-overload]
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        self.say("initialize", **client)

    def say(self, method: str, **parameters: Any) -> str:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return str(self.process.stdout.readline().decode())

    def ended(self) -> tuple[int, str]:
        """The exit status and the last line of the errors, without closing the standard input first."""
        status = self.process.wait(60)
        *_, last = self.process.stderr.read().decode().splitlines()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()
        return status, last


def test_mcp_client_is_told_that_the_episode_failed_and_the_command_says_why(tmp_path: Path) -> None:
    client = RawClient("--max_steps=1", f"--out={tmp_path / 'out'}")
    assert "Round 1" in client.say("tools/call", name="look", arguments={})
    shutil.rmtree(tmp_path / "out")
    assert "The episode is over (failed)" in client.say("tools/call", name="act", arguments={"answer": "play(defect)"})
    client.process.stdin.close()
    status, last = client.ended()
    assert status == 1
    assert "No such file or directory" in last


def test_a_signal_ends_a_served_seat_whose_standard_input_goes_on(tmp_path: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        client = RawClient(f"--out={tmp_path / number.name}")
        assert "Round 1" in client.say("tools/call", name="look", arguments={})
        client.process.send_signal(number)
        assert client.ended() == (130, "hm-agent serve-seat: interrupted")
        assert [*tmp_path.glob(f"{number.name}/*/*/*/*/{UNFINISHED}")]


def test_a_client_that_is_gone_before_it_is_answered_leaves_no_traceback(tmp_path: Path) -> None:
    client = RawClient(f"--out={tmp_path}")
    client.process.stdout.close()
    client.process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    client.process.stdin.close()
    status, last = client.ended()
    assert (status, last.startswith("Files: ")) == (0, True)
    assert [*tmp_path.glob(f"*/*/*/*/{UNFINISHED}")]


def test_mcp_client_that_leaves_ends_the_episode(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    given = {"scenario": "enacttom_one_window", "seat": "agent_1", "agent": None, "others": None, "name": "mcp"}
    more = {"option": [], "seed": 0, "max_steps": None, "out": tmp_path, "overwrite": False, "port": port}
    episode = _episode(Namespace(**given, **more))
    assert episode.models == ("builtin", "mcp")
    asyncio.run(look_and_leave(episode, port))
    result = read_result(episode.folder / UNFINISHED)
    assert result
    assert result.status == "interrupted"


def test_port_that_is_none_or_taken_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for port in (-1, 2**16, taken.getsockname()[1]):
            with pytest.raises(hm_agent.ConfigError, match=rf"^--port={port}: .*; --port=0 takes any free port$"):
                serve_seat(["mg_pd_grim", f"--port={port}", f"--out={tmp_path}"])
    assert [*tmp_path.iterdir()] == []


def test_a_client_is_taken_for_no_other_model_and_shares_no_terminal_with_a_person(tmp_path: Path) -> None:
    for flag, problem in (
        ("--name=builtin", "results would take the client for another model"),
        ("--name=human", "results would take the client for another model"),
        ("--name= ", "results would take the client for another model"),
        ("--agent=human", "a person can't sit beside an MCP client"),
        ("--others=human", "a person can't sit beside an MCP client"),
        ("--others=hm_*", r"agent 'hm_\*': name one of hm_joint, hm_odds"),
    ):
        with pytest.raises(hm_agent.ConfigError, match=problem):
            serve_seat(["mg_pd_selfplay", flag, f"--out={tmp_path}"])


async def look_and_leave(episode: hm_agent.Episode, port: int) -> None:
    serving = asyncio.ensure_future(_serve(ServedSeat(episode, "mcp"), port))
    while True:
        try:
            async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                assert "You are agent_1" in (await client.call_tool("look", {})).content[0].text
            break
        except (OSError, ExceptionGroup):  # it does not listen yet
            await asyncio.sleep(0.1)
    serving.cancel()
    await asyncio.wait([serving])


def test_records_are_valid_for_every_eval_ever(tmp_path: Path) -> None:
    hm_agent.play("mg_pd_grim", ["react", "hypothetical_minds"], episodes=5, max_steps=3, out=tmp_path, progress=False)
    cards = ROOT / "benchmarks" / "results" / "cards" / "hypothetical_minds"
    assert convert_command([str(cards), str(tmp_path), f"--out={tmp_path}", "--organization=us"]) == 0
    written = sorted((tmp_path / "data").rglob("*.json"))
    assert len(written) == 3
    for file in written:
        report = validate_file(file)
        assert report.valid, report
    records = [json.loads(file.read_text("utf-8")) for file in written]
    figures = {one["evaluation_name"]: one for record in records for one in record["evaluation_results"]}
    assert figures["ExploreToM, order 3: functional"]["score_details"]["score"] == 1.0
    assert "confidence_interval" in figures["mg_pd_grim"]["score_details"]["uncertainty"]
