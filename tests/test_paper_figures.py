"""Every figure that is called a paper's or published is in the list, with its place there; paper_figures.toml."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.metrics import PublishedFigure
from tests.test_documented_results import rows_of_tables

ROOT = Path(__file__).parents[1]
LIST = tomllib.loads((ROOT / "tests/paper_figures.toml").read_text("utf-8"))
COLUMNS = ("hypothetical_minds", "reflexion", "react", "plan_react", "ppo")
"""The agents of the columns of Hypothetical Minds' table 1."""
HEADINGS = ("published", "the paper's")
"""The headings of columns that say that their figures are a paper's."""
FIGURE = re.compile(r"-?\d+(?:\.\d+)?")
PAPERS = os.environ.get("HM_AGENT_PAPERS")
"""A folder with the papers as text, each named as in the list."""


def listed_table() -> Mapping[str, Mapping[str, tuple[float, float]]]:
    """Hypothetical Minds' table 1 by scenario and agent: (mean, standard error)."""
    table = {}
    for scenario, line in LIST["table_1"].items():
        cells = [cell.split("±") for cell in line.split(" ")[1:]]
        figures = [(float(mean), float(error)) for mean, error in cells]
        table[scenario] = dict(zip(COLUMNS, figures, strict=True))
    return table


def unlisted(scenarios: Iterable[ScenarioInfo]) -> list[str]:
    """The published figures of scenarios that the list has not, or has with another value."""
    table = listed_table()
    return [
        f"{scenario.short_name}: {agent} {figure}"
        for scenario in scenarios
        for agent, figure in scenario.published.items()
        if (figure.mean, figure.error) != table.get(scenario.short_name, {}).get(agent) or "table 1" not in figure.place
    ]


def said_here(figure: Mapping[str, Mapping[str, str | Sequence[str]]], file: str) -> list[str]:
    said = figure["here"].get(file, [])
    return [said] if isinstance(said, str) else list(said)


def listed_in(page: str) -> set[str]:
    """The numbers that the list has for a page, from its own figures and from table 1."""
    own = {number for figure in LIST["figures"] for said in said_here(figure, page) for number in FIGURE.findall(said)}
    return own | {number for line in LIST["table_1"].values() for number in FIGURE.findall(line.partition(" ")[2])}


def test_every_published_figure_of_a_scenario_is_in_the_list() -> None:
    scenarios = [scenario for suite in suites().values() for scenario in suite.scenarios]
    assert not unlisted(scenarios)
    published = {scenario.short_name: set(scenario.published) for scenario in scenarios if scenario.published}
    assert published == {scenario: set(COLUMNS) for scenario in LIST["table_1"]}


def test_a_published_figure_that_is_not_in_the_list_is_found() -> None:
    known, figure = scenario_named("rws_repeated_1"), PublishedFigure(23.2, 4.7, "Hypothetical Minds' table 1", "")
    for published in ({"react": figure}, {"oracle": figure}, {"hypothetical_minds": replace(figure, place="")}):
        assert len(unlisted([replace(known, published=published)])) == 1
    assert unlisted([replace(scenario_named("symmtom_w6_n3_c3"), published={"heuristic": figure})])


def test_the_files_give_the_figures_as_the_list_says() -> None:
    for figure in LIST["figures"]:
        for file in figure["here"]:
            text = " ".join((ROOT / file).read_text("utf-8").split())
            for said in said_here(figure, file):
                assert " ".join(said.split()) in text, (file, said)


def test_a_column_of_a_papers_figures_has_only_listed_ones() -> None:
    for page in (*ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/results/**/*.md"), ROOT / "README.md"):
        shown = {
            number
            for columns, cells in rows_of_tables(page.read_text("utf-8"))
            for heading, cell in zip(columns, cells, strict=False)
            if heading in HEADINGS
            for number in FIGURE.findall(cell)
        }
        assert not shown - listed_in(str(page.relative_to(ROOT))), page


@pytest.mark.skipif(not PAPERS, reason="HM_AGENT_PAPERS names no folder with the papers as text")
def test_every_figure_stands_in_its_paper() -> None:
    texts = {
        path.name.partition(".")[0]: without_spaces(path.read_text("utf-8")) for path in Path(str(PAPERS)).iterdir()
    }
    for figure in LIST["figures"]:
        assert without_spaces(figure["words"]) in texts[figure["paper"]], figure
    for line in LIST["table_1"].values():
        assert without_spaces(line) in texts["hypothetical_minds"], line


def without_spaces(text: str) -> str:
    return "".join(text.split())
