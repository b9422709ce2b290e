"""What an agent thinks of its partners while they act: each has hypotheses and an expectation of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.models.prompts import render
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.theory_of_mind.decision_questions import Plan
from hm_agent.theory_of_mind.hypotheses import TABLE_2
from hm_agent.theory_of_mind.joint import JointMind
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import (
    Foresight,
    HypothesisAnswer,
    Predict,
    Prediction,
    Propose,
    Revise,
    RevisedBeliefs,
    RevisedMind,
)
from hm_agent.theory_of_mind.module import TheoryOfMind
from hm_agent.theory_of_mind.written_mind import WrittenStrategy
from hm_agent.worlds.enacttom.language.body import HouseholdMind
from hm_agent.worlds.enacttom.language.notebook import HouseNotebook
from hm_agent.worlds.enacttom.language.reasoner import ANSWERS
from hm_agent.worlds.enacttom.language.situation import NOTHING, WRITES, HouseSituation, NextAct, PartnerAct
from tests.model_stand_ins import CheckedReasoner
from tests.worlds.enacttom.language.household_examples import Watched


def next_of(act: object) -> NextAct:
    """The same act again."""
    assert isinstance(act, PartnerAct)
    return NextAct(does=act.does, about=act.things[0] if act.things else NOTHING)


def predict(asked: Predict) -> Foresight[NextAct]:
    """Whoever handles something is expected to handle it again, whoever writes to write again."""
    foreseen = [next_of(asked.history[-1])] * len(asked.hypotheses)
    if not asked.decides:
        return Foresight[NextAct](player=asked.about, next=foreseen)
    return Prediction[NextAct, str](player=asked.about, next=foreseen, strategy=f"Reckon with {asked.about}.")


def propose(asked: Propose) -> HypothesisAnswer:
    return HypothesisAnswer(hypothesis=f"{asked.about} goes on with {next_of(asked.history[-1]).about}.")


def revise(asked: Revise) -> RevisedBeliefs[NextAct, str]:
    if not asked.history:
        return RevisedBeliefs[NextAct, str](hypotheses=[], strategy="Wait.")
    latest = next_of(asked.history[-1])
    rule = RevisedMind[NextAct](of=0, hypothesis=f"{asked.about} goes on with {latest.about}.", next=latest)
    return RevisedBeliefs[NextAct, str](hypotheses=[rule], strategy=f"Reckon with {asked.about}.")


def model() -> ScriptedModel:
    return ScriptedModel({Propose: propose, Predict: predict, Revise: revise})


def noticing(watched: Watched, told: ScriptedModel, strategist: type[TheoryOfMind | JointMind]) -> Callable[..., Any]:
    """Plays one turn and has a strategist take in what one agent noticed of it; returns the strategy."""
    mind = HouseholdMind([seat for seat in watched.world.seats if seat != watched.seat], watched)
    thinker = strategist(mind, told, TABLE_2)

    def play(joint: Mapping[str, str]) -> Any:
        watched.play(joint)
        return asyncio.run(thinker.revise(watched.events))

    return play


def test_a_partner_that_does_again_what_was_expected_is_not_asked_about_again() -> None:
    """It brings a cup, puts it down, takes it again and puts it elsewhere."""
    told = model()
    play = noticing(Watched("one_window", "agent_0"), told, TheoryOfMind)
    asked = []
    for command in (
        "Open[drawer_3]",
        "Pick[cup_4]",
        "Navigate[living_room_1]",
        "Place[cup_4, on, table_5]",
        "Pick[cup_4]",
        "Place[cup_4, on, shelf_2]",
    ):
        play({"agent_1": command})
        asked.append(len(told.of(Predict)))
    assert asked == [0, 0, 0, 1, 1, 1]
    seen = [act.seen for act in told.of(Predict)[-1].history if isinstance(act, PartnerAct)]
    assert seen == ["cup_4 is on top of table_5"]
    assert "\n- turn 4: handled cup_4 here; then cup_4 is on top of table_5\n" in render(told.of(Predict)[-1])


def test_an_expected_act_teaches_nothing_if_the_partner_has_acted_like_that_before() -> None:
    mind = HouseholdMind(["agent_0"], HouseNotebook())
    five, six = (PartnerAct(turn, "agent_0", WRITES, (f"cabinet_{turn}",)) for turn in (5, 6))
    assert [mind.repeats(history) for history in ([five], [five, six], [five, six, five], [six, six])] == [
        False, False, True, True,
    ]  # fmt: skip


BOTH_WRITE = {
    "agent_0": 'Communicate["by the end, cabinet_5 must be open.", all]',
    "agent_2": 'Communicate["cabinet_5 is closed.", all]',
}


@pytest.mark.parametrize("strategist", [TheoryOfMind, JointMind])
def test_each_partner_keeps_its_own_hypothesis_and_expectation(strategist: type[TheoryOfMind | JointMind]) -> None:
    told = model()
    play = noticing(Watched("relay_of_three", "agent_1"), told, strategist)
    strategy = play(BOTH_WRITE)
    believed = tuple(
        PlayerBelief(name, f"{name} goes on with cabinet_5.", "writes about cabinet_5")
        for name in ("agent_0", "agent_2")
    )
    assert strategy == WrittenStrategy("Reckon with agent_2.", believed)
    first, second = (one for one in told.asked if isinstance(one, Predict | Revise) and one.history)
    assert (first.about, second.about) == ("agent_0", "agent_2")
    assert second.others == believed[:1]
    assert f"\n- agent_0 (next: writes about cabinet_5): {believed[0].hypothesis}\n" in render(second)
    assert play({}) == strategy


@pytest.mark.parametrize("agent", ["hypothetical_minds", "hm_joint", "mmp"])
def test_a_plan_is_shown_what_is_believed_of_every_partner_that_was_noticed(agent: str) -> None:
    (scenario,) = find_scenarios(["enacttom_cooperative_k2_003"])
    reasoner = CheckedReasoner(ANSWERS)
    world, agents = set_up(scenario, agent, model=reasoner)
    play_out(world, agents, seed=0)
    plans = [question for question in reasoner.asked if isinstance(question, Plan)]
    for question in plans:
        assert isinstance(question.situation, HouseSituation)
        views = question.situation.views
        noticed = {one.sender for view in views for one in view.messages}
        assert noticed <= {partner.name for partner in question.others}
        for partner in question.others:
            assert f"\n- {partner.name} (next: {partner.expected}): {partner.hypothesis}\n" in render(question)
    assert max(len(question.others) for question in plans) > 1


def strategy(words: str, **expected: str | None) -> WrittenStrategy:
    partners = tuple(PlayerBelief(name, "It waits.", each) for name, each in expected.items())
    return WrittenStrategy(words, partners)


@pytest.mark.parametrize(
    ("now", "because"),
    [
        (strategy("Wait.", agent_0="leaves", agent_2="comes"), None),
        (strategy("Wait.", agent_0="leaves", agent_2="comes", agent_3=None), None),
        (strategy("Wait.", agent_0="leaves", agent_2="leaves"), "you now expect something else"),
        (strategy("Wait.", agent_0="leaves"), "you now expect something else"),
        (strategy("Go.", agent_0="leaves", agent_2="comes"), "your strategy has changed"),
    ],
)
def test_a_plan_goes_on_while_the_strategy_and_what_is_expected_of_everyone_stand(
    now: WrittenStrategy, because: str | None
) -> None:
    assert now.why_replan(strategy("Wait.", agent_0="leaves", agent_2="comes")) == because
