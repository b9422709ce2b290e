"""Facts about games and scenarios: TOML in scenarios/ → frozen dataclasses; an unknown key is an error."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from hm_agent.config import ConfigError, data_folder
from hm_agent.worlds.melting_pot.facts import GameFacts, KitchenFacts, MatrixFacts, ScenarioFacts

FactsT = TypeVar("FactsT", bound=GameFacts)
AnyFacts = Annotated[MatrixFacts | KitchenFacts, Field(discriminator="game")]


@dataclass(frozen=True)
class Scenario:
    """One numbered scenario of a game, known by Melting Pot's full name and by a short one."""

    game: GameFacts
    number: int

    @property
    def name(self) -> str:
        return f"{self.game.substrate}_{self.number}"

    @property
    def short_name(self) -> str:
        return f"{self.game.short_name}_{self.number}"

    @property
    def facts(self) -> ScenarioFacts:
        return self.game.scenarios[self.number]


def load_game(path: Path) -> GameFacts:
    """Reads one game; a key that is missing, unknown or of the wrong kind is a `ConfigError` naming file and key.

    So is, without a key, a file that can't be read.
    """
    try:
        return TypeAdapter(AnyFacts).validate_python(tomllib.loads(path.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"][1:])) or "game"  # the first is the kind of game
        raise ConfigError(f"{path}: {where}: {first['msg']}") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # besides TOML's own: no UTF-8, too long a number, nested too deep
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


@cache
def load_games() -> tuple[GameFacts, ...]:
    """All games of scenarios/, by file name."""
    return tuple(load_game(path) for path in sorted((data_folder("scenarios") / "melting_pot").glob("*.toml")))


def game_named(short_name: str, kind: type[FactsT]) -> FactsT:
    """The game of a short name, e.g. `rws_repeated`. kind: of which kind it has to be."""
    for game in load_games():
        if game.short_name == short_name and isinstance(game, kind):
            return game
    known = ", ".join(game.short_name for game in load_games() if isinstance(game, kind))
    raise ConfigError(f"unknown game {short_name!r}: there is {known}")


def all_scenarios() -> Iterator[Scenario]:
    for game in load_games():
        for number in range(len(game.scenarios)):
            yield Scenario(game, number)


def find_scenarios(patterns: Sequence[str]) -> tuple[Scenario, ...]:
    """The scenarios that names or globs stand for, each once, in the order asked for."""
    known = tuple(all_scenarios())
    found: dict[str, Scenario] = {}
    for pattern in patterns:
        matching = [s for s in known if fnmatchcase(s.short_name, pattern) or fnmatchcase(s.name, pattern)]
        if not matching:
            raise ConfigError(f"unknown scenario {pattern!r}: {_ranges()}; see --list")
        found |= {scenario.name: scenario for scenario in matching}
    return tuple(found.values())


def _ranges() -> str:
    return "; ".join(f"{game.short_name} has 0 to {len(game.scenarios) - 1}" for game in load_games())
