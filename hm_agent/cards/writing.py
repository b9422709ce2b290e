"""Writes cards and leaderboards as pages, pictures and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from hm_agent.cards.answers import write_answers
from hm_agent.cards.card import ANSWERS, FIGURE, FILE, PAGE, Card, Figure, OrderFigures, WorldFigures, write_card
from hm_agent.reporting.csv_records import Record
from hm_agent.reporting.drawing import COLOURS, MUTED, FigureFiles, drawn_file
from hm_agent.reporting.pages import page
from hm_agent.reporting.writing import write_csv
from hm_agent.storage.files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

PANEL_WIDTH, ROW_HEIGHT, FRAME_HEIGHT, SQUARE_HEIGHT, LABEL_WIDTH, CELL_WIDTH = 500, 34, 80, 190, 200, 46
"""In points."""
BOARD = "leaderboard"
"""The name of a leaderboard's files, without their endings."""


def write_files(card: Card, archive: bytes, folder: Path) -> None:
    """Writes a card, its answers, its page, and a picture if any world has a ladder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_answers(archive, folder / ANSWERS)
    write_whole(folder / PAGE, card_page(card))
    if picture := card_figure(card):
        write_whole(folder / FIGURE, picture)
    write_card(card, folder / FILE)  # last, so that a card's other files are there


def card_page(card: Card) -> str:
    return page("card.html.j2", card=card, board=leaderboard([card]))


def card_figure(card: Card) -> bytes | None:
    """The order at which the card's agent plays in each world, and below its calibration, as PNG; None without both."""
    placed = [world for world in card.worlds if world.position]
    told = [world for world in card.worlds if world.calibration]
    heights = [FRAME_HEIGHT + ROW_HEIGHT * len(placed)] * bool(placed) + [SQUARE_HEIGHT] * bool(told)
    if not heights:
        return None

    def paint(drawing: Drawing) -> None:
        parts = drawing.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        parts[0].suptitle(f"{card.agent} with {card.model}", x=0, ha="left")
        if placed:
            _paint_ladders(placed, parts[0].subplots())
        if told:
            squares = parts[-1].subplots(1, max(len(told), 2), squeeze=False)[0]
            for world, axes in zip(told, squares, strict=False):
                _paint_calibration(world, axes)
            for axes in squares[len(told) :]:
                axes.axis("off")

    return drawn_file(FigureFiles("png"), PANEL_WIDTH, sum(heights), paint)


def _paint_ladders(placed: Sequence[WorldFigures], axes: Axes) -> None:
    for row, world in enumerate(placed):
        _paint(world, row, axes)
    axes.set_yticks(range(len(placed)), [world.title for world in placed])
    axes.set_ylim(len(placed) - 0.5, -0.5)
    axes.set_xticks(range(min(world.position.lowest for world in placed if world.position) - 1, _highest(placed) + 1))
    axes.set_xlabel("order at which it plays; the leftmost mark is the best shortcut")


def _paint_calibration(world: WorldFigures, axes: Axes) -> None:
    """The share that came by the chance given; on the diagonal it is calibrated."""
    axes.plot((0, 1), (0, 1), color=MUTED, linewidth=1)
    chances, came = [part.chance for part in world.calibration], [part.came for part in world.calibration]
    axes.plot(chances, came, "o-", color=COLOURS[0], linewidth=1.8, markersize=5, clip_on=False)
    axes.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 1), yticks=(0, 1), box_aspect=1)
    axes.set(xlabel="chance given", ylabel="share that came", title=world.title)


def _highest(placed: Sequence[WorldFigures]) -> int:
    return max(world.position.highest for world in placed if world.position)


def _paint(world: WorldFigures, row: int, axes: Axes) -> None:
    position = world.position
    assert position is not None
    ends = position.lowest - 1, position.highest
    axes.plot(ends, (row, row), color=MUTED, linewidth=1)
    axes.plot(range(ends[0], ends[1] + 1), [row] * (ends[1] - ends[0] + 1), "|", color=MUTED, markersize=12)
    if position.at.interval:
        axes.plot(position.at.interval, (row, row), color=COLOURS[0], linewidth=4)
    axes.plot(position.at.mean, row, "o", color=COLOURS[0], markersize=9)


@dataclass(frozen=True)
class Leaderboard:
    """Cards of one battery, best first."""

    cards: Sequence[Card]

    @property
    def worlds(self) -> list[str]:
        return list(dict.fromkeys(world.world for card in self.cards for world in card.worlds))

    @property
    def has_own_code(self) -> bool:
        return any(card.is_of_own_code for card in self.cards)

    @property
    def titles(self) -> list[str]:
        return list(dict.fromkeys(world.title for card in self.cards for world in card.worlds))

    def orders(self, world: str) -> list[int | None]:
        """The needed orders of a world's items on any card, lowest first; None alone where they state none."""
        found = {row.order for card in self.cards if (own := card.world(world)) for row in own.orders}
        return sorted(found, key=lambda order: -1 if order is None else order)


def leaderboard(cards: Sequence[Card]) -> Leaderboard:
    """Sorts cards by the mean order over the worlds in which any has one; who has none there counts as a shortcut."""
    placed = [(world.world, world.position) for card in cards for world in card.worlds if world.position]
    shortcut = {name: float(position.lowest - 1) for name, position in placed}

    def order(card: Card) -> float:
        own = {world.world: world.position.at.mean for world in card.worlds if world.position}
        return mean((shortcut | own).values() or [0.0])

    return Leaderboard(sorted(cards, key=lambda card: (-order(card), card.agent, card.model)))


def write_leaderboard(board: Leaderboard, into: Path) -> Path:
    """Writes the page, the table, the picture and the CSV of a leaderboard; returns the page's path."""
    into.mkdir(parents=True, exist_ok=True)
    write_csv(into / f"{BOARD}.csv", [record for card in board.cards for record in _records(card)])
    for kind in ("md", "html"):
        write_whole(into / f"{BOARD}.{kind}", page(f"{BOARD}.{kind}.j2", board=board))
    write_whole(into / f"{BOARD}.png", board_figure(board))
    return into / f"{BOARD}.html"


def board_figure(board: Leaderboard) -> bytes:
    """How well each card's agent acts, by world and by the order that items need, as PNG."""
    orders = [board.orders(world) for world in board.worlds]

    def paint(drawing: Drawing) -> None:
        panels = drawing.subplots(1, len(orders), width_ratios=list(map(len, orders)), sharey=True, squeeze=False)[0]
        for world, title, needed, axes in zip(board.worlds, board.titles, orders, panels, strict=True):
            _paint_scores([[card.figures(world, order) for order in needed] for card in board.cards], axes)
            axes.set_xticks(range(len(needed)), ["-" if order is None else str(order) for order in needed])
            axes.set_title(title)
        panels[0].set_yticks(range(len(board.cards)), [f"{card.player}, {card.model}" for card in board.cards])
        panels[0].set_ylim(len(board.cards) - 0.5, -0.5)
        drawing.supxlabel("the order that items need; 0 is the best shortcut, 1 the ceiling")

    width = max(PANEL_WIDTH, LABEL_WIDTH + CELL_WIDTH * sum(map(len, orders)))
    return drawn_file(FigureFiles("png"), width, FRAME_HEIGHT + ROW_HEIGHT * len(board.cards), paint)


def _paint_scores(rows: Sequence[Sequence[OrderFigures | None]], axes: Axes) -> None:
    """A cell for each row's items of one order, the darker, the nearer to the ceiling; `-` where none were played."""
    axes.grid(visible=False)
    axes.margins(x=0)
    for y, row in enumerate(rows):
        for x, figures in enumerate(row):
            found = figures.functional if figures else None
            shade = min(max(found.mean, 0), 1) if found else 0
            axes.fill_between((x - 0.5, x + 0.5), y - 0.5, y + 0.5, color=COLOURS[2], alpha=shade / 2, linewidth=0)
            axes.text(x, y, f"{found.mean:.2f}" if found else "-", ha="center", va="center")


def _records(card: Card) -> Iterator[Record]:
    """A line for each world and needed order; the world's position stands in each of its lines."""
    for world in card.worlds:
        for row in world.orders:
            yield {
                "agent": card.agent,
                "model": card.model,
                "code": card.hashes.code,
                "world": world.world,
                "order": row.order,
                **_ends("position", world.position.at if world.position else None),
                **_ends("functional", row.functional),
                **_ends("skill", row.skill),
                **_ends("gap", row.gap),
                **_ends("literal", row.literal),
                "base_rate": row.base_rate,
                "log_loss_skill": row.log_loss_skill,
                "brier_skill": row.brier_skill,
                "episodes": row.episodes,
                "planned": row.planned,
            }


def _ends(name: str, found: Figure | None) -> Record:
    values = (found.mean, found.low, found.high) if found else (None, None, None)
    return dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))
