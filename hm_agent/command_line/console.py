"""Prints the tables at the end of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Column
from rich.text import Text

from hm_agent.cards.card import Card, Figure
from hm_agent.experiment.estimate import NO_PROXY, Line, RunEstimate, Spread
from hm_agent.process.output import plain_table
from hm_agent.process.shell import printable
from hm_agent.recording.result import Result
from hm_agent.reporting.minds import MindStudy
from hm_agent.reporting.notes import notes
from hm_agent.reporting.seats import matchups, player_labels
from hm_agent.reporting.summary import headings_of, in_all, mean_tables, table_of_worlds, tables
from hm_agent.reporting.tables import Row
from hm_agent.reporting.tournament import TOURNAMENT_ABOUT, Tournament, all_tables
from hm_agent.wording import NOTHING, counted, listed, number, percent, with_interval

_NAMES = ("scenario", "group", "agent", "model", "scenarios", "episodes", "mean", "interactions", "published")
SHOWN = {name: name for name in _NAMES}
SHOWN["episodes"] = "n"
"""The columns of the summary that fit 80 characters if there is one model, with their headings in a terminal."""
MEASURES = ("literal", "base rate", "functional", "gap")
"""The columns of the study of minds, beside those that name the row."""


def show_rows(console: Console, rows: Sequence[Row]) -> None:
    """Prints a table of means for each unit, with the models if there are several, then notes on all rows and totals.

    Empty columns are left out, e.g. the published results of scenarios that no paper has.
    """
    several_models = len({row.condition.model for row in rows}) > 1
    for unit, lines in (*tables(rows).items(), *mean_tables(rows).items()):
        known = {*headings_of(lines), "mean"}
        shown = [name for name in SHOWN if name in known and (several_models or name != "model")]
        _show_table(console, unit, {name: SHOWN[name] for name in shown}, lines)
    for about, lines in table_of_worlds(rows).items():
        _show_table(console, about, {name: name for name in lines[0]}, lines, wraps=True)
    show_notes(console, rows)


def show_matchups(console: Console, results: Iterable[Result]) -> None:
    """Prints what a seat of each agent earned with each other one, where different agents met."""
    mixed = [one for one in matchups(results) if one.is_mixed]
    names = player_labels(mixed)
    for one in mixed:
        about = f"{one.title}: reward of a seat of the row's agent with the column's, mean ± standard error, {one.unit}"
        lines = one.lines(names)
        _show_table(console, printable(about), {name: name for name in lines[0]}, lines, wraps=True)


def show_tournaments(console: Console, played: Sequence[Tournament]) -> None:
    """Prints the tables of tournaments, then what their columns mean."""
    names = player_labels(played)
    for caption, lines in all_tables(played, names):
        _show_table(console, caption, {name: name for name in lines[0]}, lines, wraps=True)
    console.out(TOURNAMENT_ABOUT, highlight=False)


def show_notes(console: Console, rows: Sequence[Row]) -> None:
    """Prints notes on all rows, and what they asked and cost together."""
    for note in (*notes(rows), *in_all(rows)):
        console.out(printable(note), highlight=False)


def _show_table(
    console: Console,
    about: str,
    headings: Mapping[str, str],
    lines: Sequence[Mapping[str, str]],
    *,
    wraps: bool = False,
) -> None:
    """Prints a sentence and a table. headings: of the columns, by the names of the lines' cells.

    wraps: True for cells that go on in a further line where the terminal is too narrow, but for the first column.
    """
    console.out(about, highlight=False)
    columns = (Column(heading, no_wrap=place == 0 or not wraps) for place, heading in enumerate(headings.values()))
    _print_table(console, columns, ([line[name] for name in headings] for line in lines))


def _print_table(console: Console, columns: Iterable[Column], lines: Iterable[Iterable[str]]) -> None:
    table = plain_table(*columns)
    for line in lines:
        table.add_row(*(Text(printable(cell)) for cell in line))  # a plain string is read as markup
    console.print(table)


def show_estimate(console: Console, found: RunEstimate) -> None:
    """Prints an estimate: a row for each group and lineup, then the totals and what they were taken from."""
    names = ("group", "agent", "n", "questions", "tokens in", "tokens out", "USD", "from")
    columns = (Column(name, no_wrap=name in ("agent", "n")) for name in names)
    _print_table(console, columns, map(_estimate_cells, found.lines))
    sent, written = found.total("input_tokens"), found.total("output_tokens")
    cost = "cost unknown (no price)" if found.cost is None else f"{_range(found.cost, 3)} USD"
    took = "time unknown" if found.seconds is None else f"{number(found.seconds / 60)} min"
    tokens = f"{_range(sent)} input tokens, {_range(written)} output tokens"
    console.out(f"In all: {counted(found.episodes, 'episode')}, {tokens}, {cost}, {took}.", highlight=False)
    console.out("Mean, and in brackets if every episode took as little or as much as any before.", highlight=False)
    if unknown := sorted({agent for line in found.lines for agent in line.unknown}):
        console.out(printable(f"Not counted, since nothing is known of them: {listed(unknown)}."), highlight=False)
    if any(line.is_by_reasoner for line in found.lines):
        console.out(NO_PROXY, highlight=False)
    if any(rate.group != line.group for line in found.lines for rate in line.rates):
        console.out("* From the groups whose titles are most alike, which the JSON names.", highlight=False)


def _estimate_cells(line: Line) -> Sequence[str]:
    amounts = (line.questions, line.input_tokens, line.output_tokens)
    who = (line.group, "+".join(line.agents), f"{line.episodes:,}")
    return (*who, *map(_range, amounts), _range(line.cost, 3), _sources(line))


def _range(amount: Spread | None, digits: int = 0) -> str:
    """`12 (10 to 15)`; without brackets where there is one figure only."""
    if amount is None:
        return "unknown"
    mean, least, most = (number(value, digits) for value in (amount.mean, amount.least, amount.most))
    return mean if least == most else f"{mean} ({least} to {most})"


def _sources(line: Line) -> str:
    """`4 of gpt-4o`, with a star if they are of another group than the line's."""
    sources = (f"{rate.episodes} of {rate.model}{' *' * (rate.group != line.group)}" for rate in line.rates)
    return ", ".join(dict.fromkeys(sources))


def show_minds(console: Console, study: MindStudy) -> None:
    """Prints the study of minds: a row for each world and agent, and below the table what its columns mean."""
    lines = []
    for row in study.rows:
        shares = (row.literal, row.functional, row.gap)
        literal, functional, gap = (percent(share.mean if share else None) for share in shares)
        line = (row.suite.title, row.label, str(row.episodes), literal, percent(row.base_rate))
        lines.append((*line, functional, gap))
    _print_table(console, (Column(name, no_wrap=True) for name in ("world", "agent", "n", *MEASURES)), lines)
    literal = "Literal: how often what it says of other minds is right."
    about = f"{literal} Functional: how well it acts on them. Gap: the first less that."
    for sentence in (about, *study.left_out):
        console.out(printable(sentence), highlight=False)


def show_card(console: Console, card: Card) -> None:
    """Prints a card: for each world the order at which its agent plays, and its figures by needed order."""
    names = ("world", "plays at order", "needs", "acts", "says", "gap", "n")
    lines = []
    for world in card.worlds:
        at = NOTHING
        if world.position:
            at = _shown(world.position.at, 1) + (" *" if world.position.is_below_shortcuts else "")
        for place, row in enumerate(world.orders):
            first = (world.title, at) if place == 0 else ("", "")
            needs = NOTHING if row.order is None else str(row.order)
            says = number(row.skill.mean if row.skill else None, 2)
            figures = (_shown(row.functional, 2), says, _shown(row.gap, 2))
            lines.append((*first, needs, *figures, str(row.episodes)))
    _print_table(console, (Column(name, no_wrap=True) for name in names), lines)
    about = "Acts: from the best shortcut (0) to the ceiling (1). Says: right on other minds, base rate 0, always 1."
    console.out(about, highlight=False)
    if any(world.position and world.position.is_below_shortcuts for world in card.worlds):
        console.out("* below the best shortcut, which models no mind.", highlight=False)


def _shown(figure: Figure | None, digits: int) -> str:
    """`0.8 (0.6 to 0.9)`; the interval only if there is one."""
    return NOTHING if figure is None else with_interval(figure.mean, figure.interval, digits)
