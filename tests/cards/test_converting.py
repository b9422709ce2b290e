"""What records for other tools say of runs: one for each agent, model and sampling."""

from __future__ import annotations

from hm_agent.cards.every_eval_ever import Publisher, records_of_rows
from hm_agent.reporting.tables import tabulate
from tests.reporting.examples import result, settings


def test_answers_that_were_sampled_differently_are_in_records_of_their_own() -> None:
    played = [result("react", hot, model="gpt-4o", settings=settings(temperature=hot)) for hot in (0.0, 1.0)]
    records = list(records_of_rows(tabulate(played), Publisher("us")))
    for hot, record in zip((0.0, 1.0), records, strict=True):
        (figure,) = record["evaluation_results"]
        assert figure["score_details"]["score"] == hot
        assert figure["generation_config"]["generation_args"] == {"temperature": hot}
