"""The literal question: does another agent know a piece? Language models are asked it for the metrics alone.

How well a model says what others know, beside what it earns, sets literal apart from functional Theory of Mind (Riemer
et al.).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from pydantic import BaseModel

from hm_agent.questions import Question
from hm_agent.worlds.symmtom.language.board import Board
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.world import SymmtomWorld

BITS = 4
"""The largest number of bits of K in one question."""


@dataclass(frozen=True, slots=True)
class KnowledgeBit:
    """One bit of K: whether an agent knows a piece."""

    player: str
    piece: int


class KnowledgeAnswer(BaseModel):
    """A yes or no to each bit, in their order."""

    reasoning: str = ""
    knows: list[bool]


@dataclass(frozen=True, slots=True)
class ProbeKnowledge(Question[KnowledgeAnswer]):
    """Does another agent know a piece? Asks for a few bits at once."""

    template = "symmtom/probe_knowledge.j2"
    schema = KnowledgeAnswer
    rules: GameSettings
    board: Board
    bits: tuple[KnowledgeBit, ...]

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {"knows": {"minItems": len(self.bits), "maxItems": len(self.bits)}}

    def check(self, answer: KnowledgeAnswer) -> None:
        if len(answer.knows) != len(self.bits):
            raise ValueError(f"knows: {len(answer.knows)} given, {len(self.bits)} wanted, one for each question")


class LiteralProbe:
    """Draws the literal questions of one seat, and scores the answers by the truth, which the agent never gets.

    count: at how many of the episode's first `steps` steps it asks; never at the very first one, at most at all others.
    Steps and bits depend on the seed and the board alone, so every agent in a seat is asked the same.
    """

    def __init__(self, world: SymmtomWorld, seed: int, count: int, steps: int) -> None:
        self._world, self._seed = world, seed
        later = range(1, steps)
        self._steps_due = frozenset(Random(f"{seed}/literal").sample(later, min(count, len(later))))
        self._asked = self._right = self._yes = self._said_yes = self._by_notes = self._unanswered = 0

    def bits(self, board: Board) -> Sequence[KnowledgeBit]:
        """The bits to ask for in this step; none in most. First-hand knowledge that is public is left out."""
        if board.step not in self._steps_due:
            return ()
        pieces = range(self._world.settings.pieces)
        bits = [
            KnowledgeBit(peer.name, piece)
            for peer in board.peers
            for piece in pieces
            if piece not in (peer.first_hand or ())
        ]
        return Random(f"{self._seed}/{board.step}").sample(bits, min(BITS, len(bits)))

    def note(
        self, bits: Sequence[KnowledgeBit], answer: KnowledgeAnswer | None, believed: Sequence[Sequence[int]]
    ) -> None:
        """Scores an answer, None if the model gave no valid one. believed: K of the agent's notes, pieces by agent."""
        names, knows = self._world.settings.seats, self._world.state.knows[0]
        answers = answer.knows if answer else [None] * len(bits)
        for bit, said in zip(bits, answers, strict=True):
            agent = names.index(bit.player)
            truth = bool(knows[agent, bit.piece])
            self._asked += 1
            self._yes += truth
            self._right += said is truth
            self._said_yes += said is True
            self._unanswered += said is None
            self._by_notes += (bit.piece in believed[agent]) is truth

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
