"""Common goods: their rules against the engine's record, what is noticed of others, and what is best beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from meltingpot.configs.bots import _PUPPET_GOALS

from hm_agent.catalogue.registry import scenarios, suites
from hm_agent.testing.episodes import SeatLog, play_out, seat_agents
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.games.commons.best_plan import RiverState, income, tend_river
from hm_agent.worlds.melting_pot.games.commons.commons_conduct import CommonsConduct, CommonsWatch, takes_last
from hm_agent.worlds.melting_pot.games.commons.commons_facts import CommonsFacts, River
from hm_agent.worlds.melting_pot.games.commons.commons_reasoner import REASONER, rules_believed
from hm_agent.worlds.melting_pot.games.commons.commons_seat import FRESH, CommonsSeat, RiverSeen
from hm_agent.worlds.melting_pot.games.commons.rules import GOALS, REGROWTH_RULES, RIVER_RULES, harvest, punish
from hm_agent.worlds.melting_pot.games.open.calls import CollectThings, LookAround, StandStill, UseAction, WalkTo
from hm_agent.worlds.melting_pot.games.open.conduct import STAYS, STRETCH, WALKS, takes, uses
from hm_agent.worlds.melting_pot.games.open.grid_view import GridView
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen
from hm_agent.worlds.melting_pot.grid import NOWHERE, Layout, Pose
from hm_agent.worlds.melting_pot.memory.entities import Disappearance, EntityMemory, PlayerSighting
from hm_agent.worlds.melting_pot.memory.view_times import ViewTimes
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.scenarios import game_named, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, config_of
from hm_agent.worlds.melting_pot.simulator.substrate import default_settings
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld
from tests.model_stand_ins import CheckedReasoner
from tests.worlds.melting_pot.games.test_open_prompts import seated

EATS, CLEANS, LAST = takes("apple"), uses("beam clean"), takes_last("apple")
LAYOUT = Layout(12, 12, frozenset())


def counted(name: str, steps: int) -> Sequence[tuple[int, int]]:
    """How many cells hold dirt and apples before each step, while the agents stand still and the bots play."""
    world = MeltingPotWorld(scenario_named(name), Bots.SCRIPTED)
    world.reset(seed=1)
    view, counts = GridView.of(world._game.substrate, 0), []
    for _ in range(steps):
        shown = [view.shown(label).things for label in view.atlas.label(world.truth(0)["WORLD.RGB"])]
        counts.append((sum("dirt" in things for things in shown), sum("apple" in things for things in shown)))
        world.step(dict.fromkeys(world.seats, 0))
    world.close()
    return counts


def river_of(name: str) -> River:
    river = game_named(name, CommonsFacts).river
    assert river is not None
    return river


def test_apples_grow_only_while_less_of_the_river_is_dirty_than_the_threshold() -> None:
    river = river_of("clean_up")
    counts = counted("clean_up_unseen_0", 60)
    grown = [dirt / river.places for (dirt, apples), (_, after) in pairwise(counts) if after > apples]
    assert counts[0][0] / river.places > river.depletion
    assert grown
    assert max(grown) < river.depletion
    assert (river.growing(0), river.growing(0.2), river.growing(0.4)) == (0.05, 0.025, 0)


def test_where_all_apples_are_taken_none_grows_back() -> None:
    counts = counted("commons_harvest_open_unseen_1", 130)
    apples = [apples for _, apples in counts]
    assert apples[0] == 64
    bare = apples.index(0)
    assert set(apples[bare:]) == {0}
    assert len(apples) - bare > 20


@pytest.mark.parametrize("name", ["clean_up", "commons_harvest_open", "commons_harvest_closed"])
def test_facts_of_a_common_good_are_its_substrate_s(name: str) -> None:
    facts = game_named(name, CommonsFacts)
    kind, settings = kind_of(facts), default_settings(facts.substrate)
    assert not list(kind.problems(facts, settings))
    wrong = replace(facts, river=facts.river and replace(facts.river, growth=0.5))
    wrong = replace(wrong, regrowth=facts.regrowth and replace(facts.regrowth, removed=7))
    assert len(list(kind.problems(wrong, settings))) == 1


def test_a_scenario_of_four_has_one_seat_and_three_players_by_a_rule() -> None:
    config = config_of(scenario_named("clean_up_unseen_0"))
    assert list(config.is_focal) == [True, False, False, False]
    assert config.bots_by_role == {"default": {"clean_up_unseen_0"}}


def test_a_puppet_eats_cleans_or_zaps_as_its_puppeteer_says() -> None:
    """Melting Pot's names of goals, by the places of their ones, and what the puppet does about them."""
    goals = {name: int(goal.argmax()) for name, goal in _PUPPET_GOALS["clean_up_3_goals"].items()}
    two = {name: int(goal.argmax()) for name, goal in _PUPPET_GOALS["clean_up"].items()}
    assert two.items() <= goals.items()
    near = {"player_1": PlayerSighting((6, 5), 0, None, 100)}
    seat = seat_at("clean_up", seen={(5, 7): ("apple", 100), (7, 5): ("dirt", 100)}, sighted=near)
    wanted = {
        "EAT": CollectThings("apple", 2),
        "CLEAN": UseAction("fire_clean", "dirt", 2),
        "SANCTION": UseAction("fire_zap", "player_1"),
    }
    assert {name: GOALS[goal].next(seat)[0] for name, goal in goals.items()} == wanted


def test_bots_without_a_puppeteer_do_what_their_scenario_is_said_to_meet() -> None:
    """Altruists clean, free riders never do, and those who harvest unsustainably leave no apple."""
    dirt = {name: [dirt for dirt, _ in counted(name, 60)] for name in ("clean_up_0", "clean_up_1")}
    assert min(dirt["clean_up_0"]) < dirt["clean_up_0"][0] - 10
    assert min(dirt["clean_up_1"]) == dirt["clean_up_1"][0]
    assert min(apples for _, apples in counted("commons_harvest_open_1", 150)) == 0


def test_puppets_are_told_of_by_their_goal_or_by_how_they_reciprocate() -> None:
    """What the ceiling is told in the first steps: all know their slot, and who takes turns cleans first."""
    told = {}
    for name in ("clean_up_2", "clean_up_3", "clean_up_8", "clean_up_12"):
        world = MeltingPotWorld(scenario_named(name), Bots.SCRIPTED)
        world.reset(seed=1)
        world.step(dict.fromkeys(world.seats, 0))
        told[name] = {intent.behaviour for intent in world.intents("player_0") if intent.is_known}
        world.close()
    words = {name: {rule.words} for name, rule in RIVER_RULES.items()}
    assert list(told.values()) == [words["cleans"], words["eats"], words["reciprocates"], words["eats"]]


def conduct(behaviour: str, step: int = STRETCH, *, in_company: bool = False) -> CommonsConduct:
    return CommonsConduct(step, "player_1", behaviour, (), STRETCH, (0, 0), 0.0, in_company)


def seat_at(name: str, **known: object) -> CommonsSeat:
    where = {"step": 100, "pose": Pose(5, 5, 0), "layout": LAYOUT, "looked_at": ViewTimes(LAYOUT)}
    bare = {"seen": {}, "sighted": {}, "actions": ("fire_zap", "fire_clean"), "behaviours": (EATS, CLEANS, LAST)}
    return seated(CommonsSeat, game_named(name, CommonsFacts), **{**where, **bare, **known})


@pytest.mark.parametrize(
    ("name", "history", "rule"),
    [
        ("clean_up", [conduct(CLEANS), conduct(CLEANS, 85)], RIVER_RULES["cleans"]),
        ("clean_up", [conduct(EATS), conduct(EATS, in_company=True)], RIVER_RULES["eats"]),
        ("clean_up", [conduct(EATS), conduct(CLEANS, 85, in_company=True)], RIVER_RULES["reciprocates"]),
        ("clean_up", [conduct(CLEANS), conduct(EATS, 85), conduct(CLEANS, 140)], RIVER_RULES["takes_turns"]),
        ("clean_up", [conduct(STAYS), conduct(WALKS, 85)], RIVER_RULES["reciprocates"]),
        ("clean_up", [conduct(STAYS), conduct(WALKS, 85, in_company=True)], RIVER_RULES["eats"]),
        ("commons_harvest_open", [conduct(EATS), conduct(EATS)], REGROWTH_RULES["spares"]),
        ("commons_harvest_open", [conduct(EATS), conduct(EATS), conduct(LAST)], REGROWTH_RULES["strips"]),
    ],
)
def test_what_a_player_did_tells_its_rule(name: str, history: Sequence[CommonsConduct], rule: object) -> None:
    weights = REASONER.weigh(seat_at(name), "player_1", history)
    assert max(weights, key=weights.__getitem__) == rule.words  # type: ignore[attr-defined]


def test_cleaning_pays_where_others_answer_it_and_not_where_they_do_it_anyway() -> None:
    river, now = river_of("clean_up"), RiverState(60, 0.4, 0, 0)
    answering, cleaning = ("reciprocates",) * 3, ("cleans", "cleans", "eats")
    assert income(river, now, answering, range(40), 200) > 10 + 10 * income(river, now, answering, range(0), 200)
    assert income(river, now, cleaning, range(0), 200) > income(river, now, cleaning, range(40), 200)


def test_where_nothing_pays_a_player_cleans_though_it_expects_no_help() -> None:
    river = RiverSeen(dirty=100, places=140, step=99)
    seat = seat_at("clean_up", river=river, seen={(5, 6): ("dirt", 99)})
    assert income(river_of("clean_up"), RiverState(100, river.share, 0, 0), ("eats",) * 6, range(80), 200) == 0
    assert tend_river(seat, ("eats",) * 6) == [UseAction("fire_clean", "dirt", 2)]


def test_who_finds_nothing_to_eat_looks_again_at_the_river_that_others_are_believed_to_clean() -> None:
    river, orchard = RiverSeen(dirty=10, places=140, step=50), {"orchard": ((5, 6),), "water": ((2, 5),)}
    assert tend_river(seat_at("clean_up", river=river, **orchard), ("cleans",) * 3) == [WalkTo((2, 5)), LookAround()]
    fed = seat_at("clean_up", river=river, seen={(5, 6): ("apple", 99)}, **orchard)
    assert tend_river(fed, ("cleans",) * 3) == [CollectThings("apple", 2)]
    looked = seat_at("clean_up", river=replace(river, step=95), **orchard)
    assert tend_river(looked, ("cleans",) * 3) == [StandStill(3), LookAround()]


def in_view(facing: int, effect: tuple[tuple[int, int], str], cell: tuple[int, int] = (3, 3)) -> FrameSeen:
    """A frame with player_1 in a cell, and with a beam."""
    shown = Detection("player_1", (0, 0), cell, facing, None, is_player=True)
    return FrameSeen(TextualMap(Pose(5, 5, 0), True, None, (shown,), NOWHERE, 0), (effect,), ())


def test_who_cleans_and_who_takes_a_last_apple_is_known_by_name() -> None:
    watch = CommonsWatch(game_named("clean_up", CommonsFacts), EntityMemory(LAYOUT))
    ahead = Pose(3, 3, 1).place(1, 0)
    watch.read(7, in_view(1, (ahead, "beam clean")), (), None, 0.0)
    watch.read(8, in_view(3, (ahead, "beam clean")), (), None, 0.0)
    assert watch.cleaned == {"player_1": 7}
    memory = EntityMemory(LAYOUT)
    memory.looked_at.update(9, LAYOUT.area(LAYOUT.open_cells))
    orchard = CommonsWatch(game_named("commons_harvest_open", CommonsFacts), memory)
    orchard.read(10, in_view(1, ((0, 0), "")), [Disappearance("apple", (3, 3), 9)], None, 1.0)
    assert orchard.spoiled == {"player_1": 10}


def test_who_punishes_zaps_only_who_lately_took_a_last_apple() -> None:
    near = {"player_1": PlayerSighting((5, 7), 0, None, 100)}
    apples = dict.fromkeys(((8, 8), (9, 8), (8, 9), (9, 9)), ("apple", 99))
    seat = seat_at("commons_harvest_open", seen=apples, sighted=near)
    assert punish(replace(seat, spoiled=(("player_1", 90),))) == [UseAction("fire_zap", "player_1")]
    assert punish(replace(seat, spoiled=(("player_1", 10),))) == harvest(seat, keep=3)


def test_where_no_apples_are_seen_only_who_was_lately_seen_to_clean_is_counted_on() -> None:
    words = RIVER_RULES["cleans"].words
    believed, told = PlayerBelief("player_1", words, None), PlayerBelief("player_2", None, words)
    idle = seat_at("clean_up", cleaned=(("player_1", 10),))
    assert rules_believed(idle, [believed, told]) == {"player_1": "reciprocates", "player_2": "cleans"}
    assert rules_believed(replace(idle, cleaned=(("player_1", 50),)), [believed]) == {"player_1": "cleans"}
    assert rules_believed(replace(idle, seen={(1, 1): ("apple", 95)}), [believed]) == {"player_1": "cleans"}


def test_a_taken_apple_is_one_of_the_last_only_if_its_surroundings_were_seen_lately() -> None:
    memory = EntityMemory(LAYOUT)
    watch = CommonsWatch(game_named("commons_harvest_open", CommonsFacts), memory)
    taken = Disappearance("apple", (5, 5), 9)
    memory.looked_at.update(10, LAYOUT.area(LAYOUT.open_cells))
    assert watch._taking(10, taken) == LAST
    memory.things = dict.fromkeys([(5, 6), (4, 5), (3, 5)], ("apple", 10))
    assert watch._taking(10, taken) == EATS
    memory.things = {}
    assert watch._taking(11 + FRESH, taken) == EATS


def test_who_spares_takes_only_apples_beside_three_others() -> None:
    patch = {(5, 1): ("apple", 99), (8, 8): ("apple", 99), (9, 8): ("apple", 99), (8, 9): ("apple", 99)}
    seat = seat_at("commons_harvest_open", seen=patch)
    assert harvest(seat, keep=0) == [WalkTo((5, 1))]
    assert not [call for call in harvest(seat, keep=3) if isinstance(call, WalkTo) and call.target in patch]
    whole = replace(seat, seen={**patch, (9, 9): ("apple", 99)})
    assert harvest(whole, keep=3) == [WalkTo((8, 8))]


def test_rules_are_believed_as_they_are_worded_and_as_the_ceiling_is_told_them() -> None:
    words = RIVER_RULES["reciprocates"].words
    others = [
        PlayerBelief("player_1", words, None),
        PlayerBelief("player_2", None, words),
        PlayerBelief("x", "Odd.", None),
    ]
    assert rules_believed(seat_at("clean_up"), others) == {"player_1": "reciprocates", "player_2": "reciprocates"}


@pytest.mark.parametrize(
    ("name", "agent"), [("clean_up_unseen_0", "oracle"), ("commons_harvest__open_unseen_1", "spares")]
)
def test_agents_play_common_goods_with_answers_that_hold(name: str, agent: str) -> None:
    scenario = scenarios()[name]
    world = MeltingPotWorld(scenario_named(name), Bots.SCRIPTED)
    model = CheckedReasoner(suites()["melting_pot"].answers())
    log = SeatLog()
    play_out(world, seat_agents(world, scenario, agent, model=model), seed=1, steps=20, recorders=[log])
    assert any(step.decision.exchanges for step in log.steps)
