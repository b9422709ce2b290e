"""An agent of the ladder: does what it can for the goals that it knows, and tells others as much as its order allows.

- Order 0 (`solo`) acts on its secrets and on what it sees. It sends no message, and reads none.
- Order 1 also tells what it knows at first hand: goals that it can't reach, to agents that could; and that a goal is
  reached, to the agents that told it of the goal. It reasons about the house, not about what others know.
- Order 2 also reasons about what others know: it passes on, as K_b p, what b told it, and can say that b knows p.
- Order 3 goes one deeper: it passes on what it was told that others know.

An agent that floods repeats what it was told as if it had seen it, to all that it can message but those that told it.
It does not reason about others' knowledge, and shows how far a team gets without that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hm_agent.core import Agent, Decision, Observation
from hm_agent.worlds.enacttom.house.commands import IDLE, MOST_CHARACTERS, ON, HouseCommand, Verb, tell
from hm_agent.worlds.enacttom.house.physics import set_by
from hm_agent.worlds.enacttom.house.probes import HouseAction, Probe, ProbeAnswer, ProbeAnswers, ProbeReport
from hm_agent.worlds.enacttom.house.runtime import ActionOutcome, OutcomeKind
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.ladder.beliefs import HouseBeliefs
from hm_agent.worlds.enacttom.ladder.claim_notes import ClaimNotes
from hm_agent.worlds.enacttom.ladder.own_plans import OwnPlanner, bindings_of, close_command, search
from hm_agent.worlds.enacttom.ladder.routes import Routes
from hm_agent.worlds.enacttom.ladder.thoughts import NestedThoughts
from hm_agent.worlds.enacttom.tasks.mechanics import OPEN, HouseMechanics
from hm_agent.worlds.enacttom.tasks.propositions import MECHANIC, Claim, Is, Proposition, wanted


@dataclass(frozen=True)
class LadderState:
    """What recordings show of an agent: the goals that it knows, by what it believes of them."""

    reached: tuple[str, ...]
    doable: tuple[str, ...]
    left_to_others: tuple[str, ...]


class LadderAgent(Agent[HouseView, HouseAction]):
    """Plays one seat through one episode. It gets only views. order: 0 or more; 1 for an agent that floods."""

    def __init__(self, order: int, *, floods: bool = False) -> None:
        self.order, self._floods = order, floods
        self._mind: HouseMind | None = None

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseAction]:
        view = observation.view
        if self._mind is None:
            self._mind = HouseMind(view, self.order, floods=self._floods)
        self._mind.perceive(view)
        if view.probes:
            said = {probe.name: self._mind.answer(probe) for probe in view.closed_probes}
            reports = {probe.name: self._mind.report(probe) for probe in view.open_probes}
            return Decision(ProbeAnswers(said, reports))
        command = self._mind.choose(view)
        return Decision(command, state=self._mind.state())


class HouseMind:
    """The beliefs and knowledge of one agent, and the commands and answers that follow from them."""

    def __init__(self, view: HouseView, order: int, *, floods: bool = False) -> None:
        briefing = view.briefing
        self.briefing, self.order, self._floods = briefing, order, floods
        self.beliefs = HouseBeliefs(briefing)
        self.notes = ClaimNotes(briefing.agent, briefing.plan.agents, order, vouches=floods)
        self.planner, self.routes = OwnPlanner(briefing), Routes(briefing)
        self.facts: set[Proposition] = set()
        """What it knows of goals and of mechanics."""
        self.goals: list[Proposition] = []
        self._opened: set[str] = set()
        self._views: list[HouseView] = []
        self.doable: frozenset[Proposition] = frozenset()
        for fact in briefing.facts:
            self._believe(fact)
            self.notes.witness(fact, briefing.plan.agents if fact in briefing.public_facts else [briefing.agent])

    # Perceiving

    def perceive(self, view: HouseView) -> None:
        """Learns from the outcome of its latest action, from messages, and from what it sees."""
        self._views.append(view)
        if view.outcome:
            self._note_outcome(view.outcome, view)
        if self.order:
            for message in view.messages:
                group = (message.sender, *message.addressees)
                for claim in message.claims:
                    if self.notes.hear(message.sender, group, claim):
                        self._believe(claim.proposition)
        before = set(self.beliefs.all())
        self.beliefs.look(view)
        for dropped in before - set(self.beliefs.all()):
            self.notes.forget(dropped)
        present = view.present
        for seen in view.sees:
            self.notes.witness(seen, present)

    def _believe(self, proposition: Proposition) -> None:
        """Believes a proposition about goals, mechanics or the house."""
        if proposition.predicate == Is.WANTED or proposition.predicate in MECHANIC:
            self.facts.add(proposition)
            return
        before = set(self.beliefs.all())
        self.beliefs.take(proposition)
        for dropped in before - set(self.beliefs.all()):
            self.notes.forget(dropped)

    def _note_outcome(self, outcome: ActionOutcome, view: HouseView) -> None:
        """Learns from the outcome of its own action what it does not see."""
        command = outcome.command
        if command.verb == Verb.COMMUNICATE and outcome.kind is OutcomeKind.DONE:
            for claim in command.claims:
                self.notes.say((self.briefing.agent, *command.arguments), claim)
        elif command.verb in (Verb.OPEN, Verb.CLOSE) and outcome.kind is OutcomeKind.FAILED:
            self._learn_handle(command.arguments[0])
        elif command.verb == Verb.PLACE and outcome.kind is OutcomeKind.DONE:
            thing, relation, furniture = command.arguments
            self.beliefs.infer(Proposition(Is.ON_TOP if relation == ON else Is.INSIDE, (thing, furniture)))
        elif outcome.kind is OutcomeKind.DONE:
            known = HouseMechanics(self.briefing.plan.agents, bindings_of(self.briefing, self.facts, self.goals))
            for furniture, state in set_by(known, command).items():
                if self.briefing.plan.furniture[furniture] != view.room:
                    self.beliefs.infer(Proposition(Is.OPEN if state == OPEN else Is.CLOSED, (furniture,)))

    def _learn_handle(self, furniture: str) -> None:
        """Concludes that a handle is inverse, since the agent's Open or Close of it had no effect."""
        inverse = Proposition(Is.INVERSE, (furniture,))
        if inverse not in self.facts:
            self._believe(inverse)
            self.notes.witness(inverse, [self.briefing.agent])

    # Choosing

    def choose(self, view: HouseView) -> HouseCommand:
        """Returns a request, else a step towards shared goals, else a report, else a step towards private goals."""
        self.goals = self._known_goals(is_wish=False)
        plan = self.planner.plan(self.beliefs, self.facts, self.goals)
        self.doable = plan.goals
        command = (
            self._message(view, self._requests(view))
            or self._close_searched(view)
            or plan.command
            or self._search(view)
        )
        if command:
            return command
        report = self._message(view, self._reports())
        if report and not (view.messages_left == 1 and self._expects_reports()):
            return report
        self.goals = [*self.goals, *self._known_goals(is_wish=True)]
        plan = self.planner.plan(self.beliefs, self.facts, self.goals)
        self.doable = plan.goals
        return plan.command or self._search(view) or IDLE

    def _known_goals(self, *, is_wish: bool) -> list[Proposition]:
        """Returns the shared goals that it knows, or its private ones; those that hold already come first."""
        goals = (fact.goal for fact in self.facts if fact.predicate == Is.WANTED)
        selected = sorted(
            (goal for goal in goals if (goal in self.briefing.wishes) == is_wish), key=lambda goal: goal.pddl
        )
        return sorted(selected, key=lambda goal: self.beliefs.holds(goal) is not True)

    def _expects_reports(self) -> bool:
        """True if a goal that the agent passed on is not reached yet: it will have to pass on the report."""
        return any(self.notes.passed_on(wanted(goal)) and not self.beliefs.holds(goal) for goal in self.goals)

    def _search(self, view: HouseView) -> HouseCommand | None:
        """Returns a step to find objects, if there are goals that the agent could reach once it found them."""
        if any(goal not in self.doable and self._object_is_lost(goal) for goal in self.goals):
            step = next(search(self.briefing, view.room, self.beliefs, self.facts), None)
            self._opened |= set(step.arguments) if step and step.verb in (Verb.OPEN, Verb.CLOSE) else set()
            return step
        return None

    def _close_searched(self, view: HouseView) -> HouseCommand | None:
        """Closes furniture that the agent opened in a search, unless it is to be open or a goal's object is in it."""
        for furniture in sorted(self._opened & set(self.briefing.plan.furniture_by_room[view.room])):
            is_open = Proposition(Is.OPEN, (furniture,))
            things = {goal.arguments[0] for goal in self.goals}
            is_needed = any(Proposition(Is.INSIDE, (thing, furniture)) in view.sees for thing in things)
            if is_open in view.sees and is_open not in self.goals and not is_needed:
                return close_command(furniture, self.facts)
        return None

    def _object_is_lost(self, goal: Proposition) -> bool:
        """True if the agent may fail a goal only because it does not know where the object is."""
        if goal.predicate not in Is.ON_FURNITURE or self.beliefs.place_of(goal.arguments[0]):
            return False
        return self.briefing.plan.furniture[goal.arguments[1]] not in self.briefing.barred

    # Telling

    def _requests(self, view: HouseView) -> Iterator[tuple[Claim, list[str]]]:
        """Yields claims that others need to reach goals that the agent can't, each with the agents to tell."""
        can_look = any(search(self.briefing, view.room, self.beliefs, self.facts))
        for goal in self.goals:
            if goal in self.doable or self.beliefs.holds(goal) or (can_look and self._object_is_lost(goal)):
                continue
            request = self.notes.sayable(wanted(goal))
            receivers = [
                agent for agent in self._agents_to_message(goal) if request and self.notes.lacks(agent, request)
            ]
            if request and receivers:
                yield request, receivers
                yield from (
                    (claim, receivers)
                    for helpful in self._helpful_facts(goal)
                    if (claim := self.notes.sayable(helpful))
                )

    def _agents_to_message(self, goal: Proposition) -> list[str]:
        """Returns the agents to message so that those that could reach a goal come to know of it."""
        if self._floods:
            return [agent for agent in self.briefing.targets if agent not in self.notes.tellers(wanted(goal))]
        doers = self.routes.doers(goal, self.facts) or set(self.briefing.plan.agents) - {self.briefing.agent}
        knowers = self.notes.knowers(wanted(goal))
        others = knowers.difference(self.notes.tellers(wanted(goal)))
        return self.routes.towards(doers - knowers, self.order, others)

    def _helpful_facts(self, goal: Proposition) -> list[Proposition]:
        """Returns what it knows that others may need for a goal: handles of the furniture, the place of the object."""
        things = set(goal.arguments)
        public = set(self.briefing.public_facts)
        handles = (fact for fact in self.facts if fact.predicate in (Is.INVERSE, Is.MIRRORS, Is.CONTROLS))
        helpful = sorted((fact for fact in handles if things & set(fact.arguments) and fact not in public), key=str)
        place = self.beliefs.place_of(goal.arguments[0])
        return [*helpful, place] if place else helpful

    def _reports(self) -> Iterator[tuple[Claim, list[str]]]:
        """Yields a claim for each goal that is reached, with the agents that told of the goal and may not know."""
        for goal in self.goals:
            report = self.notes.sayable(goal)
            if report and self.beliefs.knows(goal):
                tellers = (agent for agent in self.notes.tellers(wanted(goal)) if agent in self.briefing.targets)
                yield report, [agent for agent in tellers if self.notes.lacks(agent, report)]

    def _message(self, view: HouseView, news: Iterable[tuple[Claim, Sequence[str]]]) -> HouseCommand | None:
        """Puts as much news as fits into one message to all agents that need some of it; None without any."""
        if not self.order or not view.messages_left:
            return None
        claims: list[Claim] = []
        addressees: dict[str, None] = {}
        most = self.briefing.most_facts
        for claim, receivers in news:
            if most is not None and len(claims) == most:
                break
            if receivers and claim not in claims and len(tell([*claims, claim], receivers).text) <= MOST_CHARACTERS:
                claims.append(claim)
                addressees |= dict.fromkeys(receivers)
        return tell(claims, addressees) if claims else None

    # Answering

    def answer(self, probe: Probe) -> ProbeAnswer:
        """Answers yes to what it knows; no to what it believes false, and to others' knowledge without a sign of it.

        What others think it answers by yes or no, as deep as its order allows; deeper, as if they thought what it does.
        """
        about = probe.about
        if probe.is_thought:
            thinks = self._thoughts.holds(about.knowers, about.proposition)
            return ProbeAnswer.YES if thinks else ProbeAnswer.NO
        if about.depth and about.depth >= self.order:
            return ProbeAnswer.UNKNOWN
        if self.beliefs.holds(about.proposition) is False:
            return ProbeAnswer.NO
        if about.depth:
            return ProbeAnswer.YES if about in self.notes else ProbeAnswer.NO
        return ProbeAnswer.YES if self.beliefs.knows(about.proposition) else ProbeAnswer.UNKNOWN

    def report(self, probe: Probe) -> ProbeReport:
        """Reports what it believes of an open probe, or predicts what others believe, as deep as its order allows."""
        about = probe.about
        if not about.depth:
            return ProbeReport.on(about.proposition, self.beliefs.holds(about.proposition))
        is_too_deep = about.depth >= self.order
        thought = None if is_too_deep else self._thoughts.holds(about.knowers, about.proposition)
        return ProbeReport.on(about.proposition, thought)

    @cached_property
    def _thoughts(self) -> NestedThoughts:
        """What it thinks that others think, after the last view."""
        return NestedThoughts(self._views, self.order, reads=bool(self.order))

    def state(self) -> LadderState:
        reached = [goal for goal in self.goals if self.beliefs.holds(goal)]
        doable = [goal for goal in self.goals if goal in self.doable and goal not in reached]
        others = [goal for goal in self.goals if goal not in self.doable and goal not in reached]
        return LadderState(*(tuple(goal.pddl for goal in goals) for goals in (reached, doable, others)))
