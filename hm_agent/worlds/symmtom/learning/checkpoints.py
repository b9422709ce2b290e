"""Checkpoints: all that a training run needs to go on, or an agent to play, in one npz file."""

from __future__ import annotations

import io
import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hm_agent.config import ConfigError
from hm_agent.files import write_whole
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.learning.algorithms import ALGORITHMS
from hm_agent.worlds.symmtom.learning.networks import Network
from hm_agent.worlds.symmtom.settings import GameSettings, with_variant

VERSION = 1
"""Incremented whenever the networks, their inputs or the format of this file change."""
SHIPPED = Path(__file__).parent / "trained"
"""The folder of checkpoints that ship with the package, named by scenario and algorithm."""

Arrays = Mapping[str, npt.NDArray[Any]]
_LOAD_ERRORS = (
    *(ValueError, KeyError, EOFError, TypeError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error, tokenize.TokenError),
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
        with path.open("rb") as source, np.load(source, allow_pickle=False) as file:
            facts = json.loads(str(file["facts"]))
            arrays = {name: file[name] for name in file.files if name != "facts"}
    except (OSError, *_LOAD_ERRORS) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a checkpoint of SymmToM"
        raise ConfigError(f"{path}: {reason}") from error
    for name, version, words in (("version", VERSION, "format"), ("rules", rules.VERSION, "version of the rules")):
        if facts.get(name) != version:
            raise ConfigError(f"{path}: a checkpoint of {words} {facts.get(name)}; only {version} can be read")
    if facts["algorithm"] not in ALGORITHMS:
        raise ConfigError(
            f"{path}: trained by {facts['algorithm']!r}, which is unknown; there are {', '.join(ALGORITHMS)}"
        )
    player = TrainedPlayer(
        algorithm=facts["algorithm"],
        settings=GameSettings(**facts["settings"]),
        kind=facts["kind"],
        shape=type(ALGORITHMS[facts["algorithm"]].network)(**facts["shape"]),
        weights=leaves_of("weights", arrays),
        reward=facts["reward"],
    )
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
    """Raises ConfigError for weights of wrong sizes, for infinite ones, and for another game than `settings`."""
    expected = player.shape.initial_weights(player.settings, 0)
    if {name: value.shape for name, value in player.weights.items()} != {
        name: value.shape for name, value in expected.items()
    }:
        raise ConfigError(f"{path}: its weights are not of the sizes that {player.settings.name} needs")
    if not all(np.isfinite(value).all() for value in player.weights.values()):
        raise ConfigError(f"{path}: some of its weights are not finite")
    if settings is not None and settings != player.settings:
        trained, played = (with_variant(game.name, game.variant) for game in (player.settings, settings))
        raise ConfigError(f"{path}: trained for {trained}; this is {played}")


def variant_of(settings: GameSettings, shape: Network) -> dict[str, Any]:
    """The settings of a run that its scenario's name does not tell, by flag: variants of rules, size of layers."""
    return {**settings.variant, "hidden": shape.hidden}
