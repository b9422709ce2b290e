"""The short form of `make attack`: each attack once."""

from __future__ import annotations

import pytest

from tests.support.attack import ATTACKS, run_attack
from tests.support.faults import KINDS


@pytest.mark.heavy
@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "random answers"])
def test_an_attack_breaks_nothing(name: str) -> None:
    findings = run_attack(name, 0, seed=7)
    assert findings.broken == []
    assert findings.attempts == 1


def test_random_answers_are_valid_or_refused() -> None:
    findings = run_attack("random answers", 2, seed=7)
    assert findings.broken == []
    assert findings.attempts > 100


def test_the_endpoint_fails_in_more_than_forty_ways() -> None:
    assert len(KINDS) > 40
