"""Runs DeepMind's Melting Pot; only this package and those of its name in games/ import `meltingpot` and `dmlab2d`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any


@contextmanager
def errors_held_back() -> Iterator[None]:
    """Holds standard error back; what was written to it is shown only if an exception leaves the context.

    Native code bypasses `sys.stderr`, so the file descriptor itself is redirected.
    """
    with tempfile.TemporaryFile() as held_back:
        sys.stderr.flush()
        original = os.dup(2)
        os.dup2(held_back.fileno(), 2)
        try:
            yield
        except BaseException:
            held_back.seek(0)
            os.write(original, held_back.read())
            raise
        finally:
            os.dup2(original, 2)
            os.close(original)


class _LoadedOnUse(ModuleType):
    """Stands for a module in `sys.modules` and runs its code when one of its names is first read.

    Names that were set on it before keep the values they were set to.
    """

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        vars(self).update(vars(module_from_spec(spec)), _not_run=spec.loader)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_not_run" not in vars(self):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        loader = vars(self).pop("_not_run")
        set_before = dict(vars(self))
        with errors_held_back():  # TensorFlow's native code prints a page about the machine in every process
            loader.exec_module(self)
        vars(self).update(set_before)
        return getattr(self, name)


def _load_on_use(package: str, path: str) -> None:
    """Puts a stand-in for one module of a package into `sys.modules`. path: its file, below the package's folder."""
    package_spec = find_spec(package)
    folders = package_spec.submodule_search_locations if package_spec else None
    assert folders, f"{package} is not installed"
    name = ".".join((package, *Path(path).with_suffix("").parts))
    spec = spec_from_file_location(name, Path(folders[0]) / path)
    assert spec is not None
    sys.modules.setdefault(name, _LoadedOnUse(spec))


# Melting Pot imports TensorFlow for its trained bots, which takes longer than a short episode of scripted ones.
_load_on_use("meltingpot", "utils/policies/saved_model_policy.py")


def _import_without_jax() -> None:
    """Imports Melting Pot's modules that make dataclasses by chex, which takes JAX along, with plain ones instead.

    A dataclass of chex is one that JAX's trees know, which nothing here needs; JAX takes longer to import than all
    else together. Where chex is there already it is used.
    """
    if "chex" in sys.modules:
        return
    stand_in: Any = ModuleType("chex")
    stand_in.dataclass = dataclass
    sys.modules["chex"] = stand_in
    try:
        import_module("meltingpot.scenario")
    finally:
        del sys.modules["chex"]


_import_without_jax()
