"""Checkpoints as npz files: facts in JSON, and named arrays; no pickles, so that a file of others' is safe to read."""

from __future__ import annotations

import io
import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from hm_agent.config import ConfigError, first_problem
from hm_agent.storage.files import open_regular, write_whole

Arrays = Mapping[str, npt.NDArray[Any]]
FactsT = TypeVar("FactsT")
MOST_BYTES = 1_000_000_000
"""The most bytes of a checkpoint, unpacked."""
_LOAD_ERRORS = (
    *(ValueError, KeyError, EOFError, TypeError, AttributeError, RuntimeError, MemoryError),
    *(zipfile.BadZipFile, zlib.error, tokenize.TokenError, SyntaxError),
)
"""The errors that NumPy raises for a file that is no archive of arrays, or a damaged one."""


def save_archive(path: Path, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Writes facts and arrays atomically, over any older file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, facts=np.array(json.dumps(facts)), **arrays)  # type: ignore[arg-type]
    write_whole(path, buffer.getvalue())


def load_archive(
    path: Path, facts: TypeAdapter[FactsT], world: str, versions: Mapping[str, tuple[int, str]]
) -> tuple[FactsT, Arrays]:
    """Reads a checkpoint of a world. Raises ConfigError for a file that is none, or has other versions.

    versions: by the fact that tells it, the only version that can be read, and what it is a version of.
    """
    try:
        with open_regular(path, MOST_BYTES) as source, np.load(source, allow_pickle=False) as file:
            if sum(member.file_size for member in file.zip.infolist()) > MOST_BYTES:
                raise ValueError("too large")
            text = str(file["facts"])
            arrays = {name: file[name] for name in file.files if name != "facts"}
        told = json.loads(text)
        for name, (version, words) in versions.items():
            if told.get(name) != version:
                raise ConfigError(f"{path}: a checkpoint of {words} {told.get(name)}; only {version} can be read")
        return facts.validate_json(text, strict=True), arrays
    except ConfigError:
        raise
    except ValidationError as error:
        raise ConfigError(f"{path}: not a checkpoint of {world}: {first_problem(error)}") from error
    except (OSError, *_LOAD_ERRORS) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else f"not a checkpoint of {world}"
        raise ConfigError(f"{path}: {reason}") from error


def check_weights(path: Path, weights: Arrays, sizes: Mapping[str, tuple[int, ...]] | None, game: str) -> None:
    """Raises ConfigError for weights that are no finite numbers of these sizes. sizes: None if nothing could fit."""
    if sizes is None or {name: value.shape for name, value in weights.items()} != sizes:
        raise ConfigError(f"{path}: its weights are not of the sizes that {game} needs")
    if not all(np.issubdtype(value.dtype, np.floating) for value in weights.values()):
        raise ConfigError(f"{path}: some of its weights are no numbers")
    if not all(np.isfinite(value).all() for value in weights.values()):
        raise ConfigError(f"{path}: some of its weights are not finite")


def leaves_of(name: str, arrays: Arrays) -> Arrays:
    """The arrays NAME/..., by the rest of their names."""
    return {key.removeprefix(f"{name}/"): value for key, value in arrays.items() if key.startswith(f"{name}/")}


def named(name: str, arrays: Arrays) -> Arrays:
    """The arrays as NAME/..., as `leaves_of` finds them again."""
    return {f"{name}/{key}": value for key, value in arrays.items()}
