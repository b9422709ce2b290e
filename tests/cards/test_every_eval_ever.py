"""Results as records of Every Eval Ever; its own validator reads them in tests/evals."""

from __future__ import annotations

from hm_agent.cards.every_eval_ever import Publisher, records_of_rows
from hm_agent.reporting.tables import tabulate
from tests.reporting.examples import PD, RWS, result, settings


def test_each_scenario_is_told_by_which_sampling_it_was_played() -> None:
    drawn = {RWS: 0.2, PD: 0.9}
    played = [result(model="gpt-4o", scenario=name, settings=settings(temperature=drawn[name])) for name in drawn]
    (record,) = records_of_rows(tabulate(played), Publisher("us"))
    told = {one["evaluation_name"]: one["generation_config"] for one in record["evaluation_results"]}
    assert {name: config["generation_args"] for name, config in told.items()} == {
        name: {"temperature": temperature} for name, temperature in drawn.items()
    }
