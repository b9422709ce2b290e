"""Batteries of few pairs of stories, since the twenty of a full one take minutes to draw, and of few shortcuts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.suite import FULL, SMALL

SEED = 8271644242
"""The seed of a private draw whose pairs of stories are drawn in a tenth of a second; those of most take several."""
SOON_FOUND = f"--split_seed={SEED}"


@contextmanager
def few_pairs() -> Iterator[None]:
    """Within it the battery plays one pair of stories an order, from order 0 in full, and scores by four shortcuts."""
    suite = suites()["exploretom"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(suite), "per_order", {SMALL: 1, FULL: 1})
        patch.setattr(type(suite), "shortcuts", suite.shortcuts[:4])
        yield
