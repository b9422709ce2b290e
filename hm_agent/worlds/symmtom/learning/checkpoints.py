"""Checkpoints: all that a training run needs to go on, or an agent to play, in one npz file."""

from __future__ import annotations

import io
import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, FiniteFloat, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from hm_agent.config import ConfigError, first_problem
from hm_agent.files import open_regular, write_whole
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.learning.actors import ActorShape
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.networks import Network, Shape
from hm_agent.worlds.symmtom.settings import GameSettings, with_variant

VERSION = 1
"""Incremented whenever the networks, their inputs or the format of this file change."""
SHIPPED = Path(__file__).parent / "trained"
"""The folder of checkpoints that ship with the package, named by scenario and algorithm."""

Arrays = Mapping[str, npt.NDArray[Any]]
MOST_BYTES = 1_000_000_000
"""The most bytes of a checkpoint, unpacked."""
_LOAD_ERRORS = (
    *(ValueError, KeyError, EOFError, TypeError, AttributeError, RuntimeError, MemoryError),
    *(zipfile.BadZipFile, zlib.error, tokenize.TokenError, SyntaxError),
)
"""The errors that NumPy raises for a file that is no archive of arrays, or a damaged one."""


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
    arrays = {f"weights/{name}": value for name, value in player.weights.items()}
    arrays |= {f"extra/{name}": value for name, value in (extra or {}).items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, facts=np.array(json.dumps(facts)), **arrays)  # type: ignore[arg-type]
    write_whole(path, buffer.getvalue())


def load(path: Path, settings: GameSettings | None = None) -> tuple[TrainedPlayer, Arrays]:
    """Reads a checkpoint and its extra arrays; ConfigError if it is unreadable or not of the game of `settings`."""
    try:
        with open_regular(path, MOST_BYTES) as source, np.load(source, allow_pickle=False) as file:
            if sum(member.file_size for member in file.zip.infolist()) > MOST_BYTES:
                raise ValueError("too large")
            text = str(file["facts"])
            arrays = {name: file[name] for name in file.files if name != "facts"}
        versions = json.loads(text)
        for name, version, words in (("version", VERSION, "format"), ("rules", rules.VERSION, "version of the rules")):
            if versions.get(name) != version:
                raise ConfigError(f"{path}: a checkpoint of {words} {versions.get(name)}; only {version} can be read")
        facts = _facts().validate_json(text, strict=True)
    except ConfigError:
        raise
    except ValidationError as error:
        raise ConfigError(f"{path}: not a checkpoint of SymmToM: {first_problem(error)}") from error
    except (OSError, *_LOAD_ERRORS) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a checkpoint of SymmToM"
        raise ConfigError(f"{path}: {reason}") from error
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


def leaves_of(name: str, arrays: Arrays) -> Arrays:
    """The arrays NAME/..., by the rest of their names."""
    return {key.removeprefix(f"{name}/"): value for key, value in arrays.items() if key.startswith(f"{name}/")}


def _check_player(path: Path, player: TrainedPlayer, settings: GameSettings | None) -> None:
    """Raises ConfigError for another network, weights of wrong sizes or kinds, and another game than `settings`."""
    algorithm, shape = ALGORITHMS[player.algorithm], player.shape
    sizes = {name: getattr(shape, name) for name in ("hidden", "piece") if hasattr(shape, name)}
    named = type(shape) is type(algorithm.network) and replace(algorithm.network, **sizes)  # type: ignore[type-var]
    if (player.kind, shape) != (algorithm.kind, named):
        raise ConfigError(f"{path}: its network is none of {player.algorithm}")
    found = {name: value.shape for name, value in player.weights.items()}
    # Each size has a square matrix: if they don't fit into the file, no weights of these sizes are made to compare.
    fits = min(sizes.values()) > 0 and max(sizes.values()) ** 2 <= sum(value.size for value in player.weights.values())
    if not fits or found != {name: value.shape for name, value in shape.initial_weights(player.settings, 0).items()}:
        raise ConfigError(f"{path}: its weights are not of the sizes that {player.settings.name} needs")
    if not all(np.issubdtype(value.dtype, np.floating) for value in player.weights.values()):
        raise ConfigError(f"{path}: some of its weights are no numbers")
    if not all(np.isfinite(value).all() for value in player.weights.values()):
        raise ConfigError(f"{path}: some of its weights are not finite")
    if settings is not None and settings != player.settings:
        trained, played = (with_variant(game.name, game.variant) for game in (player.settings, settings))
        raise ConfigError(f"{path}: trained for {trained}; this is {played}")


def variant_of(settings: GameSettings, shape: Network) -> dict[str, Any]:
    """The settings of a run that its scenario's name does not tell, by flag: variants of rules, size of layers."""
    return {**settings.variant, "hidden": shape.hidden}
