"""The rules of players who think of what the other expects of them, and answer that."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from hm_agent.config import ConfigError
from hm_agent.repeated_games.payoffs import Side
from hm_agent.repeated_games.rules_of_play import NextActionRule, RuleOfPlay


class LastMoves(NamedTuple):
    """What both played in a round."""

    own: int
    other: int


def expected(side: Side, depth: int, action: int) -> int:
    """The other's next action by a theory of mind of some depth: after `depth - 1` best responses, one to another.

    action: what they begin from, the other's last action at odd depths, the player's own at even ones; the last of them
    is the other's.
    """
    for more in reversed(range(depth - 1)):
        action = (side if more % 2 else side.opposite).best_response(action)
    return action


@dataclass(frozen=True)
class TheoryOfMindRule(RuleOfPlay):
    """Best-responds to what a theory of mind of some order expects of the other (after de Weerd et al., 2013).

    Depth 1 expects the other to play its last action again; depth 2 expects it to best-respond to the rule's own last
    action; and so on, one best response more a depth. It trusts the depth up to `order` whose expectation came true
    most often in the last `window` rounds, the deepest of several.
    """

    order: int = 1
    window: int = 4
    first: int | None = None
    start = (None, ())

    def after(self, state: tuple[LastMoves | None, tuple[tuple[bool, ...], ...]], own: int, other: int) -> Hashable:
        """What both played last, and for each of the last rounds, which depths had expected the other's action."""
        last, came_true = state
        if last is None or self.order == 1:
            return LastMoves(own, other), came_true
        hits = tuple(self._expected(depth, last) == other for depth in range(1, self.order + 1))
        return LastMoves(own, other), (*came_true, hits)[-self.window :]

    def reply(self, state: tuple[LastMoves | None, tuple[tuple[bool, ...], ...]]) -> int | None:
        last, came_true = state
        if last is None:
            return self.first
        success = [sum(hits[depth] for hits in came_true) for depth in range(self.order)]
        trusted = max(range(self.order), key=lambda depth: (success[depth], depth))
        return self.side.best_response(self._expected(trusted + 1, last))

    def _expected(self, depth: int, last: LastMoves) -> int:
        return expected(self.side, depth, last.other if depth % 2 else last.own)


@dataclass(frozen=True)
class OutguessRule(NextActionRule):
    """Expects the other to best-respond to what the rule itself played last, and best-responds to that."""

    first: int | None = None
    order = 2

    def after(self, state: int | None, own: int, other: int) -> int:
        return self.side.outguessing(own)


class Thought(NamedTuple):
    """What it plays next, whether it thinks deeper now, and how often in a row it has been beaten while it did."""

    reply: int | None = None
    is_deeper: bool = False
    beaten: int = 0


@dataclass(frozen=True)
class DeeperWhenBeatenRule(RuleOfPlay):
    """Has a habit and, each time it is beaten `losses` times in a row, leaves it for a deeper thought, or returns.

    It is beaten if the other best-responds to its action. The habit of order 2 is to go on from its own last action, of
    order 3 to best-respond to the other's, both by `step` actions further. The deeper thought: the other expects the
    habit and best-responds to it; best-respond to that. first, tremble: as in CopyRule.
    """

    order: int = 2
    losses: int = 1
    step: int = 0
    first: int | None = None
    tremble: float = 0.0
    start = Thought()

    def __post_init__(self) -> None:
        if self.order not in (2, 3):
            raise ConfigError(f"order: say 2 or 3, not {self.order}")

    def after(self, state: Thought, own: int, other: int) -> Thought:
        beaten = state.beaten + 1 if other == self.side.opposite.best_response(own) else 0
        changes = beaten == self.losses
        is_deeper = state.is_deeper != changes
        anchor = own if self.order == 2 else self.side.best_response(other)
        habit = (anchor + self.step) % len(self.side.actions)
        answered = self.side.outguessing(habit)
        return Thought(answered if is_deeper else habit, is_deeper, 0 if changes else beaten)

    def reply(self, state: Thought) -> int | None:
        return self.first if state.reply is None else state.reply
