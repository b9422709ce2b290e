"""An agent of the ladder: does what it can for what it knows to be wanted, and tells as much as its order allows.

- Order 0 (`solo`) acts on its secrets and on what it sees. It sends no message, and reads none.
- Order 1 also tells what it knows at first hand: goals that it can't reach, to those who could; and that a goal is
  reached, to whoever told it of the goal. It thinks of what is so, not of what others know.
- Order 2 also thinks of what others know: it passes on, as K_b p, what b told it, and can say that b knows p.
- Order 3 goes one deeper: it passes on what it was told that others know.

An agent that floods repeats what it was told as if it had seen it, to all that it can message but those who told it. It
thinks of no other's knowledge, and shows how far a team gets without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.core import Agent, Decision, Observation
from hm_agent.questions import Usage
from hm_agent.worlds.enacttom.house.commands import (
    CLOSE_IT,
    COMMUNICATE,
    IDLE,
    MOST_CHARACTERS,
    ON,
    OPEN_IT,
    PLACE,
    HouseCommand,
    tell,
)
from hm_agent.worlds.enacttom.house.probes import Probe, ProbeAnswer, ProbeAnswers
from hm_agent.worlds.enacttom.house.runtime import ActionOutcome, OutcomeKind
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.ladder.beliefs import HouseBeliefs
from hm_agent.worlds.enacttom.ladder.claim_notes import ClaimNotes
from hm_agent.worlds.enacttom.ladder.own_plans import OwnPlanner, bindings_of, close_command, search, set_by
from hm_agent.worlds.enacttom.ladder.routes import Routes
from hm_agent.worlds.enacttom.tasks.mechanics import OPEN, Binding
from hm_agent.worlds.enacttom.tasks.propositions import (
    AGENT_IN_ROOM,
    CONTROLS,
    IS_CLOSED,
    IS_INSIDE,
    IS_INVERSE,
    IS_ON_TOP,
    IS_OPEN,
    MECHANIC,
    MIRRORS,
    WANTED,
    Claim,
    Proposition,
    wanted,
)


@dataclass(frozen=True)
class LadderState:
    """What recordings show: the goals that the agent knows of, by what it thinks of them."""

    reached: tuple[str, ...]
    doable: tuple[str, ...]
    left_to_others: tuple[str, ...]


class LadderAgent(Agent[HouseView, HouseCommand | ProbeAnswers]):
    """Plays one seat through one episode. It gets views alone. order: 0 or more; 1 for one that floods."""

    def __init__(self, order: int, *, floods: bool = False) -> None:
        self.order, self._floods = order, floods
        self._mind: HouseMind | None = None

    async def act(self, observation: Observation[HouseView]) -> Decision[HouseCommand | ProbeAnswers]:
        view = observation.view
        if self._mind is None:
            self._mind = HouseMind(view, self.order, floods=self._floods)
        self._mind.perceive(view)
        if view.probes:
            return Decision(ProbeAnswers({one.name: self._mind.answer(one) for one in view.probes}))
        command = self._mind.choose(view)
        return Decision(command, state=self._mind.state())

    @property
    def usage(self) -> Usage:
        return Usage()

    def metrics(self) -> Mapping[str, float]:
        return {}


class HouseMind:
    """All that one agent believes and knows, and what follows from it."""

    def __init__(self, view: HouseView, order: int, *, floods: bool = False) -> None:
        told = view.briefing
        self.told, self.order, self._floods = told, order, floods
        self.beliefs = HouseBeliefs(told)
        self.notes = ClaimNotes(told.agent, told.plan.agents, order, vouches=floods)
        self.planner, self.routes = OwnPlanner(told), Routes(told)
        self.facts: set[Proposition] = set()
        """What it knows to be wanted, and of handles."""
        self.goals: list[Proposition] = []
        self._opened: set[str] = set()
        self.doable: frozenset[Proposition] = frozenset()
        for fact in told.facts:
            self._take(fact)
            self.notes.witness(fact, told.plan.agents if fact in told.public_facts else [told.agent])

    # Perceiving

    def perceive(self, view: HouseView) -> None:
        if view.outcome:
            self._note_outcome(view.outcome, view)
        if self.order:
            for message in view.messages:
                group = (message.sender, *message.addressees)
                for said in message.claims:
                    if self.notes.hear(message.sender, group, said):
                        self._take(said.proposition)
        before = set(self.beliefs.all())
        self.beliefs.look(view)
        for gone in before - set(self.beliefs.all()):
            self.notes.forget(gone)
        here = [one.arguments[0] for one in view.sees if one.predicate == AGENT_IN_ROOM]
        for one in view.sees:
            self.notes.witness(one, here)

    def _take(self, one: Proposition) -> None:
        """Believes a proposition, whatever it is about."""
        if one.predicate == WANTED or one.predicate in MECHANIC:
            self.facts.add(one)
            return
        before = set(self.beliefs.all())
        self.beliefs.take(one)
        for gone in before - set(self.beliefs.all()):
            self.notes.forget(gone)

    def _note_outcome(self, outcome: ActionOutcome, view: HouseView) -> None:
        """What the agent learns of its own action, beside what it sees."""
        command = outcome.command
        if command.verb == COMMUNICATE and outcome.kind is OutcomeKind.DONE:
            for said in command.claims:
                self.notes.say((self.told.agent, *command.arguments), said)
        elif command.verb in (OPEN_IT, CLOSE_IT) and outcome.kind is OutcomeKind.FAILED:
            self._learn_handle(command.arguments[0])
        elif command.verb == PLACE and outcome.kind is OutcomeKind.DONE:
            thing, relation, furniture = command.arguments
            self.beliefs.infer(Proposition(IS_ON_TOP if relation == ON else IS_INSIDE, (thing, furniture)))
        elif outcome.kind is OutcomeKind.DONE:
            for furniture, state in set_by(self.told, command, self._bindings()).items():
                if self.told.plan.furniture[furniture] != view.room:
                    self.beliefs.infer(Proposition(IS_OPEN if state == OPEN else IS_CLOSED, (furniture,)))

    def _learn_handle(self, furniture: str) -> None:
        """A handle that does nothing, though by what it knows it should, works the other way round."""
        inverse = Proposition(IS_INVERSE, (furniture,))
        if inverse not in self.facts:
            self._take(inverse)
            self.notes.witness(inverse, [self.told.agent])

    def _bindings(self) -> tuple[Binding, ...]:
        return bindings_of(self.told, self.facts, self.goals)

    # Choosing

    def choose(self, view: HouseView) -> HouseCommand:
        """A request, else a step towards what all want, else a report, else a step towards its own wishes."""
        self.goals = self._wanted(is_wish=False)
        plan = self.planner.plan(self.beliefs, self.facts, self.goals)
        self.doable = plan.goals
        found = self._message(view, self._requests(view)) or self._tidy(view) or plan.command or self._search(view)
        if found:
            return found
        report = self._message(view, self._reports())
        if report and not (view.messages_left == 1 and self._expects_reports()):
            return report
        self.goals = [*self.goals, *self._wanted(is_wish=True)]
        plan = self.planner.plan(self.beliefs, self.facts, self.goals)
        self.doable = plan.goals
        return plan.command or self._search(view) or IDLE

    def _wanted(self, *, is_wish: bool) -> list[Proposition]:
        """What all want, or what it wishes for itself alone; what is so already comes first."""
        known = (one.goal for one in self.facts if one.predicate == WANTED)
        found = sorted((one for one in known if (one in self.told.wishes) == is_wish), key=lambda one: one.pddl)
        return sorted(found, key=lambda one: self.beliefs.holds(one) is not True)

    def _expects_reports(self) -> bool:
        """True if a goal that the agent passed on is not reached yet, so that it will have to pass on that it is."""
        return any(self.notes.passed_on(wanted(one)) and not self.beliefs.holds(one) for one in self.goals)

    def _search(self, view: HouseView) -> HouseCommand | None:
        """A step to find objects of which something is wanted that the agent could do if it found them."""
        if any(goal not in self.doable and self._is_lost(goal) for goal in self.goals):
            step = search(self.told, view.room, self.beliefs, self.facts)
            self._opened |= set(step.arguments) if step and step.verb in (OPEN_IT, CLOSE_IT) else set()
            return step
        return None

    def _tidy(self, view: HouseView) -> HouseCommand | None:
        """Closes what the agent opened to look for something, unless it is wanted open or the thing was in it."""
        for furniture in sorted(self._opened & set(self.told.plan.furniture_by_room[view.room])):
            is_open = Proposition(IS_OPEN, (furniture,))
            things = {goal.arguments[0] for goal in self.goals}
            found = {
                one.arguments[0] for one in view.sees if one.predicate == IS_INSIDE and one.arguments[1] == furniture
            }
            if is_open in view.sees and is_open not in self.goals and not things & found:
                return close_command(furniture, self.facts)
        return None

    def _is_lost(self, goal: Proposition) -> bool:
        """True if a goal may only fail for not knowing where its object is."""
        if goal.predicate not in (IS_ON_TOP, IS_INSIDE) or self.beliefs.place_of(goal.arguments[0]):
            return False
        return self.told.plan.furniture[goal.arguments[1]] not in self.told.barred

    # Telling

    def _requests(self, view: HouseView) -> Iterator[tuple[Claim, list[str]]]:
        """What others should know to do what the agent can't, and whom to tell."""
        can_look = search(self.told, view.room, self.beliefs, self.facts) is not None
        for goal in self.goals:
            if goal in self.doable or self.beliefs.holds(goal) or (can_look and self._is_lost(goal)):
                continue
            said = self.notes.sayable(wanted(goal))
            to = [one for one in self._concerned(goal) if said and self.notes.lacks(one, said)]
            if said and to:
                yield said, to
                yield from ((fact, to) for one in self._about(goal) if (fact := self.notes.sayable(one)))

    def _concerned(self, goal: Proposition) -> list[str]:
        """Whom to message so that those who could reach a goal come to know of it."""
        if self._floods:
            return [one for one in self.told.targets if one not in self.notes.tellers(wanted(goal))]
        doers = self.routes.doers(goal, self.facts) or set(self.told.plan.agents) - {self.told.agent}
        knowers = self.notes.knowers(wanted(goal))
        others = knowers.difference(self.notes.tellers(wanted(goal)))
        return self.routes.towards(doers - knowers, self.order, others)

    def _about(self, goal: Proposition) -> list[Proposition]:
        """What it knows that others may need for a goal: handles of the furniture, the place of the object."""
        things = set(goal.arguments)
        public = set(self.told.public_facts)
        handles = (one for one in self.facts if one.predicate in (IS_INVERSE, MIRRORS, CONTROLS))
        found = sorted((one for one in handles if things & set(one.arguments) and one not in public), key=str)
        place = self.beliefs.place_of(goal.arguments[0])
        return [*found, place] if place else found

    def _reports(self) -> Iterator[tuple[Claim, list[str]]]:
        """That goals are reached, to those who told the agent of them."""
        for goal in self.goals:
            said = self.notes.sayable(goal)
            if said and self.beliefs.knows(goal):
                tellers = (one for one in self.notes.tellers(wanted(goal)) if one in self.told.targets)
                yield said, [one for one in tellers if self.notes.lacks(one, said)]

    def _message(self, view: HouseView, news: Iterable[tuple[Claim, Sequence[str]]]) -> HouseCommand | None:
        """As much as fits into one message, to all whom some of it concerns; None if there is nothing to be said."""
        if not self.order or not view.messages_left:
            return None
        said: list[Claim] = []
        addressees: dict[str, None] = {}
        for one, to in news:
            if to and one not in said and len(tell([*said, one], to).text) <= MOST_CHARACTERS:
                said.append(one)
                addressees |= dict.fromkeys(to)
        return tell(said, addressees) if said else None

    # Answering

    def answer(self, probe: Probe) -> ProbeAnswer:
        """Yes to what it knows; no to what it believes to be otherwise, and to knowledge of which it has no sign."""
        about = probe.about
        if about.depth and about.depth >= self.order:
            return ProbeAnswer.UNKNOWN
        if self.beliefs.holds(about.proposition) is False:
            return ProbeAnswer.NO
        if about.depth:
            return ProbeAnswer.YES if about in self.notes else ProbeAnswer.NO
        return ProbeAnswer.YES if self.beliefs.knows(about.proposition) else ProbeAnswer.UNKNOWN

    def state(self) -> LadderState:
        reached = [one for one in self.goals if self.beliefs.holds(one)]
        doable = [one for one in self.goals if one in self.doable and one not in reached]
        others = [one for one in self.goals if one not in self.doable and one not in reached]
        return LadderState(*(tuple(one.pddl for one in goals) for goals in (reached, doable, others)))
