"""The memory, open files and threads of a process that plays a long episode and many episodes.

A simulator's own episode ends after some 1,000 steps, and a new one is built for the next steps of the long episode.
The memory that the first of these adds is that of a second simulator and does not grow with steps, so that growth is
also shown from there; the target is for growth from the beginning.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.memory_growth import MAX_GROWTH, SCENARIO, WARM_UP_STEPS, memory_by_step, resources_around

STEPS = 20_000
REBUILT = 2_000
"""Steps after which the simulator has been rebuilt at least once."""
EPISODES = 50


def main() -> None:
    with TemporaryDirectory() as folder:
        bytes_by_step = memory_by_step(Path(folder), STEPS)
        before, after = resources_around(Path(folder), EPISODES)
    growth = bytes_by_step[STEPS] - bytes_by_step[WARM_UP_STEPS]
    print("| what | target | measured |\n| --- | --- | --- |")
    print(
        f"| MB more after {STEPS} steps than after {WARM_UP_STEPS} of {SCENARIO} "
        f"| {MAX_GROWTH / 1e6:g} | {growth / 1e6:.1f} |"
    )
    later = bytes_by_step[STEPS] - bytes_by_step[REBUILT]
    print(f"| MB of these that came after {REBUILT} steps | - | {later / 1e6:.1f} |")
    print(f"| files open after {EPISODES} more episodes | {len(before.files)} | {len(after.files)} |")
    print(f"| threads after {EPISODES} more episodes | {before.threads} | {after.threads} |")
    print("\nMB by steps:", ", ".join(f"{steps}: {size / 1e6:.0f}" for steps, size in bytes_by_step.items()))
    if growth > MAX_GROWTH or before != after:
        sys.exit(f"memory grew by too much, or files or threads were left open: {before} {after}")
