"""How EnactToM looks in replays and videos."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.agents.planning_body import PlanningState
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Viewer
from hm_agent.core import Seat, Step
from hm_agent.recording.shapes import DrawnShape, colour_of
from hm_agent.worlds.enacttom.house.open_probes import ReportResult, question_of
from hm_agent.worlds.enacttom.house.probes import ProbeResult
from hm_agent.worlds.enacttom.house.runtime import HouseMessage, Sent
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.viewer.plan_layout import NARROW, WIDE
from hm_agent.worlds.enacttom.viewer.plan_picture import DrawnPlan, PlanPicture
from hm_agent.worlds.enacttom.viewer.turns import goals_of, known_claims, met_goals, mistakes, turn_picture
from hm_agent.worlds.enacttom.world import HouseScene

if TYPE_CHECKING:
    from hm_agent.catalogue.suite import Pixels

SCRIPTS = Path(__file__).parent / "scripts"
PLAN_STYLE, PLAN_SCRIPT = SCRIPTS / "plan.css", SCRIPTS / "plan.js"
"""Draw plans and goals in replays and on task pages; the script needs dom.js and shapes.js of the replay page."""


class HouseViewer(Viewer):
    """Shows the floor plan, what each agent remembers of it, messages, mechanics, goals, and the certified plan."""

    scripts = (PLAN_STYLE, PLAN_SCRIPT, SCRIPTS / "house.css", SCRIPTS / "house.js")

    def __init__(self, task: HouseholdTask) -> None:
        self._task, self._drawn = task, drawn_plans(task)

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        task, certificate = self._task, self._task.file.certificate
        return {
            **plan_facts(task, self._drawn, task.agents),
            "goals": goal_facts(task),
            "text": task.public_text,
            "secrets": {agent: list(task.file.agent_secrets.get(agent, ())) for agent in task.agents},
            "plan": [dict(turn) for turn in certificate.plan] if certificate else None,
            "max_turns": task.max_turns,
            "budgets": {agent: task.message_budget(agent) for agent in task.agents},
        }

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """What a step led to, and what the seat knows after it.

        so, memory: shapes of what holds and of what the seat remembers, by the width of the plan. wrong: strokes
        through what it remembers wrongly; mistakes: the same in words, with what holds instead. met: whether each goal
        holds. acts: each agent's command, its outcome, and what the agent is told of it. sent: the messages of the step
        with what they taught; received: those that the seat had when it acted. handles: by agent, the furniture
        that it set, with the new states. knows, learned: the claims that the seat knows, and the new ones among them.
        probes: all that were answered. left: the messages that the seat may still send. plan: the commands of an agent
        that thinks in language.
        """
        scene, view, state = step.scene, step.turn.observations[seat].view, step.decisions[seat].state
        assert isinstance(scene, HouseScene)
        assert isinstance(view, HouseView)
        memory = scene.remembers[seat]
        wrong = [fact for fact in memory if fact not in scene.after]
        known, before = known_claims(scene.knows, seat), set(known_claims(scene.knew, seat))
        return {
            "so": [self._figures(turn_picture(scene, seat))],
            "memory": [self._figures(PlanPicture(memory, looked_at=seat))],
            "wrong": [{name: plan.strokes(memory, wrong) for name, plan in self._drawn.items()}],
            "mistakes": mistakes(wrong, scene.after),
            "met": met_goals(self._task, scene),
            "acts": [
                [agent, str(outcome.command), outcome.kind.value, outcome.words]
                for agent, outcome in scene.outcomes.items()
            ],
            "sent": [{**_message_json(sent.message), "taught": self._learned_by_agent(sent)} for sent in scene.sent],
            "received": [_message_json(message) for message in view.messages],
            "handles": [[agent, list(map(list, settings.items()))] for agent, settings in scene.handles.items()],
            "knows": [claim.words for claim in known],
            "learned": [claim.words for claim in known if claim not in before],
            "probes": [*map(_probe_json, (*scene.probes, *scene.thoughts)), *map(_report_json, scene.reports)],
            "left": view.messages_left - sum(sent.message.sender == seat for sent in scene.sent),
            **({"plan": list(map(str, state.plan))} if isinstance(state, PlanningState) else {}),
        }

    def _learned_by_agent(self, sent: Sent) -> list[tuple[str, list[str]]]:
        """The claims, in words, that a message made each agent know, by agent."""
        learned = ((agent, known_claims(sent.taught, agent)) for agent in self._task.agents)
        return [(agent, [claim.words for claim in claims]) for agent, claims in learned if claims]

    def _figures(self, picture: PlanPicture) -> Mapping[str, Any]:
        return {name: plan.figures(picture) for name, plan in self._drawn.items()}

    def picture(self, scenario: ScenarioInfo, title: str) -> Callable[[Step], Pixels]:
        from hm_agent.worlds.enacttom.viewer.video_picture import HouseVideo

        return HouseVideo(self._task, title)


def drawn_plans(task: HouseholdTask) -> Mapping[str, DrawnPlan]:
    """The floor plan at each width that a page may show."""
    return {"wide": DrawnPlan(task, WIDE), "narrow": DrawnPlan(task, NARROW)}


def plan_facts(task: HouseholdTask, drawn: Mapping[str, DrawnPlan], viewers: Sequence[str] = ()) -> dict[str, Any]:
    """What scripts/plan.js needs to draw the plan: the agents, and by width the shapes that never change.

    viewers: the agents from whose points of view the plan is drawn, too.
    """
    return {
        "agents": [{"name": agent, "colour": colour_of(number)} for number, agent in enumerate(task.agents)],
        "plans": {
            name: {
                "width": plan.layout.width,
                "height": plan.layout.height,
                "walls": shapes_json(plan.walls),
                "hatching": {agent: shapes_json(plan.hatching(agent)) for agent in viewers},
                "furnishing": shapes_json(plan.furnishing),
                "mechanics": list(map(shapes_json, plan.mechanics())),
                "told": {agent: list(map(shapes_json, plan.mechanics(agent))) for agent in viewers},
            }
            for name, plan in drawn.items()
        },
    }


def shapes_json(shapes: Iterable[DrawnShape]) -> list[Sequence[object]]:
    return [shape.to_json() for shape in shapes]


def goal_facts(task: HouseholdTask) -> list[dict[str, Any]]:
    """The conjuncts of `goals_of` in words. depth: of its nested K operators. owner: of a private goal, else None."""
    owners = [None] * len(task.goal) + [agent for agent, claims in task.private_goals.items() for _ in claims]
    return [
        {"words": goal.words, "depth": goal.depth, "owner": owner}
        for goal, owner in zip(goals_of(task), owners, strict=True)
    ]


def _message_json(message: HouseMessage) -> dict[str, Any]:
    return {"from": message.sender, "to": list(message.addressees), "text": message.text}


def _report_json(result: ReportResult) -> dict[str, Any]:
    """An open probe in the form of `_probe_json`."""
    return {
        "agent": result.probe.agent,
        "question": question_of(result.probe),
        "depth": result.probe.claim.depth,
        "answer": result.report and result.report.words,
        "is_so": result.right is not None and result.right.holds is True,
        "right": result.is_right,
        "foil": False,
        "paired": False,
    }


def _probe_json(result: ProbeResult) -> dict[str, Any]:
    """A probe as the page shows it. answer: None if there was none."""
    return {
        "agent": result.probe.agent,
        "question": result.probe.words,
        "depth": result.probe.claim.depth,
        "answer": result.answer and result.answer.value,
        "is_so": result.is_so,
        "right": result.is_right,
        "foil": result.is_foil,
        "paired": result.probe.is_thought,
    }
