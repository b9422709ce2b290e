"""`hm-agent watch OUT`: serves the live page to this machine alone, until Ctrl-C."""

from __future__ import annotations

import json
import threading
import time
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from hm_agent.config import ConfigError
from hm_agent.flags.parsing import argument_parser
from hm_agent.pages.local_server import HOST, HTML, JSON, TEXT, LocalHandler, PageServer
from hm_agent.pages.rendering import environment
from hm_agent.storage.files import REPORT, RUNS, path_in_words, read_regular
from hm_agent.watching.state import SHOWN_FILES, Watcher

PORT = 7575
FRESH = 1.0
"""Seconds for which the folder's state is served from memory, however many pages ask for it."""
KINDS = {"html": HTML, "json": JSON, "jsonl": TEXT, "md": TEXT, "csv": TEXT}
ALL_EPISODES = "/episode/index.html"
"""The path that a replay's link to all episodes has here."""
ABOUT = """Shows a run while it is played: serves a page on this machine with the progress, the running, finished and
failed episodes, rewards so far, calls and cost. The page updates itself. No file is changed; Ctrl-C ends the server."""


class LivePage:
    """The contents that are served: the page, the state, the report, and the files of episodes that were seen."""

    def __init__(self, out: Path) -> None:
        self._watcher, self._lock = Watcher(out), threading.Lock()
        self._out, self._report = out.resolve(), out / REPORT
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
                self._state = json.dumps(_without_infinities(self._watcher.look())).encode()
                self._seen = time.monotonic()
            return self._state

    def file(self, place: str, name: str) -> bytes | None:
        """A file of an episode that was seen, or of the report; None for anything else.

        place: the episode's path below the run's folder, or `REPORT`.
        """
        # Whoever sends a run to somebody may have put a link to anything into it.
        folder = self._report if place == REPORT else self._watcher.folders.get(place)
        is_shown = Path(name).suffix in (".html", ".md", ".csv") if place == REPORT else name in SHOWN_FILES
        if folder is None or not is_shown:
            return None
        try:
            if not (folder / name).resolve().is_relative_to(self._out):
                return None
            return read_regular(folder / name)
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return None


def _without_infinities(value: Any) -> Any:
    """The same JSON with None for numbers that are infinite or none, which no browser can read."""
    if isinstance(value, dict):
        return {key: _without_infinities(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_infinities(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


class PageHandler(LocalHandler):
    def __init__(self, *arguments: object, live: LivePage) -> None:
        self._live = live
        super().__init__(*arguments)  # type: ignore[arg-type]

    def serve_page(self) -> None:
        path = urlsplit(self.path).path
        if path == "/":
            return self.send(HTTPStatus.OK, self._live.page, KINDS["html"])
        if path == "/state.json":
            return self.send(HTTPStatus.OK, self._live.state(), KINDS["json"])
        if path == ALL_EPISODES:
            return self.send(HTTPStatus.FOUND, b"", TEXT, Location="/")
        place, _, name = unquote(path.removeprefix("/episode/")).rpartition("/")
        content = self._live.file(place, name) if path.startswith("/episode/") else None
        if content is None:
            return self.send(HTTPStatus.NOT_FOUND, b"there is no such page", "text/plain")
        return self.send(HTTPStatus.OK, content, KINDS[name.rpartition(".")[2]])


def serve(out: Path, port: int) -> ThreadingHTTPServer:
    """A server of the live page, bound and not yet running. port: 0 for any free port.

    Raises ConfigError if the folder does not exist or the port is taken.
    """
    if not out.is_dir():
        raise ConfigError(f"{out}: no such folder; a run makes it at its first episode")
    try:
        return PageServer((HOST, port), partial(PageHandler, live=LivePage(out)))
    except OSError as error:
        raise ConfigError(f"--port={port}: {error.strerror}; --port=0 takes any free port") from error


def main(arguments: Sequence[str]) -> int:
    """`hm-agent watch [OUT]`; returns the exit status."""
    parser = argument_parser("watch", ABOUT)
    parser.add_argument("out", nargs="?", type=Path, default=RUNS, help=f"the folder of a run (default: {RUNS})")
    parser.add_argument(
        "--port", type=int, default=PORT, help=f"the port on {HOST} (default: {PORT}); 0 for any free port"
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    options = parser.parse_args(arguments)
    if not 0 <= options.port < 2**16:
        raise ConfigError(f"--port={options.port}: a port is a number from 0 to {2**16 - 1}")
    with serve(options.out, options.port) as server, suppress(KeyboardInterrupt):
        address = f"http://{HOST}:{server.server_port}/"
        print(f"Watching {path_in_words(options.out)}: {address} (Ctrl-C ends it)", flush=True)
        if options.open:
            webbrowser.open(address)
        server.serve_forever(poll_interval=0.2)
    return 0
