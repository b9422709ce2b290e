"""Which tests are long by what they name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.quick import is_long, names_long


def in_a_process() -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)


def by_a_helper() -> None:
    in_a_process()


def by_an_import() -> None:
    import jax.numpy

    jax.numpy.zeros(1)


def quickly() -> None:
    print(sys.executable)


def test_a_function_is_long_if_it_or_one_that_it_calls_starts_processes_or_imports_jax() -> None:
    assert [names_long(each) for each in (in_a_process, by_a_helper, by_an_import, quickly)] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.slow
def test_a_test_is_long_by_its_mark(request: pytest.FixtureRequest) -> None:
    assert is_long(request.node)
