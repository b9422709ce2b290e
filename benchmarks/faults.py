"""A grid of episodes against an endpoint that is out of order now and then; every episode is to end as without."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from hm_agent.testing.commands import call, outcomes
from hm_agent.testing.endpoint import Endpoint, Response, refusal
from hm_agent.testing.melting_pot import text_player

SHARES: Mapping[str, float] = {"429": 0.08, "500": 0.04, "garbage": 0.03, "hang": 0.02, "drop": 0.01}
"""How much of all requests meets which fault."""
TIMEOUT = 2.0
FAULTS: Mapping[str, Response] = {
    "429": refusal(429, "slow down", headers={"retry-after-ms": "20"}),
    "500": refusal(500, "an accident"),
    "garbage": Response(body=b"<html>come back later</html>"),
    "hang": Response(hang=10 * TIMEOUT),
    "drop": Response(drop=True),
}
SCENARIOS = "rws_repeated_*,pd_repeated_0,rws_arena_0,cooking_*_0"
EPISODES = 60
WORKERS = 4


@dataclass
class Faulty:
    """Plays, but for the faults. Which request meets one follows from its words and how often it came before.

    The very first is spared, for an endpoint that has never worked is given up.
    """

    shares: Mapping[str, float] = field(default_factory=lambda: SHARES)
    met: Counter[str] = field(default_factory=Counter)
    _times: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def answer(self, body: dict[str, Any]) -> Response:
        fault = self._fault(json.dumps(body["messages"]))
        return FAULTS[fault] if fault else text_player.answer(body)

    def _fault(self, words: str) -> str | None:
        with self._lock:
            self._times[words] += 1
            fault = _drawn(f"{self._times[words]}/{words}", self.shares) if self.met else None
            self.met[fault or "answered"] += 1
        return fault


def _drawn(words: str, shares: Mapping[str, float]) -> str | None:
    drawn = int.from_bytes(hashlib.sha256(words.encode()).digest()[:4]) / 2**32
    for fault, share in shares.items():
        if (drawn := drawn - share) < 0:
            return fault
    return None


@dataclass(frozen=True)
class Played:
    """What a grid came to. met: how many requests met which fault."""

    status: int
    errors: str
    outcomes: Mapping[str, object]
    met: Mapping[str, int]

    @property
    def results(self) -> list[dict[str, Any]]:
        return [result for result in self.outcomes.values() if isinstance(result, dict)]

    @property
    def rewards(self) -> list[float]:
        return [result["reward"] for result in self.results]


def play(out: Path, shares: Mapping[str, float], episodes: int, scenarios: str, steps: int) -> Played:
    """Plays so many episodes of each scenario by the whole command."""
    faulty = Faulty(shares)
    with Endpoint(faulty.answer) as server:
        flags = [f"--scenario={scenarios}", f"--episodes={episodes}", f"--max_steps={steps}", "--bots=scripted"]
        flags += [f"--workers={WORKERS}", "--model=loopback", f"--base_url={server.base_url}", f"--out={out}"]
        status, _, errors = call(str(out), *flags, f"--timeout={TIMEOUT}", "--retries=2")
    return Played(status, errors, outcomes(out), faulty.met)


def main() -> None:
    with TemporaryDirectory() as folder:
        calm, stormy = (
            play(Path(folder) / name, shares, 5, SCENARIOS, steps=200)
            for name, shares in (("calm", {}), ("stormy", SHARES))
        )
    asked = sum(stormy.met.values())
    print("| what | target | measured |\n| --- | --- | --- |")
    print(f"| episodes | {EPISODES} | {len(stormy.results)} |")
    print(f"| fewest questions of an episode | 5 | {min(result['questions'] for result in stormy.results)} |")
    for fault, share in SHARES.items():
        print(f"| requests that met: {fault} | {share:.0%} | {stormy.met[fault]} of {asked} |")
    print(f"| episodes that ended as without faults | all | {_same(calm, stormy)} of {len(calm.results)} |")
    if (stormy.status, calm.outcomes) != (0, stormy.outcomes):
        sys.exit(f"exit status {stormy.status}: {stormy.errors}")


def _same(calm: Played, stormy: Played) -> int:
    return sum(stormy.outcomes.get(place) == result for place, result in calm.outcomes.items() if "result" in place)
