"""The file of any substrate as its configuration gives it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from meltingpot import scenario as mp_scenario
from meltingpot import substrate as mp_substrate

from hm_agent.extensions import nearest
from hm_agent.worlds.melting_pot.facts import Length
from hm_agent.worlds.melting_pot.games.open.grid_view import GridView
from hm_agent.worlds.melting_pot.games.open.open_facts import PLAYER, SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import kind_of_bot
from hm_agent.worlds.melting_pot.games.open.simulator.stand_ins import written_rule
from hm_agent.worlds.melting_pot.simulator.bots.casting import goals_of
from hm_agent.worlds.melting_pot.simulator.game_files import (
    STANDING,
    all_components,
    bots_in,
    bots_stand_still,
    default_players,
    length_by_chance,
    number_of,
    numbered_scenarios,
    players_of,
    settings_named,
)
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of, usual_roles
from hm_agent.written_calls import CallError


def open_game_file(substrate: str) -> str:
    """The TOML of an open game; ConfigError for a substrate that doesn't exist."""
    length = _length_of(settings_named(substrate))
    most = f"\nmost = {length.most}" if length.most else ""
    name = substrate.replace("__", "_")
    return f"""# Written from the configuration of Melting Pot's {substrate}: see docs/adding_a_game.md.

title = "{name.replace("_", " ").title()}"
game = "open"
substrate = "{substrate}"
short_name = "{name}"
reward_per_steps = 0
players = {default_players(substrate)}
summary = "{_summary(substrate)}"{_items(substrate)}

[length]
least = {length.least}
every = {length.every}
chance = {float(length.chance)}{most}
{"".join(_scenarios(substrate))}"""


def _scenarios(substrate: str) -> Iterator[str]:
    """The tables of Melting Pot's scenarios of a substrate."""
    for place, name in enumerate(numbered_scenarios(substrate)):
        players, number = players_of(name), number_of(name)
        agents, bots = len(players.focal), len(players.roles) - len(players.focal)
        about = mp_scenario.get_config(name).description.replace("\n", " ").replace('"', "'").rstrip(".")
        cast = f"{agents} agent{'s' * (agents > 1)} and {bots} bot{'s' * (bots > 1)}"
        lines = ["", "[[scenarios]]", f'about = "{cast}: {about}"', f"held_out = {'true' if number % 2 else 'false'}"]
        if players.focal != (0,):
            lines.append(f"focal = {agents if players.focal == tuple(range(agents)) else list(players.focal)}")
        if number != place:
            lines.append(f"number = {number}")
        if players.roles != usual_roles(substrate):
            lines.append(f"roles = {json.dumps(players.roles)}")
        if bots_stand_still(name):
            lines.append("bots_stand_still = true")
        yield "\n".join(lines) + "\n"


def file_problems(facts: SubstrateFacts, settings: Mapping[str, Any]) -> Iterator[str]:
    """What a file says and its substrate contradicts, each in one line.

    That is how many items INVENTORY counts, the arguments of components, and words for what players can't see or do.
    """
    counted = _counted_items(facts.substrate)
    if len(facts.items) != counted:
        yield f"items: {len(facts.items)} are named, but INVENTORY counts {counted}"
    told = (facts, *map(facts.as_role, facts.by_role))
    yield from dict.fromkeys(problem for each in told for problem in _unknown_words(each))
    yield from _stand_in_problems(facts)
    for name, stated in facts.of_engine.items():
        component, argument = name.split(".")
        given = next(all_components(settings, component), {}).get(argument)
        if given != stated:
            yield f"{name}: the file says {stated}, the substrate {given}"


def _unknown_words(facts: SubstrateFacts) -> Iterator[str]:
    view = GridView.of(facts.substrate, 0).naming(facts.names)
    actions = [name.lower() for name in actions_of(facts.substrate).__members__]
    named = {
        "names": (facts.names, {sprite.name for sprite in view.atlas.sprites}),
        "collects": (facts.collects, view.things),
        "avoids": (facts.avoids, view.things),
        "floor": (filter(None, [facts.floor]), view.things),
        "uses": (facts.uses, actions),
        "reach": (facts.reach, actions),
        "harms": (facts.harms, actions),
        "later": (facts.later, actions),
        "owned": (facts.owned, view.things),
        "having": (facts.having, {*view.things, *(item.name for item in facts.items)}),
        "having: actions": (facts.kept_back, actions),
        "spares": (facts.spares, view.names),
        "by_role": (facts.by_role, usual_roles(facts.substrate)),
        **{f"uses.{action}": (things, {*view.things, PLAYER}) for action, things in facts.uses.items()},
    }
    for key, (words, known) in named.items():
        for word in words:
            if word not in known:
                yield f"{key}: {word!r} stands for nothing in {facts.substrate}: {nearest(word, known)}".rstrip(": ")


def _stand_in_problems(facts: SubstrateFacts) -> Iterator[str]:
    """What is wrong with stand-ins: calls that can't be read, another number of goals, and bots without any."""
    if (told := facts.stand_ins) is None:
        return
    goals = ((f"goals.{place}", goal) for place, goal in enumerate(told.goals))
    having = ((f"having.{name}", calls) for name, things in told.having.items() for calls in things.values())
    for key, calls in (*goals, *told.bots.items(), *having):
        try:
            written_rule(facts, calls)
        except CallError as error:
            yield f"stand_ins: {key}: {error}"
    bots = {bot for name in numbered_scenarios(facts.substrate) for bot in bots_in(name)}
    for bot in sorted(bots - {STANDING}):
        given = goals_of(bot, facts)
        if given and given != len(told.goals):
            yield f"stand_ins: goals: there are {len(told.goals)}, but the puppeteer of {bot} gives {given}"
        if not given:
            missing = [name for name in told.named(kind_of_bot(bot)) if name not in told.bots]
            yield from (f"stand_ins: bots: nobody stands in for {name}" for name in missing)


def _counted_items(substrate: str) -> int:
    """How many kinds of items the INVENTORY of a substrate counts; 0 if it has none."""
    counts = mp_substrate.get_config(substrate).timestep_spec.observation.get("INVENTORY")
    return counts.shape[0] if counts else 0


def _items(substrate: str) -> str:
    named = ", ".join(f'{{ name = "item {number}" }}' for number in range(1, _counted_items(substrate) + 1))
    return f"\nitems = [{named}]" if named else ""


def _length_of(settings: Mapping[str, Any]) -> Length:
    most = int(settings["maxEpisodeLengthFrames"])
    ending = next(all_components(settings, "StochasticIntervalEpisodeEnding"), None)
    if ending is None or ending["minimumFramesPerEpisode"] >= most:
        return Length(least=most, every=1, chance=1.0)
    return replace(length_by_chance(ending), most=most)


def _summary(substrate: str) -> str:
    """The first sentence of what Melting Pot says of a substrate."""
    text = import_module(f"meltingpot.configs.substrates.{substrate}").__doc__ or ""
    said = [part for part in text.split("\n\n") if not part.startswith(("Configuration for", "Example video"))]
    sentence = " ".join(said[0].split()).partition(". ")[0].rstrip(".") if said else substrate
    return sentence.replace('"', "'")
