"""The replay as a reader meets it: in a real browser, opened from a file."""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from benchmarks.stage import set_up
from hm_agent.agents.registry import AGENTS, Ingredients
from hm_agent.core import Decision, Observation, Recorder, Step, Strategy
from hm_agent.episode import run_episode
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.recording.replay.recorder import PAGE, ReplayRecorder
from hm_agent.recording.trace import TraceRecorder
from hm_agent.worlds.melting_pot.perception.atlas import Pixels
from hm_agent.worlds.melting_pot.scenarios import find_scenarios
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from tests.browsing import CONTRASTS, READABLE, overheard
from tests.recording.witness import Nowhere, Witness
from tests.reporting.examples import result

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STEPS = 500
TABS = ("present", "beliefs", "meetings", "questions")


@dataclass(frozen=True)
class Recording:
    path: Path
    trace: list[dict[str, Any]]
    witness: Witness

    def marked(self, kind: str) -> list[int]:
        return [line["step"] for line in self.trace if any(e["kind"] == kind for e in line.get("events", []))]


def recorded(folder: Path, name: str, steps: int, agent: str = "hypothetical_minds") -> Recording:
    (scenario,) = find_scenarios([name])
    world, player = set_up(scenario, 3)
    if agent != "hypothetical_minds":
        eyes = vision_of(scenario.game.short_name)
        player = AGENTS[agent](Ingredients(scenario.game, eyes, BuiltinReasoner(), 3, world.tell))
    witness, replay = Witness(world), ReplayRecorder(world, folder, scenario)
    recorders: list[Recorder] = [TraceRecorder(folder / "trace.jsonl"), replay, witness]
    asyncio.run(run_episode(world, player, seed=3, max_steps=steps, recorders=recorders))
    replay.write(result(agent, steps=steps, scenario=scenario.name, settings={"threshold": 0.7}))
    world.close()
    trace = [json.loads(line) for line in (folder / "trace.jsonl").read_text("utf-8").splitlines()]
    return Recording(folder / PAGE, trace, witness)


@pytest.fixture(scope="session")
def recording(chromium: str, others: list[Recording], tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """After the others, so that all is played by the time a browser starts."""
    return recorded(tmp_path_factory.mktemp("episode"), "rws_repeated_1", STEPS)


@pytest.fixture(scope="session")
def others(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    played = (("rws_arena_0", "hypothetical_minds"), ("cooking_asymmetric_0", "react"), ("pd_repeated_1", "random"))
    return [recorded(tmp_path_factory.mktemp("other"), name, 120, agent) for name, agent in played]


@pytest.fixture(scope="session")
def foreign(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page on an episode in which a model has said what browsers might take for their own."""
    folder = tmp_path_factory.mktemp("foreign")
    (scenario,) = find_scenarios(["rws_repeated_1"])
    words = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'><!--"
    replay, trace = ReplayRecorder(Nowhere(), folder, scenario), TraceRecorder(folder / "trace.jsonl")
    decision = Decision(0, subgoal=words, strategy=Strategy(words))
    step = Step(Observation(0, {"RGB": np.zeros((8, 8, 3), np.uint8)}), decision, 0.0, 0.0)
    for recorder in (trace, replay):
        recorder.record(step)
        recorder.close()
    replay.write(result(reason=words))
    return folder / PAGE


def opened(browser: Browser, path: Path, fragment: str = "") -> Page:
    shown = browser.new_page()
    shown.goto(path.as_uri() + fragment)
    shown.wait_for_selector("#main:not([hidden])")
    return shown


@pytest.fixture
def page(recording: Recording, browser: Browser) -> Iterator[Page]:
    """The page; whatever a test does with it, its console stays empty."""
    shown = browser.new_page()
    _, said = overheard(shown)
    shown.goto(recording.path.as_uri())
    shown.wait_for_selector("#main:not([hidden])")
    yield shown
    shown.close()
    assert said == []


def pixels(page: Page, canvas: str) -> Pixels:
    picture = page.evaluate("id => document.getElementById(id).toDataURL('image/png')", canvas)
    return np.asarray(Image.open(BytesIO(b64decode(picture.split(",")[1]))).convert("RGB"))


def go_to(page: Page, step: int) -> None:
    page.fill("#slider", str(step))


def step_of(page: Page) -> int:
    return int(page.input_value("#slider"))


def test_it_opens_from_a_file_and_asks_for_nothing_else(recording: Recording, browser: Browser) -> None:
    shown = browser.new_page()
    asked, _ = overheard(shown)
    shown.goto(recording.path.as_uri(), wait_until="networkidle")
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [recording.path.as_uri()]
    shown.close()


def test_the_slider_shows_every_frame_to_the_pixel(page: Page, recording: Recording) -> None:
    for step in (0, 1, 137, 60, STEPS - 1):
        go_to(page, step)
        assert (pixels(page, "world") == recording.witness.frames[step]).all()
        assert (pixels(page, "view") == recording.witness.views[step]).all()


def test_pixels_stay_squares_of_whole_pixels_of_the_screen(page: Page) -> None:
    for width in (1280, 700, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(50)
        factor = page.evaluate("world.getBoundingClientRect().width / world.width")
        assert factor >= 1
        assert factor == int(factor)


def test_a_link_leads_to_its_step(browser: Browser, recording: Recording) -> None:
    shown = opened(browser, recording.path, "#step=217")
    assert step_of(shown) == 217
    go_to(shown, 33)
    shown.wait_for_url("**/*#step=33")
    shown.goto(recording.path.as_uri() + "#step=44")
    expect(shown.locator("#slider")).to_have_value("44")
    shown.close()


def test_keys_step_jump_and_turn_to_tabs(page: Page, recording: Recording) -> None:
    for key, step in (("ArrowRight", 1), ("Shift+ArrowRight", 11), ("ArrowLeft", 10), ("End", STEPS - 1), ("Home", 0)):
        page.keyboard.press(key)
        assert step_of(page) == step
    page.keyboard.press("]")
    assert step_of(page) == recording.marked("InteractionEvent")[0]
    for number, tab in enumerate(TABS, 1):
        page.keyboard.press(str(number))
        assert [name for name in TABS if page.is_visible(f"#{name}")] == [tab]


def test_it_plays_and_pauses(page: Page) -> None:
    page.select_option("#speed", "60")
    page.click("body", position={"x": 2, "y": 2})
    page.keyboard.press(" ")
    expect(page.locator("#number")).to_have_value(re.compile("[1-9][0-9]"))
    page.keyboard.press(" ")
    stopped = step_of(page)
    page.wait_for_timeout(100)
    assert step_of(page) == stopped
    assert page.inner_text("#play") == "Play"


def test_every_interaction_is_marked_on_the_slider_and_leads_to_its_step(page: Page, recording: Recording) -> None:
    marks = page.locator("#marks .mark.interaction")
    steps = [int(mark.get_attribute("data-step") or -1) for mark in marks.all()]
    assert steps == recording.marked("InteractionEvent")
    marks.nth(2).locator(".hit").dispatch_event("click")
    assert step_of(page) == steps[2]


def test_a_step_shows_what_its_trace_says(page: Page, recording: Recording) -> None:
    for line in recording.trace[::97]:
        go_to(page, line["step"])
        shown = page.inner_text("#present")
        assert line["strategy"]["words"] in shown
        assert line.get("subgoal", "Subgoals") in shown
        assert [int(held) for held in page.inner_text("#own").split() if held.isdigit()] == line["inventory"]
        total = sum(before["reward"] for before in recording.trace[: line["step"] + 1])
        assert page.inner_text("#reward") == f"{total:.1f}".replace("-", "−")


def test_the_chart_has_the_recorded_values(page: Page, recording: Recording) -> None:
    page.click("#tab-beliefs")
    points = "[...document.querySelectorAll('.line')].map(l => [l.dataset.words, [...l.querySelectorAll('.point')].map(p => [Number(p.dataset.step), Number(p.dataset.value)])])"  # noqa: E501
    told = dict(page.evaluate(points))
    met = [line["step"] for line in recording.trace if "understood" in line]
    held: list[dict[str, Any]] = []
    expected: dict[str, list[list[float]]] = {}
    for line in recording.trace:
        held = line.get("hypotheses", held)
        for one in held if line["step"] in met else ():
            expected.setdefault(one["words"], []).append([line["step"], one["value"]])
    assert told == expected
    assert len(expected) >= 2


def test_interactions_are_listed_with_what_was_predicted(page: Page, recording: Recording) -> None:
    page.click("#tab-meetings")
    rows = [row.inner_text().split("\t") for row in page.locator("#meetings tbody tr").all()]
    understood = [(line["step"], one) for line in recording.trace for one in line.get("understood", [])]
    assert [int(row[0]) for row in rows] == [step for step, _ in understood]
    paid = [float(row[-1].replace("−", "-")) for row in rows]
    assert paid == [round(one["reward"], 2) for _, one in understood]
    assert any("right" in cell for row in rows for cell in row)


def test_search_finds_a_question_and_a_click_goes_to_its_step(page: Page, recording: Recording) -> None:
    page.keyboard.press("/")
    page.keyboard.type("ALWAYS PLAYS")
    found = page.locator(".questions details:not([hidden])")
    asked = {line["step"] for line in recording.trace if "always plays" in str(line.get("questions"))}
    assert 0 < found.count() < page.locator(".questions details").count()
    found.first.locator("summary").click()
    expect(found.first.locator("mark").first).to_be_visible()  # what is said is filled in once it is open
    assert "# Answer" in found.first.inner_text()
    found.first.locator(".said [data-step]").click()
    assert step_of(page) in asked


def test_questions_are_filtered_by_kind(page: Page, recording: Recording) -> None:
    page.click("#tab-questions")
    page.select_option("#questions select", "PlanSubgoals")
    planned = [1 for line in recording.trace for one in line.get("questions", []) if one["question"] == "PlanSubgoals"]
    assert page.locator(".questions details:not([hidden])").count() == len(planned)


def test_the_truth_is_shown_only_where_it_is_asked_for(page: Page, recording: Recording) -> None:
    go_to(page, 100)
    (truth,) = recording.witness.truths[100]
    told = page.locator("section.truth")
    assert not told.is_visible()
    page.keyboard.press("t")
    assert told.is_visible()
    assert truth.policy.split("__")[-1] in told.inner_text()
    assert " ".join(map(str, truth.inventory or ())) in told.inner_text()
    page.click("#tab-meetings")
    assert page.locator("#meetings th.truth").is_visible()


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.check("#truth")
    for tab in TABS:
        page.click(f"#tab-{tab}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.check("#truth")
    go_to(page, STEPS - 1)
    for tab in TABS:
        page.click(f"#tab-{tab}")
        contrasts = page.evaluate(CONTRASTS)
        assert [text for contrast, text in contrasts if contrast < READABLE] == []


def test_other_games_and_agents_without_a_mind_are_shown(others: list[Recording], browser: Browser) -> None:
    for other in others:
        shown = opened(browser, other.path)
        go_to(shown, 77)
        assert (pixels(shown, "world") == other.witness.frames[77]).all()
        for tab in TABS:
            shown.click(f"#tab-{tab}")
            assert shown.inner_text(f"#{tab}").strip()
        shown.close()


def test_a_models_words_are_only_words(foreign: Path, browser: Browser) -> None:
    shown = opened(browser, foreign)
    assert "onerror" in shown.inner_text("#present")
    assert "onerror" in shown.inner_text("header")
    assert shown.evaluate("window.harmed") is None
    shown.close()
