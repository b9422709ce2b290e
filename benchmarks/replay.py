"""A replay's page: its size, and the time to write it, to open it and to step through it."""

from __future__ import annotations

import asyncio
import shutil
import time
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import Recorder
from hm_agent.episode import run_episode
from hm_agent.recording.replay.recorder import PAGE, ReplayRecorder
from hm_agent.recording.result import Result
from hm_agent.recording.trace import TraceRecorder
from hm_agent.testing.episodes import seat_agents, settled
from tests.support.browsers import BROWSERS, QUIET
from tests.support.memory_growth import EndlessWorld

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
"""Milliseconds for each of 600 steps, including layout, the quickest first."""


@dataclass(frozen=True)
class Target:
    """An episode and the largest size of its page."""

    scenario: str
    steps: int
    megabytes: float


TARGETS = (Target("rws_repeated_1", 1400, 6.0), Target("rws_arena_0", 5000, 25.0))


def record(target: Target, folder: Path) -> float:
    """Plays an episode and writes its page; returns the seconds that writing the page took."""
    (scenario,) = find_scenarios([target.scenario])
    suite, options = suites()[scenario.world], settled(scenario, bots="scripted")
    world = suite.open(scenario, options)
    agents = seat_agents(world, scenario, options=options)
    replay = ReplayRecorder(suite.viewer(scenario), folder, scenario)
    recorders: list[Recorder] = [TraceRecorder(folder / "trace.jsonl"), replay]
    outcome = asyncio.run(run_episode(EndlessWorld(world), agents, seed=0, max_steps=target.steps, recorders=recorders))
    assert outcome.steps == target.steps, outcome
    started = time.perf_counter()
    replay.write(_result(scenario, target.steps))
    took = time.perf_counter() - started
    world.close()
    return took


def _result(scenario: ScenarioInfo, steps: int) -> Result:
    """A result with the fields that the page's head shows; all others are zero."""
    zeros = dict.fromkeys((field.name for field in fields(Result)), 0)
    identity = {"world": scenario.world, "scenario": scenario.name, "agent": "hypothetical_minds", "model": "builtin"}
    outcome = {"status": "max_steps", "reason": "", "steps": steps, "metrics": {}, "background": (), "seats": ()}
    origin = {"versions": {}, "settings": {"bots": "scripted"}, "format": 2}
    return Result(**(zeros | identity | outcome | origin))  # type: ignore[arg-type]


def open_page(browser: Browser, path: Path) -> tuple[float, list[float]]:
    """Seconds from requesting the page to its first frame, and milliseconds for each step, the quickest first."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    started = time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("#main:not([hidden])")
    opened = time.perf_counter() - started
    stepping: list[float] = page.evaluate(STEPPING)
    page.close()
    return opened, stepping


def measure(browser: Browser, target: Target, folder: Path, written: float) -> str:
    """A row of the table, with the targets in brackets."""
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
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with TemporaryDirectory() as place:
        folders = [Path(place) / target.scenario for target in TARGETS]
        for folder in folders:
            folder.mkdir()
        written = [record(target, folder) for target, folder in zip(TARGETS, folders, strict=True)]
        print("| episode | page (at most) | written in | first frame after | a step, median | 99% within |")
        print("| --- | --- | --- | --- | --- | --- |")
        with sync_playwright() as playwright:  # Playwright refuses to start while another event loop runs
            browser = playwright.chromium.launch(executable_path=program, args=QUIET)
            for target, folder, took in zip(TARGETS, folders, written, strict=True):
                print(measure(browser, target, folder, took))
            browser.close()
