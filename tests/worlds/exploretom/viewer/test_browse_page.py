"""The page that browses a set of stories: what it reads, and what a reader of it meets in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.worlds.exploretom.datasets.item import line_of
from hm_agent.worlds.exploretom.datasets.making import drawn_stories, items_of
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.story.language import text_of
from hm_agent.worlds.exploretom.story.story_data import to_data
from hm_agent.worlds.exploretom.viewer.story_set import BrowsedStory, read_story_set
from tests.support.browsers import check_screens, requests_and_messages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

WORDS = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'><!--"
AGENTS = ("reality", "first_choice")


@pytest.fixture(scope="session")
def played(chromium: str, tmp_path_factory: pytest.TempPathFactory, silence: Progress) -> Path:
    """A folder with two episodes of each of two weak readers, and the page on it."""
    out = tmp_path_factory.mktemp("stories")
    run(Experiment(find_scenarios(["exploretom_a6_asymmetric"]), AGENTS, episodes=2, out=out), silence)
    assert main(["hm-agent", "browse", "exploretom", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def shown(played: Path, browser: Browser) -> Iterator[Page]:
    """A tab of the browser; whatever tests do with it, its console stays empty, and it asks for one file."""
    page = browser.new_page()
    asked, said = requests_and_messages(page)
    yield page
    page.close()
    assert said == []
    assert {url.partition("#")[0] for url in asked if not url.startswith("data:")} == {
        (played / "browse.html").as_uri()
    }


@pytest.fixture
def page(shown: Page, played: Path) -> Page:
    """The page on the folder, just opened."""
    shown.goto("about:blank")
    shown.goto((played / "browse.html").as_uri())
    shown.wait_for_selector("#main:not([hidden])")
    return shown


def accuracies(folder: Path, name: str) -> list[float]:
    results = (json.loads(path.read_text()) for path in folder.glob(f"*/{name}/*/*/result.json"))
    return [result["metrics"]["accuracy"] for result in results]


def found(page: Page) -> Locator:
    return page.locator("#found li")


# What is read


def items(seeds: int = 2) -> list[dict[str, Any]]:
    drawn = drawn_stories([ACTION_SETS["a3"], ACTION_SETS["a6_asymmetric"]], range(seeds), read_cast())
    return [json.loads(line_of(item)) for story in drawn for item in items_of(story)]


def written(path: Path, *values: object) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def test_a_data_set_is_read_story_by_story(tmp_path: Path) -> None:
    lines = items()
    stories = read_story_set(written(tmp_path / "set.jsonl", *lines))
    assert read_story_set(written(tmp_path / "set.json", {"data": lines})) == stories
    assert [story.id for story in stories] == list(dict.fromkeys(line["story_id"] for line in lines))
    questions = [question for story in stories for question in story.questions.values()]
    assert [(one.text, one.answer, one.kind.order, one.kind.is_interesting) for one in questions] == [
        (line["question"], line["answer"], line["order"], line["interesting"]) for line in lines
    ]


def test_a_foreign_set_is_read_and_told_about_where_its_stories_can_be(tmp_path: Path) -> None:
    line = next(line for line in items(1) if line["order"] == 2)
    bare = {name: line[name] for name in ("story", "question", "choices", "target")}
    free = {"story": "Once upon a time.", "question": "Who?", "choices": ["a cat", "a dog"], "target": 1}
    known, unknown = read_story_set(written(tmp_path / "set.jsonl", bare, free))
    (asked,) = known.questions.values()
    assert (asked.kind.order, asked.kind.about) == (2, line["property"])
    (question,) = unknown.questions.values()
    assert (question.answer, question.kind.order) == ("a dog", None)


def test_stories_without_questions_get_all_of_theirs(tmp_path: Path) -> None:
    line = items(1)[0]
    (story,) = read_story_set(written(tmp_path / "set.jsonl", {"story": line["story"], "id": "one"}))
    assert line["question"] in story.questions


def test_stories_that_a_search_found_are_read_with_what_the_reader_reached(tmp_path: Path) -> None:
    script = next(iter(drawn_stories([ACTION_SETS["a3"]], range(1), read_cast()))).script
    (story,) = read_story_set(
        written(tmp_path / "found.jsonl", {"id": "a3/0", "accuracy": 0.25, "story": to_data(script)})
    )
    assert (story.id, story.text) == ("a3/0 (accuracy 0.25)", text_of(script))
    assert story.questions.keys() == {one.text for one in AnsweredStory(script).questions()}


def test_what_readers_answered_goes_with_the_question(played: Path) -> None:
    stories: list[BrowsedStory] = read_story_set(played)
    assert len(stories) == 2
    for name in AGENTS:
        right = [
            [given.is_right for one in story.questions.values() for given in one.given if given.reader == name]
            for story in stories
        ]
        assert sorted(sum(some) / len(some) for some in right) == pytest.approx(sorted(accuracies(played, name)))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}\n",
        "[1]\n",
        "no JSON\n",
        '{"story": {}}\n',
        '{"story": {"actions": [1]}}\n',
        '{"question": "Who?"}\n',
        '{"story": "Bah."}\n',
    ],
)
def test_a_file_that_holds_no_stories_is_refused_in_one_line(content: str, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(content)
    with pytest.raises(ConfigError) as refused:
        read_story_set(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["nowhere.jsonl"], ["--page=x"]])
def test_the_command_says_what_it_needs(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hm-agent", "browse", "exploretom", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# The page


def test_every_question_is_counted_and_readers_accuracies_are_those_of_the_results(page: Page, played: Path) -> None:
    stories = read_story_set(played)
    total = sum(len(story.questions) for story in stories)
    expect(page.locator("#count")).to_have_text(f"{total} of {total} questions, in 2 of 2 stories.")
    for row in page.locator(".accuracies tbody tr").all():
        name, share, _ = row.locator("th, td").all_inner_texts()
        given = [one for story in stories for asked in story.questions.values() for one in asked.given]
        right = [one.is_right for one in given if one.reader == name]
        assert share == f"{100 * sum(right) / len(right):.1f}%"


def test_filters_leave_the_questions_that_fit_and_the_address_keeps_them(page: Page, played: Path) -> None:
    every = [asked for story in read_story_set(played) for asked in story.questions.values()]
    page.locator("label", has_text="order").locator("select").select_option("2")
    page.locator("label", has_text="answered").locator("select").select_option(label="reality: wrong")
    fitting = [
        one
        for one in every
        if one.kind.order == 2 and not next(given for given in one.given if given.reader == "reality").is_right
    ]
    expect(found(page)).to_have_count(len(fitting))
    assert "order=2" in page.url
    page.reload()
    expect(found(page)).to_have_count(len(fitting))
    page.fill("#search", "nothing is like that")
    expect(found(page)).to_have_count(0)


def test_a_click_leads_to_the_story_and_the_way_back_to_the_list(page: Page) -> None:
    page.locator("label", has_text="answered").locator("select").select_option("wrong")
    count = found(page).count()
    text = found(page).nth(1).locator("a").inner_text()
    found(page).nth(1).locator("a").click()
    expect(page.locator(".asked-card .words")).to_have_text(text)
    expect(page.locator("#one .row.asked")).to_have_count(1)
    expect(page.locator("#one .asked-list [aria-current]")).to_contain_text(text)
    assert page.locator(".choices .is-wrong").count() >= 1
    page.go_back()
    expect(found(page)).to_have_count(count)
    expect(page.locator("#one")).to_be_hidden()


def test_the_way_back_leads_to_the_place_that_was_left(browser: Browser, tmp_path: Path) -> None:
    """However it is gone; and a story is shown from its top, also one that was looked at before."""
    assert main(["hm-agent", "browse", "exploretom", str(written(tmp_path / "set.jsonl", *items()))]) == 0
    page = browser.new_page()
    page.goto((tmp_path / "browse.html").as_uri())
    page.click("#more")
    expect(found(page)).to_have_count(120)
    for number, way in ((100, page.go_back), (110, page.locator("#one").get_by_text("← All questions").click)):
        link = found(page).nth(number).locator("a")
        link.scroll_into_view_if_needed()
        left = page.evaluate("scrollY")
        assert left > 1000
        link.click()
        expect(page.locator(".one-title")).to_be_focused()
        assert page.evaluate("scrollY") == 0
        way()
        expect(link).to_be_focused()
        expect(found(page)).to_have_count(120)
        assert page.evaluate("scrollY") == pytest.approx(left, abs=2)
    page.close()


def test_what_is_typed_is_searched_for_once_and_is_not_lost(page: Page) -> None:
    """A browser lets an address change only so often."""
    page.evaluate(
        "() => { const set = history.replaceState; window.changes = 0; "
        "history.replaceState = (...all) => { changes++; set.apply(history, all); }; }"
    )
    page.type("#search", "chocolate cake")
    page.locator("label", has_text="order").locator("select").select_option("2")
    expect(page.locator("#search")).to_have_value("chocolate cake")
    assert "words=chocolate+cake" in page.url
    assert page.evaluate("changes") < 5


def test_the_keyboard_goes_from_question_to_question_and_out(page: Page) -> None:
    found(page).first.locator("a").press("Enter")
    page.locator("#one .asked-list button").first.focus()
    page.keyboard.press("ArrowDown")
    second = page.locator("#one .asked-list li").nth(1)
    expect(second).to_have_attribute("aria-current", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#list")).to_be_visible()


def test_links_lead_to_the_replays(page: Page, played: Path) -> None:
    found(page).first.locator("a").click()
    links = page.locator(".ways a", has_text="replay of")
    expect(links).to_have_count(len(AGENTS))
    assert all((played / str(link.get_attribute("href"))).is_file() for link in links.all())


@pytest.mark.parametrize("fragment", ["", "#story=0"])
def test_nothing_is_wider_than_the_screen_and_all_text_is_readable(page: Page, fragment: str) -> None:
    page.goto(page.url.partition("#")[0] + fragment)
    check_screens(page, [("light", 390), ("dark", 1280), ("dark", 360)])


def test_what_a_file_says_is_shown_and_never_run(browser: Browser, tmp_path: Path) -> None:
    bad = {"id": WORDS, "story": WORDS, "question": WORDS, "choices": [WORDS, "no"], "target": 0}
    assert main(["hm-agent", "browse", "exploretom", str(written(tmp_path / "<b>set.jsonl", bad))]) == 0
    shown = browser.new_page()
    asked, said = requests_and_messages(shown)
    shown.goto((tmp_path / "browse.html").as_uri())
    shown.locator("#found a").click()
    expect(shown.locator(".asked-card .words")).to_have_text(WORDS)
    expect(shown.locator(".tale-text")).to_have_text(WORDS)
    expect(shown.locator(".one-title")).to_have_text(WORDS)
    assert shown.evaluate("window.harmed") is None
    assert shown.locator("img, b:has-text('set')").count() == 0
    assert said == []
    assert len({url.partition("#")[0] for url in asked if not url.startswith("data:")}) == 1
    shown.close()
