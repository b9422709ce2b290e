"""Who plays whom: the reward of each agent against each other one in the same world, and the usage of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import TypeAlias

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.grouping import grouped
from hm_agent.metrics import Measure
from hm_agent.questions import Usage
from hm_agent.recording.result import Result, SeatResult
from hm_agent.reporting.conditions import Condition, Labels, conditions_of, in_order, labels, scenario_of
from hm_agent.reporting.runs import result_order, scenario_order
from hm_agent.reporting.statistics import Estimate
from hm_agent.wording import NOTHING, number, with_error

Player: TypeAlias = Condition
"""An agent in a seat, with its model and without settings."""


@dataclass(frozen=True)
class Meetings:
    """The episodes of one scenario in which several seats were played, with the same settings.

    title: the scenario, with the settings that differ from other meetings in it.
    """

    title: str
    scenario: ScenarioInfo
    players: tuple[Player, ...]

    @property
    def unit(self) -> str:
        """The unit of a seat's reward: the metric's for a reward per a number of steps, else `reward per episode`."""
        return self.scenario.metric.unit if self.scenario.metric.per_steps else Measure.unit

    @property
    def digits(self) -> int:
        """How many decimals rewards are shown with."""
        return self.scenario.metric.digits


def _player(seat: SeatResult) -> Player:
    return Condition(seat.agent, seat.model)


@dataclass(frozen=True)
class Matchups(Meetings):
    """What players earned who met.

    rewards: by a player and a player of another seat, the reward of a seat in `unit`: a mean over the first player's
    seats in each finished episode, then an estimate over episodes. steps: the lengths of the shortest and the longest
    of them. seats, usage: by player, the number of seats played and the usage of all of them, in unfinished episodes,
    too.
    """

    rewards: Mapping[tuple[Player, Player], Estimate] = field(hash=False)
    steps: tuple[int, int] | None
    seats: Mapping[Player, int] = field(hash=False)
    usage: Mapping[Player, Usage] = field(hash=False)

    @property
    def is_mixed(self) -> bool:
        """True if different agents met; otherwise the means by agent say everything."""
        return any(player != other for player, other in self.rewards)

    def lines(self, labels: Labels) -> list[dict[str, str]]:
        """A line for each player, with what a seat of it earned with each other one."""
        return payoff_lines(self.players, labels, self.rewards, self.digits)

    @property
    def length(self) -> str:
        """How long the finished episodes were, in words."""
        if self.steps is None:
            return "no episode finished"
        shortest, longest = (number(steps, 0) for steps in self.steps)
        return f"{shortest} steps" if shortest == longest else f"{shortest} to {longest} steps"


def payoff_lines(
    players: Sequence[Player], labels: Labels, payoffs: Mapping[tuple[Player, Player], Estimate], digits: int
) -> list[dict[str, str]]:
    """A line for each player, with what it earned with each other one; `NOTHING` where they did not meet."""

    def cell(player: Player, other: Player) -> str:
        found = payoffs.get((player, other))
        return with_error(found.mean, found.error, digits) if found else NOTHING

    return [{"agent": labels[player]} | {labels[other]: cell(player, other) for other in players} for player in players]


def matchups(results: Iterable[Result]) -> list[Matchups]:
    """The matchups of each scenario and setting, in the order of the scenarios, then by title."""
    return [_matchups(title, of_setting) for title, of_setting in by_setting(results)]


def by_setting(results: Iterable[Result]) -> list[tuple[str, list[Result]]]:
    """The results of several seats of each scenario and setting, after its title, as in `Matchups`; in this order."""
    shared = sorted((result for result in results if len(result.seats) > 1), key=result_order)
    found = grouped(
        ((result.scenario, replace(condition, agent=scenario_of(result).short_name, model="")), result)
        for result, condition in zip(shared, conditions_of(shared), strict=True)
    )
    titles: dict[tuple[str, Condition], str] = {}
    for name in dict.fromkeys(scenario for scenario, _ in found):
        named = labels([played for scenario, played in found if scenario == name])
        titles |= {(name, played): title for played, title in named.items()}
    ordered = sorted(found, key=lambda key: (scenario_order(key[0]), titles[key]))
    return [(titles[key], found[key]) for key in ordered]


def _matchups(title: str, results: Sequence[Result]) -> Matchups:
    steps = [result.steps for result in results if result.is_finished]
    seats = grouped((_player(seat), seat) for result in results for seat in result.seats)
    return Matchups(
        title=title,
        scenario=scenario_of(results[0]),
        players=tuple(in_order(seats)),
        rewards=_rewards(results),
        steps=(min(steps), max(steps)) if steps else None,
        seats={player: len(played) for player, played in seats.items()},
        usage={player: sum((seat.usage for seat in played), Usage()) for player, played in seats.items()},
    )


def _rewards(results: Iterable[Result]) -> dict[tuple[Player, Player], Estimate]:
    """By a player and a player of another seat, the reward of the first in the unit that its result was measured in."""
    episodes = (_episode_rewards(_in_unit(result)) for result in results if result.is_finished)
    values = grouped(item for rewards in episodes for item in rewards.items())
    return {pair: Estimate(tuple(rewards)) for pair, rewards in values.items()}


def _in_unit(result: Result) -> list[SeatResult]:
    """The seats with their rewards in the unit that the result was measured in."""
    metric = scenario_of(result).metric
    return [replace(seat, reward=metric.of_reward(seat.reward, result.steps)) for seat in result.seats]


def _episode_rewards(seats: Sequence[SeatResult]) -> dict[tuple[Player, Player], float]:
    """The mean reward of a player's seats, by player and a player they met: itself, too, if it has several seats."""
    rewards = grouped((_player(seat), seat.reward) for seat in seats)
    return {
        (player, other): mean(earned)
        for player, earned in rewards.items()
        for other in rewards
        if other != player or len(earned) > 1
    }


def player_rewards(result: Result) -> dict[Player, float]:
    """The mean reward of each player's seats, in the unit that the result was measured in."""
    earned = grouped((_player(seat), seat.reward) for seat in _in_unit(result))
    return {player: mean(rewards) for player, rewards in earned.items()}


def player_labels(matchups: Iterable[Meetings]) -> Labels:
    """A name for each player: the agent, with its model if the models differ."""
    return labels(in_order(player for matchup in matchups for player in matchup.players))
