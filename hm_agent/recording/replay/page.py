"""Assembles a replay's page, a self-contained file. Its text, styles and scripts are in templates/."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Viewer
from hm_agent.pages.rendering import environment
from hm_agent.recording.making import made_in_words
from hm_agent.recording.replay.film import TILE, CompressedText, Film
from hm_agent.recording.result import Result

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = (
    "dom",
    "shapes",
    "viewer",
    "film",
    "usage",
    "episode",
    "stage",
    "timeline",
    "present",
    "charts",
    "beliefs",
    "interactions",
    "questions",
    "costs",
    "main",
)
"""The page's own script in parts, each of which uses those before it."""


@dataclass(frozen=True)
class Recording:
    """What was recorded of an episode: its films by name, the replay recorder's lines, and the trace file's content."""

    films: Mapping[str, Film]
    steps: CompressedText
    trace: CompressedText


def replay_page(result: Result, scenario: ScenarioInfo, viewer: Viewer | None, recording: Recording) -> str:
    """Returns the page's HTML. viewer: the world's; None for a page that shows states instead of pictures."""
    packed = {"trace": recording.trace.base64(), "steps": recording.steps.base64()}
    for name, film in recording.films.items():
        packed |= {f"film-{name}-tiles": film.tiles.base64(), f"film-{name}-changes": film.changes.base64()}
    facts = _facts(result, scenario, viewer, recording.films)
    added = viewer.scripts if viewer else ()
    own = read_joined([TEMPLATES / f"{name}.js" for name in SCRIPTS], ".js")
    # The world's script is a block, so that its names can't clash with the page's.
    script = f"{own}\n{{\n{read_joined(added, '.js')}\n}}\nbegin();\n"
    return _template().render(
        result=result,
        scenario=scenario,
        made=made_in_words([result]),
        seats=facts["seats"],
        facts=Markup(json.dumps(facts).replace("<", "\\u003c")),  # ends no script element and begins no comment
        packed=packed,
        style=Markup(read_joined(added, ".css")),
        script=Markup(script),
    )


def read_joined(files: Sequence[Path], suffix: str) -> str:
    """Concatenates the files with a suffix, e.g. the scripts among scripts and styles."""
    return "\n".join(path.read_text("utf-8") for path in files if path.suffix == suffix)


def _facts(
    result: Result, scenario: ScenarioInfo, viewer: Viewer | None, films: Mapping[str, Film]
) -> Mapping[str, Any]:
    """What the page's script needs to know of the episode beside the trace; `viewer` is for the world's script."""
    agents = {seat.seat: seat for seat in result.seats}
    return {
        "seats": [
            {"name": seat, "agent": agents[seat].agent if seat in agents else result.agent} for seat in scenario.seats
        ],
        "films": {
            name: {size: getattr(film, size) for size in ("width", "height", "columns", "rows", "first")}
            for name, film in films.items()
        },
        "tile": TILE,
        "settings": result.settings,
        "viewer": viewer.facts(scenario) if viewer else {},
    }


@cache
def _template() -> Template:
    return environment(TEMPLATES).get_template("replay.html.j2")
