"""Fixtures of tests that have JAX compile: less is optimised, and what was compiled is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import jax
import pytest
from jax.experimental.compilation_cache.compilation_cache import reset_cache

# XLA's emitters of fused loops take most of the time of compiling for a processor; what is computed stays the same. JAX
# reads this once, when it first compiles.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_use_fusion_emitters=false".strip()


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where JAX keeps what it compiled, so that the same training is compiled once a session."""
    return tmp_path_factory.mktemp("compiled")


def configure(options: Mapping[str, object]) -> None:
    for name, value in options.items():
        jax.config.update(name, value)
    reset_cache()  # or it would go on with the folder, or the lack of one, that it began with


@pytest.fixture(scope="module", autouse=True)
def compiles_fast(compiled: Path) -> Iterator[None]:
    """Test functions run for seconds at most, and optimising what JAX compiles for them would take longer."""
    options = {
        "jax_disable_most_optimizations": True,
        "jax_compilation_cache_dir": str(compiled),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
    }
    before = {name: jax.config.values[name] for name in options}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in options.items():
            patch.setenv(name.upper(), str(value))  # for the processes that tests begin
        configure(options)
        yield
        configure(before)
