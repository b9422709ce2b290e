"""The facts that games of all kinds have: frozen dataclasses whose fields are the keys of the files in scenarios/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import ClassVar, Self

from pydantic import ConfigDict

from hm_agent.core import Seat
from hm_agent.metrics import Measure

Counts = tuple[int, ...]
"""An inventory: how much of each resource, in the game's order."""


def argmax(counts: Sequence[float]) -> int | None:
    """The index of the largest entry; None if several entries tie for it."""
    best = max(counts)
    return list(counts).index(best) if list(counts).count(best) == 1 else None


@dataclass(frozen=True)
class Strict:
    """Refuses unknown keys."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


FOCAL = "player_0"
"""The name that other players have for the player of the first slot, in games where players look different."""
NUMBERED = "player_"
"""What the names of seats, and of players that can be told from others, begin with; their slot follows."""
FELLOW = "fellow"
"""The name of players of the own side in asymmetric games, who look like the own avatar and can't be met."""


def seat_of(slot: int) -> Seat:
    """The name of the seat of the player of a slot."""
    return f"{NUMBERED}{slot}"


def slot_of(seat: Seat) -> int:
    """The slot of a seat's player."""
    return int(seat.removeprefix(NUMBERED))


@dataclass(frozen=True)
class Holding(Strict):
    """An item that an inventory counts. colour: its colour in recordings."""

    name: str
    colour: str = "#8b949e"


@dataclass(frozen=True, kw_only=True)
class Sprites(Strict):
    """A substrate's sprites and their meanings.

    own: the own avatar. focal: the focal player's avatar as bots see it, if it differs. players: the other players'
    names by sprite.
    """

    wall: str
    own: str
    focal: str | None = None
    players: Mapping[str, str]
    beams: tuple[str, ...] = ()


@dataclass(frozen=True)
class Beam(Strict):
    """The interaction beam: its reach ahead and to either side in cells, and its cooldown in steps.

    The cooldown, `rest`, stays 0 in games whose observations tell when the beam is ready.
    """

    length: int
    radius: int
    rest: int = 0


@dataclass(frozen=True)
class Length(Strict):
    """An episode's length: `least` steps, then after every `every` steps it ends with probability `chance`.

    one_interaction: True if it also ends with its first interaction. most: after how many steps it ends at the latest,
    if it is cut at a step before which it may end by chance; else None.
    """

    least: int
    every: int
    chance: float
    one_interaction: bool = False
    most: int | None = None

    @property
    def end(self) -> int | None:
        """After how many steps it ends at the latest; None if that is left to chance."""
        return self.least if self.chance == 1 else self.most

    def expected_remaining(self, step: int) -> float:
        """The expected number of steps after `step`, or an upper bound of it if the length is left to chance."""
        remaining = max(0, self.least - step) + (0 if self.chance == 1 else self.every / self.chance)
        return remaining if self.most is None else min(remaining, max(0, self.most - step))

    def cut(self, max_steps: int | None) -> Length:
        """The length of the episode if it is cut after `max_steps`, or not at all if that is None."""
        if max_steps is None or (self.chance == 1 and max_steps >= self.least):
            return self
        if max_steps < self.least + self.every:  # before it can end by chance
            return replace(self, least=max_steps, every=1, chance=1.0)
        return replace(self, most=max_steps)


@dataclass(frozen=True)
class ScenarioFacts(Strict):
    """One scenario of a game. paper: each agent's mean reward and its standard error, from the paper's table 1.

    held_out: True if no constant may be chosen by what agents reach on it, which holds for odd numbers. order: the
    order of its bots' rules, by the moves that they look at: 0 for none, though they may change with time or by chance,
    1 for the focal player's, 2 for their own, too; None if the bots differ in it, or if a rule of another order is
    needed to describe them. needs_order, separates_nobody: as in `ScenarioInfo`. focal: how many players have a seat,
    which are the first slots, or their slots if they are others; bots play the rest. players: how many play in all;
    None for as many as the game names. columns: the slots of the column players of an asymmetric game; None for those
    that the game names. number: Melting Pot's; None if it is the scenario's place. roles: all players', by slot, if
    they are not the substrate's usual ones. bots_stand_still: True if all its bots do, which takes no trained model.
    """

    about: str
    held_out: bool
    order: int | None = None
    needs_order: int | None = None
    separates_nobody: bool = False
    paper: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    focal: int | tuple[int, ...] = 1
    players: int | None = None
    columns: tuple[int, ...] | None = None
    number: int | None = None
    roles: tuple[str, ...] = ()
    bots_stand_still: bool = False

    @property
    def focal_slots(self) -> tuple[int, ...]:
        """The slots of the players that have a seat."""
        return tuple(range(self.focal)) if isinstance(self.focal, int) else self.focal


@dataclass(frozen=True)
class CharacterRange(Strict):
    """The ranges that a bot's character is drawn from, once for each player and episode; both ends are included.

    stray: the probability that a pickup is to be of a kind that is not the bot's own. surplus: how many things of its
    kind it collects beyond what its puppeteer asks for. patience: for how many steps it then holds its fire and goes on
    collecting. decoys: how many things of another kind it takes first in each life, to be seen taking them: of the kind
    against whose best response its own earns most.
    """

    stray: tuple[float, float] = (0.0, 0.0)
    surplus: tuple[int, int] = (0, 0)
    patience: tuple[int, int] = (0, 0)
    decoys: tuple[int, int] = (0, 0)


Parameter = int | float | str | tuple[str, ...] | tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class UnseenFacts(ScenarioFacts):
    """A scenario that is not Melting Pot's: a puppeteer of ours over the same puppet, or scripted players of ours.

    puppeteer: its name among those of the game's kind or among the rules of play, with its parameters by name; where
    players are scripted, that of their rule.
    character: the one of its puppet, trained or scripted; if None, only a scripted puppet has one. rule: how it rewards
    and punishes, in the words of `opponent_rules`, as `oracle` is told; the nearest rule if none fits, None if it does
    neither. study: what it was made for, if not for comparisons. It is the middle of the short name, and only globs
    that hold it match the scenario. pair: as in `ScenarioInfo`, within the game. clues: False if agents play it without
    clues, whatever the option `clues` says.
    """

    short_name: str
    puppeteer: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    character: CharacterRange | None = None
    rule: str | None = None
    study: str = ""
    pair: str = ""
    clues: bool = True


@dataclass(frozen=True, kw_only=True)
class GameFacts(Strict):
    """The facts that every game has.

    game: its kind, by the name in the table of kinds. reward_per_steps: the number of steps that rewards are reported
    for, as in the paper; 0 if they are reported for whole episodes. walls: the map characters of cells that nobody can
    enter. alike: the number of other players if they can't be told apart and share one name; 0 if each has a name of
    its own.
    """

    title: str
    substrate: str
    short_name: str
    reward_per_steps: int
    walls: str = "W"
    alike: int = 0
    sprites: Sprites
    length: Length
    beam: Beam
    scenarios: tuple[ScenarioFacts, ...]
    unseen: tuple[UnseenFacts, ...] = ()
    game: str

    @property
    def holdings(self) -> tuple[Holding, ...]:
        """The items that an inventory counts, in its order."""
        raise NotImplementedError

    @property
    def about(self) -> str:
        """What the substrate is, for who does not know it; empty where the game's kind says so."""
        return ""

    @property
    def has_stand_ins(self) -> bool:
        """True if its file says what scripted players do in place of trained bots."""
        return False

    @property
    def measure(self) -> Measure:
        """What its episodes are compared by."""
        return Measure.reward_per(self.reward_per_steps)

    @property
    def slots(self) -> int:
        """The number of players."""
        return 1 + (self.alike or len(self.sprites.players))

    @property
    def is_asymmetric(self) -> bool:
        """True if each player is on one of two sides and interacts with players of the other."""
        return False

    @property
    def columns(self) -> tuple[int, ...]:
        """The slots of the players on the other side of an asymmetric game, unless a scenario says otherwise."""
        return ()

    @property
    def as_column(self) -> Self:
        """The same game as a player of the other side plays it; of a symmetric game, itself."""
        return self

    def others(self, slot: int = 0) -> tuple[str, ...]:
        """The names that the player of a slot has for the others, in the order of slots if there are several."""
        names = tuple(self.sprites.players.values())
        if len(names) == 1:
            return names
        everybody = (FOCAL, *names)
        return everybody[:slot] + everybody[slot + 1 :]

    def played_by(self, players: int, roles: tuple[str, ...]) -> Self:
        """The same game with so many players, whose roles are these if they are not the usual ones."""
        others = dict(islice(self.sprites.players.items(), players - 1))
        if len(others) == len(self.sprites.players):
            return self
        return replace(self, sprites=replace(self.sprites, players=others))

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kinds of things that can be taken or used, by sprite; empty if the file names none."""
        return {}

    @property
    def landmarks(self) -> Mapping[str, str]:
        """The beginning of the kind of walls that tell players where they are, by map character; empty if none does."""
        return {}

    @property
    def marks(self) -> Mapping[str, str]:
        """The names of what is worn, held or shown on top of something, by sprite; empty if the file names none."""
        return {}

    @property
    def freezing_mark(self) -> str | None:
        """The mark of players that can't move; None if no mark says that."""
        return None

    @property
    def solid(self) -> tuple[str, ...]:
        """The sprites of everything that blocks a step, except players."""
        return (self.sprites.wall,)

    def words(self, counts: Counts) -> str:
        """An inventory in words, e.g. `rock 1, paper 6, scissors 1`."""
        return ", ".join(f"{held.name} {count:g}" for held, count in zip(self.holdings, counts, strict=True))
