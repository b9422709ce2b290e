"""The page on which a person answers: served to this machine alone, under an address that nobody else can guess."""

from __future__ import annotations

import asyncio
import io
import json
import secrets
import sys
from functools import cache, cached_property, partial
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any

from hm_agent.models.chat import Request
from hm_agent.models.outside import OutsideChat
from hm_agent.pages.local_server import HOST, HTML, JSON, TEXT, LocalHandler, PageServer
from hm_agent.pages.rendering import environment
from hm_agent.seats.person import SEATS, SEEN, PersonLeft, consent, with_json
from hm_agent.seats.suggestions import suggestions, wants_several

MOST_SENT = 1_000_000
"""The most bytes of an answer."""
TOLD = "Your seat: {address} (open it in a browser on this machine)"


class PersonPage:
    """What is served, and where the answers go.

    key: the part of the address that nobody else can guess. address: where the page is, once it is served.
    """

    def __init__(self) -> None:
        self.key, self.chat, self.address = secrets.token_urlsafe(16), OutsideChat(self._note), ""
        self._agreed = False
        self._latest: tuple[int, Request | None] = 0, None
        """The number of the latest question with its request, in one, since the server's threads read them."""
        self._loop: asyncio.AbstractEventLoop | None = None

    def _note(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._latest = self._latest[0] + 1, self.chat.request

    @cached_property
    def page(self) -> bytes:
        template = environment(Path(__file__).parent / "templates").get_template("person.html.j2")
        return template.render(consent=consent()).encode()

    def state(self) -> bytes:
        """The question that waits, as JSON; before consent, and while none waits, without it."""
        number, request = self._latest
        waits = self._agreed and request is self.chat.request
        question = self._question(number, request) if request and waits else None
        return json.dumps({"agreed": self._agreed, "question": question}).encode()

    def _question(self, number: int, request: Request) -> dict[str, Any]:
        """text: the whole prompt. problem: what is wrong with the answer before this one, empty for the first."""
        first, *others = [message.content for message in request.messages if message.role == "user"]
        return {
            "number": number,
            "seat": SEATS.get(request.seed, ""),
            "text": first,
            "problem": others[-1] if others else "",
            "suggestions": suggestions(request.schema),
            "wants_several": wants_several(request.schema),
            "has_picture": request.seed in SEEN,
        }

    def picture(self) -> bytes | None:
        """What the seat that is asked sees, as PNG; None if its world has no pictures."""
        from PIL import Image

        request = self.chat.request
        if request is None or request.seed not in SEEN:
            return None
        content = io.BytesIO()
        Image.fromarray(SEEN[request.seed]).save(content, "PNG")
        return content.getvalue()

    def take(self, sent: dict[str, Any]) -> None:
        """Takes in what the page sends: consent, that the person leaves, or the answer to the question of a number.

        An answer to any other question than the one that waits is ignored. Raises KeyError for anything else.
        """
        if "agreed" in sent:
            self._agreed = bool(sent["agreed"])
        elif "leaves" in sent:
            self._call(partial(self.chat.leave, PersonLeft("the person has left the page")))
        else:
            self._call(partial(self._reply, sent["number"], str(sent["text"])))

    def _reply(self, number: int, text: str) -> None:
        # Only in the loop it is sure which question waits: another may have come since the answer was sent.
        if number == self._latest[0] and (request := self.chat.request):
            self.chat.reply(with_json(text, request.schema))

    def _call(self, act: partial[None]) -> None:
        """Acts in the event loop of the episode, if a question waits there."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: act() if self.chat.request else None)


class _PersonHandler(LocalHandler):
    def __init__(self, *arguments: object, person: PersonPage) -> None:
        self._person = person
        super().__init__(*arguments)  # type: ignore[arg-type]

    do_POST = LocalHandler.do_GET  # noqa: N815 - the name is the base class's

    def serve_page(self) -> None:
        key, _, name = self.path.removeprefix("/").partition("?")[0].partition("/")
        if not secrets.compare_digest(key.encode(), self._person.key.encode()):
            return self.send(HTTPStatus.NOT_FOUND, b"there is no such page", TEXT)
        if self.command == "POST":
            return self._receive()
        if name == "picture.png" and (picture := self._person.picture()):
            return self.send(HTTPStatus.OK, picture, "image/png")
        if name == "state.json":
            return self.send(HTTPStatus.OK, self._person.state(), JSON)
        if name:
            return self.send(HTTPStatus.NOT_FOUND, b"there is no such page", TEXT)
        return self.send(HTTPStatus.OK, self._person.page, HTML)

    def _receive(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isdecimal() and int(length) <= MOST_SENT):
            return self.send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"an answer has a length of at most 1,000,000", TEXT)
        try:
            self._person.take(json.loads(self.rfile.read(int(length))))
        except (ValueError, KeyError, TypeError, RecursionError):
            return self.send(HTTPStatus.BAD_REQUEST, b'send {"number": ..., "text": ...}', TEXT)
        return self.send(HTTPStatus.NO_CONTENT, b"", TEXT)


@cache
def open_page() -> PersonPage:
    """Serves the page of this process from now on, and prints its address on standard error."""
    person = PersonPage()
    server = PageServer((HOST, 0), partial(_PersonHandler, person=person))
    Thread(target=server.serve_forever, name="person's page", daemon=True).start()
    person.address = f"http://{HOST}:{server.server_port}/{person.key}/"
    print(TOLD.format(address=person.address), file=sys.stderr, flush=True)
    return person
