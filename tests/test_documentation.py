"""What the documentation says: links lead somewhere, commands are taken, targets exist, every page is in the site."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from hm_agent.catalogue.registry import suites
from hm_agent.command_line import flags, requested
from hm_agent.command_line.cli import TOOLS
from hm_agent.command_line.commands import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
RESULTS = sorted((ROOT / "benchmarks" / "results").rglob("*.md"))
NOT_HERE = ("--agent=my_", "--prompts_dir", "--checkpoint=", "--dataset=", "--model=local:")
"""How flags begin that name what commands before it on the page leave, or what an extra brings."""
OWN_SCENARIOS = "--scenarios_dir="
"""How the flag begins that names a folder of scenarios, which commands before it on the page make."""
MOST_LINES = 150
"""Of the README, so that it is read."""


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as MkDocs and GitHub name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def code_lines(page: Path) -> Iterator[str]:
    """The lines of a page's fenced code, continued ones joined, comments left out."""
    for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            yield re.sub(r"\s+# .*", "", line).strip()


def commands(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """(page, arguments) of all commands of hm-agent with this name."""
    start = re.compile(rf"(?:\.venv/bin/)?hm-agent {name} ")
    return [
        (page.name, tuple(shlex.split(line[found.end() :])))
        for page in PAGES
        for line in code_lines(page)
        if (found := start.match(line))
    ]


def test_links_lead_somewhere() -> None:
    for page in (*PAGES, *RESULTS):
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
            if not link.startswith(("http:", "https:")):
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                assert target.exists(), f"{name_of(page)} links to {link}"
                assert not anchor or anchor in anchors(target), f"{name_of(page)} links to {link}"


def test_every_flag_stands_on_a_page() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    groups = [*flags.GROUPS.items(), *flags.BATTERY_GROUPS.items()]
    names = {"flagfile", *(flag for title, group in groups for flag in group if title != "Help")}
    assert {name for name in names if not re.search(rf"--(no)?{name}\b", text)} == set()


@pytest.mark.parametrize(("page", "arguments"), commands("play"))
def test_commands_that_play_are_taken(
    page: str, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    flags.parse(("hm-agent play", *(said for said in arguments if not said.startswith(NOT_HERE))))
    if any(said.startswith(OWN_SCENARIOS) for said in arguments):
        return
    experiment = requested.experiment()
    if not any(said.startswith(NOT_HERE) for said in arguments):
        experiment.check()
    assert experiment.scenarios, page


@pytest.mark.parametrize(("page", "arguments"), [*commands("report"), *commands("orders")])
def test_commands_that_read_runs_are_taken(page: str, arguments: tuple[str, ...]) -> None:
    flags.parse(("hm-agent report", *arguments))
    assert requested.report_request(after_playing=False).folders, page


def test_commands_that_are_named_exist() -> None:
    named = {name for page in PAGES for line in code_lines(page) for name in re.findall(r"hm-agent ([a-z-]+)\b", line)}
    assert named <= {*COMMANDS, *TOOLS, *(name for suite in suites().values() for name in suite.commands)}


def test_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    said = {
        name
        for page in PAGES
        for name in re.findall(r"(?:^|`)make(?: [A-Z_]+=\S+)* ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE)
    }
    assert said
    assert said <= targets


def test_site_has_every_page() -> None:
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert {page.name for page in PAGES if page.parent == ROOT / "docs"} == set(re.findall(r"[\w-]+\.md", site))


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= MOST_LINES


def test_the_site_shows_results_and_links_to_other_files_as_text() -> None:
    hook = run_path(str(ROOT / ".ci" / "site_links.py"))["on_page_markdown"]

    def shown(page: str, text: str) -> str:
        return str(hook(text, page=SimpleNamespace(file=SimpleNamespace(src_uri=page))))

    assert shown("minds.md", "[all](../benchmarks/results/orders/a.md#b)") == "[all](results/orders/a.md#b)"
    links = "[page](../../../docs/index.md), [code](../../../hm_agent/core.py), [one](../a/b.md), [here](episodes.csv)"
    expected = "[page](../../index.md), code, [one](../a/b.md), [here](episodes.csv)"
    assert shown("results/games/README.md", links) == expected
