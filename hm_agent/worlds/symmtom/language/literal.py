"""The literal question: does another agent know a piece? Language models are asked it for the metrics alone.

How well a model says what others know, beside what it earns, sets literal apart from functional Theory of Mind (Riemer
et al.).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from hm_agent.agents.planning_body import LiteralProbes
from hm_agent.worlds.symmtom.language.board import Board
from hm_agent.worlds.symmtom.language.notebook import Notebook
from hm_agent.worlds.symmtom.views import SpokenMove
from hm_agent.worlds.symmtom.world import SymmtomWorld, knows_now

BITS = 4
"""The largest number of bits of K in one question."""


@dataclass(frozen=True, slots=True)
class KnowledgeBit:
    """One bit of K: whether an agent knows a piece."""

    player: str
    piece: int


class KnowledgeProbes(LiteralProbes[Board, SpokenMove]):
    """Draws the literal questions of one seat, and scores the answers by the truth, which the agent never gets.

    count: at how many of the episode's first `steps` steps it asks; never at the very first one, at most at all others.
    Steps and bits depend on the seed and the board alone, so every agent in a seat is asked the same.
    """

    choices = ("yes", "no")

    def __init__(self, world: SymmtomWorld, seed: int, count: int, steps: int, notebook: Notebook) -> None:
        self._world, self._seed, self._notebook = world, seed, notebook
        self._bits: Sequence[KnowledgeBit] = ()
        later = range(1, steps)
        self._steps_due = frozenset(Random(f"{seed}/literal").sample(later, min(count, len(later))))
        self._asked = self._right = self._yes = self._said_yes = self._by_notes = self._unanswered = 0

    def due(self, situation: Board) -> Sequence[str]:
        self._bits = self.bits(situation)
        return [knows_now(bit.player, bit.piece) for bit in self._bits]

    def take(self, answers: Sequence[str] | None) -> None:
        self._note(self._bits, None if answers is None else [answer == "yes" for answer in answers])

    def bits(self, board: Board) -> Sequence[KnowledgeBit]:
        """The bits to ask for in this step; none in most. First-hand knowledge that is public is left out."""
        if board.step not in self._steps_due:
            return ()
        pieces = range(self._world.settings.pieces)
        bits = [
            KnowledgeBit(player.name, piece)
            for player in board.others
            for piece in pieces
            if piece not in (player.first_hand or ())
        ]
        return Random(f"{self._seed}/{board.step}").sample(bits, min(BITS, len(bits)))

    def _note(self, bits: Sequence[KnowledgeBit], answers: Sequence[bool | None] | None) -> None:
        """Scores the answers to bits, None if the model gave no valid one."""
        names, knows = self._world.settings.seats, self._world.state.knows[0]
        for bit, said in zip(bits, answers or (None,) * len(bits), strict=True):
            agent = names.index(bit.player)
            truth = bool(knows[agent, bit.piece])
            self._asked += 1
            self._yes += truth
            self._right += said is truth
            self._said_yes += said is True
            self._unanswered += said is None
            self._by_notes += (bit.piece in self._notebook.believed()[agent]) is truth

    def metrics(self) -> Mapping[str, float]:
        """Shares of the bits asked; empty if none was. An unanswered bit counts as wrong.

        literal_right: answered rightly. literal_true: truly known, the score of always saying yes; always saying no
        scores the rest. literal_said_yes: answered by yes. literal_by_notes: right by the agent's notes.
        """
        if not self._asked:
            return {}
        counts = {
            "literal_right": self._right,
            "literal_true": self._yes,
            "literal_said_yes": self._said_yes,
            "literal_by_notes": self._by_notes,
            "literal_unanswered": self._unanswered,
        }
        return {"literal_asked": float(self._asked), **{name: count / self._asked for name, count in counts.items()}}
