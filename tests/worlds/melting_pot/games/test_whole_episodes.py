"""Whole episodes over HTTP, in which every question gets a random answer that fits its schema."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.melting_pot.whole_episodes import AGENTS, play_at_random, self_play

FEW = ("chicken_in_the_matrix__repeated", "coins", "collaborative_cooking__forced")
REFUSED = 0.05
"""The largest share of answers that may be refused: a schema can't say what a plan's first calls lead to."""


@pytest.mark.parametrize(
    ("substrates", "steps"), [pytest.param(FEW, 20, id="few"), pytest.param((), 50, id="all", marks=pytest.mark.heavy)]
)
@pytest.mark.timeout(3600)
def test_agents_play_any_substrate_by_answers_that_fit_their_schemas(substrates: tuple[str, ...], steps: int) -> None:
    named = {scenario.name.removesuffix("_selfplay"): scenario for scenario in self_play()}
    played = [asyncio.run(play_at_random(named[name], AGENTS, steps)) for name in substrates or named]
    assert all(answers.questions and answers.unanswered == 0 for answers in played)
    refused, calls = (sum(counts) for counts in zip(*((a.refusals.total(), a.calls) for a in played), strict=True))
    assert refused <= REFUSED * calls, [answers.refusals for answers in played]
