"""What tests do with a replay in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def opened(browser: Browser, path: Path, fragment: str = "") -> Page:
    shown = browser.new_page()
    shown.goto(path.as_uri() + fragment)
    shown.wait_for_selector("#main:not([hidden])")
    return shown


def go_to(page: Page, step: int) -> None:
    page.fill("#slider", str(step))


def step_of(page: Page) -> int:
    return int(page.input_value("#slider"))
