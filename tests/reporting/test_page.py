"""The page as a reader meets it: in a real browser, on a desk and on a phone, by day and by night."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page

from hm_agent.pages.rendering import breakable
from hm_agent.wording import number, with_error
from tests.support.browsers import check_readable, requests_and_messages


@pytest.fixture
def page(window: Page, report: Path) -> Page:
    window.goto((report / "report.html").as_uri())
    return window


def test_it_opens_without_an_error_and_asks_for_nothing_else(window: Page, report: Path) -> None:
    asked, said = requests_and_messages(window)
    window.goto((report / "report.html").as_uri(), wait_until="networkidle")
    assert [url for url in asked if not url.startswith("data:")] == [(report / "report.html").as_uri()]
    assert said == []
    assert "24 episodes" in window.inner_text("header")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    _open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_name_of_two_agents_breaks_between_them(page: Page) -> None:
    head = page.locator("#results thead th").nth(1)
    head.evaluate("(head, name) => { head.innerHTML = name; }", str(breakable("hypothetical_minds+random")))
    lines = "const range = new Range(); range.selectNodeContents(head.lastChild); return range.getClientRects().length;"
    assert head.evaluate(f"head => {{ {lines} }}") == 1, "the second agent is on one line"


def test_a_long_name_stays_in_its_column(page: Page) -> None:
    head = page.locator("#results thead th").nth(1)
    head.evaluate("head => { head.textContent = 'hypothetical_minds+'.repeat(4); }")
    assert head.evaluate("head => head.scrollWidth <= head.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    _open_all(page)
    check_readable(page, 200)
    lightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (min(lightness) > 200) == (scheme == "light")


def test_letters_in_pictures_are_large_enough_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    heights = page.evaluate("[...document.querySelectorAll('.panels text')].map(t => t.getBoundingClientRect().height)")
    assert min(heights) > 9


def test_every_link_leads_somewhere(page: Page, report: Path) -> None:
    links = page.eval_on_selector_all("a", "all => all.map(a => a.getAttribute('href'))")
    inner = [link for link in links if link.startswith("#")]
    assert all(page.locator(link).count() == 1 for link in inner)
    paths = [report / unquote(urlsplit(link).path) for link in links if not link.startswith("#")]
    assert len(paths) == 8 + 24 * 3
    assert [path for path in paths if not path.is_file()] == []


def test_ids_are_there_once(page: Page) -> None:
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_the_table_has_the_figures_of_the_csv(page: Page, report: Path) -> None:
    _open_all(page)
    with (report / "report.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    shown = page.eval_on_selector_all(
        "#rows tbody tr", "all => all.map(row => [...row.children].map(cell => cell.innerText.trim()))"
    )
    assert len(shown) == len(rows)
    for cells, row in zip(shown, rows, strict=True):
        mean = with_error(float(row["mean"]), float(row["sem"]))
        expected = [row["scenario"], row["episodes"], mean, number(float(row["normalised_score"]), 2)]
        assert [cells[place].replace("−", "-") for place in (0, 2, 3, 8)] == expected


def test_tables_and_pictures_say_what_they_are(page: Page) -> None:
    assert page.locator("th:not([scope])").count() == 0
    assert page.locator("figure > figcaption").count() == page.locator("figure").count() >= 3
    assert page.locator("svg:not([role=img][aria-label])").count() == 0


def _open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
