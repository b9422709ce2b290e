"""How tests and benchmarks start a browser, and what tests check of the pages in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""The commands that start a browser, in order of preference."""
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
"""Flags that keep a browser from sending requests of its own."""

READABLE = 4.5
"""The contrast ratio that WCAG 2 requires of text."""
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
  const texts = [...document.body.querySelectorAll('*:not(title, script, noscript, noscript *)')].filter(element =>
    [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()));
  return texts.map(element => {
    const style = getComputedStyle(element), drawn = element instanceof SVGElement;
    const [a, b] = [parse(drawn ? style.fill : style.color), behind(element)].map(light).sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), element.textContent.trim()];
  });
}"""
"""Evaluates to the contrast ratio and the words of every text on the page."""


def check_readable(page: Page, least: int = 1) -> None:
    """Every text of the page has enough contrast, and there are at least so many."""
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) >= least
    assert [words for contrast, words in contrasts if contrast < READABLE] == []


def check_screens(page: Page, screens: Iterable[tuple[Literal["light", "dark"], int]]) -> None:
    """On screens of these schemes and widths, nothing is wider than the screen, and all text is readable."""
    for scheme, width in screens:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        check_readable(page)


def requests_and_messages(page: Page) -> tuple[list[str], list[str]]:
    """Two lists that fill from now on: the addresses that a page requests, and its console messages and errors."""
    requests: list[str] = []
    messages: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    return requests, messages
