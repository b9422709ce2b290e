"""What tests do with a replay in a browser."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from hm_agent.recording.replay.film import Pixels

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def opened(where: Browser | Page, path: Path, fragment: str = "") -> Page:
    """Shows a replay in a new page of a browser, or in a page that is there, anew; returns the page."""
    shown = where.new_page() if hasattr(where, "new_page") else where
    shown.goto("about:blank")  # an address that differs in its fragment alone would load nothing
    shown.goto(path.as_uri() + fragment)
    shown.wait_for_selector("#main:not([hidden])")
    return shown


def go_to(page: Page, step: int) -> None:
    page.fill("#slider", str(step))


def pixels(page: Page, canvas: str) -> Pixels:
    """What a canvas of the page shows, (H, W, 3)."""
    picture = page.evaluate("id => document.getElementById(id).toDataURL('image/png')", canvas)
    return np.asarray(Image.open(BytesIO(b64decode(picture.split(",")[1]))).convert("RGB"))


def step_of(page: Page) -> int:
    return int(page.input_value("#slider"))
