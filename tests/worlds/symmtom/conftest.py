from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest

OPTION = "jax_disable_most_optimizations"


@pytest.fixture(scope="module", autouse=True)
def compiles_fast() -> Iterator[None]:
    """Test functions run for seconds at most, and optimising what JAX compiles for them would take longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OPTION.upper(), "1")  # for the processes that tests begin
        before = jax.config.read(OPTION)
        jax.config.update(OPTION, True)
        yield
        jax.config.update(OPTION, before)
