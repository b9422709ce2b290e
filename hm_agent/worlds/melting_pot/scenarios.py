"""Reads facts about games and scenarios: TOML in scenarios/ → frozen dataclasses; an unknown key is an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, reduce
from importlib.util import find_spec
from operator import or_
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_args, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

from hm_agent.config import ConfigError, data_folder, read_toml
from hm_agent.core import Seat
from hm_agent.extensions import ADDED, nearest
from hm_agent.matched_pairs import BOARDS, HalfOfKind
from hm_agent.worlds.melting_pot.facts import GameFacts, ScenarioFacts, UnseenFacts, seat_of, slot_of
from hm_agent.worlds.melting_pot.games import KINDS, kind_of

FactsT = TypeVar("FactsT", bound=GameFacts)

FILES = "*.toml"
"""The files of games within scenarios/melting_pot/ and within a folder of a user's own."""
_UNKNOWN_KEY, _UNKNOWN_KIND, _NO_KIND = "unexpected_keyword_argument", "union_tag_invalid", "union_tag_not_found"
"""Pydantic's types of the errors."""


@dataclass(frozen=True)
class Scenario:
    """One numbered scenario of a game, self-play on its substrate, or matched pairs on it; these have no number.

    number: its place among the game's scenarios, which is Melting Pot's number unless the file says another. is_unseen:
    True if its opponents are ours; its number then counts the game's unseen scenarios. pairs: the name of a scenario of
    matched pairs; empty for all others. It has a full name, which is Melting Pot's own for Melting Pot's scenarios, and
    a short one.
    """

    game: GameFacts
    number: int | None
    is_unseen: bool = False
    pairs: str = ""

    @property
    def is_self_play(self) -> bool:
        return self.number is None and not self.pairs

    @property
    def pair_facts(self) -> HalfOfKind[Any] | None:
        """What it has of a kind of matched pairs; None for any other scenario."""
        return kind_of(self.game).pairs_on(self.game)[self.pairs] if self.pairs else None

    @property
    def facts(self) -> ScenarioFacts | None:
        """The facts about it in the game's file; None for self-play."""
        if self.number is None:
            return None
        return self.unseen or self.game.scenarios[self.number]

    @property
    def unseen(self) -> UnseenFacts | None:
        """The facts about it in the game's file if its opponents are ours; None if they are Melting Pot's."""
        return self.game.unseen[self.number] if self.is_unseen and self.number is not None else None

    @property
    def study(self) -> str:
        """The study that it was made for, in a word; empty for most scenarios."""
        return self.unseen.study if self.unseen else ""

    @property
    def _suffix(self) -> str:
        """The part of its full name that follows the substrate."""
        if self.number is None:
            return "selfplay"
        if self.unseen is None:
            told = self.game.scenarios[self.number].number
            return str(self.number if told is None else told)
        words = 2 + self.unseen.study.count("_")
        return "_".join(self.unseen.short_name.split("_")[-words:])

    @property
    def name(self) -> str:
        return self.pairs or f"{self.game.substrate}_{self._suffix}"

    @property
    def short_name(self) -> str:
        if self.pairs:
            return self.pairs
        return self.unseen.short_name if self.unseen else f"{self.game.short_name}_{self._suffix}"

    @property
    def group(self) -> str:
        """The title of the scenarios that it belongs with in reports."""
        if self.is_unseen:
            return f"{self.game.title}, {f'study of {self.study}' if self.study else 'unseen opponents'}"
        return f"{self.game.title}, self-play" if self.is_self_play else self.game.title

    @property
    def about(self) -> str:
        return self.facts.about if self.facts else f"{self.game.about}no bots: {len(self.seats)} seats for agents"

    @property
    def published(self) -> Mapping[str, tuple[float, float]]:
        """(mean, standard error) of the paper's table 1, by agent."""
        return self.facts.paper if self.facts else {}

    @property
    def seats(self) -> tuple[Seat, ...]:
        """One seat for each focal player or, in self-play, for each player; in pairs, for each board."""
        if self.pairs:
            return BOARDS
        return tuple(map(seat_of, self.facts.focal_slots if self.facts else range(self.players)))

    def slot_of(self, seat: Seat) -> int:
        """The slot of a seat's player."""
        return 0 if self.pairs else slot_of(seat)

    @property
    def players(self) -> int:
        """The number of players, bots included."""
        return (self.facts.players or len(self.facts.roles) if self.facts else None) or self.game.slots

    @property
    def knows_bots(self) -> bool:
        """True if it is known what its bots do, so that scripted players can stand in for them."""
        return self.facts is not None and (self.is_unseen or kind_of(self.game).knows_bots)

    @property
    def needs_trained_bots(self) -> bool:
        """True if no scripted player can stand in for its bots."""
        has_none = not self.game.has_stand_ins and not self.knows_bots
        return self.facts is not None and not self.facts.bots_stand_still and has_none

    def is_column(self, slot: int) -> bool:
        """True if the player of a slot plays the columns of an asymmetric game."""
        columns = self.facts.columns if self.facts else None
        return self.game.is_asymmetric and slot in (self.game.columns if columns is None else columns)

    def can_meet(self, slot: int, other: int) -> bool:
        """True if the players of two slots can interact: in an asymmetric game, those of different sides."""
        return slot != other and not (self.game.is_asymmetric and self.is_column(slot) == self.is_column(other))

    def game_of(self, slot: int) -> GameFacts:
        """The game as the player of a slot plays it: from its side, and with only the players of this scenario."""
        game = self.game.as_column if self.is_column(slot) else self.game
        game = replace(game, length=self.pair_facts.facts.length) if self.pair_facts else game
        return game.played_by(self.players, self.facts.roles if self.facts else ())


def load_game(path: Path) -> GameFacts:
    """Reads one game's file.

    Raises ConfigError for a key that is missing, unknown or of the wrong type, naming file and key, and for a file that
    can't be read or is no TOML; also for a game of a kind that is not in the table of kinds, naming those that are.
    """
    return read_toml(path, _reader(tuple(kind.facts for kind in KINDS.values())), _first_problem)


@cache
def _reader(facts: tuple[type[GameFacts], ...]) -> TypeAdapter[GameFacts]:
    """What reads files of games of these kinds; kept, since it takes longer to make than all files to read."""
    any_facts: Any = reduce(or_, facts)
    return TypeAdapter(Annotated[any_facts, Field(discriminator="game")])


def _first_problem(error: ValidationError) -> str:
    """The first unknown key, which may be a misspelt one that is missing, with the valid keys; else the first error."""
    first = min(error.errors(), key=lambda found: found["type"] != _UNKNOWN_KEY)
    kind, *place = first["loc"] or ("",)
    if first["type"] == _UNKNOWN_KIND:
        named = str(first["ctx"]["tag"])
        return f"game: unknown kind {named!r}: {nearest(named, KINDS)}there are {', '.join(KINDS)}"
    if first["type"] == _NO_KIND:
        return (
            f"game: say its kind, of {', '.join(KINDS)}; a game of two by its table lies in matrix_games/ of the folder"
        )
    key = ".".join(map(str, place)) or "game"
    if first["type"] != _UNKNOWN_KEY:
        return f"{key}: {first['msg']}"
    known = _keys_beside(place, KINDS[str(kind)].facts)
    return f"{key}: no such key: {nearest(str(place[-1]), known)}there are {', '.join(known)}"


def _keys_beside(place: Iterable[int | str], table: type) -> list[str]:
    """The valid keys of the table that has a key at this place. table: the class of the whole file."""
    for key in place:
        hint = get_type_hints(table).get(str(key))
        table = next(_tables_in(hint), table)
    return [field.name for field in fields(table)]


def _tables_in(hint: Any) -> Iterator[type]:
    """The dataclasses in a type, e.g. the one of a list's elements."""
    if is_dataclass(hint):
        yield cast(type, hint)
    for part in get_args(hint):
        yield from _tables_in(part)


def load_games() -> tuple[GameFacts, ...]:
    """All games of scenarios/ and of registered folders, in the order of file names.

    A registered file takes the place of the shipped one of the same substrate. Raises ConfigError if two games have the
    same short name or substrate otherwise.
    """
    return tuple(game for game, _ in _games_in(tuple(ADDED.folders)))


def own_file(game: GameFacts) -> Path | None:
    """The file of a game that a user has registered; None for a game of the package."""
    shipped = data_folder("scenarios") / "melting_pot"
    files = {known.short_name: path for known, path in _games_in(tuple(ADDED.folders))}
    path = files.get(game.short_name)
    return None if path is None or path.parent == shipped else path


@cache
def _games_in(folders: tuple[str, ...]) -> tuple[tuple[GameFacts, Path], ...]:
    """The games of the package and of these folders, each with its file."""
    by_name: dict[str, tuple[GameFacts, Path]] = {}
    shipped = data_folder("scenarios") / "melting_pot"
    for folder in (shipped, *map(Path, folders)):
        for path in sorted(folder.glob(FILES)):
            game = load_game(path)
            if game.substrate in by_name and by_name[game.substrate][1].parent == shipped:
                replaced = by_name[game.substrate]
                by_name = {name: entry for name, entry in by_name.items() if entry != replaced}
            for name in (game.short_name, game.substrate):
                if name in by_name:
                    raise ConfigError(f"{path}: {by_name[name][1]} has the game {name!r} already")
            by_name |= dict.fromkeys((game.short_name, game.substrate), (game, path))
    return tuple({game.short_name: (game, path) for game, path in by_name.values()}.values())


def has_trained_bots(game: GameFacts) -> bool:
    """True if Melting Pot's folder of trained models for a game is installed; imports no simulator."""
    package = find_spec("meltingpot")
    folders = package.submodule_search_locations if package else None
    models = Path("assets/saved_models") / game.substrate
    return any((Path(folder) / models).is_dir() for folder in folders or ())


def has_models(scenario: Scenario, bots: str, bots_dir: Path | None) -> bool:
    """True unless a scenario needs trained bots and there can be none for its game by the options of these names."""
    if not scenario.needs_trained_bots or bots == "trained":
        return True
    there = (bots_dir / scenario.game.substrate).is_dir() if bots_dir else has_trained_bots(scenario.game)
    return bots == "auto" and there


def refuse_stand_ins(scenario: Scenario) -> None:
    """Raises ConfigError for a scenario that needs trained bots, with what to do."""
    if scenario.needs_trained_bots:
        raise ConfigError(
            f"{scenario.short_name} needs trained bots, since no scripted player stands in for its bots: get them "
            "where they can be downloaded (`make bots` in a checkout), or point --bots_dir at a folder laid out "
            f"<substrate>/<model>/; {scenario.game.short_name}_selfplay needs none"
        )


def game_named(short_name: str, kind: type[FactsT]) -> FactsT:
    """The game of a short name, e.g. `rws_repeated`, whose facts are of a class; ConfigError if there is none."""
    for game in load_games():
        if game.short_name == short_name and isinstance(game, kind):
            return game
    known = ", ".join(game.short_name for game in load_games() if isinstance(game, kind))
    raise ConfigError(f"unknown game {short_name!r}: there is {known}")


def all_scenarios() -> Iterator[Scenario]:
    """Every game's scenarios in order, then its unseen ones, its matched pairs, and its self-play."""
    for game in load_games():
        for number in range(len(game.scenarios)):
            yield Scenario(game, number)
        for number in range(len(game.unseen)):
            yield Scenario(game, number, is_unseen=True)
        yield from (Scenario(game, None, pairs=name) for name in kind_of(game).pairs_on(game))
        yield Scenario(game, None)


def scenario_named(name: str) -> Scenario:
    """The scenario of a short or full name; ConfigError if there is none."""
    scenario = _by_name(tuple(ADDED.folders)).get(name)
    if scenario is None:
        raise ConfigError(f"unknown scenario {name!r}; see --list")
    return scenario


@cache
def _by_name(folders: tuple[str, ...]) -> Mapping[str, Scenario]:
    """All scenarios by short and full name, the first of each. folders: the registered ones; the cache's key."""
    named: dict[str, Scenario] = {}
    for scenario in all_scenarios():
        named.setdefault(scenario.short_name, scenario)
        named.setdefault(scenario.name, scenario)
    return named
