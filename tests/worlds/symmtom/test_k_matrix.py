from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hm_agent.worlds.symmtom.knowledge.k_matrix import KINDS
from hm_agent.worlds.symmtom.policies.policy import HeuristicPolicy, RandomPolicy
from hm_agent.worlds.symmtom.rules import SILENT, Bools
from hm_agent.worlds.symmtom.selfplay import play
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.sights import Sights
from tests.support.symmtom.knowledge import measure_accuracy

SETTINGS = GameSettings(6, 3, 3)


def sight(positions: list[tuple[int, int]], heard: list[int], knows: list[int], bases: list[tuple[int, int]]) -> Sights:
    """What agent 0 sees; agent i knows piece i first-hand."""
    own = np.zeros((1, 3), bool)
    own[0, knows] = True
    return Sights(
        settings=SETTINGS,
        me=np.zeros(1, np.intp),
        step=np.ones(1, np.int32),
        positions=np.array([positions], np.int32),
        bases=np.array([bases], np.int32),
        first_hand=np.eye(3, dtype=bool)[None],
        knows=own,
        heard=np.array([heard], np.int32),
        reward=np.zeros(1, np.int32),
        held=np.zeros((1, 3), bool),
        seeds=np.zeros(1, np.uint32),
    )


FAR = [(5, 5), (5, 4), (5, 3)]


def believed(kind: str, *sights: Sights) -> Bools:
    estimate = KINDS[kind]()
    known = estimate.update(sight([(0, 0), (0, 1), (1, 0)], [SILENT] * 3, [0], FAR))
    for one in sights:
        known = estimate.update(one)
    found: Bools = known[0].astype(int)
    return found


def test_all_near_me_know_what_i_said() -> None:
    heard = sight([(0, 0), (0, 1), (3, 3)], [0, SILENT, SILENT], [0], FAR)
    assert believed("ce", heard).tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 1]]


def test_all_near_a_speaker_whom_i_heard_know_what_it_said_even_if_they_are_far_from_me() -> None:
    heard = sight([(0, 0), (1, 1), (2, 2)], [SILENT, 1, SILENT], [0, 1], FAR)
    assert believed("ce", heard).tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 1]]


def test_only_the_greedy_estimate_fills_in_what_could_not_be_heard() -> None:
    unheard = sight([(0, 0), (4, 4), (4, 3)], [0, SILENT, SILENT], [0], FAR)
    assert believed("ce", unheard).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert believed("ge", unheard).tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert believed("first_hand", unheard).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_who_was_heard_to_be_silent_said_nothing_even_by_the_greedy_estimate() -> None:
    silent = sight([(3, 3), (4, 4), (4, 3)], [0, SILENT, SILENT], [0], FAR)
    assert believed("ge", silent).tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]


def test_who_knew_all_and_is_on_its_base_has_lost_what_it_heard() -> None:
    bases = [(5, 5), (0, 1), (5, 3)]
    one = sight([(0, 0), (1, 1), (1, 0)], [0, SILENT, 2], [0, 2], bases)
    on_base = sight([(0, 0), (0, 1), (4, 4)], [0, SILENT, SILENT], [0, 2], bases)
    assert believed("ce", one).tolist() == [[1, 0, 1], [1, 1, 1], [1, 0, 1]]
    assert believed("ce", one, on_base).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize("settings", [SETTINGS, GameSettings(6, 4, 8)], ids=lambda one: one.name)
def test_conservative_beliefs_in_knowledge_that_nobody_lost_are_never_wrong(settings: GameSettings) -> None:
    """In random play agents hardly ever recharge; until the first one does, what CE believes known is known."""
    estimate = KINDS["ce"]()
    for moment in play(settings, RandomPolicy(), np.arange(30, dtype=np.uint32)):
        known = estimate.update(moment.sights)
        truth = np.repeat(moment.before.knows, settings.agents, 0)
        untouched = np.repeat((moment.before.recharges == 0).all(-1), settings.agents)
        assert not (known & ~truth)[untouched].any()
        assert (known[moment.sights.rows, moment.sights.me] == moment.sights.knows).all()


@pytest.mark.parametrize(
    ("settings", "there"),
    [(SETTINGS, (0.470, 0.858, 0.966)), (GameSettings(12, 4, 8), (0.405, 0.841, 0.931))],
    ids=lambda one: getattr(one, "name", ""),
)
def test_accuracies_under_heuristic_play_are_near_those_in_the_authors_environment(
    settings: GameSettings, there: tuple[float, float, float]
) -> None:
    published = replace(settings, has_published_rules=True)
    shares = measure_accuracy(published, HeuristicPolicy(), KINDS, np.arange(120, dtype=np.uint32))
    found = {kind: values.mean() for kind, values in shares.items()}
    assert [found[kind] for kind in ("first_hand", "ce", "ge")] == pytest.approx(list(there), abs=0.02)
    assert found["oracle"] == 1
