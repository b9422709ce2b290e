"""What a run will ask and cost, told before it begins: from earlier episodes, else from what the package recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hm_agent.catalogue.casting import can_play
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import shared_agents, suites
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.estimate import NO_PROXY, RunEstimate, Spread, estimate, recorded_rates
from hm_agent.models.settings import PERSON, ModelSettings
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run
from hm_agent.recording.result import Result
from hm_agent.testing.endpoint import Endpoint
from tests.support import schema_player
from tests.support.commands import call_here

STORIES = find_scenarios(["exploretom_a4"])
STEPS = 6


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Experiment, list[Result]]:
    """Six episodes in which a language model answered over HTTP."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "prices.toml").write_text("[loopback]\ninput = 1.0\noutput = 4.0\n")
    with Endpoint(schema_player.answer) as server:
        model = ModelSettings("loopback", base_url=server.base_url, prices=folder / "prices.toml")
        how: dict[str, Any] = {"episodes": 6, "max_steps": STEPS, "record_replay": False, "out": folder / "out"}
        experiment = Experiment(STORIES, ("reader",), model=model, **how)
        return experiment, run(experiment, NoProgress())


def elsewhere(experiment: Experiment, **changes: Any) -> Experiment:
    return replace(experiment, out=Path("/nowhere"), **changes)


def of(experiment: Experiment, results: list[Result]) -> RunEstimate:
    return estimate([experiment], results)


def test_an_estimate_from_two_episodes_is_near_what_the_others_took(played: tuple[Experiment, list[Result]]) -> None:
    experiment, results = played
    first, others = results[:2], results[2:]
    found = of(elsewhere(experiment, episodes=4), first)
    assert (found.episodes, found.at_once > 1) == (4, True)
    usage = [result.usage for result in others]
    taken = {
        "questions": sum(each.questions for each in usage),
        "input_tokens": sum(each.input_tokens or 0 for each in usage),
        "output_tokens": sum(each.output_tokens or 0 for each in usage),
        "cost": sum(each.cost or 0.0 for each in usage),
    }
    for name, amount in taken.items():
        told = found.cost if name == "cost" else found.total(name)
        assert told
        assert amount / 1.5 < told.mean < amount * 1.5, name
        assert told.least <= told.mean <= told.most
    assert found.seconds
    assert [rate.model for rate in found.lines[0].rates] == ["loopback"]


def test_what_is_there_already_is_not_estimated(played: tuple[Experiment, list[Result]], tmp_path: Path) -> None:
    experiment, results = played
    found = of(replace(experiment, episodes=8), results)
    assert found.episodes == 2
    told = json.loads(found.write(tmp_path / "new").read_text())
    assert (told["episodes"], told["cost"]["mean"], told["lines"][0]["agents"]) == (2, found.cost.mean, ["reader"])  # type: ignore[union-attr]


def test_episodes_that_were_cut_tell_of_shorter_ones_alone(played: tuple[Experiment, list[Result]]) -> None:
    experiment, results = played
    cut = [result for result in results if result.status == "max_steps"]
    half = of(elsewhere(experiment, episodes=1, max_steps=STEPS // 2), cut)
    whole = of(elsewhere(experiment, episodes=1), cut)
    assert half.total("questions").mean == whole.total("questions").mean / 2
    longer = of(elsewhere(experiment, episodes=1, max_steps=None), cut)
    assert [rate.model for rate in longer.lines[0].rates] == ["builtin"]
    assert longer.seconds is None


def test_another_model_s_episodes_count_before_the_reasoner_s_and_its_own_before_them(
    played: tuple[Experiment, list[Result]],
) -> None:
    experiment, results = played
    asking = elsewhere(experiment, model=ModelSettings("gpt-4o"))
    found = of(asking, results)
    assert [rate.model for rate in found.lines[0].rates] == ["loopback"]
    rate = found.lines[0].rates[0]
    by_hand = 6 * (2.5 * rate.input_tokens.mean + 10 * rate.output_tokens.mean) / 1e6
    assert found.cost
    assert found.cost.mean == pytest.approx(by_hand), "at the asked model's own price"
    own = [replace(result, seats=tuple(replace(seat, model="gpt-4o") for seat in result.seats)) for result in results]
    assert [rate.model for rate in of(asking, results + own).lines[0].rates] == ["gpt-4o"]


def test_what_asks_nothing_costs_nothing_and_what_is_unknown_is_named(
    played: tuple[Experiment, list[Result]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment, _ = played
    scripted = of(elsewhere(experiment, agents=("reality",)), [])
    assert (scripted.cost, scripted.lines[0].unknown) == (Spread(0.0, 0.0, 0.0), ())
    (tmp_path / "unheard_of.py").write_text("def build(setup): raise NotImplementedError")
    monkeypatch.syspath_prepend(str(tmp_path))
    own = of(elsewhere(experiment, agents=("unheard_of:build",)), [])
    assert (own.cost, own.lines[0].unknown) == (None, ("unheard_of:build",))


def test_the_reasoner_costs_nothing_and_its_results_give_no_rate() -> None:
    with pytest.raises(ConfigError, match="costs nothing; name a language model with --model"):
        of(Experiment(STORIES, ("reader",), out=Path("/nowhere")), [])


def test_every_agent_that_asks_has_a_recorded_rate_in_every_world() -> None:
    recorded = {(rate.world, rate.agent) for rate in recorded_rates()}
    for world, suite in suites().items():
        able = {name for name in {*shared_agents()} - {PERSON} for info in suite.scenarios if can_play(name, info)}
        assert able <= {agent for of_world, agent in recorded if of_world == world}, world
    assert all(rate.questions.mean and rate.model == "builtin" for rate in recorded_rates())


def test_the_command_needs_no_key_plays_nothing_and_says_who_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    flags = ["--scenario=exploretom_a4", "--agent=reader", "--model=gpt-4o", f"--out={tmp_path}"]
    status, output, errors = call_here(*flags, "--estimate")
    assert (status, errors) == (0, "")
    assert NO_PROXY in output.replace("\n", " ")
    assert "In all: 1 episode" in output
    assert [path.name for path in tmp_path.iterdir()] == ["estimate.json"]
    assert "it is for --estimate" in call_here(*flags, f"--estimate_from={tmp_path}")[2]
