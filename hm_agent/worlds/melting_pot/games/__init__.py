"""The table of kinds of games."""

from __future__ import annotations

from typing import Any

from hm_agent.models.builtin import ReasonerTable, by_situation
from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.games.agenda import AgendaKind
from hm_agent.worlds.melting_pot.games.coins import CoinsKind
from hm_agent.worlds.melting_pot.games.commons import CommonsKind
from hm_agent.worlds.melting_pot.games.cooking.kind import CookingKind
from hm_agent.worlds.melting_pot.games.daycare import DaycareKind
from hm_agent.worlds.melting_pot.games.kind import Kind
from hm_agent.worlds.melting_pot.games.matrix.kind import MatrixKind
from hm_agent.worlds.melting_pot.games.open.open_kind import OpenKind

KINDS: dict[str, Kind[Any]] = {
    "matrix": MatrixKind(),
    "cooking": CookingKind(),
    "commons": CommonsKind(),
    "daycare": DaycareKind(),
    "agenda": AgendaKind(),
    "coins": CoinsKind(),
    "open": OpenKind(),
}
"""All kinds of games, by the word that their files say for `game`; the last one is for any substrate."""


def kind_of(game: GameFacts) -> Kind[Any]:
    """The kind of a game, which its file has to name: no file of an unknown kind is read."""
    return KINDS[game.game]


def answers() -> ReasonerTable:
    """The built-in reasoner's functions for the questions of all games."""
    return by_situation({kind.situation(): kind.answers() for kind in KINDS.values()})
