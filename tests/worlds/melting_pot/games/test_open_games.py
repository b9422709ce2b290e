"""Substrates without a kind of their own: what their frames show in words, against the engine's own record."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from hm_agent.catalogue.casting import obstacle
from hm_agent.catalogue.registry import scenarios
from hm_agent.core import Observation
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.games.kind import STEPS as MOVES
from hm_agent.worlds.melting_pot.games.open.bearings import Bearings
from hm_agent.worlds.melting_pot.games.open.grid_view import PLAYERS, SELF, UNEXPLAINED, GridView, readable
from hm_agent.worlds.melting_pot.games.open.open_facts import RoleFacts, SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seeing import Seeing
from hm_agent.worlds.melting_pot.games.open.simulator.game_file import file_problems
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.scenarios import game_named, load_games, scenario_named
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of, default_settings
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld
from tests.support.melting_pot.accuracy import pose_of

STEPS = 15


def grid_of(text: str, sight: GridView) -> list[str]:
    """The rows of the grid in a description, at their full width."""
    rows = text.splitlines()[1 : 1 + sight.window.rows]
    return [row.ljust(sight.window.columns) for row in rows]


def legend_of(text: str, sight: GridView) -> dict[str, str]:
    lines = text.splitlines()[1 + sight.window.rows :]
    return {line[0]: line[3:] for line in lines}


def played(name: str) -> Iterator[SelfPlayWorld]:
    """A world after each of STEPS random moves, of which none is a beam: these hide and remove players."""
    world, rng = SelfPlayWorld(scenario_named(name), ground_truth=True), random.Random(1)
    world.reset(seed=1)
    for _ in range(STEPS):
        world.step({seat: rng.randrange(len(MOVES)) for seat in world.seats})
        yield world
    world.close()


@cache
def orchard() -> Pixels:
    """What the first player of Commons Harvest sees after a step."""
    world = next(played("commons_harvest_open_selfplay"))
    rgb: Pixels = world.truth(0)["RGB"].copy()
    world.close()
    return rgb


def test_every_substrate_of_melting_pot_is_listed() -> None:
    from meltingpot.substrate import SUBSTRATES  # not before the package's simulator, since it would load TensorFlow

    assert {game.substrate for game in load_games()} == set(SUBSTRATES)


def test_agents_that_value_their_own_strategies_are_refused_before_they_play() -> None:
    """All others play any substrate."""
    scenario = scenarios()["clean_up_selfplay"]
    assert not obstacle("hypothetical_minds", scenario, "builtin")
    assert "StrategyValuing" in obstacle("he_hr", scenario, "builtin")


def test_actions_have_names_of_their_own_which_tell_the_value_if_there_are_several() -> None:
    for game in load_games():
        if isinstance(game, SubstrateFacts):
            names = list(actions_of(game.substrate).__members__)
            assert names[:2] == ["NOOP", "FORWARD"]
            assert len(set(names)) == len(names)
    assert {"TAG", "VOTE_1", "VOTE_6"} <= {*actions_of("hidden_agenda").__members__}
    shoves = {"HOLD", "HOLD_SHOVE_1", "HOLD_SHOVE_MINUS_1"}
    assert shoves <= {*actions_of("fruit_market__concentric_rivers").__members__}


@pytest.mark.parametrize("name", ["commons_harvest_open_selfplay", "clean_up_selfplay"])
def test_players_stand_and_face_where_the_engine_says(name: str) -> None:
    found = 0
    for world in played(name):
        poses = [pose_of(world.truth(slot)) for slot in range(len(world.seats))]
        sight = GridView.of(world._game.substrate, 0)
        text = sight.describe(world.truth(0)["RGB"])
        grid, legend = grid_of(text, sight), legend_of(text, sight)
        assert UNEXPLAINED not in "".join(grid)
        for other in range(1, len(poses)):
            ahead, right = poses[0].offset((poses[other].x, poses[other].y))
            row, column = sight.window.forward - ahead, sight.window.left + right
            symbol = PLAYERS[other]
            if 0 <= row < sight.window.rows and 0 <= column < sight.window.columns:
                facing = ("up", "right", "down", "left")[(poses[other].facing - poses[0].facing) % 4]
                assert grid[row][column] == symbol, text
                assert legend[symbol].startswith(f"player_{other} facing {facing}"), text
                found += 1
            else:
                assert symbol not in "".join(grid)
    assert found > STEPS / 5


def test_players_that_look_the_same_are_not_told_apart() -> None:
    sight = GridView.of("fruit_market__concentric_rivers", 0)
    assert set(sight.players.values()) == {None}


def test_own_cell_is_marked_and_ground_is_told_only_where_it_is_bare() -> None:
    sight = GridView.of("commons_harvest__open", 0)
    text = sight.describe(orchard())
    assert grid_of(text, sight)[sight.window.forward][sight.window.left] == SELF
    assert "apple on" not in text


@pytest.mark.parametrize(
    "name",
    [
        "commons_harvest_partnership_selfplay",
        pytest.param("externality_mushrooms_dense_selfplay", marks=pytest.mark.heavy),
    ],
)
def test_an_episode_depends_on_its_seed_alone_whether_it_is_shown_or_not(name: str) -> None:
    def seen(*, is_shown: bool) -> list[bytes]:
        world, rng = SelfPlayWorld(scenario_named(name)), random.Random(3)
        world.is_shown = is_shown
        world.reset(seed=11)
        frames = []
        for _ in range(STEPS):
            turn = world.step({seat: rng.randrange(len(world.actions)) for seat in world.seats})
            frames += [turn.observations[seat].view["RGB"].tobytes() for seat in world.seats]
        world.close()
        return frames

    assert seen(is_shown=False) == seen(is_shown=True)


def test_what_nothing_explains_is_named_by_what_looks_most_like_it_as_a_guess() -> None:
    sight, rgb = GridView.of("commons_harvest__open", 0), orchard().copy()
    apples = [number for number, label in enumerate(sight.atlas.label(rgb)) if sight.shown(label).things == ("apple",)]
    top, left = (8 * each for each in divmod(apples[0], sight.window.columns))
    rgb[top : top + 8, left : left + 3] ^= 1  # no sprite has these colours
    assert "perhaps apple" in legend_of(sight.describe(rgb), sight).values()
    seen = Seeing(sight, Bearings.of("commons_harvest__open", 0), frozenset()).see(rgb, Move.NOOP).map
    guess = [thing for thing in seen.things if thing.kind == "perhaps apple"]
    assert [thing.offset for thing in guess] == [sight.window.offsets[apples[0]]]
    assert seen.unknown_patches == 1


def test_coins_of_every_colour_have_a_name() -> None:
    things = GridView.of("coins", 0).things
    assert things >= {"coin red", "coin blue", "coin yellow", "coin green", "coin purple"}


def test_what_a_file_names_that_nobody_can_see_or_do_is_named() -> None:
    right = game_named("clean_up", SubstrateFacts)
    wrong = replace(
        right,
        names={"Appel": "fruit"},
        collects=("apples",),
        uses={"fire_clean": ("player", "mud")},
        reach={"fire": 3},
        later=("fire_away",),
        owned=("mine",),
        having={"apple": "use(eat)"},
        by_role={"miner": RoleFacts(spares=("everybody",))},
    )
    assert list(file_problems(right, default_settings("clean_up"))) == []
    assert list(file_problems(wrong, default_settings("clean_up"))) == [
        "names: 'Appel' stands for nothing in clean_up: did you mean Apple?",
        "collects: 'apples' stands for nothing in clean_up: did you mean apple?",
        "reach: 'fire' stands for nothing in clean_up",
        "later: 'fire_away' stands for nothing in clean_up: did you mean fire_zap?",
        "owned: 'mine' stands for nothing in clean_up",
        "having: actions: 'eat' stands for nothing in clean_up",
        "by_role: 'miner' stands for nothing in clean_up",
        "uses.fire_clean: 'mud' stands for nothing in clean_up",
        "spares: 'everybody' stands for nothing in clean_up",
    ]


def test_rules_are_told_in_few_words_and_each_use_has_a_reach() -> None:
    for game in load_games():
        if isinstance(game, SubstrateFacts):
            assert game.rules or "cooking" in game.substrate, game.short_name
            assert len(re.findall(r"\S*\w\S*", game.rules)) <= 130, game.short_name
            for each in (game, *map(game.as_role, game.by_role)):
                assert each.uses.keys() == each.reach.keys(), game.short_name


def test_only_the_impostor_sees_its_mark() -> None:
    game, world = game_named("hidden_agenda", SubstrateFacts), next(played("hidden_agenda_selfplay"))
    seen = [Observation(0, {"RGB": world.truth(slot)["RGB"]}) for slot in range(game.players)]
    said = [kind_of(game).reader(game, slot)(each, 0) for slot, each in enumerate(seen)]
    assert [game.names["Player_impostor5"] in text for text in said] == [False] * 4 + [True]
    world.close()


def test_maps_of_coins_depend_on_the_seed_alone() -> None:
    def drawn(state: int, seed: int) -> bytes:
        random.seed(state)
        world = SelfPlayWorld(scenario_named("coins_selfplay"))
        world.reset(seed)
        picture = world.truth(0)["WORLD.RGB"].tobytes()
        world.close()
        return bytes(picture)

    assert drawn(1, seed=7) == drawn(2, seed=7) != drawn(1, seed=8)


def test_sprites_are_named_in_words() -> None:
    sprites = {
        "UnripeBerry_2": "unripe berry 2",
        "NShipSolidWall": "n ship solid wall",
        "sprite_for_level_3": "level 3",
    }
    assert {sprite: readable(sprite) for sprite in sprites} == sprites
