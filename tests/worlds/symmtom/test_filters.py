from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hm_agent.worlds.symmtom.knowledge.filters import KnowledgeFilter, helpful_speech
from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS, NestedKnowledge
from hm_agent.worlds.symmtom.policies.policy import HeuristicPolicy
from hm_agent.worlds.symmtom.rules import SILENT
from hm_agent.worlds.symmtom.selfplay import play
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights
from tests.support.symmtom.knowledge import measure_accuracy, uniform_speech

TRIO = GameSettings(6, 3, 4)


def sight(positions: list[tuple[int, int]], heard: list[int], knows: list[int], reward: int = 0) -> Sights:
    """What agent 0 sees; pieces 0 and 3 are its own, agents 1 and 2 know their number first-hand."""
    own, first_hand = np.zeros((1, 4), bool), np.zeros((1, 3, 4), bool)
    own[0, knows] = True
    first_hand[0, [0, 0, 1, 2], [0, 3, 1, 2]] = True
    return Sights(
        settings=TRIO,
        me=np.zeros(1, np.intp),
        step=np.ones(1, np.int32),
        positions=np.array([positions], np.int32),
        bases=np.array([[(5, 0), (4, 0), (3, 0)]], np.int32),
        first_hand=first_hand,
        knows=own,
        heard=np.array([heard], np.int32),
        reward=np.array([reward], np.int32),
        held=np.zeros((1, 3), bool),
        seeds=np.zeros(1, np.uint32),
    )


START = sight([(0, 0), (1, 0), (5, 5)], [SILENT] * 3, [0, 3])
TOLD_0 = sight([(0, 0), (1, 0), (5, 5)], [0, SILENT, SILENT], [0, 3], 1)
TOLD_3 = sight([(0, 0), (1, 0), (5, 5)], [3, SILENT, SILENT], [0, 3], 1)
MET = sight([(0, 0), (4, 4), (5, 5)], [SILENT, SILENT, SILENT], [0, 3])


def test_each_piece_that_an_unheard_agent_may_have_said_is_as_likely_as_the_model_says() -> None:
    knowledge = KnowledgeFilter(uniform_speech)
    for one in (START, TOLD_0, TOLD_3, MET):
        knowledge.update(one)
    assert knowledge.probabilities is not None
    assert knowledge.probabilities[0, 2] == pytest.approx([1 / 3, 1 / 3, 1, 1 / 3])
    assert knowledge.probabilities[0, 1] == pytest.approx([1, 1, 1, 1])
    assert knowledge.is_exact


@pytest.mark.parametrize(("reward", "expected"), [(0, 1.0), (1, 0.0)])
def test_what_my_words_were_paid_tells_what_was_said_before(reward: int, expected: float) -> None:
    knowledge = KnowledgeFilter(uniform_speech)
    back = sight([(0, 0), (4, 4), (1, 1)], [0, SILENT, SILENT], [0, 3], reward)
    for one in (START, TOLD_0, TOLD_3, MET, back):
        knowledge.update(one)
    assert knowledge.probabilities is not None
    others = [knowledge.probabilities[0, 2, piece] for piece in (1, 3)]
    assert knowledge.probabilities[0, 2, 0] == pytest.approx(1)
    assert others == pytest.approx([(1 - expected) / 2] * 2, abs=1e-6)


@pytest.mark.parametrize("speech", [uniform_speech, helpful_speech])
def test_speech_models_are_distributions_over_what_is_known(speech: object) -> None:
    assert callable(speech)
    rng = np.random.default_rng(0)
    known = rng.random((50, 3, 4)) < 0.5
    near = ~np.eye(3, dtype=bool)
    says = speech(TRIO, known, near)
    assert says.sum(-1) == pytest.approx(known.any(-1).astype(float))
    assert not says[~known].any()


def test_the_exact_filter_beats_both_estimates_by_the_paper() -> None:
    kinds = {**KINDS, "filter": lambda: KnowledgeFilter(uniform_speech)}
    shares = measure_accuracy(GameSettings(6, 3, 3), HeuristicPolicy(), kinds, np.arange(25, dtype=np.uint32))
    found = {kind: values.mean() for kind, values in shares.items()}
    assert found["ce"] < found["ge"] < found["filter"] < 1


def test_too_many_hypotheses_become_particles() -> None:
    settings, knowledge = GameSettings(6, 4, 12), KnowledgeFilter(uniform_speech)
    for moment in play(settings, HeuristicPolicy(), np.array([3], np.uint32)):
        known = knowledge.update(moment.sights)
        assert known.shape == (4, 4, 12)
        assert (known[moment.sights.rows, moment.sights.me] == moment.sights.knows).all()
    assert not knowledge.is_exact


def test_a_nested_belief_lacks_what_the_other_could_not_hear() -> None:
    beliefs = NestedKnowledge(2)
    beliefs.update(START)
    found = beliefs.update(TOLD_0)
    assert found[0,][0, 1].tolist() == [True, True, False, False]
    assert found[0, 1][0, 1].tolist() == [True, True, False, False]
    assert found[0, 2][0, 1].tolist()[1:] == [True, False, False]
    assert set(found) == {(0,), (0, 1), (0, 2)}


def test_private_first_hand_knowledge_is_not_ascribed_to_others() -> None:
    private = replace(
        START,
        settings=replace(TRIO, has_public_first_hand=False),
        first_hand=START.first_hand & (np.arange(3) == 0)[:, None],
    )
    beliefs = NestedKnowledge(3)
    for found in (beliefs.update(private), beliefs.update(replace(private, heard=TOLD_0.heard))):
        assert found[0,][0, 0].tolist() == [True, False, False, True]
        assert not found[0, 2][0, 0].any()
        assert not found[0, 2, 1][0, 0].any()
    assert found[0, 1][0, 0].tolist() == [True, False, False, False]


@pytest.mark.parametrize(("new", "expected"), [(0, 1.0), (1, 0.0)])
def test_what_a_recharge_was_paid_is_not_taken_for_what_was_new_to_a_listener(new: int, expected: float) -> None:
    """As above, but the agent, which knows every piece, speaks on its base."""
    knowledge = KnowledgeFilter(uniform_speech)
    complete = replace(MET, knows=np.ones((1, 4), bool))
    paid = TRIO.recharge_reward + new
    back = sight([(5, 0), (0, 5), (4, 1)], [0, SILENT, SILENT], [0, 3], paid)
    for one in (START, TOLD_0, TOLD_3, complete, back):
        knowledge.update(one)
    assert knowledge.probabilities is not None
    others = [knowledge.probabilities[0, 2, piece] for piece in (1, 3)]
    assert others == pytest.approx([(1 - expected) / 2] * 2, abs=1e-6)
