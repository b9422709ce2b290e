"""The seam of Coins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.games.coins.coins_facts import CoinsFacts
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.coins.coins_follower import CoinsFollower
    from hm_agent.worlds.melting_pot.games.coins.coins_mind import CoinsMind
    from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsNotes, CoinsSeat
    from hm_agent.worlds.melting_pot.games.coins.simulator.coins_bots import CoinsBots


class CoinsKind(OpenKind):
    """Two players with a colour each, of whom is watched who takes whose coins."""

    facts = CoinsFacts
    knows_bots = True
    shortcuts: Mapping[str, str] = {
        "takes_own": "takes only coins of its own colour",
        "takes_nearest": "takes the nearest coin of any colour",
        "own_first": "takes coins of its own colour, and any other while it knows of none",
        "copies_last": "takes any coin if the other took one of its colour last, else only its own",
    }

    def shortcut(self, name: str) -> Callable[[Any, Model], Strategist]:
        from hm_agent.worlds.melting_pot.games.coins.coins_play import SHORTCUTS
        from hm_agent.worlds.melting_pot.games.open.constant_strategist import ConstantStrategist

        return lambda mind, model: ConstantStrategist(mind, model, SHORTCUTS[name].words)

    def notes(self) -> type[CoinsNotes]:
        from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsNotes

        return CoinsNotes

    def follower(self) -> type[CoinsFollower]:
        from hm_agent.worlds.melting_pot.games.coins.coins_follower import CoinsFollower

        return CoinsFollower

    def mind(self) -> type[CoinsMind]:
        from hm_agent.worlds.melting_pot.games.coins.coins_mind import CoinsMind

        return CoinsMind

    def situation(self) -> type[CoinsSeat]:
        from hm_agent.worlds.melting_pot.games.coins.coins_seat import CoinsSeat

        return CoinsSeat

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot.games.coins.coins_mind import ANSWERS

        return ANSWERS

    def bots(self, facts: CoinsFacts) -> CoinsBots:
        from hm_agent.worlds.melting_pot.games.coins.simulator.coins_bots import CoinsBots

        return CoinsBots(facts)

    def problems(self, facts: Any, settings: Mapping[str, Any]) -> Iterator[str]:
        from hm_agent.worlds.melting_pot.games.coins.simulator.coins_bots import coin_problems

        yield from super().problems(facts, settings)
        yield from coin_problems(facts, settings)
