"""The installed package: a wheel carries what the package reads."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
ASK = """
from hm_agent.config import data_folder
from hm_agent.worlds.melting_pot.scenarios import find_scenarios
from hm_agent.models.prompts import environment
from hm_agent.pages.rendering import SHARED
from hm_agent.recording.replay.page import TEMPLATES as REPLAY
from hm_agent.reporting.pages import TEMPLATES
folders = (TEMPLATES, REPLAY, SHARED)
templates = (*environment().list_templates(), *(path.name for folder in folders for path in folder.iterdir()))
print(data_folder("scenarios"), len(find_scenarios(["rws_repeated_*"])), *templates, sep="\\n")
"""


def test_scenarios_prompts_and_templates_are_found_in_an_installed_wheel(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", f"--outdir={tmp_path}", str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    asked = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(site)!r})\n{ASK}"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    folder, count, *templates = asked.stdout.splitlines()
    assert Path(folder) == site / "hm_agent" / "scenarios"
    assert count == "9"
    assert {
        "matrix/plan_subgoals.j2",
        "report.html.j2",
        "index.js.j2",
        "replay.css",
        "main.js",
        "colours.css.j2",
    } <= set(templates)
