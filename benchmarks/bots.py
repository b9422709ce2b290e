"""How often scripted and learned bots interact with each other, and what they hold when they do."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import mean, quantiles
from typing import Any

import numpy as np
from meltingpot import substrate as mp_substrate

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.scenarios import Scenario, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, bots_of, build_bots, cast_of, choose_bots
from hm_agent.worlds.melting_pot.simulator.bots.intents import IntentLog
from hm_agent.worlds.melting_pot.simulator.determinism import drawing_from
from hm_agent.worlds.melting_pot.simulator.substrate import build_substrate, vision_of

REPEATED = ("rws_repeated_0", "rws_repeated_1", "rws_repeated_5", "pd_repeated_0", "pd_repeated_5", "rws_unseen_5")
SCENARIOS = (*REPEATED, "chicken_repeated_0", "rws_arena_0", "rws_arena_1")
SEEDS, STEPS = range(100, 110), 1000


@dataclass(frozen=True)
class Held:
    """What a player held in an interaction. main: how many of the kind it held most of.

    others: how many of all other kinds, beyond the first one of each. fired: True for the player whose beam it was.
    """

    main: int
    others: int
    fired: bool


def main() -> None:
    print(
        "| scenario | bots | interactions per 1,000 steps | of the main kind | 10% to 90% | of others | 10% to 90% "
        "| main of those who fire | of those who are hit |\n" + "| --- " * 9 + "|"
    )
    for scenario, bots in to_measure():
        inventories = [held for seed in SEEDS for held in play(scenario, bots, seed)]
        pace = 1000 * len(inventories) / 2 / (len(SEEDS) * STEPS)
        mains, others = [held.main for held in inventories], [held.others for held in inventories]
        fired, hit = ([held.main for held in inventories if held.fired == fires] for fires in (True, False))
        print(
            f"| {scenario.short_name} | {bots} | {pace:.1f} | {mean(mains):.1f} | {_span(mains)} "
            f"| {mean(others):.1f} | {_span(others)} | {mean(fired):.1f} | {mean(hit):.1f} |",
            flush=True,
        )


def to_measure() -> Iterator[tuple[Scenario, Bots]]:
    """Each scenario with scripted bots, and with learned ones where these ship for all of its bots."""
    for scenario in map(scenario_named, SCENARIOS):
        yield scenario, Bots.SCRIPTED
        with suppress(ConfigError):
            yield scenario, choose_bots(scenario, Bots.LEARNED, None)


def _span(values: Sequence[int]) -> str:
    tenths = quantiles(values, n=10)
    return f"{tenths[0]:.0f} to {tenths[-1]:.0f}"


def play(scenario: Scenario, kind: Bots, seed: int) -> Iterator[Held]:
    """Yields what both players held in each interaction of an episode in which the scenario's bots play all slots."""
    stream, game = random.Random(seed), scenario.game
    roles = mp_substrate.get_config(game.substrate).default_player_roles
    substrate = build_substrate(game.substrate, roles, stream)
    log, vision = IntentLog(bots_of(game), []), vision_of(game.short_name, 0)
    bots = build_bots(scenario, [vision], kind, None, stream, log)
    players = [bots[stream.choice(cast_of(scenario))] for _ in roles]
    with drawing_from(stream):
        timestep = substrate.reset()
    states = [player.initial_state() for player in players]
    for _ in range(STEPS):
        actions = []
        for slot, player in enumerate(players):
            own = timestep._replace(observation=timestep.observation[slot], reward=timestep.reward[slot])
            action, states[slot] = player.step(own, states[slot])
            actions.append(action)
        timestep = substrate.step(actions)
        for name, fields in substrate.events():
            if name == "interaction":
                yield from (_held(fields, place) for place in ("row", "col"))
        if timestep.last():
            break
    substrate.close()


def _held(fields: Sequence[Any], place: str) -> Held:
    """place: `row` for the player who fired, `col` for the one who was hit."""
    by_name = dict(zip(fields[1::2], fields[2::2], strict=True))
    counts: Counts = tuple(map(int, np.ravel(by_name[f"{place}_inventory".encode()])))
    return Held(max(counts), sum(counts) - max(counts) - (len(counts) - 1), place == "row")
