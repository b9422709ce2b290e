"""What the replay tells of an agent's reasons, questions and costs, on steps made up for it, in a real browser."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect
from pydantic import BaseModel

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.core import Decision, Event, Hypothesis, Observation, Step, Thoughts, Turn
from hm_agent.questions import Exchange, ModelCall, Question, Usage
from hm_agent.recording.replay.recorder import PAGE, ReplayRecorder
from hm_agent.recording.trace import TraceRecorder
from hm_agent.theory_of_mind.decision_questions import (
    PLANNING,
    CallsAnswer,
    ChooseStrategy,
    Critique,
    Plan,
    ReviewPlan,
    StrategyAnswer,
)
from hm_agent.theory_of_mind.mind_questions import Predict, Prediction, Propose
from hm_agent.worlds.melting_pot.body import SubstrateAgentState
from hm_agent.worlds.melting_pot.games import KINDS
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.grid import NOWHERE
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.calls import Aim, Call, FireAt, MoveTo
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.scene import Scene
from hm_agent.worlds.melting_pot.viewer.viewer import MeltingPotViewer
from tests.recording.browsing import go_to, opened, step_of
from tests.recording.recordings import result
from tests.strategists import against, among, lead
from tests.support.browsers import requests_and_messages

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCENARIO = "rws_arena_1"
STEPS = 120
PATIENCE = 30_000
"""Milliseconds to wait for what the page is to show: machines that run other things as well are slow."""
HARM = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'><!--"
REASON = "a thing was picked up unplanned"
PLAN: tuple[Call, ...] = (MoveTo((3, 1)), MoveTo((5, 1)), FireAt((9, 9)))
SHOT = FireAt((4, 4), Aim(("player_3",)))
PREDICTED = Hypothesis("it copies", 0.3, "paper")
COUNTER = Prediction(
    reasoning="It\ncopies.",
    player="opponent",
    next=[lead("paper")],
    strategy=against("paper", {"rock": 1, "scissors": 6}),
)
SAID = (
    '{"reasoning": "It\\ncopies.", "player": "opponent", "strategy": {"hold": {"scissors": 6, "rock": 1}, '
    '"expects": {"count": 6, "kind": "paper"}}, "next": [{"count": 6, "kind": "paper"}]}'
)
"""The same answer as a model writes it: in another order, and without what is false."""


def call(
    *replies: str, tokens: tuple[int, int] | None = (100, 10), problem: str | None = None, **more: Any
) -> ModelCall:
    given, made = tokens or (None, None)
    return ModelCall("the prompt", replies, problem, given, made, None if tokens is None else 0.001, **more)


def asked(kind: type[Question[Any]], answer: BaseModel | None, *calls: ModelCall) -> Exchange:
    """A question of which only the kind is known."""
    question = object.__new__(kind)
    for name in kind.__dataclass_fields__:  # type: ignore[attr-defined]
        object.__setattr__(question, name, None)
    return Exchange(question, answer, 0.5, calls)


MET = InteractionEvent(20, "player_3", (1, 6, 1), 2.5, (0, 0, 0))
EXCHANGES = {
    0: [asked(ChooseStrategy, StrategyAnswer(strategy=among({"rock": 6}, watch=True)), call("{}"))],
    10: [asked(Plan, CallsAnswer(calls=[str(call) for call in PLAN]), call("nothing", tokens=None))],
    20: [
        asked(Predict, COUNTER, call(SAID, cached=True)),
        asked(Predict, COUNTER, call(f"```json\n{SAID}\n```")),
        asked(Predict, COUNTER, call("What?", problem="no answer found"), call(f"So: {SAID} {HARM}")),
        asked(Propose, None, call("none", problem="no answer found")),
        asked(ReviewPlan, Critique(critique="too slow"), call('{"critique": "too slow"}')),
    ],
    **{step: [asked(Plan, CallsAnswer(calls=["fire_at((9, 9))"]), call("{}"))] for step in range(40, STEPS, 2)},
}


def decision(step: int) -> Decision[int]:
    nothing = TextualMap(None, present=True, mark=None, detections=(), in_view=NOWHERE, unknown_patches=0)
    state = SubstrateAgentState(
        pose=None,
        inventory=(1, 6, 1),
        other_inventory=None,
        subgoal=str(PLAN[2]),
        view=nothing,
        kinds=(),
        things={},
        players={},
        plan=PLAN,
        current=2,
        shot=SHOT if 30 <= step < 40 else None,
        over_because="an interaction is over" if 36 <= step < 40 else None,
        route=(),
        failed=None,
        asked_because={10: REASON, 20: f"an interaction is over {HARM}"}.get(step, "the plan is used up")
        if step in EXCHANGES and step
        else None,
        skipped=PLAN[1:2] if 12 <= step < 20 else (),
    )
    strategy = MatrixStrategy("", seek=() if step < 20 else None, covert=step >= 20, target=(6, 1, 1))
    met = MatrixInteraction(20, "player_3", (1, 6, 1), 2.5, (1, 1, 9), "scissors", "paper", (0, 0, 0))
    thoughts = Thoughts(strategy)
    if step == 20:
        thoughts = Thoughts(strategy, interactions=(met, met), relied_on=(PREDICTED, None), right=(True, None))
    events: tuple[Event, ...] = (MET,) if step == 20 else ()
    return Decision(0, events, thoughts, EXCHANGES.get(step, ()), state)


@pytest.fixture(scope="module")
def made_up(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made_up")
    (info,), scenario = find_scenarios([SCENARIO]), scenario_named(SCENARIO)
    recorders = TraceRecorder(folder / "trace.jsonl"), ReplayRecorder(MeltingPotViewer(scenario), folder, info)
    frame = np.zeros((8, 8, 3), np.uint8)
    seen = {"WORLD.RGB": frame, "INVENTORY": np.array((3, 1, 1), float)}
    for number in range(STEPS):
        turn, paid = Turn(number, {"player_0": Observation(number, {"RGB": frame})}), {"player_0": 0.0}
        scene = Scene(scenario.seats, [seen] * 8, (), [("a_bot", "rock", None)] * 7)
        for recorder in recorders:
            recorder.record(Step(turn, {"player_0": decision(number)}, paid, paid, scene))
    recorders[0].close()
    recorders[1].write(result(info, steps=STEPS))
    return folder / PAGE


@pytest.fixture
def page(made_up: Path, window: Page) -> Iterator[Page]:
    """The page; whatever a test does with it, its console stays empty and nothing that was said is run."""
    shown = opened(window, made_up, "#step=20")
    shown.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    _, said = requests_and_messages(shown)
    yield shown
    assert shown.evaluate("window.harmed") is None
    assert said == []


def questions_of(page: Page, step: int) -> list[str]:
    """The questions of a step as the list shows them, closed."""
    items = page.locator(".questions > details", has_text=f"step {step} ·")
    return [item.inner_text() for item in items.all()]


def open_question(page: Page, step: int, place: int) -> Any:
    """Opens one of a step's questions; what it says is filled in at once."""
    item = page.locator(".questions > details", has_text=f"step {step} ·").nth(place)
    item.locator(":scope > summary").click()
    expect(item.locator(".said")).to_be_visible()
    return item


def test_a_plan_is_shown_with_the_reason_it_was_asked_for(page: Page) -> None:
    for step, planned, reason in ((10, 10, REASON), (15, 10, REASON), (20, 20, HARM), (41, 40, "the plan is used up")):
        go_to(page, step)
        told = page.locator("#present section:has(h2:text-is('Calls'))").inner_text()
        assert f"planned at step {planned} because" in told
        assert reason in told
    go_to(page, 5)
    assert "planned at" not in page.inner_text("#present")


def test_a_call_whose_thing_is_gone_is_struck_through_until_the_next_plan(page: Page) -> None:
    for step, gone in ((11, []), (15, [f"{PLAN[1]}"]), (20, [])):
        go_to(page, step)
        assert page.locator(".plan s").all_inner_texts() == gone
    go_to(page, 15)
    notes = [item.locator("small").inner_text() for item in page.locator(".plan li").all()]
    assert notes == ["over", "gone", "now"]


def test_a_shot_on_sight_stands_after_the_calls_that_it_replaced(page: Page) -> None:
    go_to(page, 30)
    calls = [item.locator("code").inner_text() for item in page.locator(".plan li").all()]
    notes = [item.locator("small").inner_text() for item in page.locator(".plan li").all()]
    assert calls == [*map(str, PLAN), str(SHOT)]
    assert notes == ["over", "over", "left", "now, on sight"]


def test_a_plan_that_is_over_has_no_present_call_and_says_why(page: Page) -> None:
    go_to(page, 36)
    notes = [item.locator("small").inner_text() for item in page.locator(".plan li").all()]
    assert notes == ["over", "over", "left", "over"]
    assert page.locator(".plan [aria-current]").count() == 0
    told = page.locator("#present section:has(h2:text-is('Calls'))").inner_text()
    assert "over, because an interaction is over; the next plan is made once the agent can act" in told
    go_to(page, 35)
    assert "over, because" not in page.inner_text("#present")


def test_every_question_says_why_it_was_asked(page: Page) -> None:
    page.click("#tab-questions")
    after = "after interaction with player 3, holding rock 1, paper 6, scissors 1, reward +2.50"
    assert "because the episode begins" in questions_of(page, 0)[0]
    assert f"because {REASON}" in questions_of(page, 10)[0]
    *minds, plan = questions_of(page, 20)
    assert all(after in mind for mind in minds)
    assert "because an interaction is over" in plan
    assert "interaction with" not in plan
    page.click("#tab-present")
    happened = page.locator("#present section", has_text="What happens").inner_text()
    assert happened.count(after.removeprefix("after ")) == 2  # the event, and once for all that was asked about it
    assert "because an interaction is over" in happened


def test_the_kinds_of_planning_questions_are_all_known() -> None:
    asked = [question for kind in KINDS.values() for question in kind.planning_questions()]
    assert set(PLANNING) < set(asked)
    planning = [question for question in asked if question not in PLANNING]
    modules = {question.__module__ for question in planning}
    declared = {
        name
        for module in modules
        for name, kind in vars(sys.modules[module]).items()
        if isinstance(kind, type) and issubclass(kind, Question) and kind.__module__ == module
    }
    assert declared == {question.__name__ for question in planning}


def top_of_list(page: Page) -> str:
    """The first question that the list has in sight."""
    at_top = "[...list.children].find(item => item.offsetTop >= list.scrollTop - 1 && !item.hidden).innerText"
    return str(page.evaluate(f"(() => {{ const list = document.querySelector('.questions'); return {at_top}; }})()"))


def test_questions_open_at_the_present_step_or_the_latest_before_it(page: Page) -> None:
    go_to(page, 81)
    page.click("#tab-questions")
    assert "step 80 ·" in top_of_list(page)
    assert "latest asked at step 80" in page.inner_text("#questions .status")
    assert page.locator(".questions .current").count() == 1
    go_to(page, 20)
    assert page.locator(".questions .current").count() == 5
    assert "5 asked at this step" in page.inner_text("#questions .status")


def test_questions_follow_while_it_plays(page: Page) -> None:
    page.click("#tab-questions")
    page.select_option("#speed", "60")
    page.click("#play")
    expect(page.locator("#number")).to_have_value(re.compile(r"^([5-9]\d|1\d\d)$"))
    page.click("#play")
    latest = step_of(page) // 2 * 2
    expect(page.locator(".questions .current")).to_contain_text(f"step {latest} ·")
    expect(page.locator(".questions .current")).to_be_in_viewport()


def test_questions_stay_where_the_reader_scrolls_until_they_are_to_follow_again(page: Page) -> None:
    page.click("#tab-questions")
    page.hover(".questions")
    page.mouse.wheel(0, 400)
    expect(page.locator("#follow")).not_to_be_checked()
    before = page.evaluate("document.querySelector('.questions').scrollTop")
    go_to(page, 90)
    assert page.evaluate("document.querySelector('.questions').scrollTop") == before
    page.check("#follow")
    assert "step 90 ·" in top_of_list(page)
    go_to(page, 60)
    assert "step 60 ·" in top_of_list(page)


def test_an_opened_question_stays_in_sight_while_the_step_changes(page: Page) -> None:
    page.click("#tab-questions")
    item = open_question(page, 20, 0)
    expect(page.locator("#follow")).not_to_be_checked()
    go_to(page, 100)
    expect(item.locator(":scope > summary")).to_be_in_viewport()


def test_a_link_from_the_step_leads_to_its_question(page: Page) -> None:
    page.click("#present [data-question] >> nth=3")
    expect(page.locator(".questions details[open] > summary")).to_be_in_viewport()
    assert "Propose" in page.inner_text(".questions details[open] > summary")


@pytest.mark.parametrize("place", [0, 1], ids=["bare", "in a code fence"])
def test_a_reply_that_is_the_answer_is_shown_once(page: Page, place: int) -> None:
    page.click("#tab-questions")
    item = open_question(page, 20, place)
    assert page.locator("pre:visible", has_text="copies").count() == 0
    answer = item.locator(".answer").inner_text()
    assert "It\ncopies." in answer
    assert "kind\npaper\ncount\n6" in answer
    assert "rock 1, scissors 6" in answer
    assert "no" in answer.split()
    item.locator(".raw summary").click()
    assert SAID in item.locator(".raw").inner_text()


def test_a_reply_that_says_more_or_was_refused_is_shown_as_it_was_written(page: Page) -> None:
    page.click("#tab-questions")
    said = open_question(page, 20, 2).locator(".said").inner_text()
    assert "Reply, refused\nWhat?" in said
    assert "Could not be used: no answer found" in said
    assert f"Reply, as written\nSo: {SAID} {HARM}" in said
    assert page.locator(".raw").count() == 0


def test_search_opens_a_raw_reply_in_which_it_finds_the_words(page: Page) -> None:
    page.click("#tab-questions")
    page.fill("#search", '"hold": {')
    item = page.locator(".questions > details:not([hidden])").nth(1)
    item.locator(":scope > summary").click()
    expect(item.locator(".raw mark").first).to_be_visible()


def test_watching_and_collecting_unseen_are_said_in_words(page: Page) -> None:
    watches = "meets nobody until it has seen what others take"
    unseen = "waits before each thing until no other player looks"
    for step, told, untold in ((10, watches, unseen), (20, unseen, watches)):
        go_to(page, step)
        strategy = page.locator("#present section", has_text="Strategy").first.inner_text()
        assert told in strategy
        assert untold not in strategy
    page.click("#tab-questions")
    digest = questions_of(page, 0)[0]
    assert "watches" in digest
    assert "true" not in digest
    assert f"watches: {watches}" in open_question(page, 0, 0).locator(".answer").inner_text()


def test_inventories_name_their_kinds(page: Page) -> None:
    page.click("#tab-interactions")
    assert page.inner_text(".holdings").split() == ["rock", "paper", "scissors"]
    cells = page.locator("#interactions tbody tr").first.locator(".held")
    assert cells.nth(0).get_attribute("title") == "rock 1, paper 6, scissors 1"
    assert cells.nth(1).get_attribute("title") == "rock 1, paper 1, scissors 9"
    colours = "place => [...document.querySelectorAll(place)].map(one => getComputedStyle(one).backgroundColor)"
    named, used = page.evaluate(colours, ".holdings .swatch"), page.evaluate(colours, "tbody tr .held .swatch")
    assert len(set(named)) == 3
    assert used[:3] == used[3:6] == named


def test_the_prediction_that_was_relied_on_is_shown(page: Page) -> None:
    page.click("#tab-interactions")
    known, unknown = (row.inner_text().split("\t") for row in page.locator("#interactions tbody tr").all())
    assert known[-3:] == ["paper", "✓ right", "+2.50"]
    assert unknown[-3:] == ["–", "–", "+2.50"]
    assert page.locator("#interactions td[title='it copies']").inner_text() == "paper"


def table(page: Page, place: int) -> dict[str, list[str]]:
    """The rows of one of the tables of costs, by kind."""
    rows = page.locator("table.costs").nth(place).locator("tbody tr, tfoot tr").all()
    return {name.strip(): cells for name, *cells in (row.inner_text().split("\t") for row in rows)}


def amounts(last: int) -> list[str]:
    """What all kinds took up to a step, as a table shows it; one call's tokens and cost are unknown."""
    exchanges = [one for step, many in EXCHANGES.items() if step <= last for one in many]
    calls = [call for one in exchanges for call in one.calls]
    used = sum(map(Usage.of, (call for call in calls if call.cost is not None)), Usage())
    unanswered = sum(one.answer is None for one in exchanges)
    counts = [str(count) for count in (len(exchanges), unanswered, len(calls), used.cached)]
    tokens = [f"≥ {used.input_tokens:,}", f"≥ {used.output_tokens:,}"]
    return [f"≥ ${used.paid:.4f}", f"${used.cached_cost:.4f}", *counts, *tokens]


def test_costs_are_told_by_kind_until_the_step_and_of_the_episode(page: Page) -> None:
    page.click("#tab-costs")
    go_to(page, 20)
    until, whole = table(page, 0), table(page, 1)
    assert page.inner_text("#until") == "Until step 20"
    assert until.keys() == whole.keys()
    assert until["Predict"] == ["$0.0030", "$0.0010", "3", "0", "4", "1", "400", "40"]
    assert until["Propose"] == ["$0.0010", "$0.00", "1", "1", "1", "0", "100", "10"]
    assert until["Plan"] == ["–", "$0.00", "1", "0", "1", "0", "–", "–"]
    assert until["all kinds"] == amounts(20)
    assert whole["all kinds"] == amounts(STEPS)
    go_to(page, 5)
    assert table(page, 0)["all kinds"] == ["$0.0010", "$0.00", "1", "0", "1", "0", "100", "10"]
    assert page.locator(".totals").first.inner_text() == (
        "1 call · tokens in 100, out 10 · paid now $0.0010, saved by the cache $0.00"
    )
    whole_line = (
        "48 calls, 1 from the cache · tokens in ≥ 4,700, out ≥ 470 · paid now ≥ $0.0460, saved by the cache $0.0010"
    )
    assert page.locator(".totals").nth(1).inner_text() == whole_line
    assert page.inner_text("#asked") == "1 of 47 questions asked · 110 of ≥ 5.17K tokens · $0.0010 of ≥ $0.0460 paid"
    parts = page.evaluate("inParts('ChooseStrategy').map(part => part.textContent ?? part)")
    assert parts == ["Choose", "", "Strategy"], "a long name breaks before a capital"
    page.evaluate("byId('tab-questions').click()")
    assert page.evaluate("share(weightIn({ calls: 2, cost: 0.5 })({ input: 9, cost: 0 }), 0.5).title") == "0%"


def test_money_is_in_sight_beside_the_kind(page: Page) -> None:
    page.click("#tab-costs")
    for width, seen in ((1280, 9), (390, 3)):
        page.set_viewport_size({"width": width, "height": 800})
        cells = page.locator("table.costs").first.locator("tfoot tr > *")
        rights = cells.evaluate_all("all => all.map(cell => cell.getBoundingClientRect().right)")
        assert sum(right <= width for right in rights) >= seen
    page.locator("#costs .scroll").first.evaluate("one => { one.scrollLeft = 999; }")
    assert page.locator("table.costs tbody th").first.evaluate("cell => cell.getBoundingClientRect().x") >= 0


def test_nothing_moves_while_it_plays(page: Page) -> None:
    """The list of questions and the tables of costs keep their places, whatever the step."""
    for tab, place in (("questions", ".questions"), ("costs", "table.costs >> nth=1")):
        page.click(f"#tab-{tab}")
        boxes = []
        for step in (0, 5, 10, 20, 21, 90):
            go_to(page, step)
            boxes.append(json.dumps(page.locator(place).bounding_box()))
        assert len(set(boxes)) == 1


def test_what_is_found_is_marked_where_it_stands(page: Page) -> None:
    """Also behind a letter that is two letters long in lower case."""
    page.click("#tab-questions")
    page.fill("#search", "PROMPT")
    item = page.locator(".questions > details:not([hidden])").first
    item.locator(":scope > summary").click()
    expect(item.locator("mark").first).to_have_text("prompt")
    found = page.evaluate("filled(document.createElement('p'), {}, highlighted('İİ (prompt', '(PROMPT')).innerHTML")
    assert found == "İİ <mark>(prompt</mark>"


def test_the_place_of_the_list_is_no_news(page: Page) -> None:
    """What a screen reader is told of is how many questions were found, and nothing at each step."""
    page.click("#tab-questions")
    told = page.locator("#questions [role=status]")
    before = told.inner_text()
    go_to(page, 90)
    assert told.inner_text() == before == f"{sum(map(len, EXCHANGES.values()))} of 47 questions"
