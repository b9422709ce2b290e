"""Opens the models of a run: each episode has its own, and all of them share one budget and one answer cache."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from hm_agent.config import ConfigError, existing_file
from hm_agent.extensions import ADDED, check_call, check_name, import_problem, load_place, nearest
from hm_agent.models.budget import Budget, BudgetedChat, RunBudget
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.models.cache import AnswerCache, CachedChat
from hm_agent.models.chat import Chat, Reply, Request
from hm_agent.models.endpoint.outage import OutageTolerantChat
from hm_agent.models.endpoint.parameter_support import ParameterSupport
from hm_agent.models.endpoint.surroundings import WEB, check_surroundings, scheme_of
from hm_agent.models.local import LOCAL, LocalChat, model_file
from hm_agent.models.prices import AnyPrice, Price, cost_of, load_prices, price_of
from hm_agent.models.settings import BUILTIN, PERSON, PLACE, ModelSettings
from hm_agent.questions import AnswerT, Model, ModelCall, ModelUnavailable, Question, ignore

if TYPE_CHECKING:
    from hm_agent.models.answer_file import AnswerFile
    from hm_agent.models.endpoint.openai_chat import OpenAIChat

OFFLINE_NEEDS_CACHE = "--offline answers from a record of earlier runs: name it with --cache=FILE"
ENTRY_POINTS = "hm_agent.models"
"""The group of entry points by which other packages add providers."""


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
        return price_for(self._settings)

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
        from hm_agent.models.endpoint.openai_chat import EndpointSettings, OpenAIChat

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


def register_model(name: str, build: BuildModel) -> None:
    """Registers a model under a name, in this process and its workers.

    build: a function that builds the model for one episode from its seed: a `Model`, which answers questions as data,
    or a `Chat`, which answers prompts with text. Raises ConfigError if the name is invalid, or one of the package's.
    """
    check_name(name)
    if name in PROVIDERS:
        raise ConfigError(f"model {name!r} is there already: choose another name")
    ADDED.models[name] = build


PROVIDERS: Mapping[str, ProviderFactory] = {BUILTIN: BuiltinProvider, PERSON: PersonProvider}
"""Providers by the model's name; see `provider_factory` for other names."""


def provider_factory(name: str) -> ProviderFactory:
    """Finds a model's provider: in PROVIDERS, by prefix, among registered models, by entry point, else the endpoint.

    Raises ConfigError if an entry point can't be loaded.
    """
    if name in PROVIDERS:
        return PROVIDERS[name]
    if name.startswith(LOCAL):
        return LocalProvider
    if name in ADDED.models:
        return partial(OwnProvider, ADDED.models[name])
    if name.startswith(PLACE):
        return partial(OwnProvider, load_place(name.removeprefix(PLACE)))
    for entry_point in entry_points(group=ENTRY_POINTS, name=name):
        try:
            return cast(ProviderFactory, entry_point.load())
        except Exception as error:  # a package may raise anything
            problem = import_problem(error)
            raise ConfigError(f"--model={name}: its provider {entry_point.value} can't be loaded: {problem}") from error
    return EndpointProvider


def price_for(settings: ModelSettings) -> AnyPrice | None:
    """The price of the model that the settings name, 0 in this process; None if it is unknown."""
    if settings.name == BUILTIN or settings.name.startswith(LOCAL):
        return Price(0.0, 0.0)
    endpoint = settings.endpoint if provider_factory(settings.name) is EndpointProvider else None
    return price_of(settings.name, endpoint, settings.prices, settings.rates)


class ModelPool:
    """The models of a run by name; a run may use several, e.g. one for each seat.

    settings: of all models, apart from the name. budget, cache: the run's, if another object keeps them; otherwise the
    pool makes its own from the settings.
    """

    def __init__(self, settings: ModelSettings, budget: Budget | None = None, cache: AnswerCache | None = None) -> None:
        self._settings = settings
        self._budget = budget or RunBudget(settings.max_calls, settings.max_cost)
        self._cache = cache
        self._own_cache: AnswerFile | None = None
        if cache is None and settings.cache is not None:
            from hm_agent.models.answer_file import AnswerFile

            self._cache = self._own_cache = AnswerFile(settings.cache, is_read_only=settings.offline)
        self._providers: dict[str, Provider] = {}

    def check(self, names: Iterable[str]) -> None:
        """Raises ConfigError if one of these models can't be opened with the settings, or the prices can't be read."""
        load_prices(self._settings.prices)
        for name in names:
            self._provider(name).check()

    def model(self, name: str, seed: int, answers: ReasonerTable) -> AbstractAsyncContextManager[Model]:
        """Opens the model of a name for one episode. answers: how the built-in reasoner calculates answers."""
        return self._provider(name).model(seed, answers)

    def _provider(self, name: str) -> Provider:
        if name not in self._providers:
            settings = replace(self._settings, name=name)
            self._providers[name] = provider_factory(name)(settings, self._budget, self._cache)
        return self._providers[name]

    def hurry(self) -> None:
        """Shortens the wait for other processes that use the cache: the user wants the run to end."""
        if self._own_cache is not None:
            self._own_cache.hurry()

    def close(self) -> None:
        if self._own_cache is not None:
            self._own_cache.close()
