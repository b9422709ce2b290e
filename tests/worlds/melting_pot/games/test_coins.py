"""Coins: its rules and what is seen of them against the engine's record, the rules of players, and what pays then."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import dm_env
import pytest

from hm_agent.catalogue.registry import scenarios, suites
from hm_agent.core import Hypothesis, Observation
from hm_agent.testing.episodes import SeatLog, play_out, seat_agents
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.worlds.melting_pot.games import kind_of
from hm_agent.worlds.melting_pot.games.coins import CoinsKind
from hm_agent.worlds.melting_pot.games.coins.coins_facts import CoinsFacts
from hm_agent.worlds.melting_pot.games.coins.coins_mind import REASONER, CoinsMind
from hm_agent.worlds.melting_pot.games.coins.coins_play import GOALS, SCRIPTED, SHORTCUTS, play_best, provoked
from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsFollower, CoinsNotes, CoinsSeat
from hm_agent.worlds.melting_pot.games.coins.takes import (
    SPARES_YOURS,
    TAKES_BOTH,
    TAKES_OWN,
    TAKES_YOURS,
    CoinConduct,
    Take,
)
from hm_agent.worlds.melting_pot.games.coins.taking_rules import (
    COPIES,
    EVENS,
    FOR_GOOD,
    NAMED,
    NEAR_ONES,
    SPARES,
    TAKES_ANY,
    TOLD,
    TakingRule,
    retaliates,
    takes_turns,
)
from hm_agent.worlds.melting_pot.games.open.calls import Call, WalkTo
from hm_agent.worlds.melting_pot.games.open.greedy import believed_rule
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import PuppetPlayer
from hm_agent.worlds.melting_pot.scenarios import game_named, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, bot_config
from hm_agent.worlds.melting_pot.simulator.substrate import default_settings
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld, SelfPlayWorld
from tests.model_stand_ins import CheckedReasoner
from tests.worlds.melting_pot.games.engine_events import ReportingWorld
from tests.worlds.melting_pot.games.test_open_prompts import COINS

FACTS = game_named("coins", CoinsFacts)
ME, OTHER = "player_0", "player_1"
OWN_CELL, OTHER_CELL = (49, 44), (45, 41)
STEPS = 250


class Played(NamedTuple):
    """An episode of a player that takes any coin beside another, and what it knows at the end.

    taken: by the engine's record, by step. rewards: its own, by step. colours: the players', by the engine's names.
    """

    taken: Sequence[Take]
    rewards: dict[int, float]
    colours: dict[str, str]
    seat: CoinsSeat


@pytest.fixture(scope="module")
def played() -> Played:
    taken, rewards, colours = list[Take](), dict[int, float](), dict[str, str]()

    def note(name: str, said: dict[str, Any]) -> None:
        if name == "coin_consumed":
            players = (ME, OTHER) if int(said["player_index"]) == 1 else (OTHER, ME)
            colours[players[0]] = said["player_coin_type"].decode()
            is_own = said["coin_type"] == said["player_coin_type"]
            taken.append(Take(turn.step + 1, players[0], players[0 if is_own else 1]))

    world = ReportingWorld("coins_6", note)
    turn = world.reset(seed=2)
    player = CoinsKind().bots(FACTS)._player(FACTS, 0, 0, ["defector"])
    while True:
        move = player.act(turn.observations[ME].view, turn.rewards.get(ME, 0.0))
        rewards[turn.step] = turn.rewards.get(ME, 0.0)
        if turn.step == STEPS:
            break
        turn = world.step({ME: move})
    world.close()
    seat = player._notes.situation
    assert isinstance(seat, CoinsSeat)
    return Played(taken, rewards, colours, seat)


def test_a_coin_pays_whoever_takes_it_one_and_costs_the_player_of_its_colour_two(played: Played) -> None:
    owed = dict.fromkeys(played.rewards, 0.0)
    for take in played.taken:
        owed[take.step] += (take.taker == ME) - 2 * (take.taker != take.owner == ME)
    assert owed == played.rewards
    assert {(take.taker, take.owner) for take in played.taken} == {(a, b) for a in (ME, OTHER) for b in (ME, OTHER)}


def test_the_own_colour_and_the_other_s_are_seen_as_the_engine_has_them(played: Played) -> None:
    seen = {ME: played.seat.own_coin, OTHER: played.seat.other_coin}
    assert seen == {player: colour.replace("_", " ") for player, colour in played.colours.items()}


def test_who_took_whose_coin_is_known_but_for_the_other_s_own_coins_that_were_out_of_view(played: Played) -> None:
    unsure = (OTHER, OTHER)
    known = [take for take in played.seat.takes if (take.taker, take.owner) != unsure]
    assert known == [take for take in played.taken if (take.taker, take.owner) != unsure]
    seen, real = (len(takes) - len(known) for takes in (played.seat.takes, played.taken))
    assert 0 < seen <= real


def test_both_players_know_their_colours_from_their_first_frame() -> None:
    world = SelfPlayWorld(scenario_named("coins_selfplay"))
    colours = []
    for seed in range(3):
        frames = world.reset(seed).observations
        seats = [CoinsNotes(FACTS, slot) for slot in (0, 1)]
        for name, notes in zip(world.seats, seats, strict=True):
            notes.read(Observation(0, frames[name].view))
        colours.append(tuple(notes.situation.own_coin for notes in seats))  # type: ignore[attr-defined]
    world.close()
    assert all(one != other for one, other in colours)
    assert {each for pair in colours for each in pair} <= {*FACTS.collects}
    assert len({*colours}) > 1


def test_facts_are_the_substrate_s() -> None:
    kind, settings = kind_of(FACTS), default_settings("coins")
    assert not list(kind.problems(FACTS, settings))
    assert len(list(kind.problems(replace(FACTS, growth=0.1, harm=1.0), settings))) == 2


# Rules


def hostile(rule: TakingRule, lost: Sequence[int], steps: Sequence[int], *others: Take) -> list[bool]:
    """Whether the other takes any coin in each of these steps, after it lost coins and other takes."""
    takes = sorted([*(Take(step, ME, OTHER) for step in lost), *others])
    return [rule.is_hostile([take for take in takes if take.step <= step], step, OTHER) for step in steps]


@pytest.mark.parametrize(("name", "rule"), [("one_strike", (1, 100)), ("three_strikes", (3, 150))])
def test_a_reciprocator_s_rule_is_melting_pot_s_puppeteer_s(name: str, rule: tuple[int, int]) -> None:
    """In any step, for coins lost at random, whether the puppeteer's GOAL is to cooperate."""
    puppeteer = bot_config(f"coins__puppet_{name}_reciprocator_0").puppeteer_builder()
    rng, state, lost, wanted = random.Random(5), puppeteer.initial_state(), list[int](), list[bool]()
    for step in range(1500):
        is_lost = rng.random() < 0.015
        lost += [step] * is_lost
        frame = dm_env.transition(0.0, {"MISMATCHED_COIN_COLLECTED_BY_PARTNER": float(is_lost)})
        told, state = puppeteer.step(frame if step else frame._replace(step_type=dm_env.StepType.FIRST), state)
        wanted.append(not told.observation["GOAL"][0])
    assert True in wanted
    assert hostile(retaliates(*rule), lost, range(1500)) == wanted


def test_other_rules_answer_what_they_say() -> None:
    spared = Take(30, ME, ME)
    assert hostile(COPIES, [10], [5, 10, 29, 30], spared) == [False, True, True, False]
    assert hostile(EVENS, [10], [5, 10, 40, 41], Take(40, OTHER, ME)) == [False, True, False, False]
    assert hostile(retaliates(2, FOR_GOOD), [10, 900], [899, 900, 9000]) == [False, True, True]
    assert hostile(retaliates(1, 60, at_first=True), [50], [0, 59, 109, 110]) == [True, True, True, False]
    assert hostile(takes_turns(80), [], [79, 80, 159, 160]) == [False, True, True, False]
    assert hostile(SPARES, [1], [2]) == [False]


def test_every_unseen_player_follows_a_rule_that_oracle_can_be_told() -> None:
    bots = CoinsKind().bots(FACTS)
    for unseen in FACTS.unseen:
        assert bots._player(FACTS, 0, 1, list(bots._named(unseen))).intent in TOLD


# What pays. COINS: an own coin lies at distance 2, one of the other's at 5; the agent took one of these in step 84.


def changed(**fields: Any) -> CoinsSeat:
    return replace(COINS, facts=replace(FACTS, length=replace(FACTS.length, least=1000)), **fields)


def target(calls: Sequence[Call]) -> object:
    (call,) = calls
    return call.target if isinstance(call, WalkTo) else None


def test_taking_the_other_s_coin_costs_what_its_rule_answers() -> None:
    seat = changed(takes=())
    assert provoked(seat, SPARES) == provoked(seat, TAKES_ANY) == provoked(seat, retaliates(2, 50)) == 0
    assert provoked(seat, retaliates(1, 50)) == pytest.approx(50 * FACTS.lost_per_step, rel=0.15)
    assert provoked(seat, retaliates(1, 100)) > provoked(seat, retaliates(1, 50)) > 1
    assert 1 < provoked(seat, COPIES) < provoked(seat, retaliates(1, 100))
    assert provoked(seat, EVENS) == pytest.approx(FACTS.harm + 1, rel=0.2)
    assert provoked(changed(), retaliates(1, FOR_GOOD)) == 0  # as it retaliates already
    assert provoked(changed(takes=(), step=990), retaliates(1, 100)) < 1  # as it ends


def test_the_best_plan_takes_what_pays_most_a_step_and_spares_what_costs_more() -> None:
    both = {OWN_CELL: ("coin red", 103), OTHER_CELL: ("coin blue", 95)}
    near = {OTHER_CELL: ("coin red", 103), OWN_CELL: ("coin blue", 95)}
    assert target(play_best(changed(seen=both, takes=()), retaliates(1, 100))) == OWN_CELL
    assert target(play_best(changed(seen=near, takes=()), retaliates(1, 100))) == OTHER_CELL
    assert target(play_best(changed(seen=near, takes=()), SPARES)) == OWN_CELL
    assert target(play_best(changed(seen=near, takes=()), TAKES_ANY)) == OTHER_CELL  # which else costs 2
    assert target(play_best(changed(seen=near), None)) == OWN_CELL
    assert target(SHORTCUTS["takes_own"].next(changed(seen=near))) == OTHER_CELL
    assert target(SHORTCUTS["copies_last"].next(changed(seen=near))) == OWN_CELL  # the other took one of ours last


def test_whoever_takes_only_near_coins_of_the_other_s_leaves_those_farther_off() -> None:
    rule = SCRIPTED["near_ones"]
    assert rule.words == NEAR_ONES.words
    far, near = {(52, 44): ("coin blue", 103)}, {(48, 44): ("coin blue", 103)}
    own = {(47, 30): ("coin red", 103)}
    assert target(rule.next(changed(seen={**far, **own}))) == (47, 30)
    assert target(rule.next(changed(seen={**near, **own}))) == (48, 44)


def test_a_puppet_does_what_its_puppeteer_says_and_drops_its_plan_when_that_changes() -> None:
    seat = changed(seen={(47, 30): ("coin red", 103), OTHER_CELL: ("coin blue", 103)})
    assert [target(goal.next(seat)) for goal in GOALS] == [(47, 30), OTHER_CELL, OTHER_CELL]
    notes = CoinsNotes(FACTS, 1)
    puppet = PuppetPlayer(notes, CoinsFollower(notes), GOALS, NAMED["one_strike"].words)
    puppet._follower.follow([WalkTo((50, 40))])
    puppet.aim(0)
    assert puppet._follower.plan
    puppet.aim(2)
    assert not puppet._follower.plan
    assert target(puppet._rule.next(seat)) == OTHER_CELL


def test_plans_end_when_their_coin_is_gone_or_a_nearer_one_has_come() -> None:
    notes = CoinsNotes(FACTS, 0)
    follower = CoinsFollower(notes)
    far = {OTHER_CELL: ("coin blue", 103)}
    follower.observe(changed(seen=far), (), None)
    follower.follow([WalkTo(OTHER_CELL)])
    assert follower.observe(changed(seen=far), (), None) is None
    nearer = {**far, (47, 43): ("coin red", 103)}
    assert "nearer" in (follower.observe(changed(seen=nearer), (), None) or "")
    assert "gone" in (follower.observe(changed(seen={(47, 43): ("coin red", 103)}), (), None) or "")


def test_places_to_look_at_lie_within_the_walls_that_were_seen() -> None:
    walls = {(52, y): ("wall", 90) for y in range(38, 50)} | {(x, 37): ("wall", 90) for x in range(40, 53)}
    seat = changed(seen=walls, blocking=frozenset(("wall",)))
    assert seat.unseen
    assert all(x < 52 and y > 37 for x, y in seat.unseen)
    assert seat._sides(1)[1] > 60  # no wall was seen there


# The mind


def test_what_the_other_took_tells_its_rule() -> None:
    def likeliest(*takes: Take) -> str:
        weights = REASONER.weigh(changed(takes=tuple(sorted(takes))), OTHER, ())
        return max(weights, key=weights.__getitem__)

    lost, kept = ([Take(step, OTHER, owner) for step in (120, 140, 145)] for owner in (ME, OTHER))
    provocation = Take(100, ME, OTHER)
    assert likeliest() == retaliates(2, 100).words
    assert likeliest(*lost) == TAKES_ANY.words
    assert likeliest(provocation, *lost) == retaliates(1, 50).words
    assert likeliest(provocation, *kept, *kept) == retaliates(2, 100).words
    assert believed_rule([PlayerBelief(OTHER, COPIES.words, None)], TOLD) == COPIES.words
    assert believed_rule([PlayerBelief(OTHER, None, EVENS.words)], TOLD) == EVENS.words
    assert believed_rule([PlayerBelief(OTHER, "It sings.", None)], TOLD) is None


def test_a_coin_of_its_own_colour_does_not_refute_that_a_player_takes_both() -> None:
    own, yours = (CoinConduct(9, OTHER, each, (), 1, (0, 0), 0.0, 0) for each in (TAKES_OWN, TAKES_YOURS))
    assert [own.shows(SPARES_YOURS), own.shows(TAKES_BOTH)] == [True, None]
    assert [yours.shows(SPARES_YOURS), yours.shows(TAKES_BOTH)] == [False, True]


def test_a_hypothesis_is_asked_for_until_one_has_foreseen_the_latest_coin() -> None:
    mind = CoinsMind([OTHER], SimpleNamespace(situation=COINS))
    foreseen = REASONER.foresee(SPARES.words, COINS, OTHER, ())
    assert foreseen.words == SPARES_YOURS
    seen = [CoinConduct(step, OTHER, TAKES_YOURS, (), 1, (0, 0), 0.0, 0) for step in (5, 9)]
    assert not mind.explains((Hypothesis(SPARES.words, prediction=SPARES_YOURS),), seen)
    assert mind.explains((Hypothesis(TAKES_ANY.words, prediction=TAKES_BOTH),), seen)


@pytest.mark.parametrize("agent", ["hypothetical_minds", "hm_joint", "hm_odds", "oracle", "copies_last"])
def test_agents_play_coins_with_answers_that_hold(agent: str) -> None:
    world = MeltingPotWorld(scenario_named("coins_2"), Bots.SCRIPTED)
    model = CheckedReasoner(suites()["melting_pot"].answers())
    log = SeatLog()
    play_out(world, seat_agents(world, scenarios()["coins_2"], agent, model=model), seed=0, steps=60, recorders=[log])
    asked = Counter(type(question).__name__ for question in model.asked)
    assert asked["Plan"]
    assert bool(asked["Predict"]) == (agent == "hypothetical_minds")
