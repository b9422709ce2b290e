"""Plays a grid of episodes with an endpoint that sometimes fails; the episodes should end as without faults."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.faults import SHARES, GridOutcome, play

SCENARIOS = "rws_repeated_*,pd_repeated_0,rws_arena_0,cooking_asymmetric_0"
EPISODES = 60


def main() -> None:
    with TemporaryDirectory() as folder:
        calm, faulty = (
            play(Path(folder) / name, shares, 5, SCENARIOS, steps=200)
            for name, shares in (("calm", {}), ("faulty", SHARES))
        )
    requests = sum(faulty.faults.values())
    print("| what | target | measured |\n| --- | --- | --- |")
    print(f"| episodes | {EPISODES} | {len(faulty.results)} |")
    print(f"| fewest questions of an episode | 5 | {min(result['questions'] for result in faulty.results)} |")
    for fault, share in SHARES.items():
        print(f"| requests that met: {fault} | {share:.0%} | {faulty.faults[fault]} of {requests} |")
    print(f"| episodes that ended as without faults | all | {_same(calm, faulty)} of {len(calm.results)} |")
    if (faulty.status, calm.outcomes) != (0, faulty.outcomes):
        sys.exit(f"exit status {faulty.status}: {faulty.errors}")


def _same(calm: GridOutcome, faulty: GridOutcome) -> int:
    return sum(faulty.outcomes.get(place) == result for place, result in calm.outcomes.items() if "result" in place)
