"""What tells who the impostor is: who was where when somebody was frozen, who works, who idles, and who votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from hm_agent.worlds.melting_pot.facts import seat_of
from hm_agent.worlds.melting_pot.games.agenda.agenda_facts import TAG_REACH, TAG_REST, is_deposit, is_voting_place
from hm_agent.worlds.melting_pot.games.open.conduct import Conduct, ConductSeen, ConductWatch
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen
from hm_agent.worlds.melting_pot.grid import Cell, distance
from hm_agent.worlds.melting_pot.memory.entities import Disappearance
from hm_agent.worlds.melting_pot.perception.sprites import Pixels

SOON = 10
"""A crewmate looks so many steps ahead to when it may be frozen."""
NEAR_FROZEN = "is beside a player when that is frozen"
ELSEWHERE = "is in view elsewhere when somebody is frozen"
VOTES, ABSTAINS = "votes for somebody", "votes for nobody"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What was seen of a player, as numbers of times.

    near: when a player was frozen, nobody was nearer to it. elsewhere: when one was, this one was in view, and did not
    do it. steps: in how many it was in view, and idle: in how many of these it stayed in its cell. stores: it walked
    onto the deposit.
    """

    player: str
    near: int = 0
    elsewhere: int = 0
    steps: int = 0
    idle: int = 0
    stores: int = 0


@dataclass(frozen=True, slots=True)
class Ballot:
    """What the game tells of votes. votes: whom each votes for, None for nobody. out: who can play no more."""

    votes: Mapping[str, str | None]
    out: frozenset[str]

    @classmethod
    def of(cls, matrix: Pixels) -> Ballot:
        """Reads VOTING: a row for each player, a column for each that it votes for, for nobody, and for being out."""
        players = [seat_of(slot) for slot in range(len(matrix))]
        votes, out = dict[str, str | None](), set[str]()
        for player, row in zip(players, matrix, strict=True):
            column = int(row.argmax())
            if column == len(players) + 1:
                out.add(player)
            else:
                votes[player] = players[column] if column < len(players) else None
        return cls(votes, frozenset(out))


NO_BALLOT = Ballot({}, frozenset())


class EvidenceWatch(ConductWatch):
    """Watches the others of one episode, and who was where when somebody was frozen.

    own: the agent's name. ballot: what the game tells of votes with the next frame, or has told with the latest one.
    is_voting: True while players vote. can_tag: True if the impostor may be able to tag now or in a few steps.
    """

    def __init__(self, takable: Set[str], own: str) -> None:
        super().__init__(takable)
        self._own = own
        self.ballot = NO_BALLOT
        self._before: Mapping[str, Cell] = {}
        """Where others were in the frame before."""
        self._out: frozenset[str] = frozenset()
        self._known: dict[str, Suspicion] = {}
        self._rested_from = 0
        """The latest step from which on the impostor has to rest."""
        self.can_tag = self.is_voting = False
        self._voted: dict[str, str | None] = {}
        self.behaviours |= dict.fromkeys((NEAR_FROZEN, ELSEWHERE, VOTES, ABSTAINS))

    @property
    def is_out(self) -> bool:
        """True once the agent itself can play no more."""
        return self._own in self.ballot.out

    @property
    def suspicions(self) -> tuple[Suspicion, ...]:
        """Of all others that can still play."""
        playing = sorted(self.ballot.votes.keys() - {self._own})
        return tuple(self._of(name) for name in playing)

    def _of(self, name: str) -> Suspicion:
        return self._known.get(name, Suspicion(name))

    def _count(self, name: str, **more: int) -> None:
        """Adds to what was seen of a player."""
        before = self._of(name)
        self._known[name] = replace(before, **{what: getattr(before, what) + count for what, count in more.items()})

    def read(
        self, step: int, sight: FrameSeen, gone: Sequence[Disappearance], own: Cell | None, reward: float
    ) -> Sequence[ConductSeen]:
        pose = sight.map.pose
        was_voting, self.is_voting = self.is_voting, pose is not None and is_voting_place(pose.cell)
        seen = []
        if not was_voting:  # else whoever is out now was voted out
            frozen = sorted(self.ballot.out - self._out - {self._own})
            seen = [act for victim in frozen for act in self._witnessed(step, victim)]
            self._rested_from = step if frozen else self._rested_from
        if self.is_voting:
            self._rested_from = step
            voted = {name: vote for name, vote in self.ballot.votes.items() if vote or name not in self._voted}
            self._voted |= voted
        elif self._voted:
            seen += [
                self._shown(step, name, VOTES if vote else ABSTAINS, self._before.get(name, (0, 0)))
                for name, vote in self._voted.items()
                if name != self._own and name in self.ballot.votes
            ]
            self._voted = {}
        self._out = self.ballot.out
        self.can_tag = step - self._rested_from >= TAG_REST - SOON
        cells = {player.kind: player.cell for player in sight.map.players if player.cell is not None}
        if not (self.is_voting or was_voting):
            self._note_doings(cells)
        self._before = cells
        return [*seen, *super().read(step, sight, gone, own, reward)]

    def _note_doings(self, cells: Mapping[str, Cell]) -> None:
        """Notes who in view stays where it was, and who walks onto the deposit."""
        for name, cell in cells.items():
            before = self._before.get(name)
            if before is not None and name in self.ballot.votes:
                stores = is_deposit(cell) and not is_deposit(before)
                self._count(name, steps=1, idle=cell == before, stores=stores)

    def _witnessed(self, step: int, victim: str) -> Iterator[ConductSeen]:
        """What was seen of the others just before a player was frozen.

        A vote begins at once if somebody saw it. So nobody in view did it if none begins, and whoever was beside the
        player may have done it if one begins.
        """
        place = self._before.get(victim)
        far = TAG_REACH + 1
        away = {name: distance(cell, place) if place else far for name, cell in self._before.items() if name != victim}
        nearest = min((away[name] for name in away if name in self.ballot.votes), default=far)
        for name, cell in self._before.items():
            if name == victim or name not in self.ballot.votes or (self.is_voting and place is None):
                continue
            is_near = self.is_voting and away[name] == nearest < far
            self._count(name, near=is_near, elsewhere=not is_near)
            yield self._shown(step, name, NEAR_FROZEN if is_near else ELSEWHERE, cell)

    def _shown(self, step: int, name: str, behaviour: str, cell: Cell) -> ConductSeen:
        return ConductSeen(step, Conduct(step, name, behaviour, ((behaviour, 1),), 1, cell, 0.0))
