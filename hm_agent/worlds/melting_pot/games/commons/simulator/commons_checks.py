"""Whether the facts of a common good are those of its substrate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts, GrowingBack, River
from hm_agent.worlds.melting_pot.simulator.game_files import all_components


def common_problems(facts: CommonsFacts, settings: Mapping[str, Any]) -> Iterator[str]:
    """The facts that a substrate's settings contradict, each in one line."""
    stated = dict(_of_river(facts.river) if facts.river else ())
    stated |= dict(_of_growing_back(facts.regrowth) if facts.regrowth else ())
    for (component, argument), value in stated.items():
        given = next(all_components(settings, component), {}).get(argument)
        if given != value:
            yield f"{component}.{argument}: the file says {value}, the substrate {given}"


def _of_river(river: River) -> Iterator[tuple[tuple[str, str], Any]]:
    yield ("AppleGrow", "maxAppleGrowthRate"), river.growth
    yield ("AppleGrow", "thresholdDepletion"), river.depletion
    yield ("DirtSpawner", "dirtSpawnProbability"), river.dirties
    yield ("DirtSpawner", "delayStartOfDirtSpawning"), river.spared


def _of_growing_back(apples: GrowingBack) -> Iterator[tuple[tuple[str, str], Any]]:
    yield ("DensityRegrow", "radius"), apples.radius
    yield ("DensityRegrow", "regrowthProbabilities"), list(apples.chances)
    yield ("Zapper", "framesTillRespawn"), apples.removed
