"""A matrix game in replays: its table of payoffs, and a strip of the rounds so far."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Viewer
from hm_agent.core import Seat, Step
from hm_agent.worlds.matrix_games.settings import TableScenario
from hm_agent.worlds.matrix_games.views import RoundScene, RoundView

SCRIPTS = Path(__file__).parent / "scripts"


class RoundsViewer(Viewer):
    """Shows each round with both actions and rewards; the script draws the strip from the seat's steps."""

    scripts = (SCRIPTS / "rounds.css", SCRIPTS / "rounds.js")

    def __init__(self, scenario: TableScenario) -> None:
        self._scenario = scenario

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        return {"rounds": self._scenario.game.rounds}

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """table: a list with the table of the round as the seat sees it; round: one with what was played."""
        view, scene = step.turn.observations[seat].view, step.scene
        if not isinstance(view, RoundView) or not isinstance(scene, RoundScene):
            return {}
        place = self._scenario.seats.index(seat)
        side = view.side
        table = {"own": side.actions, "others": side.others, "payoff": side.payoff, "theirs": side.others_payoff}
        played = {
            "own": scene.actions[place],
            "other": scene.actions[1 - place],
            "reward": scene.rewards[place],
            "theirs": scene.rewards[1 - place],
            "opponent": scene.opponent,
        }
        return {"table": [table], "round": [played]}
