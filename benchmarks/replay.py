"""The page that replays an episode: its size, how long it takes to write and to open, and how quickly it steps."""

from __future__ import annotations

import asyncio
import shutil
import time
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from benchmarks.soak import Endless
from benchmarks.stage import set_up
from hm_agent.core import Recorder
from hm_agent.episode import run_episode
from hm_agent.recording.replay.recorder import PAGE, ReplayRecorder
from hm_agent.recording.result import Result
from hm_agent.recording.trace import TraceRecorder
from hm_agent.testing.browsers import BROWSERS, QUIET
from hm_agent.worlds.melting_pot.scenarios import find_scenarios

STEPPING = """async () => {
  const took = [];
  for (let i = 0; i < 600; i++) {
    await new Promise(requestAnimationFrame);
    const begun = performance.now();
    replay.select(i);
    document.body.getBoundingClientRect();
    took.push(performance.now() - begun);
  }
  return took.sort((a, b) => a - b);
}"""
"""How long each of 600 steps takes, in ms: everything on the page shown anew and laid out."""


@dataclass(frozen=True)
class Target:
    """An episode, and how many MB its page may have."""

    scenario: str
    steps: int
    megabytes: float


TARGETS = (Target("rws_repeated_1", 1400, 6.0), Target("rws_arena_0", 5000, 25.0))


def record(target: Target, folder: Path) -> float:
    """Plays an episode of so many steps and writes its page; returns how many seconds the writing took."""
    (scenario,) = find_scenarios([target.scenario])
    world, agent = set_up(scenario, 0)
    replay = ReplayRecorder(world, folder, scenario)
    recorders: list[Recorder] = [TraceRecorder(folder / "trace.jsonl"), replay]
    asyncio.run(run_episode(Endless(world), agent, seed=0, max_steps=target.steps, recorders=recorders))
    started = time.perf_counter()
    replay.write(_result(scenario.name, target.steps))
    took = time.perf_counter() - started
    world.close()
    return took


def _result(scenario: str, steps: int) -> Result:
    """An episode of which only the page's head tells."""
    known = {"scenario": scenario, "agent": "hypothetical_minds", "model": "builtin", "status": "max_steps"}
    counts = dict.fromkeys((field.name for field in fields(Result) if field.name not in known), 0)
    texts = {"reason": "", "bots": "scripted", "background": (), "versions": {}, "settings": {"threshold": 0.7}}
    return Result(**(counts | known | texts | {"steps": steps}))  # type: ignore[arg-type]


def open_page(browser: Browser, path: Path) -> tuple[float, list[float]]:
    """Seconds from asking for the page to its first frame, and ms for each step, the quickest first."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    started = time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("#main:not([hidden])")
    opened = time.perf_counter() - started
    stepping: list[float] = page.evaluate(STEPPING)
    page.close()
    return opened, stepping


def measure(browser: Browser, target: Target, folder: Path, written: float) -> str:
    """A row of the table; what is to be reached stands in brackets."""
    path = folder / PAGE
    opened, stepping = open_page(browser, path)
    median, late = stepping[len(stepping) // 2], stepping[int(0.99 * len(stepping))]
    cells = (
        f"`{target.scenario}`, {target.steps:,} steps",
        f"{path.stat().st_size / 1e6:.2f} MB ({target.megabytes:g})",
        f"{written:.2f} s (3)",
        f"{opened:.2f} s (1)",
        f"{median:.1f} ms (16.7)",
        f"{late:.1f} ms",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with TemporaryDirectory() as place:
        folders = [Path(place) / target.scenario for target in TARGETS]
        for folder in folders:
            folder.mkdir()
        written = [record(target, folder) for target, folder in zip(TARGETS, folders, strict=True)]
        print("| episode | page (at most) | written in | first frame after | a step, median | 99% within |")
        print("| --- | --- | --- | --- | --- | --- |")
        with sync_playwright() as playwright:  # no event loop of ours may run beside Playwright's
            browser = playwright.chromium.launch(executable_path=found, args=QUIET)
            for target, folder, took in zip(TARGETS, folders, written, strict=True):
                print(measure(browser, target, folder, took))
            browser.close()
