"""What the battery plays in each world, and with whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.battery import experiments
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.extensions import ADDED
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.registry import own_agents, suites
from hm_agent.suite import FULL, SMALL, OwnAgent

ASKED = Experiment((), model=ModelSettings("gpt-4o"), seed=7, options={"literal": None, "bots": "auto"})
WORLDS = [name for name, suite in suites().items() if suite.battery]
"""The worlds in which language models play."""
OF_SCORES = ("melting_pot", "symmtom", "matrix_games")
"""The worlds in which acting well is a score between a floor and a ceiling."""


def played(size: str = SMALL, *agents: str) -> dict[tuple[str, str], Experiment]:
    """The experiments by world and model."""
    asked = replace(ASKED, agents=agents) if agents else ASKED
    found = {(one.suites[0].name, one.model.name): one for one in experiments(asked, size)}
    assert len(found) == len(list(experiments(asked, size)))
    return found


@pytest.mark.parametrize("size", [SMALL, FULL])
def test_the_agent_plays_every_world_with_its_model(size: str) -> None:
    own = {world: one for (world, model), one in played(size).items() if model == "gpt-4o"}
    assert set(own) == set(WORLDS)
    assert {one.agents for one in own.values()} == {("hypothetical_minds",)}
    assert {one.seed for one in own.values()} == {7}


@pytest.mark.parametrize("size", [SMALL, FULL])
def test_floor_and_ceiling_play_the_same_episodes_with_the_reasoner_before_the_agent(size: str) -> None:
    order = list(played(size))
    for world in OF_SCORES:
        own, ends = played(size)[world, "gpt-4o"], played(size)[world, BUILTIN]
        assert replace(ends, agents=own.agents, model=own.model) == own
        metrics = {one.metric for one in own.scenarios}
        marks = {end for metric in metrics for end in (metric.floor, metric.ceiling) if end}
        needs_shortcuts = any(metric.floor is None for metric in metrics)
        assert set(ends.agents) == marks | ({*suites()[world].shortcuts} if needs_shortcuts else set())
        assert order.index((world, BUILTIN)) < order.index((world, "gpt-4o"))
    assert {world for world, model in order if model == BUILTIN} == set(OF_SCORES)


def test_each_world_says_how_its_episodes_are_played() -> None:
    symmtom = played()["symmtom", "gpt-4o"]
    assert (symmtom.episodes, symmtom.max_steps, symmtom.options) == (2, 12, {"literal": "3", "bots": "auto"})
    assert played()["melting_pot", "gpt-4o"].options == {"literal": None, "bots": "scripted"}


def test_the_full_battery_holds_more_of_every_world() -> None:
    for world in WORLDS:
        assert played(FULL)[world, "gpt-4o"].size > played(SMALL)[world, "gpt-4o"].size


def test_an_agent_of_one_world_plays_there_alone() -> None:
    assert list(played(SMALL, "reader")) == [("exploretom", "gpt-4o")]
    both = played(SMALL, "reader", "hm_joint")
    assert both["exploretom", "gpt-4o"].agents[0] == "reader"
    assert both["enacttom", "gpt-4o"].agents == ("hm_joint",)


def test_an_agent_that_plays_nowhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    build = own_agents()["random"].build
    monkeypatch.setitem(ADDED.agents, "nowhere", OwnAgent("plays nothing", build, plays=lambda scenario: False))
    with pytest.raises(ConfigError, match="nowhere can't play the battery's scenarios of any world"):
        played(SMALL, "hypothetical_minds", "nowhere")
