"""The page as a reader meets it: in a real browser, on a desk and on a phone, by day and by night."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from hm_agent.reporting.wording import number, with_error

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
READABLE = 4.5
"""The contrast that WCAG 2 asks of text."""
CONTRASTS = """() => {
  const parse = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const texts = [...document.body.querySelectorAll('*')].filter(element =>
    [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()));
  return texts.map(element => {
    const style = getComputedStyle(element), drawn = element instanceof SVGElement;
    const [a, b] = [parse(drawn ? style.fill : style.color), behind(element)].map(light).sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), element.textContent.trim()];
  });
}"""


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser; of the session, so that its absence is found before the grid is played."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None and os.environ.get("HM_AGENT_NEEDS_BROWSER"):
        pytest.fail(f"none of {', '.join(BROWSERS)} is there, and HM_AGENT_NEEDS_BROWSER is set")
    if found is None:
        pytest.skip(
            f"the report's page is not tested: none of {', '.join(BROWSERS)} is there (apt-get install chromium)"
        )
    assert found is not None
    return found


@pytest.fixture(scope="module")
def browser(chromium: str, report: Path) -> Iterator[Browser]:
    """The grid of the report is played before it starts: no event loop may run beside Playwright's."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    shown = browser.new_page()
    shown.goto((report / "report.html").as_uri())
    yield shown
    shown.close()


def test_it_opens_without_an_error_and_asks_for_nothing_else(browser: Browser, report: Path) -> None:
    shown = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: pytest.fail(str(error)))
    shown.goto((report / "report.html").as_uri(), wait_until="networkidle")
    assert [url for url in asked if not url.startswith("data:")] == [(report / "report.html").as_uri()]
    assert said == []
    assert "24 episodes" in shown.inner_text("header")
    shown.close()


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    _open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    _open_all(page)
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 200
    assert [text for contrast, text in contrasts if contrast < READABLE] == []
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
    assert len(paths) == 4 + 24 * 2
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
        reward = with_error(float(row["normalised_reward"]), float(row["sem"]))
        expected = [row["scenario"], row["episodes"], reward, number(float(row["score"]), 2)]
        assert [cells[place].replace("−", "-") for place in (0, 2, 3, 8)] == expected


def test_tables_and_pictures_say_what_they_are(page: Page) -> None:
    assert page.locator("th:not([scope])").count() == 0
    assert page.locator("figure > figcaption").count() == page.locator("figure").count() >= 3
    assert page.locator("svg:not([role=img][aria-label])").count() == 0


def _open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
