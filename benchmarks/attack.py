"""Runs all attacks of `tests.support.attack` on the whole command, by default for twenty minutes together."""

from __future__ import annotations

import os
import sys
import time

from tests.support.attack import ATTACKS, run_attack

SECONDS = float(os.environ.get("ATTACK_SECONDS", "1200"))
"""Seconds for all attacks together, each of which gets the same share."""


def main() -> None:
    seed = int(time.time())
    print(f"seed {seed}\n\n| attack | attempts | seconds | broken |\n| --- | --- | --- | --- |")
    broken: list[str] = []
    for name in ATTACKS:
        started = time.perf_counter()
        findings = run_attack(name, SECONDS / len(ATTACKS), seed)
        seconds = time.perf_counter() - started
        print(f"| {name} | {findings.attempts:,} | {seconds:.0f} | {len(findings.broken)} |", flush=True)
        broken += [f"{name}: {finding}" for finding in findings.broken]
    if broken:
        sys.exit("\n".join(["what broke:", *broken[:50]]))
