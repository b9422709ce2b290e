"""Opens the models of a run: each episode has its own, and all of them share one budget and one answer cache."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, cast

from hm_agent.config import ConfigError
from hm_agent.extensions import ADDED, check_name, import_problem, load_place
from hm_agent.models.budget import Budget, RunBudget
from hm_agent.models.builtin import ReasonerTable
from hm_agent.models.cache import AnswerCache
from hm_agent.models.local import LOCAL
from hm_agent.models.prices import FREE, AnyPrice, load_prices, price_of
from hm_agent.models.provider_kinds import (
    BuildModel,
    BuiltinProvider,
    EndpointProvider,
    LocalProvider,
    OwnProvider,
    PersonProvider,
    Provider,
    ProviderFactory,
)
from hm_agent.models.settings import BUILTIN, PERSON, PLACE, ModelSettings
from hm_agent.questions import Model

if TYPE_CHECKING:
    from hm_agent.models.answer_file import AnswerFile

ENTRY_POINTS = "hm_agent.models"
"""The group of entry points by which other packages add providers."""


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
        return FREE
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
