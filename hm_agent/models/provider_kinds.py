"""The kinds of providers: how the reasoner, endpoints, local models, people and a user's own models are opened."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from hm_agent.config import ConfigError, existing_file
from hm_agent.extensions import ADDED, check_call, nearest
from hm_agent.models.budget import Budget, BudgetedChat
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.models.cache import AnswerCache, CachedChat
from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.models.endpoint.endpoint_settings import EndpointSettings
from hm_agent.models.endpoint.outage import OutageTolerantChat
from hm_agent.models.endpoint.parameter_support import ParameterSupport
from hm_agent.models.endpoint.surroundings import WEB, check_surroundings, scheme_of
from hm_agent.models.local import LocalChat, model_file
from hm_agent.models.prices import FREE, AnyPrice, cost_of, price_of
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.questions import AnswerT, Model, ModelCall, ModelUnavailable, Question, ignore

if TYPE_CHECKING:
    from hm_agent.models.endpoint.openai_chat import OpenAIChat

OFFLINE_NEEDS_CACHE = "--offline answers from a record of earlier runs: name it with --cache=FILE"


class Provider(Protocol):
    """Opens the models of one name, one for each episode."""

    def check(self) -> None:
        """Raises ConfigError if no model can be opened with the settings."""
        ...

    def model(self, seed: int, answers: ReasonerTable) -> AbstractAsyncContextManager[Model]:
        """Opens the model for one episode. answers: how the built-in reasoner calculates answers."""
        ...


ProviderFactory: TypeAlias = Callable[[ModelSettings, Budget, AnswerCache | None], Provider]
"""Makes the provider of the model that the settings name. Budget and cache are the run's; it must not close them."""
BuildModel: TypeAlias = Callable[[int], Model | Chat]
"""Builds a user's own model for one episode from its seed."""


class BuiltinProvider:
    """Opens the built-in reasoner; it makes no calls and needs no cache."""

    def __init__(self, settings: ModelSettings, budget: Budget, cache: AnswerCache | None) -> None:
        """Ignores its arguments, which are those of every `ProviderFactory`."""

    def check(self) -> None:
        """Does nothing: no setting can be wrong."""

    @asynccontextmanager
    async def model(self, seed: int, answers: ReasonerTable) -> AsyncIterator[Model]:
        yield BuiltinReasoner(answers)


class _LanguageProvider(ABC):
    """What all providers of language models share: the run's budget and cache, and how a chat becomes a model."""

    _endpoint: str | None = None
    """The endpoint as results and the cache name it; None for models that have none."""

    def __init__(self, settings: ModelSettings, budget: Budget, cache: AnswerCache | None) -> None:
        self._settings, self._budget, self._cache = settings, budget, cache

    def check(self) -> None:
        if self._settings.offline and self._settings.cache is None:
            raise ConfigError(OFFLINE_NEEDS_CACHE)
        if self._settings.offline:
            existing_file("cache", self._settings.cache)
        self._check()
        if self._cache is not None:
            self._cache.open()

    @abstractmethod
    def _check(self) -> None:
        """Raises ConfigError if no model of this kind can be opened with the settings."""

    @cached_property
    def _price(self) -> AnyPrice | None:
        return price_of(self._settings.name, self._endpoint, self._settings.prices, self._settings.rates)

    def _text_model(self, chat: Chat, seed: int) -> Model:
        """Builds a model that asks a chat within the budget, or finds the reply in the cache."""
        from hm_agent.models.text_model import TextModel

        settings, price = self._settings, self._price
        wrapped: Chat = BudgetedChat(chat, self._budget, partial(cost_of, price=price))
        if self._cache is not None:
            wrapped = CachedChat(wrapped, self._cache, endpoint=self._endpoint, offline=settings.offline)
        return TextModel(settings.name, wrapped, settings.sampling, price, seed)


class EndpointProvider(_LanguageProvider):
    """Opens a language model behind an OpenAI-compatible endpoint."""

    def __init__(self, settings: ModelSettings, budget: Budget, cache: AnswerCache | None) -> None:
        super().__init__(settings, budget, cache)
        self._endpoint = settings.endpoint
        self._support = ParameterSupport()
        self._chat: OpenAIChat | None = None
        self._users = 0

    def _check(self) -> None:
        settings = self._settings
        if settings.max_cost is not None and self._price is None:
            raise ConfigError(f"--max_cost: no price is known for {settings.name!r} there; add it with --prices=FILE")
        if not (self._key or settings.endpoint_url or settings.offline):
            near = nearest(settings.name, (BUILTIN, *ADDED.models))
            raise ConfigError(
                f"--model={settings.name} needs a key: {near}put it into the environment variable "
                f"{settings.api_key_env}, name another one with --api_key_env, or a server of your own with --base_url"
            )
        if settings.endpoint_url is not None and scheme_of(settings.endpoint_url) not in WEB:
            raise ConfigError("--base_url (or OPENAI_BASE_URL) is no URL: it looks like http://localhost:8000/v1")
        if self._key and not (self._key.isascii() and self._key.isprintable()):
            raise ConfigError(f"--api_key_env={settings.api_key_env}: the key in it has characters that no key has")
        _ = settings.headers
        if not settings.offline:
            check_surroundings(settings.endpoint_url or "")

    @property
    def _key(self) -> str | None:
        return os.environ.get(self._settings.api_key_env, "").strip() or None

    @asynccontextmanager
    async def model(self, seed: int, answers: ReasonerTable) -> AsyncIterator[Model]:
        async with self._client() as client:
            yield self._text_model(OutageTolerantChat(client, self._budget, self._settings.patience), seed)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[OpenAIChat]:
        """Opens the client that all simultaneous episodes share; the last of them closes it."""
        # The openai package takes long to import, and runs of the built-in reasoner don't need it.
        from hm_agent.models.endpoint.openai_chat import OpenAIChat

        settings = self._settings
        if self._chat is None:
            url, headers = settings.endpoint_url, settings.headers
            endpoint = EndpointSettings(url, self._key, settings.timeout, settings.retries, headers=headers)
            self._chat = OpenAIChat(endpoint, self._support)
        chat = self._chat
        self._users += 1
        try:
            yield chat
        finally:
            self._users -= 1
            if not self._users:
                self._chat = None
                await chat.__aexit__()


class LocalProvider(_LanguageProvider):
    """Opens a language model that runs in this process: `local:smollm2`, or `local:PATH` of a GGUF file."""

    _price = FREE

    def _check(self) -> None:
        if not self._settings.offline:
            model_file(self._settings.name)

    @asynccontextmanager
    async def model(self, seed: int, answers: ReasonerTable) -> AsyncIterator[Model]:
        yield self._text_model(LocalChat(self._settings.name), seed)


class PersonProvider(_LanguageProvider):
    """Asks the person at this machine, in the terminal or on a local page, what a language model would be asked."""

    def _check(self) -> None:
        if not (self._settings.page or self._settings.offline or sys.stdin.isatty()):
            raise ConfigError("--agent=human asks in a terminal, and standard input is none: --page asks in a browser")

    @asynccontextmanager
    async def model(self, seed: int, answers: ReasonerTable) -> AsyncIterator[Model]:
        if self._settings.page:
            from hm_agent.seats.person_page import open_page

            chat: Chat = open_page().chat
        else:
            from hm_agent.seats.person_terminal import terminal_chat

            chat = terminal_chat()
        yield self._text_model(chat, seed)


class OwnProvider(_LanguageProvider):
    """Opens a user's own model.

    A chat is treated as every language model: with prompts, validation of answers, retries, cache, budget and prices.
    """

    def __init__(self, build: BuildModel, settings: ModelSettings, budget: Budget, cache: AnswerCache | None) -> None:
        super().__init__(settings, budget, cache)
        self._build = build

    def _check(self) -> None:
        if not callable(self._build):
            raise ConfigError(f"--model={self._settings.name} is no function build(seed) that makes a model")
        check_call(f"--model={self._settings.name}", self._build, "build(seed)")

    @asynccontextmanager
    async def model(self, seed: int, answers: ReasonerTable) -> AsyncIterator[Model]:
        name = self._settings.name
        with _os_errors_as_unavailable(name):
            model = self._build(seed)
        if hasattr(model, "complete"):  # a chat
            yield self._text_model(_OwnChat(cast(Chat, model), name), seed)
        elif hasattr(model, "answer") and hasattr(model, "name"):
            yield _OwnModel(model)
        else:
            made = type(model).__name__
            raise TypeError(f"build(seed) of {name} returned {made}; it has to return hm_agent.Chat or hm_agent.Model")


@contextmanager
def _os_errors_as_unavailable(name: str) -> Iterator[None]:
    """Turns an OSError of a user's code, e.g. a lost connection, into ModelUnavailable."""
    try:
        yield
    except OSError as error:
        raise ModelUnavailable(f"{name}: {type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class _OwnChat:
    """A user's own chat, whose OSErrors become ModelUnavailable."""

    chat: Chat
    name: str

    async def complete(self, request: Request) -> Reply:
        with _os_errors_as_unavailable(self.name):
            return await self.chat.complete(request)


@dataclass(frozen=True)
class _OwnModel:
    """A user's own model, whose OSErrors become ModelUnavailable."""

    model: Model

    @property
    def name(self) -> str:
        return self.model.name

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        with _os_errors_as_unavailable(self.name):
            return await self.model.answer(question, note)
