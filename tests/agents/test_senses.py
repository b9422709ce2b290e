"""All agents have the same senses: what was seen of the others reaches each of them, in words and to the field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from hm_agent.agents.registry import AGENTS
from hm_agent.core import Clue
from hm_agent.models.prompts import render
from hm_agent.registry import find_scenarios
from hm_agent.testing.episodes import SeatStep, play_steps
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering, PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat, OtherPlayer

DYAD, ARENA = "rws_repeated_5", "rws_arena_3"


@cache
def steps_of(agent: str, scenario: str, clues: str = "on") -> list[SeatStep]:
    return play_steps(find_scenarios([scenario])[0], agent, 400, bots="scripted", clues=clues)


def told(steps: list[SeatStep]) -> Iterator[tuple[int, OtherPlayer, PickupRecord]]:
    """The step, a player, and what an agent's questions tell of its pickups in the present life."""
    for number, step in enumerate(steps):
        for exchange in step.decision.exchanges:
            match getattr(exchange.question, "situation", exchange.question):
                case MatrixSeat(others=others):
                    yield from ((number, each, each.present) for each in others if each.present)


def seen_until(steps: list[SeatStep], number: int, player: str) -> PickupRecord | None:
    """What was seen of a player's pickups up to a step, by the events of the episode."""
    clues = [event for step in steps[: number + 1] for event in step.decision.events if isinstance(event, Gathering)]
    latest = [clue for clue in clues if clue.partner == player][-1]
    return PickupRecord(latest.step, latest.taken, latest.pickups)


@pytest.mark.parametrize("scenario", [DYAD, ARENA])
@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_is_told_what_was_seen_taken_and_just_that(agent: str, scenario: str) -> None:
    steps = steps_of(agent, scenario)
    reports = list(told(steps))
    assert reports
    for number, player, present in reports:
        seen = seen_until(steps, number, player.player)
        assert seen is not None
        assert (present, present.pickups) == (seen, seen.pickups)


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_reads_of_pickups_and_may_collect_unseen(agent: str) -> None:
    prompts = [render(exchange.question) for step in steps_of(agent, DYAD) for exchange in step.decision.exchanges]
    assert any("has most likely taken (* before your eyes, else found gone then)" in prompt for prompt in prompts)
    assert any("collect_unseen()" in prompt for prompt in prompts)
    assert any("shadow(" in prompt for prompt in prompts)


@pytest.mark.parametrize("scenario", [DYAD, ARENA])
@pytest.mark.parametrize("agent", AGENTS)
def test_without_clues_no_agent_is_told_anything_of_pickups(agent: str, scenario: str) -> None:
    steps = steps_of(agent, scenario, clues="off")
    assert not [event for step in steps for event in step.decision.events if isinstance(event, Clue)]
    assert not list(told(steps))
    prompts = [render(exchange.question) for step in steps for exchange in step.decision.exchanges]
    assert len(prompts) > 5
    assert not [prompt for prompt in prompts if "likely taken" in prompt or "seen to take rock" in prompt]


@pytest.mark.parametrize("hints", ["none", "generic", "families"])
def test_every_agent_is_given_the_same_hint_at_rules(hints: str) -> None:
    said = {"none": None, "generic": "a rule of its own", "families": "for example always play the same"}[hints]
    for agent in AGENTS:
        steps = play_steps(find_scenarios([DYAD])[0], agent, 150, bots="scripted", hints=hints)
        prompts = [render(exchange.question) for step in steps for exchange in step.decision.exchanges]
        assert any(said in prompt for prompt in prompts) if said else True
        others = {"a rule of its own", "for example always play the same"} - {said}
        assert not [prompt for prompt in prompts if any(other in prompt for other in others)]
