"""The replay of a matrix game as a reader meets it: in a real browser, opened from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from hm_agent.testing.episodes import SeatLog
from hm_agent.theory_of_mind.written_mind import WrittenStrategy
from tests.recording.browsing import go_to, opened
from tests.recording.recordings import replayed
from tests.support.browsers import requests_and_messages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def recorded(agent: str, folder: Path) -> tuple[Path, SeatLog]:
    """The page on an episode that an agent plays, and what there was to record."""
    log = SeatLog("player_0")
    return replayed(folder, "mg_pd_tit_for_tat", agent, log, seed=1), log


@pytest.fixture(scope="session")
def replays(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, SeatLog]]:
    return {agent: recorded(agent, tmp_path_factory.mktemp("rounds")) for agent in ("random", "hypothetical_minds")}


def test_it_shows_every_round_and_marks_the_present_one_in_strip_and_table(
    replays: dict[str, tuple[Path, SeatLog]], browser: Browser
) -> None:
    file, log = replays["random"]
    page = opened(browser, file)
    _, said = requests_and_messages(page)
    go_to(page, 7)
    expect(page.locator(".rounds tr").first.locator("td")).to_have_count(30)
    own = page.locator(".rounds tr").nth(1).locator("td").all_inner_texts()
    assert own == [step.decision.action for step in log.steps]
    expect(page.locator(".rounds tr").nth(1).locator("[aria-current=step]")).to_have_text(own[7])
    expect(page.locator(".payoffs .is-played")).to_have_count(1)
    expect(page.get_by_role("heading", name="by the own choice (rows) and the other's (columns)")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    go_to(page, 20)
    expect(page.locator(".rounds [aria-current=step]").first).to_be_in_viewport()
    page.close()
    assert said == []


def test_a_strategy_tells_what_it_expects_and_no_empty_record_of_it(
    replays: dict[str, tuple[Path, SeatLog]], window: Page
) -> None:
    file, log = replays["hypothetical_minds"]
    page = opened(window, file, "#step=9")
    facts = page.locator("#present .facts")
    strategy = log.steps[9].decision.thoughts.strategy
    assert isinstance(strategy, WrittenStrategy)
    (belief,) = strategy.others
    expect(facts.locator("dt").first).to_have_text(belief.name)
    assert facts.locator("dd dt").all_inner_texts() == ["hypothesis", "expected"]
    expect(facts).to_contain_text(str(belief.expected))
