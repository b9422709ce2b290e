"""How SymmToM looks in replays and videos."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hm_agent.agents.planning_body import PlanningState
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Viewer
from hm_agent.core import Seat, Step
from hm_agent.recording.drawing import Pixels
from hm_agent.recording.shapes import colour_of
from hm_agent.theory_of_mind.decision_questions import PLANNING
from hm_agent.worlds.symmtom.mind_facts import MindTest
from hm_agent.worlds.symmtom.settings import GameSettings
from hm_agent.worlds.symmtom.viewer.board_picture import figures, ground, picture_of
from hm_agent.worlds.symmtom.viewer.video_picture import BoardVideo
from hm_agent.worlds.symmtom.views import BoardScene, BoardView

SCRIPTS = Path(__file__).parent / "scripts"


class SymmtomViewer(Viewer):
    """Shows the board, who said what to whom, and each seat's beliefs. test: None outside tests of mind."""

    scripts = (SCRIPTS / "board.css", SCRIPTS / "board.js")

    def __init__(self, settings: GameSettings, test: MindTest | None = None) -> None:
        self._settings, self._test = settings, test

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        settings, test = self._settings, self._test
        return {
            "width": settings.width,
            "pieces": settings.pieces,
            "players": [{"name": name, "colour": colour_of(agent)} for agent, name in enumerate(settings.seats)],
            "planning": [kind.__name__ for kind in PLANNING],
            "test": test and {"prelude": test.prelude, "goal": test.goal, "wrong": test.wrong},
        }

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """The board's shapes, and facts that are hidden from a seat.

        ground: the shapes that never change. certain: by agent, the pieces that the seat is certain this agent knows.
        knows, first_hand: the truth, by agent. scores: by agent, its reward for the step. said, heard, recharged,
        positions: the outcome of the step.
        """
        scene, view = step.scene, step.turn.observations[seat].view
        if isinstance(scene, Mapping):  # the boards of a matched pair
            scene = scene[seat]
        assert isinstance(scene, BoardScene)
        assert isinstance(view, BoardView)
        picture = picture_of(self._settings, scene, held=view.held, looked_at=view.agent)
        certain = [list(known or ()) for known in view.first_hand]
        certain[view.agent] = list(view.knows)
        state = step.decisions[seat].state
        return {
            "ground": ground(picture),
            "figures": figures(picture),
            "agent": view.agent,
            "certain": certain,
            "knows": scene.knows,
            "first_hand": scene.first_hand,
            "scores": scene.rewards,
            "said": scene.said,
            "heard": [(listener, speaker, scene.is_new(listener, speaker)) for listener, speaker in scene.heard],
            "recharged": scene.recharged,
            "positions": scene.moved_to,
            "held": view.held,
            **({"plan": [str(call) for call in state.plan]} if isinstance(state, PlanningState) else {}),
        }

    def picture(self, scenario: ScenarioInfo, title: str) -> Callable[[Step], Pixels] | None:
        if not set(scenario.seats) <= set(self._settings.seats):
            return None
        return BoardVideo(self._settings, scenario.seats, title)
