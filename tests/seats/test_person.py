"""A person plays in a real terminal and on the page in a real browser, and is recorded like a model."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

import hm_agent
from hm_agent.catalogue.finding import find_agents
from hm_agent.config import ConfigError
from hm_agent.models.chat import Message, Reply, Request, Sampling
from hm_agent.recording import trace
from hm_agent.recording.result import FILE, UNFINISHED, read_result
from hm_agent.seats.person import PersonLeft
from hm_agent.seats.person_page import PersonPage, open_page
from tests.support.browsers import check_readable, requests_and_messages
from tests.support.commands import ROOT, call_here

END = "\x04"
"""What Ctrl-D sends."""


def converse(arguments: Sequence[str], script: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """Runs `hm-agent` in a terminal; types each text once the terminal shows the words before it.

    Returns the exit status and all that was shown.
    """
    terminal, inner = pty.openpty()
    command = [sys.executable, "-m", "hm_agent", *arguments]
    process = subprocess.Popen(
        command, stdin=inner, stdout=inner, stderr=inner, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    os.close(inner)
    shown, unread, waiting = "", "", list(script)
    while process.poll() is None or select.select([terminal], [], [], 0)[0]:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                came = os.read(terminal, 2**16).decode("utf-8", "replace")
            except OSError:  # the other end is closed
                break
            shown, unread = shown + came, unread + came
        if waiting and waiting[0][0] in unread:
            os.write(terminal, waiting.pop(0)[1].encode())
            unread = ""
    os.close(terminal)
    assert not waiting, shown
    return process.wait(), shown


@pytest.mark.slow
def test_a_person_plays_in_the_terminal_until_the_terminal_is_left(tmp_path: Path) -> None:
    flags = ("--scenario=mg_pd_grim", "--agent=human", "--episodes=2", "--max_steps=2", f"--out={tmp_path}")
    first = [("Type yes to begin: ", "yes\n"), ("> ", "play(nothing)\n"), ("> ", "play(defect)\n")]
    second = [("> ", '{"reasoning": "", "calls": ["play(cooperate)"]}\n'), ("Round 1 of 30", END)]
    status, shown = converse(("play", *flags), [*first, *second])
    assert status == 130
    assert "Nothing else is recorded" in shown
    assert "'nothing' is no action; there are cooperate, defect" in shown
    assert "type for example: play(cooperate)  play(defect)" in shown
    folder = tmp_path / "mg_pd_grim" / "human" / "human"
    played, left = (read_result(folder / name) for name in (f"episode-0/{FILE}", f"episode-1/{UNFINISHED}"))
    assert played
    assert (played.agent, played.model, played.questions, played.model_calls) == ("human", "human", 2, 3)
    assert left
    assert left.status == "interrupted"
    lines = [json.loads(line) for line in (folder / "episode-0" / trace.FILE).read_text("utf-8").splitlines()]
    assert "play(nothing)" in json.dumps(lines)
    assert "human" in (tmp_path / "summary.md").read_text("utf-8")


@pytest.mark.slow
def test_a_person_with_two_seats_is_told_whose_question_and_whose_problem_it_is(tmp_path: Path) -> None:
    script = [
        ("Type yes to begin: ", "yes\n"),
        ("asked for board_0", "nonsense\n"),
        ("asked for board_1", "recharge()\n"),
    ]
    flags = ("--scenario=symmtom_pairs_order_1_even", "--agent=human", f"--out={tmp_path}")
    _, shown = converse(("play", *flags), [*script, ("can't be used", END)])
    again = shown[shown.rindex("asked for") : shown.index("can't be used")]
    assert "board_0" in again
    assert "Step 0 of 22" in again, "the other board's question came between"


@pytest.mark.slow
def test_a_problem_with_another_seats_answer_shows_that_seats_question(window: Page) -> None:
    window.goto(open_page().address)
    question = {"suggestions": {"yes": ["yes"], "no": ["no"]}, "wants_several": True, "has_picture": False}
    for number, seat, problem in ((1000, "board_0", ""), (1001, "board_1", ""), (1002, "board_0", "it is empty")):
        asked = question | {"number": number, "seat": seat, "text": f"# Now\non {seat}", "problem": problem}
        window.evaluate("question => show({ agreed: true, question })", asked)
    told = [window.text_content(name) for name in ("#seat", "#text pre", "#problem")]
    assert told == ["board_0", "on board_0", "it is empty"]
    for name in ("yes", "no"):
        window.evaluate("text => offer(text)", name)
    assert window.input_value("#answer") == "yes, no", "several are wanted"


def ask(method: str, path: str, body: bytes = b"", host: str | None = None, length: int | None = None) -> int:
    """The status of a request to the server of the page. length: what it says of the body, if not the truth."""
    address = urlsplit(open_page().address)
    connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=10)
    headers = {"Host": host or address.netloc, "Content-Length": str(len(body) if length is None else length)}
    connection.request(method, path, body, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def started(play: Callable[[], object]) -> Thread:
    thread = Thread(target=play, daemon=True)
    thread.start()
    return thread


@pytest.mark.slow
def test_a_person_plays_on_the_page(window: Page, tmp_path: Path) -> None:
    model = hm_agent.ModelSettings(page=True)

    def play() -> None:
        hm_agent.play(
            "rws_repeated_1", "human", model=model, bots="scripted", max_steps=30, out=tmp_path, progress=False
        )

    page, person, playing = window, open_page(), started(play)
    requests, messages = requests_and_messages(page)
    page.goto(person.address)
    expect(page.locator("#consent")).to_contain_text("Nothing else is recorded")
    expect(page.locator("#game")).to_be_hidden()
    while person.chat.request is None:
        assert playing.is_alive()
        time.sleep(0.05)
    assert json.loads(person.state())["question"] is None, "nothing is asked before consent"
    page.click("#agree")
    expect(page.locator("#text")).to_contain_text("hold rock 1, paper 1, scissors 1")
    expect(page.locator("#picture")).to_be_visible()
    expect(page.locator("#answer")).to_be_focused()
    assert page.locator("#picture").evaluate("image => image.decode().then(() => image.naturalWidth)") == 40
    check_readable(page)

    page.fill("#answer", "<b>wait</b>")
    page.click("#send")
    expect(page.locator("#problem")).to_contain_text("can't be used")
    assert "\n" in page.inner_text("#problem"), "what is wrong and what to do are lines of their own"
    check_readable(page)
    earlier = {"number": 1, "text": "# The first", "problem": "", "suggestions": {}}
    page.evaluate("question => show({ agreed: true, question })", earlier)  # a reply that was on its way for long
    expect(page.locator("#answer")).to_have_value("<b>wait</b>")
    expect(page.locator("#answer")).to_be_focused()
    page.fill("#answer", "")
    page.click("#offers >> text=collect_unseen()")
    page.select_option("select[aria-label=wait]", "wait(5)")
    expect(page.locator("#answer")).to_have_value("collect_unseen(), wait(5)")
    page.click("#send")
    expect(page.locator("#text")).to_contain_text("It is step 5")
    assert not page.locator("details").first.evaluate("section => section.open"), "the rules were shown already"
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.click("#leave")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    key = urlsplit(person.address).path
    assert ask("GET", "/") == ask("GET", "/guess/") == ask("POST", "/guess/answer", b"{}") == 404
    assert ask("GET", key, host="evil.example:80") == ask("POST", key + "answer", b"{}", "evil.example:80") == 403
    assert ask("POST", key + "answer", b"no JSON") == ask("POST", key + "answer", b"[1]") == 400
    assert ask("POST", key + "answer", length=1_000_001) == 413
    assert ask("POST", key + "answer", b'{"number": 1, "text": "too late"}') == 204

    page.select_option("select[aria-label=wait]", "wait(30)")
    page.click("#send")
    playing.join(60)
    (result,) = hm_agent.load(tmp_path).itertuples()
    assert (result.agent, result.status, result.steps, result.calls) == ("human", "max_steps", 30, 3)
    assert [text for text in messages if "favicon" not in text] == []
    assert all(re.match(re.escape(person.address), url) for url in requests if not url.startswith("data:"))


def test_an_answer_that_comes_while_the_world_goes_on_is_not_taken_for_the_next_questions() -> None:
    """As from a second tab, which still shows the question that was answered in the first."""
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    request, person = Request("m", (), Sampling(), "Choice", schema), PersonPage()

    async def ask_twice() -> str:
        first = asyncio.ensure_future(person.chat.complete(request))
        await asyncio.sleep(0)
        person.take({"number": 1, "text": "first"})
        await first
        second = asyncio.ensure_future(person.chat.complete(request))
        person.take({"number": 1, "text": "late"})
        await asyncio.sleep(0.01)
        person.take({"number": 2, "text": "second"})
        return (await second).texts[0]

    with ThreadPoolExecutor(1) as thread:  # a browser's loop may run in this one
        assert json.loads(thread.submit(asyncio.run, ask_twice()).result()) == {"answer": "second"}


def test_a_question_is_shown_with_its_own_number_though_the_next_one_comes_meanwhile() -> None:
    """The page is read in the server's threads, while the loop goes on."""
    person, schema = PersonPage(), {"type": "object", "properties": {"answer": {"type": "string"}}}

    async def shown_while_going_on() -> dict[str, Any]:
        loop, tasks = asyncio.get_running_loop(), list[asyncio.Task[Reply]]()

        class ReadForLong(tuple[Message, ...]):
            def __iter__(self) -> Iterator[Message]:
                asyncio.run_coroutine_threadsafe(go_on(), loop).result(10)
                return super().__iter__()

        async def go_on() -> None:
            person.chat.reply("answered in another tab")
            second = Request("m", (Message("user", "two"),), Sampling(), "B", schema)
            tasks.append(loop.create_task(person.chat.complete(second)))
            await asyncio.sleep(0.01)

        first = Request("m", ReadForLong([Message("user", "one")]), Sampling(), "A", schema)
        asking = asyncio.ensure_future(person.chat.complete(first))
        await asyncio.sleep(0)
        person.take({"agreed": True})
        state: dict[str, Any] = json.loads(await asyncio.to_thread(person.state))
        await asking
        return state

    with ThreadPoolExecutor(1) as thread:
        question = thread.submit(asyncio.run, shown_while_going_on()).result()["question"]
    assert (question["number"], question["text"]) == (1, "one")


def test_who_leaves_is_asked_for_no_other_seat() -> None:
    request, person = Request("m", (), Sampling(), "Choice", {}), PersonPage()

    async def leave() -> list[object]:
        both = asyncio.gather(person.chat.complete(request), person.chat.complete(request), return_exceptions=True)
        await asyncio.sleep(0)
        person.take({"leaves": True})
        return list(await asyncio.wait_for(both, 5))

    with ThreadPoolExecutor(1) as thread:
        assert [type(left) for left in thread.submit(asyncio.run, leave()).result()] == [PersonLeft, PersonLeft]


def test_only_people_answer_for_people(tmp_path: Path) -> None:
    flags = ("--scenario=mg_pd_grim", f"--out={tmp_path}")
    status, _, errors = call_here(*flags, "--agent=human")
    assert (status, "--page asks in a browser" in errors) == (2, True)
    for flag, why in (("--workers=2", "one episode at a time"), ("--temperature=1", "the model human is a person")):
        status, _, errors = call_here(*flags, "--agent=human", "--page", flag)
        assert (status, why in errors, errors.count("\n")) == (2, True, 1)
    assert call_here(*flags, "--agent=react", "--page")[0] == 2
    assert "human" not in find_agents(["*"])
    with pytest.raises(ConfigError, match="a person plays one episode at a time"):
        hm_agent.play("mg_pd_grim", "human", model=hm_agent.ModelSettings(page=True), workers=2, out=tmp_path)
