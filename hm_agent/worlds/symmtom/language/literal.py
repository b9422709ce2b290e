"""The literal question: does another agent know a piece? Asked of language models, and used for nothing but the score.

What a model says that others know, beside what it earns, tells literal from functional Theory of Mind (Riemer et al.).
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
"""How many bits of K a question asks at most."""


@dataclass(frozen=True, slots=True)
class KnowledgeBit:
    """Whether an agent knows a piece."""

    player: str
    piece: int


class KnowledgeAnswer(BaseModel):
    """A yes or no to each bit, in their order."""

    reasoning: str = ""
    knows: list[bool]


@dataclass(frozen=True, slots=True)
class ProbeKnowledge(Question[KnowledgeAnswer]):
    """Does another agent know a piece? Of a few bits at once."""

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
    """Draws what one seat is asked, and counts how much of what it says is so; it never gets the truth.

    count: at how many steps of an episode it is asked, of its first `steps`; never at the very first, and at most at
    all others. All agents in a seat are asked the same bits at the same steps.
    """

    def __init__(self, world: SymmtomWorld, seed: int, count: int, steps: int) -> None:
        self._world, self._seed = world, seed
        later = range(1, steps)
        self._due = frozenset(Random(f"{seed}/literal").sample(later, min(count, len(later))))
        self._asked = self._right = self._yes = self._said_yes = self._by_notes = self._unanswered = 0

    def bits(self, board: Board) -> Sequence[KnowledgeBit]:
        """What is asked now; nothing at most steps. Of what all know an agent to know first-hand, nothing is asked."""
        if board.step not in self._due:
            return ()
        pieces = range(self._world.settings.pieces)
        bits = [
            KnowledgeBit(one.name, piece)
            for one in board.peers
            for piece in pieces
            if piece not in (one.first_hand or ())
        ]
        return Random(f"{self._seed}/{board.step}").sample(bits, min(BITS, len(bits)))

    def note(
        self, bits: Sequence[KnowledgeBit], answer: KnowledgeAnswer | None, believed: Sequence[Sequence[int]]
    ) -> None:
        """Compares an answer with the truth. answer: None if the model gave no usable one. believed: the notes' K."""
        names, knows = self._world.settings.seats, self._world.state.knows[0]
        said = answer.knows if answer else [None] * len(bits)
        for bit, told in zip(bits, said, strict=True):
            agent = names.index(bit.player)
            truth = bool(knows[agent, bit.piece])
            self._asked += 1
            self._yes += truth
            self._right += told is truth
            self._said_yes += told is True
            self._unanswered += told is None
            self._by_notes += (bit.piece in believed[agent]) is truth

    def metrics(self) -> Mapping[str, float]:
        """Shares of the bits asked; empty if none was. An unanswered bit counts as wrong.

        literal_right: said rightly. literal_true: so in truth, what `always yes` reaches; `always no` the rest.
        literal_said_yes: said to be so. literal_by_notes: believed rightly by the agent's notes.
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
