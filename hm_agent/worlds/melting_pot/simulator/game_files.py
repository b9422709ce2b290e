"""Checks the files of games against their substrate's configuration, and writes those of matrix games (`new-game`)."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate
from meltingpot.configs import bots as bot_configs

from hm_agent.config import ConfigError
from hm_agent.extensions import nearest
from hm_agent.worlds.melting_pot.facts import GameFacts, Length, MatrixFacts, ScenarioFacts
from hm_agent.worlds.melting_pot.perception.atlas import components
from hm_agent.worlds.melting_pot.scenarios import load_game
from hm_agent.worlds.melting_pot.simulator.bots.unseen import build_puppeteer
from hm_agent.worlds.melting_pot.simulator.substrate import settings_of

MATRIX = "_in_the_matrix__"
"""Part of the names of all matrix games."""
STILL = 1
"""How many steps the engine adds to `freezeOnInteraction` and to `framesTillRespawn`."""


def settings_named(substrate: str) -> dict[str, Any]:
    """The lab2d settings of a substrate with its default players; ConfigError, with the nearest name, if unknown."""
    if substrate not in mp_substrate.SUBSTRATES:
        games = sorted(name for name in mp_substrate.SUBSTRATES if MATRIX in name)
        nearest_name = nearest(substrate, mp_substrate.SUBSTRATES)
        raise ConfigError(
            f"Melting Pot has no substrate {substrate!r}: {nearest_name}matrix games are {', '.join(games)}"
        )
    return settings_of(substrate, mp_substrate.get_config(substrate).default_player_roles)


def problems(game: GameFacts) -> list[str]:
    """Every contradiction between a game's facts and its substrate, each in one line."""
    try:
        settings = settings_named(game.substrate)
    except ConfigError as error:
        return [f"substrate: {error}"]
    lines = [*_sprite_problems(game, settings), *_player_problems(game)]
    return [*lines, *_matrix_problems(game, settings)] if isinstance(game, MatrixFacts) else lines


def _player_problems(game: GameFacts) -> Iterator[str]:
    """Contradictions in the number of players and in the numbered scenarios."""
    players = _players(game.substrate)
    if game.slots != players:
        yield f"sprites.players: {game.slots - 1} are named, but {players - 1} play besides the focal player"
    names = numbered_scenarios(game.substrate)
    if len(game.scenarios) > len(names):
        yield f"scenarios: {len(game.scenarios)} are listed, but Melting Pot has only {len(names)}"
    for name, facts in zip(names, game.scenarios, strict=False):
        for key, stated, actual in zip(
            ("focal", "players", "columns"), _stated_sides(game, facts), _actual_sides(game, name), strict=True
        ):
            if stated != actual:
                yield f"scenarios: {key} {stated} contradicts {name}, which has {actual}"


def _stated_sides(game: GameFacts, told: ScenarioFacts) -> tuple[int, int, tuple[int, ...]]:
    """A scenario by its file: the number of focal players, the number of players, and the column players' slots."""
    side = game.column if isinstance(game, MatrixFacts) else None
    columns = () if side is None else side.slots if told.columns is None else told.columns
    return told.focal, told.players or game.slots, columns


def _actual_sides(game: GameFacts, name: str) -> tuple[int, int, tuple[int, ...]]:
    """A scenario by Melting Pot: what `_stated_sides` returns for its file."""
    config = mp_scenario.get_config(name)
    columns = _columns(config.substrate, config.roles) if game.is_asymmetric else ()
    return sum(config.is_focal), len(config.roles), columns


def _columns(substrate: str, roles: Sequence[str]) -> tuple[int, ...]:
    """The slots of the column players of an asymmetric game."""
    sides = list(_all_components(settings_of(substrate, roles), "DyadicRole"))
    return tuple(slot for slot, side in enumerate(sides) if not side["rowPlayer"])


def _sprite_problems(game: GameFacts, settings: Mapping[str, Any]) -> Iterator[str]:
    """Names the sprites of a game's file that its substrate doesn't have."""
    known = {"BeamInteraction", *_sprites(settings)}
    sprites = [
        game.sprites.wall,
        game.sprites.own,
        *game.sprites.players,
        *game.kinds,
        *game.marks,
        *game.sprites.beams,
    ]
    if isinstance(game, MatrixFacts) and game.column:
        sprites += [game.column.own, *game.column.players]
    for name in dict.fromkeys(filter(None, [*sprites, game.sprites.focal])):
        if name not in known:
            yield f"sprites: {name!r} stands for nothing in {game.substrate}: {nearest(name, known)}"


def _matrix_problems(game: MatrixFacts, settings: Mapping[str, Any]) -> Iterator[str]:
    """Contradictions in what only the files of matrix games state."""
    zapper, resource = _first_component(settings, "GameInteractionZapper"), _first_component(settings, "Resource")
    for key, stated, actual in (
        ("payoff", _plain(game.payoff), _payoff(settings)),
        ("column.payoff", _plain(game.column.payoff) if game.column else None, _columns_payoff(settings)),
        ("column.slots", game.column.slots if game.column else (), _default_columns(game.substrate, settings)),
        ("beam.length", game.beam.length, zapper["beamLength"]),
        ("beam.radius", game.beam.radius, zapper["beamRadius"]),
        ("length", game.length, _length(settings)),
        ("resources", len(game.resources), zapper["numResources"]),
        ("regrowth.delay", game.regrowth.delay, resource["regenerationDelay"]),
        ("regrowth.chance", game.regrowth.chance, resource["regenerationRate"]),
        ("regrowth.all_at_once", game.regrowth.all_at_once, _regrows_at_once(settings)),
        ("timing.frozen", game.timing.frozen, zapper["freezeOnInteraction"] + STILL),
        ("timing.away", game.timing.away, zapper["framesTillRespawn"] + STILL),
    ):
        if stated != actual:
            yield f"{key}: {stated} contradicts {game.substrate}, which has {actual}"
    yield from _goal_problems(game)
    for unseen in game.unseen:
        try:
            build_puppeteer(game, unseen)
        except ConfigError as error:
            yield f"unseen: {error}"


def _goal_problems(game: MatrixFacts) -> Iterator[str]:
    """Resources whose goals differ from those of Melting Pot's puppets; none if it has no puppets for the game."""
    puppets = bot_configs._RESOURCES.get(game.substrate, {})
    for facts, name in zip(game.resources, sorted(puppets, key=lambda name: puppets[name].index), strict=False):
        stated, actual = (
            (list(facts.collect_goals), list(facts.interact_goals)),
            _goals(game.substrate, name, puppets[name]),
        )
        for key, goals, known in zip(("collect_goals", "interact_goals"), stated, actual, strict=True):
            if goals != known:
                yield f"resources.{key}: {goals} of {facts.behaviour!r} contradicts {game.substrate}, which has {known}"


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


def _all_components(settings: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """The arguments of every component of a name."""
    for game_object in _objects(settings):
        yield from components(game_object, name)


def _first_component(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The arguments of the first component of a name, which every matrix game has; ConfigError if there is none."""
    kwargs = next(_all_components(settings, name), None)
    if kwargs is None:
        raise ConfigError(f"its substrate has no {name}: it is no game in the matrix")
    return kwargs


def _regrows_at_once(settings: Mapping[str, Any]) -> bool:
    return next(_all_components(settings, "SpawnResourcesWhenAllPlayersZapped"), None) is not None


def _sprites(settings: Mapping[str, Any]) -> Iterator[str]:
    for kwargs in _all_components(settings, "Appearance"):
        yield from kwargs.get("spriteNames", ())
    for kwargs in _all_components(settings, "AdditionalSprites"):
        yield from kwargs.get("customSpriteNames", ())


def _plain(payoff: Sequence[Sequence[float]]) -> list[list[float]]:
    return [list(map(float, row)) for row in payoff]


def _payoff(settings: Mapping[str, Any]) -> list[list[float]]:
    return _plain(_first_component(settings, "TheMatrix")["matrix"])


def _columns_payoff(settings: Mapping[str, Any]) -> list[list[float]] | None:
    """The column player's payoff from its side, its own behaviours in rows; None if it is the row player's, too."""
    matrix = _first_component(settings, "TheMatrix").get("columnPlayerMatrix")
    own = None if matrix is None else _plain(list(zip(*matrix, strict=True)))
    return None if own == _payoff(settings) else own


def _default_columns(substrate: str, settings: Mapping[str, Any]) -> tuple[int, ...]:
    """The slots of the column players among the default players; empty for a symmetric game."""
    if _columns_payoff(settings) is None:
        return ()
    return _columns(substrate, mp_substrate.get_config(substrate).default_player_roles)


def _length(settings: Mapping[str, Any]) -> Length:
    if _first_component(settings, "GameInteractionZapper")["endEpisodeOnFirstInteraction"]:
        return Length(settings["maxEpisodeLengthFrames"], 1, 1.0, one_interaction=True)
    ending = _first_component(settings, "StochasticIntervalEpisodeEnding")
    return Length(
        least=ending["minimumFramesPerEpisode"],
        every=ending["intervalLength"],
        chance=ending["probabilityTerminationPerInterval"],
    )


# Writing


def new_game(substrate: str) -> str:
    """The TOML of a matrix game, filled in from its substrate and Melting Pot's bots.

    Raises ConfigError for a substrate that doesn't exist or is no game in the matrix. The `per_...` of timing, which
    have to be measured, are those of the shipped games.
    """
    settings = settings_named(substrate)
    sections = (
        _head(substrate, settings),
        f"payoff = {_short(_payoff(settings))}\ninitial_inventory = 1",
        *_resource_tables(substrate, settings),
        _length_and_regrowth(settings),
        _timing(substrate, settings),
        _sprites_and_beam(substrate, settings),
        _other_side(substrate, settings),
        *_scenario_tables(substrate, settings),
    )
    return "\n\n".join(filter(None, sections)) + "\n"


def _players(substrate: str) -> int:
    return len(mp_substrate.get_config(substrate).default_player_roles)


def _are_alike(settings: Mapping[str, Any]) -> bool:
    """True if players can't be told apart: all are seen as `Other`, or in the colour of their side."""
    return _columns_payoff(settings) is not None or "Other" in _sprites(settings)


def _head(substrate: str, settings: Mapping[str, Any]) -> str:
    stem, _, kind = substrate.partition(MATRIX)
    players = _players(substrate)
    alike = f"\nalike = {players - 1}" if players > 2 and _are_alike(settings) else ""
    return f"""# Written from the configuration of Melting Pot's {substrate}: see docs/adding_a_game.md.

title = "{stem.replace("_", " ").title()}, {kind.replace("_", " ")}"
game = "matrix"
substrate = "{substrate}"
short_name = "{stem}_{kind}"
reward_per_steps = {0 if _length(settings).one_interaction else 1200}{alike}"""


def _resource_tables(substrate: str, settings: Mapping[str, Any]) -> list[str]:
    colours = _colours(settings)
    return [
        _resource(place, name, _goals(substrate, name, resource), colours)
        for place, (name, resource) in enumerate(_resources(substrate).items())
    ]


def _length_and_regrowth(settings: Mapping[str, Any]) -> str:
    thing, length = _first_component(settings, "Resource"), _length(settings)
    one_interaction = "\none_interaction = true" if length.one_interaction else ""
    all_at_once = "\nall_at_once = true" if _regrows_at_once(settings) else ""
    return f"""[length]
least = {length.least}
every = {length.every}
chance = {length.chance}{one_interaction}

[regrowth]
delay = {thing["regenerationDelay"]}
chance = {thing["regenerationRate"]}{all_at_once}"""


def _timing(substrate: str, settings: Mapping[str, Any]) -> str:
    zapper = _first_component(settings, "GameInteractionZapper")
    return f"""[timing]
frozen = {zapper["freezeOnInteraction"] + STILL}
away = {zapper["framesTillRespawn"] + STILL}
per_round = {50 if _players(substrate) == 2 else 90}                  # measured in the games that ship, not here
per_thing = 3"""


def _sprites_and_beam(substrate: str, settings: Mapping[str, Any]) -> str:
    zapper = _first_component(settings, "GameInteractionZapper")
    marks = [name for name in dict.fromkeys(_sprites(settings)) if name.startswith("ResultIndicatorColor")]
    return f"""[sprites]
wall = "Wall"
own = "{"Self" if _columns_payoff(settings) is None else "Avatar1"}"
{_others(substrate, settings)}
ready = "Ready"
interacting = {str(marks).replace("'", '"')}
beams = ["BeamInteraction"]

[beam]
length = {zapper["beamLength"]}
radius = {zapper["beamRadius"]}"""


def _others(substrate: str, settings: Mapping[str, Any]) -> str:
    """The lines that name the other players by their sprites."""
    if _are_alike(settings):
        return f'players = {{ {_partner(substrate, settings)} = "opponent" }}'
    named = (f'Avatar{slot + 1} = "player_{slot}"' for slot in range(1, _players(substrate)))
    return f'focal = "Avatar1"\nplayers = {{ {", ".join(named)} }}'


def _partner(substrate: str, settings: Mapping[str, Any]) -> str:
    """The sprite of the other players where they look alike; in an asymmetric game, that of the first column player."""
    columns = _default_columns(substrate, settings)
    return f"Avatar{1 + columns[0]}" if columns else "Other"


def _short(payoff: Sequence[Sequence[float]]) -> str:
    return str([[int(value) if value == int(value) else value for value in row] for row in payoff])


def _other_side(substrate: str, settings: Mapping[str, Any]) -> str:
    """The column players' table of an asymmetric game; empty for others."""
    payoff = _columns_payoff(settings)
    if payoff is None:
        return ""
    return f"""[column]
payoff = {_short(payoff)}
own = "{_partner(substrate, settings)}"
players = {{ Avatar1 = "opponent" }}
slots = {list(_default_columns(substrate, settings))}"""


def _resources(substrate: str) -> Mapping[str, Any]:
    """Melting Pot's resources by the name of the strategy they stand for, in the order of INVENTORY."""
    resources: Mapping[str, Any] = bot_configs._RESOURCES.get(substrate, {})
    if not resources:
        raise ConfigError(f"Melting Pot has no bots for {substrate}, so the names of its strategies are yours to give")
    return dict(sorted(resources.items(), key=lambda entry: entry[1].index))


def _colours(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """The first colour of each sprite's palette, as `#rrggbb`."""
    drawn = (kwargs for kwargs in _all_components(settings, "Appearance") if kwargs.get("palettes"))
    painted = (pair for kwargs in drawn for pair in zip(kwargs["spriteNames"], kwargs["palettes"], strict=True))
    return {name: "#" + bytes(next(iter(palette.values()))[:3]).hex() for name, palette in painted}


def _goals(substrate: str, name: str, resource: Any) -> tuple[list[int], list[int]]:
    """The positions in a puppet's one-hot GOAL of all goals to collect a resource, and of the one to play it."""
    collect = [goal for key, goal in bot_configs._PUPPET_GOALS[substrate].items() if key.startswith(f"COLLECT_{name}")]
    goals = [[int(goal.argmax()) for goal in vectors] for vectors in (collect, [resource.interact_goal])]
    return goals[0], goals[1]


def _resource(place: int, name: str, goals: tuple[list[int], list[int]], colours: Mapping[str, str]) -> str:
    sprite = f"resource_class{place + 1}_sprite"
    return f"""[[resources]]
behaviour = "{name.lower()}"
thing = "{name.lower()}_box"
sprite = "{sprite}"
colour = "{colours[sprite]}"
collect_goals = {goals[0]}
interact_goals = {goals[1]}"""


def _scenario_tables(substrate: str, settings: Mapping[str, Any]) -> list[str]:
    players, columns = _players(substrate), _default_columns(substrate, settings)
    names = numbered_scenarios(substrate)
    return [_scenario(number, name, players, columns) for number, name in enumerate(names)]


def _scenario(number: int, name: str, players: int, columns: tuple[int, ...]) -> str:
    """A numbered scenario's table. players, columns: the substrate's defaults, which are not repeated in the table."""
    config = mp_scenario.get_config(name)
    about = config.description.replace("\n", " ").replace('"', "'")
    lines = ["[[scenarios]]", f'about = "{about}"', f"held_out = {'true' if number % 2 else 'false'}"]
    if (focal := sum(config.is_focal)) != 1:
        lines.append(f"focal = {focal}")
    if len(config.roles) != players:
        lines.append(f"players = {len(config.roles)}")
    if columns and (actual := _columns(config.substrate, config.roles)) != columns:
        lines.append(f"columns = {list(actual)}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """`hm-agent new-game SUBSTRATE [FILE]`; returns the exit status."""
    parser = argparse.ArgumentParser(
        "hm-agent new-game",
        description="Writes the file of a matrix game from the configuration of its substrate and of its bots. Times "
        "that this can't tell (per_round, per_thing) are those of the games that ship: see docs/adding_a_game.md.",
    )
    parser.add_argument("substrate", help="e.g. chicken_in_the_matrix__repeated")
    parser.add_argument("file", nargs="?", type=Path, help="the file to write; SUBSTRATE.toml here unless said")
    parsed = parser.parse_args(arguments)
    path = parsed.file or Path(f"{parsed.substrate}.toml")
    if path.exists():
        raise ConfigError(f"{path} is there already: name another file")
    text = new_game(parsed.substrate)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    game = check_game(path)
    play = f"hm-agent play --scenarios_dir={path.parent} --scenario={game.short_name}_0"
    print(f"Game: {path}\nPlay it: {play}")
    return 0
