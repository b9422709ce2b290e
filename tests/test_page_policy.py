"""Every page says by a Content-Security-Policy what may run in it, so that no text of a model ever can."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path

import pytest

from hm_agent.cards.card import read_card
from hm_agent.cards.writing import leaderboard, write_files, write_leaderboard
from hm_agent.pages.rendering import SHARED, digest
from hm_agent.seats.person_page import PersonPage
from hm_agent.watching.server import LivePage
from tests.support.commands import ROOT, call_here

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
RUN_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
GRID = ("--scenario=exploretom_a4,symmtom_w6_n3_c3", "--agent=hypothetical_minds", "--max_steps=6")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """All pages that a run, and the commands that browse or watch, leave or serve: their text by name."""
    out = tmp_path_factory.mktemp("out")
    tasks = ("browse", "enacttom", f"--page={out / 'tasks' / 'browse.html'}")
    card = read_card(ROOT / "benchmarks" / "results" / "cards" / "hypothetical_minds" / "card.json")
    write_files(card, b"", out / "card")
    write_leaderboard(leaderboard([card]), out / "board")
    for command in (("play", *GRID, f"--out={out}"), ("browse", "exploretom", str(out)), tasks):
        status, _, errors = call_here("hm-agent", *command)
        assert (status, errors) == (0, "")
    written = {str(path.relative_to(out)): path.read_text("utf-8") for path in out.rglob("*.html")}
    return {**written, "watch.html": LivePage(out).page.decode(), "person.html": PersonPage().page.decode()}


def test_the_run_wrote_a_page_of_every_kind(pages: Mapping[str, str]) -> None:
    written = {Path(name).name for name in pages}
    templates = {
        path.name.removesuffix(".j2") for path in (ROOT / "hm_agent").rglob("*.html.j2") if path.parent != SHARED
    }
    assert written == templates, "a kind of page is not looked at here"


def test_every_page_has_a_policy_before_all_that_it_governs(pages: Mapping[str, str]) -> None:
    for name, page in pages.items():
        policy = POLICY.search(page)
        assert policy, name
        assert not re.search(r"<(script|style|link|img)\b", page[: policy.start()]), name
        assert "default-src 'none'" in policy[1], name
        assert "base-uri 'none'; form-action 'none'" in policy[1], name


def test_no_script_runs_but_the_pages_own(pages: Mapping[str, str]) -> None:
    for name, page in pages.items():
        (policy,) = map(unescape, POLICY.findall(page))
        scripts = dict(rule.split(maxsplit=1) for rule in policy.split("; ")).get("script-src", "'none'")
        assert scripts == (" ".join(map(digest, RUN_SCRIPT.findall(page))) or "'none'"), name
