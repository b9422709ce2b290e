"""Agents of matrix games that model no mind: rules of thumb for what to hold, with everybody's senses and plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from hm_agent.core import Clue, Strategy
from hm_agent.questions import Model
from hm_agent.repeated_games.learners import LEARNERS, Learner, mutual_action
from hm_agent.theory_of_mind.strategist import BaseStrategist
from hm_agent.worlds.melting_pot.games.matrix.kind import AS_TAKEN
from hm_agent.worlds.melting_pot.games.matrix.mind import MatrixMind
from hm_agent.worlds.melting_pot.games.matrix.pairs.kinds import ANSWERS
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy

Seen = str | None
"""The behaviour that the other player is seen to prepare since the latest interaction; None if that is unclear."""
Choice = Callable[[MatrixMind, Seen], MatrixStrategy]
"""What to hold next, by all interactions, which the mind keeps, and by what is seen now."""
WINDOW = 3
"""How many of the latest interactions `counter_commonest` looks at."""


class RuleOfThumb(BaseStrategist[MatrixMind]):
    """Chooses what to hold by a rule of thumb, after every interaction and whenever it sees something new."""

    def __init__(self, mind: MatrixMind, model: Model, choose: Choice) -> None:
        super().__init__(mind, model)
        self._choose = choose

    async def _decide(self) -> Strategy:
        clues = [clue for clue in self._clues.values() if clue.suggests]
        return self._choose(self._mind, clues[-1].suggests if clues else None)

    async def _on_interaction(self, interaction: object) -> Strategy:
        self._clues.clear()
        return await self._decide()

    async def _on_clue(self, clue: Clue) -> Strategy:
        return await self._decide()


def constant(number: int) -> Choice:
    """The game's kind of a number, in every interaction."""
    return lambda mind, seen: mind.commit(mind.rules.behaviours[number])


def eyes(mind: MatrixMind, seen: Seen) -> MatrixStrategy:
    """The best response to what the other takes now, which it watches first; it remembers no interaction."""
    strategy = mind.best_response({mind.players[0]: seen})
    return strategy if seen else replace(strategy, watch_first=True)


def tit_for_tat(mind: MatrixMind, seen: Seen) -> MatrixStrategy:
    """What the other played last; at first its part of what pays both together the most."""
    played = _played(mind, 1)
    return mind.commit(played[-1] if played else mind.rules.behaviours[mutual_action(mind.rules.side)])


def counter(window: int) -> Choice:
    """The best response to the other's commonest kind in the latest interactions, the latest of several."""

    def choose(mind: MatrixMind, seen: Seen) -> MatrixStrategy:
        played = _played(mind, window)
        commonest = max(reversed(played), key=Counter(played).__getitem__, default=None)
        return mind.best_response({mind.players[0]: commonest})

    return choose


def learning(learner: Learner) -> Choice:
    """What a learner plays after all interactions in which a kind led on both sides."""

    def choose(mind: MatrixMind, seen: Seen) -> MatrixStrategy:
        kinds = mind.rules.behaviours
        played = ((met.own_behaviour, met.behaviour) for met in mind.history.interactions)
        moves = [(kinds.index(own), kinds.index(other)) for own, other in played if own and other]
        return mind.commit(kinds[learner(mind.rules.side, moves)])

    return choose


def as_taken(which: str, answer: int) -> Choice:
    """Some best responses to a kind that was taken in the prelude of a pair; see `AS_TAKEN`."""

    def choose(mind: MatrixMind, seen: Seen) -> MatrixStrategy:
        witnessed = mind.situation.witnessed
        takings = witnessed.takings if witnessed else ()
        if witnessed and which == "faced":
            takings = tuple(taking for taking in takings if taking.is_noticed(witnessed.window))
        if not takings:
            return mind.undecided()
        kind = mind.rules.side.best_responses(takings[-1].kind, answer)
        return mind.commit(mind.rules.behaviours[kind])

    return choose


def _played(mind: MatrixMind, window: int) -> list[str]:
    """The other's kinds in the latest interactions, as far as they are known."""
    return [met.behaviour for met in mind.history.interactions[-window:] if met.behaviour is not None]


CHOICES: Mapping[str, Choice] = {
    **{f"constant_{number}": constant(number) for number in range(3)},
    "eyes": eyes,
    "tit_for_tat": tit_for_tat,
    "counter_last": counter(1),
    "counter_commonest": counter(WINDOW),
    **{name: learning(learner) for name, learner in LEARNERS.items()},
    **{f"{which}_{answer}": as_taken(which, answer) for which in AS_TAKEN for answer in range(ANSWERS)},
}
"""The rules of thumb by the names of the agents that play by them."""
