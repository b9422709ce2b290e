"""The live page in a real browser, and what its server hands out to whom."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.watching.run_folder import PLAN
from hm_agent.watching.server import serve
from tests.reporting.examples import RWS, leave, result
from tests.support.browsers import check_readable, requests_and_messages
from tests.support.commands import ROOT
from tests.watching.test_state import begin, line

HOSTILE = "<img src=x onerror=alert(1)>"
LONG = "a_model_whose_name_is_longer_than_any_screen_of_a_phone_is_wide_and_has_no_end"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run with two episodes that ended, one of them by a failure, and one that goes on under a hostile name."""
    folder = tmp_path / "a run"
    failed = result("react", 0.0, 2, status=f"failed: {HOSTILE}", reason=HOSTILE)
    leave(folder, result("react", 9.5, 1, model=LONG), failed)
    event = {"kind": "Clue", "words": HOSTILE, "fields": {}}
    begin(folder, line(0, 1.0, events=[event]), agent=HOSTILE)
    (folder / PLAN).write_text('{"episodes": 8}')
    return folder


@pytest.fixture
def server(out: Path) -> Iterator[ThreadingHTTPServer]:
    served = serve(out, 0)
    thread = threading.Thread(target=served.serve_forever, args=(0.05,))
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


def ask(server: ThreadingHTTPServer, path: str, host: str | None = None, method: str = "GET") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    said = answer.status, answer.read()
    connection.close()
    return said


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_shows_the_run_and_fits(
    browser: Browser, server: ThreadingHTTPServer, width: int, scheme: str
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    asked, said = requests_and_messages(page)
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    expect(page.locator("#lead")).to_have_text("2 of 8 episodes have ended")
    expect(page.locator("#counts")).to_contain_text("1 failed")
    expect(page.locator("#counts")).to_contain_text("interrupted")
    expect(page.locator("#counts")).to_contain_text("5 to come")
    expect(page.locator("#running")).to_contain_text(HOSTILE)
    expect(page.locator("#ended")).to_contain_text("9.50")
    assert page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_readable(page)
    assert said == []
    assert {address.split("/")[2].split(":")[0] for address in asked if address.startswith("http")} == {"127.0.0.1"}
    page.close()


def test_words_stay_whole_and_links_in_sight_in_a_narrow_window(
    browser: Browser, server: ThreadingHTTPServer, out: Path
) -> None:
    leave(out, result("hypothetical_minds", 9.5))
    (folder,) = out.glob("*/hypothetical_minds/*/*")
    for name in ("replay.html", "trace.jsonl"):
        (folder / name).touch()
    page = browser.new_page(viewport={"width": 700, "height": 900})
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    row = page.locator("#ended tr").filter(has_text="hypothetical_")
    expect(row.locator("a")).to_have_text(["replay", "result", "trace"])
    for word in row.locator("b, a").all():
        box = word.bounding_box()
        assert box is not None
        assert box["height"] < 25  # one line
        assert box["x"] + box["width"] < 700
    page.close()


def test_the_page_updates_itself_and_says_when_nothing_answers(
    browser: Browser, server: ThreadingHTTPServer, out: Path
) -> None:
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    expect(page.locator("#lead")).to_have_text("2 of 8 episodes have ended")
    link = page.locator("#ended a").last
    link.focus()
    leave(out, result("random", 1.0, 5))
    expect(page.locator("#lead")).to_have_text("3 of 8 episodes have ended", timeout=10_000)
    expect(page.locator("#ended a").last).to_be_focused()
    expect(page.get_by_role("status")).to_have_text("")  # a screen reader is told nothing at each update
    page.route("**/state.json", lambda route: route.abort())
    expect(page.get_by_role("status")).to_contain_text("the watcher has ended", timeout=10_000)
    page.close()


def test_files_that_the_state_names_are_served_and_no_others(server: ThreadingHTTPServer, out: Path) -> None:
    (out / "secret").write_text("secret")
    place = f"{RWS}/react/{LONG}/episode-1"
    assert ask(server, f"/episode/{place}/result.json")[0] == 404  # the state has named nothing yet
    state = json.loads(ask(server, "/state.json")[1])
    assert {link["place"] for one in state["ended"] for link in one["links"]} >= {place}
    status, content = ask(server, f"/episode/{place}/result.json")
    assert (status, json.loads(content)["reward"]) == (200, 9.5)
    (out / "report").mkdir()
    for name in ("report.html", "report.csv", "secret"):
        (out / "report" / name).write_text(name)
    for name in ("report.html", "report.csv"):  # as replays and the report link to them
        assert ask(server, f"/episode/report/{name}") == (200, name.encode())
    assert ask(server, "/episode/index.html")[0] == 302
    for path in (
        "/secret",
        "/episode/report/secret",
        "/episode/report/%00.html",
        "/episode/report/..%2Fsecret",
        f"/episode/{place}/../../../../secret",
        "/episode/..%2Fsecret",
        f"/episode/{place}/.plan.json",
    ):
        assert ask(server, path)[0] == 404, path
    (out / place / "trace.jsonl").symlink_to("/etc/hostname")
    (out / "report" / "linked.html").symlink_to(out / "secret")
    assert ask(server, f"/episode/{place}/trace.jsonl")[0] == 404
    assert ask(server, "/episode/report/linked.html") == (200, b"secret"), "what a link names may lie in the run"


def test_numbers_that_are_none_spoil_no_state(server: ThreadingHTTPServer, out: Path) -> None:
    for number in ("NaN", "1e400", "-Infinity", "1e308"):
        odd = line(1, 1.0).replace("1.0", number)
        begin(out, odd, odd, line(2, 0.5), agent=f"odd{number}")
    begin(out, line(1, 1.0).replace(": 1,", ": 1e400,", 1), agent="endless")
    status, content = ask(server, "/state.json")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    state = json.loads(content, parse_constant=refuse)
    rewards = {one["agent"]: one["reward"] for one in state["running"]}
    assert (status, rewards["oddNaN"], rewards["odd1e308"], rewards["endless"]) == (200, 0.5, None, 0.0)


def test_only_this_machine_is_answered(server: ThreadingHTTPServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert ask(server, "/state.json", host="evil.example:80")[0] == 403
    assert ask(server, "/", host=f"localhost:{server.server_port}")[0] == 200
    assert ask(server, "/", method="HEAD") == (200, b"")
    assert ask(server, "/", method="POST")[0] == 501


def test_a_folder_that_is_none_and_a_port_that_is_taken_are_refused(
    server: ThreadingHTTPServer, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigError, match="nowhere: no such folder"):
        serve(out / "nowhere", 0)
    assert main(["hm-agent", "watch", str(out), f"--port={server.server_port}"]) == 2
    assert "--port=0 takes any free port" in capsys.readouterr().err


def test_the_command_says_where_and_ends_at_ctrl_c(out: Path) -> None:
    command = [sys.executable, "-m", "hm_agent", "watch", str(out), "--port=0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "http://127.0.0.1:" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
