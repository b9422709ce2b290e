"""What follows from who met whom: what the others know, what each of them believes of the rest, and where it goes.

Unlike the notes, which see the whole game, this starts from what a question shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from hm_agent.worlds.symmtom.knowledge.k_matrix import spoken_order
from hm_agent.worlds.symmtom.language.board import YOU, Board, Talk
from hm_agent.worlds.symmtom.policies.orders import EXCHANGED, Trajectory, nearest_in_range, walk
from hm_agent.worlds.symmtom.rules import OFFSETS, Direction
from hm_agent.worlds.symmtom.views import Cell, manhattan

Known = Mapping[str, frozenset[int]]
"""By player, `you` for the reader, the pieces that it is believed to know."""
Near = Mapping[str, Sequence[str]]
"""By player, who is in range of it."""
Spoken = Mapping[str, int | None]
"""By player, what it said; None for nothing."""


@dataclass(frozen=True)
class Beliefs:
    """What one player believes. known: who knows what. of_others: what it believes that each other one believes."""

    owner: str
    known: Known
    of_others: Sequence[Beliefs] = ()

    def of(self, player: str) -> Beliefs:
        return next(beliefs for beliefs in self.of_others if beliefs.owner == player)

    def after(self, guess: _Guess, near: Near, said: Spoken, recharged: Sequence[str]) -> Beliefs:
        """The beliefs after one more turn, by the rule of K.

        said: by those that the owner could hear; what others said is guessed. recharged: who did.
        """
        audible, known = (self.owner, *near[self.owner]), dict[str, frozenset[int]]()

        def told(speaker: str, listener: str) -> int | None:
            return said[speaker] if speaker in audible else guess(self.known, near, speaker, listener)

        for name, before in self.known.items():
            new = {told(speaker, name) for speaker in (name, *near[name])}
            is_noted = self.owner == YOU or len(before) == guess.pieces  # others know of recharges by what they believe
            forgets = name in recharged and is_noted
            known[name] = guess.first_hand[name] if forgets else before | {piece for piece in new if piece is not None}
        of_others = []
        for beliefs in self.of_others:
            heard = {name: told(name, beliefs.owner) for name in (beliefs.owner, *near[beliefs.owner])}
            after = beliefs.after(guess, near, heard, recharged)
            of_others.append(replace(after, known={**after.known, after.owner: known[after.owner]}))
        return Beliefs(self.owner, known, of_others)


class _Guess:
    """What is taken to be told where the reader could not hear it; None if there is nothing to tell.

    If the rules say how such speakers choose, it is the piece that the fewest near the speaker know, on a tie the first
    in its own order. Else each listener is told a piece that it lacks: the speaker's first-hand ones first, by number.
    """

    def __init__(self, board: Board) -> None:
        names = [YOU if name == board.me else name for name in board.rules.seats]
        self.pieces, self.is_greedy = board.rules.pieces, board.rules.has_greedy_speakers
        others = {player.name: frozenset(player.first_hand or ()) for player in board.others}
        self.first_hand: Known = {**others, YOU: frozenset(board.first_hand)}
        if board.rules.has_greedy_speakers:
            self._order = dict(zip(names, spoken_order(board.rules).tolist(), strict=True))
        else:
            self._order = {
                name: [piece + self.pieces * (piece not in own) for piece in range(self.pieces)]
                for name, own in self.first_hand.items()
            }

    def __call__(self, known: Known, near: Near, speaker: str, listener: str) -> int | None:
        order = self._order[speaker]
        if not self.is_greedy:
            return min(known[speaker] - known[listener], key=lambda piece: order[piece], default=None)

        def told(piece: int) -> tuple[int, int]:
            return sum(piece in known[listener] for listener in near[speaker]), order[piece]

        return min(known[speaker], key=told, default=None)


@lru_cache(64)
def beliefs_of(board: Board) -> Beliefs:
    """What the reader of a board can infer of who knows what, and of what the others believe.

    All that was heard since a player's latest recharge is certain, also where the talks shown begin later.
    """
    guess, names = _Guess(board), [YOU, *(player.name for player in board.others)]
    private = {} if board.rules.has_public_first_hand else dict.fromkeys(names, frozenset[int]())
    of_others = [
        Beliefs(name, {**guess.first_hand, **private, name: guess.first_hand[name]}) for name in names if name != YOU
    ]
    mine = Beliefs(YOU, guess.first_hand, of_others)
    for talk in board.talks:
        for said in _turns(talk):
            near = {name: [_other(pair, name) for pair in talk.pairs if name in pair] for name in names}
            mine = mine.after(guess, near, {name: said.get(name) for name in names}, talk.recharged)
    known = {
        player.name: mine.known[player.name].union(player.shown, guess.first_hand[player.name])
        for player in board.others
    }
    return replace(mine, known={**known, YOU: frozenset(board.knows)})


def _turns(talk: Talk) -> Iterator[Spoken]:
    """What was heard in each turn of a talk."""
    for turn in range(talk.last - talk.first + 1):
        yield {speaker: pieces[turn] for speaker, pieces in talk.said}


def _other(pair: tuple[str, str], name: str) -> str:
    return pair[1] if pair[0] == name else pair[0]


# Where the others go


def ways(board: Board) -> Mapping[str, Trajectory]:
    """Where each other player is expected to go.

    It goes to its base if it knows all; else to whom it can exchange most with per step, by what it believes. If its
    latest move did not bring it nearer to there, it is expected to stay.
    """
    mine = beliefs_of(board)
    return {
        player.name: [player.cell] if player.is_held else _way(board, mine.of(player.name)) for player in board.others
    }


def _way(board: Board, beliefs: Beliefs) -> Trajectory:
    """The cells on the way of the owner of beliefs."""
    player, goal = board.player(beliefs.owner), _goal(board, beliefs)
    if player.moved is not None:
        dx, dy = OFFSETS[Direction[player.moved.upper()]].tolist()
        if manhattan((player.cell[0] - dx, player.cell[1] - dy), goal) <= manhattan(player.cell, goal):
            return [player.cell]
    return walk(player.cell, goal)


def _goal(board: Board, beliefs: Beliefs) -> Cell:
    """The cell that the owner of beliefs wants to be in."""
    player, own = board.player(beliefs.owner), beliefs.known[beliefs.owner]
    if len(own) == board.rules.pieces:
        return player.base
    cells = {YOU: board.cell, **{other.name: other.cell for other in board.others}}
    best, goal = 0.0, player.cell
    for name, cell in cells.items():
        gain = len(own ^ beliefs.known[name])
        beside = nearest_in_range(board.rules, player.cell, cell)
        if gain and (rate := gain / (manhattan(player.cell, beside) + gain / EXCHANGED)) > best:
            best, goal = rate, beside
    return goal
