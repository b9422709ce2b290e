"""What other players are seen to do: every so many steps, what each that was in view did becomes an interaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from hm_agent.theory_of_mind.situation import InteractionSeen
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.memory.entities import Disappearance

STRETCH = 25
"""The steps of a stretch, after which the agent takes stock of what others did."""
LEAST_SEEN = 8
"""A player that was in view in fewer steps of a stretch has shown nothing."""
MOST_TOLD = 2
"""How many players a stretch tells of at most: those that took or used something first, then those seen longest."""
STAYS, WALKS = "stays in place", "walks about"
FEW_STEPS = 0.2
"""A player that changes its cell in a smaller share of the steps stays in place."""


def takes(thing: str) -> str:
    return f"takes {thing}"


def uses(effect: str) -> str:
    return f"uses {effect}"


@dataclass(frozen=True, slots=True)
class Conduct:
    """What another player did in a stretch. reward: the agent's own meanwhile.

    behaviour: what it took or used most often, else whether it stayed or walked. acts: all that it took and used, with
    how often. seen: in how many steps it was in view. cell: where it was last.
    """

    step: int
    partner: str
    behaviour: str
    acts: tuple[tuple[str, int], ...]
    seen: int
    cell: Cell
    reward: float

    def shows(self, prediction: str) -> bool | None:
        return prediction == self.behaviour


@dataclass(frozen=True, slots=True)
class ConductSeen(InteractionSeen):
    """A stretch is over in which another player was seen."""

    interaction: Conduct

    def describe(self) -> str:
        return f"{self.interaction.partner} {self.interaction.behaviour}"


@dataclass(slots=True)
class Stretch:
    """What one player was seen to do since the latest stretch ended. cell: where it was last."""

    cell: Cell | None = None
    steps: int = 0
    walked: int = 0
    acts: Counter[str] = field(default_factory=Counter)

    def see(self, cell: Cell) -> None:
        """Counts a step in which the player was in view."""
        self.steps += 1
        self.walked += cell != self.cell
        self.cell = cell

    @property
    def moves(self) -> str:
        return WALKS if self.walked >= FEW_STEPS * self.steps else STAYS


class Watch(Protocol):
    """Watches the other players of one episode. behaviours: what others can be predicted to do."""

    behaviours: dict[str, None]

    def read(
        self, step: int, sight: FrameSeen, gone: Sequence[Disappearance], own: Cell | None, reward: float
    ) -> Sequence[ConductSeen]:
        """Takes in a frame; returns the stretches that it ends.

        gone: the things that the frame shows to be gone. own: the cell ahead of the agent, whose effects are its own.
        """
        ...


class ConductWatch:
    """Watches the other players of one episode.

    takable: the things that count as taken once they are gone. least_seen: a player that was in view in fewer steps of
    a stretch has shown nothing.
    """

    least_seen = LEAST_SEEN

    def __init__(self, takable: Set[str]) -> None:
        self._takable = takable
        self._seen: dict[str, Stretch] = {}
        self._begun, self._earned = 0, 0.0
        self.behaviours: dict[str, None] = dict.fromkeys((STAYS, WALKS))
        """All that others were seen to do so far, which is what they can be predicted to do."""

    def read(
        self, step: int, sight: FrameSeen, gone: Sequence[Disappearance], own: Cell | None, reward: float
    ) -> Sequence[ConductSeen]:
        self._earned += reward
        for player in sight.map.players:
            if player.cell is None:
                continue
            seen = self._seen.setdefault(player.kind, Stretch(player.cell))
            seen.see(player.cell)
            ahead = player.pose.place(1, 0) if player.pose else None
            taken = [each for each in gone if each.cell == player.cell and each.kind in self._takable]
            acts = [self._taking(step, each) for each in taken]
            acts += [uses(effect) for cell, effect in sight.effects if cell == ahead != own]
            seen.acts.update(acts)
            self.behaviours |= dict.fromkeys(acts)
            self._did(step, player.kind, acts)
        if step - self._begun < STRETCH:
            return ()
        ended = sorted(self._ended(step), key=lambda each: (not each.acts, -each.seen, each.partner))[:MOST_TOLD]
        self._seen, self._begun, self._earned = {}, step, 0.0
        return [ConductSeen(step, conduct) for conduct in ended]

    def _ended(self, step: int) -> Iterator[Conduct]:
        for player, seen in self._seen.items():
            if seen.steps >= self.least_seen and seen.cell:
                acts = tuple(seen.acts.most_common())
                behaviour = self._main(acts) if acts else seen.moves
                conduct = Conduct(step, player, behaviour, acts, seen.steps, seen.cell, self._earned)
                yield self._in_context(conduct)

    def _did(self, step: int, player: str, acts: Sequence[str]) -> None:
        """Notes what a player in view did in a step; kinds of games may keep more than its stretch."""

    def _in_context(self, conduct: Conduct) -> Conduct:
        """What a player did; kinds of games may tell more of it."""
        return conduct

    def _taking(self, step: int, taken: Disappearance) -> str:
        """What it is called to take a thing; kinds of games may tell more of it."""
        return takes(taken.kind)

    def _main(self, acts: Sequence[tuple[str, int]]) -> str:
        """What a player that did these things did above all. acts: with how often, the commonest first."""
        return acts[0][0]
