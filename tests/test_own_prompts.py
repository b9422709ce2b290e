"""Prompts of one's own are asked, checked, recorded, counted and played again as an agent's own questions are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from jinja2.exceptions import SecurityError
from pydantic import BaseModel, Field

from hm_agent.catalogue.registry import suites
from hm_agent.command_line.checking_agents import one_of_each_world
from hm_agent.models.answer_parsing import read_answer
from hm_agent.models.canned import CannedChat
from hm_agent.models.chat import Message, Request, Sampling
from hm_agent.models.own_prompts import OwnQuestion
from hm_agent.models.prompts import environment
from hm_agent.process.exit_status import FAILED, NO_MODEL, WRONG_INPUT
from hm_agent.questions import answer_schema
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of
from tests.support.commands import call_here

GAME = "mg_pd_grim"
AGENT = """
from pydantic import BaseModel

import hm_agent


class Choice(BaseModel):
    action: str


def refuse_defection(answer):
    if answer.action == "defect":
        raise ValueError("don't defect")


class Player(hm_agent.Agent):
    def __init__(self, model):
        self._model = model

    async def act(self, observation):
        rounds = len(observation.view.history)
        names = ["cooperate", "defect"]
        if rounds % 2:
            asked = {"asked": "my_asking_agent:turn.j2", "values": {"rounds": rounds}}
        else:
            asked = {"asked": f"Round {rounds}: choose."}
        asked |= {"schema": Choice, "choices": {"action": names}, "check": refuse_defection}
        asked |= {"name": "AfterOne"} if rounds == 1 else {}
        answer = await hm_agent.ask(self._model, **asked)
        return hm_agent.Decision(answer.action if answer else "defect")


def build(setup):
    return Player(setup.model)
"""

SLEEPY = """
import asyncio
import time

import hm_agent


class Busy(hm_agent.Agent):
    def __init__(self, setup): ...
    async def act(self, observation):
        time.sleep(600)


class Waiting(Busy):
    async def act(self, observation):
        await asyncio.sleep(600)


class Stubborn(Busy):
    async def act(self, observation):
        while True:
            try:
                time.sleep(1)
            except Exception:
                pass
"""

WRONG = """
from pydantic import BaseModel

import hm_agent


class Choice(BaseModel):
    action: str


class Formless(hm_agent.Agent):
    def __init__(self, setup):
        self._model = setup.model

    async def act(self, observation):
        await hm_agent.ask(self._model, "Choose.", {})


class Misnamed(Formless):
    async def act(self, observation):
        await hm_agent.ask(self._model, "Choose.", Choice, choices={"move": ["left"]})


class Unnamed(Formless):
    async def act(self, observation):
        await hm_agent.ask(self._model, "Choose.", Choice, name="my moves")


class Unawaited(Formless):
    def act(self, observation):
        return hm_agent.Decision("defect")
"""


def answer(body: Mapping[str, Any]) -> Response:
    """Cooperates, after an unknown action where a template asks, and after defection in the third round."""
    prompt = prompt_of(body)
    word = "help" if prompt.startswith("After 1") else "defect" if prompt.startswith("Round 2") else "Cooperate"
    return completion(json.dumps({"action": word}), prompt=prompt)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(answer) as served:
        yield served


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_asking_agent.py").write_text(AGENT)
    (tmp_path / "turn.j2").write_text("After {{ rounds }} rounds: choose.\n")
    return tmp_path


def test_an_own_prompt_stands_in_trace_replay_and_totals_and_is_played_again(endpoint: Endpoint, folder: Path) -> None:
    play = ["hm-agent", "play", f"--scenario={GAME}", "--agent=my_asking_agent:build", "--max_steps=3"]
    play += [*endpoint.flags, f"--out={folder / 'runs'}"]
    status, _, errors = call_here(*play)
    assert status == 0, errors
    (path,) = folder.glob("runs/*/*/*/*/result.json")
    result = json.loads(path.read_text())
    assert (result["questions"], result["unanswered_questions"], result["model_calls"]) == (3, 0, 5)
    assert set(result["prompts"]) == {"own.j2", "retry.j2", "my_asking_agent:turn.j2"}
    lines = [json.loads(line) for line in path.with_name("trace.jsonl").read_text().splitlines()[1:]]
    asked = [question for line in lines for question in line["questions"]]
    assert [question["fields"]["prompt"] for question in asked] == [
        "Round 0: choose.",
        "After 1 rounds: choose.",
        "Round 2: choose.",
    ]
    assert [question["question"] for question in asked] == ["OwnQuestion", "AfterOne", "OwnQuestion"]
    assert "action: 'help' is none of: cooperate, defect" in asked[1]["calls"][1]["prompt"]
    assert "don't defect" in asked[2]["calls"][1]["prompt"]
    assert [line["action"] for line in lines] == ["cooperate"] * 3
    assert "my_asking_agent" in path.with_name("replay.html").read_text()
    status, output, errors = call_here("hm-agent", "reproduce", str(folder / "runs"))
    assert (status, errors) == (0, ""), output
    (folder / "turn.j2").write_text("{{ rounds }} rounds are over.\n")
    assert call_here(*play)[0] == WRONG_INPUT


def test_the_builtin_reasoner_says_that_it_answers_no_prompts(folder: Path) -> None:
    play = ["hm-agent", "play", f"--scenario={GAME}", "--agent=my_asking_agent:build", f"--out={folder / 'runs'}"]
    status, _, errors = call_here(*play)
    assert status == NO_MODEL
    assert "is no language model and answers no prompts of your own: name one with --model" in errors


def test_an_agent_is_checked_without_a_model_and_its_crash_shown(folder: Path) -> None:
    status, output, errors = call_here("hm-agent", "check", "my_asking_agent:build", GAME, "--steps=4")
    assert (status, errors) == (0, "")
    assert output.startswith(f"{GAME}: 4 steps, 4 questions")
    status, output, _ = call_here("hm-agent", "check", "my_asking_agent:build", "exploretom_a1", GAME)
    assert status == FAILED
    where = "AttributeError: 'StoryView' object has no attribute 'history' (my_asking_agent.py, line "
    assert output.startswith(f"exploretom_a1: {where}")
    assert f"{GAME}: 3 steps" in output
    assert "Traceback (most recent call last)" in output
    assert call_here("hm-agent", "check", "my_asking_agent:nothing")[0] == WRONG_INPUT
    assert call_here("hm-agent", "check", "my_asking_agent:build", "--steps=1", GAME)[0] == 0
    assert call_here("hm-agent", "check", "my_asking_agent:build", GAME, "--steps=1", "mg_pd_grim")[0] == 0


def test_what_is_wrong_with_ones_own_questions_and_act_is_said_with_the_line(folder: Path) -> None:
    (folder / "my_wrong_agent.py").write_text(WRONG)
    for name, problem in (
        ("Formless", "TypeError: ask(model, text, schema): the schema must be a pydantic class, not {}"),
        ("Misnamed", "ValueError: choices: Choice has no field 'move'"),
        ("Unnamed", "ValueError: name='my moves': a question's name is of at most 64 letters a to z, digits and _"),
        ("Unawaited", "TypeError: act has to be `async def act(self, observation)`"),
    ):
        status, output, _ = call_here("hm-agent", "check", f"my_wrong_agent:{name}", GAME)
        assert status == FAILED
        assert output.startswith(f"{GAME}: {problem}")
        assert ("(my_wrong_agent.py, line " in output.splitlines()[0]) == (name != "Unawaited")


def test_prompts_of_ones_own_are_shown_without_a_model(folder: Path) -> None:
    status, output, errors = call_here("hm-agent", "prompts", "show", "my_asking_agent:build", GAME, "--max_steps=3")
    assert (status, errors) == (0, "")
    assert output.startswith("=== OwnQuestion, step 0 ===\nRound 0: choose.\n\n=== AfterOne, step 1 ===\n")


def test_an_agent_that_never_acts_is_ended_and_shown(folder: Path) -> None:
    (folder / "my_sleepy_agent.py").write_text(SLEEPY)
    for name, line in (("Busy", 11), ("Waiting", 16), ("Stubborn", 23)):
        status, _, errors = call_here("hm-agent", "check", f"my_sleepy_agent:{name}", GAME, "--seconds=1")
        place = f"the agent is in my_sleepy_agent.py, line {line}, in act"
        assert (status, errors) == (FAILED, f"hm-agent check: {GAME}: no step has ended for 1 s; {place}\n")


def test_each_world_is_checked_by_default() -> None:
    assert {scenario.world for scenario, _ in one_of_each_world()} == set(suites())


def test_a_canned_answer_fits_any_form() -> None:
    class Inner(BaseModel):
        names: list[Literal["a", "b"]] = Field(min_length=2, max_length=2)
        share: float = Field(ge=0.5, le=0.9)

    class Outer(BaseModel):
        inner: Inner
        either: bool | None
        count: int = Field(ge=3, le=4)
        call: str = Field(pattern=r"^(go_to\((1|2), [a-c]{2,3}\)|wait)$")

    question = OwnQuestion("Anything.", Outer)
    request = Request("canned", (Message("user", ""),), Sampling(), "", answer_schema(question))
    for seed in range(5):
        reply = asyncio.run(CannedChat(seed).complete(request))
        assert read_answer(reply.texts[0], question).count in (3, 4)


def test_a_template_may_read_what_is_safe_and_change_or_look_into_nothing() -> None:
    values = {"text": "a", "items": [1]}
    for _ in range(2):  # what may be read is kept by class
        assert environment().from_string("{{ text.upper() }}{{ items.count(1) }}").render(values) == "A1"
        for forbidden in ("text.__class__.mro()", "items.append(2)", "items.clear()"):
            with pytest.raises(SecurityError):
                environment().from_string(f"{{{{ {forbidden} }}}}").render(values)
