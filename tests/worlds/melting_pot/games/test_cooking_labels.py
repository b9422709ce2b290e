"""What the agent makes of a kitchen's rounds, against the engine's own record of who did what."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import cache
from typing import Any

import pytest

from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.core import Event, Step
from hm_agent.episode import Outcome, run_episode
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import Question
from hm_agent.worlds.melting_pot.games.cooking.activities import DELIVERED, FILLED, TOOK_SOUP, Activity
from hm_agent.worlds.melting_pot.games.cooking.kitchen import LOADS, ROLES, SERVES, STANDS
from hm_agent.worlds.melting_pot.games.cooking.questions.minds import ProposeTeammate
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import CritiqueInteraction, PlanCooking
from hm_agent.worlds.melting_pot.games.cooking.rounds import OWN, Delivery, RoundEnd
from hm_agent.worlds.melting_pot.games.cooking.ways import approach
from hm_agent.worlds.melting_pot.planning.subgoals import Interact, parse_plan
from hm_agent.worlds.melting_pot.scenarios import find_scenarios
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld

SCENARIOS = find_scenarios(["cooking_asymmetric_*"])
WITH_CHEF, WITH_APPRENTICE, WITH_NOBODY = range(3)
SEEDS = (1001, 1003)
"""With these the focal player begins on the left and on the right."""
OWN_INDEX, OTHERS_INDEX = 1, 2
DID = {
    "item_dropped_into_pot": FILLED,
    "cooked_food_collected_from_pot": TOOK_SOUP,
    "receiver_accepted_item": DELIVERED,
}
"""What the engine calls what we call otherwise."""


class Shift:
    """An episode of Hypothetical Minds, with what it noticed and what really happened."""

    def __init__(self, number: int, seed: int) -> None:
        self._world = MeltingPotWorld(SCENARIOS[number], Bots.SCRIPTED)
        self.steps: list[Step] = []
        self.happened: list[tuple[int, str, int]] = []
        """Step, deed, and the player's number."""
        eyes = vision_of(SCENARIOS[number].game.short_name)
        agent = AGENTS["hypothetical_minds"](
            Ingredients(SCENARIOS[number].game, eyes, BuiltinReasoner(), seed, self._world.tell)
        )
        self.outcome: Outcome = asyncio.run(run_episode(self._world, agent, seed=seed, recorders=[self]))
        self.vitals = agent.vitals()
        self._world.close()

    def record(self, step: Step) -> None:
        if not self.steps:
            assert self._world._stage is not None
            self._world._stage.observables().substrate.events.subscribe(on_next=self._hear)
        self.steps.append(step)

    def _hear(self, event: Any) -> None:
        name, fields = event
        if name in DID:
            said = dict(zip(fields[1::2], fields[2::2], strict=True))
            self.happened.append((len(self.steps) + 1, DID[name], int(said[b"player_index"])))

    def close(self) -> None:
        """Keeps what it has."""

    @property
    def events(self) -> list[Event]:
        return [event for step in self.steps for event in step.decision.events]

    @property
    def rounds(self) -> list[RoundEnd]:
        return [event for event in self.events if isinstance(event, RoundEnd)]

    @property
    def labels(self) -> list[Activity]:
        return [activity for event in self.rounds for activity in event.activities]

    def asked(self, kind: type[Question[Any]]) -> list[tuple[int, Any, Any]]:
        """Step, question and answer."""
        return [
            (step.observation.step, exchange.question, exchange.answer)
            for step in self.steps
            for exchange in step.decision.exchanges
            if isinstance(exchange.question, kind)
        ]


@cache
def shift(number: int, seed: int) -> Shift:
    return Shift(number, seed)


SHIFTS = [(number, seed) for number in (WITH_CHEF, WITH_APPRENTICE, WITH_NOBODY) for seed in SEEDS]


@pytest.mark.parametrize(("number", "seed"), SHIFTS)
def test_every_delivery_is_noticed_and_its_cook_told(number: int, seed: int) -> None:
    played = shift(number, seed)
    noticed = [(e.step, e.by == OWN) for e in played.rounds if isinstance(e, Delivery)]
    happened = [(step, player == OWN_INDEX) for step, did, player in played.happened if did == DELIVERED]
    # The episode's last step is seen by nobody.
    assert noticed == [(step, own) for step, own in happened if step < played.outcome.steps]


@pytest.mark.parametrize(("number", "seed"), SHIFTS)
@pytest.mark.parametrize("did", [FILLED, TOOK_SOUP])
def test_what_the_teammate_did_to_the_pots_is_found_out(number: int, seed: int, did: str) -> None:
    played = shift(number, seed)
    end = max(event.step for event in played.rounds)
    happened = sum(d == did and player == OTHERS_INDEX and step <= end for step, d, player in played.happened)
    labelled = sum(activity.did == did for activity in played.labels)
    assert abs(happened - labelled) <= max(2, 0.05 * happened)


@pytest.mark.parametrize(("number", "seed"), SHIFTS)
def test_what_is_said_to_be_seen_happened_just_then(number: int, seed: int) -> None:
    played = shift(number, seed)
    happened = {(step, did) for step, did, player in played.happened if player == OTHERS_INDEX}
    seen = [(a.step, a.did) for a in played.labels if a.seen and a.did in (FILLED, TOOK_SOUP)]
    assert set(seen) <= happened


@pytest.mark.parametrize(("number", "seed"), SHIFTS)
def test_interactions_of_a_result_are_deliveries(number: int, seed: int) -> None:
    played = shift(number, seed)
    noticed = sum(isinstance(event, Delivery) for event in played.events)
    assert played.vitals.interactions == noticed
    assert 0 <= played.outcome.reward / 20 - noticed <= 1
    assert (played.vitals.unknown_patches, played.vitals.pose_lost_steps) == (0, 0)
    assert played.outcome.steps == 1000


@pytest.mark.parametrize("seed", SEEDS)
def test_a_teammate_that_stands_still_is_seen_through(seed: int) -> None:
    played = shift(WITH_NOBODY, seed)
    assert {event.role for event in played.rounds[1:]} == {STANDS}


@pytest.mark.parametrize(("seed", "role"), [(SEEDS[0], LOADS), (SEEDS[1], SERVES)])
def test_a_chef_is_known_by_its_part(seed: int, role: str) -> None:
    roles = Counter(event.role for event in shift(WITH_CHEF, seed).rounds)
    assert roles[role] >= 0.8 * roles.total()


@pytest.mark.parametrize(("number", "seed"), [(n, s) for n, s in SHIFTS if n != WITH_APPRENTICE])
def test_a_steady_teammate_leads_to_a_validated_hypothesis_that_is_used(number: int, seed: int) -> None:
    played = shift(number, seed)
    validated = [step.decision.validated for step in played.steps]
    first = next(n for n, hypothesis in enumerate(validated) if hypothesis is not None)
    assert first < 400
    assert sum(hypothesis is not None for hypothesis in validated) > 500
    for step in played.steps[first:]:
        if step.decision.validated and step.decision.strategy:
            assert step.decision.strategy.expected_role in ROLES
    proposals = [step for step, _, _ in played.asked(ProposeTeammate)]
    steady = {step.observation.step for step in played.steps if step.decision.validated}
    assert not any(step in steady and step - 1 in steady for step in proposals)


@pytest.mark.parametrize(("number", "seed"), SHIFTS)
def test_nothing_is_asked_twice_about_one_way_to_fail(number: int, seed: int) -> None:
    states = [
        (q.target, q.hands, q.before and (q.before.kind, q.before.mark == "cooked"))
        for _, q, _ in shift(number, seed).asked(CritiqueInteraction)
    ]
    assert len(states) == len(set(states))


@pytest.mark.parametrize(("number", "seed"), SHIFTS)
def test_no_plan_begins_with_what_has_failed_in_the_same_state(number: int, seed: int) -> None:
    for _, question, answer in shift(number, seed).asked(PlanCooking):
        first = parse_plan(answer.subgoals, question.layout, ("interact", "wait", "move_to"))[0]
        assert not (isinstance(first, Interact) and first.target in {barred.cell for barred in question.barred})


@pytest.mark.parametrize(("number", "seed"), SHIFTS)
def test_plans_keep_to_the_own_room(number: int, seed: int) -> None:
    for _, question, answer in shift(number, seed).asked(PlanCooking):
        question.check(answer)
        for subgoal in parse_plan(answer.subgoals, question.layout, ("interact", "wait", "move_to")):
            if isinstance(subgoal, Interact):
                assert approach(question.layout, question.pose, subgoal.target) is not None


@pytest.mark.parametrize("seed", SEEDS)
def test_beside_nobody_as_much_is_cooked_as_one_cook_can(seed: int) -> None:
    assert shift(WITH_NOBODY, seed).outcome.reward >= {SEEDS[0]: 400, SEEDS[1]: 660}[seed]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chef_is_a_help(seed: int) -> None:
    assert shift(WITH_CHEF, seed).outcome.reward > shift(WITH_NOBODY, seed).outcome.reward
