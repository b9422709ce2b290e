"""The replay as a reader meets it: in a real browser, opened from a file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Agent, Decision, Hypothesis, Observation, Recorder, Thoughts
from hm_agent.episode import run_episode
from hm_agent.recording.replay.recorder import PAGE, ReplayRecorder
from hm_agent.recording.trace import TraceRecorder
from tests.recording.browsing import go_to, opened, pixels, step_of
from tests.recording.recordings import (
    NO_SCENARIO,
    Count,
    GreySquare,
    PlainStrategy,
    Recording,
    TakeTurns,
    a_step,
    record,
    result,
    thinking,
    written,
)
from tests.support.browsers import check_readable, requests_and_messages

if TYPE_CHECKING:
    from playwright.sync_api import Page

STEPS = 300
TURNS = 7
TABS = ("present", "beliefs", "interactions", "questions", "costs")
WORDS = f"</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'><!--{'o' * 300}"


@pytest.fixture(scope="session")
def recording(
    chromium: str,
    others: list[Recording],
    self_play: Recording,
    conversation: Path,
    foreign: Path,
    validations: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Recording:
    """After the others, so that all is played by the time a browser starts."""
    return record(tmp_path_factory.mktemp("episode"), "rws_repeated_1", STEPS)


@pytest.fixture(scope="session")
def others(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    played = (("rws_arena_0", "hypothetical_minds"), ("cooking_asymmetric_0", "react"), ("pd_repeated_1", "random"))
    return [record(tmp_path_factory.mktemp("other"), name, 90, agent) for name, agent in played]


@pytest.fixture(scope="session")
def self_play(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return record(tmp_path_factory.mktemp("selfplay"), "rws_repeated_selfplay", 200, "hypothetical_minds", "react")


@pytest.fixture(scope="session")
def foreign(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page on an episode in which a model has said what browsers might take for their own."""
    decision = Decision(0, thoughts=thinking(WORDS), state=PlainStrategy(WORDS))
    return written(GreySquare(), tmp_path_factory.mktemp("foreign"), decision, reason=WORDS)


@dataclass(frozen=True, slots=True)
class Meeting:
    """An interaction that pays nothing; what the other did is calculated, and no field."""

    step: int
    partner: str

    @property
    def behaviour(self) -> str:
        return f"waits at {self.step}"

    @property
    def reward(self) -> float:
        return 0.0


HELD = ("player_3", "it waits"), ("player_4", "it runs"), ("player_3", "it waits")
"""By step, about whom the agent thinks, and the one hypothesis about that player; it is validated at once."""


@pytest.fixture(scope="session")
def validations(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page on an episode of three interactions that loses 0.04 at the second."""
    folder = tmp_path_factory.mktemp("validations")
    replay, trace = ReplayRecorder(GreySquare(), folder, NO_SCENARIO), TraceRecorder(folder / "trace.jsonl")
    for number, (about, words) in enumerate(HELD):
        held = Hypothesis(words, 0.8, "waits")
        thoughts = Thoughts(PlainStrategy("wait"), about, (held,), held, 0.7, (Meeting(number, "player_3"),))
        for recorder in (trace, replay):
            recorder.record(a_step(number, Decision(0, thoughts=thoughts), reward=-0.04 * (number == 1)))
    trace.close()
    replay.write(result(NO_SCENARIO, steps=len(HELD)))
    return folder / PAGE


class Speaker(Agent[str, str]):
    """Says how often it has spoken."""

    def __init__(self, name: str) -> None:
        self._name, self._said = name, 0

    async def act(self, observation: Observation[str]) -> Decision[str]:
        self._said += 1
        state = Count({self._name: [f"word {number}" for number in range(self._said)]}, is_next=False)
        return Decision(f"{self._name} speaks", thoughts=Thoughts(PlainStrategy(f"speak {self._said}")), state=state)


@pytest.fixture(scope="session")
def conversation(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a world of text: it has no viewer, and its seats act in turn."""
    folder = tmp_path_factory.mktemp("text")
    world, agents = TakeTurns(TURNS), {seat: Speaker(seat) for seat in TakeTurns.seats}
    scenario = ScenarioInfo("text", "talk_0", "talk_0", "Talk", seats=tuple(world.seats))
    replay = ReplayRecorder(None, folder, scenario)
    recorders: list[Recorder] = [TraceRecorder(folder / "trace.jsonl"), replay]
    outcome = asyncio.run(run_episode(world, agents, seed=0, recorders=recorders))
    assert outcome.status == "completed"
    replay.write(result(scenario, ("talker", "listener"), steps=TURNS))
    return folder / PAGE


@pytest.fixture
def page(recording: Recording, window: Page) -> Iterator[Page]:
    """The page; whatever a test does with it, its console stays empty."""
    _, said = requests_and_messages(window)
    yield opened(window, recording.path)
    assert said == []


def test_it_opens_from_a_file_and_asks_for_nothing_else(recording: Recording, window: Page) -> None:
    asked, _ = requests_and_messages(window)
    window.goto(recording.path.as_uri(), wait_until="networkidle")
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [recording.path.as_uri()]


def test_the_slider_shows_every_frame_to_the_pixel(page: Page, recording: Recording) -> None:
    for step in (0, 1, 137, 60, STEPS - 1):
        go_to(page, step)
        assert (pixels(page, "world") == recording.witness.frames[step]).all()
        assert (pixels(page, "view") == recording.witness.views[step]).all()


def test_pixels_are_whole_unless_a_small_screen_would_be_half_empty(page: Page) -> None:
    for width in (1280, 700, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(50)
        factor = page.evaluate("world.getBoundingClientRect().width / world.width")
        assert factor == int(factor) >= 2 or page.evaluate("world.getBoundingClientRect().right") == width - 16


def test_the_agent_is_named_on_the_map_and_says_that_it_waits_to_respawn(page: Page, recording: Recording) -> None:
    poses = {line["step"]: line["state"].get("pose") for line in recording.trace}
    there = next(step for step, pose in poses.items() if pose)
    away = next(step for step, pose in poses.items() if not pose and step > there)
    for step, name, words in ((there, ["agent"], ""), (away, [], "off the map, until it respawns")):
        go_to(page, step)
        assert page.locator("#over .player-name").all_text_contents() == name
        assert page.locator("#away").inner_text() == words


def test_a_phone_shows_every_tab_and_the_whole_name(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for name in ("h1 span", *(f"#tab-{tab}" for tab in TABS)):
        box = page.locator(name).bounding_box()
        assert box
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390, name


def test_a_link_leads_to_its_step(window: Page, recording: Recording) -> None:
    shown = opened(window, recording.path, "#step=217")
    assert step_of(shown) == 217
    go_to(shown, 33)
    shown.wait_for_url("**/*#step=33")
    shown.goto(recording.path.as_uri() + "#step=44")
    expect(shown.locator("#slider")).to_have_value("44")


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


def test_the_line_and_every_mark_of_the_timeline_are_named(page: Page) -> None:
    names = ["reward so far", "interaction", "hypothesis validated", "failure", "respawn"]
    assert page.locator("#legend li").all_inner_texts() == names


def test_a_step_shows_what_its_trace_says(page: Page, recording: Recording) -> None:
    for line in recording.trace[::97]:
        go_to(page, line["step"])
        shown = page.inner_text("#present")
        assert line["strategy"]["words"] in shown
        assert line["state"].get("subgoal", "Calls") in shown
        held = page.locator(".card", has_text="Inventory").first.inner_text()
        assert [int(word) for word in held.split() if word.isdigit()] == line["state"]["inventory"]
        total = sum(before["reward"] for before in recording.trace[: line["step"] + 1])
        assert page.inner_text("#reward") == f"{total:.1f}".replace("-", "−")


def test_the_chart_has_the_recorded_values(page: Page, recording: Recording) -> None:
    page.click("#tab-beliefs")
    points = "[...document.querySelectorAll('.line')].map(l => [l.dataset.words, [...l.querySelectorAll('.point')].map(p => [Number(p.dataset.step), Number(p.dataset.value)])])"  # noqa: E501
    told = dict(page.evaluate(points))
    met = [line["step"] for line in recording.trace if "interactions" in line]
    held: list[dict[str, Any]] = []
    expected: dict[str, list[list[float]]] = {}
    for line in recording.trace:
        held = line.get("hypotheses", held)
        for one in held if line["step"] in met else ():
            expected.setdefault(one["words"], []).append([line["step"], one["value"]])
    assert told == expected
    assert len(expected) >= 2


def test_interactions_are_listed_with_what_was_predicted(page: Page, recording: Recording) -> None:
    page.click("#tab-interactions")
    rows = [row.inner_text().split("\t") for row in page.locator("#interactions tbody tr").all()]
    understood = [(line["step"], one) for line in recording.trace for one in line.get("interactions", [])]
    assert [int(row[0]) for row in rows] == [step for step, _ in understood]
    paid = [float(row[-1].replace("−", "-")) for row in rows]
    assert paid == [round(one["reward"], 2) for _, one in understood]
    judged = [
        right for line in recording.trace for right in line.get("right", [None] * len(line.get("interactions", [])))
    ]
    marks = {True: "✓ right", False: "✗ wrong", None: "–"}
    assert [row[-2] for row in rows] == [marks[right] for right in judged]
    assert {True, False} <= set(judged)


def test_an_interaction_leads_to_the_frame_of_the_meeting(page: Page, recording: Recording) -> None:
    """That is the one after the step that began it; the reward arrives later."""
    began = page.evaluate("replay.seat.steps.filter(({ shown }) => shown.held).map(({ step }) => step)")
    page.click("#tab-interactions")
    rows = page.locator("#interactions tbody tr")
    understood = [line["step"] for line in recording.trace for _ in line.get("interactions", [])]
    assert 3 <= rows.count() == len(understood) <= len(began)
    for number, (step, at) in enumerate(zip(began, understood, strict=False)):
        rows.nth(number).locator("td").last.click()
        assert step_of(page) == step + 1 < at
        assert rows.nth(number).get_attribute("class") == "current"


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
    page.select_option("#questions select", "Plan")
    planned = [1 for line in recording.trace for one in line.get("questions", []) if one["question"] == "Plan"]
    assert page.locator(".questions details:not([hidden])").count() == len(planned)


def test_the_truth_is_shown_only_where_it_is_asked_for(page: Page, recording: Recording) -> None:
    go_to(page, 100)
    (truth,) = recording.witness.truths[100]
    told = page.locator("section.truth")
    assert not told.is_visible()
    page.keyboard.press("t")
    assert told.is_visible()
    assert truth.policy
    assert truth.policy.split("__")[-1] in told.inner_text()
    assert " ".join(map(str, truth.inventory or ())) in told.inner_text()
    page.click("#tab-interactions")
    assert page.locator("#interactions th.truth").is_visible()


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.check("#truth")
    fill = "document.querySelector('.blocks').append(...Array.from({ length: 12 }, () => make('i')))"
    page.evaluate(fill)
    for tab in TABS:
        page.click(f"#tab-{tab}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1200, 1280, 1300, 1920])
def test_table_of_interactions_fits_beside_the_picture(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.click("#tab-interactions")
    for turn in (page.uncheck, page.check):
        turn("#truth")
        assert page.eval_on_selector("#interactions .scroll", "one => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_is_readable(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.check("#truth")
    go_to(page, STEPS - 1)
    for tab in TABS:
        page.click(f"#tab-{tab}")
        check_readable(page)


def test_other_games_and_agents_without_a_mind_are_shown(others: list[Recording], window: Page) -> None:
    for other in others:
        shown = opened(window, other.path)
        go_to(shown, 77)
        assert (pixels(shown, "world") == other.witness.frames[77]).all()
        for tab in TABS:
            shown.click(f"#tab-{tab}")
            assert shown.inner_text(f"#{tab}").strip()


def test_the_map_of_an_arena_names_its_players_and_that_of_two_does_not(
    page: Page, others: list[Recording], window: Page
) -> None:
    assert page.locator("#over .player, .players").count() == 0
    names = [f"player {number}" for number in range(8)]
    shown = opened(window, others[0].path, "#step=10")  # before any interaction is over
    assert shown.locator(".players > span").all_inner_texts() == names
    assert shown.locator("#over .player title").all_text_contents() == names
    shown = opened(window, others[0].path, "#step=77")  # some are off the map
    there = shown.locator("#over .player title").all_text_contents()
    assert 0 < len(there) < 8
    assert there == [name for name in names if name in there]
    assert shown.locator("#over .player-name").all_text_contents() == [name.split()[1] for name in there]


def test_a_models_words_are_only_words(foreign: Path, window: Page) -> None:
    shown = opened(window, foreign)
    assert "onerror" in shown.inner_text("#present")
    assert "onerror" in shown.inner_text("header")
    assert shown.evaluate("window.harmed") is None
    gap_at_the_right = """one => {
      one.textContent = "שלום?";
      const range = document.createRange();
      range.selectNodeContents(one);
      return one.getBoundingClientRect().right - range.getBoundingClientRect().right;
    }"""
    assert shown.locator("#present .words").evaluate(gap_at_the_right) < 1
    shown.set_viewport_size({"width": 360, "height": 800})
    shown.wait_for_function("() => document.documentElement.scrollWidth <= 360")


def test_a_hypothesis_is_marked_as_validated_once_for_each_player(validations: Path, window: Page) -> None:
    shown = opened(window, validations, "#step=1")
    marks = shown.locator("#marks .mark.validation")
    assert [mark.get_attribute("data-step") for mark in marks.all()] == ["0", "1"]
    assert shown.inner_text("#reward") == "0.0"  # and not less
    shown.click("#tab-beliefs")
    lines = shown.locator(".line path")
    starts = [(line.get_attribute("d") or "").count("M") for line in lines.all()]
    assert starts == [2, 1], "a line is broken where its hypothesis was not held"
    shown.click("#tab-interactions")
    assert "reward" not in shown.inner_text("#interactions")
    assert "waits at 2" in shown.inner_text("#interactions")


def test_the_number_of_the_step_is_always_that_of_the_step_shown(validations: Path, window: Page) -> None:
    shown = opened(window, validations, "#step=1")
    for typed, step in (("99", 2), ("", 2), ("1", 1)):
        shown.fill("#number", typed)
        shown.press("#number", "Enter")
        assert (shown.input_value("#number"), step_of(shown)) == (str(step), step)


def show_seat(page: Page, seat: str) -> None:
    page.select_option("#seat", seat)
    page.wait_for_function("name => replay.seat.name === name", arg=seat)


def test_one_seat_needs_no_switch(page: Page) -> None:
    assert page.locator("#seat").count() == 0
    page.click("#tab-questions")
    page.fill("#search", "plan")
    page.focus("#slider")
    page.keyboard.press("s")
    assert page.evaluate("replay.seat.name") == "player_0"
    assert page.input_value("#search") == "plan"


def test_the_switch_shows_each_seats_view_to_the_pixel(self_play: Recording, window: Page) -> None:
    shown = opened(window, self_play.path)
    first, second = self_play.witnesses.values()
    assert any((one != other).any() for one, other in zip(first.views, second.views, strict=True))
    for seat in ("player_0", "player_1", "player_0"):
        show_seat(shown, seat)
        for step in (0, 77, 140, 199):
            go_to(shown, step)
            assert (pixels(shown, "view") == self_play.witnesses[seat].views[step]).all()
            assert (pixels(shown, "world") == first.frames[step]).all()


def test_each_seat_has_its_own_thoughts_questions_and_rewards(self_play: Recording, window: Page) -> None:
    shown = opened(window, self_play.path)
    for seat in ("player_0", "player_1"):
        show_seat(shown, seat)
        trace = self_play.trace_of(seat)
        for step in (60, 199):
            go_to(shown, step)
            held = shown.locator(".card", has_text="Inventory").first.inner_text()
            assert [int(word) for word in held.split() if word.isdigit()] == trace[step]["state"]["inventory"]
            total = list(accumulate(line["reward"] for line in trace))[step]
            assert float(shown.inner_text("#reward").replace("−", "-")) == pytest.approx(total, abs=0.051)
            assert trace[step]["strategy"].get("words", "") in shown.inner_text("#present")
        shown.click("#tab-questions")
        asked = sum(len(line.get("questions", [])) for line in trace)
        assert shown.locator(".questions details").count() == asked
        shown.click("#tab-interactions")
        understood = [one for line in trace for one in line.get("interactions", [])]
        assert shown.locator("#interactions tbody tr").count() == len(understood) > 0
        shown.click("#tab-beliefs")
        assert ("no hypotheses" in shown.inner_text("#beliefs")) == (seat == "player_1")
        shown.click("#tab-present")


def test_the_truth_about_another_seat_is_its_agent_and_inventory(self_play: Recording, window: Page) -> None:
    shown = opened(window, self_play.path, "#step=150")
    shown.check("#truth")
    for seat, agent in (("player_0", "react"), ("player_1", "hypothetical_minds")):
        show_seat(shown, seat)
        (truth,) = self_play.witnesses[seat].truths[150]
        told = shown.inner_text("section.truth")
        assert agent in told
        assert " ".join(map(str, truth.inventory or ())) in told


def test_a_link_and_a_key_lead_to_a_seat(self_play: Recording, window: Page) -> None:
    shown = opened(window, self_play.path, "#step=120&seat=player_1")
    assert (step_of(shown), shown.input_value("#seat")) == (120, "player_1")
    shown.keyboard.press("s")
    shown.wait_for_url("**/*#step=120&seat=player_0")
    assert shown.input_value("#seat") == "player_0"
    shown.keyboard.press("s")
    shown.wait_for_url("**/*#step=120&seat=player_1")
    shown.goto(self_play.path.as_uri() + "#step=7&seat=player_0")
    expect(shown.locator("#seat")).to_have_value("player_0")
    assert step_of(shown) == 7


def test_only_the_latest_seat_asked_for_is_shown(self_play: Recording, window: Page) -> None:
    shown = opened(window, self_play.path)
    _, said = requests_and_messages(shown)
    shown.evaluate("async () => { const asked = replay.look('player_1'); await replay.look('player_0'); await asked; }")
    assert shown.evaluate("replay.seat.name") == shown.input_value("#seat") == "player_0"
    assert (pixels(shown, "view") == self_play.witness.views[0]).all()
    assert said == []


def test_a_world_without_pictures_shows_states(conversation: Path, window: Page) -> None:
    _, said = requests_and_messages(window)
    shown = opened(window, conversation, "#step=4")
    assert not shown.is_visible("#world")
    assert not shown.is_visible("#view")
    assert not shown.is_visible("#truth")
    state = shown.inner_text("#state")
    assert "said so far" in state
    assert "word 0, word 1, word 2" in state
    assert "speak 3" in shown.inner_text("#present")
    assert "anna speaks" in shown.inner_text("#present")
    for tab in TABS:
        shown.click(f"#tab-{tab}")
        assert shown.inner_text(f"#{tab}").strip()
    assert said == []


def test_a_seat_that_does_not_act_shows_its_latest_step(conversation: Path, window: Page) -> None:
    shown = opened(window, conversation, "#step=0&seat=bert")
    assert shown.get_attribute("#slider", "max") == str(TURNS - 1)
    assert "has not acted yet" in shown.inner_text("#present")
    assert shown.evaluate("byId('course').getScreenCTM().a") < 2  # what is widened a lot is blurred
    for step, words in ((1, "speak 1"), (2, "speak 1"), (3, "speak 2")):
        go_to(shown, step)
        assert words in shown.inner_text("#present")
        assert ("at step 1" in shown.inner_text("#present")) == (step == 2)
        assert shown.inner_text("#reward") == f"{(step + 2) // 2:.1f}"
