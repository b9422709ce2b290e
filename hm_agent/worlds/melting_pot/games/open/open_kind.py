"""The seam of open games: what the rest of the wing needs to know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.agents.agent import BodyBuilder
from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model, Question
from hm_agent.theory_of_mind.decision_questions import PLANNING
from hm_agent.theory_of_mind.mind import JointMindReading, MindPrompting, MindReading, OddsReading, StrategyMaking
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.games.kind import Kind, Reader, imported

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
    from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
    from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
    from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots
    from hm_agent.worlds.melting_pot.games.options import AgentOptions


class OpenKind(Kind[Any]):
    """Any substrate, seen, remembered and planned in by what its configuration and its file's rules tell.

    parts_at: where `imported` finds what plays a seat of its games.
    """

    facts_at = "games.open.open_facts:OpenFacts"
    actions = ()
    script = Path(__file__).with_name("open.js")
    offers = (MindReading, JointMindReading, MindPrompting, OddsReading, StrategyMaking)
    knows_bots = False
    counts_interactions = False
    is_framed = False
    parts_at = "games.open.open_parts:PARTS"

    @property
    def parts(self) -> OpenParts:
        """What plays a seat of its games."""
        parts: OpenParts = imported(self.parts_at)
        return parts

    def body(self, facts: SubstrateFacts, options: AgentOptions, slot: int, *, is_column: bool = False) -> BodyBuilder:
        return partial(self.parts.body, facts, slot)

    def worn(self, facts: SubstrateFacts) -> Mapping[str, str]:
        from hm_agent.worlds.melting_pot.games.open.grid_view import worn_sprites

        return worn_sprites(facts.substrate)

    def situation(self) -> type[OpenSeat]:
        return self.parts.notes.seat_class

    def answers(self) -> ReasonerTable:
        return self.parts.reasoner.answers

    def shortcut(self, name: str) -> Callable[[Any, Model], Strategist]:
        return self.parts.strategist(name)

    def planning_questions(self) -> Sequence[type[Question[Any]]]:
        return PLANNING

    def reader(self, facts: SubstrateFacts, slot: int, *, is_column: bool = False) -> Reader:
        from hm_agent.worlds.melting_pot.games.open.open_parts import reader_with

        notes, _ = self.parts.senses(facts, slot)
        return reader_with(notes)

    def bots(self, facts: Any) -> RuleBots:
        from hm_agent.worlds.melting_pot.games.open.simulator.scripted_player import RuleBots

        return RuleBots(facts, self.parts)

    def problems(self, facts: SubstrateFacts, settings: Mapping[str, Any]) -> Iterator[str]:
        from hm_agent.worlds.melting_pot.games.open.simulator.game_file import file_problems

        return file_problems(facts, settings)

    def file(self, substrate: str) -> str:
        from hm_agent.worlds.melting_pot.games.open.simulator.game_file import open_game_file

        return open_game_file(substrate)
