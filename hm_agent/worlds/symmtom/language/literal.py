"""The literal question: does another agent know a piece? Language models are asked it for the metrics alone.

How well a model says what others know, beside what it earns, sets literal apart from functional Theory of Mind (Riemer
et al.).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from hm_agent.agents.planning_body import LiteralProbes
from hm_agent.core import Seat
from hm_agent.worlds.symmtom.language.board import Board
from hm_agent.worlds.symmtom.language.notebook import Notebook
from hm_agent.worlds.symmtom.views import SpokenMove
from hm_agent.worlds.symmtom.world import SymmtomWorld, knows_now

BITS = 4
"""The largest number of bits of K in one question."""


class KnowledgeProbes(LiteralProbes[Board, SpokenMove]):
    """Draws the literal questions of one seat, and scores the answers by the truth, which the agent never gets.

    count: at how many of the episode's first `steps` steps it asks; never at the very first one, at most at all others.
    Steps and bits depend on the seed and the board alone, so every agent in a seat is asked the same.
    """

    choices = ("yes", "no")

    def __init__(self, world: SymmtomWorld, seed: int, count: int, steps: int, notebook: Notebook) -> None:
        self._world, self._seed, self._notebook = world, seed, notebook
        self._bits: Sequence[tuple[Seat, int]] = ()
        later = range(1, steps)
        self._steps_due = frozenset(Random(f"{seed}/literal").sample(later, min(count, len(later))))
        self._scores: list[Mapping[str, bool]] = []

    def due(self, situation: Board) -> Sequence[str]:
        """The bits to ask for in this step; none in most. First-hand knowledge that is public is left out."""
        if situation.step not in self._steps_due:
            return ()
        bits = [
            (player.name, piece)
            for player in situation.others
            for piece in range(self._world.settings.pieces)
            if piece not in (player.first_hand or ())
        ]
        self._bits = Random(f"{self._seed}/{situation.step}").sample(bits, min(BITS, len(bits)))
        return [knows_now(player, piece) for player, piece in self._bits]

    def take(self, answers: Sequence[str] | None) -> None:
        seats, knows, believed = self._world.settings.seats, self._world.state.knows[0], self._notebook.known
        for (player, piece), said in zip(self._bits, answers or (None,) * len(self._bits), strict=True):
            bit = seats.index(player), piece
            self._scores.append(
                {
                    "literal_right": said == ("yes" if knows[bit] else "no"),
                    "literal_true": bool(knows[bit]),
                    "literal_said_yes": said == "yes",
                    "literal_by_notes": bool(believed[bit] == knows[bit]),
                    "literal_by_hearing": bool((piece in self._notebook.pieces_heard) == knows[bit]),
                    "literal_unanswered": said is None,
                }
            )

    def metrics(self) -> Mapping[str, float]:
        """Shares of the bits asked; empty if none was. An unanswered bit counts as wrong.

        literal_right: answered rightly. literal_true: truly known, the score of always saying yes; always saying no
        scores the rest. literal_said_yes: answered by yes. literal_by_notes: right by the agent's notes.
        literal_by_hearing: right by yes to each piece that anybody, the agent too, has said in its hearing.
        """
        if not self._scores:
            return {}
        asked = len(self._scores)
        return {
            "literal_asked": float(asked),
            **{name: sum(score[name] for score in self._scores) / asked for name in self._scores[0]},
        }
