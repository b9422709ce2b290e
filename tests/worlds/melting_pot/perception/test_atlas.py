from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from hm_agent.worlds.melting_pot.perception.atlas import UNKNOWN, Atlas, Label, compose
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.perception.sprites import YELLOW, Pixels, Sprite, layers_of
from hm_agent.worlds.melting_pot.scenarios import load_games
from hm_agent.worlds.melting_pot.simulator.substrate import DRAWS, atlas_of, default_settings, sprite_roles

GREY, RED, CLEAR = (100, 100, 100, 255), (255, 0, 0, 255), (0, 0, 0, 0)
DOT = "*xxxxxxx\n" + 7 * "xxxxxxxx\n"  # one pixel in the north-west corner


def settings_of(*objects: Mapping[str, Any]) -> dict[str, Any]:
    avatar = [{"component": "Avatar", "kwargs": {"index": 1, "spriteMap": {"Theirs": "Mine"}}}]
    return {"numPlayers": 1, "simulation": {"gameObjects": [{"components": avatar}, *objects], "prefabs": {}}}


def thing(layer: str, sprite: str, shape: str, no_rotate: bool = False, **palette: tuple[int, ...]) -> dict[str, Any]:
    """A game object with one sprite on one layer; the palette is of * and x."""
    colours = {"*": palette["dot"], "x": palette.get("rest", CLEAR)}
    appearance = {
        "renderMode": "ascii_shape",
        "spriteNames": [sprite],
        "spriteShapes": [shape],
        "palettes": [colours],
        "noRotates": [no_rotate],
    }
    states = {"stateConfigs": [{"state": "here", "layer": layer, "sprite": sprite}]}
    return {
        "components": [
            {"component": "StateManager", "kwargs": states},
            {"component": "Appearance", "kwargs": appearance},
        ]
    }


def explained(atlas: Atlas, picture: Pixels) -> Label:
    """What an atlas says of an 8 x 8 picture."""
    (number,) = atlas.label(np.ascontiguousarray(picture))
    return atlas.labels[number]


def test_whatever_a_cell_of_any_substrate_shows_is_explained_by_sprites_that_look_the_same() -> None:
    for substrate in sorted(game.substrate for game in load_games()):
        atlas, layers, rng = atlas_of(substrate), layers_of(default_settings(substrate)), random.Random(0)
        for _ in range(25):
            shown = sorted(rng.sample(range(len(layers)), min(len(layers), rng.randint(0, 3))))
            drawn = [rng.choice(layers[place].pictures) for place in shown]
            stack, picture = [sprite for sprite, _ in drawn], compose([rgba for _, rgba in drawn])
            label = explained(atlas, picture)
            assert label != Label((Sprite("unknown"),)), stack
            assert len(label.sprites) <= len(stack), (stack, label)
            if substrate not in DRAWS:  # where one sprite has several pictures
                assert (atlas.picture(*label.sprites) == picture).all(), (stack, label)


def test_every_sprite_a_game_speaks_of_is_in_the_atlas() -> None:
    for game in load_games():
        roles = sprite_roles(game)
        names = {roles.own, *roles.solid, *roles.players, *roles.kinds, *roles.marks, *roles.beams}
        assert names - {""} <= {sprite.name for sprite in atlas_of(game.substrate).sprites}, game.short_name


def test_patch_the_atlas_does_not_hold_is_unknown(rws_vision: SubstrateVision) -> None:
    frame = np.zeros((40, 40, 3), np.uint8)
    frame[8:16, 16:24] = (1, 2, 3)
    labels = rws_vision.read(frame)
    assert [n for n, label in enumerate(labels) if label == UNKNOWN] == [7]


def test_patch_is_unknown_for_a_single_wrong_pixel(rws_vision: SubstrateVision) -> None:
    frame = np.zeros((8, 8, 3), np.uint8)
    frame[:] = YELLOW
    (beam,) = rws_vision.read(frame)
    frame[3, 4, 0] += 1
    (spoilt,) = rws_vision.read(frame)
    assert (rws_vision.atlas.labels[beam], spoilt) == (Label((Sprite("BeamInteraction"),)), UNKNOWN)


@pytest.mark.parametrize(("turns", "corner"), [(0, (0, 0)), (1, (0, 7)), (2, (7, 7)), (3, (7, 0))])
def test_sprite_is_turned_clockwise(turns: int, corner: tuple[int, int]) -> None:
    atlas = Atlas(layers_of(settings_of(thing("upperPhysical", "Dot", DOT, dot=RED))))
    picture = atlas.picture(Sprite("Dot", turns))
    assert np.argwhere(picture.any(axis=2)).tolist() == [list(corner)]


def test_sprite_that_never_turns_has_one_picture() -> None:
    atlas = Atlas(layers_of(settings_of(thing("upperPhysical", "Dot", DOT, no_rotate=True, dot=RED))))
    assert atlas.sprites == {Sprite("Dot")}


def test_larger_shape_comes_down_by_a_floored_mean() -> None:
    shape = "*x" + "x" * 14 + "\n" + 15 * ("x" * 16 + "\n")
    large = thing("upperPhysical", "Dot", shape, dot=(255, 0, 0, 255), rest=(0, 0, 0, 255))
    picture = Atlas(layers_of(settings_of(large))).picture(Sprite("Dot"))
    assert picture[0, 0].tolist() == [63, 0, 0]  # 255 / 4


def test_higher_layer_lies_on_the_lower_one() -> None:
    below = thing("lowerPhysical", "Below", DOT, no_rotate=True, dot=GREY, rest=GREY)
    above = thing("upperPhysical", "Above", DOT, no_rotate=True, dot=RED)
    picture = Atlas(layers_of(settings_of(above, below))).picture(Sprite("Below"), Sprite("Above"))
    assert (picture[0, 0].tolist(), picture[1, 1].tolist()) == ([255, 0, 0], [100, 100, 100])


def test_half_transparent_colour_is_blended_as_the_engine_does() -> None:
    below = thing("lowerPhysical", "Below", DOT, no_rotate=True, dot=GREY, rest=GREY)
    above = thing("upperPhysical", "Above", DOT, no_rotate=True, dot=(255, 0, 0, 128))
    picture = Atlas(layers_of(settings_of(below, above))).picture(Sprite("Below"), Sprite("Above"))
    assert picture[0, 0].tolist() == [178, 50, 50]


def test_avatar_is_known_by_every_sprite_it_is_shown_by() -> None:
    mine = thing("hidden", "Mine", DOT, dot=RED)
    atlas = Atlas(layers_of(settings_of(thing("upperPhysical", "Theirs", DOT, dot=GREY), mine)))
    assert {sprite.name for sprite in atlas.sprites} == {"Mine", "Theirs"}
