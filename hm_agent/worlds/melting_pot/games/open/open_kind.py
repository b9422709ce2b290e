"""The seam of open games: what the rest of the wing needs to know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.worlds.melting_pot.games.kind import Kind
from hm_agent.worlds.melting_pot.games.open.open_facts import OpenFacts

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.perception.sprites import Pixels


class OpenKind(Kind[OpenFacts]):
    """Any substrate, for agents of your own, which may see it in words: no agent of the package plans in it."""

    facts = OpenFacts
    actions = ()
    script = Path(__file__).with_name("open.js")
    offers = None
    counts_interactions = False
    is_framed = False

    def reader(self, facts: OpenFacts, slot: int, *, is_column: bool = False) -> Callable[[Pixels, int], str]:
        from hm_agent.worlds.melting_pot.games.open.grid_view import GridView

        view = GridView.of(facts.substrate, slot).naming(facts.names)
        return lambda rgb, _: view.describe(rgb)

    def problems(self, facts: OpenFacts, settings: Mapping[str, Any]) -> Iterator[str]:
        from hm_agent.worlds.melting_pot.games.open.simulator.game_file import item_problems, word_problems

        yield from item_problems(facts)
        yield from word_problems(facts)

    def file(self, substrate: str) -> str:
        from hm_agent.worlds.melting_pot.games.open.simulator.game_file import open_game_file

        return open_game_file(substrate)
