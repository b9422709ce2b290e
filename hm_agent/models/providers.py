"""Where answers come from, for a whole run: each episode gets a model of its own, budget and record are shared."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from hm_agent.config import ConfigError
from hm_agent.models.budget import Account, Budget, BudgetedChat
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.models.cache import Answers, CachedChat, Record
from hm_agent.models.chat import Chat, Reply, Sampling
from hm_agent.models.openai_chat import Endpoint, OpenAIChat
from hm_agent.models.parameter_support import ParameterSupport
from hm_agent.models.patience import PatientChat
from hm_agent.models.prices import Price, load_prices
from hm_agent.models.text_model import TextModel
from hm_agent.questions import Model

BUILTIN = "builtin"


@dataclass(frozen=True)
class ModelSettings:
    """What a command line says of the model.

    base_url: of an OpenAI-compatible endpoint, None for OpenAI's own. timeout: seconds a call may take. patience: for
    how many seconds one that has worked may be out of order. cache: the file that keeps every answer. offline: whether
    it alone may answer. prices: a file that adds to the listed ones.
    """

    name: str = BUILTIN
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    sampling: Sampling = field(default_factory=Sampling)
    timeout: float = 120.0
    retries: int = 5
    patience: float = 600.0
    cache: Path | None = None
    offline: bool = False
    max_calls: int | None = None
    max_cost: float | None = None
    prices: Path | None = None


PRESETS: Mapping[str, ModelSettings] = {
    "gpt-4": ModelSettings("gpt-4-1106-preview", sampling=Sampling(0.1, 1.0, 4000, 1)),
    "gpt-3.5": ModelSettings("gpt-3.5-turbo-1106", sampling=Sampling(0.2, 1.0, 2000, 1)),
    "llama-3": ModelSettings("Meta-Llama-3-70B-Instruct", sampling=Sampling(0.2, 1.0, 2000, 10)),
}
"""The paper's models (table 4)."""


class Provider(Protocol):
    """A source of models."""

    def check(self) -> None:
        """Raises ConfigError where it can't be used."""
        ...

    def model(self, seed: int) -> AbstractAsyncContextManager[Model]:
        """The model for one episode."""
        ...

    def close(self) -> None: ...


class BuiltinProvider:
    """The built-in reasoner, for everybody."""

    def check(self) -> None:
        """Needs nothing."""

    @asynccontextmanager
    async def model(self, seed: int) -> AsyncIterator[Model]:
        yield BuiltinReasoner()

    def close(self) -> None:
        """Holds nothing."""


class EndpointProvider:
    """A language model behind an OpenAI-compatible endpoint.

    ledger: that of the whole run. answers: what --cache names, where another process has it open.
    """

    def __init__(self, settings: ModelSettings, ledger: Budget, answers: Answers | None = None) -> None:
        self._settings, self._ledger, self._answers = settings, ledger, answers
        self._dialect = ParameterSupport()

    def check(self) -> None:
        settings = self._settings
        if settings.offline and settings.cache is None:
            raise ConfigError("--offline answers from a record of earlier runs: name it with --cache=FILE")
        if settings.max_cost is not None and self._price is None:
            raise ConfigError(f"--max_cost: no price is known for {settings.name!r}; add it with --prices=FILE")
        if not (self._key or self._base_url or settings.offline):
            raise ConfigError(
                f"--model={settings.name} needs a key: put it into the environment variable {settings.api_key_env}, "
                "name another one with --api_key_env, or a server of your own with --base_url"
            )
        if self._base_url is not None and not _is_url(self._base_url):
            raise ConfigError("--base_url (or OPENAI_BASE_URL) is no URL: it looks like http://localhost:8000/v1")
        if self._key and not (self._key.isascii() and self._key.isprintable()):
            raise ConfigError(f"--api_key_env={settings.api_key_env}: the key in it has characters that no key has")
        _ = self._record

    @cached_property
    def _price(self) -> Price | None:
        return load_prices(self._settings.prices).get(self._settings.name)

    @cached_property
    def _record(self) -> Answers | None:
        if self._settings.cache is None:
            return None
        return self._answers or Record(self._settings.cache)

    @property
    def _base_url(self) -> str | None:
        given = self._settings.base_url
        return os.environ.get("OPENAI_BASE_URL") or None if given is None else given

    @property
    def _key(self) -> str | None:
        return os.environ.get(self._settings.api_key_env, "").strip() or None

    def _cost(self, reply: Reply) -> float | None:
        return self._price.of(reply.input_tokens, reply.output_tokens) if self._price else None

    @asynccontextmanager
    async def model(self, seed: int) -> AsyncIterator[Model]:
        settings = self._settings
        endpoint = Endpoint(self._base_url, self._key, settings.timeout, settings.retries)
        async with OpenAIChat(endpoint, self._dialect) as chat:
            known: Chat = PatientChat(chat, self._ledger, settings.patience)
            known = BudgetedChat(known, self._ledger, self._cost)
            if self._record:
                known = CachedChat(known, self._record, self._ledger, offline=settings.offline)
            yield TextModel(settings.name, known, settings.sampling, self._price, seed)

    def close(self) -> None:
        if self._record:
            self._record.close()


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def provider_of(settings: ModelSettings, ledger: Budget | None = None, answers: Answers | None = None) -> Provider:
    """ledger, answers: those of the whole run, where others take part in it."""
    if settings.name == BUILTIN:
        return BuiltinProvider()
    return EndpointProvider(settings, ledger or Account(settings.max_calls, settings.max_cost), answers)
