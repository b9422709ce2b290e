"""What all strategists share: they take in the events of a step, remember interactions, and keep their strategy."""

from __future__ import annotations

import asyncio

from hm_agent.agents.baselines import Reactive
from hm_agent.core import Hypothesis, Strategy
from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.theory_of_mind.strategist import BaseStrategist, InteractionMemory
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.mind import MatrixMind
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, reward
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from tests.strategists import OWN, PAPERS, ROCKS, RWS, dyad, interact


def event(step: int, partner: str | None = "opponent") -> InteractionEvent:
    return InteractionEvent(step, partner, OWN, reward(OWN, ROCKS, RWS.payoff), shown=(0, 0, 0))


class Numbered(BaseStrategist[MatrixMind]):
    """Makes strategies that are named 1, 2, 3; outdated while `must_begin` is true."""

    must_begin = False
    count = 0

    @property
    def is_outdated(self) -> bool:
        return self.must_begin

    async def _decide(self) -> Strategy:
        self.count += 1
        return MatrixStrategy(str(self.count))


def numbered() -> Numbered:
    return Numbered(dyad().mind, ScriptedModel({}))


def words_after(strategist: Numbered, *events: InteractionEvent) -> str:
    return asyncio.run(strategist.revise(events)).words


def test_interactions_are_remembered_with_inventory_reward_partner_and_step() -> None:
    strategist = Reactive(dyad().mind, ScriptedModel({}))
    interact(strategist, 7, ROCKS)
    (met,) = strategist.history
    assert isinstance(met, MatrixInteraction)
    assert (met.step, met.partner, met.own, met.other, met.behaviour) == (7, "opponent", (1, 7, 1), ROCKS, "rock")
    assert met.reward == reward((1, 7, 1), ROCKS, RWS.payoff)


def test_a_memory_tells_the_interactions_with_one_player() -> None:
    strategist, memory = Reactive(dyad().mind, ScriptedModel({})), InteractionMemory()
    assert memory.latest is None
    interact(strategist, 7, ROCKS)
    interact(strategist, 9, PAPERS)
    for interaction in strategist.history:
        memory.add(interaction)
    assert [met.step for met in memory.of("opponent")] == [7, 9]
    assert memory.of("somebody else") == ()
    assert memory.latest is strategist.history[-1]


def test_the_first_step_begins_a_strategy_and_a_step_without_events_keeps_it() -> None:
    strategist = numbered()
    assert [words_after(strategist), words_after(strategist)] == ["1", "1"]


def test_every_interaction_of_a_step_revises_the_strategy_in_order() -> None:
    strategist = numbered()
    assert words_after(strategist, event(3), event(3)) == "3"


def test_an_outdated_strategy_is_made_again_without_any_event() -> None:
    strategist = numbered()
    words_after(strategist)
    strategist.must_begin = True
    assert words_after(strategist) == "2"


def test_an_interaction_with_an_unknown_player_is_not_understood_and_keeps_the_strategy() -> None:
    strategist = numbered()
    assert words_after(strategist, event(3, partner=None)) == "1"
    assert strategist.thoughts().interactions == ()


def test_thoughts_hold_the_strategy_and_the_interactions_of_the_latest_step_alone() -> None:
    strategist = numbered()
    assert strategist.thoughts().about is None
    words_after(strategist, event(3))
    thoughts = strategist.thoughts()
    assert (thoughts.strategy, thoughts.about) == (MatrixStrategy("2"), "opponent")
    assert [met.step for met in thoughts.interactions] == [3]
    words_after(strategist)
    assert strategist.thoughts().interactions == ()
    assert strategist.thoughts().about == "opponent"


def test_a_strategist_without_hypotheses_validates_none_and_has_no_threshold() -> None:
    thoughts = numbered().thoughts()
    none: tuple[Hypothesis, ...] = ()
    assert (thoughts.hypotheses, thoughts.validated, thoughts.threshold) == (none, None, None)
