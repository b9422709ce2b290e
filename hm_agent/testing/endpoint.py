"""A stand-in for a provider: an endpoint that speaks OpenAI's chat protocol over real HTTP on loopback."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from math import ceil
from socket import SHUT_RDWR, socket
from socketserver import ThreadingTCPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

PATH = "/v1/chat/completions"
NAME = "loopback"
"""The name of every serving thread."""
CHARACTERS_PER_TOKEN = 4
POLL_SECONDS = 0.02
"""The interval at which the server checks whether it should end."""
JOIN_SECONDS = 2.0
"""How long to wait for a connection's thread to end."""


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response. hang: seconds to wait before it is sent. drop: closes the connection instead of answering."""

    status: int = 200
    body: Mapping[str, Any] | bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: float = 0.0
    drop: bool = False


@dataclass(frozen=True, slots=True)
class Received:
    """A request's JSON body and its headers, by name in lower case."""

    body: dict[str, Any]
    headers: Mapping[str, str]


Answer = Callable[[dict[str, Any]], Response]
"""From a request's body to the response; called by many threads at once."""


class Endpoint:
    """Serves at `base_url` while entered as a context; keeps the requests in `received`, in order.

    delay: seconds before each response. flags: those with which a command asks it. Leaving the context ends every
    connection and every thread.
    """

    def __init__(self, answer: Answer, delay: float = 0.0) -> None:
        self.received: list[Received] = []
        self._server = _Server(answer, delay, self.received)
        self._thread = Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), name=NAME, daemon=True)
        host, port = self._server.socket.getsockname()
        self.base_url = f"http://{host}:{port}/v1"
        self.flags = ["--model=loopback", f"--base_url={self.base_url}"]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()

    def join_clients(self) -> None:
        """Waits until all connections have ended, so that `received` holds all requests of clients that were killed."""
        self._server.join()


def serve(answer: Answer, delay: float) -> None:
    """Prints the URL and serves until standard input ends: for an endpoint in a process of its own."""
    with Endpoint(answer, delay) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


class _Server(ThreadingTCPServer):
    """Serves each connection in a thread. No HTTPServer, since that looks up the name of this machine first."""

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, answer: Answer, delay: float, received: list[Received]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer, self.delay, self.received = answer, delay, received
        self.ending = Event()
        self._connections: list[tuple[Thread, socket]] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        """Starts a connection's thread and keeps it, so that `hang_up` can end it."""
        arguments = request, client_address
        thread = Thread(target=self.process_request_thread, args=arguments, name=NAME, daemon=True)
        self._connections.append((thread, request))
        thread.start()

    def hang_up(self) -> None:
        """Closes all connections, idle or not; drops responses that wait for their delay."""
        self.ending.set()
        for _, connection in self._connections:
            with suppress(OSError):  # the connection has ended by itself
                connection.shutdown(SHUT_RDWR)
        self.join()

    def join(self) -> None:
        """Waits for every connection to end, at most JOIN_SECONDS each."""
        for thread, _ in self._connections:
            thread.join(JOIN_SECONDS)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores the OSErrors of clients that closed their connection; prints all other errors."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One connection, kept alive; each response is buffered and sent in one piece."""

    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20
    # With Nagle's algorithm, a small response after another one would wait 40 ms for the client's acknowledgement.
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        response = self._response(raw)
        if self.server.ending.wait(self.server.delay + response.hang) or response.drop:
            self.close_connection = True
        else:
            self._send(response)

    def _response(self, raw: bytes) -> Response:
        if self.path != PATH:
            return refusal(404, f"Invalid URL (POST {self.path})")
        try:
            body = json.loads(raw)
        except ValueError:
            return refusal(400, "We could not parse the JSON body of your request.")
        self.server.received.append(Received(body, {name.lower(): value for name, value in self.headers.items()}))
        return self.server.answer(body)

    def _send(self, response: Response) -> None:
        content = response.body if isinstance(response.body, bytes) else json.dumps(response.body).encode()
        self.send_response(response.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content)), **response.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Prints nothing."""


def completion(*texts: str, finish: str = "stop", usage: bool = True, prompt: str = "") -> Response:
    """A chat completion with one choice for each text. prompt: the text whose length gives the input tokens."""
    choices = [
        {
            "index": index,
            "message": {"role": "assistant", "content": text, "refusal": None},
            "logprobs": None,
            "finish_reason": finish,
        }
        for index, text in enumerate(texts)
    ]
    input_, output = (ceil(length / CHARACTERS_PER_TOKEN) for length in (len(prompt), sum(map(len, texts))))
    tokens = {"prompt_tokens": input_, "completion_tokens": output, "total_tokens": input_ + output}
    body: dict[str, Any] = {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "loopback",
        "choices": choices,
    }
    return Response(body=body | {"usage": tokens} if usage else body)


def refusal(
    status: int,
    message: str,
    code: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An error response in OpenAI's format."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    error = {"message": message, "type": kind, "param": param, "code": code}
    return Response(status, {"error": error}, headers or {})


def prompt_of(body: Mapping[str, Any], turn: int = -1) -> str:
    """The content of one of a request's user messages, by default the last."""
    contents = [message["content"] for message in body["messages"] if message["role"] == "user"]
    return str(contents[turn])
