"""The background population: Melting Pot's own, acting in its own threads only where that pays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import Any

from meltingpot.configs.scenarios import ScenarioConfig
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.scenarios import population


class InPlace(Executor):
    """Does what is submitted at once, in the caller's thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def build_population(
    config: ScenarioConfig, policies: Mapping[str, policy_lib.Policy[Any]], *, threads: bool
) -> population.Population:
    """The bots of a scenario.

    threads: whether each bot thinks beside the focal player, which is quicker for trained models; scripted players
    are done before a thread has taken over.
    """
    background = population.Population(
        policies=policies, names_by_role=names_by_role(config), roles=_background_roles(config)
    )
    if not threads:
        background._executor.shutdown()
        background._executor = InPlace()
    return background


def names_by_role(config: ScenarioConfig) -> Mapping[str, Sequence[str]]:
    """Which bots can fill which role, as Melting Pot has it."""
    return {role: sorted(names) for role, names in config.bots_by_role.items()}


def _background_roles(config: ScenarioConfig) -> Sequence[str]:
    return [role for role, focal in zip(config.roles, config.is_focal, strict=True) if not focal]
