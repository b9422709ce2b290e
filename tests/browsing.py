"""What tests of pages ask of a page in a browser."""

from __future__ import annotations

from playwright.sync_api import Page

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
  const texts = [...document.body.querySelectorAll('*:not(title, script, noscript, noscript *)')].filter(element =>
    [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()));
  return texts.map(element => {
    const style = getComputedStyle(element), drawn = element instanceof SVGElement;
    const [a, b] = [parse(drawn ? style.fill : style.color), behind(element)].map(light).sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), element.textContent.trim()];
  });
}"""


def overheard(page: Page) -> tuple[list[str], list[str]]:
    """The addresses that a page asks for, and what its console and its errors say, from now on."""
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    return asked, said
