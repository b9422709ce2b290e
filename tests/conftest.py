from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from hm_agent.extensions import ADDED
from hm_agent.pool.progress import NoProgress
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.grid import Layout
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.support.browsers import BROWSERS, QUIET
from tests.support.quick import QuickTests

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision

# The same examples in every run, but for constants that hypothesis finds in the modules imported so far, and no
# deadline that a busy machine could miss.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

# Some environments forbid Python to keep what it compiles. That would cost each of the many processes that tests start
# a third of a second, and pytest half of the time that it takes to collect.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No test needs a certificate, and each client of a model would read all those of the machine, which takes 20 ms. Of a
# folder they are read when a server is asked by HTTPS; here are none.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="run no test that starts processes or is long")


def pytest_configure(config: pytest.Config) -> None:
    """Lets tests interrupt the commands that they start, also where this process ignores the signals, as in `nohup`.

    A command inherits what is ignored, but no handler.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)
    config.pluginmanager.register(QuickTests(config))


def pytest_collection() -> None:
    """Garbage is looked for less often: what is imported and collected stays, and each look at it takes time."""
    gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish() -> None:
    gc.freeze()


OTHERS_BETWEEN = 3
"""The number of other files between two with slow tests."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests begin early, so that no worker is left alone with one at the end.

    They don't begin together: slow tests mostly wait, and a core would be idle while all workers did so.
    """
    slow = dict.fromkeys(item.path for item in items if item.get_closest_marker("slow"))
    others = dict.fromkeys(item.path for item in items if item.path not in slow)
    place: dict[Path, float] = {file: number for number, file in enumerate(others)}
    place |= {file: number * OTHERS_BETWEEN - 0.5 for number, file in enumerate(slow)}
    items.sort(key=lambda item: place[item.path])


@pytest.fixture(scope="session")
def silence() -> NoProgress:
    return NoProgress()


@pytest.fixture
def forgets_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers of a user's own scenarios is forgotten after it."""
    monkeypatch.setattr(ADDED, "folders", dict(ADDED.folders))


@pytest.fixture(scope="session")
def rws() -> MatrixFacts:
    """Running With Scissors, repeated."""
    return game_named("rws_repeated", MatrixFacts)


@pytest.fixture(scope="session")
def rws_vision(rws: MatrixFacts) -> SubstrateVision:
    """The substrate-dependent parts of a player's perception in that game."""
    from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

    return vision_of(rws.short_name, 0)


@pytest.fixture(scope="session")
def rws_layout(rws_vision: SubstrateVision) -> Layout:
    return rws_vision.layout


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser; of the session, so that tests without one skip before they play any episode."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None and os.environ.get("HM_AGENT_NEEDS_BROWSER"):
        pytest.fail(f"none of {', '.join(BROWSERS)} is there, and HM_AGENT_NEEDS_BROWSER is set")
    if found is None:
        pytest.skip(f"no page is tested: none of {', '.join(BROWSERS)} is there (apt-get install chromium)")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Of the module: the session's fixtures play episodes first, and no event loop may run beside Playwright's."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def only_window(browser: Browser) -> Iterator[Page]:
    shown = browser.new_page()
    yield shown
    shown.close()


@pytest.fixture
def window(only_window: Page) -> Iterator[Page]:
    """An empty page of usual size; tests of a module have it one after the other, as a new one takes a second."""
    only_window.set_viewport_size({"width": 1280, "height": 720})
    only_window.emulate_media(color_scheme="null")
    yield only_window
    only_window.goto("about:blank")
