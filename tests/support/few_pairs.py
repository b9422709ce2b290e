"""Batteries of few pairs of stories, since the twenty of a full one take minutes to draw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hm_agent.registry import suites
from hm_agent.suite import FULL, SMALL


@contextmanager
def few_pairs() -> Iterator[None]:
    """Within it the battery plays two pairs of stories an order in full, and one in small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(suites()["exploretom"]), "per_order", {SMALL: 1, FULL: 2})
        yield
