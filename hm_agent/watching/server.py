"""`hm-agent watch OUT`: serves the live page to this machine alone, until Ctrl-C."""

from __future__ import annotations

import argparse
import json
import threading
import time
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from hm_agent.config import ConfigError
from hm_agent.files import REPORT, path_in_words, read_regular
from hm_agent.pages.rendering import environment
from hm_agent.watching.state import SHOWN_FILES, Watcher

HOST = "127.0.0.1"
PORT = 7575
FRESH = 1.0
"""For so many seconds one look at the folder serves all who ask."""
TEXT = "text/plain; charset=utf-8"
KINDS = {"html": "text/html; charset=utf-8", "json": "application/json", "jsonl": TEXT, "md": TEXT, "csv": TEXT}
ALL_EPISODES = "/episode/index.html"
"""Where a replay's link to all episodes leads."""
ABOUT = """Shows a run while it is played: a page on this machine with the progress, running, finished and failed
episodes, rewards so far, calls and cost, which updates itself. It changes nothing; Ctrl-C ends it."""


class LivePage:
    """What is served: the page, the state, the report, and the files of episodes that the watcher has seen."""

    def __init__(self, out: Path) -> None:
        self._watcher, self._lock = Watcher(out), threading.Lock()
        self._report = out / REPORT
        self._seen, self._state = 0.0, b""
        self.title = path_in_words(out)

    @cached_property
    def page(self) -> bytes:
        return (
            environment(Path(__file__).parent / "templates")
            .get_template("watch.html.j2")
            .render(out=self.title)
            .encode()
        )

    def state(self) -> bytes:
        """The state as JSON, at most FRESH seconds old."""
        with self._lock:
            if not self._state or time.monotonic() - self._seen >= FRESH:
                self._state = json.dumps(self._watcher.look()).encode()
                self._seen = time.monotonic()
            return self._state

    def file(self, place: str, name: str) -> bytes | None:
        """A file of an episode that was seen, or of the report; None for anything else."""
        folder = self._report if place == REPORT else self._watcher.folders.get(place)
        is_shown = Path(name).suffix in (".html", ".md", ".csv") if place == REPORT else name in SHOWN_FILES
        if folder is None or not is_shown:
            return None
        try:
            return read_regular(folder / name)
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return None


class PageHandler(BaseHTTPRequestHandler):
    server_version, sys_version = "hm_agent", ""

    def __init__(self, *arguments: object, live: LivePage) -> None:
        self._live = live
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        # Another site that lets its name stand for this machine must not read the page.
        if self.headers.get("Host", "").rpartition(":")[0] not in (HOST, "localhost"):
            return self._send(HTTPStatus.FORBIDDEN, b"ask for 127.0.0.1", "text/plain")
        path = urlsplit(self.path).path
        if path == "/":
            return self._send(HTTPStatus.OK, self._live.page, KINDS["html"])
        if path == "/state.json":
            return self._send(HTTPStatus.OK, self._live.state(), KINDS["json"])
        if path == ALL_EPISODES:
            return self._send(HTTPStatus.FOUND, b"", TEXT, Location="/")
        place, _, name = unquote(path.removeprefix("/episode/")).rpartition("/")
        found = self._live.file(place, name) if path.startswith("/episode/") else None
        if found is None:
            return self._send(HTTPStatus.NOT_FOUND, b"there is no such page", "text/plain")
        return self._send(HTTPStatus.OK, found, KINDS[name.rpartition(".")[2]])

    do_HEAD = do_GET  # noqa: N815 - the name is the base class's

    def _send(self, status: HTTPStatus, content: bytes, kind: str, **more: str) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(content)), "Cache-Control": "no-store"}
        safe = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}
        for name, value in (headers | safe | more).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - as in the base class
        """Prints nothing: the page asks again and again."""


class PageServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing of a reader who has gone."""


def serve(out: Path, port: int) -> ThreadingHTTPServer:
    """A server of the live page, bound and not yet running. port: 0 for any that is free.

    Raises ConfigError for a folder that is none and for a port that is taken.
    """
    if not out.is_dir():
        raise ConfigError(f"{out}: no such folder; a run makes it at its first episode")
    try:
        return PageServer((HOST, port), partial(PageHandler, live=LivePage(out)))
    except OSError as error:
        raise ConfigError(f"--port={port}: {error.strerror}; --port=0 takes any that is free") from error


def main(arguments: Sequence[str]) -> int:
    """`hm-agent watch [OUT]`; returns the exit status."""
    parser = argparse.ArgumentParser("hm-agent watch", description=ABOUT)
    parser.add_argument("out", nargs="?", type=Path, default=Path("runs"), help="the folder of a run; runs unless said")
    parser.add_argument("--port", type=int, default=PORT, help=f"on {HOST}; {PORT} unless said, 0 for any that is free")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    asked = parser.parse_args(arguments)
    if not 0 <= asked.port < 2**16:
        raise ConfigError(f"--port={asked.port}: a port is 0 to {2**16 - 1}")
    with serve(asked.out, asked.port) as server, suppress(KeyboardInterrupt):
        address = f"http://{HOST}:{server.server_port}/"
        print(f"Watching {path_in_words(asked.out)}: {address} (Ctrl-C ends it)", flush=True)
        if asked.open:
            webbrowser.open(address)
        server.serve_forever(poll_interval=0.2)
    return 0
