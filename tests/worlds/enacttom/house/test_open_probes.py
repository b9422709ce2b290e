"""The open probes of the paper's appendix H: hand-made reports graded, and how agents and constants report."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from hm_agent.catalogue.registry import scenario_named
from hm_agent.config import ConfigError
from hm_agent.episode import run_episode
from hm_agent.models.answer_parsing import read_answer
from hm_agent.models.prompts import render
from hm_agent.worlds.enacttom.agents import PlannerHouseAgent, RandomHouseAgent
from hm_agent.worlds.enacttom.house.open_probes import RULES, graded_reports, open_metrics, question_of
from hm_agent.worlds.enacttom.house.probes import ProbeReport, operators_of, probes_of
from hm_agent.worlds.enacttom.ladder.ladder_agent import LadderAgent
from hm_agent.worlds.enacttom.language.report_questions import reports_of
from hm_agent.worlds.enacttom.measures import TaskRuns, study
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.suite import SUITE
from hm_agent.worlds.enacttom.tasks.propositions import PHYSICAL, Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.world import EnacttomWorld
from tests.worlds.enacttom.language.household_examples import REPORT

OPEN = Proposition("is_open", ("cabinet_5",))
PROBES = probes_of(operators_of([Claim(("agent_0", "agent_1", "agent_2"), OPEN)]), "o_probe", is_open=True)
HOLDS, NOT = (ProbeReport("is_open", is_so, ("cabinet_5",)) for is_so in (True, False))
UNKNOWN = ProbeReport()
CLOSED = ProbeReport("is_closed", True, ("cabinet_5",))


def graded(*reports: ProbeReport | None, is_so: bool) -> tuple[list[bool], list[bool]]:
    """Whether the reports of agent_0, agent_1 and agent_2 are right, and whether they agree as in the paper's code."""
    results = graded_reports(PROBES, dict(zip(PROBES, reports, strict=True)).get, lambda claim: is_so)
    return [one.is_right for one in results], [one.agrees for one in results]


def test_probes_are_worded_as_in_the_paper() -> None:
    about = '"cabinet_5 is open". Use ordered entities [cabinet_5].'
    assert [question_of(probe) for probe in PROBES] == [
        f"Predict what agent_1 would report that agent_2 would report about {about}",
        f"Predict what agent_2 would report about {about}",
        f"Report on {about}",
    ]


def test_a_report_is_right_by_what_is_so_and_a_prediction_by_the_report_that_it_predicts() -> None:
    yes, no = True, False
    assert graded(HOLDS, HOLDS, HOLDS, is_so=True) == ([yes, yes, yes], [yes, yes, yes])
    assert graded(NOT, CLOSED, NOT, is_so=False) == ([yes, yes, yes], [yes, yes, yes])
    assert graded(HOLDS, HOLDS, NOT, is_so=True) == ([yes, no, no], [yes, no, no])
    assert graded(NOT, HOLDS, HOLDS, is_so=False) == ([no, yes, no], [no, yes, no])


def test_what_is_unknown_or_missing_is_never_right_and_only_what_is_said_to_be_unknown_agrees() -> None:
    no = [False] * 3
    assert graded(UNKNOWN, UNKNOWN, UNKNOWN, is_so=True) == (no, [True, True, False])
    assert graded(None, None, None, is_so=True) == (no, no)
    assert graded(HOLDS, UNKNOWN, None, is_so=True) == (no, no)


def test_another_predicate_or_another_order_of_arguments_is_wrong() -> None:
    place = Proposition("is_on_top", ("cup_1", "table_2"))
    (probe,) = probes_of(operators_of([Claim(("agent_0",), place)]), "o_probe", is_open=True)
    reports = [
        ProbeReport("is_on_top", True, ("cup_1", "table_2")),
        ProbeReport("is_on_top", True, ("table_2", "cup_1")),
        ProbeReport("is_inside", True, ("cup_1", "table_2")),
        ProbeReport("is_on_top", None, ("cup_1", "table_2")),
        ProbeReport("unknown", True, ()),
    ]
    results = [graded_reports([probe], {probe: report}.get, lambda claim: True)[0] for report in reports]
    assert [one.is_right for one in results] == [True, *[False] * 4]


def test_figures_name_what_each_counts() -> None:
    by_rule = {name: graded_reports(PROBES, rule, lambda claim: True) for name, rule in RULES.items()}
    found = open_metrics(graded_reports(PROBES, lambda probe: UNKNOWN, lambda claim: True), by_rule)
    assert found["open_asked"] == 3
    assert (found["open_right"], found["open_agreed"], found["open_unknown"]) == (0, 2 / 3, 1)
    assert (found["open_right_always_holds"], found["open_agreed_all_always_holds"]) == (1, 1)
    assert (found["open_right_always_not"], found["open_right_k1"]) == (2 / 3, 0)
    assert open_metrics((), {}) == {}


def test_the_ladder_reports_as_deep_as_its_order_and_the_table_has_the_papers_measures() -> None:
    played = []
    makers: Mapping[str, Any] = {
        "order1": lambda world, seat: LadderAgent(1),
        "order2": lambda world, seat: LadderAgent(2),
        "order3": lambda world, seat: LadderAgent(3),
        "planner": PlannerHouseAgent,
        "random": lambda world, seat: RandomHouseAgent(1),
    }
    for name, make in makers.items():
        world = EnacttomWorld(load_task(task_files()["enacttom_relay_of_three"]), asks=True, asks_open=True)
        if name.startswith("order"):
            world.claim_readers |= set(world.seats)
        asyncio.run(run_episode(world, {seat: make(world, seat) for seat in world.seats}, seed=0))
        scene = world.scene()
        assert scene
        assert [one.probe for one in scene.reports] == list(world.open_probes)
        played.append(TaskRuns(name, "relay", 3, "cooperative", [world.metrics()]))
    by_depth = [[runs.metrics[0][f"open_right_k{depth}"] for depth in (1, 2, 3)] for runs in played[:4]]
    assert by_depth == [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]]
    table = study(played, k=1).partition("## Open probes as in appendix H (k = 1)")[2]
    assert "| order1 | 1 | 0% | 0% | 0% | 0% | 100% | 33% |" in table  # never opens the cabinet
    assert "| order3 | 1 | 100% | 100% | 100% | 100% | 0% | 100% |" in table


def test_an_answer_is_read_with_the_papers_fields_and_what_is_unusable_is_silence() -> None:
    name = REPORT.probes[0][0]
    for holds in ("true", '"true"'):
        said = f'"predicate": "is_open", "holds": {holds}, "args": ["cabinet_5"]'
        text = f'{{"answers": [{{"probe_id": "{name}", {said}}}]}}'
        assert reports_of(read_answer(text, REPORT)) == {name: HOLDS}
    text = f'{{"answers": [{{"probe_id": "{name}", "predicate": "unknown", "holds": null, "args": []}}]}}'
    assert reports_of(read_answer(text, REPORT)) == {name: UNKNOWN}
    assert reports_of(None) == {}
    prompt = render(REPORT)
    for predicate, kinds in PHYSICAL.items():
        assert f"{predicate} {' '.join(kind[0] for kind in kinds)}" in prompt


def test_the_option_asks_for_reports_beside_yes_and_no() -> None:
    scenario = scenario_named("enacttom_relay_of_three")
    counts = []
    for options in ({}, {"literal": "1"}, {"literal": "open"}):
        world = SUITE.open(scenario, SUITE.settle(scenario, options))
        assert isinstance(world, EnacttomWorld)
        counts.append((len(world.probes), len(world.open_probes)))
    assert counts == [(counts[0][0], 0), (counts[0][0], 0), (counts[0][0], 3)]
    with pytest.raises(ConfigError, match="1, or open to ask for reports"):
        SUITE.settle(scenario, {"literal": "closed"})
