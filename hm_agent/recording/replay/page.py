"""Puts a replay's page together: one file that needs nothing else. Its words, looks and scripts are in templates/."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from hm_agent.pages.rendering import environment
from hm_agent.recording.replay.strip import Packed, Strip
from hm_agent.recording.result import Result
from hm_agent.worlds.melting_pot.facts import MatrixFacts
from hm_agent.worlds.melting_pot.perception.atlas import SPRITE_SIZE
from hm_agent.worlds.melting_pot.scenarios import Scenario

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = (
    "dom",
    "film",
    "episode",
    "stage",
    "timeline",
    "present",
    "charts",
    "beliefs",
    "meetings",
    "questions",
    "main",
)
"""The page's script in parts, each of which uses those before it."""
THRESHOLDS = {"he_hr": "reward_threshold"}
"""By which setting hypotheses are validated, where that is not `threshold`."""


@dataclass(frozen=True)
class Film:
    """What was recorded: what the world and the agent's view looked like, and lines of JSON."""

    world: Strip
    view: Strip
    scenes: Packed
    trace: Packed


def replay_page(result: Result, scenario: Scenario, film: Film) -> str:
    """The page's text."""
    packed = {
        "trace": film.trace.text(),
        "scenes": film.scenes.text(),
        "world-patches": film.world.patches.text(),
        "world-changes": film.world.changes.text(),
        "view-patches": film.view.patches.text(),
        "view-changes": film.view.changes.text(),
    }
    facts = _embeddable(_facts(result, scenario, film))
    script = "\n".join((TEMPLATES / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    return _template().render(result=result, scenario=scenario, facts=facts, packed=packed, script=Markup(script))


def _facts(result: Result, scenario: Scenario, film: Film) -> Mapping[str, Any]:
    """What the page's script has to know of the episode before it reads the trace."""
    game = scenario.game
    return {
        "substrate": game.substrate,
        "isMatrix": isinstance(game, MatrixFacts),
        "holdings": [{"name": held.name, "colour": held.colour} for held in game.holdings],
        "others": list(dict.fromkeys(game.sprites.players.values())),
        "threshold": result.settings.get(THRESHOLDS.get(result.agent, "threshold")),
        "tile": SPRITE_SIZE,
        "world": {"columns": film.world.columns, "rows": film.world.rows},
        "view": {"columns": film.view.columns, "rows": film.view.rows},
    }


def _embeddable(value: object) -> Markup:
    """JSON that ends no script element and begins no comment."""
    return Markup(json.dumps(value).replace("<", "\\u003c"))


@cache
def _template() -> Template:
    return environment(TEMPLATES).get_template("replay.html.j2")
