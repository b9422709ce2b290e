"""A matrix game in replays: its table of payoffs, and a strip of the rounds so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.core import Seat, Step
from hm_agent.suite import ScenarioInfo
from hm_agent.worlds.matrix_games.settings import TableScenario
from hm_agent.worlds.matrix_games.views import RoundScene, RoundView

if TYPE_CHECKING:
    from hm_agent.suite import Pixels

SCRIPTS = Path(__file__).parent / "scripts"


class RoundsViewer:
    """Shows each round with both actions and rewards; the script draws the strip from the seat's steps."""

    scripts: Sequence[Path] = (SCRIPTS / "rounds.css", SCRIPTS / "rounds.js")

    def __init__(self, scenario: TableScenario) -> None:
        self._scenario = scenario

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        return {"rounds": self._scenario.game.rounds}

    def frames(self, step: Step) -> Mapping[str, Pixels]:
        return {}

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """table: a list with the game as the seat sees it, the same at every step; round: one with what was played."""
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

    def picture(self, scenario: ScenarioInfo, title: str) -> None:
        """Makes no picture: a game by its table is not filmed."""
