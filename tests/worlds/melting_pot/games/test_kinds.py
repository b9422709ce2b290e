"""The table of kinds of games: a third kind takes one entry, and a file of an unknown one is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

import hm_agent
from hm_agent.config import ConfigError
from hm_agent.extensions import ADDED
from hm_agent.worlds.melting_pot.facts import GameFacts, Holding
from hm_agent.worlds.melting_pot.games import KINDS, kind_of
from hm_agent.worlds.melting_pot.games.kind import STEPS, Kind
from hm_agent.worlds.melting_pot.games.options import DEFAULT
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import load_game, load_games
from hm_agent.worlds.melting_pot.simulator.game_files import problems
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of, vision_of

CLEAN_UP = """
game = "river"
title = "Clean Up"
substrate = "clean_up"
short_name = "clean_up"
reward_per_steps = 1000
scenarios = []
apple = "Apple"
beam = { length = 3, radius = 1 }
length = { least = 1000, every = 100, chance = 0.2 }

[sprites]
wall = "Wall"
own = "Avatar1"
focal = "Avatar1"
players = { Avatar2 = "player_1", Avatar3 = "player_2", Avatar4 = "player_3", Avatar5 = "player_4", Avatar6 = "player_5", Avatar7 = "player_6" }
"""  # noqa: E501 - a table of TOML has to stand on one line


@dataclass(frozen=True, kw_only=True)
class RiverFacts(GameFacts):
    """A public good: clean water lets apples grow. apple: the sprite of an apple."""

    game: Literal["river"]
    apple: str

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return ()

    @property
    def kinds(self) -> Mapping[str, str]:
        return {self.apple: "apple"}

    @property
    def marks(self) -> Mapping[str, str]:
        return {}


class RiverKind(Kind[RiverFacts]):
    """Every apple eaten is an interaction."""

    facts = RiverFacts
    actions = (*STEPS, "fire_zap", "fire_clean")
    script = KINDS["matrix"].script

    def count_interactions(self, facts: RiverFacts, observation: Mapping[str, Any], reward: float) -> int:
        return round(reward)

    def problems(self, facts: RiverFacts, settings: Mapping[str, Any]) -> Iterator[str]:
        yield f"apple: {facts.apple} is checked by its kind"


@pytest.fixture
def clean_up(tmp_path: Path) -> Path:
    path = tmp_path / "clean_up.toml"
    path.write_text(CLEAN_UP)
    return path


@pytest.fixture
def river(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "river", RiverKind())


def test_a_file_of_an_unknown_kind_is_refused_with_the_known_ones(clean_up: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"clean_up\.toml: game: unknown kind 'river': .*there are matrix, cooking, .*open"
    ):
        load_game(clean_up)
    clean_up.write_text(CLEAN_UP.replace('game = "river"\n', ""))
    with pytest.raises(
        ConfigError, match=r"game: say its kind, of matrix, .*open; a game of two by its table lies in matrix_games/ of"
    ):
        load_game(clean_up)


@pytest.mark.usefixtures("river")
def test_a_third_kind_takes_one_entry_of_the_table(clean_up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ADDED, "folders", {str(clean_up.parent): None})
    game = load_game(clean_up)
    assert isinstance(game, RiverFacts)
    assert game in load_games()
    assert problems(game) == ["apple: Apple is checked by its kind"]
    clean_up.write_text(CLEAN_UP.replace("apple =", "aple ="))
    with pytest.raises(ConfigError, match=r"aple: no such key: did you mean apple\?"):
        load_game(clean_up)


@pytest.mark.usefixtures("river")
def test_a_third_kind_is_played_with_its_actions_and_interactions(
    clean_up: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ADDED, "folders", {str(clean_up.parent): None})
    monkeypatch.setattr(RiverKind, "problems", lambda *_: iter(()))
    game = load_game(clean_up)
    assert isinstance(game, RiverFacts)
    assert [action.name.lower() for action in actions_of(game.substrate)] == [*RiverKind.actions]
    played = hm_agent.play("clean_up_selfplay", "random", max_steps=10, out=clean_up.parent)
    (episode,) = played.episodes
    trace = (episode.folder / "trace.jsonl").read_text()
    assert "fire_clean" in trace
    assert episode.result.metrics["interactions"] == episode.result.reward
    with pytest.raises(ConfigError, match="no agent that plans plays Clean Up"):
        RiverKind().game(game, vision_of(game.short_name, 0), DEFAULT, 0)


@pytest.mark.parametrize(
    "game", [game for game in load_games() if kind_of(game).actions], ids=lambda game: game.short_name
)
def test_moves_that_planning_makes_are_numbered_as_in_every_substrate(game: GameFacts) -> None:
    actions = actions_of(game.substrate)
    assert [action.name for action in actions] == [move.name for move in Move]
    assert kind_of(game).actions == tuple(move.name.lower() for move in Move)
