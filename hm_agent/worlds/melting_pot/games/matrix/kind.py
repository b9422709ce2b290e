"""Matrix games as the rest of the wing knows them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.core import Strategy, World
from hm_agent.matched_pairs import HalfOfKind
from hm_agent.questions import Model, Question
from hm_agent.repeated_games.learners import LEARNERS_ABOUT
from hm_agent.theory_of_mind.decision_questions import PLANNING
from hm_agent.theory_of_mind.mind import Mind, OddsReading
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.kind import STEPS, Kind
from hm_agent.worlds.melting_pot.games.matrix.pairs.kinds import PAIR_SCENARIOS, PLAYED_ON, MatrixPairKind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts

SHORTCUTS: Mapping[str, str] = {
    "constant_0": "holds the game's first kind throughout",
    "constant_1": "holds the game's second kind throughout",
    "constant_2": "holds the game's third kind throughout",
    "eyes": "best-responds to what the other is seen to take now, and remembers nothing",
    "tit_for_tat": "plays what the other played last, with a fixed number of things",
    "counter_last": "best-responds to the other's last kind",
    "counter_commonest": "best-responds to the other's commonest kind of the last three",
    **LEARNERS_ABOUT,
}
AS_TAKEN = {
    "last_taken": "the kind that either took last in the prelude",
    "faced": "the kind that was taken while the opponent had the agent in view",
}
PAIR_SHORTCUTS: Mapping[str, str] = {
    f"{which}_{answer}": f"plays {how}{kind}"
    for which, kind in AS_TAKEN.items()
    for answer, how in enumerate(("", "what beats ", "what loses to "))
}
"""The shortcuts of matched pairs alone, which know nothing of what the opponent goes by."""


class MatrixKind(Kind["MatrixFacts"]):
    """Two players fire at each other and are paid by what they have collected. An interaction is a hit by either."""

    facts_at = "games.matrix.facts:MatrixFacts"
    actions = (*STEPS, "interact")
    script = Path(__file__).with_name("matrix.js")
    has_paid_interactions = True
    infers_inventories = True
    offers = (Mind, OddsReading)
    shortcuts: Mapping[str, str] = {**SHORTCUTS, **PAIR_SHORTCUTS}
    pair_shortcuts = tuple(PAIR_SHORTCUTS)
    game_at = "games.matrix.game:MatrixGame"
    situation_at = "games.matrix.seat:MatrixSeat"
    answers_at = "games.matrix.reasoner.answers:ANSWERS"
    bots_at = "games.matrix.simulator.bots:MatrixBots"

    def planning_questions(self) -> Sequence[type[Question[Any]]]:
        return PLANNING

    def shortcuts_in(self, facts: MatrixFacts) -> Collection[str]:
        """All, but no constant of a kind that the game lacks."""
        lacking = {f"constant_{number}" for number in range(len(facts.resources), len(SHORTCUTS))}
        return SHORTCUTS.keys() - lacking

    def shortcut(self, name: str) -> Callable[[Any, Model], Strategist]:
        from hm_agent.worlds.melting_pot.games.matrix.rules_of_thumb import CHOICES, RuleOfThumb

        return lambda mind, model: RuleOfThumb(mind, model, CHOICES[name])

    def count_interactions(self, facts: MatrixFacts, observation: Mapping[str, Any], reward: float) -> int:
        from hm_agent.worlds.melting_pot.scene import held_in_interaction

        return int(held_in_interaction(observation) is not None)

    def target(self, strategy: Strategy | None) -> Counts | None:
        from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy

        return strategy.target if isinstance(strategy, MatrixStrategy) else None

    def pairs_on(self, facts: MatrixFacts) -> Mapping[str, HalfOfKind[MatrixPairKind]]:
        return PAIR_SCENARIOS if facts.short_name == PLAYED_ON else {}

    def pair_world(self, facts: MatrixFacts, pairs: HalfOfKind[MatrixPairKind]) -> World[Any, Any]:
        from hm_agent.worlds.melting_pot.games.matrix.pairs.pair_world import MatrixPairWorld

        return MatrixPairWorld(facts, pairs)

    def problems(self, facts: MatrixFacts, settings: Mapping[str, Any]) -> Iterator[str]:
        from hm_agent.worlds.melting_pot.games.matrix.simulator.checks import matrix_problems

        return matrix_problems(facts, settings)

    def file(self, substrate: str) -> str:
        from hm_agent.worlds.melting_pot.games.matrix.simulator.game_file import MATRIX, game_file

        return game_file(substrate) if MATRIX in substrate else ""
