"""How EnactToM looks in replays and videos."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.core import Seat, Step
from hm_agent.recording.shapes import DrawnShape, colour_of
from hm_agent.suite import ScenarioInfo
from hm_agent.worlds.enacttom.house.probes import ProbeResult
from hm_agent.worlds.enacttom.house.runtime import HouseMessage, Sent
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.language.body import HouseThoughts
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.viewer.plan_layout import NARROW, WIDE
from hm_agent.worlds.enacttom.viewer.plan_picture import DrawnPlan, PlanPicture
from hm_agent.worlds.enacttom.viewer.turns import goals_of, known_claims, met_goals, mistakes, turn_picture
from hm_agent.worlds.enacttom.world import HouseScene

if TYPE_CHECKING:
    from hm_agent.suite import Pixels

SCRIPTS = Path(__file__).parent / "scripts"
PLAN_STYLE, PLAN_SCRIPT = SCRIPTS / "plan.css", SCRIPTS / "plan.js"
"""How a plan and goals are drawn, in replays and elsewhere; the script needs the replay page's dom.js and shapes.js."""


class HouseViewer:
    """Shows the floor plan, what each agent remembers of it, messages, mechanics, goals, and the certified plan."""

    scripts: Sequence[Path] = (PLAN_STYLE, PLAN_SCRIPT, SCRIPTS / "house.css", SCRIPTS / "house.js")

    def __init__(self, task: HouseholdTask) -> None:
        self._task, self._drawn = task, drawn_plans(task)

    def facts(self, scenario: ScenarioInfo) -> Mapping[str, Any]:
        task, certificate = self._task, self._task.file.certificate
        return {
            **plan_facts(task, self._drawn, task.agents),
            "goals": goal_facts(task),
            "text": task.file.task,
            "secrets": {agent: list(task.file.agent_secrets.get(agent, ())) for agent in task.agents},
            "plan": [dict(turn) for turn in certificate.plan] if certificate else None,
            "max_turns": task.max_turns,
            "budgets": {agent: task.message_budget(agent) for agent in task.agents},
        }

    def frames(self, step: Step) -> Mapping[str, Pixels]:
        """None: the page draws the shapes that `shown` has."""
        return {}

    def shown(self, step: Step, seat: Seat) -> Mapping[str, Any]:
        """What a step led to, and what the seat knows then.

        so, memory: shapes by width of what is so, and of what the seat remembers; wrong: strokes through what it
        remembers wrongly, and mistakes: the same in words, with what is so. met: by goal, whether it holds. acts: by
        agent, the command, how it went, and what the agent is told of that. sent: messages with what they taught;
        received: those that the seat had when it acted. handles: by agent, what was set. knows, learned: the seat's
        claims, and the new ones. probes: all that were answered. plan: of an agent that thinks in language.
        """
        scene, view, state = step.scene, step.turn.observations[seat].view, step.decisions[seat].state
        assert isinstance(scene, HouseScene)
        assert isinstance(view, HouseView)
        memory = scene.remembers[seat]
        wrong = [one for one in memory if one not in scene.after]
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
            "sent": [{**_message(one.message), "taught": self._taught(one)} for one in scene.sent],
            "received": [_message(one) for one in view.messages],
            "handles": [[agent, list(map(list, settings.items()))] for agent, settings in scene.handles.items()],
            "knows": [one.words for one in known],
            "learned": [one.words for one in known if one not in before],
            "probes": list(map(_probe, scene.probes)),
            "left": view.messages_left - sum(one.message.sender == seat for one in scene.sent),
            **({"plan": list(state.plan)} if isinstance(state, HouseThoughts) else {}),
        }

    def _taught(self, sent: Sent) -> list[tuple[str, list[str]]]:
        """By agent, what a message made it know."""
        learned = ((agent, known_claims(sent.taught, agent)) for agent in self._task.agents)
        return [(agent, [one.words for one in claims]) for agent, claims in learned if claims]

    def _figures(self, picture: PlanPicture) -> Mapping[str, Any]:
        return {name: plan.figures(picture) for name, plan in self._drawn.items()}

    def picture(self, scenario: ScenarioInfo, title: str) -> Callable[[Step], Pixels]:
        from hm_agent.worlds.enacttom.viewer.video_picture import HouseVideo

        return HouseVideo(self._task, scenario.seats, title)


def drawn_plans(task: HouseholdTask) -> Mapping[str, DrawnPlan]:
    """The plan at each width that a page may have room for."""
    return {"wide": DrawnPlan(task, WIDE), "narrow": DrawnPlan(task, NARROW)}


def plan_facts(task: HouseholdTask, drawn: Mapping[str, DrawnPlan], viewers: Sequence[str] = ()) -> dict[str, Any]:
    """What scripts/plan.js needs to draw the plan: what never changes of it, by width, and the agents.

    viewers: the agents from whose point of view it is drawn, too.
    """
    return {
        "agents": [{"name": agent, "colour": colour_of(number)} for number, agent in enumerate(task.agents)],
        "plans": {
            name: {
                "width": plan.layout.width,
                "height": plan.layout.height,
                "walls": plain(plan.walls),
                "hatching": {agent: plain(plan.hatching(agent)) for agent in viewers},
                "furnishing": plain(plan.furnishing),
                "mechanics": plain(plan.mechanics()),
                "told": {agent: plain(plan.mechanics(agent)) for agent in viewers},
            }
            for name, plan in drawn.items()
        },
    }


def plain(shapes: Iterable[DrawnShape]) -> list[Sequence[object]]:
    """Shapes as JSON values."""
    return [one.to_json() for one in shapes]


def goal_facts(task: HouseholdTask) -> list[dict[str, Any]]:
    """The conjuncts of `goals_of` in words. depth: of its K operators. owner: of a private goal, else None."""
    owners = [None] * len(task.goal) + [agent for agent, claims in task.private_goals.items() for _ in claims]
    return [
        {"words": one.words, "depth": one.depth, "owner": owner}
        for one, owner in zip(goals_of(task), owners, strict=True)
    ]


def _message(one: HouseMessage) -> dict[str, Any]:
    return {"from": one.sender, "to": list(one.addressees), "text": one.text}


def _probe(one: ProbeResult) -> dict[str, Any]:
    """answer: None for silence."""
    return {
        "agent": one.probe.agent,
        "question": one.probe.words,
        "depth": one.probe.claim.depth,
        "answer": one.answer and one.answer.value,
        "is_so": one.is_so,
        "right": one.is_right,
        "foil": one.is_foil,
    }
