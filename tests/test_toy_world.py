"""A world from a package of its own: played, recorded, replayed and reported without a line of hm_agent changed.

The package in tests/toy_world/ is the example of docs/adding_a_world.md. It is installed into a folder of its own, and
is known by its entry points alone.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hm_agent.recording.result import read_result
from hm_agent.recording.trace import read_trace
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
TOY = ROOT / "tests" / "toy_world"
MOST_LINES = 150


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package is installed into."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target"]
    subprocess.run([*command, str(folder), str(TOY)], check=True, capture_output=True)
    return folder


def hm_agent(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in another folder, with the package installed."""
    program = "import sys; from hm_agent.command_line.cli import main; sys.exit(main(['hm-agent', *sys.argv[1:]]))"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        check=False,
    )


def answer(body: dict[str, Any]) -> Response:
    """A language model that says what is asked for, from the words of the prompt."""
    prompt = prompt_of(body)
    seen = re.search(r"The card is (\w+)|You heard: (\w+)", prompt)
    colour = next(filter(None, seen.groups())) if seen else "red"
    said = {"colour": colour, "behaviour": "honest", "hypothesis": "It says what it sees."}
    return completion(json.dumps(said), prompt=prompt)


@pytest.fixture(scope="module")
def runs(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two conditions by the reasoner, one by a language model over HTTP."""
    folder = tmp_path_factory.mktemp("work")
    play = ("play", "--scenario=card_talk", "--out=runs")
    reasoned = hm_agent(installed, folder, *play, "--agent=hypothetical_minds,trusting", "--episodes=2")
    assert reasoned.returncode == 0, reasoned.stderr
    with Endpoint(answer) as server:
        asked = hm_agent(installed, folder, *play, *server.flags)
        assert len(server.received) > 20
    assert asked.returncode == 0, asked.stderr
    return folder / "runs"


def test_toy_world_is_as_short_as_the_documentation_says() -> None:
    code = (TOY / "card_talk" / "__init__.py").read_text().splitlines()
    assert sum(bool(line.strip()) for line in code) <= MOST_LINES


def test_every_seat_is_played_and_paid(runs: Path) -> None:
    results = [read_result(path) for path in runs.rglob("result.json")]
    assert len(results) == 5
    for result in results:
        assert result is not None
        assert (result.world, result.status, result.steps) == ("card_talk", "completed", 20)
        assert result.unanswered_questions == 0
        assert result.metrics["share_right"] == 1.0
        assert [seat.seat for seat in result.seats] == ["sender", "receiver"]
        assert [seat.reward for seat in result.seats] == [10.0, 10.0]


def test_trace_holds_messages_beliefs_and_the_turns_of_each_seat(runs: Path) -> None:
    episode = runs / "card_talk/hypothetical_minds/builtin/episode-0"
    traced = list(read_trace(episode / "trace.jsonl"))
    lines = [line for line in traced if "action" in line]
    assert [line["seat"] for line in lines] == ["sender", "receiver"] * 10
    for sender, receiver in zip(lines[::2], lines[1::2], strict=True):
        assert (sender["state"].get("heard"), receiver["state"].get("card")) == (None, None)
        assert receiver["state"]["heard"] == sender["action"] == sender["state"]["card"]
    validated = [line["validated"] for line in lines if "validated" in line]
    assert validated == ["honest"] * len(validated) != []
    played = read_result(episode / "result.json")
    assert played is not None
    for seat in played.seats:
        assert sum(line["reward"] for line in traced if line["seat"] == seat.seat) == seat.reward > 0


def test_report_compares_the_agents_by_the_metric_of_the_world(runs: Path) -> None:
    report = (runs / "report" / "report.md").read_text()
    assert "share of cards named rightly" in report.lower()
    assert "trusting" in report
    assert "card_talk" in (runs / "index.html").read_text()


def test_replay_shows_either_seat(runs: Path, browser: Browser) -> None:
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((runs / "card_talk/hypothetical_minds/builtin/episode-0/replay.html").as_uri() + "#step=3&seat=receiver")
    page.wait_for_function("window.replay !== undefined")
    assert "heard" in page.inner_text("main")
    page.keyboard.press("s")
    assert "card" in page.inner_text("main")
    assert not problems


def test_an_agent_that_the_world_has_no_body_for_is_refused_before_anything_is_played(
    installed: Path, tmp_path: Path
) -> None:
    refused = hm_agent(installed, tmp_path, "play", "--scenario=card_talk", "--agent=he_hr", "--out=runs")
    assert refused.returncode == 2
    why = "it needs StrategyValuing, which card_talk does not offer there"
    able = "hypothetical_minds, react, reflexion, mmp, mmp_he, human, trusting"
    assert refused.stderr == f"hm-agent play: he_hr can't play card_talk ({why}): {able} can\n"
    assert not (tmp_path / "runs").exists()


def test_list_names_world_and_agent_of_the_other_package(installed: Path, tmp_path: Path) -> None:
    listed = hm_agent(installed, tmp_path, "list").stdout
    assert "Scenarios of Card talk:" in listed
    assert "believes everything" in listed
