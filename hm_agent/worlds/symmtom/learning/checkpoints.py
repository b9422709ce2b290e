"""Checkpoints: all that a training run needs to go on, or an agent to play, in one npz file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, FiniteFloat, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from hm_agent.config import ConfigError
from hm_agent.learning.archives import Arrays, check_weights, leaves_of, load_archive, named, save_archive
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.learning.actors import ActorShape
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.networks import Network, Shape
from hm_agent.worlds.symmtom.settings import GameSettings, with_variant

VERSION = 1
"""Incremented whenever the networks, their inputs or the format of this file change."""
SHIPPED = Path(__file__).parent / "trained"
"""The folder of checkpoints that ship with the package, named by scenario and algorithm."""


@dataclass(frozen=True)
class TrainedPlayer:
    """Trained weights for one game. kind: of the K they are given. reward: per agent and episode, if measured."""

    algorithm: str
    settings: GameSettings
    kind: str
    shape: Network
    weights: Arrays
    reward: float | None = None


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class _Facts:
    """What a checkpoint says of its weights."""

    version: int
    rules: int
    algorithm: str
    settings: GameSettings
    kind: str
    shape: Shape | ActorShape
    reward: FiniteFloat | None


@cache
def _facts() -> TypeAdapter[_Facts]:
    return TypeAdapter(_Facts)


def save(path: Path, player: TrainedPlayer, extra: Arrays | None = None) -> None:
    """Writes a checkpoint atomically, over any older one. extra: more arrays, e.g. those to resume a run."""
    facts = {
        "version": VERSION,
        "rules": rules.VERSION,
        "algorithm": player.algorithm,
        "settings": asdict(player.settings),
        "kind": player.kind,
        "shape": asdict(player.shape),  # type: ignore[call-overload]
        "reward": player.reward,
    }
    save_archive(path, facts, {**named("weights", player.weights), **named("extra", extra or {})})


def load(path: Path, settings: GameSettings | None = None) -> tuple[TrainedPlayer, Arrays]:
    """Reads a checkpoint and its extra arrays; ConfigError if it is unreadable or not of the game of `settings`."""
    versions = {"version": (VERSION, "format"), "rules": (rules.VERSION, "version of the rules")}
    facts, arrays = load_archive(path, _facts(), "SymmToM", versions)
    if facts.algorithm not in ALGORITHMS:
        raise ConfigError(
            f"{path}: trained by {facts.algorithm!r}, which is unknown; there are {', '.join(ALGORITHMS)}"
        )
    weights = leaves_of("weights", arrays)
    player = TrainedPlayer(facts.algorithm, facts.settings, facts.kind, facts.shape, weights, facts.reward)
    _check_player(path, player, settings)
    return player, leaves_of("extra", arrays)


def player_of(agent: str, path: Path | None, settings: GameSettings) -> TrainedPlayer:
    """Returns the player of a checkpoint at a path, or else of the one that ships for this agent and game.

    Raises ConfigError if there is none, or if it was trained by another algorithm; `ippo` plays by any variant of PPO.
    """
    if path is None:
        return shipped(agent, settings)
    player = load(path, settings)[0]
    if player.algorithm != agent and not (agent == "ippo" and player.algorithm.startswith("ippo_")):
        raise ConfigError(f"{path}: trained by {player.algorithm}, which is not {agent}")
    return player


def shipped(algorithm: str, settings: GameSettings) -> TrainedPlayer:
    """Loads the checkpoint that ships with the package; ConfigError if there is none for the game."""
    path = SHIPPED / f"{settings.name}_{algorithm}.npz"
    if not path.exists():
        names = sorted(file.stem.removesuffix(f"_{algorithm}") for file in SHIPPED.glob(f"*_{algorithm}.npz"))
        ready = f"; there is one for {', '.join(names)}" if names else ""
        raise ConfigError(
            f"{algorithm} has no checkpoint for {settings.name}: train one, and name it by --checkpoint{ready}"
        )
    return load(path, settings)[0]


def _check_player(path: Path, player: TrainedPlayer, settings: GameSettings | None) -> None:
    """Raises ConfigError for another network, weights of wrong sizes or kinds, and another game than `settings`."""
    algorithm, shape = ALGORITHMS[player.algorithm], player.shape
    sizes = {name: getattr(shape, name) for name in ("hidden", "piece") if hasattr(shape, name)}
    named = type(shape) is type(algorithm.network) and replace(algorithm.network, **sizes)  # type: ignore[type-var]
    if (player.kind, shape) != (algorithm.kind, named):
        raise ConfigError(f"{path}: its network is none of {player.algorithm}")
    # Each size has a square matrix: if they don't fit into the file, no weights of these sizes are made to compare.
    fits = min(sizes.values()) > 0 and max(sizes.values()) ** 2 <= sum(value.size for value in player.weights.values())
    needed = shape.initial_weights(player.settings, 0) if fits else {}
    check_weights(path, player.weights, {name: value.shape for name, value in needed.items()}, player.settings.name)
    if settings is not None and settings != player.settings:
        trained, played = (with_variant(game.name, game.variant) for game in (player.settings, settings))
        raise ConfigError(f"{path}: trained for {trained}; this is {played}")


def variant_of(settings: GameSettings, shape: Network) -> dict[str, Any]:
    """The settings of a run that its scenario's name does not tell, by flag: variants of rules, size of layers."""
    return {**settings.variant, "hidden": shape.hidden}
