"""The order of cards on a leaderboard."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

from hm_agent.cards.card import PAGE, read_card, write_card
from hm_agent.cards.writing import leaderboard, write_files, write_leaderboard
from tests.support.commands import call_here

CARDS = Path(__file__).parents[2] / "benchmarks" / "results" / "cards"


def test_who_plays_only_what_it_plays_best_does_not_lead() -> None:
    whole, deep = read_card(CARDS / "order_2" / "card.json"), read_card(CARDS / "order_3" / "card.json")
    specialist = replace(deep, agent="specialist", worlds=tuple(w for w in deep.worlds if w.world == "enacttom"))
    board = leaderboard([specialist, whole])
    assert [card.agent for card in board.cards] == ["order_2", "specialist"]


def test_code_of_ones_own_is_marked_since_it_can_read_what_is_hidden(tmp_path: Path) -> None:
    card = read_card(CARDS / "order_2" / "card.json")
    for number, own in enumerate((replace(card, agent="mine:build"), replace(card, model="python:mine:build"))):
        page = write_leaderboard(leaderboard([card, own]), tmp_path / str(number))
        write_files(own, b"", tmp_path / str(number))
        board = page.with_suffix(".md").read_text("utf-8")
        assert f"| {own.agent} † | {own.model} |" in board
        assert f"| {card.agent} | {card.model} |" in board
        for text in (board, page.read_text("utf-8"), (tmp_path / str(number) / PAGE).read_text("utf-8")):
            assert "can read all that is hidden" in text
        assert "\n\n| agent | model |" in board
    shipped = write_leaderboard(leaderboard([card, replace(card, model="local:smollm2")]), tmp_path / "shipped")
    assert "hidden" not in shipped.read_text("utf-8") + shipped.with_suffix(".md").read_text("utf-8")


def test_no_name_on_anybodys_card_is_a_formula_to_a_spreadsheet(tmp_path: Path) -> None:
    card = replace(read_card(CARDS / "order_2" / "card.json"), model='=HYPERLINK("http://evil","gpt-4o")')
    rows = csv.DictReader(io.StringIO(write_leaderboard(leaderboard([card]), tmp_path).with_suffix(".csv").read_text()))
    assert {row["model"] for row in rows} == {f"'{card.model}"}


def test_the_darkest_cells_are_the_orders_that_an_agent_plays_at(tmp_path: Path) -> None:
    board = leaderboard([read_card(CARDS / f"order_{order}" / "card.json") for order in (1, 2)])
    page = write_leaderboard(board, tmp_path).read_text("utf-8")
    needed = [order for world in board.worlds for order in board.orders(world)]
    rows = re.findall(r'<th scope="row">order_<wbr>(\d)<small>builtin</small></th>(<td class=.*)</tr>', page)
    assert [order for order, _ in rows] == ["2", "1"]
    for order, cells in rows:
        shades = [int(tenths) for tenths in re.findall(r"tenths-(\d+)", cells)]
        assert [shade >= 8 for shade in shades] == [other in range(int(order) + 1) for other in needed]


def test_cards_of_different_batteries_are_told_apart_in_words(tmp_path: Path) -> None:
    whole, part = CARDS / "order_2" / "card.json", tmp_path / "card.json"
    write_card(replace(read_card(whole), size="small", only=("enacttom", "symmtom")), part)
    status, _, errors = call_here("hm-agent", "leaderboard", str(whole), str(part))
    assert status == 2
    assert "is of the small public battery of enacttom, symmtom, and" in errors
    assert "of the full public battery of all worlds: only cards of the same battery are compared" in errors
