"""Checks the files of matrix games against their substrate's configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate
from meltingpot.configs import bots as bot_configs

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.facts import Length
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.unseen import WATCHERS, build_puppeteer
from hm_agent.worlds.melting_pot.simulator.game_files import (
    all_components,
    contradiction,
    length_by_chance,
    numbered_scenarios,
)
from hm_agent.worlds.melting_pot.simulator.substrate import settings_of

STILL = 1
"""How many steps the engine adds to `freezeOnInteraction` and to `framesTillRespawn`."""


def matrix_problems(game: MatrixFacts, settings: Mapping[str, Any]) -> Iterator[str]:
    """Contradictions in what only the files of matrix games state."""
    zapper, resource = first_component(settings, "GameInteractionZapper"), first_component(settings, "Resource")
    for key, stated, actual in (
        ("payoff", _plain(game.payoff), payoff_of(settings)),
        ("column.payoff", _plain(game.column.payoff) if game.column else None, columns_payoff_of(settings)),
        ("column.slots", game.column.slots if game.column else (), default_columns_of(game.substrate, settings)),
        ("beam.length", game.beam.length, zapper["beamLength"]),
        ("beam.radius", game.beam.radius, zapper["beamRadius"]),
        ("length", game.length, length_of(settings)),
        ("resources", len(game.resources), zapper["numResources"]),
        ("regrowth.delay", game.regrowth.delay, resource["regenerationDelay"]),
        ("regrowth.chance", game.regrowth.chance, resource["regenerationRate"]),
        ("regrowth.all_at_once", game.regrowth.all_at_once, regrows_at_once(settings)),
        ("timing.frozen", game.timing.frozen, zapper["freezeOnInteraction"] + STILL),
        ("timing.away", game.timing.away, zapper["framesTillRespawn"] + STILL),
    ):
        yield from contradiction(f"{key}:", stated, game.substrate, actual)
    if _plain(game.payoff) != payoff_of(settings):
        yield "payoffs of your own are for a file in matrix_games/ (docs/matrix_games.md)"
    yield from (*_side_problems(game), *_goal_problems(game))
    for unseen in game.unseen:
        if unseen.puppeteer in WATCHERS:
            if unseen.parameters:
                yield f"unseen: {unseen.short_name}: {unseen.puppeteer} takes no parameters"
            continue
        try:
            build_puppeteer(game, unseen)
        except ConfigError as error:
            yield f"unseen: {error}"


def _side_problems(game: MatrixFacts) -> Iterator[str]:
    """Numbered scenarios of an asymmetric game whose column players are others than in Melting Pot."""
    names = numbered_scenarios(game.substrate) if game.is_asymmetric else []
    for name, told in zip(names, game.scenarios, strict=False):
        config = mp_scenario.get_config(name)
        stated = game.columns if told.columns is None else told.columns
        yield from contradiction("scenarios: columns", stated, name, columns_of(config.substrate, config.roles))


def _goal_problems(game: MatrixFacts) -> Iterator[str]:
    """Resources whose goals differ from those of Melting Pot's puppets; none if it has no puppets for the game."""
    puppets = bot_configs._RESOURCES.get(game.substrate, {})
    for facts, name in zip(game.resources, sorted(puppets, key=lambda name: puppets[name].index), strict=False):
        known = zip(("collect_goals", "interact_goals"), goals_of(game.substrate, name, puppets[name]), strict=True)
        for key, actual in known:
            if (stated := list(getattr(facts, key))) != actual:
                of = f"{stated} of {facts.behaviour!r}"
                yield f"resources.{key}: {of} contradicts {game.substrate}, which has {actual}"


def regrows_at_once(settings: Mapping[str, Any]) -> bool:
    return next(all_components(settings, "SpawnResourcesWhenAllPlayersZapped"), None) is not None


def _plain(payoff: Sequence[Sequence[float]]) -> list[list[float]]:
    return [list(map(float, row)) for row in payoff]


def payoff_of(settings: Mapping[str, Any]) -> list[list[float]]:
    return _plain(first_component(settings, "TheMatrix")["matrix"])


def columns_payoff_of(settings: Mapping[str, Any]) -> list[list[float]] | None:
    """The column player's payoff from its side, its own behaviours in rows; None if it is the row player's, too."""
    matrix = first_component(settings, "TheMatrix").get("columnPlayerMatrix")
    own = None if matrix is None else _plain(list(zip(*matrix, strict=True)))
    return None if own == payoff_of(settings) else own


def default_columns_of(substrate: str, settings: Mapping[str, Any]) -> tuple[int, ...]:
    """The slots of the column players among the default players; empty for a symmetric game."""
    if columns_payoff_of(settings) is None:
        return ()
    return columns_of(substrate, mp_substrate.get_config(substrate).default_player_roles)


def columns_of(substrate: str, roles: Sequence[str]) -> tuple[int, ...]:
    """The slots of the column players of an asymmetric game."""
    sides = list(all_components(settings_of(substrate, roles), "DyadicRole"))
    return tuple(slot for slot, side in enumerate(sides) if not side["rowPlayer"])


def length_of(settings: Mapping[str, Any]) -> Length:
    if first_component(settings, "GameInteractionZapper")["endEpisodeOnFirstInteraction"]:
        return Length(settings["maxEpisodeLengthFrames"], 1, 1.0, one_interaction=True)
    return length_by_chance(first_component(settings, "StochasticIntervalEpisodeEnding"))


def goals_of(substrate: str, name: str, resource: Any) -> tuple[list[int], list[int]]:
    """The positions in a puppet's one-hot GOAL of all goals to collect a resource, and of the one to play it."""
    collect = [goal for key, goal in bot_configs._PUPPET_GOALS[substrate].items() if key.startswith(f"COLLECT_{name}")]
    return [int(goal.argmax()) for goal in collect], [int(resource.interact_goal.argmax())]


def first_component(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The arguments of the first component of a name, which every matrix game has; ConfigError if there is none."""
    kwargs = next(all_components(settings, name), None)
    if kwargs is None:
        raise ConfigError(f"its substrate has no {name}: it is no game in the matrix")
    return kwargs
