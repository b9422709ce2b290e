"""What an agent notes of real games: events, who may know what, and meetings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from hm_agent.core import Event, Observation
from hm_agent.matched_pairs import HALVES, PAIRS
from hm_agent.worlds.symmtom import rules
from hm_agent.worlds.symmtom.language.board import (
    MOST_TALKS,
    RETURNS,
    VISITS_BASE,
    YOU,
    Board,
    CameIntoRange,
    HasRecharged,
    Meeting,
    MeetingEnded,
    PieceHeard,
    Talk,
    WasHeard,
)
from hm_agent.worlds.symmtom.language.notebook import LONG_MEETING, Notebook, _telling
from hm_agent.worlds.symmtom.pairs.kinds import KINDS
from hm_agent.worlds.symmtom.pairs.pair_world import PairBoard
from hm_agent.worlds.symmtom.rules import Direction, GameState
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.views import Cell, SpokenMove
from hm_agent.worlds.symmtom.world import view_of

LEFT, RIGHT, UP, DOWN, STAY = Direction
SETTINGS = GameSettings(6, 3, 3)


class Game:
    """A game from given cells, as agent 0 notes it; agent i knows piece i first-hand."""

    def __init__(self, cells: list[Cell], bases: list[Cell], settings: GameSettings = SETTINGS) -> None:
        self.settings = settings
        first_hand = np.eye(3, dtype=bool)[None]
        self.state = GameState(
            seeds=np.zeros(1, np.uint32),
            step=np.zeros(1, np.int32),
            positions=np.array([cells], np.int32),
            bases=np.array([bases], np.int32),
            first_hand=first_hand,
            second_hand=np.zeros_like(first_hand),
            recharges=np.zeros((1, 3), np.int32),
            changed=np.zeros_like(first_hand),
        )
        self.notebook = Notebook(seed=0, steps=settings.steps)
        self.events = self.notebook.read(Observation(0, view_of(settings, self.state, None, 0)))

    @property
    def board(self) -> Board:
        return self.notebook.situation

    def step(self, moves: Mapping[int, SpokenMove]) -> list[Event]:
        """One turn; who is not named stays and says its own piece."""
        chosen = [moves.get(agent, SpokenMove(STAY, agent)) for agent in range(3)]
        directions, pieces = [[int(one.direction) for one in chosen]], [[one.piece for one in chosen]]
        self.state, effects = rules.step(self.settings, self.state, directions, pieces)
        view, step = view_of(self.settings, self.state, effects, 0), int(self.state.step[0])
        self.events = self.notebook.read(Observation(step, view, float(effects.rewards[0, 0])))
        return list(self.events)


FAR = [(0, 0), (5, 5), (5, 0)]
APART = [(0, 0), (3, 0), (5, 5)]


def meetings(events: list[Event]) -> list[Meeting]:
    return [event.interaction for event in events if isinstance(event, MeetingEnded)]


def test_nothing_has_happened_at_the_first_sight() -> None:
    game = Game([(0, 0), (1, 1), (5, 5)], FAR)
    assert list(game.events) == []
    assert game.board.in_range == ("player_1",)
    assert [player.shown for player in game.board.others] == [(), ()]


def test_coming_into_range_hearing_and_being_heard_are_events() -> None:
    game = Game([(0, 0), (3, 0), (5, 5)], FAR)
    events = game.step({0: SpokenMove(RIGHT, 0), 1: SpokenMove(LEFT, 1)})
    assert events == [
        CameIntoRange(1, "player_1"),
        PieceHeard(1, "player_1", 1, is_new=True),
        WasHeard(1, 0, ("player_1",)),
    ]
    assert game.step({}) == [PieceHeard(2, "player_1", 1, is_new=False), WasHeard(2, 0, ("player_1",))]


def test_what_was_said_in_hearing_is_noted_of_all_who_heard_it() -> None:
    game = Game([(1, 1), (2, 1), (3, 1)], FAR)  # agent 2 hears agent 1, not the noting agent
    game.step({})
    others = {player.name: player for player in game.board.others}
    assert others["player_1"].shown == (0,)
    assert others["player_2"].shown == (1,)
    pairs, said = ((YOU, "player_1"), ("player_1", "player_2")), ((YOU, (0,)), ("player_1", (1,)))
    assert game.board.talks == (Talk(1, 1, pairs, said),)
    assert others["player_2"].near == ("player_1",)
    assert others["player_1"].near == (YOU, "player_2")


def test_silence_teaches_nothing() -> None:
    game = Game([(1, 1), (2, 1), (5, 5)], FAR)
    events = game.step({1: SpokenMove(STAY, 2)})  # agent 1 does not know piece 2
    assert not any(isinstance(event, PieceHeard) for event in events)
    assert game.board.player("player_1").shown == (0,)


def test_a_recharge_strikes_out_what_another_agent_had_learnt() -> None:
    game = Game([(1, 1), (2, 1), (1, 2)], [(0, 0), (3, 1), (5, 5)])
    game.step({})
    game.step({2: SpokenMove(STAY, 2)})
    assert game.board.player("player_1").shown == (0, 2)
    assert game.notebook.believed()[1] == (0, 1, 2)
    game.step({1: SpokenMove(RIGHT, 1)})
    assert game.board.player("player_1").shown == ()
    assert [player.recharges for player in game.board.others] == [1, 0]
    assert game.notebook.believed()[1] == (1,)
    assert game.state.knows[0, 1].tolist() == [False, True, False]


def test_the_own_recharge_is_an_event() -> None:
    game = Game([(1, 1), (2, 1), (1, 2)], [(0, 1), (5, 5), (5, 4)])
    game.step({})
    assert game.board.lacks == ()
    events = game.step({0: SpokenMove(LEFT, 0)})
    assert HasRecharged(2) in events
    assert (game.board.knows, game.board.recharges) == ((0,), 1)
    game.step({})
    assert game.board.recharges == 1


def test_a_meeting_ends_when_the_partner_leaves_and_tells_what_was_said() -> None:
    game = Game([(1, 1), (2, 1), (5, 5)], FAR)
    assert meetings(game.step({})) == []
    (meeting,) = meetings(game.step({1: SpokenMove(RIGHT, 0)}))
    assert meeting == Meeting(2, "player_1", None, (1,), (0,), (1,))
    assert (meeting.behaviour, meeting.reward) == ("says 1", 1.0)


def test_a_long_meeting_is_told_in_parts() -> None:
    game = Game([(1, 1), (2, 1), (5, 5)], FAR)
    ended = [meetings(game.step({})) for _ in range(2 * LONG_MEETING)]
    assert [len(each) for each in ended] == 2 * [*[0] * (LONG_MEETING - 1), 1]
    assert ended[-1][0].behaviour == f"{RETURNS}, says 1"
    assert ended[-1][0].turns == LONG_MEETING


@pytest.mark.parametrize(
    ("bases", "third", "does"),
    [
        ([(0, 0), (3, 1), (5, 5)], (5, 5), VISITS_BASE),
        ([(0, 0), (5, 5), (5, 4)], (4, 1), "meets player_2"),
        ([(0, 0), (5, 5), (5, 4)], (5, 5), RETURNS),
    ],
)
def test_what_a_partner_does_between_two_meetings_is_noted(bases: list[Cell], third: Cell, does: str) -> None:
    game = Game([(1, 1), (2, 1), third], bases)
    game.step({})
    game.step({1: SpokenMove(RIGHT, 1)})
    game.step({1: SpokenMove(LEFT, 1)})
    (meeting,) = meetings(game.step({1: SpokenMove(RIGHT, 1)}))
    assert meeting.does == does
    assert meeting.behaviour == f"{does}, says 1"


@pytest.mark.parametrize(("third", "does"), [((3, 2), "meets player_2"), ((5, 5), RETURNS)])
def test_who_is_with_another_as_it_parts_meets_that_one(third: Cell, does: str) -> None:
    game = Game([(1, 1), (2, 1), third], FAR)
    game.step({})
    game.step({1: SpokenMove(RIGHT, 1), 0: SpokenMove(LEFT, 0)})
    game.step({1: SpokenMove(LEFT, 1), 0: SpokenMove(RIGHT, 0), 2: SpokenMove(RIGHT, 2)})
    (meeting,) = meetings(game.step({0: SpokenMove(LEFT, 0)}))
    assert meeting.does == does


def test_the_reward_of_the_latest_turn_is_noted() -> None:
    game = Game([(1, 1), (2, 1), (5, 5)], FAR)
    assert game.board.got == 0
    game.step({})
    assert game.board.got == 2  # heard one, told one
    game.step({})
    assert game.board.got == 0


def test_private_first_hand_knowledge_is_not_noted() -> None:
    game = Game(APART, FAR, GameSettings(6, 3, 3, has_public_first_hand=False))
    assert [player.first_hand for player in game.board.others] == [None, None]
    assert game.notebook.believed() == ((0,), (), ())
    game.step({0: SpokenMove(RIGHT, 0), 1: SpokenMove(LEFT, 1)})
    assert game.board.player("player_1").shown == (0, 1)
    assert game.board.player("player_2").shown == ()


def test_a_talk_tells_nothing_once_all_in_it_have_recharged() -> None:
    apart, near = Talk(1, 1, (("player_1", "player_2"),)), Talk(2, 2, ((YOU, "player_1"),))
    one, both = (Talk(5, 5, recharged=names) for names in (("player_1",), ("player_1", "player_2")))
    assert _telling([apart, one]) == [apart, one]
    assert _telling([apart, both]) == []
    assert _telling([apart, near, both]) == [near, both]


def test_a_recharge_tells_nothing_of_who_has_met_nobody_since_the_one_before() -> None:
    met, recharged = Talk(1, 1, ((YOU, "player_1"),)), Talk(5, 5, recharged=("player_1",))
    later = Talk(9, 9, recharged=("player_1",))
    assert _telling([recharged, met]) == [met]
    assert _telling([met, recharged, later]) == [met, recharged]


def at_the_decision(kind: str, half: str, number: int, place: int) -> tuple[PairBoard, Notebook]:
    """One board of a pair, and the tested agent's notes on the prelude."""
    board, notebook = PairBoard(kind, half, place), Notebook(seed=0, steps=30)
    turn = board.reset(number)
    notebook.read(turn.observations["player_0"])
    while notebook.situation.is_held:
        turn = board.step({})
        notebook.read(turn.observations["player_0"])
    return board, notebook


@pytest.mark.parametrize(
    "kind", ["order_1", *(pytest.param(kind, marks=pytest.mark.heavy) for kind in KINDS if kind != "order_1")]
)
def test_a_prompt_shows_all_talks_of_every_shipped_pair(kind: str) -> None:
    for case in product(HALVES, range(PAIRS), (0, 1)):
        _, notebook = at_the_decision(kind, *case)
        assert len(_telling(notebook._talks)) <= MOST_TALKS, case


def test_how_others_moved_is_not_told_while_the_agent_is_held() -> None:
    board, notebook = at_the_decision("order_2", HALVES[0], 0, 0)
    assert [player.moved for player in notebook.situation.others] == [None] * 3
    notebook.read(board.step({"player_0": SpokenMove(STAY, 0)}).observations["player_0"])
    assert {player.moved for player in notebook.situation.others} <= {step.name.lower() for step in Direction}
