"""Plays a grid of episodes against an endpoint that sometimes fails; the episodes should end as without faults."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from hm_agent.testing.endpoint import Answer, Endpoint, Response, refusal
from tests.support.commands import call, outcomes
from tests.support.melting_pot import text_player

SHARES: Mapping[str, float] = {"429": 0.08, "500": 0.04, "garbage": 0.03, "hang": 0.02, "drop": 0.01}
"""The share of all requests that are answered with each fault."""
TIMEOUT = 2.0
FAULTS: Mapping[str, Response] = {
    "429": refusal(429, "slow down", headers={"retry-after-ms": "20"}),
    "500": refusal(500, "an accident"),
    "garbage": Response(body=b"<html>come back later</html>"),
    "hang": Response(hang=10 * TIMEOUT),
    "drop": Response(drop=True),
}
SOON = {"retry-after-ms": "20"}
_STATUSES = (408, 409, 425, 500, 502, 503, 504, 520, 522, 529, 599)
_REFUSALS: Mapping[str, Response] = {
    **{f"status {status}": refusal(status, "later", headers=SOON) for status in _STATUSES},
    **{
        f"429, retry after {delay!r}": refusal(429, "slow down", headers={"retry-after": delay})
        for delay in ("0.02", "-1", "nan", "1e999", "Thu, 01 Jan 1970 00:00:00 GMT", "soon")
    },
    "500 without a word": Response(500, headers=SOON),
    "503 with a long page": Response(503, b"<p>" * 300_000, headers=SOON),
    "502 with bytes that are no text": Response(502, b"\xff\xfe" * 100, headers=SOON),
    "503 with control characters": Response(503, b"\x1b[2J\x00\x07", headers=SOON),
}
_BODIES: Mapping[str, bytes] = {
    "nothing": b"",
    "a page": b"<html>come back later</html>",
    "half a completion": b'{"choices": [{"mess',
    "a list": b"[1]",
    "a number": b"1",
    "null": b"null",
    "a string": b'"fine"',
    "an empty object": b"{}",
    "choices null": b'{"choices": null}',
    "choices a number": b'{"choices": 1}',
    "a choice null": b'{"choices": [null]}',
    "a choice without message": b'{"choices": [{}]}',
    "a message null": b'{"choices": [{"message": null}]}',
    "a message a list": b'{"choices": [{"message": []}]}',
    "an error with status 200": b'{"error": {"message": "Provider returned error", "code": 502}}',
    "bytes that are no text": b'{"choices": "\xff"}',
    "deep nesting": b"[" * 100_000,
    "not a number": b"NaN",
    "a huge number": b"1" * 10_000,
}
_TRANSPORT: Mapping[str, Response] = {
    "a hang": Response(hang=10 * TIMEOUT),
    "a drop": Response(drop=True),
    "compressed, it says": Response(body=b"fine", headers={"Content-Encoding": "gzip"}),
    "longer, it says": Response(body=b"{}", headers={"Content-Length": "1000"}),
    "in chunks, it says": Response(body=b"fine", headers={"Transfer-Encoding": "chunked"}),
}
KINDS: Mapping[str, Response] = {
    **_REFUSALS,
    **{f"200 with {name}": Response(body=body) for name, body in _BODIES.items()},
    **_TRANSPORT,
}
"""More than forty kinds of faults, none of which is a valid answer."""
WORKERS = 4


@dataclass
class FaultyPlayer:
    """A player whose answers are sometimes replaced by faults. counts: requests by fault, or `answered`.

    A request's fault depends only on its messages and on how often they were sent before. The very first request is
    always answered, since a run gives up on an endpoint that has never worked.
    """

    shares: Mapping[str, float] = field(default_factory=lambda: SHARES)
    faults: Mapping[str, Response] = field(default_factory=lambda: FAULTS)
    player: Answer = text_player.answer
    counts: Counter[str] = field(default_factory=Counter)
    _times: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def answer(self, body: dict[str, Any]) -> Response:
        words = json.dumps(body["messages"])
        with self._lock:
            self._times[words] += 1
            fault = _drawn(f"{self._times[words]}/{words}", self.shares) if self.counts else None
            self.counts[fault or "answered"] += 1
        return self.faults[fault] if fault else self.player(body)


def _drawn(words: str, shares: Mapping[str, float]) -> str | None:
    """Draws a fault by the shares, or None; the random number is a hash of the words."""
    drawn = int.from_bytes(hashlib.sha256(words.encode()).digest()[:4]) / 2**32
    for fault, share in shares.items():
        if (drawn := drawn - share) < 0:
            return fault
    return None


@dataclass(frozen=True)
class GridOutcome:
    """How a command ended, its results and traces by path, and how many requests each fault met."""

    status: int
    errors: str
    outcomes: Mapping[str, object]
    faults: Mapping[str, int]

    @property
    def results(self) -> list[dict[str, Any]]:
        return [result for result in self.outcomes.values() if isinstance(result, dict)]


def play(out: Path, shares: Mapping[str, float], episodes: int, scenarios: str, steps: int) -> GridOutcome:
    """Plays `episodes` episodes of each scenario with the whole command. shares: of each fault among the requests."""
    faulty = FaultyPlayer(shares)
    with Endpoint(faulty.answer) as server:
        flags = [f"--scenario={scenarios}", f"--episodes={episodes}", f"--max_steps={steps}", "--bots=scripted"]
        flags += [f"--workers={WORKERS}", *server.flags, f"--out={out}"]
        status, _, errors = call(str(out), *flags, f"--timeout={TIMEOUT}", "--retries=2")
    return GridOutcome(status, errors, outcomes(out), faulty.counts)
