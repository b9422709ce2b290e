"""The replays of very different substrates as a reader meets them, in a real browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import TYPE_CHECKING

import pytest

from hm_agent.catalogue.finding import find_scenarios
from tests.recording.browsing import opened, pixels, step_of
from tests.recording.recordings import Recording, record
from tests.support.browsers import requests_and_messages

if TYPE_CHECKING:
    from playwright.sync_api import Page

STEPS = 8
NAMED: Mapping[str, list[str]] = {
    "chicken_arena_selfplay": [*"01234567"],
    "coins_selfplay": [],  # its map is unknown, and which player has which colour is drawn
    "commons_harvest_open_selfplay": [*"0123456"],
    "cooking_crowded_selfplay": [*"012345678"],
    "daycare_selfplay": ["player 0"],
    "externality_mushrooms_dense_selfplay": [*"01234"],
    "factory_commons_either_or_selfplay": [*"012"],
    "gift_refinements_selfplay": [*"012345"],
    "hidden_agenda_selfplay": [*"01234"],
    "paintball_king_of_the_hill_selfplay": ["player 0"],  # a team looks alike
}
"""Whom the map names once the agent knows where it is: all that look different, else the page's own player."""
FEW = ("coins_selfplay", "cooking_crowded_selfplay", "hidden_agenda_selfplay")


@pytest.fixture(scope="session")
def recorded(
    chromium: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Recording]:
    """Plays the start of an episode of each of some substrates."""

    def play(name: str) -> Recording:
        seats = len(find_scenarios([name])[0].seats)
        return record(tmp_path_factory.mktemp(name), name, STEPS, "react", *["noop"] * (seats - 1))

    with ThreadPoolExecutor(1) as pool:  # the browser's event loop may be running in this thread
        return dict(zip(request.param, pool.map(play, request.param), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recorded", "widths"),
    [pytest.param(FEW, (1280,), id="few"), pytest.param(tuple(NAMED), (1280, 390), id="all", marks=pytest.mark.heavy)],
    indirect=["recorded"],
)
def test_each_substrates_page_shows_map_names_and_text_in_step(
    recorded: Mapping[str, Recording], window: Page, widths: Sequence[int]
) -> None:
    _, said = requests_and_messages(window)
    for (name, recording), width in product(recorded.items(), widths):
        window.set_viewport_size({"width": width, "height": 844})
        page = opened(window, recording.path)
        for step in range(STEPS):
            assert step_of(page) == step
            assert (pixels(page, "world") == recording.witness.frames[step]).all(), name
            state = recording.witness.states[step]
            assert page.locator("pre").first.inner_text() == state.view.describe(state.kinds), name
            page.keyboard.press("ArrowRight")
        assert page.locator("#over .player-name").all_text_contents() == NAMED[name], name
        told = page.locator("#world").get_attribute("aria-label") or ""
        assert ("not sure where it is" in told) == (name == "coins_selfplay"), "it counts cells from where it began"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert said == [], name
