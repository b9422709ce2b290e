"""The replay of a story as a reader meets it: in a real browser, opened from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from hm_agent.core import Agent, Decision, Observation
from hm_agent.testing.episodes import SeatLog
from hm_agent.worlds.exploretom.story.language import parse_story
from tests.recording.browsing import go_to, opened
from tests.recording.recordings import replayed
from tests.support.browsers import check_readable, requests_and_messages

WORDS = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'><!--"

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def replay(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SeatLog]:
    """The page on a story that a reader who overlooks distraction reads, and what there was to record."""
    return recorded(tmp_path_factory.mktemp("story"))


@pytest.fixture(scope="session")
def rude(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("rude"), RudeReader())[0]


@pytest.fixture(scope="session")
def minded(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SeatLog]:
    """The page on a story that an agent with hypotheses reads, and what there was to record."""
    return recorded(tmp_path_factory.mktemp("minded"), agent="hypothetical_minds")


def recorded(
    folder: Path, reader: Agent[Any, Any] | None = None, agent: str = "no_distraction"
) -> tuple[Path, SeatLog]:
    log, instead = SeatLog("reader"), {"reader": reader} if reader else None
    return replayed(folder, "exploretom_a3_asymmetric", agent, log, seed=9, instead=instead), log


@pytest.fixture(scope="module")
def shown(replay: tuple[Path, SeatLog], rude: Path, minded: tuple[Path, SeatLog], browser: Browser) -> Iterator[Page]:
    """The page; whatever tests do with it, its console stays empty. The others are played before a browser starts."""
    page = opened(browser, replay[0])
    _, said = requests_and_messages(page)
    yield page
    page.close()
    assert said == []


@pytest.fixture
def page(shown: Page) -> Page:
    """The page on a screen at its first step; what a test chose stays chosen."""
    shown.emulate_media(media="screen")
    go_to(shown, 0)
    return shown


class RudeReader(Agent[Any, str]):
    """Answers in what a browser might take for its own."""

    async def act(self, observation: Observation[Any]) -> Decision[str]:
        return Decision(WORDS)


def story_of(log: SeatLog) -> str:
    return str(log.steps[0].observation.view.story)


def test_it_tells_the_story_and_has_no_tab_of_interactions(page: Page, replay: tuple[Path, SeatLog]) -> None:
    assert page.locator(".tale li").all_inner_texts() == story_of(replay[1]).splitlines()
    assert page.locator("[role=tab]:visible").all_inner_texts() == ["This step", "Hypotheses", "Questions", "Costs"]
    expect(page.locator("#last-tab")).to_have_text("4")
    page.keyboard.press("3")
    expect(page.locator("#questions")).to_be_visible()


def test_hypotheses_are_charted_by_person_with_the_values_of_the_trace(
    minded: tuple[Path, SeatLog], browser: Browser
) -> None:
    file, log = minded
    thoughts = [step.decision.thoughts for step in log.steps]
    held = {(one.about, belief.words, belief.value) for one in thoughts for belief in one.hypotheses}
    page = opened(browser, file)
    go_to(page, len(log.steps) - 1)
    page.locator("#tab-beliefs").click()
    titles = page.locator("#beliefs h2").all_inner_texts()
    assert titles == [f"About {person}" for person in sorted({str(person) for person, _, _ in held})]
    points = page.locator("#beliefs .point").evaluate_all("all => all.map(({dataset}) => Number(dataset.value))")
    assert set(points) == {value for _, _, value in held}
    assert set(page.locator("#beliefs .key-list li").evaluate_all("all => all.map(({dataset}) => dataset.words)")) == {
        words for _, words, _ in held
    }
    expect(page.locator("#beliefs figcaption small").first).to_contain_text("question")
    page.locator("#tab-present").click()
    expect(page.locator(".thoughts li").first).to_be_visible()
    page.close()


def test_wrong_answers_are_told_with_the_right_ones(page: Page, replay: tuple[Path, SeatLog]) -> None:
    wrong = [at for at, step in enumerate(replay[1].steps) if step.reward == 0]
    assert wrong
    assert page.locator("#marks .wrong-answer").count() == len(wrong)
    assert page.locator(".asked-list .is-wrong").count() == len(wrong)
    go_to(page, wrong[0])
    answer = replay[1].steps[wrong[0]].decision.action
    expect(page.locator(".verdict")).to_contain_text(f"The reader was wrong: it answered “{answer}”")
    expect(page.locator(".choices .is-wrong")).to_contain_text(answer)


def test_the_list_of_questions_keeps_the_focus_and_has_the_present_one_in_sight(
    page: Page, replay: tuple[Path, SeatLog]
) -> None:
    page.keyboard.press("1")
    current, ways = page.locator(".asked-list [aria-current=step]"), page.locator(".asked-list .link")
    for step in (len(replay[1].steps) - 1, 0):
        go_to(page, step)
        expect(current).to_have_count(1)
        inside = "item => { const [list, own] = [item.parentElement, item].map(one => one.getBoundingClientRect()); "
        assert current.evaluate(inside + "return own.top >= list.top - 1 && own.bottom <= list.bottom + 1; }")
    ways.nth(1).press("Enter")
    expect(ways.nth(1)).to_be_focused()
    expect(current).to_have_text(page.locator(".asked-list li").nth(1).inner_text().replace("\n", ""))


def test_a_question_is_marked_where_its_answer_stands(page: Page, replay: tuple[Path, SeatLog]) -> None:
    last = len(replay[1].steps) - 1
    go_to(page, last)
    asked = page.locator(".row.asked")
    expect(asked).to_have_count(1)
    assert page.locator(".run.answer").count() == 1
    assert "→" in asked.locator(".name").inner_text()
    expect(page.locator(".because")).to_contain_text("thinks that")


def test_rooms_and_people_of_the_chart_are_those_of_the_story(page: Page, replay: tuple[Path, SeatLog]) -> None:
    script = parse_story(story_of(replay[1]))
    named = page.locator(".story-key .person").all_inner_texts()
    assert [text.split("\n")[-1] for text in named] == list(script.people)
    bands = page.eval_on_selector_all(".lanes .band", "all => all.map(text => text.firstChild.data)")
    assert set(bands) == {"in no room", *(room for action in script.actions if (room := getattr(action, "room", None)))}
    assert page.locator(".lanes .way").count() == len(script.people)
    assert page.locator(".lanes .mark-acts").count() == len(script.actions)
    assert page.locator(".lanes .mark-misses").count() == sum(len(action.distracted) for action in script.actions)


def test_arrow_keys_go_from_action_to_action_and_say_who_saw_it(page: Page) -> None:
    page.locator(".numbers button").first.click()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".told b")).to_contain_text("2. ")
    expect(page.locator(".tale [aria-current=step]")).to_have_count(1)
    assert page.input_value("#slider") == "0"
    column, button = page.locator(".now").bounding_box(), page.locator(".numbers button").nth(1).bounding_box()
    assert column is not None
    assert button is not None
    assert (column["x"], column["width"]) == pytest.approx((button["x"], button["width"]), abs=1)


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ends = page.eval_on_selector_all(".lanes text", "all => all.map(text => text.getBoundingClientRect().right)")
    assert max(ends) <= width


def test_printed_it_shows_whole_lists_and_colours_and_no_buttons(page: Page) -> None:
    page.emulate_media(media="print")
    assert page.locator(".asked-list").evaluate("list => list.scrollHeight <= list.clientHeight + 1")
    expect(page.locator(".run").first).to_have_css("print-color-adjust", "exact")  # waits: the chart may be drawn anew
    expect(page.locator(".player")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    check_readable(page, 80)


def test_what_a_reader_says_is_shown_and_never_run(browser: Browser, rude: Path) -> None:
    shown = opened(browser, rude)
    expect(shown.locator(".verdict")).to_contain_text(WORDS)
    expect(shown.locator(".choices .is-wrong")).to_contain_text(WORDS)
    assert shown.evaluate("window.harmed") is None
    assert shown.locator("img").count() == 0
    shown.close()
