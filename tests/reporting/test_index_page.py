"""The list of episodes as a reader meets it: in a real browser, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from hm_agent.reporting.index import write_index
from tests.reporting.examples import PD, leave, result, settings
from tests.support.browsers import check_readable, requests_and_messages

LONG = "a_name_that_is_much_longer_than_any_screen_of_a_phone_is_wide_and_has_no_end"
ENDED: dict[str, Any] = {"metrics": {}, "reward": 0.0, "steps": 0}
EPISODES = (
    result("react", 9.5, 2),
    result("react", -30, 10),
    result("random", 100, 2),
    result("random", 9.5, 10),
    result(
        "hypothetical_minds",
        20,
        2,
        scenario=PD,
        model=LONG,
        model_calls=5,
        input_tokens=10**9,
        cost=None,
        served=("<b>served</b>",),
        settings=settings(base_url="http://host:8000/v1"),
        versions={"hm_agent": "0.2.0"},
        made={"date": "2026-11-27T17:54:54+00:00", "commit": "a9c1d20984bc08763f74-dirty"},
    ),
    result("react", seed=3, status="failed: ValueError: bad plan", reason=f"Traceback\n  {LONG}\nValueError", **ENDED),
    result("react", seed=4, status="interrupted", reason="ended from outside", **ENDED),
)
PICTURED = ("react", 10)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the page on a few episodes, one of them with a picture and a replay."""
    out = tmp_path_factory.mktemp("some runs")
    leave(out, *EPISODES)
    (folder,) = out.glob(f"*/{PICTURED[0]}/*/episode-{PICTURED[1]}")
    Image.new("RGB", (184, 120), "green").save(folder / "thumbnail.png")
    (folder / "replay.html").write_text("<!doctype html><title>a replay</title>")
    (out / "summary.md").touch()
    return write_index(out).as_uri()


@pytest.fixture
def page(window: Page, address: str) -> Iterator[Page]:
    """The page; whatever a test does with it, no script of it fails."""
    errors: list[str] = []
    window.on("pageerror", lambda error: errors.append(str(error)))
    window.goto(address)
    yield window
    assert errors == []


def column(page: Page, name: str) -> list[str]:
    """What a column shows of the rows that are shown, from top to bottom."""
    cells = page.locator(f"tbody tr:visible [data-label='{name}']")
    return [cell.split("\n")[0].replace("−", "-") for cell in cells.all_inner_texts()]


def heading(page: Page, name: str) -> Any:
    return page.locator("thead").get_by_role("button", name=name, exact=True)


REWARDS = [
    one.metrics.get("normalised_reward")
    for one in (EPISODES[4], EPISODES[0], *EPISODES[5:], EPISODES[1], *EPISODES[2:4])
]
AS_LISTED = ["-" if reward is None else f"{reward:.1f}" for reward in REWARDS]
FALLING = ["100.0", "20.0", "9.5", "9.5", "-30.0", "-", "-"]
RISING = ["-30.0", "9.5", "9.5", "20.0", "100.0", "-", "-"]


def test_it_opens_without_an_error_and_asks_for_its_pictures_alone(window: Page, address: str) -> None:
    asked, said = requests_and_messages(window)
    window.goto(address, wait_until="networkidle")
    window.wait_for_function("document.images[0].complete && document.images[0].naturalWidth")  # it is loaded lazily
    folder = address.removesuffix("index.html")
    assert [url.removeprefix(folder).split("/")[-1] for url in asked] == ["index.html", "thumbnail.png"]
    assert all(url.startswith(folder) for url in asked)
    assert window.evaluate("document.images[0].naturalWidth") == 184
    assert said == []


def test_a_click_sorts_by_number_and_a_third_one_goes_back(page: Page) -> None:
    assert column(page, "reward") == AS_LISTED
    for expected, direction in ((FALLING, "descending"), (RISING, "ascending"), (AS_LISTED, None)):
        heading(page, "reward").click()
        assert column(page, "reward") == expected
        assert page.locator("th", has_text="reward").first.get_attribute("aria-sort") == direction
        assert page.locator("[aria-sort]").count() == (direction is not None)


def test_what_is_alike_keeps_its_order(page: Page) -> None:
    listed = column(page, "agent")
    heading(page, "model").dblclick()
    assert column(page, "agent") == [*listed[1:], listed[0]]
    heading(page, "reward").click()
    assert column(page, "agent")[2:4] == ["react", "random"]


def test_the_keyboard_sorts_too(page: Page) -> None:
    heading(page, "episode").focus()
    page.keyboard.press("Enter")
    assert column(page, "episode") == ["2", "2", "2", "3", "4", "10", "10"]
    page.keyboard.press("Space")
    assert column(page, "episode") == ["10", "10", "4", "3", "2", "2", "2"]


def test_words_filter_and_are_counted(page: Page) -> None:
    expect(page.locator("#shown")).to_have_text("7 of 7")
    page.get_by_label("Filter").fill("rws REACT")
    expect(page.locator("#shown")).to_have_text("4 of 7")
    assert column(page, "agent") == ["react"] * 4
    page.get_by_label("Filter").fill("nothing is like that")
    expect(page.get_by_text("No episode matches.")).to_be_visible()


def test_a_status_is_chosen_by_its_name(page: Page) -> None:
    page.get_by_text("failed", exact=False).first.click()
    assert column(page, "episode") == ["3"]
    page.keyboard.press("ArrowRight")
    assert column(page, "episode") == ["4"]


def test_the_address_keeps_what_was_asked_for(page: Page, browser: Browser) -> None:
    heading(page, "reward").click()
    page.get_by_label("Filter").fill("random")
    page.wait_for_url("**/*#sort=reward&order=descending&filter=random")
    address = page.evaluate("location.href")
    again = browser.new_page()
    again.goto(address)
    assert column(again, "reward") == column(page, "reward") == ["100.0", "9.5"]
    again.evaluate("location.hash = 'status=interrupted&sort=nonsense'")
    expect(again.locator("#shown")).to_have_text("1 of 7")
    assert again.locator("[aria-sort]").count() == 0
    again.close()


def test_without_scripts_it_is_a_plain_table(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    shown = context.new_page()
    shown.goto(address)
    assert column(shown, "reward") == AS_LISTED
    assert shown.locator("button, input:visible").count() == 0
    context.close()


def test_foreign_scripts_do_not_run(page: Page) -> None:
    foreign = '<img src=nowhere onerror="document.title = 1"><i style="color: red">'
    page.evaluate("text => document.body.insertAdjacentHTML('beforeend', text)", foreign)
    page.wait_for_timeout(100)
    assert page.title() == "Melting Pot: episodes"
    assert page.locator("i").evaluate("e => e.style.color") == ""


def test_every_link_to_a_replay_is_in_sight_and_the_page_tells_how_it_was_made(page: Page) -> None:
    said = "Played on 2026-11-27 by hm_agent 0.2.0 (commit a9c1d209, changed); "
    assert page.locator(".lead.small").inner_text() == f"{said}{LONG} at http://host:8000/v1, served as <b>served</b>."
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        box = page.get_by_role("link", name="replay", exact=True).bounding_box()
        assert box
        assert 0 <= box["x"] < box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.locator(".failed details").evaluate("part => { part.open = true; }")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(heading(page, "reward")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    check_readable(page, 80)


def test_endings_differ_by_more_than_colour_and_tell_their_reason(page: Page) -> None:
    marks = page.eval_on_selector_all(
        ".status b", "all => all.map(mark => getComputedStyle(mark, '::before').content.split('/')[0].trim())"
    )
    assert len(set(marks)) == 3
    assert page.locator(".failed summary").inner_text() == "ValueError: bad plan"
    page.locator(".failed summary").click()
    expect(page.locator(".failed pre")).to_contain_text(LONG)
    expect(page.locator(".cut .status small")).to_have_text("ended from outside")
