"""An example of every kind of question about a household, with which prompts and answers are tested.

The situations are of real episodes, in which every agent does what is written here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hm_agent.core import Event, Hypothesis
from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, Plan, ReviewPlan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import AskProbes, Predict, Propose, ReadMinds, Revise
from hm_agent.theory_of_mind.odds_questions import GiveChances
from hm_agent.theory_of_mind.situation import BarredCall, PlanRecord
from hm_agent.worlds.enacttom.house.commands import HouseCommand, open_it, pick
from hm_agent.worlds.enacttom.house.open_probes import question_of
from hm_agent.worlds.enacttom.language.body import HouseProbes
from hm_agent.worlds.enacttom.language.notebook import HouseNotebook
from hm_agent.worlds.enacttom.language.report_questions import AskReports
from hm_agent.worlds.enacttom.language.situation import WRITES, HouseSituation, PartnerAct
from hm_agent.worlds.enacttom.scenarios import task_files
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.tasks.task_files import load_task
from hm_agent.worlds.enacttom.world import EnacttomWorld

Joint = Mapping[str, str]


class Watched:
    """One agent's notes through an episode. task: its name, if it ships. events: what happened in the latest turn."""

    def __init__(self, task: str | HouseholdTask, seat: str, *, asks: bool = False) -> None:
        shipped = load_task(task_files()[f"enacttom_{task}"]) if isinstance(task, str) else task
        self.world = EnacttomWorld(shipped, asks=asks)
        self.seat, self.notebook = seat, HouseNotebook()
        turn = self.world.reset(0)
        self.events: Sequence[Event] = self.notebook.read(turn.observations[seat])

    @property
    def situation(self) -> HouseSituation:
        return self.notebook.situation

    def play(self, *turns: Joint) -> HouseSituation:
        """Has all agents do something; those that are not named wait."""
        for joint in turns:
            turn = self.world.step({seat: joint.get(seat, "Wait[]") for seat in self.world.seats})
            self.events = self.notebook.read(turn.observations[self.seat])
        return self.situation


AT_FIRST = Watched("far_handle", "agent_1").situation
TOLD = 'Communicate["by the end, lamp_3 must be inside chest_2. opening cabinet_1 changes chest_2.", agent_1]'
LATER = Watched("far_handle", "agent_1").play(
    {"agent_0": TOLD, "agent_1": 'Communicate["by the end, cabinet_1 must be open.", all]'},
    {"agent_1": "Pick[lamp_3]"},
    {"agent_0": 'Communicate["Shall I open \\"cabinet_1\\" now?", all]', "agent_1": "Open[chest_2]"},
)
ACTS = (
    PartnerAct(0, "agent_0", WRITES, ("lamp_3", "chest_2", "cabinet_1"), "by the end, lamp_3 must be inside chest_2."),
    PartnerAct(2, "agent_0", WRITES, ("cabinet_1",), "Shall I open 'cabinet_1' now?"),
)
IDEAS = (
    Hypothesis("It knows what is wanted in the cellar, and waits.", -0.3, right=0, tested=1),
    Hypothesis("It opens cabinet_1 once it is told to, and then writes it.", 0.51, right=2, tested=2),
)
RECORD = PlanRecord(
    (pick("lamp_3"), open_it("chest_2"), HouseCommand("Wait")), 1, 3, (open_it("chest_2"), HouseCommand("Wait"))
)
PLAN = Plan(
    situation=LATER,
    strategy="Open chest_2 and put lamp_3 into it; then say so.",
    others=(PlayerBelief("agent_0", IDEAS[1].words, "writes about cabinet_1"),),
    history=(),
    critiques=(),
    because="agent_0 has written to you",
    previous=RECORD,
)
PREDICT = Predict(LATER, "agent_0", ACTS, IDEAS, (), "Wait for agent_0.")
RELAY = Watched("relay_of_three", "agent_1").play(
    {"agent_0": 'Communicate["by the end, cabinet_5 must be open.", agent_1]'},
    {"agent_1": 'Communicate["by the end, cabinet_5 must be open.", agent_2]'},
    {"agent_2": "Open[cabinet_5]"},
    {"agent_2": 'Communicate["cabinet_5 is open.", agent_1]'},
)
REVISE = Revise(
    RELAY,
    "agent_2",
    (PartnerAct(3, "agent_2", WRITES, ("cabinet_5",), "cabinet_5 is open."),),
    IDEAS,
    (PlayerBelief("agent_0", "It wants cabinet_5 open and can't enter the pantry.", "writes about cabinet_5"),),
    "Wait for agent_2.",
)
ASKED = EnacttomWorld(load_task(task_files()["enacttom_relay_of_three"]), asks=True).probes
PROBES = tuple(one for one in ASKED if one.agent == "agent_1")
ENDED = HouseSituation((*RELAY.views[:-1], replace(RELAY.view, probes=PROBES)))
PROBE = AskProbes(ENDED, tuple(probe.words for probe in PROBES), HouseProbes.choices)
OPEN = EnacttomWorld(load_task(task_files()["enacttom_relay_of_three"]), asks=True, asks_open=True).open_probes
REPORTED = tuple(one for one in OPEN if one.agent == "agent_1")
REPORT = AskReports(
    HouseSituation((*RELAY.views[:-1], replace(RELAY.view, probes=(*PROBES, *REPORTED)))),
    tuple((one.name, question_of(one)) for one in REPORTED),
)
PARTED = Watched("one_window", "agent_1").play(
    {"agent_1": "Navigate[living_room_1]"},
    {"agent_0": "Open[cabinet_7]"},
    {"agent_1": "Navigate[kitchen_1]"},
)
SHARED_EXAMPLES: Mapping[str, Question[Any]] = {
    "plan": PLAN,
    "plan_at_first": Plan(AT_FIRST, None, (), (), (), "the episode begins"),
    "plan_after_a_meeting": Plan(PARTED, "Open drawer_3.", (), (), (), "the plan is used up"),
    "plan_undecided": replace(
        PLAN,
        strategy=None,
        others=(),
        history=ACTS,
        critiques=("1 of 2 commands carried out: look whether what a command needs is so before you plan it.",),
        because="Open[chest_2] failed: Nothing happens to chest_2",
        barred=BarredCall(open_it("chest_2"), "Nothing happens to chest_2."),
    ),
    "review_plan": ReviewPlan(LATER, RECORD, "Open[chest_2] failed: Nothing happens to chest_2", 0.0, AT_FIRST),
    "give_chances": GiveChances(LATER, "agent_0", ACTS),
    "give_chances_at_first": GiveChances(AT_FIRST, "agent_0", ()),
    "propose": Propose(LATER, "agent_0", ACTS[:1], ()),
    "propose_in_view_of_the_best": Propose(LATER, "agent_0", ACTS, IDEAS[1:]),
    "predict": PREDICT,
    "predict_by_one_hypothesis": replace(PREDICT, hypotheses=IDEAS[1:]),
    "predict_without_a_strategy": replace(PREDICT, decides=False),
    "predict_at_first": Predict(AT_FIRST, "agent_0", (), ()),
    "revise": REVISE,
    "revise_at_first": Revise(AT_FIRST, None, (), (), ()),
    "read_minds": ReadMinds(LATER, ("agent_0",), ACTS, "Wait for agent_0."),
    "choose_strategy": ChooseStrategy(LATER, ACTS, "Wait for agent_0."),
    "choose_strategy_at_first": ChooseStrategy(AT_FIRST, ()),
    "probe": PROBE,
}
"""The questions that all worlds ask."""
HOUSE_EXAMPLES: Mapping[str, Question[Any]] = {**SHARED_EXAMPLES, "report": REPORT}
