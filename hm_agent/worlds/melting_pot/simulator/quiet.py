"""Imports a library without the page of remarks on the machine that its native code greets everybody with."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile


def import_quietly(name: str) -> None:
    """Imports a module with standard error held back; it is passed on only if the import fails.

    Native code writes past `sys.stderr`, so the file descriptor itself is turned away for the time being.
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
