"""The installed package: a wheel carries what the package reads."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
ASK = """
from hm_agent.config import data_folder
from hm_agent.registry import find_scenarios, suites
from hm_agent.models.prompts import environment
from hm_agent.pages.rendering import SHARED
from hm_agent.recording.replay.page import TEMPLATES as REPLAY
from hm_agent.reporting.pages import TEMPLATES
scenarios = find_scenarios(["rws_repeated_*"])
scripts = suites()["melting_pot"].viewer(scenarios[0]).scripts[0].parent
folders, prompts = (TEMPLATES, REPLAY, SHARED, scripts), data_folder("prompts")
names = [path.relative_to(prompts).as_posix() for path in prompts.rglob("*.j2")]
files = [path.name for folder in folders for path in folder.iterdir()]
templates = [*(environment().get_template(name).name for name in names), *files]
print(data_folder("scenarios"), len(scenarios), *templates, sep="\\n")
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
        "melting_pot/matrix/plan_subgoals.j2",
        "report.html.j2",
        "index.js.j2",
        "replay.css",
        "main.js",
        "substrate.js",
        "colours.css.j2",
    } <= set(templates)
