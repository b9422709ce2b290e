"""The installed package: a wheel carries what the package reads, and works from an empty folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of

ROOT = Path(__file__).parents[1]
ASK = """
from hm_agent.config import data_folder
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.models.prompts import environment
from hm_agent.pages.rendering import SHARED
from hm_agent.recording.replay.page import TEMPLATES as REPLAY
from hm_agent.reporting.pages import TEMPLATES
import hm_agent.worlds.melting_pot.games.matrix.map_seat  # registers the filters of its template
scenarios = find_scenarios(["rws_repeated_*"])
scripts = suites()["melting_pot"].viewer(scenarios[0]).scripts[0].parent
folders, prompts = (TEMPLATES, REPLAY, SHARED, scripts), data_folder("prompts")
names = [path.relative_to(prompts).as_posix() for path in prompts.rglob("*.j2")]
files = [path.name for folder in folders for path in folder.iterdir()]
templates = [*(environment().get_template(name).name for name in names), *files]
print(data_folder("scenarios"), len(scenarios), *templates, sep="\\n")
"""
IN_A_NOTEBOOK = """
import hm_agent
class Still(hm_agent.Agent):
    usage = hm_agent.Usage()
    async def act(self, observation): return hm_agent.Decision(0)
    def metrics(self): return {"acted": 1.0}
hm_agent.register_agent("still", lambda setup: Still())
results = hm_agent.play("rws_repeated_1", agent=["hypothetical_minds", "still"], max_steps=100)
results
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheel in it, and what it needs beside it."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    for command in (
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", f"--outdir={folder}", str(ROOT)],
        [sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")],
    ):
        subprocess.run(command, check=True, capture_output=True, text=True)
    (wheel,) = folder.glob("*.whl")
    python = folder / "venv" / "bin" / "python"
    into = [*pip, f"--python={python}", "install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)]
    subprocess.run(into, check=True, capture_output=True, text=True)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the modules that docs/python.md and docs/your_agent.md show or link, and nothing else."""
    folder = tmp_path_factory.mktemp("examples")
    pages = "".join((ROOT / "docs" / name).read_text("utf-8") for name in ("python.md", "your_agent.md"))
    for code, name in re.findall(r"```python\n(# (my_\w+\.py)\n.*?)```", pages, re.DOTALL):
        (folder / name).write_text(code)
    for path in (ROOT / "docs" / "examples").glob("*.py"):
        (folder / path.name).write_text(path.read_text("utf-8"))
    return folder


def run(command: list[object], cwd: Path, environment: Mapping[str, str] | None = None) -> str:
    """Its output; fails with what it complains of."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env = kept | dict(environment or {})
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=cwd, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_scenarios_prompts_and_templates_are_found_in_an_installed_wheel(installed: Path, tmp_path: Path) -> None:
    folder, count, *templates = run([installed, "-I", "-c", ASK], tmp_path).splitlines()
    assert Path(folder).parts[-3:] == ("site-packages", "hm_agent", "scenarios")
    assert Path(folder).is_relative_to(installed.parents[1])
    assert count == "9"
    assert {
        "melting_pot/matrix/map_blocks.j2",
        "report.html.j2",
        "index.js.j2",
        "replay.css",
        "main.js",
        "substrate.js",
        "colours.css.j2",
    } <= set(templates)


def test_a_source_archive_has_what_make_and_its_pages_need(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", f"--outdir={tmp_path}", str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        content.extractall(tmp_path, filter="data")
    folder = archive.with_name(archive.name.removesuffix(".tar.gz"))
    run(["make", "--dry-run", "lint"], folder)
    pages = re.findall(r"\]\((?!https?:)([^)#]+)", (folder / "README.md").read_text("utf-8"))
    assert pages
    assert not [page for page in pages if not (folder / page).exists()]


def test_importing_the_package_imports_no_simulator_and_no_numpy(installed: Path, tmp_path: Path) -> None:
    ask = (
        "import hm_agent, sys; print(*sys.modules);"
        "hm_agent.play, hm_agent.load, hm_agent.register_world; print(*sys.modules)"
    )
    at_first, later = (line.split() for line in run([installed, "-I", "-c", ask], tmp_path).splitlines())
    assert not {"numpy", "rich", "meltingpot", "tensorflow", "jax"} & set(at_first)
    assert not {"meltingpot", "tensorflow", "jax"} & set(later)


EXAMPLES = {
    "my_agent.py": r"wanderer +\S+ +reward per 1,200 steps +\d",
    "my_strategist.py": r"last_move +\d+\.\d+ +reward per 1,200 steps",
    "my_model.py": r"reader +last_word +\d+\.\d+ .* 16 +0",
    "my_recorder.py": "",
    "my_policy.py": r"trained +9\.\d",
}
"""The documentation's examples, and what each prints."""


def test_examples_of_the_documentation_run_isolated(installed: Path, examples: Path) -> None:
    one_by_one = "import runpy, sys; [runpy.run_path(path, run_name='__main__') for path in sys.argv[1:]]"
    output = run([installed, "-I", "-c", one_by_one, *EXAMPLES], examples)
    for example, printed in EXAMPLES.items():
        assert re.search(printed, output), example
        lines = (examples / example).read_text().splitlines()
        assert len([line for line in lines if line.strip()]) <= 35, example


def test_forty_lines_play_two_worlds_by_their_own_prompts(installed: Path, examples: Path) -> None:
    lines = (examples / "my_own_agent.py").read_text().splitlines()
    assert len([line for line in lines if line.strip()]) == 40
    play = ["play", "--scenario=rws_repeated_1,enacttom_one_window", "--agent=my_own_agent:build", "--noreplay"]
    flags = ["--max_steps=9", "--literal=0", "--bots=scripted", "--model=loopback", "--out=own"]
    with Endpoint(moves_or_command) as served:
        run([installed.with_name("hm-agent"), *play, *flags, f"--base_url={served.base_url}"], examples)
    found = {path.parts[-5]: json.loads(path.read_text()) for path in examples.glob("own/*/*/*/*/result.json")}
    asked = {name: (each["steps"], each["questions"], each["unanswered_questions"]) for name, each in found.items()}
    assert set(asked.values()) == {(9, 3, 0), (9, 18, 0)}
    prompts = [prompt_of(request.body) for request in served.received]
    assert any("Player position: (" in prompt for prompt in prompts)
    assert any("Write one of Wait[], Navigate[" in prompt for prompt in prompts)


def moves_or_command(body: Mapping[str, Any]) -> Response:
    """Four moves, or the last command that the prompt offers."""
    prompt = prompt_of(body)
    if "moves" in prompt:
        return completion('{"moves": ["forward", "Turn left", "forward", "fire"]}', prompt=prompt)
    (offered,) = re.findall(r"Write one of (.*) or Communicate", prompt)
    return completion(json.dumps({"command": offered.rpartition(", ")[2]}), prompt=prompt)


def test_the_command_takes_a_model_and_a_recorder_by_their_place(installed: Path, examples: Path) -> None:
    flags = ["--model=python:my_model:build", "--recorder=my_recorder:ScalarRecorder", "--noreplay", "--out=typed"]
    command = installed.with_name("hm-agent")
    run([command, "play", "--scenario=exploretom_a1", "--agent=reader", *flags], examples)
    (episode,) = (examples / "typed").glob("*/reader/*/episode-0")
    scalars = (episode / "scalars.csv").read_text().splitlines()
    result = json.loads((episode / "result.json").read_text())
    assert scalars[-1] == f"15,questions,{result['questions']}"
    assert float(scalars[-2].split(",")[2]) == result["reward"] > 0


def test_a_notebook_plays_and_shows_progress(installed: Path, tmp_path: Path) -> None:
    import nbclient
    from nbformat.v4 import new_code_cell, new_notebook

    kernel = tmp_path / "jupyter" / "kernels" / "wheel"
    kernel.mkdir(parents=True)
    argv = [str(installed), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "wheel", "language": "python"}))
    (work := tmp_path / "work").mkdir()
    notebook = new_notebook(cells=[new_code_cell(IN_A_NOTEBOOK), new_code_cell("assert len(results) == 2")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
        patch.delenv("PYTHONPATH", raising=False)
        client = nbclient.NotebookClient(
            notebook, timeout=120, kernel_name="wheel", resources={"metadata": {"path": work}}
        )
        client.execute()
    outputs = notebook.cells[0].outputs
    shown = [output.data.get("text/plain", "") for output in outputs if output.output_type == "display_data"]
    assert any("2/2" in text for text in shown)
    assert "reward per 1,200 steps" in outputs[-1].data["text/html"]
    assert (work / "runs" / "index.html").is_file()
