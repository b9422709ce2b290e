"""What a cook knows when strategists ask about the teammate and about roles, and what answers may say of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from hm_agent.questions import WORDS_PATTERN, Forms, check_all, one_of
from hm_agent.theory_of_mind.situation import Behaviour, NoticedInteraction, SeatSituation, TypedStrategy
from hm_agent.worlds.melting_pot.games.cooking.activities import Held
from hm_agent.worlds.melting_pot.games.cooking.kitchen import KitchenRules, Pot
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction, Pace
from hm_agent.worlds.melting_pot.games.cooking.work_costs import WorkCost


class NextRound(Behaviour):
    """What the teammate does in the next round: a role with its tempo, e.g. `loads pots promptly`."""

    does: str

    @property
    def words(self) -> str:
        return self.does


class SharedWork(TypedStrategy):
    """A strategy in words, the behaviour that is expected of the teammate, and the role to play beside it."""

    expects: str
    role: str


@dataclass(frozen=True, slots=True)
class KitchenSeat(SeatSituation):
    """A kitchen at one step, as one cook knows it.

    hands: what the agent holds. held: what the teammate holds, None if it was never seen. pace: the teammate's. own,
    other: the cost of work in the agent's room and in the other one. about: the teammate that the question is about, if
    there are several; else empty.
    """

    blocks = "melting_pot/cooking/blocks.j2"
    behaviour = NextRound
    strategy = SharedWork

    rules: KitchenRules
    step: int
    hands: str | None
    pots: tuple[Pot, ...]
    held: Held | None
    pace: Pace
    own: WorkCost
    other: WorkCost
    about: str = ""

    @property
    def loading_share(self) -> float:
        """The part of all work that is loading pots; where that is unknown, as if both parts took the same time."""
        loading, serving = self.own.loading or 1, self.own.serving or 1
        return self.rules.tomatoes * loading / (self.rules.tomatoes * loading + serving)

    def behaviour_forms(self, about: str | None) -> Forms:
        return {"does": one_of(self.rules.behaviours)}

    def check_behaviour(self, about: str, given: Any) -> None:
        self.rules.check_behaviour("does", given.does)

    def strategy_forms(self, present: str | None) -> Forms:
        words = {} if present else {"words": {"pattern": WORDS_PATTERN}}
        return {"expects": one_of(self.rules.behaviours), "role": one_of(self.rules.roles), **words}

    def check_strategy(self, given: Any, present: str | None) -> None:
        check_all(
            partial(SeatSituation.check_strategy, self, given.words, present),
            partial(self.rules.check_behaviour, "expects", given.expects),
            partial(self.rules.check_role, given.role),
        )

    def shown(self, history: Sequence[NoticedInteraction], latest: int) -> Sequence[NoticedInteraction]:
        """All rounds, those before the latest ones without what the teammate did in them."""
        earlier = (each.outline if isinstance(each, KitchenInteraction) else each for each in history[:-latest])
        return tuple(chain(earlier, history[-latest:]))
