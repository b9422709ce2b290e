"""DeepMind's Melting Pot; nothing outside this package imports it."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import tempfile


def _import_quietly(name: str) -> None:
    """Imports a module with standard error held back; it is written only if the import fails.

    Native code bypasses `sys.stderr`, so the file descriptor itself is redirected for the time of the import.
    """
    with tempfile.TemporaryFile() as held_back:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(held_back.fileno(), 2)
        try:
            importlib.import_module(name)
        except BaseException:
            held_back.seek(0)
            os.write(kept, held_back.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)


# TensorFlow's native code greets every process with a page of remarks on the machine.
_import_quietly("tensorflow")

# JAX, which Melting Pot imports, cleans up after itself at each of Python's garbage collections: they are made rarer.
gc.set_threshold(20_000)
