"""Tournaments: what each agent earns against each and with itself, who beats whom, and ranks by payoff and by skill.

A scenario's episodes are a tournament if every agent met every other one, and itself. A table is an episode of two
agents that take the seats in turn, or of one agent in all seats.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, product
from statistics import mean

from hm_agent.grouping import grouped
from hm_agent.recording.result import Result
from hm_agent.reporting.conditions import Labels, in_order, scenario_of
from hm_agent.reporting.seats import Player, by_setting, payoff_lines, player_rewards, unit_of
from hm_agent.reporting.statistics import TINY, Estimate, Interval, estimate, without_noise
from hm_agent.scenario import ScenarioInfo
from hm_agent.wording import NOTHING, counted, with_interval

WITHIN = 1.96
"""Standard deviations of a skill on either side of it that hold 95% of what is believed of it."""
ORDERS = 20
"""Skill is learnt game by game, so it is the mean over so many random orders of the games."""
SKILL_DIGITS = 1
TOURNAMENT_ABOUT = (
    "Payoffs are per seat, means over seeds; in brackets, 95% intervals (Student's t over seeds; none for fewer than "
    "five). An agent's payoff is its mean over all agents that it met, itself included. Skill is a Bayesian rating "
    "(openskill, Plackett and Luce's model; 25 before any game) by who earned more at each table of two agents; in "
    "brackets, its 95% credible interval. Where seats outnumber the two agents of a table, they sit in turn."
)

Game = tuple[Player, Player, float]
"""Two players of a table and how much more the first earned."""


@dataclass(frozen=True)
class Rating:
    """A rating by openskill: the mean and the standard deviation of what is believed of a player."""

    mean: float
    deviation: float

    @property
    def interval(self) -> Interval:
        reach = WITHIN * self.deviation
        return self.mean - reach, self.mean + reach


@dataclass(frozen=True)
class Duel:
    """Two players at common tables. lead: how much more the first earned than the second, seed by seed.

    won, drawn: the numbers of tables at which the first earned more, and as much; of `tables`.
    """

    first: Player
    second: Player
    lead: Estimate
    won: int
    drawn: int
    tables: int

    @property
    def winner(self) -> Player | None:
        """The one that beats the other by the interval of the lead; None if it is open."""
        ends = self.lead.interval
        return None if ends is None or ends[0] <= 0 <= ends[1] else self.first if ends[0] > 0 else self.second


@dataclass(frozen=True)
class Ranked:
    """A player's place. payoff: its mean over all whom it met, itself included, seed by seed.

    with_itself: how much more it earned with itself than its mean with the others.
    """

    player: Player
    payoff: Estimate
    with_itself: Estimate
    skill: Rating


@dataclass(frozen=True)
class Tournament:
    """The tables of one scenario, with the same settings.

    players: also those none of whose episodes finished, which stand in `failed` alone, with their number of episodes.
    payoffs: by a player and whom it met, itself included, the first one's reward in `unit`, seed by seed. standings: by
    payoff, the best first. duels: of each two players.
    """

    title: str
    scenario: ScenarioInfo
    players: tuple[Player, ...]
    payoffs: Mapping[tuple[Player, Player], Estimate] = field(hash=False)
    standings: tuple[Ranked, ...]
    duels: tuple[Duel, ...]
    games: tuple[Game, ...]
    failed: Mapping[Player, int] = field(default_factory=dict, hash=False)

    @property
    def unit(self) -> str:
        return unit_of(self.scenario)

    @property
    def digits(self) -> int:
        return self.scenario.metric.digits

    def tables(self, labels: Labels) -> Iterator[tuple[str, list[dict[str, str]]]]:
        """Yields the ranking, the payoffs and the duels, each with its caption: lines of cells by heading."""
        yield f"{self.title}: ranking by payoff, {self.unit}", self._ranking(labels)
        yield (
            f"{self.title}: payoff of the row's agent with the column's, mean ± standard error, {self.unit}",
            payoff_lines(self.players, labels, self.payoffs, self.digits),
        )
        yield f"{self.title}: who beats whom, {self.unit}", self._duels(labels)

    def _ranking(self, labels: Labels) -> list[dict[str, str]]:
        payoffs = [one.payoff.mean for one in self.standings]
        skills = [_shown(one.skill) for one in self.standings]
        ranked = [
            {
                "agent": labels[one.player],
                "rank": str(_rank(one.payoff.mean, payoffs)),
                "payoff": self._cell(one.payoff),
                "with itself less with others": self._cell(one.with_itself),
                "skill": with_interval(one.skill.mean, one.skill.interval, SKILL_DIGITS),
                "rank by skill": str(_rank(_shown(one.skill), skills)),
            }
            for one in self.standings
        ]
        unknown = dict.fromkeys(ranked[0], NOTHING)
        none = {player: f"none of {counted(episodes, 'episode')} finished" for player, episodes in self.failed.items()}
        return [*ranked, *(unknown | {"agent": labels[player], "payoff": why} for player, why in none.items())]

    def _duels(self, labels: Labels) -> list[dict[str, str]]:
        return [
            {
                "agents": f"{labels[duel.first]} − {labels[duel.second]}",
                "difference": self._cell(duel.lead),
                "won, drawn, lost": f"{duel.won}, {duel.drawn}, {duel.tables - duel.won - duel.drawn}",
                "beats the other": labels[duel.winner] if duel.winner else NOTHING,
            }
            for duel in self.duels
        ]

    def _cell(self, found: Estimate) -> str:
        return with_interval(found.mean, found.interval, self.digits)


def _shown(skill: Rating) -> float:
    """A skill as tables show it: its further decimals say more of the random orders of the games than of the player."""
    return round(skill.mean, SKILL_DIGITS)


def _rank(own: float, every: Iterable[float]) -> int:
    """The place of a number among several, the largest first: equal ones share a place."""
    return 1 + sum(value > own + TINY for value in every)


def tournaments(results: Iterable[Result]) -> list[Tournament]:
    """The tournament of each scenario and setting in which all tables were played, in the order of the scenarios."""
    found = (_tournament(title, of_setting) for title, of_setting in by_setting(results))
    return [one for one in found if one]


def all_tables(played: Sequence[Tournament], labels: Labels) -> list[tuple[str, list[dict[str, str]]]]:
    """The tables of all tournaments and, if there are several, the skill over all of them, each with its caption."""
    found = [table for one in played for table in one.tables(labels)]
    if len(played) > 1:
        skills = sorted(
            rate(tuple(game for one in played for game in one.games)).items(), key=lambda item: -item[1].mean
        )
        shown = [_shown(skill) for _, skill in skills]
        lines = [
            {
                "agent": labels[player],
                "rank": str(_rank(_shown(skill), shown)),
                "skill": with_interval(skill.mean, skill.interval, SKILL_DIGITS),
            }
            for player, skill in skills
        ]
        found.append(("All tournaments: ranking by skill", lines))
    return found


def _tournament(title: str, results: Sequence[Result]) -> Tournament | None:
    """The tournament of some results of one setting; None if a player lacks a table at every seed, or is alone."""
    met = [(result, player_rewards(result)) for result in results]
    met = [(result, rewards) for result, rewards in met if len(rewards) <= 2]
    tables = [(result.seed, rewards) for result, rewards in met if result.is_finished]
    players = in_order(player for _, rewards in tables for player in rewards)
    episodes = Counter(player for _, rewards in met for player in rewards)
    by_pair = _by_pair(tables)
    if len(players) < 2 or not all(_common_seeds(player, players, by_pair) for player in players):
        return None
    games = tuple(
        (first, second, without_noise(rewards[first] - rewards[second]))
        for _, rewards in sorted(tables, key=lambda table: table[0])
        for first, second in combinations([player for player in players if player in rewards], 2)
    )
    skills = rate(games)
    standings = [_standing(player, players, by_pair, skills[player]) for player in players]
    return Tournament(
        title=title,
        scenario=scenario_of(results[0]),
        players=tuple(in_order(episodes)),
        payoffs={pair: Estimate(tuple(by_pair[pair].values())) for pair in product(players, players)},
        standings=tuple(sorted(standings, key=lambda one: -one.payoff.mean)),
        duels=tuple(_duel(first, second, by_pair, games) for first, second in combinations(players, 2)),
        games=games,
        failed={player: episodes[player] for player in in_order(episodes.keys() - set(players))},
    )


Payoffs = Mapping[tuple[Player, Player], Mapping[int, float]]
"""By a player and whom it met, the first one's reward by seed: the mean where they met in both orders of the seats."""


def _by_pair(tables: Iterable[tuple[int, Mapping[Player, float]]]) -> Payoffs:
    """tables: the seed and the rewards of each player, of one or two."""
    earned = grouped(
        (((player, other), seed), rewards[player])
        for seed, rewards in tables
        for player in rewards
        for other in rewards
        if other != player or len(rewards) == 1
    )
    found: dict[tuple[Player, Player], dict[int, float]] = {}
    for (pair, seed), values in sorted(earned.items(), key=lambda item: item[0][1]):
        found.setdefault(pair, {})[seed] = mean(values)
    return found


def _common_seeds(player: Player, players: Iterable[Player], payoffs: Payoffs) -> list[int]:
    """The seeds at which a player met all, itself included."""
    met = [payoffs.get((player, other), {}) for other in players]
    return [seed for seed in met[0] if all(seed in row for row in met)]


def _standing(player: Player, players: Sequence[Player], payoffs: Payoffs, skill: Rating) -> Ranked:
    seeds, own = _common_seeds(player, players, payoffs), payoffs[player, player]
    rows = [payoffs[player, other] for other in players]
    others = [payoffs[player, other] for other in players if other != player]
    payoff = Estimate(tuple(mean(row[seed] for row in rows) for seed in seeds))
    gaps = tuple(own[seed] - mean(row[seed] for row in others) for seed in seeds)
    return Ranked(player, payoff, Estimate(gaps), skill)


def _duel(first: Player, second: Player, payoffs: Payoffs, games: Iterable[Game]) -> Duel:
    there, back = payoffs[first, second], payoffs[second, first]
    lead = estimate([without_noise(there[seed] - back[seed]) for seed in there])
    leads = [more for one, other, more in games if (one, other) == (first, second)]
    assert lead is not None, "players of a duel have met"
    return Duel(first, second, lead, sum(more > 0 for more in leads), leads.count(0.0), len(leads))


@lru_cache(64)  # the terminal and each page of a report show the same ratings
def rate(games: tuple[Game, ...]) -> Mapping[Player, Rating]:
    """The skill of each player, by who earned more in each game; alike at any order of the games."""
    from openskill.models import PlackettLuce

    model, shuffled = PlackettLuce(), sorted(games, key=str)
    players = list(dict.fromkeys(player for first, second, _ in shuffled for player in (first, second)))
    draws, found = random.Random(0), {player: list[tuple[float, float]]() for player in players}
    for _ in range(ORDERS):
        draws.shuffle(shuffled)
        ratings = {player: model.rating() for player in players}
        for first, second, lead in shuffled:
            places = [float(lead < 0), float(lead > 0)]
            (one,), (other,) = model.rate([[ratings[first]], [ratings[second]]], ranks=places)
            ratings[first], ratings[second] = one, other
        for player, rating in ratings.items():
            found[player].append((rating.mu, rating.sigma))
    return {
        player: Rating(*(mean(part) for part in zip(*of_player, strict=True))) for player, of_player in found.items()
    }
