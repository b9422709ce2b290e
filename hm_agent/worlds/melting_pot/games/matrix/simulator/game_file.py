"""The files of Melting Pot's matrix games as their substrates' configuration gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate
from meltingpot.configs import bots as bot_configs

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.games.matrix.simulator.checks import (
    STILL,
    columns_of,
    columns_payoff_of,
    default_columns_of,
    first_component,
    goals_of,
    length_of,
    payoff_of,
    regrows_at_once,
)
from hm_agent.worlds.melting_pot.simulator.game_files import (
    all_components,
    default_players,
    numbered_scenarios,
    settings_named,
    sprites_of,
)

MATRIX = "_in_the_matrix__"
"""Part of the names of all matrix games."""


def game_file(substrate: str) -> str:
    """The TOML of a matrix game, filled in from its substrate and Melting Pot's bots.

    Raises ConfigError for a substrate that doesn't exist or is no game in the matrix. The `per_...` of timing, which
    have to be measured, are those of the shipped games.
    """
    settings = settings_named(substrate, [name for name in mp_substrate.SUBSTRATES if MATRIX in name])
    sections = (
        _head(substrate, settings),
        f"payoff = {_short(payoff_of(settings))}\ninitial_inventory = 1",
        *_resources(substrate, settings),
        _length_and_regrowth(settings),
        _timing(substrate, settings),
        _sprites_and_beam(substrate, settings),
        _other_side(substrate, settings),
        *_scenarios(substrate, settings),
    )
    return "\n\n".join(filter(None, sections)) + "\n"


def _are_alike(settings: Mapping[str, Any]) -> bool:
    """True if players can't be told apart: all are seen as `Other`, or in the colour of their side."""
    return columns_payoff_of(settings) is not None or "Other" in sprites_of(settings)


def _head(substrate: str, settings: Mapping[str, Any]) -> str:
    stem, _, kind = substrate.partition(MATRIX)
    players = default_players(substrate)
    alike = f"\nalike = {players - 1}" if players > 2 and _are_alike(settings) else ""
    return f"""# Written from the configuration of Melting Pot's {substrate}: see docs/adding_a_game.md.

title = "{stem.replace("_", " ").title()}, {kind.replace("_", " ")}"
game = "matrix"
substrate = "{substrate}"
short_name = "{stem}_{kind}"
reward_per_steps = {0 if length_of(settings).one_interaction else 1200}{alike}"""


def _length_and_regrowth(settings: Mapping[str, Any]) -> str:
    thing, length = first_component(settings, "Resource"), length_of(settings)
    one_interaction = "\none_interaction = true" if length.one_interaction else ""
    all_at_once = "\nall_at_once = true" if regrows_at_once(settings) else ""
    return f"""[length]
least = {length.least}
every = {length.every}
chance = {length.chance}{one_interaction}

[regrowth]
delay = {thing["regenerationDelay"]}
chance = {thing["regenerationRate"]}{all_at_once}"""


def _timing(substrate: str, settings: Mapping[str, Any]) -> str:
    zapper = first_component(settings, "GameInteractionZapper")
    return f"""[timing]
frozen = {zapper["freezeOnInteraction"] + STILL}
away = {zapper["framesTillRespawn"] + STILL}
per_round = {50 if default_players(substrate) == 2 else 90}                  # measured in the games that ship, not here
per_thing = 3"""


def _sprites_and_beam(substrate: str, settings: Mapping[str, Any]) -> str:
    zapper = first_component(settings, "GameInteractionZapper")
    marks = [name for name in dict.fromkeys(sprites_of(settings)) if name.startswith("ResultIndicatorColor")]
    return f"""[sprites]
wall = "Wall"
own = "{"Self" if columns_payoff_of(settings) is None else "Avatar1"}"
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
    named = (f'Avatar{slot + 1} = "player_{slot}"' for slot in range(1, default_players(substrate)))
    return f'focal = "Avatar1"\nplayers = {{ {", ".join(named)} }}'


def _partner(substrate: str, settings: Mapping[str, Any]) -> str:
    """The sprite of the other players where they look alike; in an asymmetric game, that of the first column player."""
    columns = default_columns_of(substrate, settings)
    return f"Avatar{1 + columns[0]}" if columns else "Other"


def _short(payoff: Sequence[Sequence[float]]) -> str:
    return str([[int(value) if value == int(value) else value for value in row] for row in payoff])


def _other_side(substrate: str, settings: Mapping[str, Any]) -> str:
    """The column players' table of an asymmetric game; empty for others."""
    payoff = columns_payoff_of(settings)
    if payoff is None:
        return ""
    return f"""[column]
payoff = {_short(payoff)}
own = "{_partner(substrate, settings)}"
players = {{ Avatar1 = "opponent" }}
slots = {list(default_columns_of(substrate, settings))}"""


def _resources(substrate: str, settings: Mapping[str, Any]) -> Iterator[str]:
    """The tables of Melting Pot's resources, in the order of INVENTORY."""
    resources: Mapping[str, Any] = bot_configs._RESOURCES.get(substrate, {})
    if not resources:
        raise ConfigError(f"Melting Pot has no bots for {substrate}, so the names of its strategies are yours to give")
    colours = _colours(settings)
    for place, (name, resource) in enumerate(sorted(resources.items(), key=lambda entry: entry[1].index), start=1):
        collect, interact = goals_of(substrate, name, resource)
        sprite = f"resource_class{place}_sprite"
        yield f"""[[resources]]
behaviour = "{name.lower()}"
thing = "{name.lower()}_box"
sprite = "{sprite}"
colour = "{colours[sprite]}"
collect_goals = {collect}
interact_goals = {interact}"""


def _colours(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """The first colour of each sprite's palette, as `#rrggbb`."""
    drawn = (kwargs for kwargs in all_components(settings, "Appearance") if kwargs.get("palettes"))
    painted = (pair for kwargs in drawn for pair in zip(kwargs["spriteNames"], kwargs["palettes"], strict=True))
    return {name: "#" + bytes(next(iter(palette.values()))[:3]).hex() for name, palette in painted}


def _scenarios(substrate: str, settings: Mapping[str, Any]) -> Iterator[str]:
    """The tables of numbered scenarios, which don't repeat the substrate's usual players and columns."""
    columns = default_columns_of(substrate, settings)
    for number, name in enumerate(numbered_scenarios(substrate)):
        config = mp_scenario.get_config(name)
        about = config.description.replace("\n", " ").replace('"', "'")
        lines = ["[[scenarios]]", f'about = "{about}"', f"held_out = {'true' if number % 2 else 'false'}"]
        if (focal := sum(config.is_focal)) != 1:
            lines.append(f"focal = {focal}")
        if len(config.roles) != default_players(substrate):
            lines.append(f"players = {len(config.roles)}")
        if columns and (actual := columns_of(config.substrate, config.roles)) != columns:
            lines.append(f"columns = {list(actual)}")
        yield "\n".join(lines)
