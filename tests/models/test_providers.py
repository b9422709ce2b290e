"""Models by name: the built-in reasoner, an endpoint's, and those of other packages, side by side in one run."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from hm_agent.config import ConfigError
from hm_agent.models.budget import BudgetSpent, RunBudget
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.models.chat import Reply, Request
from hm_agent.models.provider_kinds import EndpointProvider, OwnProvider
from hm_agent.models.providers import PROVIDERS, ModelPool, provider_factory
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.questions import Model, ModelUnavailable, Question, Unanswered
from hm_agent.testing.endpoint import Endpoint, completion
from hm_agent.worlds.melting_pot.games import answers as all_answers
from tests.models.test_answer_parsing import COUNTER, INFER
from tests.support.commands import ROOT

ANSWERS = all_answers()
GOOD_ANSWER = (
    '{"player": "opponent", "next": [{"kind": "rock", "count": 6}], '
    '"strategy": {"expects": {"kind": "rock", "count": 6}, "hold": {"paper": 6}}}'
)
VARIABLE = "KEY_OF_A_TEST"
ENTRY_POINT = "[hm_agent.models]\nparrot = parrots:make_provider\nbroken = parrots:nothing\nlost = no_such_package:x\n"
PARROTS = """
from contextlib import asynccontextmanager

class Parrot:
    name = "parrot"

    async def answer(self, question, note=None):
        return question.schema(text="hello")

class Provider:
    def __init__(self, settings, budget, cache):
        self.settings = settings

    def check(self):
        pass

    @asynccontextmanager
    async def model(self, seed, answers):
        yield Parrot()

make_provider = Provider
"""


class Text(BaseModel):
    text: str


class AskText(Question[Text]):
    template: ClassVar[str] = "none.j2"
    schema = Text


@pytest.fixture
def parrots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package on sys.path that offers models, as an installed distribution does."""
    (tmp_path / "parrots.py").write_text(PARROTS)
    info = tmp_path / "parrots-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrots\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINT)
    monkeypatch.syspath_prepend(str(tmp_path))


async def ask(models: ModelPool, *asked: tuple[str, Question[Any]], answers: ReasonerTable = ANSWERS) -> list[Any]:
    """The answers of one episode, in which several models are open at the same time."""
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(models.model(name, 7, answers)) for name, _ in asked]
        return [await model.answer(question) for model, (_, question) in zip(opened, asked, strict=True)]


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_registered_provider_opens_a_model_of_its_name(name: str) -> None:
    async def open_model() -> Model:
        async with PROVIDERS[name](ModelSettings(name), RunBudget(), None).model(7, ANSWERS) as model:
            return model

    assert asyncio.run(open_model()).name == name


def test_any_other_name_is_a_model_behind_the_endpoint() -> None:
    assert isinstance(provider_factory("some-model")(ModelSettings("some-model"), RunBudget(), None), EndpointProvider)


def test_builtin_reasoner_answers_by_the_table_it_is_given() -> None:
    reasoner = BuiltinReasoner({AskText: lambda question: Text(text="calculated")})
    assert asyncio.run(reasoner.answer(AskText())).text == "calculated"
    with pytest.raises(Unanswered, match="the built-in reasoner knows no answer to InferInventory"):
        asyncio.run(reasoner.answer(INFER))


def test_a_model_of_another_package_is_found_by_its_entry_point(parrots: None) -> None:
    with closing(ModelPool(ModelSettings())) as models:
        models.check(["parrot"])
        (answer,) = asyncio.run(ask(models, ("parrot", AskText())))
    assert answer.text == "hello"


@pytest.mark.parametrize("name", ["broken", "lost"])
def test_an_entry_point_that_can_not_be_loaded_is_refused_in_one_line(parrots: None, name: str) -> None:
    with closing(ModelPool(ModelSettings())) as models:
        with pytest.raises(ConfigError, match=rf"^--model={name}: its provider \S+ can't be loaded: .") as refused:
            models.check([name])
        assert "\n" not in str(refused.value)


class UnreachableChat:
    """A chat of a user's own, whose server is gone."""

    async def complete(self, request: Request) -> Reply:
        raise ConnectionRefusedError("nobody listens")


class UnreachableModel:
    """A model of a user's own, whose server is gone."""

    name = "own"

    async def answer(self, question: Question[Any], note: object = None) -> Any:
        raise ConnectionRefusedError("nobody listens")


def test_a_model_of_one_s_own_is_not_asked_offline_without_a_cache() -> None:
    with pytest.raises(ConfigError, match=r"^--offline .* name it with --cache"):
        OwnProvider(lambda seed: UnreachableChat(), ModelSettings("own", offline=True), RunBudget(), None).check()


def test_offline_a_cache_that_is_not_there_is_refused_and_none_is_made(tmp_path: Path) -> None:
    settings = ModelSettings("own", offline=True, cache=tmp_path / "answers")
    with pytest.raises(ConfigError, match=r"^--cache=.*answers: there is no such file$"):
        OwnProvider(lambda seed: UnreachableChat(), settings, RunBudget(), None).check()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("made", [UnreachableChat, UnreachableModel])
def test_a_model_of_one_s_own_without_a_connection_is_unavailable(made: Callable[[], Any]) -> None:
    async def answer() -> None:
        provider = OwnProvider(lambda seed: made(), ModelSettings("own"), RunBudget(), None)
        async with provider.model(1, ANSWERS) as model:
            await model.answer(COUNTER)

    with pytest.raises(ModelUnavailable, match=r"^own: ConnectionRefusedError: nobody listens$"):
        asyncio.run(answer())


def test_what_is_no_model_is_refused_before_it_is_asked_anything() -> None:
    async def open_model() -> None:
        provider = OwnProvider(lambda seed: 5, ModelSettings("own"), RunBudget(), None)  # type: ignore[arg-type,return-value]
        async with provider.model(1, ANSWERS):
            raise AssertionError

    told = r"^build\(seed\) of own returned int; it has to return hm_agent.Chat or hm_agent.Model$"
    with pytest.raises(TypeError, match=told):
        asyncio.run(open_model())


def test_models_of_several_names_share_the_budget_and_the_cache_of_their_run(tmp_path: Path) -> None:
    def settings(max_calls: int) -> ModelSettings:
        return ModelSettings(base_url=server.base_url, cache=tmp_path / "answers", max_calls=max_calls)

    with Endpoint(lambda body: completion(GOOD_ANSWER)) as server:
        with closing(ModelPool(settings(2))) as models:
            models.check([BUILTIN, "one", "other"])
            asyncio.run(ask(models, ("one", COUNTER), ("other", COUNTER), (BUILTIN, COUNTER), ("one", COUNTER)))
            with pytest.raises(BudgetSpent, match="all 2 calls"):
                asyncio.run(ask(models, ("third", COUNTER)))
        with closing(ModelPool(settings(0))) as models:
            asyncio.run(ask(models, ("one", COUNTER), ("other", COUNTER)))
    assert [request.body["model"] for request in server.received] == ["one", "other"]


def test_only_the_names_that_are_used_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with closing(ModelPool(ModelSettings(api_key_env=VARIABLE, cache=tmp_path / "answers"))) as models:
        models.check([BUILTIN])
        assert not list(tmp_path.iterdir())
        with pytest.raises(ConfigError, match=f"^--model=some-model needs a key: .*{VARIABLE}"):
            models.check([BUILTIN, "some-model"])


def test_importing_the_providers_imports_no_client_and_no_database() -> None:
    script = (
        "import sys, hm_agent.models.providers as providers; "
        "providers.ModelPool(providers.ModelSettings('m', 'http://h/v1')).check(['m']); "
        "print(*{'openai', 'httpx', 'httpx2', 'sqlite3'} & sys.modules.keys())"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert printed == "\n"
