from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from hm_agent.catalogue.registry import own_agents
from hm_agent.catalogue.suite import OwnAgent
from hm_agent.reporting import conditions
from hm_agent.reporting.conditions import Condition, conditions_of, count_agents, in_order, labels
from hm_agent.reporting.runs import read_runs
from tests.reporting.examples import PD, RWS, SELF_PLAY, delivered, leave, result, settings


def test_what_is_the_same_for_all_is_not_said() -> None:
    ours, random = (Condition.of(result(agent)) for agent in ("hypothetical_minds", "random"))
    assert labels([ours, random]) == {ours: "hypothetical_minds", random: "random"}


def test_what_differs_is_said() -> None:
    one = Condition.of(result(settings={"top_k": 5}))
    other = Condition.of(result(settings={"top_k": 1}, model="gpt-4"))
    assert labels([one, other]) == {
        one: "hypothetical_minds (builtin, top_k=5)",
        other: "hypothetical_minds (gpt-4, top_k=1)",
    }


def test_a_setting_that_an_older_result_does_not_know_sets_it_apart() -> None:
    one, other = (Condition.of(result(settings=settings)) for settings in ({"top_k": None}, {}))
    assert labels([one, other])[other] == "hypothetical_minds (top_k=unknown)"


def test_a_setting_without_a_value_is_not_said() -> None:
    whole, cut = (Condition.of(result(settings={"max_steps": steps})) for steps in (None, 300))
    assert labels([whole, cut]) == {whole: "hypothetical_minds", cut: "hypothetical_minds (max_steps=300)"}


def test_the_base_seed_sets_nobody_apart() -> None:
    assert Condition.of(result(settings={"seed": 0})) == Condition.of(result(settings={"seed": 1}))


def test_references_come_last_and_strangers_before_them() -> None:
    agents = ["random", "zebra", "oracle", "hypothetical_minds", "antelope", "zebra"]
    ordered = in_order(Condition.of(result(agent)) for agent in agents)
    assert [one.agent for one in ordered] == ["hypothetical_minds", "antelope", "zebra", "oracle", "random"]


def test_many_conditions_look_the_agents_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()

    def look() -> Mapping[str, OwnAgent]:
        next(looks)
        return own_agents()

    monkeypatch.setattr(conditions, "own_agents", look)
    in_order(Condition(f"agent_{number}", "builtin") for number in range(300))
    assert next(looks) == 1


def test_an_agent_of_one_world_is_a_reference_only_if_the_world_says_so() -> None:
    agents = ["oracle", "random+oracle", "order_1", "order_0+oracle", "hypothetical_minds"]
    references = [agent for agent in agents if Condition(agent, "builtin").is_world_reference]
    assert references == ["oracle", "random+oracle"]


@pytest.mark.parametrize("inferences", [("exact", "model"), ("model", "exact")])
def test_of_an_agents_settings_those_at_their_defaults_come_first(inferences: tuple[str, ...]) -> None:
    played = [result(settings=settings(inference=inference)) for inference in inferences]
    assert [dict(one.settings)["inference"] for one in in_order(conditions_of(played))] == ["exact", "model"]


@pytest.mark.usefixtures("delivery")
def test_a_default_comes_first_also_where_its_name_does_not() -> None:
    played = [delivered("vmp", 4, settings={**QUIET, "traffic": traffic}) for traffic in ("dense", None)]
    assert [dict(one.settings).get("traffic") for one in in_order(conditions_of(played))] == [None, "dense"]


QUIET = {"seed": 0, "max_steps": None, "top_k": 5}


def test_an_option_that_is_the_same_in_all_of_a_world_sets_nobody_apart() -> None:
    one, other = conditions_of([result(), result(scenario=SELF_PLAY, settings=settings(bots=None))])
    assert one == other
    elsewhere = result(world="elsewhere", scenario="elsewhere_0", settings={"max_steps": None, "top_k": 5})
    assert len(set(conditions_of([result(), elsewhere]))) == 1


def test_an_option_that_is_not_set_is_that_of_a_result_from_before_it_was_there(tmp_path: Path) -> None:
    now = result("react", settings=settings(checkpoint=None))
    before = replace(now, settings={flag: value for flag, value in now.settings.items() if flag != "checkpoint"})
    leave(tmp_path / "now", now)
    leave(tmp_path / "before", before)
    assert Condition.of(now) == Condition.of(before)
    assert read_runs((tmp_path / "now", tmp_path / "before")).repeated == 1


def test_an_option_that_varies_sets_apart() -> None:
    played = [result(scenario=PD), result(settings=settings(bots="trained")), result(scenario=RWS)]
    one, other, third = conditions_of(played)
    assert one == third != other
    assert sorted(labels([one, other]).values()) == [
        "hypothetical_minds (bots=scripted)",
        "hypothetical_minds (bots=trained)",
    ]


def test_own_files_set_agents_apart_only_where_the_same_scenario_was_played_with_two() -> None:
    shipped = result(scenario=PD)
    first, second = (result(settings=settings(scenarios_dir=f"sha256:{content}")) for content in ("1b", "2c"))
    assert len(set(conditions_of([shipped, first]))) == 1
    one, other, third = conditions_of([first, second, shipped])
    assert len({one.world_settings("melting_pot"), other.world_settings("melting_pot")}) == 2
    assert len({one, other, third}) == 3


@pytest.mark.parametrize("setting", ["learned_bots", "networks"])
def test_trained_networks_set_agents_apart_only_where_the_same_scenario_was_played_with_two(setting: str) -> None:
    in_pd, in_rws = (
        result(scenario=scenario, settings=settings(**{setting: content}))
        for scenario, content in ((PD, "1b"), (RWS, "2c"))
    )
    assert len(set(conditions_of([in_pd, in_rws]))) == 1
    assert len(set(conditions_of([in_pd, replace(in_pd, settings=settings(**{setting: "3d"}))]))) == 2


def test_learned_bots_are_one_kind_of_bots_whichever_networks_each_scenario_has() -> None:
    learned = [
        result(scenario=scenario, settings=settings(bots="learned", learned_bots=content))
        for scenario, content in ((PD, "1b"), (RWS, "2c"))
    ]
    found = conditions_of([*learned, *(result(scenario=scenario) for scenario in (PD, RWS))])
    assert list(labels(in_order(found)).values()) == [
        "hypothetical_minds (bots=learned)",
        "hypothetical_minds (bots=scripted)",
    ]


def test_world_settings_are_the_length_and_the_options_that_change_the_world() -> None:
    condition = Condition.of(result(settings=settings(inference="model", max_steps=9)))
    assert condition.world_settings("melting_pot") == (("max_steps", 9), ("bots", "scripted"))
    assert condition.world_settings("elsewhere") == (("max_steps", 9),)


def test_a_hyperparameter_that_an_agent_does_not_use_does_not_set_it_apart() -> None:
    agents = ("react", "hypothetical_minds", "hypothetical_minds+react", "somebodys:own")
    played = [result(agent, settings={"top_k": top}) for agent in agents for top in (5, 3)]
    found = conditions_of(played)
    assert [found[place] == found[place + 1] for place in (0, 2, 4, 6)] == [True, False, False, False]


def test_a_hyperparameter_that_an_agent_does_not_use_is_not_said_of_it() -> None:
    played = [result(settings=settings(threshold=0.5)), result(settings=settings(threshold=0.7))]
    found = conditions_of([*played, result("react", settings=settings(threshold=0.5))])
    assert list(labels(found).values()) == [
        "hypothetical_minds (threshold=0.5)",
        "hypothetical_minds (threshold=0.7)",
        "react",
    ]


def test_agents_are_counted_once_however_many_they_met() -> None:
    assert count_agents([("react", "react"), ("react+vmp", "react+vmp"), ("vmp+react", "vmp+react")]) == 2
    assert count_agents([("react", "react (top_k=1)"), ("react", "react (top_k=5)"), ("vmp", "vmp")]) == 3
