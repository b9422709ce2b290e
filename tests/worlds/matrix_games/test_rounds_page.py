"""The replay of a matrix game as a reader meets it: in a real browser, opened from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from hm_agent.finding import find_scenarios
from hm_agent.recording.replay.recorder import PAGE, ReplayRecorder
from hm_agent.recording.trace import TraceRecorder
from hm_agent.registry import suites
from hm_agent.testing.episodes import SeatLog, play_out, set_up
from tests.recording.browsing import go_to, opened
from tests.recording.recordings import result
from tests.support.browsers import requests_and_messages

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def replay(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SeatLog]:
    """The page on an episode of random play, and what there was to record."""
    folder = tmp_path_factory.mktemp("rounds")
    (scenario,) = find_scenarios(["mg_pd_tit_for_tat"])
    world, agents = set_up(scenario, "random")
    log, recorder = SeatLog("player_0"), ReplayRecorder(suites()["matrix_games"].viewer(scenario), folder, scenario)
    play_out(world, agents, seed=1, recorders=[TraceRecorder(folder / "trace.jsonl"), recorder, log])
    recorder.write(result(scenario, ("random",), steps=len(log.steps)))
    return folder / PAGE, log


def test_it_shows_every_round_and_marks_the_present_one_in_strip_and_table(
    replay: tuple[Path, SeatLog], browser: Browser
) -> None:
    file, log = replay
    page = opened(browser, file)
    _, said = requests_and_messages(page)
    go_to(page, 7)
    expect(page.locator(".rounds tr").first.locator("td")).to_have_count(30)
    own = page.locator(".rounds tr").nth(1).locator("td").all_inner_texts()
    assert own == [step.decision.action for step in log.steps]
    expect(page.locator(".rounds tr").nth(1).locator("[aria-current=step]")).to_have_text(own[7])
    expect(page.locator(".payoffs .is-played")).to_have_count(1)
    page.set_viewport_size({"width": 390, "height": 844})
    go_to(page, 20)
    expect(page.locator(".rounds [aria-current=step]").first).to_be_in_viewport()
    page.close()
    assert said == []
