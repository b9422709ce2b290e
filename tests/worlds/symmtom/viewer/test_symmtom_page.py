"""A replay of SymmToM as a reader meets it: in a real browser, opened from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hm_agent.worlds.symmtom.views import BelievedKnowledge, BoardScene
from tests.recording.browsing import go_to, opened
from tests.recording.recordings import replayed
from tests.support.browsers import check_readable, requests_and_messages
from tests.support.step_log import StepLog

if TYPE_CHECKING:
    from playwright.sync_api import Page

SEATS = ("player_0", "player_1", "player_2")
PLACES = """() => [...document.querySelectorAll('#over text')].filter(text => /^\\d$/.test(text.textContent)
    && text.previousElementSibling.tagName === 'circle').map(text => [
      text.textContent, Math.floor(text.getAttribute('x')), Math.floor(text.getAttribute('y'))])"""
"""Each agent's number and the cell it is drawn in."""
GRID = """title => [...document.querySelectorAll('#present .grids > div')].filter(one => one.innerText.includes(title))
    .map(one => [...one.querySelectorAll('tbody tr')].map(row => [...row.querySelectorAll('td')].flatMap(
      (cell, piece) => cell.classList.contains('knows') ? [piece] : [])))[0]"""
"""The pieces in each row of the grid whose words hold a title."""


@dataclass(frozen=True)
class Played:
    path: Path
    log: StepLog[BoardScene]


def recorded(folder: Path, name: str, agent: str) -> Played:
    """A page on an episode that one agent plays in all seats."""
    log = StepLog(BoardScene)
    return Played(replayed(folder, name, agent, log, seed=4), log)


@pytest.fixture(scope="module")
def pages(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Played]:
    played = {
        "planner": ("symmtom_w6_n3_c3", "k_ce"),
        "language": ("symmtom_w6_n3_c3", "hypothetical_minds"),
        "scripted": ("symmtom_w12_n4_c12", "heuristic"),
        "crowd": ("symmtom_w12_n9_c40", "heuristic"),
        "learned": ("symmtom_w6_n3_c3", "ippo"),
        "test": ("symmtom_test_probabilistic_w6", "order_1"),
    }
    return {kind: recorded(tmp_path_factory.mktemp(kind), *who) for kind, who in played.items()}


def believed(played: Played, step: int, seat: str) -> list[list[int]]:
    state = played.log.steps[step].decisions[seat].state
    assert isinstance(state, BelievedKnowledge)
    return [list(row) for row in state.believed]


def grid(page: Page, title: str) -> Any:
    return page.evaluate(GRID, title)


@pytest.mark.parametrize("kind", ["planner", "scripted", "language", "learned", "test"])
def test_agents_stand_where_the_turn_has_led_them(kind: str, pages: Mapping[str, Played], window: Page) -> None:
    page = opened(window, pages[kind].path)
    for step in range(0, len(pages[kind].log.steps), 5):
        go_to(page, step)
        cells = pages[kind].log.scene(step).moved_to
        assert page.evaluate(PLACES) == [[str(agent), x, y] for agent, (x, y) in enumerate(cells)]


def test_events_are_told_with_the_step_that_they_came_from(pages: Mapping[str, Played], window: Page) -> None:
    played = pages["language"]
    page = opened(window, played.path)
    at = next(at for at, step in enumerate(played.log.steps) if at > 1 and step.decisions[SEATS[0]].events)
    go_to(page, at)
    learned = page.locator("#present li.earlier")
    assert learned.inner_text().startswith(f"before it acted, it learned of step {at - 1}")
    told = [event.describe() for event in played.log.steps[at].decisions[SEATS[0]].events]
    assert learned.locator("li").all_inner_texts() == told


def test_an_arrow_leads_from_who_speaks_to_who_hears(pages: Mapping[str, Played], window: Page) -> None:
    played = pages["planner"]
    page = opened(window, played.path)
    heard = [step for step in range(30) if played.log.scene(step).heard]
    for step in heard[:6]:
        go_to(page, step)
        scene = played.log.scene(step)
        stars = len(scene.recharged)
        assert page.locator("#over polygon").count() == len(scene.heard) + stars
        listener, speaker = scene.heard[0]
        words = page.locator("#over").get_attribute("aria-label") or ""
        assert f"player {speaker} at column {scene.moved_to[speaker][0]}" in words
        assert f"says {scene.said[speaker]} to " in words
        assert f"player {listener}" in words


def test_k_as_believed_is_shown_beside_k_as_it_is_only_where_the_truth_is_asked_for(
    pages: Mapping[str, Played], window: Page
) -> None:
    played = pages["planner"]
    wrong = next(
        (step, seat)
        for step in range(30)
        for seat in SEATS
        if believed(played, step, seat) != [list(row) for row in played.log.scene(step).knows]
    )
    page = opened(window, played.path, f"#step={wrong[0]}&seat={wrong[1]}")
    assert grid(page, "believes") == believed(played, *wrong)
    assert not page.get_by_text("Who knows what (K) as it is").is_visible()
    page.check("#truth")
    assert page.get_by_text("Who knows what (K) as it is").is_visible()
    assert grid(page, "as it is") == [list(row) for row in played.log.scene(wrong[0]).knows]
    crossed = page.locator(".grids > div:first-child td.mistaken").count()
    pairs = zip(believed(played, *wrong), played.log.scene(wrong[0]).knows, strict=True)
    assert crossed == sum(len(set(one) ^ set(other)) for one, other in pairs) > 0


def test_who_tells_no_beliefs_shows_what_it_is_certain_of(pages: Mapping[str, Played], window: Page) -> None:
    page = opened(window, pages["scripted"].path, "#step=20&seat=player_2")
    scene = pages["scripted"].log.scene(20)
    certain = [list(row) for row in scene.first_hand]
    certain[2] = list(scene.knows[2])
    assert grid(page, "certain of") == certain


@pytest.mark.parametrize("kind", ["planner", "scripted"])
def test_what_is_known_is_told_of_the_seat_that_is_looked_at(
    kind: str, pages: Mapping[str, Played], window: Page
) -> None:
    """At first all may know the same of each other."""
    page = opened(window, pages[kind].path)
    for seat in ("player_1", "player_0"):
        page.select_option("#seat", seat)
        page.wait_for_function("name => replay.seat.name === name", arg=seat)
        assert seat.replace("_", " ") in page.inner_text("#present .grids h2 >> nth=0")


def test_a_language_agents_calls_and_meetings_are_shown(pages: Mapping[str, Played], window: Page) -> None:
    page = opened(window, pages["language"].path, "#step=10")
    assert page.locator("#present .plan li").count() >= 1
    page.click("#tab-interactions")
    assert page.locator("table.interactions tbody tr").count() >= 1
    assert "it said" in page.inner_text("table.interactions thead")
    met = [
        meeting for step in pages["language"].log.steps for meeting in step.decisions[SEATS[0]].thoughts.interactions
    ]
    rows = [row.inner_text().split("\t") for row in page.locator("table.interactions tbody tr").all()]
    told = [(row[-4], row[-1]) for row in rows]
    assert told == [(one.behaviour, f"+{one.reward:.2f}" if one.reward else "0.00") for one in met]


def test_a_test_of_mind_says_what_it_is_about_only_with_the_truth(pages: Mapping[str, Played], window: Page) -> None:
    page = opened(window, pages["test"].path)
    told = page.get_by_text("which the agent is never told")
    assert not told.is_visible()
    page.check("#truth")
    assert told.is_visible()
    assert "scripted" in page.inner_text(".scores")
    assert "is held in place" in page.inner_text("#present")


@pytest.mark.parametrize(
    ("kind", "width", "scheme"),
    [
        *((kind, 390, "dark") for kind in ("planner", "scripted", "crowd", "language", "test")),
        *product(("crowd", "language"), (1280, 1600), ("light",)),
    ],
)
def test_the_page_fits_its_screen_and_can_be_read(
    kind: str, width: int, scheme: Any, pages: Mapping[str, Played], window: Page
) -> None:
    page = window
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=scheme)
    asked, said = requests_and_messages(page)
    page.goto(pages[kind].path.as_uri() + "#step=8")
    page.wait_for_selector("#main:not([hidden])")
    page.check("#truth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cards, stage = page.locator(".scores").bounding_box(), page.locator(".stage").bounding_box()
    assert cards
    assert stage
    assert page.locator(".scores").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert cards["x"] + cards["width"] <= stage["x"] + stage["width"]
    board = page.locator("#over").bounding_box()
    assert board
    assert board["width"] >= 300
    check_readable(page)
    assert said == []
    assert len(asked) == 1
