"""Checks the files of games against their substrate's configuration."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate

from hm_agent.config import ConfigError
from hm_agent.extensions import nearest
from hm_agent.grouping import grouped
from hm_agent.worlds.melting_pot.facts import GameFacts, Length, ScenarioFacts
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.perception.sprites import components
from hm_agent.worlds.melting_pot.scenarios import load_game
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of, default_settings, usual_roles

STANDING = "noop_bot"
"""The bot of Melting Pot that always stands still; it has no model."""


def settings_named(substrate: str, known: Collection[str] = mp_substrate.SUBSTRATES) -> dict[str, Any]:
    """The lab2d settings of a substrate with its default players; ConfigError, with the known ones, if unknown."""
    if substrate not in mp_substrate.SUBSTRATES:
        names = ", ".join(sorted(known))
        raise ConfigError(f"Melting Pot has no substrate {substrate!r}: {nearest(substrate, known)}there are {names}")
    return default_settings(substrate)


def problems(game: GameFacts) -> list[str]:
    """Every contradiction between a game's facts and its substrate, each in one line."""
    try:
        settings = settings_named(game.substrate)
    except ConfigError as error:
        return [f"substrate: {error}"]
    kind = kind_of(game)
    own = kind.problems(game, settings)
    return [*_action_problems(game, kind.actions), *_sprite_problems(game, settings), *_player_problems(game), *own]


def _action_problems(game: GameFacts, expected: tuple[str, ...]) -> Iterator[str]:
    """The contradiction between the actions that a kind of games counts on and those of the substrate, if any."""
    actual = tuple(action.name.lower() for action in actions_of(game.substrate))
    if expected:
        yield from contradiction("game: actions", expected, game.substrate, actual)


def _player_problems(game: GameFacts) -> Iterator[str]:
    """Contradictions in the number of players and in the numbered scenarios."""
    players = default_players(game.substrate)
    if game.slots != players:
        yield f"sprites.players: {game.slots - 1} are named, but {players - 1} play besides the focal player"
    names = numbered_scenarios(game.substrate)
    if len(game.scenarios) > len(names):
        yield f"scenarios: {len(game.scenarios)} are listed, but Melting Pot has only {len(names)}"
    for place, (name, told) in enumerate(zip(names, game.scenarios, strict=False)):
        yield from _cast_problems(game, name, place, told)


def _cast_problems(game: GameFacts, name: str, place: int, told: ScenarioFacts) -> Iterator[str]:
    """Contradictions in who plays a numbered scenario. place: the one among the scenarios of the game's file."""
    players = players_of(name)
    number = place if told.number is None else told.number
    yield from contradiction("scenarios: number", number, name, number_of(name))
    count = told.players or len(told.roles) or game.slots
    yield from contradiction("scenarios: players", count, name, len(players.roles))
    if kind_of(game).knows_bots:  # then slots of one role differ in the avatar's colour alone, and agents come first
        yield from contradiction("scenarios: focal", len(told.focal_slots), name, len(players.focal))
        return
    yield from contradiction("scenarios: focal", told.focal_slots, name, players.focal)
    yield from contradiction("scenarios: roles", told.roles or usual_roles(game.substrate), name, players.roles)
    yield from contradiction("scenarios: bots_stand_still", told.bots_stand_still, name, bots_stand_still(name))


def contradiction(key: str, stated: object, of: str, actual: object) -> Iterator[str]:
    """What a file states for a key, against what a substrate or a scenario has; nothing if both are the same."""
    if stated != actual:
        yield f"{key} {stated} contradicts {of}, which has {actual}"


def default_players(substrate: str) -> int:
    return len(usual_roles(substrate))


@dataclass(frozen=True)
class PlayersBySlot:
    """The roles of all players by slot, and the slots of the focal ones."""

    roles: tuple[str, ...]
    focal: tuple[int, ...]


def players_of(scenario: str) -> PlayersBySlot:
    """Who plays one of Melting Pot's scenarios.

    If roles are the substrate's usual ones in another order, the players are put in the usual one, since how players
    look goes by role and slot.
    """
    config = mp_scenario.get_config(scenario)
    roles, usual = tuple(config.roles), usual_roles(config.substrate)
    slots = list(range(len(roles)))
    if sorted(roles) == sorted(usual):
        free = grouped((role, slot) for slot, role in enumerate(usual))
        slots, roles = [free[role].pop(0) for role in roles], usual
    return PlayersBySlot(
        roles, tuple(sorted(slot for slot, focal in zip(slots, config.is_focal, strict=True) if focal))
    )


def number_of(scenario: str) -> int:
    """The number at the end of a scenario's name."""
    return int(scenario.rpartition("_")[2])


def bots_in(scenario: str) -> frozenset[str]:
    """The names of the bots that one of Melting Pot's scenarios draws from."""
    return frozenset().union(*mp_scenario.get_config(scenario).bots_by_role.values())


def bots_stand_still(scenario: str) -> bool:
    """True if one of Melting Pot's scenarios draws all bots from the one that always stands still."""
    return bots_in(scenario) == {STANDING}


def _sprite_problems(game: GameFacts, settings: Mapping[str, Any]) -> Iterator[str]:
    """Names the sprites of a game's file, of both sides if it is asymmetric, that its substrate doesn't have."""
    known = {"BeamInteraction", *sprites_of(settings)}
    named = [name for side in (game, game.as_column) for name in _sprites_named(side)]
    for name in dict.fromkeys(filter(None, named)):
        if name not in known:
            yield f"sprites: {name!r} stands for nothing in {game.substrate}: {nearest(name, known)}"


def _sprites_named(game: GameFacts) -> Iterator[str | None]:
    sprites = game.sprites
    yield from (sprites.wall, sprites.own, *sprites.players, *game.kinds, *game.marks, *sprites.beams, sprites.focal)


def check_game(path: Path) -> GameFacts:
    """Reads a game's file; raises ConfigError with all its contradictions to its substrate, in one line."""
    changed = path.stat().st_mtime_ns if path.exists() else None
    return _checked(path.resolve(), changed)


@cache
def _checked(path: Path, changed: int | None) -> GameFacts:
    """The work of `check_game`. changed: the file's modification time, so that a changed file is read again."""
    game = load_game(path)
    if contradictions := problems(game):
        raise ConfigError(f"{path}: {'; '.join(contradictions)}")
    return game


def numbered_scenarios(substrate: str) -> list[str]:
    """Melting Pot's scenarios of a substrate, in order."""
    prefix = f"{substrate}_"
    numbers = [name.removeprefix(prefix) for name in mp_scenario.SCENARIOS if name.startswith(prefix)]
    return [f"{prefix}{number}" for number in sorted(map(int, filter(str.isdecimal, numbers)))]


def _objects(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The scene, the game objects and the prefabs of a substrate."""
    simulation = settings["simulation"]
    yield from (simulation["scene"], *simulation["gameObjects"], *simulation.get("prefabs", {}).values())


def all_components(settings: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """The arguments of every component of a name."""
    for game_object in _objects(settings):
        yield from components(game_object, name)


def length_by_chance(ending: Mapping[str, Any]) -> Length:
    """An episode's length by the arguments of a `StochasticIntervalEpisodeEnding`."""
    least, chance = ending["minimumFramesPerEpisode"], ending["probabilityTerminationPerInterval"]
    return Length(least, ending["intervalLength"], chance)


def sprites_of(settings: Mapping[str, Any]) -> Iterator[str]:
    for kwargs in all_components(settings, "Appearance"):
        yield from kwargs.get("spriteNames", ())
    for kwargs in all_components(settings, "AdditionalSprites"):
        yield from kwargs.get("customSpriteNames", ())
