"""The tests of mind as scenarios/symmtom/test_*.toml describe them. Imports no NumPy."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Literal

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from hm_agent.config import ConfigError, data_folder, read_toml
from hm_agent.worlds.symmtom.settings import GameSettings

DIRECTIONS = ("left", "right", "up", "down", "stay")

Kind = Literal["reach", "path", "step", "tell", "first_word"]
"""When a trial succeeds. reach: the tested agent comes within hearing of the goal before it comes within hearing of a
wrong agent. path: it does so without a single move that delays the meeting. step: its first move does not delay the
meeting. tell: the goal knows all that the tested agent knows. first_word: the first piece that the tested agent says
within hearing of the goal is new to the goal."""


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ScriptedPart:
    """One agent of a test.

    script: what it does at each step, e.g. `left 2` to move left and say piece 2; after its end the agent stays and
    repeats its last piece. The tested agent's script covers the prelude alone.
    """

    position: tuple[int, int]
    base: tuple[int, int]
    first_hand: tuple[int, ...]
    script: tuple[str, ...] = ()

    def at(self, step: int) -> tuple[str, int]:
        """The direction and the piece of a step; without a script, the agent stays and says its first piece."""
        if not self.script:
            return "stay", self.first_hand[0]
        direction, piece = self.script[min(step, len(self.script) - 1)].split()
        return (direction if step < len(self.script) else "stay"), int(piece)


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class MindTest:
    """One test. Agent 0 is the tested one.

    prelude: the number of steps in which all agents, the tested one too, follow their scripts. goal, wrong: numbers of
    agents. optimum: the turns that the best play takes on average; None if these are the turns that it takes the tested
    agent to come within hearing of the goal. length: the number of steps, None for five times the width.
    """

    about: str
    width: int
    pieces: int
    prelude: int
    kind: Kind
    goal: int
    agents: tuple[ScriptedPart, ...]
    wrong: tuple[int, ...] = ()
    optimum: float | None = None
    length: int | None = None

    @cached_property
    def settings(self) -> GameSettings:
        return GameSettings(self.width, len(self.agents), self.pieces, length=self.length)

    def check(self, where: str) -> None:
        """Raises ConfigError if a piece has not exactly one owner, or a line of a script is malformed."""
        owned = sorted(piece for agent in self.agents for piece in agent.first_hand)
        if owned != list(range(self.pieces)):
            raise ConfigError(f"{where}: first_hand: each of the {self.pieces} pieces has one owner, not {owned}")
        for agent in self.agents:
            for line in agent.script:
                direction, _, piece = line.partition(" ")
                if direction not in DIRECTIONS or not piece.isdecimal() or int(piece) >= self.pieces:
                    raise ConfigError(f"{where}: script: {line!r} is no direction and piece, e.g. 'left 0'")


@cache
def mind_tests() -> dict[str, MindTest]:
    """Every test by the name of its scenario."""
    paths = sorted((data_folder("scenarios") / "symmtom").glob("test_*.toml"))
    reader = TypeAdapter(MindTest)
    tests = {f"symmtom_{path.stem}": read_toml(path, reader) for path in paths}
    for name, test in tests.items():
        test.check(name)
    return tests
