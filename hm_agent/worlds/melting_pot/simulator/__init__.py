"""DeepMind's Melting Pot; nothing outside this package imports it."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


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


# TensorFlow's native code greets every process with a page of remarks on the machine.
with errors_held_back():
    importlib.import_module("tensorflow")

# JAX, which Melting Pot imports, cleans up after itself at each of Python's garbage collections: they are made rarer.
gc.set_threshold(20_000)
