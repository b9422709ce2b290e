"""The page that browses household tasks, as its reader meets it in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from hm_agent.command_line.cli import main
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.certificate import Certificate
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_checks import check_task
from hm_agent.worlds.enacttom.tasks.task_files import load_task, save_task
from hm_agent.worlds.enacttom.verification.verifier import TaskProof, certified, verify
from hm_agent.worlds.enacttom.viewer.task_pages import listed_task, mechanic_words, task_details
from tests.support.browsers import check_screens, requests_and_messages
from tests.support.enacttom.random_tasks import TaskSize, random_task
from tests.worlds.enacttom.viewer.test_house_page import WORDS, hostile_house

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CERTIFIED = "enacttom_far_handle"


@pytest.fixture(scope="module")
def tasks() -> list[HouseholdTask]:
    drawn = [random_task(seed, TaskSize(agents=4, rooms=8, furniture=30, objects=14)) for seed in range(4)]
    return [load_task(task_files()[CERTIFIED]), load_task(task_files()["enacttom_one_window"]), hostile_house(), *drawn]


@pytest.fixture(scope="module")
def written(chromium: str, tasks: list[HouseholdTask], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    for task in tasks:
        save_task(task.file, folder)
    page = folder / "page.html"
    assert main(["hm-agent", "browse", "enacttom", str(folder), f"--page={page}"]) == 0
    return page


@pytest.fixture
def page(written: Path, browser: Browser) -> Iterator[Page]:
    """The page; whatever a test does with it, its console stays empty, and it asks for nothing else."""
    shown = browser.new_page()
    asked, said = requests_and_messages(shown)
    shown.goto(written.as_uri())
    shown.wait_for_selector("#main:not([hidden])")
    yield shown
    shown.close()
    assert said == []
    assert {url.partition("#")[0] for url in asked} == {written.as_uri()}


def found(page: Page) -> Locator:
    return page.locator("#found li")


def test_filters_leave_the_tasks_that_fit_and_the_address_keeps_them(page: Page, tasks: list[HouseholdTask]) -> None:
    expect(found(page)).to_have_count(len(tasks))
    expect(page.locator("#count")).to_have_text(f"{len(tasks)} of {len(tasks)} tasks.")
    for label, value, fits in (
        ("category", "mixed", lambda task: task.file.category == "mixed"),
        ("K depth", "3", lambda task: task.k_depth == 3),
        ("agents", "2", lambda task: len(task.agents) == 2),
        ("mechanic", "inverse_state", lambda task: "inverse_state" in listed_task(task)["mechanics"]),
    ):
        chosen = page.locator("label", has_text=label).locator("select")
        chosen.select_option(value)
        expect(found(page)).to_have_count(sum(map(fits, tasks)))
        assert 0 < found(page).count() < len(tasks)
        page.reload()
        expect(chosen).to_have_value(value)
        expect(found(page)).to_have_count(sum(map(fits, tasks)))
        chosen.select_option("")
    page.fill("#search", "handle in another room")
    expect(found(page)).to_have_count(1)


def test_a_task_shows_its_plan_as_turns_by_agents_and_all_its_proofs(page: Page, tasks: list[HouseholdTask]) -> None:
    page.locator("#found a", has_text="A handle in another room").click()
    certificate = tasks[0].file.certificate
    assert isinstance(certificate, Certificate)
    rows = page.locator(".certified tbody tr")
    expect(rows).to_have_count(len(certificate.plan))
    for number, turn in enumerate(certificate.plan):
        cells = rows.nth(number).locator("td").all_inner_texts()
        assert cells == [turn.get(agent, "–") for agent in tasks[0].agents]
    statuses = page.locator(".proofs td:nth-child(2)").all_inner_texts()
    wanted = ["solved", "solved", *["unsolvable"] * 5, "solved"]
    assert statuses == [f"✓ {status}" for status in wanted]
    page.go_back()
    expect(found(page)).to_have_count(len(tasks))


def test_a_task_shows_goal_secrets_mechanics_and_pddl(page: Page, tasks: list[HouseholdTask]) -> None:
    task = tasks[1]
    page.goto(page.url.partition("#")[0] + f"#task={task.name}")
    one = page.locator("#one")
    expect(one).to_contain_text("private goal of")
    for goal in (*task.goal, *(claim for claims in task.private_goals.values() for claim in claims)):
        expect(one.locator(".goals")).to_contain_text(goal.words)
    for secret in (secret for secrets in task.file.agent_secrets.values() for secret in secrets):
        expect(one).to_contain_text(secret)
    for words in (words for binding in task.mechanics.bindings for words in mechanic_words(binding)):
        expect(one).to_contain_text(words)
    pddl = one.locator(".pddl pre")
    assert not pddl.is_visible()
    one.locator(".pddl summary").click()
    assert pddl.text_content() == task.file.problem_pddl


def test_the_relay_depth_stands_beside_what_the_plan_takes() -> None:
    task = load_task(task_files()[CERTIFIED])
    shown = task_details(check_task(certified(task.file, verify(task))))["certificate"]["proofs"][0]
    assert shown["note"].endswith(", relay depth: 1")


def test_what_is_paid_needs_a_message_where_the_relay_depth_says_so() -> None:
    task = load_task(task_files()[CERTIFIED])
    assert TaskProof(task).status("physical silent") == "unsolvable"
    about = "physical goal alone, if nobody sends a message"

    def proofs(relay_depth: int) -> list[dict[str, Any]]:
        certificate = verify(task).certificate.model_copy(update={"relay_depth": relay_depth})
        shown = task_details(check_task(task.file.model_copy(update={"certificate": certificate})))
        return [proof for proof in shown["certificate"]["proofs"] if proof["about"] == about]

    note = "follows from the relay depth"
    assert proofs(1) == [{"about": about, "status": "unsolvable", "wanted": "unsolvable", "note": note}]
    assert proofs(0) == []


def test_a_certificate_for_another_state_of_the_file_is_told(browser: Browser, tmp_path: Path) -> None:
    file = load_task(task_files()[CERTIFIED]).file
    save_task(file.model_copy(update={"title": "Another title"}), tmp_path)
    assert main(["hm-agent", "browse", "enacttom", str(tmp_path), f"--page={tmp_path / 'page.html'}"]) == 0
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.locator("#found a").click()
    expect(page.locator("#one")).to_contain_text("They were made for another state of the file.")
    page.close()


@pytest.mark.parametrize("fragment", ["", "#task=far_handle", "#task=random_0", "#task=small_house"])
def test_nothing_is_wider_than_the_screen_and_all_text_is_readable(page: Page, fragment: str) -> None:
    page.goto(page.url.partition("#")[0] + fragment)
    check_screens(page, [("light", 390), ("dark", 1280)])


def test_what_a_task_says_is_shown_and_never_run(page: Page) -> None:
    page.goto(page.url.partition("#")[0] + "#task=small_house")
    expect(page.locator(".one-title")).to_have_text(WORDS)
    expect(page.locator("#one .words")).to_have_text(WORDS)
    assert page.evaluate("window.harmed") is None
    assert page.locator("img, script[src]").count() == 0


@pytest.mark.parametrize("arguments", [["nowhere"], ["a", "b"], ["--write"], ["--pages=1"]])
def test_the_command_says_in_one_line_what_it_needs(arguments: list[str], capsys: Any) -> None:
    assert main(["hm-agent", "browse", "enacttom", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_names_a_file_that_is_no_task(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "odd.json").write_text("{}")
    assert main(["hm-agent", "browse", "enacttom", str(tmp_path)]) == 2
    assert "odd.json" in capsys.readouterr().err
