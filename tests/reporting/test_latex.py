"""A paper's tables: LaTeX that compiles, and what is in bold, in brackets and in the caption."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hm_agent.reporting.latex import LatexTable, amount, escaped, latex
from hm_agent.reporting.report import Report
from hm_agent.reporting.runs import read_runs
from tests.reporting.examples import PD, RWS, RWS_2, leave, result

HARD = 'a_b & 50% #1 $x$ {y} \\z ~ ^ <i> | " ± − † --flag=1'
MEANS = {"hypothetical_minds": 30.0, "react": 25.0, "oracle": 60.0, "random": -1000.0}


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tables of four agents in two games, with one cell of fewer episodes and one without any."""
    out = tmp_path_factory.mktemp("tables")
    for agent, earned in MEANS.items():
        for scenario in (RWS, RWS_2, PD):
            count = 4 if (agent, scenario) == ("react", RWS) else 5
            if (agent, scenario) != ("react", RWS_2):
                leave(out, *(result(agent, earned + n % 3, n, scenario=scenario) for n in range(count)))
    return latex(Report(read_runs((out,)), out))


def cells_of(table: str) -> list[Sequence[str]]:
    """The cells of each line between the rules of a table."""
    lines = [line.removesuffix(r" \\") for line in table.splitlines() if line.endswith(r" \\")]
    return [re.split(r" (?<!\\)& ", line) for line in lines]


def tables_of(text: str) -> dict[str, str]:
    """The tables by label."""
    parts = text.split(r"\caption")[1:]
    return {re.findall(r"\\label\{tab:([\w-]+)\}", part)[0]: part for part in parts}


def test_every_line_has_a_cell_for_every_column_and_braces_are_closed(text: str) -> None:
    nested = LatexTable(
        "long", HARD, ["s", escaped(HARD)], [[escaped(HARD), amount(-1234.5, 2.0, 1, is_bold=True)]] * 50
    )
    assert "longtable" in nested.text
    for table in (*tables_of(text).values(), nested.text):
        columns = re.findall(r"\\begin\{(?:long|)tab(?:le|ular)\}\{(l?r*)\}", table)[0]
        assert {len(cells) for cells in cells_of(table)} == {len(columns)}
        depth = 0
        for sign in re.findall(r"(?<!\\)[{}]", table):
            depth += 1 if sign == "{" else -1
            assert depth >= 0
        assert depth == 0


def test_it_compiles_where_there_is_a_compiler(text: str, tmp_path: Path) -> None:
    begin = r"\documentclass{article}\usepackage{booktabs,graphicx,longtable}\begin{document}"
    long = LatexTable("long", HARD, ["s", escaped(HARD)], [[escaped(HARD), amount(-1234.5, 2.0, 1)]] * 50)
    (tmp_path / "paper.tex").write_text(f"{begin}\n{text}\n{long.text}\n\\end{{document}}\n")
    compilers: dict[str, list[str]] = {
        "tectonic": [],
        "pdflatex": ["-interaction=nonstopmode", "-halt-on-error", "-draftmode"],
    }
    for name in filter(shutil.which, compilers):
        subprocess.run([name, *compilers[name], "paper.tex"], cwd=tmp_path, check=True, capture_output=True)


def test_agents_by_groups_are_the_first_table_and_scenarios_by_agents_follow(text: str) -> None:
    tables = tables_of(text)
    assert list(tables) == ["means", "scores", "group-1", "group-2"]
    head, *lines = cells_of(tables["means"])
    assert [line[0] for line in lines] == ["hypothetical\\_minds", "react", "\\textit{oracle}", "\\textit{random}"]
    assert "Running With Scissors, repeated" in head[1] + head[2]
    assert "reward per 1,200 steps" in head[1]
    place = 1 if "Scissors" in head[1] else 2
    assert lines[0][place] == r"$\mathbf{30.8 \pm 0.0}$"
    assert lines[1][place].endswith("(1 of 2)")
    assert lines[3][place] == r"$-999.2 \pm 0.0$"


def test_a_scenarios_line_tells_bold_fewer_episodes_and_what_is_missing(text: str) -> None:
    (table,) = (table for table in tables_of(text).values() if "rws" in table)
    lines = {cells[0]: cells[1:] for cells in cells_of(table)}
    assert lines["rws\\_repeated\\_1"][1].endswith("($n=4$)")
    assert lines["rws\\_repeated\\_2"][1] == "--"
    assert list(lines)[-1] == "mean"
    caption = table[: table.index(r"\label")]
    for said in ("per 1,200 steps", r"mean $\pm$ standard error over n = 5 episodes but where", "In bold:", "95\\%"):
        assert said in caption
    (pd,) = (table for table in tables_of(text).values() if "pd\\_" in table)
    assert [cell.startswith(r"$\mathbf") for cell in cells_of(pd)[1][1:]] == [True, False, False, False]
