r"""The tables of a report for a paper: LaTeX that is read in by `\input`, in the style of booktabs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.reporting.ceilings import told_mark
from hm_agent.reporting.conditions import Condition
from hm_agent.reporting.group_means import ABOUT, GroupMean
from hm_agent.reporting.report import Report
from hm_agent.reporting.scores import SCORE_DIGITS
from hm_agent.reporting.tables import Row
from hm_agent.wording import NOTHING, counted, number

PREAMBLE = r"""% \usepackage{booktabs,graphicx,longtable}
% \input{report.tex}
"""
MOST_LINES = 40
"""A table of more lines goes on over several pages."""
EMPTY = "--"
DAGGER = "The agents with † were not always told what the others are after."
_SIGNS = {
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    **{sign: f"${sign}$" for sign in "<>|"},
    "\\": r"$\backslash$",
    "~": r"$\sim$",
    "^": r"\^{}",
    '"': "''",
    "±": r"$\pm$",
    "−": "$-$",
    "†": r"$^\dagger$",
    "’": "'",
}
_SPECIAL = re.compile("|".join(map(re.escape, _SIGNS)))


@dataclass(frozen=True)
class LatexTable:
    """A table whose cells are LaTeX already, but for caption and label. foot: lines below a rule of their own."""

    label: str
    caption: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]
    foot: Sequence[Sequence[str]] = ()

    @property
    def text(self) -> str:
        """An environment `table` no wider than the text, or a `longtable`."""
        caption = rf"\caption{{{escaped(self.caption)}}}\label{{tab:{self.label}}}"
        columns = f"{{l{'r' * (len(self.head) - 1)}}}"
        head, body = [r"\toprule", _line(self.head), r"\midrule"], [*map(_line, self.lines)]
        body += [r"\midrule", *map(_line, self.foot)] if self.foot else []
        if len(self.lines) > MOST_LINES:
            begin = [rf"\begin{{longtable}}{columns}", rf"{caption}\\", *head, r"\endfirsthead", *head, r"\endhead"]
            return "\n".join([r"{\footnotesize", *begin, *body, r"\bottomrule", r"\end{longtable}}", ""])
        begin = [r"\begin{table}[htbp]", r"\centering", caption]
        fitted = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
        rules = [rf"\begin{{tabular}}{columns}", *head, *body, r"\bottomrule", r"\end{tabular}%"]
        return "\n".join([*begin, fitted, *rules, "}", r"\end{table}", ""])


def latex(report: Report) -> str:
    """All tables of a report: agents by worlds, means by group, normalised scores, means by scenario for each group."""
    tables = [*_worlds(report), *_tournaments(report), *_overview(report), *_scores(report), *_by_scenario(report)]
    return "\n".join([f"% {escaped(report.title)}\n{PREAMBLE}", *(table.text for table in tables)])


def escaped(text: str) -> str:
    """Plain text as LaTeX shows it, on one line."""
    return _SPECIAL.sub(lambda sign: _SIGNS[sign[0]], " ".join(text.split())).replace("--", "-{}-")


def amount(mean: float, error: float | None, digits: int, *, is_bold: bool = False) -> str:
    r"""`$12.3 \pm 1.2$`, in bold if wanted."""
    words = number(mean, digits) if error is None else rf"{number(mean, digits)} \pm {number(error, digits)}"
    words = words.replace(",", "{,}")
    return rf"$\mathbf{{{words}}}$" if is_bold else f"${words}$"


def _line(cells: Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"


# Agents by worlds and groups


def _worlds(report: Report) -> Iterator[LatexTable]:
    """Normalised scores by world, agents as lines; nothing for a single world."""
    if table := report.worlds:
        yield _of_words("worlds", " ".join((report.worlds_about, *table.said)), table.lines(report.labels))


def _tournaments(report: Report) -> Iterator[LatexTable]:
    """Rankings, payoffs and duels of tournaments."""
    for place, (caption, lines) in enumerate(report.tournament_tables, 1):
        about = f" {report.tournament_about}" if place == 1 else ""
        yield _of_words(f"tournament-{place}", f"{caption}.{about}", lines)


def _of_words(label: str, caption: str, lines: Sequence[Mapping[str, str]]) -> LatexTable:
    """A table of plain text. lines: cells by heading."""
    cells = [[EMPTY if cell == NOTHING else escaped(cell) for cell in line.values()] for line in lines]
    return LatexTable(label, caption, [*map(escaped, lines[0])], cells)


def _overview(report: Report) -> Iterator[LatexTable]:
    """Means by group, agents as lines; nothing if no group has several scenarios."""
    if not report.group_means_by_unit:
        return
    titles = list(dict.fromkeys((mean.group, mean.unit) for mean in report.group_means))
    found = {(mean.condition, mean.group, mean.unit): mean for mean in report.group_means}
    lines = [
        [_agent(report, condition), *(_mean_cell(report, found.get((condition, *title))) for title in titles)]
        for condition in report.ordered
        if any((condition, *title) in found for title in titles)
    ]
    lower = [mean.group for mean in report.group_means if not mean.metric.higher_is_better]
    said = f" Lower is better in {', '.join(dict.fromkeys(lower))}." if lower else ""
    is_part = any(mean.scenarios < mean.of for mean in report.group_means)
    part = " In brackets: over how many of the scenarios." if is_part else ""
    caption = f"{ABOUT}.{said}{part} {report.best_group_rule}"
    head = ["agent", *(rf"\shortstack[r]{{{escaped(group)}\\{escaped(unit)}}}" for group, unit in titles)]
    yield LatexTable("means", caption, head, lines)


def _mean_cell(report: Report, mean: GroupMean | None) -> str:
    if mean is None:
        return EMPTY
    cell = amount(mean.estimate.mean, mean.estimate.error, mean.digits, is_bold=report.is_best_mean(mean))
    return cell if mean.scenarios == mean.of else f"{cell} ({mean.scenarios} of {mean.of})"


def _scores(report: Report) -> Iterator[LatexTable]:
    """Normalised scores by group, agents as lines; nothing without scores."""
    if not report.scores:
        return
    lines = [
        [_agent(report, condition), *(_score_cell(report, condition, group) for group in report.groups)]
        for condition in report.scored
    ]
    caption = (
        f"Normalised scores, {report.scale.replace('`', '')}: means over scenarios and their 95% intervals "
        f"({report.interval_about}). {report.best_group_rule} {report.lacking_note} {report.narrow_note}"
    )
    yield LatexTable("scores", caption, ["agent", *map(escaped, report.groups)], lines)


def _score_cell(report: Report, condition: Condition, group: str) -> str:
    score = report.score(condition, group)
    if score is None:
        return EMPTY
    cell = amount(score.mean, None, SCORE_DIGITS, is_bold=report.is_best_score(score))
    ends = ", ".join(number(end, SCORE_DIGITS) for end in score.interval or ())
    lacking = f" ({score.scenarios} of {score.of})" if score.lacking else ""
    return f"{cell} $[{ends}]${lacking}" if ends else f"{cell}{lacking}"


def _agent(report: Report, condition: Condition) -> str:
    """The agent's name, in italics if it is only measured by."""
    name = escaped(report.labels[condition])
    return name if condition in report.compared else rf"\textit{{{name}}}"


# Scenarios by agents


def _by_scenario(report: Report) -> Iterator[LatexTable]:
    """A table for each group in each unit: a line for each scenario, a column for each agent, the mean below."""
    place = 0
    for rows in report.rows_by_unit.values():
        for group, scenarios in report.by_scenario(rows):
            place += 1
            yield _group_table(report, f"group-{place}", group, scenarios)


def _group_table(report: Report, label: str, group: str, scenarios: Sequence[Sequence[Row]]) -> LatexTable:
    rows = [row for of_scenario in scenarios for row in of_scenario]
    conditions = report.columns(rows)
    counts = Counter(row.estimate.n for row in rows if row.estimate)
    usual = max(counts, key=counts.__getitem__, default=0)
    lines = []
    for of_scenario in scenarios:
        by_condition = {row.condition: row for row in of_scenario}
        cells = [_row_cell(report, by_condition.get(condition), usual) for condition in conditions]
        lines.append([escaped(of_scenario[0].scenario.short_name), *cells])
    unit = rows[0].scenario.metric.unit
    means = {mean.condition: mean for mean in report.group_means if (mean.group, mean.unit) == (group, unit)}
    foot = [["mean", *(_mean_cell(report, means.get(condition)) for condition in conditions)]]
    caption = _caption(report, group, rows, usual, has_others=len(counts) > 1, scenarios=len(scenarios))
    head = ["scenario", *(_agent(report, condition) for condition in conditions)]
    return LatexTable(label, caption, head, lines, foot if len(scenarios) > 1 else ())


def _row_cell(report: Report, row: Row | None, usual: int) -> str:
    if row is None or row.estimate is None:
        return EMPTY
    cell = amount(row.estimate.mean, row.estimate.error, row.digits, is_bold=report.is_best(row))
    mark = escaped("†") if row.is_ceiling and told_mark(row.told_share) else ""
    return f"{cell}{mark}" if row.estimate.n == usual else f"{cell}{mark} ($n={row.estimate.n}$)"


def _caption(report: Report, group: str, rows: Sequence[Row], usual: int, *, has_others: bool, scenarios: int) -> str:
    """usual: the number of episodes of most cells. has_others: True if cells with another one say so."""
    metric = rows[0].scenario.metric
    sample = f"n = {counted(usual, 'episode')}{' but where a cell says otherwise' if has_others else ''}"
    parts = [
        f"{group}: {metric.unit}, mean ± standard error over {sample}.",
        "" if metric.higher_is_better else "Lower is better.",
        f"Last line: over the {scenarios} scenarios, ± the standard error over their means." if scenarios > 1 else "",
        report.best_rule if len(report.compared) > 1 else "",
        "In italics: agents that others are measured by." if any(row.is_reference for row in rows) else "",
        DAGGER if any(row.is_ceiling and told_mark(row.told_share) for row in rows) else "",
    ]
    return " ".join(filter(None, parts))
