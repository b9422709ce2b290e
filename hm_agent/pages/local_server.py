"""What servers of local pages share: they answer this machine alone, keep no log, and tell browsers to be strict."""

from __future__ import annotations

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST = "127.0.0.1"
TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
JSON = "application/json"


class LocalHandler(BaseHTTPRequestHandler):
    """Handles a request; a subclass says in `serve_page` what is there."""

    server_version, sys_version = "hm_agent", ""

    def do_GET(self) -> None:
        # Another site must not read the page by having its own name resolve to this machine (DNS rebinding).
        if self.headers.get("Host", "").rpartition(":")[0] not in (HOST, "localhost"):
            return self.send(HTTPStatus.FORBIDDEN, b"ask for 127.0.0.1", "text/plain")
        return self.serve_page()

    do_HEAD = do_GET  # noqa: N815 - the name is the base class's

    def serve_page(self) -> None:
        """Answers the request, whose sender has asked for this machine by name."""
        raise NotImplementedError

    def send(self, status: HTTPStatus, content: bytes, kind: str, **more: str) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(content)), "Cache-Control": "no-store"}
        safe = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}
        for name, value in (headers | safe | more).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - as in the base class
        """Prints nothing, since pages send requests all the time."""


class PageServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Prints nothing, since browsers close connections at any time."""
