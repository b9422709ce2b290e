"""The sizes and variants of SymmToM, and the scenarios that name them. Imports no NumPy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from hm_agent.config import ConfigError, data_folder, read_toml
from hm_agent.core import Seat

STEPS_PER_WIDTH = 5
"""An episode of a board of width w has 5 w steps."""
WINNING_RECHARGES = 2
"""In the competitive variant, an episode ends when an agent has recharged this often."""
LEAST_WIDTH = 4
"""2h + 1 has to be below the width, and the hearing range h is at least 1."""
MOST_CELLS, MOST_AGENTS, MOST_PIECES = 64 * 64, 16, 64
"""The largest sizes allowed, since boards and knowledge are held in memory for every agent."""

PUBLIC, PRIVATE, COOPERATIVE, COMPETITIVE = "public", "private", "cooperative", "competitive"
PAPER, PUBLISHED = "paper", "published"
PAPER_RULES: Mapping[str, str] = {"first_hand": PUBLIC, "rewards": COOPERATIVE, "rules": PAPER}
"""The paper's variant of the rules, by option."""

_NAME = re.compile(r"symmtom_w(\d{1,4})_n(\d{1,4})_c(\d{1,4})(?:_h(\d{1,4}))?")


@dataclass(frozen=True)
class GameSettings:
    """A SymmToM game: `agents` agents on `width` x `width` cells, who tell each other `pieces` pieces of information.

    hearing: the hearing range h; an agent hears all others at most h cells away, diagonals included (Chebyshev
    distance). has_public_first_hand: True if every agent is told which pieces each agent knows first-hand; False if it
    is told only its own. is_competitive: True if the episode ends when an agent has recharged `WINNING_RECHARGES`
    times, and the others pay. length: the number of steps, None for five times the width. has_published_rules: True
    for the two rules of the authors' code that differ from the paper's (rules.py). has_greedy_speakers: True if agents
    are told that whoever they can't hear says what the fewest near it know, as in matched pairs. Raises ConfigError for
    impossible sizes.
    """

    width: int
    agents: int
    pieces: int
    hearing: int = 1
    has_public_first_hand: bool = True
    is_competitive: bool = False
    length: int | None = None
    has_published_rules: bool = False
    has_greedy_speakers: bool = False

    def __post_init__(self) -> None:
        if problem := self._problem():
            raise ConfigError(f"{self.name}: {problem}")

    def _problem(self) -> str:
        """What is wrong with the sizes, in words; empty if nothing is."""
        cells = self.width**2
        if self.width < LEAST_WIDTH:
            return f"the width w is at least {LEAST_WIDTH}: 2h + 1 is below it, and the hearing range h at least 1"
        if self.hearing < 1 or 2 * self.hearing + 1 >= self.width:
            most = (self.width - 2) // 2
            return f"a hearing range h is at least 1 and 2h + 1 below the width w: up to {most} on w = {self.width}"
        if not 2 <= self.agents <= min(cells, MOST_AGENTS):
            return f"the number of agents n is 2 to {min(cells, MOST_AGENTS)}: each has a cell and a base of its own"
        if not 2 <= self.pieces <= MOST_PIECES:
            return f"the number of pieces c is 2 to {MOST_PIECES}"
        return "" if cells <= MOST_CELLS else f"the width w is at most {int(MOST_CELLS**0.5)}"

    @property
    def name(self) -> str:
        """The name of the scenario of this size, which mentions the hearing range unless it is 1."""
        hearing = "" if self.hearing == 1 else f"_h{self.hearing}"
        return f"symmtom_w{self.width}_n{self.agents}_c{self.pieces}{hearing}"

    def under(self, first_hand: object, rewards: object, rules: object = PAPER) -> GameSettings:
        """The same sizes under the variant of the rules that these values of the options tell."""
        return replace(
            self,
            has_public_first_hand=first_hand == PUBLIC,
            is_competitive=rewards == COMPETITIVE,
            has_published_rules=rules == PUBLISHED,
        )

    @property
    def variant(self) -> dict[str, str]:
        """The variant of the rules, by option."""
        return {
            "first_hand": PUBLIC if self.has_public_first_hand else PRIVATE,
            "rewards": COMPETITIVE if self.is_competitive else COOPERATIVE,
            "rules": PUBLISHED if self.has_published_rules else PAPER,
        }

    def to_json(self) -> dict[str, Any]:
        """The fields, for traces and hashes; the paper's rules go without saying, as before there were others."""
        return {name: value for name, value in vars(self).items() if name != "has_published_rules" or value}

    @property
    def steps(self) -> int:
        return STEPS_PER_WIDTH * self.width if self.length is None else self.length

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(f"player_{agent}" for agent in range(self.agents))

    @property
    def recharge_reward(self) -> int:
        """What a recharge pays: (n - 1) c."""
        return (self.agents - 1) * self.pieces


def parse_name(name: str) -> GameSettings | None:
    """Parses a scenario's name, e.g. `symmtom_w8_n3_c5` or `symmtom_w8_n3_c5_h2`; None if it is not of this form.

    Raises ConfigError for impossible sizes.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    width, agents, pieces, hearing = match.groups(default="1")
    return GameSettings(int(width), int(agents), int(pieces), int(hearing))


def with_variant(scenario: str, variant: Mapping[str, Any]) -> str:
    """A scenario, and its rules where they are not the paper's, e.g. `symmtom_w6_n3_c3 first_hand=private`."""
    others = (f"{name}={variant[name]}" for name, usual in PAPER_RULES.items() if variant[name] != usual)
    return " ".join([scenario, *others])


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class PaperSetting:
    """One of the paper's settings (section 7).

    authors_environment: the mean reward per agent and episode of our heuristic and of random play in the environment
    that the paper's authors released, by the agent's name; measured for this project and not given in the paper.
    """

    w: Annotated[int, Field(ge=4)]
    n: Annotated[int, Field(ge=2)]
    c: Annotated[int, Field(ge=2)]
    authors_environment: Mapping[str, float]

    @property
    def game(self) -> GameSettings:
        return GameSettings(self.w, self.n, self.c)


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class _PaperFile:
    setting: tuple[PaperSetting, ...]


@cache
def paper_settings() -> tuple[PaperSetting, ...]:
    """Reads the paper's twelve settings from scenarios/symmtom/paper.toml."""
    return read_toml(data_folder("scenarios") / "symmtom" / "paper.toml", TypeAdapter(_PaperFile)).setting
