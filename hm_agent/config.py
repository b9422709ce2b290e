"""Facts about games and scenarios: TOML in scenarios/ → frozen dataclasses; an unknown key is an error."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from hm_agent.core import Counts


class ConfigError(ValueError):
    """Something in a TOML file or on the command line is wrong; the message says what would be right."""


@dataclass(frozen=True)
class _Strict:
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Resource(_Strict):
    """One resource of a matrix game, and the pure strategy it stands for.

    collect_goals, interact_goals: the positions in a puppet's one-hot GOAL that tell it to collect or to play it.
    colour: in which recordings show it.
    """

    behaviour: str
    thing: str
    sprite: str
    colour: str = "#8b949e"
    collect_goals: tuple[int, ...] = ()
    interact_goals: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sprites(_Strict):
    """What the sprites of a substrate show."""

    wall: str
    own: str
    players: Mapping[str, str]
    ready: str
    interacting: tuple[str, ...]
    beams: tuple[str, ...]


@dataclass(frozen=True)
class Beam(_Strict):
    """The interaction beam's reach, in cells ahead and to either side."""

    length: int
    radius: int


@dataclass(frozen=True)
class Length(_Strict):
    """How long an episode lasts, in steps: `least`, and from then on it ends with a chance at `every` so many steps."""

    least: int
    every: int
    chance: float

    def left(self, step: int) -> float:
        """How many steps are to be expected after this one."""
        return max(0, self.least - step) + self.every / self.chance


@dataclass(frozen=True)
class ScenarioFacts(_Strict):
    """One scenario of a game. paper: (mean, standard error) of reward by agent, from the paper's table 1."""

    about: str
    paper: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class GameFacts(_Strict):
    """All that is written down of a game; payoff rows are one's own pure strategies, columns the other's."""

    title: str
    game: str
    substrate: str
    short_name: str
    reward_per_steps: int
    payoff: tuple[tuple[float, ...], ...]
    initial_inventory: int
    resources: tuple[Resource, ...]
    length: Length
    sprites: Sprites
    beam: Beam
    scenarios: tuple[ScenarioFacts, ...]

    @property
    def behaviours(self) -> tuple[str, ...]:
        return tuple(resource.behaviour for resource in self.resources)

    @property
    def things(self) -> tuple[str, ...]:
        return tuple(resource.thing for resource in self.resources)

    def words(self, counts: Counts) -> str:
        """An inventory in words, e.g. `rock 1, paper 6, scissors 1`."""
        return ", ".join(f"{name} {count:g}" for name, count in zip(self.behaviours, counts, strict=True))


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


def data_folder(name: str) -> Path:
    """scenarios/ or prompts/: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    for folder in (package / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise ConfigError(f"no folder {name!r} in {package} or {package.parent}: the installation is incomplete")


def load_game(path: Path) -> GameFacts:
    """Reads one game; a key that is missing, unknown or of the wrong kind is a `ConfigError` naming file and key."""
    try:
        return TypeAdapter(GameFacts).validate_python(tomllib.loads(path.read_text("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{path}: {where}: {first['msg']}") from error


@cache
def load_games() -> tuple[GameFacts, ...]:
    """All games of scenarios/, by file name."""
    return tuple(load_game(path) for path in sorted(data_folder("scenarios").glob("*.toml")))


def game_named(short_name: str) -> GameFacts:
    """The game of a short name, e.g. `rws_repeated`."""
    for game in load_games():
        if game.short_name == short_name:
            return game
    raise ConfigError(f"unknown game {short_name!r}: there is {', '.join(game.short_name for game in load_games())}")


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
