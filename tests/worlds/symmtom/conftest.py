from __future__ import annotations

from tests.support.compiling import compiled, compiles_fast  # noqa: F401 - fixtures
