"""DeepMind's Melting Pot; nothing outside this package imports it."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any


@contextmanager
def errors_held_back() -> Iterator[None]:
    """Holds standard error back; what was written to it shows only if the context is left by an exception.

    Native code bypasses `sys.stderr`, so the file descriptor itself is redirected.
    """
    with tempfile.TemporaryFile() as held_back:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(held_back.fileno(), 2)
        try:
            yield
        except BaseException:
            held_back.seek(0)
            os.write(kept, held_back.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)


class _TrainedPolicies(ModuleType):
    """Melting Pot's module of trained policies, which runs once something of it is asked for.

    It is the only one that needs TensorFlow, whose import takes four seconds and 400 MB; scripted bots never ask.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or self.__class__ is ModuleType:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__class__ = ModuleType  # type: ignore[assignment] # from now on it is an ordinary module
        assert self.__spec__ is not None
        assert self.__spec__.loader is not None
        replaced = {name: value for name, value in vars(self).items() if not name.startswith("__")}
        with errors_held_back():  # TensorFlow's native code greets every process with a page of remarks on the machine
            importlib.import_module("tensorflow")
            self.__spec__.loader.exec_module(self)
        vars(self).update(replaced)
        return getattr(self, name)


def _put_off_trained_policies() -> None:
    """Lets the module run when it is used. It is found by its path, since importing its package would run it."""
    package = find_spec("meltingpot")
    assert package is not None
    folders = [str(Path(place, "utils", "policies")) for place in package.submodule_search_locations or ()]
    spec = PathFinder.find_spec("meltingpot.utils.policies.saved_model_policy", folders)
    assert spec is not None
    if spec.name not in sys.modules:  # whoever imported Melting Pot before has it
        put_off = sys.modules[spec.name] = module_from_spec(spec)
        put_off.__class__ = _TrainedPolicies


_put_off_trained_policies()

# JAX, which Melting Pot imports, cleans up after itself at each of Python's garbage collections: they are made rarer.
gc.set_threshold(20_000)
