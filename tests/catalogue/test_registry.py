from __future__ import annotations

from pathlib import Path

import pytest

from hm_agent.catalogue import registry
from hm_agent.catalogue.casting import check_agent, check_options
from hm_agent.catalogue.finding import find_agents, find_scenarios
from hm_agent.catalogue.suite import AgentSetup, OwnAgent
from hm_agent.config import ConfigError
from hm_agent.extensions import ADDED
from hm_agent.reporting.conditions import Condition

RWS = "running_with_scissors_in_the_matrix__repeated"


@pytest.mark.parametrize("glob", ["rws_repeated_*", f"{RWS}_?"])
def test_glob_finds_every_scenario_of_a_game_in_order(glob: str) -> None:
    expected = [f"rws_repeated_{number}" for number in range(9)]
    assert [scenario.short_name for scenario in find_scenarios([glob])] == expected


@pytest.mark.parametrize(
    ("glob", "count"), [("rws_*", 9 + 8 + 8 + 4), ("rws_unseen_*", 8), ("cooking_*unseen*", 18), (f"{RWS}_*", 9 + 8)]
)
def test_glob_finds_unseen_scenarios(glob: str, count: int) -> None:
    assert len(find_scenarios([glob])) == count


def test_only_a_glob_that_says_so_finds_the_opponents_of_a_study() -> None:
    studied = [f"rws_order_{order}" for order in range(3)]
    assert [scenario.short_name for scenario in find_scenarios(["rws_order_*"])] == studied
    assert not {*studied} & {scenario.short_name for scenario in find_scenarios(["*", "rws_*", f"{RWS}_*"])}


def test_scenario_asked_for_twice_comes_once_in_the_order_asked() -> None:
    found = find_scenarios(["rws_repeated_5", "rws_repeated_[45]", f"{RWS}_4"])
    assert [scenario.short_name for scenario in found] == ["rws_repeated_5", "rws_repeated_4"]


def test_unknown_scenario_is_named_with_what_there_is() -> None:
    with pytest.raises(ConfigError, match=r"unknown scenario 'rws_9': .*rws_repeated has 0 to 8.*; see --list"):
        find_scenarios(["rws_repeated_0", "rws_9"])


def test_unknown_scenario_of_many_kinds_is_told_how_their_names_begin() -> None:
    with pytest.raises(
        ConfigError, match=r"e\.g\. mg_pd_either\? there are mg_pd_either, mg_pd_cooperate, .*; see --list"
    ):
        find_scenarios(["mg_pd_"])
    with pytest.raises(ConfigError, match=r"unknown scenario 'mg_9': .*names begin with mg_bos, .*mg_stag; see --list"):
        find_scenarios(["mg_9"])


def test_a_glob_for_what_has_to_be_asked_for_is_told_the_word() -> None:
    with pytest.raises(
        ConfigError, match=r"'enacttom_h\*': .* enacttom_hard_k1_\w+ .* only if it says 'enacttom_hard'$"
    ):
        find_scenarios(["enacttom_h*"])


@pytest.mark.parametrize(
    ("glob", "numbers", "has_self_play"),
    [
        ("rws_repeated_*", range(9), False),
        ("*repeated_1", [1], False),
        ("rws_repeated_selfplay", [], True),
        ("rws_*selfplay", [], True),
        ("rws_repeated_selfplay*", [], True),
    ],
)
def test_a_glob_means_self_play_only_if_it_says_so(glob: str, numbers: list[int], has_self_play: bool) -> None:
    names = [
        scenario.short_name for scenario in find_scenarios([glob]) if scenario.short_name.startswith("rws_repeated")
    ]
    wanted = [f"rws_repeated_{number}" for number in numbers]
    assert names == wanted + ["rws_repeated_selfplay"] * has_self_play


def test_the_glob_for_self_play_finds_that_of_every_game() -> None:
    every = find_scenarios(["*selfplay"])
    found = [scenario.short_name for scenario in every if scenario.world == "melting_pot"]
    assert {f"{game}_selfplay" for game in ("rws_repeated", "cooking_asymmetric", "clean_up", "coins")} <= {*found}
    assert len(found) == 49
    assert len([scenario for scenario in every if scenario.world == "matrix_games"]) == 10
    assert not [scenario for scenario in find_scenarios(["*"]) if scenario.short_name.endswith("_selfplay")]


def test_a_glob_means_cuts_of_the_reasoner_only_if_it_says_so() -> None:
    orders = ("order_0", "order_1", "order_2")
    assert find_agents(("order_*",), find_scenarios(["rws_repeated_1"])) == orders
    assert find_agents(("order_1",)) == ("order_1",)
    assert not {*orders} & {*find_agents(("*",))}


def test_a_glob_stands_for_no_agent_that_cannot_play_all_scenarios() -> None:
    two_games = find_scenarios(["rws_repeated_1", "cooking_asymmetric_0"])
    assert {"react", "oracle"} <= {*find_agents(("*",), two_games)}
    assert not {"heuristic", "reader", "first_choice"} & {*find_agents(("*",), two_games)}
    assert find_agents(("reader",), two_games) == ("reader",)
    with pytest.raises(ConfigError, match=r"no agent of 'order_[*]' can play all of these scenarios: order_0, "):
        find_agents(("order_*",), two_games)


def test_what_a_registered_agent_says_of_itself_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(setup: AgentSetup) -> None:
        raise NotImplementedError

    def refuse(*_: object) -> None:
        raise ConfigError("a file is missing")

    (scenario,) = find_scenarios(["rws_repeated_1"])
    picky = OwnAgent("picky", build, check=refuse, only_model="builtin", asked_by="picky", is_reference=True)  # type: ignore[arg-type]
    monkeypatch.setitem(ADDED.agents, "picky", picky)
    check_agent("picky", scenario, "builtin")
    with pytest.raises(ConfigError, match="picky works only with the model builtin, not with gpt-4o"):
        check_agent("picky", scenario, "gpt-4o")
    with pytest.raises(ConfigError, match="a file is missing"):
        check_options("picky", scenario, {})
    assert Condition("picky", "builtin").is_world_reference
    monkeypatch.setitem(ADDED.agents, "plain", OwnAgent("plain", build))  # type: ignore[arg-type]
    assert not Condition("plain", "builtin").is_world_reference
    assert "picky" not in find_agents(("*",), (scenario,))
    assert find_agents(("picky*",)) == ("picky",)


def test_agents_are_found_by_name_and_glob_in_their_order() -> None:
    assert find_agents(("oracle", "ra*", "oracle")) == ("oracle", "random", "oracle")
    with pytest.raises(ConfigError, match="unknown agent 'nobody': there are hypothetical_minds"):
        find_agents(("nobody",))


@pytest.mark.parametrize(
    ("value", "why"), [("number", "has to be"), ("none", "AttributeError"), ("gone:x", "No module")]
)
@pytest.mark.parametrize(("group", "read"), [("worlds", "_installed_suites"), ("agents", "_installed_agents")])
def test_what_another_package_adds_and_can_not_be_loaded_is_left_out_with_a_warning(
    group: str, read: str, value: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "added_things.py").write_text("number = 3\n")
    (info := tmp_path / "added-1.0.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    place = value if ":" in value else f"added_things:{value}"
    (info / "entry_points.txt").write_text(f"[hm_agent.{group}]\nmine = {place}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(UserWarning, match=rf"mine of added \(hm_agent.{group}\) is left out: .*{why}"):
        found = getattr(registry, read).__wrapped__()
    assert found.keys() == getattr(registry, read)().keys()
