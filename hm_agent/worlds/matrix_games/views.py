"""What the players of a matrix game see, and what only viewers see."""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.repeated_games.payoffs import Side


@dataclass(frozen=True, slots=True)
class PastRound:
    """A round as one player saw it: both actions by name, and what both got for them."""

    own: str
    other: str
    reward: float
    others_reward: float


@dataclass(frozen=True, slots=True)
class RoundView:
    """What a player sees before a round. rounds: how many there are in all. history: the rounds so far, in order.

    tables: those of the rounds in history, where every round has its own; None where it is the same in all rounds.
    untold: how many rounds were played that the player is not told of; None where it is told of each. others_see_less:
    True if the other does not see what the player gets.
    """

    side: Side
    rounds: int
    history: tuple[PastRound, ...] = ()
    tables: tuple[Side, ...] | None = None
    untold: int | None = None
    others_see_less: bool = False

    @property
    def round(self) -> int:
        """The number of the present round, from 1."""
        return len(self.history) + (self.untold or 0) + 1

    @property
    def left(self) -> int:
        """How many rounds are still to play, the present one included."""
        return self.rounds - self.round + 1

    @property
    def played_tables(self) -> tuple[Side, ...]:
        """The table of each round in history."""
        return (self.side,) * len(self.history) if self.tables is None else self.tables

    @property
    def moves(self) -> list[tuple[int, int]]:
        """The number of its own action and of the other's, for each round so far."""
        own, others = self.side.actions.index, self.side.others.index
        return [(own(past.own), others(past.other)) for past in self.history]


@dataclass(frozen=True, slots=True)
class RoundScene:
    """A round for viewers only. opponent: the rule of the opponent in the world; empty in self-play."""

    opponent: str
    actions: tuple[str, str]
    rewards: tuple[float, float]
