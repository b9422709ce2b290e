"""An agent's notes on every view: who may know what, who met whom, and what was said in its hearing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hm_agent.agents.planning_body import Notes, PlanningState
from hm_agent.core import Event, Observation
from hm_agent.worlds.symmtom.agents import BeliefScore
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
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
    PlayerSeen,
    Said,
    Talk,
    WasHeard,
)
from hm_agent.worlds.symmtom.rules import Bools
from hm_agent.worlds.symmtom.settings import WINNING_RECHARGES
from hm_agent.worlds.symmtom.sights import Sights, sight_of
from hm_agent.worlds.symmtom.views import BoardView, Cell, Pieces, SpokenMove, direction_to

LONG_MEETING = 4
"""A meeting ends after this many turns, so that strategists learn what was said in it; another one may follow."""


@dataclass
class _PlayerNotes:
    """Notes on one other. shown, recharges: as in `PlayerSeen`. since: what it did since the latest meeting.

    said, told: by turn of the present meeting, empty if there is none. news: the pieces learnt in it.
    """

    shown: set[int] = field(default_factory=set)
    recharges: int = 0
    has_met: bool = False
    since: str | None = None
    said: list[int | None] = field(default_factory=list)
    told: list[int | None] = field(default_factory=list)
    news: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TalkerNotes:
    """What recordings show of an agent's notes.

    believed: by agent, the pieces that the agent believes this one to know; its own row is certain.
    """

    cell: Cell
    knows: Pieces
    believed: tuple[Pieces, ...]


class Notebook(Notes[BoardView, Board, SpokenMove]):
    """One agent's notes through an episode. seed: that of its own random numbers.

    steps: of the episode. score: measures which share of the notes is true; None: nothing is measured.

    The agent's estimate of who knows what is K with greedy encounters. Another agent that stands on its base and knew
    all by this estimate is taken to have recharged, and its second-hand pieces are struck out. The estimate can be
    wrong.
    """

    def __init__(self, seed: int, steps: int, score: BeliefScore | None = None) -> None:
        self._seed, self._steps, self._score = seed % 2**32, steps, score
        self._matrix = KINDS["ge"]()
        self._notes: dict[int, _PlayerNotes] = {}
        self._talks: list[Talk] = []
        self._before: BoardView | None = None
        self._recharges = 0
        """How often the agent has recharged."""
        self.pieces_heard: set[int] = set()
        """The pieces that anybody has said in the agent's hearing, the agent too."""
        self._board: Board
        self.sights: Sights
        self.known: Bools
        """(n, c): True where the agent believes that an agent knows a piece."""

    @property
    def situation(self) -> Board:
        return self._board

    def shown(self, planning: PlanningState) -> PlanningState:
        return replace(planning, notes=TalkerNotes(self._board.cell, self._board.knows, self.believed()))

    def metrics(self) -> Mapping[str, float]:
        return self._score.metrics() if self._score else {}

    def read(self, observation: Observation[BoardView]) -> Sequence[Event]:
        view, step, before = observation.view, observation.step, self._before
        self.sights = sight_of(view, step, observation.reward, self._seed)
        others = [agent for agent in range(view.settings.agents) if agent != view.agent]
        events: list[Event] = []
        if before is None:
            self._notes = {other: _PlayerNotes() for other in others}
            self.known = self._matrix.update(self.sights)[0]
        else:
            believed = self.known
            self.known = self._matrix.update(self.sights)[0]
            near = self.sights.near[0]
            events = self._own_events(step, view, before, near)
            self._note_talk(step, view, near, self._note_knowledge(view, believed, near, events))
            for other in others:
                events += self._note_meeting(step, view, before, near, other)
        self._before = view
        self._board = self._board_at(step, view, before, observation.reward)
        if self._score:
            self._score.note(self.known[None], self.sights)
        return events

    def _own_events(self, step: int, view: BoardView, before: BoardView, near: Bools) -> list[Event]:
        """The events of a turn, apart from the ends of meetings; counts the agent's own recharges."""
        names, me = view.settings.seats, view.agent
        was_near = _near(before)
        events: list[Event] = [
            CameIntoRange(step, names[other]) for other in self._notes if near[me, other] and not was_near[me, other]
        ]
        events += [
            PieceHeard(step, names[heard.speaker], heard.piece, heard.piece not in before.knows) for heard in view.heard
        ]
        listeners = tuple(names[other] for other in self._notes if near[me, other])
        if view.said is not None and listeners:
            events.append(WasHeard(step, view.said, listeners))
        if len(before.knows) == view.settings.pieces and view.positions[me] == view.bases[me]:
            events.append(HasRecharged(step))
            self._recharges += 1
        return events

    def _note_knowledge(self, view: BoardView, believed: Bools, near: Bools, events: Sequence[Event]) -> Sequence[int]:
        """Notes the pieces that others said or heard in the agent's hearing; returns who is taken to have recharged."""
        me = view.agent
        said = {heard.speaker: heard.piece for heard in view.heard} | ({} if view.said is None else {me: view.said})
        self.pieces_heard.update(said.values())
        recharged = [me] if any(isinstance(event, HasRecharged) for event in events) else []
        for other, notes in self._notes.items():
            notes.shown |= {piece for speaker, piece in said.items() if speaker == other or near[speaker, other]}
            if believed[other].all() and view.positions[other] == view.bases[other]:
                notes.shown, notes.recharges = set(), notes.recharges + 1
                recharged.append(other)
        return recharged

    def _note_talk(self, step: int, view: BoardView, near: Bools, recharged: Sequence[int]) -> None:
        """Notes who was in range of whom in a turn, and what the agent heard; as before goes on with the same talk."""
        me, names = view.agent, [YOU if agent == view.agent else name for agent, name in enumerate(view.settings.seats)]
        agents = [me, *self._notes]
        meeting = [(one, other) for place, one in enumerate(agents) for other in agents[place:] if near[one, other]]
        if not meeting and not recharged:
            return
        pairs = tuple((names[one], names[other]) for one, other in meeting)
        heard = {me: view.said, **{piece.speaker: piece.piece for piece in view.heard}}
        audible = [agent for agent in agents if near[me, agent]]
        said: dict[int, tuple[int | None, ...]]
        said = {agent: (heard.get(agent),) for agent in ([me, *audible] if audible else [])}
        first, before = step, self._talks[-1] if self._talks else None
        if before and (before.last, before.pairs, before.recharged) == (step - 1, pairs, ()):
            self._talks.pop()
            first, earlier = before.first, dict(before.said)
            said = {agent: (*earlier[names[agent]], *latest) for agent, latest in said.items()}
        told = tuple((names[agent], pieces) for agent, pieces in said.items())
        self._talks.append(Talk(first, step, pairs, told, tuple(names[agent] for agent in recharged)))

    def _note_meeting(self, step: int, view: BoardView, before: BoardView, near: Bools, other: int) -> Sequence[Event]:
        """Notes a turn of a meeting with another agent, or what that did meanwhile; an event if a meeting has ended."""
        notes, me = self._notes[other], view.agent
        goes_home = view.positions[other] == view.bases[other] != before.positions[other]
        if near[me, other]:
            piece = next((heard.piece for heard in view.heard if heard.speaker == other), None)
            notes.said.append(piece)
            notes.told.append(view.said)
            if piece is not None and piece not in before.knows and piece not in notes.news:
                notes.news.append(piece)
            is_over = goes_home or len(notes.said) == LONG_MEETING
        else:
            is_over = bool(notes.said)
        events = [MeetingEnded(step, self._close_meeting(step, view, other))] if is_over else []
        if not notes.said and notes.has_met and notes.since is None:
            partner = next((third for third in self._notes if near[other, third]), None)
            if goes_home:
                notes.since = VISITS_BASE
            elif partner is not None and not near[me, other]:
                notes.since = f"meets {view.settings.seats[partner]}"
        return events

    def _close_meeting(self, step: int, view: BoardView, other: int) -> Meeting:
        """Returns the present meeting, which has ended, and clears the notes on it."""
        notes = self._notes[other]
        does = (notes.since or RETURNS) if notes.has_met else None
        said, told, news = tuple(notes.said), tuple(notes.told), tuple(notes.news)
        notes.has_met, notes.since, notes.said, notes.told, notes.news = True, None, [], [], []
        return Meeting(step, view.settings.seats[other], does, said, told, news)

    def _board_at(self, step: int, view: BoardView, before: BoardView | None, reward: float) -> Board:
        """The board as questions show it. before: the view of the turn before; None at first."""
        names, me = view.settings.seats, view.agent
        return Board(
            rules=view.settings,
            step=step,
            steps=self._steps,
            me=names[me],
            cell=view.positions[me],
            base=view.bases[me],
            first_hand=view.first_hand[me] or (),
            knows=view.knows,
            others=tuple(self._player_at(view, before, other) for other in self._notes),
            said=view.said,
            heard=tuple(Said(names[heard.speaker], heard.piece) for heard in view.heard),
            is_held=me in view.held,
            got=reward,
            recharges=self._recharges,
            talks=tuple(_telling(self._talks)[-MOST_TALKS:]),
        )

    def _player_at(self, view: BoardView, before: BoardView | None, other: int) -> PlayerSeen:
        """Another agent as questions show it, from the view and the notes."""
        names, notes, near = view.settings.seats, self._notes[other], _near(view)
        first_hand = view.first_hand[other]
        neighbours = [third for third in range(view.settings.agents) if near[other, third]]
        moved = None
        if before and view.agent not in before.held:
            moved = direction_to(before.positions[other], view.positions[other]).name.lower()
        return PlayerSeen(
            name=names[other],
            cell=view.positions[other],
            base=view.bases[other],
            first_hand=first_hand,
            shown=tuple(sorted(notes.shown - set(first_hand or ()))),
            near=tuple(YOU if third == view.agent else names[third] for third in neighbours),
            moved=moved,
            is_held=other in view.held,
            recharges=min(notes.recharges, WINNING_RECHARGES - 1) if view.settings.is_competitive else notes.recharges,
        )

    def believed(self) -> tuple[Pieces, ...]:
        """By agent, the pieces that the notes' owner believes it to know."""
        return tuple(tuple(row.nonzero()[0].tolist()) for row in self.known)


def _telling(talks: Sequence[Talk]) -> Sequence[Talk]:
    """The talks that tell who knows what now: of players not all of whom have recharged since, and those recharges."""
    recharged, is_of_now = set[str](), list[bool]()
    for talk in reversed(talks):
        recharged.update(talk.recharged)
        is_of_now.insert(0, not talk.players <= recharged)
    met, telling = set[str](), list[Talk]()
    for talk, tells in zip(talks, is_of_now, strict=True):
        if tells or not met.isdisjoint(talk.recharged):
            telling.append(talk)
            met = (met | talk.players) - {*talk.recharged}
    return telling


def _near(view: BoardView) -> Bools:
    """(n, n): True where two agents are within hearing range."""
    near: Bools = sight_of(view, 0, 0.0, 0).near[0]
    return near
