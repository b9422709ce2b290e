"""The card: what an agent with a model earned in the battery, by world and needed order, and the hashes of it all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from hm_agent.cards.battery import CANARY
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError, first_problem
from hm_agent.extensions import is_place
from hm_agent.models.settings import PLACE
from hm_agent.process.shell import printable
from hm_agent.storage.files import read_regular, write_whole

FILE, PAGE, FIGURE, ANSWERS = "card.json", "card.html", "card.png", "answers.jsonl.gz"
"""The files in a card's folder."""
FOLDER = "cards"
"""The folder of a battery's cards, within the folder of its runs; in it one folder for each agent and model."""
FORMAT: Literal[2] = 2
DIGITS = 6
"""How many decimals the figures of a card have."""
NOT_DERIVED = ("made", "versions", "endpoints")
"""The fields of a card that its answers don't say, so that another date or Python gives the same card."""

Number = Annotated[float, Field(ge=-1e15, le=1e15)]
Count = Annotated[int, Field(ge=0, le=10**15)]


@dataclass(frozen=True)
class Figure:
    """A mean. low, high: its 95% interval over scenarios and seeds; None for fewer than five episodes."""

    mean: Number
    low: Number | None = None
    high: Number | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True)
class OrderFigures:
    """The figures of one world's items that need one order of mind.

    order: None in a world whose scenarios state none. items: how many scenarios, two that make a pair counted once;
    left_out: those without a score, since the ceiling is hardly better than the best shortcut. literal: the share of
    statements about other minds that were right, none in an episode without a result; skill: the same from the base
    rate (0) to always right (1), or the share itself without a base rate. functional: how well it acted, from the best
    shortcut (0) to the ceiling (1); a share in a world that has neither. gap: skill minus functional. log_loss_skill,
    brier_skill: of the chances that it gave, 1 minus the ratio to what the frequencies in hindsight get. references: by
    agent, the functional score of the ladder, the ceiling, the floor and the best of all shortcuts in the same items.
    """

    order: int | None
    items: Count
    episodes: Count
    planned: Count
    left_out: Count
    literal: Figure | None = None
    base_rate: Number | None = None
    skill: Figure | None = None
    functional: Figure | None = None
    gap: Figure | None = None
    log_loss_skill: Number | None = None
    brier_skill: Number | None = None
    floor: tuple[str, ...] = ()
    ceiling: tuple[str, ...] = ()
    references: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True)
class LadderPosition:
    """The order at which a model plays in one world.

    It is the order below the lowest needed one, plus 1 for each needed order whose items are played with a functional
    score of at least .8, which is what it takes to need an order, too. A lower score counts as its part of .8, one
    below 0 as nothing, and no order counts more than a lower one. So an agent of order 2 that reaches .8 in all items
    up to order 2 and 0 above has 2, and the best shortcut is one below the lowest needed order. is_below_shortcuts:
    True if the score of the items of the lowest order is not above 0.
    """

    at: Figure
    lowest: int
    highest: int
    is_below_shortcuts: bool


@dataclass(frozen=True)
class CalibrationBin:
    """The chances of similar size that were given. count: their number; chance: their mean; came: the share that came.

    A calibrated agent's shares are its chances. One that gives no chances was certain, so it has one bin, of chance 1.
    """

    count: Count
    chance: Number
    came: Number


@dataclass(frozen=True)
class WorldFigures:
    """One world. needs_are: how it is known which order items need. orders: one entry, of order None, if not.

    calibration: the chances that it gave of what others do, by size, in the items of all orders; empty without any.
    """

    world: str
    title: str
    needs_are: str
    position: LadderPosition | None
    orders: tuple[OrderFigures, ...]
    calibration: tuple[CalibrationBin, ...] = ()

    @property
    def calibration_error(self) -> float | None:
        """How far chances and the shares that came are apart, a mean over chances; None without any."""
        count = sum(part.count for part in self.calibration)
        apart = sum(part.count * abs(part.chance - part.came) for part in self.calibration)
        return apart / count if count else None


@dataclass(frozen=True)
class Bill:
    """What was asked of the model, over all episodes of the card.

    cost: in USD what all answers cost when they were given, those that a cache kept included, so that it follows from
    the answers; None if unknown.
    """

    questions: Count = 0
    unanswered: Count = 0
    calls: Count = 0
    input_tokens: Count | None = 0
    output_tokens: Count | None = 0
    cost: Number | None = 0.0


@dataclass(frozen=True)
class Hashes:
    """SHA-256 of what the card rests on: items as first seen, templates of prompts, answers, results without times.

    code: of the files of somebody's own agent or model, shortened; None for those of the package.
    """

    items: str
    prompts: str
    answers: str
    results: str
    code: str | None = None


@dataclass(frozen=True)
class Card:
    """One agent with one model in one battery.

    only: the worlds of a part of the battery, empty for all. split: `public`, or the hash of the private seed;
    split_seed: that seed, if it is told. settings: of the sampling. unfinished: how many of the episodes played have no
    result, by status. made: the date. endpoints: of the model, without what may hold keys.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    agent: str
    model: str
    size: Annotated[str, Field(pattern="^(small|full)$")]
    split: str
    worlds: tuple[WorldFigures, ...]
    bill: Bill
    hashes: Hashes
    made: str
    only: tuple[str, ...] = ()
    split_seed: int | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    unfinished: Mapping[str, Count] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    endpoints: tuple[str, ...] = ()
    canary: str = CANARY
    format: Literal[2] = FORMAT

    @property
    def player(self) -> str:
        """The agent and, since the same name may stand for several, the hash of its code if it is somebody's own."""
        return f"{self.agent} (code {self.hashes.code})" if self.hashes.code else self.agent

    @property
    def is_of_own_code(self) -> bool:
        """True if the agent or the model is code of somebody's own, which can read all that is hidden."""
        return is_place(self.agent) or self.model.startswith(PLACE)

    @property
    def episodes(self) -> int:
        return sum(row.episodes for world in self.worlds for row in world.orders)

    @property
    def planned(self) -> int:
        return sum(row.planned for world in self.worlds for row in world.orders)

    def world(self, name: str) -> WorldFigures | None:
        return next((world for world in self.worlds if world.world == name), None)

    def figures(self, world: str, order: int | None) -> OrderFigures | None:
        """What was played of a world's items that need an order; None if nothing was."""
        own = self.world(world)
        return next((row for row in own.orders if row.order == order), None) if own else None


@cache
def form() -> TypeAdapter[Card]:
    """What reads cards, and gives their JSON schema."""
    return TypeAdapter(Card)


def write_card(card: Card, path: Path) -> None:
    fields = asdict(card)
    first = {"format": fields.pop("format"), "canary": fields.pop("canary")}
    write_whole(path, json.dumps(first | fields, indent=1, ensure_ascii=False) + "\n")


def read_card(path: Path) -> Card:
    """Reads a card; raises ConfigError, in one line, if it can't be read or is of another format."""
    try:
        fields = json.loads(read_regular(path))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}; name a card.json, or the folder of a battery") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid JSON, so no card") from error
    given = fields.get("format") if isinstance(fields, dict) else None
    if given != FORMAT:
        raise ConfigError(f"{path} has format {printable(str(given))}, and this version reads cards of format {FORMAT}")
    try:
        return form().validate_python(fields)
    except ValidationError as error:
        raise ConfigError(f"{path} is no card: {first_problem(error)}") from error


def differences(card: Card, derived: Card) -> Iterator[str]:
    """Yields each figure in which a card differs from what its answers give, e.g. `worlds.symmtom.order 2...`."""
    given, found = ({k: v for k, v in asdict(one).items() if k not in NOT_DERIVED} for one in (card, derived))
    yield from _differences("", given, found)


def _differences(place: str, given: Any, found: Any) -> Iterator[str]:
    if isinstance(given, dict) and isinstance(found, dict):
        for key in {**given, **found}:
            yield from _differences(f"{place}.{key}" if place else key, given.get(key), found.get(key))
    elif isinstance(given, tuple) and isinstance(found, tuple) and len(given) == len(found):
        for number, (one, other) in enumerate(zip(given, found, strict=True)):
            yield from _differences(f"{place}.{_name(other, number)}", one, other)
    elif given != found:
        yield f"{place} is {_shown(given)} on the card, and its answers give {_shown(found)}"


def _name(part: Any, number: int) -> str:
    """What a list's entry is called: the world, or the needed order."""
    if not isinstance(part, dict):
        return str(number)
    return str(part["world"]) if "world" in part else f"order {part.get('order')}"


def _shown(value: Any) -> str:
    text = printable(str(value))
    return text if len(text) <= 60 else f"{text[:57]}..."
