"""Keeps Jinja2's compiled templates in the user's cache folder, so that a template is compiled once on a machine.

Compiling takes longer than reading, rendering and writing together. As with Python's own compiled modules, a kept one
counts only if it was made from the same text by the same version of everything; whoever can't read or write the folder
compiles as if there were none.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator
from jinja2.nodes import Impossible, TemplateData

from hm_agent.storage.files import read_regular, write_whole

_DIGEST = 32
"""The length of the hash that a file begins with."""


class WithoutConstants(CodeGenerator):
    """Leaves all filters and operators to rendering, so that compiled code depends on no function of ours."""

    def _output_child_to_const(self, node: Any, frame: Any, finalize: Any) -> str:
        if not isinstance(node, TemplateData):
            raise Impossible
        return super()._output_child_to_const(node, frame, finalize)


class CompiledTemplates(BytecodeCache):
    """A folder of compiled templates. A file begins with a hash of itself and of all it was made from."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        place = "/".join(Path(filename).parts[-3:]) if filename else name
        return hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def get_source_checksum(self, source: str) -> str:
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()

    def get_bucket(self, environment: Environment, name: str, filename: str | None, source: str) -> Bucket:
        bucket = super().get_bucket(environment, name, filename, source)
        if bucket.code is not None and filename:  # another installation may have compiled it; errors name the file
            bucket.code = bucket.code.replace(co_filename=filename)
        return bucket

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            content = read_regular(self._path(bucket))
        except OSError:
            return
        if content[:_DIGEST] == _digest(bucket, content[_DIGEST:]):
            bucket.code = marshal.loads(content[_DIGEST:])

    def dump_bytecode(self, bucket: Bucket) -> None:
        compiled = marshal.dumps(bucket.code)
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(bucket), _digest(bucket, compiled) + compiled)

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{type(bucket.environment).__name__}-{bucket.key}.{sys.implementation.cache_tag}"


def _digest(bucket: Bucket, compiled: bytes) -> bytes:
    made_from = repr((_made_by(bucket.environment), bucket.checksum)).encode()
    return hashlib.sha256(made_from + compiled).digest()


def _made_by(environment: Environment) -> tuple[object, ...]:
    """All but the text that a compiled template depends on: versions, and how the environment reads texts."""
    reading = (environment.trim_blocks, environment.lstrip_blocks, environment.keep_trailing_newline)
    return (_versions(), environment.sandboxed, callable(environment.autoescape), *reading)


@cache
def _versions() -> tuple[str, ...]:
    return sys.version, version("jinja2"), version("hm_agent")


def keep_compiled(environment: Environment) -> None:
    """Lets an environment use the compiled templates of the user's cache folder, if there is one that is the user's."""
    environment.optimized = False
    environment.code_generator_class = WithoutConstants
    if folder := _users_folder():
        environment.bytecode_cache = CompiledTemplates(folder / "hm_agent" / "templates")


def _users_folder() -> Path | None:
    """$XDG_CACHE_HOME or ~/.cache; None if this user does not own it, since code is read from there."""
    with suppress(OSError, RuntimeError):
        named = os.environ.get("XDG_CACHE_HOME", "")
        folder = Path(named) if os.path.isabs(named) else Path.home() / ".cache"  # noqa: PTH117 - it may be empty
        nearest = next(place for place in (folder / "hm_agent", folder, folder.parent) if place.exists())
        return folder if nearest.stat().st_uid == os.geteuid() else None
    return None
