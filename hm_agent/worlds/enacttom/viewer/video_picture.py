"""Draws one step for a video: the floor plan, what each agent does, messages, and the goals."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.core import Step
from hm_agent.recording.drawing import BRIGHT, GAIN, LOSS, SOFT, Box, Canvas, Pen, Pixels, clock, heading
from hm_agent.recording.shapes import PALETTE, colour_of, painted
from hm_agent.worlds.enacttom.house.probes import ProbeResult
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.viewer.plan_layout import WIDE
from hm_agent.worlds.enacttom.viewer.plan_picture import DrawnPlan
from hm_agent.worlds.enacttom.viewer.turns import goals_of, met_goals, turn_picture
from hm_agent.worlds.enacttom.world import HouseScene

PLACE = Box(24, 48, 800, 656)
CAPTION = Box(24, 18, 800, 20)
HEADING = Box(856, 16, 400, 60)
CLOCK = Box(1116, 52, 140, 20)
ACTS = Box(856, 92, 400, 214)
MESSAGES = Box(856, 318, 400, 182)
GOALS = Box(856, 512, 400, 192)
TOP = 26
"""The height of a caption, below which a card's content begins."""
MOST_MESSAGES, MOST_GOALS, MOST_PROBES = 3, 7, 7


class HouseVideo:
    """Draws the steps of one episode."""

    def __init__(self, task: HouseholdTask, title: str) -> None:
        self._task, self._plan = task, DrawnPlan(task, WIDE)
        self._canvas = Canvas()
        self._canvas.draw(HEADING, heading, title, "EnactToM", 16)
        self._canvas.draw(
            CAPTION, Pen.caption, "After the step; arrows with a letter: messages; glowing: set elsewhere"
        )

    def __call__(self, step: Step) -> Pixels:
        """The (720, 1280, 3) picture of a step."""
        scene, task = step.scene, self._task
        assert isinstance(scene, HouseScene)
        self._draw_plan(scene)
        acts = tuple(
            (task.agents.index(agent), str(outcome.command), outcome.kind is OutcomeKind.DONE)
            for agent, outcome in scene.outcomes.items()
        )
        sent_texts = tuple((task.agents.index(sent.message.sender), sent.message.text) for sent in scene.sent)
        met = zip((goal.words for goal in goals_of(task)), met_goals(task, scene), strict=True)
        self._canvas.draw(CLOCK, clock, step.turn.step, task.max_turns)
        if answered := (*scene.probes, *scene.thoughts):
            self._canvas.draw(ACTS, probes, tuple(map(self._probe_entry, answered)))
        else:
            self._canvas.draw(ACTS, actions, task.agents, acts)
        self._canvas.draw(MESSAGES, messages, sent_texts)
        self._canvas.draw(GOALS, goals, tuple(met))
        return self._canvas.pixels.copy()

    def _probe_entry(self, result: ProbeResult) -> tuple[int, str, bool]:
        answer = result.answer.value if result.answer else "silence"
        return self._task.agents.index(result.probe.agent), f"{answer}: {result.probe.words}", result.is_right

    def _draw_plan(self, scene: HouseScene) -> None:
        """Draws the plan as large as its place allows: at the full width, or narrower if it would be too high."""
        plan, layout = self._plan, self._plan.layout
        width = min(PLACE.width, int(PLACE.height * layout.width / layout.height))
        shapes = plan.layers(turn_picture(scene, None))
        self._canvas.paint(PLACE, painted(shapes, layout.width, width, height=layout.height))


def actions(pen: Pen, agents: Sequence[str], acts: Sequence[tuple[int, str, bool]]) -> None:
    """Lists what each agent does. acts: (number of the agent, command, whether it succeeded)."""
    pen.caption("What the agents do")
    y: float = TOP
    for number, command, is_done in acts:
        pen.paragraph((20, y), agents[number], 14, SOFT, lines=1, width=130)
        y = _entry(pen, y, number, command, BRIGHT if is_done else LOSS, lines=2, x=156) + 6


def probes(pen: Pen, answered: Sequence[tuple[int, str, bool]]) -> None:
    """Lists the literal probes. answered: (number of the agent, answer and question, whether the answer is right)."""
    pen.caption(f"Literal probes: {sum(is_right for *_, is_right in answered)} of {len(answered)} answered rightly")
    y: float = TOP
    for number, words, is_right in answered[:MOST_PROBES]:
        y = _entry(pen, y, number, words, GAIN if is_right else LOSS, lines=1 if len(answered) > 4 else 2) + 4


def messages(pen: Pen, sent: Sequence[tuple[int, str]]) -> None:
    """Lists the messages of the step. sent: (number of the sender, text)."""
    if sent:
        pen.caption("Messages")
    y: float = TOP
    for number, text in sent[:MOST_MESSAGES]:
        y = _entry(pen, y, number, text, BRIGHT, lines=6 // min(len(sent), MOST_MESSAGES)) + 6


def goals(pen: Pen, conjuncts: Sequence[tuple[str, bool]]) -> None:
    """Lists the first MOST_GOALS goals with a mark at each. conjuncts: (goal in words, whether it holds)."""
    pen.caption(f"Goals that hold: {sum(met for _, met in conjuncts)} of {len(conjuncts)}")
    y: float = TOP
    for words, is_met in conjuncts[:MOST_GOALS]:
        pen.block((1, y + 5, 10, 10), GAIN if is_met else PALETTE["band"], radius=5)
        y = pen.paragraph((20, y), words, 14, BRIGHT if is_met else SOFT, lines=1 if len(conjuncts) > 4 else 2) + 3


def _entry(pen: Pen, y: float, agent: int, text: str, colour: str, *, lines: int, x: float = 20) -> float:
    """Writes text beside a dot in an agent's colour; returns the y of the next line."""
    pen.block((0, y + 3, 12, 12), PALETTE[colour_of(agent)], radius=6)
    return pen.paragraph((x, y), text, 14, colour, lines=lines)
