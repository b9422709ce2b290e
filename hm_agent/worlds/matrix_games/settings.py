"""Reads games from TOML: scenarios/matrix_games/, and `matrix_games/` in registered folders. Imports no NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from hm_agent.config import ConfigError, data_folder, read_toml
from hm_agent.core import Seat
from hm_agent.extensions import ADDED
from hm_agent.repeated_games.levels import drawn_side, drawn_sides
from hm_agent.repeated_games.payoffs import Side, transposed
from hm_agent.repeated_games.rules_of_play import MixtureRule, RuleOfPlay
from hm_agent.repeated_games.written_rules import Parameter, rule_from

FILES = "matrix_games/*.toml"
"""The files of games within scenarios/ and within a folder of a user's own."""
MOST_ACTIONS, MOST_ROUNDS = 8, 200
"""The largest sizes, so that tables can be read and best responses are computed in seconds."""

_STRICT = ConfigDict(extra="forbid")
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")]
Payoff = Annotated[float, Field(ge=-1e6, le=1e6)]
Actions = Annotated[tuple[Word, ...], Field(min_length=2, max_length=MOST_ACTIONS)]


@checked_dataclass(frozen=True, config=_STRICT)
class OpponentGroup:
    """The opponents of one scenario, one of which is drawn for each episode, all alike.

    opponents: each with its `rule` (repeated_games/written_rules.py) and the rule's parameters. held_out, order,
    needs_order, separates_nobody: as in `ScenarioInfo`. column: True if the agent plays the columns. see_less: True if
    the opponents do not see what the agent gets, of which it is told; none of them looks at that.
    """

    name: Word
    about: str
    held_out: bool
    opponents: Annotated[tuple[Mapping[str, Parameter], ...], Field(min_length=1)]
    order: int | None = None
    needs_order: int | None = None
    separates_nobody: bool = False
    column: bool = False
    see_less: bool = False


@checked_dataclass(frozen=True, config=_STRICT)
class PayoffGame:
    """A game of two by its table. short_name: the part of its scenarios' names after `mg_`.

    payoff, column_payoff: row i, column j: what the row and the column player get for actions i and j. By default the
    game is symmetric: the column player has the same actions, and `column_payoff` is the transpose. highest_drawn:
    instead of a table; every round has a new one, drawn by the episode's seed up to this number (`drawn_side`).
    tells_rounds: False if agents are told of no round, what was played and what it paid, before the end.
    """

    title: str
    short_name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,20}$")]
    actions: Actions
    scenarios: tuple[OpponentGroup, ...]
    payoff: tuple[tuple[Payoff, ...], ...] = ()
    highest_drawn: Annotated[int, Field(ge=MOST_ACTIONS**2, le=1000)] | None = None
    column_actions: Actions | None = None
    column_payoff: tuple[tuple[Payoff, ...], ...] | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 30
    tells_rounds: bool = True

    @property
    def row(self) -> Side:
        """The game as the row player sees it; where tables are drawn, an example of them."""
        if self.highest_drawn is not None:
            return drawn_side(Random(0), self.actions, self.highest_drawn)
        table = self.column_payoff or transposed(self.payoff)
        return Side(self.actions, self.column_actions or self.actions, self.payoff, table)

    def drawn_tables(self, seed: int) -> tuple[Side, ...] | None:
        """The tables of an episode's rounds; None where all rounds have the same."""
        if self.highest_drawn is None:
            return None
        return drawn_sides(seed, self.rounds, self.actions, self.highest_drawn)


@dataclass(frozen=True)
class TableScenario:
    """A game against a group of opponents; in self-play, against another agent, group is None."""

    game: PayoffGame
    group: OpponentGroup | None
    path: Path

    @property
    def is_own(self) -> bool:
        """True if its file is a user's."""
        return self.path.parents[1] != data_folder("scenarios")

    @property
    def name(self) -> str:
        return f"mg_{self.game.short_name}_{self.group.name if self.group else 'selfplay'}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return ("player_0",) if self.group else ("player_0", "player_1")

    @cached_property
    def side(self) -> Side:
        """The game as the first seat sees it."""
        return self.game.row.opposite if self.group and self.group.column else self.game.row

    @cached_property
    def rules(self) -> tuple[RuleOfPlay, ...]:
        """The opponents' rules, empty in self-play; raises ConfigError for one that the game can't have."""
        return tuple(map(self._rule, self.group.opponents)) if self.group else ()

    def _rule(self, opponent: Mapping[str, Parameter]) -> RuleOfPlay:
        parameters = {name: value for name, value in opponent.items() if name != "rule"}
        rule = rule_from(str(opponent.get("rule", "")), parameters, self.side.opposite)
        if self.group and self.group.see_less and rule.order > 1:
            raise ConfigError(f"see_less: {opponent['rule']} of order {rule.order} looks at what the agent gets")
        return rule

    def mixture(self, order: int | None = None) -> Mapping[RuleOfPlay, float]:
        """The opponents that the same side meets in all scenarios of this game, each with its share.

        All scenarios have the same share, and so have all opponents within one. order: only those up to this order,
        and one that draws every action alike, with the share of a scenario.
        """
        shares: dict[RuleOfPlay, float] = {}
        alike = [known.rules for known in scenarios_of(self.game, self.path) if known.side == self.side]
        if order is not None:
            alike = [tuple(rule for rule in rules if rule.order <= order) for rules in alike]
            alike.append((MixtureRule.even(self.side.opposite),))
        met = [rules for rules in alike if rules]
        for rules in met:
            for rule in rules:
                shares[rule] = shares.get(rule, 0.0) + 1 / len(met) / len(rules)
        return shares


def scenarios_of(game: PayoffGame, path: Path) -> Sequence[TableScenario]:
    """A game's scenarios in their order, then its self-play."""
    return [TableScenario(game, group, path) for group in (*game.scenarios, None)]


def load_payoff_game(path: Path) -> PayoffGame:
    """Reads one game's file; raises ConfigError, which names file and key, for anything wrong in it."""
    game = read_toml(path, _reader())
    if game.highest_drawn is not None:
        if game.payoff or game.column_payoff or game.column_actions:
            raise ConfigError(f"{path}: highest_drawn: leave out payoff, column_payoff and column_actions")
    elif not game.payoff:
        raise ConfigError(f"{path}: say payoff, or highest_drawn for a new table in every round")
    rows, columns = len(game.actions), len(game.column_actions or game.actions)
    for key, table in (("payoff", game.payoff), ("column_payoff", game.column_payoff or ())):
        is_left_out = not table and (rows == columns or game.highest_drawn is not None)
        if not is_left_out and (len(table) != rows or {*map(len, table)} != {columns}):
            raise ConfigError(f"{path}: {key}: say {rows} rows of {columns} numbers, as there are actions")
    for key, actions in (("actions", game.actions), ("column_actions", game.column_actions or ())):
        if len(set(actions)) < len(actions):
            raise ConfigError(f"{path}: {key}: each has a name of its own")
    for number, scenario in enumerate(scenarios_of(game, path)):
        try:
            _ = scenario.rules
        except ConfigError as error:
            raise ConfigError(f"{path}: scenarios.{number}.opponents: {error}") from None
    return game


@cache
def _reader() -> TypeAdapter[PayoffGame]:
    """What reads games' files, made once."""
    return TypeAdapter(PayoffGame)


def table_scenarios() -> Mapping[str, TableScenario]:
    """All scenarios by name: of the package, and of `matrix_games/` in registered folders.

    Raises ConfigError if two have the same name.
    """
    return _scenarios_in(tuple(ADDED.folders))


@cache
def _scenarios_in(folders: tuple[str, ...]) -> Mapping[str, TableScenario]:
    found: dict[str, TableScenario] = {}
    paths = [path for folder in (data_folder("scenarios"), *map(Path, folders)) for path in sorted(folder.glob(FILES))]
    for path in paths:
        for scenario in scenarios_of(load_payoff_game(path), path):
            if known := found.get(scenario.name):
                raise ConfigError(f"{path}: {known.path} has the scenario {scenario.name} already")
            found[scenario.name] = scenario
    return found
