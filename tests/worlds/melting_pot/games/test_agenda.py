"""Hidden Agenda: the rules of votes against the engine, what speaks for being the impostor, and what is done then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.testing.episodes import play_steps
from hm_agent.worlds.melting_pot.games.agenda.agenda_facts import AgendaFacts, is_voting_place, nearest_deposit
from hm_agent.worlds.melting_pot.games.agenda.agenda_mind import best_calls, impostor_chances
from hm_agent.worlds.melting_pot.games.agenda.agenda_play import (
    ACCUSES,
    CREW,
    FOLLOWS,
    HUNTS,
    IMPOSTOR,
    LURKS,
    PAUSE,
    SAFE,
    SILENT,
    accusing_calls,
    bring_gems,
    most_suspect,
)
from hm_agent.worlds.melting_pot.games.agenda.agenda_seat import AgendaNotes, AgendaSeat
from hm_agent.worlds.melting_pot.games.agenda.evidence import ELSEWHERE, NEAR_FROZEN, Ballot, EvidenceWatch, Suspicion
from hm_agent.worlds.melting_pot.games.open.calls import (
    CollectThings,
    FollowPlayer,
    KeepAway,
    LookAround,
    UseAction,
    WalkTo,
)
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen
from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.scenarios import game_named, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import bots_of
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld

OTHERS = ("player_1", "player_2", "player_3", "player_4")
HALL, ROOM = Pose(5, 8, 0), Pose(14, 3, 0)


@pytest.fixture(scope="module")
def seat() -> AgendaSeat:
    """A crewmate's seat at the beginning of an episode, after a vote was seen through to the end by the engine's rules.

    Three of five vote for the impostor, which is out after 25 steps: that ends it, and pays the crew.
    """
    facts, actions = game_named("hidden_agenda", AgendaFacts), actions_of("hidden_agenda")
    notes = AgendaNotes(facts, 0)
    world = SelfPlayWorld(scenario_named("hidden_agenda_selfplay"))
    turn = world.reset(seed=1)
    notes.read(turn.observations["player_0"])
    seat = notes.situation
    voters = dict.fromkeys(("player_0", "player_1", "player_2"), actions["VOTE_5"])
    while not turn.is_over:
        is_vote = 201 <= turn.step < 226
        turn = world.step({name: int(voters.get(name, 0)) if is_vote else 0 for name in world.seats})
        if turn.step == 210:
            ballot = Ballot.of(turn.observations["player_3"].view["VOTING"])
            assert ballot.votes == {**dict.fromkeys(voters, "player_4"), "player_3": None, "player_4": None}
            assert not ballot.out
    world.close()
    assert turn.step == 225
    assert list(turn.rewards.values()) == [1, 1, 1, 1, -1]
    assert isinstance(seat, AgendaSeat)
    return seat


def seen(pose: Pose, players: Mapping[str, Cell]) -> FrameSeen:
    """A frame of a player at a pose, with others in view."""
    shown = tuple(Detection(name, (0, 0), cell, 0, None, is_player=True) for name, cell in players.items())
    return FrameSeen(TextualMap(pose, True, None, shown, NOWHERE, 0), (), ())


def watched(players: Mapping[str, Cell], *, is_seen: bool) -> tuple[Sequence[Suspicion], list[str]]:
    """What is known, and told, after player_1 was frozen. players: in view before. is_seen: a vote has begun."""
    watch = EvidenceWatch(frozenset(), "player_0")
    votes = dict.fromkeys(("player_0", *OTHERS))
    watch.ballot = Ballot(votes, frozenset())
    watch.read(10, seen(HALL, players), (), None, 0.0)
    votes.pop("player_1")
    watch.ballot = Ballot(votes, frozenset(("player_1",)))
    told = watch.read(11, seen(ROOM if is_seen else HALL, {}), (), None, 0.0)
    return watch.suspicions, [event.interaction.behaviour for event in told]


def test_whoever_was_beside_a_frozen_player_is_suspected_if_a_vote_begins() -> None:
    known, told = watched({"player_1": (5, 6), "player_2": (5, 4), "player_3": (9, 1)}, is_seen=True)
    assert known == (Suspicion("player_2", near=1), Suspicion("player_3", elsewhere=1), Suspicion("player_4"))
    assert told == [NEAR_FROZEN, ELSEWHERE]


def test_nobody_in_view_did_it_if_no_vote_begins() -> None:
    known, _ = watched({"player_2": (5, 4)}, is_seen=False)
    assert known[0] == Suspicion("player_2", elsewhere=1)


def test_players_in_view_are_not_cleared_if_they_may_have_been_seen_by_the_agent_itself() -> None:
    known, told = watched({"player_2": (5, 4)}, is_seen=True)
    assert known[0] == Suspicion("player_2")
    assert not told


def test_who_works_and_who_idles_is_counted_by_the_steps_in_view() -> None:
    watch = EvidenceWatch(frozenset(), "player_0")
    watch.ballot = Ballot(dict.fromkeys(("player_0", *OTHERS)), frozenset())
    for step, (x, _) in enumerate([(12, 0), (13, 0), (14, 0), (15, 0)]):
        watch.read(step, seen(HALL, {"player_1": (x, 10), "player_2": (9, 9)}), (), None, 0.0)
    first, second, *_ = watch.suspicions
    assert first == Suspicion("player_1", steps=3, stores=1)
    assert second == Suspicion("player_2", steps=3, idle=3)


def test_the_impostor_may_tag_soon_unless_it_has_just_tagged_or_been_in_a_vote() -> None:
    watch = EvidenceWatch(frozenset(), "player_0")
    votes = dict.fromkeys(("player_0", *OTHERS))
    tags = []
    for step in range(160):
        if step == 60:
            votes.pop("player_1")
        watch.ballot = Ballot(votes, frozenset(OTHERS) - votes.keys())
        watch.read(step, seen(ROOM if step in range(130, 155) else HALL, {}), (), None, 0.0)
        tags += [step] * watch.can_tag
    assert tags == [*range(42, 60), *range(102, 130)]


def test_of_four_one_is_the_impostor_and_who_idles_is_likelier_than_who_stores(seat: AgendaSeat) -> None:
    assert set(impostor_chances(seat).values()) == {0.25}
    known = tuple(
        Suspicion(name, steps=40, idle=idle, stores=stores)
        for name, idle, stores in zip(OTHERS, (8, 0, 0, 1), (0, 3, 0, 0), strict=True)
    )
    idler, worker, *_ = chances = [*impostor_chances(changed(seat, suspicions=known)).values()]
    assert sum(chances) == pytest.approx(1)
    assert idler == max(chances) > 0.9
    assert worker == min(chances)


def test_a_crewmate_that_knows_too_little_joins_the_votes_of_others_or_votes_for_nobody(seat: AgendaSeat) -> None:
    believed = dict.fromkeys(OTHERS, CREW)
    voting = changed(seat, is_voting=True)
    assert best_calls(voting, believed)[0] == UseAction("vote_6")
    accused = changed(voting, votes={**dict.fromkeys(OTHERS), "player_1": "player_3"})
    assert best_calls(accused, believed)[0] == UseAction("vote_4")
    cleared = tuple(Suspicion(name, elsewhere=int(name == "player_3")) for name in OTHERS)
    assert best_calls(changed(accused, suspicions=cleared), believed)[0] == UseAction("vote_6")


def test_a_crewmate_keeps_away_from_who_may_freeze_it_soon(seat: AgendaSeat) -> None:
    def beside(count: int, ago: int = 0) -> AgendaSeat:
        sighted = {
            name: PlayerSighting((4 + place, 5), 0, None, seat.step - ago) for place, name in enumerate(OTHERS[:count])
        }
        return changed(seat, is_ready=True, sighted=sighted, pose=HALL)

    unclear, told = dict.fromkeys(OTHERS, CREW), {**dict.fromkeys(OTHERS, SILENT), "player_1": HUNTS}
    assert best_calls(beside(1), unclear) == [KeepAway("player_1", PAUSE)]
    assert best_calls(beside(2), unclear) == [LookAround(), *bring_gems(beside(2))]
    assert best_calls(beside(2), told) == [KeepAway("player_1", PAUSE)]
    far = changed(beside(2), pose=Pose(4, 5 + SAFE + 1, 0))
    assert best_calls(far, told) == [KeepAway("player_1", PAUSE)]
    assert best_calls(beside(2, ago=9), told)[0] == LookAround()
    assert best_calls(changed(beside(2), is_ready=False), told) == bring_gems(beside(2))


def changed(seat: AgendaSeat, **fields: object) -> AgendaSeat:
    return replace(seat, **fields)  # type: ignore[arg-type]


def test_a_crewmate_votes_for_the_impostor_it_knows_and_for_nobody_without_a_belief(seat: AgendaSeat) -> None:
    voting = changed(seat, is_voting=True)
    assert best_calls(voting, {"player_2": CREW, "player_3": LURKS})[0] == UseAction("vote_4")
    assert best_calls(voting, {})[0] == UseAction("vote_6")


def test_of_two_suspects_the_one_seen_beside_more_frozen_players_gets_the_vote(seat: AgendaSeat) -> None:
    known = (Suspicion("player_1", near=1), Suspicion("player_2", near=2))
    voting = changed(seat, is_voting=True, suspicions=known)
    assert best_calls(voting, {"player_1": IMPOSTOR, "player_2": IMPOSTOR})[0] == UseAction("vote_3")
    assert most_suspect(voting) == "player_2"


def test_scripted_crewmates_follow_an_accusation_unless_they_saw_the_accused_elsewhere(seat: AgendaSeat) -> None:
    voting = changed(seat, is_voting=True, votes={**dict.fromkeys(OTHERS), "player_1": "player_3"})
    assert accusing_calls(voting)[0] == UseAction("vote_4")
    cleared = changed(voting, suspicions=tuple(Suspicion(name, elsewhere=1) for name in OTHERS))
    assert accusing_calls(cleared)[0] == UseAction("vote_6")


def test_a_crewmate_stores_its_gem_in_the_middle(seat: AgendaSeat) -> None:
    assert best_calls(changed(seat, carries=True, pose=Pose(5, 3, 0)), {}) == [WalkTo((14, 9))]
    assert nearest_deposit((16, 20)) == (16, 12)
    held = best_calls(changed(seat, seen={(3, 3): ("gem", 0)}), {})
    assert held == [CollectThings("gem")]
    assert is_voting_place(ROOM.cell)
    assert not is_voting_place(HALL.cell)


def test_an_impostor_freezes_beside_witnesses_only_where_crewmates_do_not_accuse(seat: AgendaSeat) -> None:
    sighted = {name: PlayerSighting((4 + place, 5), 0, None, seat.step) for place, name in enumerate(OTHERS[:2])}
    impostor = changed(seat, is_impostor=True, is_ready=True, sighted=sighted, pose=HALL)
    nearest = impostor.in_view[0]
    assert best_calls(impostor, {"player_1": SILENT}) == [UseAction("tag", nearest)]
    assert best_calls(impostor, {"player_1": ACCUSES}) == [FollowPlayer(nearest, 5)]
    last = changed(impostor, votes=dict.fromkeys(OTHERS[:2]))
    assert best_calls(last, {"player_1": ACCUSES}) == [UseAction("tag", nearest)]
    voting = changed(impostor, is_voting=True)
    assert best_calls(voting, {"player_1": FOLLOWS})[0] == UseAction("vote_2")
    assert best_calls(voting, {"player_1": ACCUSES})[0] == UseAction("vote_2")
    assert best_calls(voting, {"player_1": SILENT})[0] == UseAction("vote_6")


def test_scripted_players_tell_their_slot_by_their_own_colour() -> None:
    world = SelfPlayWorld(scenario_named("hidden_agenda_selfplay"))
    bots, frames = bots_of(game_named("hidden_agenda", AgendaFacts)), world.reset(seed=2).observations
    assert isinstance(bots, RuleBots)
    assert [bots.own_slot(frames[name].view["RGB"]) for name in world.seats] == list(range(5))
    world.close()


def test_who_is_out_of_the_game_stands_still_and_is_asked_nothing_more() -> None:
    played = play_steps(find_scenarios(["hidden_agenda_unseen_0"])[0], "react", 62, seed=6)
    out = [step for step in played if "player_0" in Ballot.of(step.observation.view["VOTING"]).out]
    assert len(out) == 10
    for step in out:
        assert step.decision.action == Move.NOOP
        assert not step.decision.exchanges
        assert not step.decision.events
