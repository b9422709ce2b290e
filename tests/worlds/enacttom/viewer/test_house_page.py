"""A replay of a household as a reader meets it: in a real browser, opened from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from hm_agent.core import Agent
from hm_agent.worlds.enacttom.agents import RandomHouseAgent
from hm_agent.worlds.enacttom.house.commands import IDLE, communicate, navigate, open_it, pick, place, tell
from hm_agent.worlds.enacttom.house.probes import ProbeAnswer, ProbeAnswers
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.mechanics import RemoteControl, RoomRestriction
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from tests.recording.browsing import go_to, opened, step_of
from tests.support.browsers import check_readable, requests_and_messages
from tests.support.enacttom.random_tasks import TaskSize, random_task
from tests.support.enacttom.small_house import small_task
from tests.worlds.enacttom.viewer.house_recordings import Replayed, Scripted, replayed

if TYPE_CHECKING:
    from playwright.sync_api import Page

WORDS = "</script><script>window.harmed=1</script><img/src=x/onerror='window.harmed=1'><!--"
OPEN = Proposition("is_open", ("cabinet_1",))
DISCS = """() => [...document.querySelectorAll('#state svg.wide circle title')].map(one => one.textContent)
    .filter(words => words.includes(' is in ')).sort()"""
"""Where the plan says that agents are."""


def small_house() -> HouseholdTask:
    """agent_0 may go anywhere, agent_1 stays in the kitchen; cabinet_1 opens cabinet_2."""
    bindings = (
        RoomRestriction(restricted_rooms=("hall_1",), for_agents=("agent_1",)),
        RemoteControl(trigger_object="cabinet_1", target_object="cabinet_2", target_state="open"),
    )
    return small_task(["(is_open cabinet_2)", "(K agent_1 (is_open cabinet_1))", "(is_on_top cup_1 table_1)"], bindings)


def scripts() -> Mapping[str, Agent[Any, Any]]:
    """agent_0 carries cup_1 to the kitchen and goes away; what it remembers of it is then no longer so."""
    carrying = [
        open_it("cabinet_1"),
        tell([Claim((), OPEN)], ["agent_1"]),
        pick("cup_1"),
        navigate("kitchen_1"),
        place("cup_1", "on", "counter_2"),
        navigate("hall_1"),
    ]
    taking = [navigate("hall_1"), IDLE, IDLE, IDLE, IDLE, IDLE, pick("cup_1")]
    said = ProbeAnswers({"k_probe_1": ProbeAnswer.NO, "k_probe_2": ProbeAnswer.NO})
    return {"agent_0": Scripted(carrying), "agent_1": Scripted(taking, said)}


FIRED, TOLD, TAKEN = 0, 1, 6
"""The steps at which the handle fires, the message is sent, and the cup is taken from where agent_0 left it."""


def hostile_house() -> HouseholdTask:
    """A house in which every text is made to be run, and a thing is called as what every object of a page has."""
    file = small_house().file
    odd = "; <img/src=x/onerror='window.harmed=1'>"
    problem = f"{odd}\n{file.problem_pddl.replace('cup_1', 'constructor')}\n{odd}"
    changes = {"task": WORDS, "title": WORDS, "agent_secrets": {"agent_0": (WORDS,)}, "problem_pddl": problem}
    return check_task(file.model_copy(update=changes))


@pytest.fixture(scope="module")
def pages(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Replayed]:
    large = random_task(4, TaskSize(agents=4, rooms=8, furniture=30, objects=14))
    certified = load_task(task_files()["enacttom_far_handle"])
    hostile = communicate(WORDS, ["agent_1"])
    cast: Mapping[str, tuple[HouseholdTask, Mapping[str, Agent[Any, Any]]]] = {
        "small": (small_house(), scripts()),
        "large": (large, {agent: RandomHouseAgent(seed) for seed, agent in enumerate(large.agents)}),
        "certified": (certified, {"agent_0": Scripted([]), "agent_1": Scripted([pick("lamp_3"), pick("lamp_3")])}),
        "hostile": (hostile_house(), {"agent_0": Scripted([hostile]), "agent_1": Scripted([])}),
    }
    return {kind: replayed(tmp_path_factory.mktemp(kind), *who) for kind, who in cast.items()}


@pytest.fixture
def page(pages: Mapping[str, Replayed], window: Page) -> Page:
    return opened(window, pages["small"].path)


@pytest.mark.parametrize("kind", ["small", "large"])
def test_agents_stand_where_the_turn_has_led_them(kind: str, pages: Mapping[str, Replayed], window: Page) -> None:
    page = opened(window, pages[kind].path)
    log = pages[kind].log
    for step in range(0, len(log.steps), 3):
        go_to(page, step)
        places = [one.words for one in log.scene(step).after if one.predicate == "agent_in_room"]
        assert page.evaluate(DISCS) == sorted(places)


def test_a_handle_that_fires_is_told_and_marked(page: Page) -> None:
    go_to(page, FIRED)
    expect(page.locator("#present")).to_contain_text("agent_0 opened cabinet_1; this opened cabinet_2")
    assert page.locator("#state svg.wide polygon[style*='--glow']").count() == 1
    go_to(page, FIRED + 1)
    assert page.locator("#state svg.wide polygon[style*='--glow']").count() == 0
    assert page.locator("#legend").inner_text().count("a handle did more") == 1


def test_a_failed_action_says_why(page: Page) -> None:
    go_to(page, FIRED)
    expect(page.locator(".acts")).to_contain_text("You cannot enter hall_1.")
    expect(page.locator(".acts .not-done")).to_have_count(1)


def test_no_two_marks_of_the_timeline_look_the_same(page: Page) -> None:
    looks = page.evaluate("viewer.marks(MARKS).map(({shape, colour}) => `${shape} ${colour}`)")
    assert len(set(looks)) == len(looks)


def test_answers_to_probes_are_told_in_one_line(page: Page) -> None:
    assert page.evaluate("viewer.action({k_probe_1: 'yes', k_probe_2: null})") == "k_probe_1: yes, k_probe_2: silence"


def test_a_message_shows_whom_it_reaches_and_what_it_teaches(page: Page) -> None:
    go_to(page, TOLD)
    said = page.locator("#present .said-by")
    expect(said).to_have_count(1)
    expect(said).to_contain_text("agent_1 comes to know that cabinet_1 is open")
    assert page.locator("#state svg.wide polygon[style*='--series-0']").count() == 1
    page.goto(page.url.partition("#")[0] + f"#step={TOLD + 1}&seat=agent_1")
    page.wait_for_selector("#main:not([hidden])")
    expect(page.locator("#present")).to_contain_text("What agent_1 had read before it acted")


def test_goals_are_ticked_as_they_come_true_and_lead_to_the_step(page: Page, pages: Mapping[str, Replayed]) -> None:
    last = len(pages["small"].log.steps) - 1
    go_to(page, last)
    goals = page.locator(".card .goals li")
    expect(goals).to_have_count(3)
    assert ["met" in (one.get_attribute("class") or "") for one in goals.all()] == [True, True, False]
    expect(goals.nth(1)).to_contain_text(f"agent_1 knows that cabinet_1 is openK depth 1 · since step {TOLD}")
    expect(goals.nth(2)).to_contain_text("no longer since step 2")
    goals.nth(1).locator("button").click()
    assert step_of(page) == TOLD
    go_to(page, FIRED)
    assert ["met" in (one.get_attribute("class") or "") for one in goals.all()] == [True, False, True]


def test_what_is_remembered_and_no_longer_so_is_marked_only_where_the_truth_is_asked_for(page: Page) -> None:
    go_to(page, TAKEN)
    wrong = page.locator(".mistakes li", has_text="cup_1")
    strokes = page.locator("#present svg.wide g.truth rect").first
    assert not wrong.is_visible()
    assert not strokes.is_visible()
    page.check("#truth")
    expect(wrong).to_have_text("cup_1 is on top of counter_2: agent_1 holds cup_1")
    assert strokes.is_visible()
    go_to(page, TAKEN - 1)
    expect(page.locator(".mistakes li")).to_have_count(0)


def test_secrets_of_others_are_shown_only_with_the_truth(pages: Mapping[str, Replayed], window: Page) -> None:
    page = opened(window, pages["certified"].path)
    expect(page.locator("#present")).to_contain_text("Opening cabinet_1 opens chest_2.")
    other = page.get_by_text("The handle of chest_2 is reversed: Open closes it.")
    assert not other.is_visible()
    page.check("#truth")
    assert other.is_visible()


def test_probes_are_shown_with_their_answers_at_the_end(page: Page, pages: Mapping[str, Replayed]) -> None:
    last = len(pages["small"].log.steps) - 1
    scene = pages["small"].log.scene(last)
    foil, probe = scene.probes
    assert {result.is_so for result in scene.thoughts} == {True, False}
    assert (foil.is_right, foil.is_foil) == (True, True)
    assert (probe.is_right, probe.is_foil) == (False, False)
    for seat in ("agent_0", "agent_1"):
        page.select_option("#seat", seat)
        go_to(page, last)
        expect(page.locator(".probes li")).to_have_count(2 + len(scene.thoughts))
        expect(page.locator(".probes")).to_contain_text("agent_1 is asked: Is it so that cabinet_1 is open? no.")
        expect(page.locator("#present")).to_contain_text(f"1 of {2 + len(scene.thoughts)} answered rightly")
    go_to(page, last - 1)
    expect(page.locator(".probes")).to_have_count(0)


def test_the_certified_plan_stands_beside_what_was_done(pages: Mapping[str, Replayed], window: Page) -> None:
    page = opened(window, pages["certified"].path)
    certificate = load_task(task_files()["enacttom_far_handle"]).file.certificate
    assert certificate
    planned = page.locator(".certified .planned")
    expect(planned).to_have_count(sum(map(len, certificate.plan)))
    expect(page.locator(".certified .as-planned")).to_have_count(1)
    row = page.locator(".certified tbody tr").nth(1)
    expect(row).to_contain_text("Pick[lamp_3] ✗plan: Close[chest_2]")
    row.locator("button").click()
    assert step_of(page) == 1
    expect(row).to_have_class("current")


@pytest.mark.parametrize("kind", ["small", "large", "hostile"])
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_page_fits_its_screen_and_can_be_read(
    kind: str, width: int, scheme: Any, pages: Mapping[str, Replayed], window: Page
) -> None:
    page = window
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    asked, said = requests_and_messages(page)
    page.goto(pages[kind].path.as_uri() + f"#step={len(pages[kind].log.steps) - 1}")
    page.wait_for_selector("#main:not([hidden])")
    page.check("#truth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    plan = page.locator(f"#state svg.{'narrow' if width < 500 else 'wide'}")
    sizes = plan.locator("text").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert min(sizes) >= 10, "names on the plan are too small to be read"
    check_readable(page)
    assert said == []
    assert len(asked) == 1


def test_what_a_task_and_a_model_say_is_shown_and_never_run(pages: Mapping[str, Replayed], window: Page) -> None:
    page = opened(window, pages["hostile"].path, "#step=0")
    expect(page.locator("#present .said-by .text")).to_have_text(f"“{WORDS}”")
    expect(page.locator("#present")).to_contain_text(WORDS)
    assert page.evaluate("window.harmed") is None
    assert page.locator("img, script[src]").count() == 0
