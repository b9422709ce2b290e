"""What the battery plays in each world, and with whom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hm_agent.cards.battery import Battery, Part, Split
from hm_agent.catalogue.casting import can_play
from hm_agent.catalogue.registry import own_agents, scenarios, suites
from hm_agent.catalogue.suite import FULL, SMALL, OwnAgent
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.extensions import ADDED
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run
from tests.support.few_pairs import SEED, few_pairs

ASKED = Experiment((), model=ModelSettings("gpt-4o"), seed=7, options={"literal": None, "bots": "auto"})
SIZES = (SMALL, FULL)
ORDERED = {info.world for info in scenarios().values() if info.needs_order is not None}
"""The worlds whose scenarios state the order that they need."""
MOST_QUESTIONS = 400
ITEMS = {
    SMALL: "e7cb1bbd6977fa7dc47cf4826944c00565ad8aa504264bcc51bf2d547867e3df",
    FULL: "7557a2ee9271da59b5cdda4079461efd0e012f62563631db5743074f614f9685",
}
"""The hash of all items by size. Cards of another hash can't be compared, so it changes with the items alone."""


def played(size: str, *agents: str) -> list[tuple[Part, Experiment | None, Experiment]]:
    return list(Battery(size).experiments(replace(ASKED, agents=agents) if agents else ASKED))


@pytest.mark.parametrize("size", SIZES)
def test_the_agent_plays_every_world_with_its_model_on_the_same_seeds_for_all(size: str) -> None:
    own = [experiment for _, _, experiment in played(size)]
    assert {part.suite.name for part, _, _ in played(size)} == {
        name for name, suite in suites().items() if name in ORDERED or size in suite.battery
    }
    assert {(one.agents, one.model.name, one.seed) for one in own} == {(("hypothetical_minds",), "gpt-4o", 0)}


@pytest.mark.parametrize("size", SIZES)
def test_worlds_of_known_order_are_played_by_order_and_pairs_are_whole(size: str) -> None:
    for part in Battery(size).parts():
        if part.order is None:
            assert part.suite.name not in ORDERED
            continue
        assert {info.needs_order for info in part.scenarios} == {part.order}
        assert set(part.scenarios) <= set(part.all_scenarios)
        pairs = {info.pair for info in part.all_scenarios if info.pair}
        whole = {info for info in part.suite.scenarios if info.pair in pairs}
        assert whole <= set(part.all_scenarios)
        items = len(part.scenarios) - len({info.pair for info in part.scenarios if info.pair})
        assert items * part.episodes >= part.suite.per_order[size]


def test_shortcuts_ladder_and_ceiling_play_the_same_items_with_the_reasoner() -> None:
    for part, references, own in played(SMALL):
        if part.order is None:
            continue
        assert references is not None
        playing = {name for name in part.suite.shortcuts if all(can_play(name, info) for info in part.all_scenarios)}
        assert playing
        assert playing | set(part.suite.ladder) <= set(references.agents)
        assert {info.metric.ceiling for info in part.scenarios} <= set(references.agents)
        assert (references.model.name, references.seed, references.options) == (BUILTIN, own.seed, own.options)
        assert set(own.scenarios) <= set(references.scenarios)
        assert own.episodes <= references.episodes


def test_replays_are_of_the_agents_that_were_asked_for_alone() -> None:
    """Scripted agents play thousands of episodes, whose replays would take a gigabyte a world."""
    assert {(own.record_replay, references.record_replay) for _, references, own in played(SMALL) if references} == {
        (True, False)
    }


def test_the_full_battery_holds_more_of_every_world() -> None:
    sizes = {size: {part.suite.name: 0 for part in Battery(size).parts()} for size in SIZES}
    for size in SIZES:
        for part in Battery(size).parts():
            sizes[size][part.suite.name] += len(part.scenarios) * part.episodes
    assert all(sizes[FULL][world] > count for world, count in sizes[SMALL].items())


@pytest.mark.slow
def test_the_small_battery_asks_few_questions(tmp_path: Path, silence: NoProgress) -> None:
    requested = Experiment((), out=tmp_path, record_replay=False, options=ASKED.options)
    results = [result for _, _, own in Battery().experiments(requested) for result in run(own, silence)]
    assert 0 < sum(result.questions for result in results) <= MOST_QUESTIONS


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, pytest.param(FULL, marks=pytest.mark.heavy)])
def test_items_stay_the_same(size: str) -> None:
    assert Battery(size).items_hash == ITEMS[size], "other items: cards can't be compared with earlier ones"


def test_a_private_draw_has_other_items_and_tells_its_seed_to_nobody() -> None:
    public = Battery(worlds=("exploretom", "matrix_games"))
    private = replace(public, split=Split(SEED))
    with few_pairs():
        assert private.items_hash != public.items_hash
        assert private.items_hash == replace(private).items_hash
    of_one_world = replace(private, worlds=("matrix_games",))
    assert replace(of_one_world, split=Split(SEED + 1)).items_hash != of_one_world.items_hash
    assert str(SEED) not in private.split.name
    assert public.split.name == "public"


def test_a_private_draw_of_matched_pairs_has_pairs_that_do_not_ship() -> None:
    suite = suites()["symmtom"]
    (info,) = [info for info in suite.scenarios if info.name == "symmtom_pairs_order_1_odd"]
    shipped = {suite.open(info, {}).reset(seed).observations["board_0"].view for seed in range(suite.per_order[FULL])}
    seed = suite.seed(info, Split(5).base_seed, 0)
    assert seed is not None
    assert suite.open(info, {}).reset(seed).observations["board_0"].view not in shipped


def test_an_agent_of_one_world_plays_there_alone() -> None:
    assert {own.suites[0].name for _, _, own in played(SMALL, "reader")} == {"exploretom"}
    both = {own.suites[0].name: own.agents for _, _, own in played(SMALL, "reader", "hm_joint")}
    assert both["exploretom"][0] == "reader"
    assert both["enacttom"] == ("hm_joint",)


def test_an_agent_that_plays_nowhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    build = own_agents()["random"].build
    monkeypatch.setitem(ADDED.agents, "nowhere", OwnAgent("plays nothing", build, plays=lambda scenario: False))
    with pytest.raises(ConfigError, match="nowhere can't play the battery's scenarios of any world"):
        played(SMALL, "hypothetical_minds", "nowhere")
