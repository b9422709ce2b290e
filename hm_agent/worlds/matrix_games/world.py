"""A matrix game as a world: against an opponent that plays by a rule, or between two seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from hm_agent.core import Observation, Seat, Turn, World
from hm_agent.repeated_games.payoffs import Side
from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.repeated_games.written_rules import rule_in_words
from hm_agent.worlds.matrix_games.settings import TableScenario
from hm_agent.worlds.matrix_games.views import PastRound, RoundScene, RoundView


class MatrixGameWorld(World[RoundView, str]):
    """All players choose an action by its name at once, round after round, and then see what both chose and got.

    They see neither where the game does not tell of rounds.

    opponent: the rule that plays against the only seat, drawn for each episode; None in self-play. It sees the present
    table. opponent_state: its present state. Both are for references that are told of it.
    """

    def __init__(self, scenario: TableScenario) -> None:
        self.scenario = scenario
        self.seats: Sequence[Seat] = scenario.seats
        self.opponent: RuleOfPlay | None = None
        self.opponent_state: Any = None
        self._sides = (scenario.side, scenario.side.opposite)
        self._tables: tuple[Side, ...] | None = None
        self._histories: tuple[tuple[PastRound, ...], ...] = ((), ())

    def reset(self, seed: int) -> Turn[RoundView]:
        # Agents have random numbers from the same seed, which must not be the opponent's.
        self._rng = Random(f"opponent/{seed}")
        self._histories = ((), ())
        if self.scenario.rules:
            self.opponent = self._rng.choice(self.scenario.rules)
            self.opponent_state = self.opponent.start
        self._tables = self.scenario.game.drawn_tables(seed)
        return self._turn()

    def step(self, actions: Mapping[Seat, str]) -> Turn[RoundView]:
        """Plays a round; raises ValueError for an action that the game does not have."""
        chosen = [_number(side, actions[seat]) for side, seat in zip(self._sides, self.seats, strict=False)]
        if self.opponent:
            # One random number a round, so that the same seed is the same opponent whatever the agent plays.
            chosen.append(_drawn(self.opponent.chances(self.opponent_state), self._rng.random()))
            self.opponent_state = self.opponent.after(self.opponent_state, chosen[1], chosen[0])
        own, other = chosen
        self._histories = (
            (*self._histories[0], _past(self._sides[0], own, other)),
            (*self._histories[1], _past(self._sides[1], other, own)),
        )
        return self._turn()

    def _turn(self) -> Turn[RoundView]:
        game, group = self.scenario.game, self.scenario.group
        step, rounds = len(self._histories[0]), game.rounds
        if self._tables and step < rounds:
            self._sides = (self._tables[step], self._tables[step].opposite)
            self.opponent = self.opponent and replace(self.opponent, side=self._sides[1])
        rewards = {
            seat: history[-1].reward for seat, history in zip(self.seats, self._histories, strict=False) if history
        }
        observations, see_less = {}, group is not None and group.see_less
        for place, (seat, side) in enumerate(zip(self.seats, self._sides, strict=False)):
            told, untold = (self._histories[place], None) if game.tells_rounds else ((), step)
            view = RoundView(side, rounds, told, self._played(place, len(told)), untold, see_less)
            observations[seat] = Observation(step, view, told[-1].reward if told else 0.0)
        return Turn(step, observations, rewards, step == rounds)

    def _played(self, place: int, count: int) -> tuple[Side, ...] | None:
        """The tables of the first rounds as a seat sees them; None where it is the same in all rounds."""
        if self._tables is None:
            return None
        played = self._tables[:count]
        return played if place == 0 else tuple(table.opposite for table in played)

    def scene(self) -> RoundScene | None:
        if not self._histories[0]:
            return None
        last = self._histories[0][-1]
        return RoundScene(", ".join(self.background()), (last.own, last.other), (last.reward, last.others_reward))

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        history = self._histories[self.seats.index(seat)]
        return {"reward_per_round": sum(past.reward for past in history) / len(history)} if history else {}

    def background(self) -> Sequence[str]:
        return (rule_in_words(self.opponent),) if self.opponent else ()


def _number(side: Side, action: str) -> int:
    if action not in side.actions:
        raise ValueError(f"there is no action {str(action)[:20]!r}: say {', '.join(side.actions)}")
    return side.actions.index(action)


def _past(side: Side, own: int, other: int) -> PastRound:
    return PastRound(side.actions[own], side.others[other], side.payoff[own][other], side.others_payoff[own][other])


def _drawn(chances: Sequence[float], number: float) -> int:
    """The action that a random number from 0 to 1 draws."""
    for action, chance in enumerate(chances):
        number -= chance
        if number < 0:
            return action
    return max(action for action, chance in enumerate(chances) if chance)
