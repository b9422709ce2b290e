"""The body of agents that play SymmToM in language: the shared one, with this world's notes, calls and probes."""

from __future__ import annotations

from hm_agent.agents.reflection import Reflector
from hm_agent.agents.written_body import WrittenBody, written_body
from hm_agent.questions import Model
from hm_agent.theory_of_mind.written_mind import WrittenMind
from hm_agent.worlds.symmtom.agents import BeliefScore
from hm_agent.worlds.symmtom.language.board import Board
from hm_agent.worlds.symmtom.language.call_planner import CallPlanner
from hm_agent.worlds.symmtom.language.literal import KnowledgeProbes
from hm_agent.worlds.symmtom.language.notebook import Notebook
from hm_agent.worlds.symmtom.views import BoardView, SpokenMove
from hm_agent.worlds.symmtom.world import SymmtomWorld

SymmtomBody = WrittenBody[BoardView, SpokenMove, Board]


def symmtom_body(
    world: SymmtomWorld,
    seat: str,
    seed: int,
    steps: int,
    probed: int,
    last_probe: int,
    model: Model,
    reflector: Reflector,
) -> SymmtomBody:
    """The body of one seat. steps: of the episode. probed: at how many of the first `last_probe` steps it is probed."""
    notebook = Notebook(seed, steps, BeliefScore(world))
    return written_body(
        notebook,
        CallPlanner(world.settings, notebook),
        WrittenMind([name for name in world.settings.seats if name != seat], notebook),
        model,
        reflector,
        KnowledgeProbes(world, seed, probed, last_probe, notebook),
    )
