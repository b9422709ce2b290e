"""What the matrix games mean: what happens in them, and what can be done."""

from __future__ import annotations

from hm_agent.core import Counts, Event, Observation, is_sought
from hm_agent.worlds.melting_pot.facts import INTERACTING, READY, MatrixFacts
from hm_agent.worlds.melting_pot.games.game import Inference, PlanContext, PlanOutcome
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionReader, inventory_of
from hm_agent.worlds.melting_pot.games.matrix.mind import MatrixMind, State, encounters
from hm_agent.worlds.melting_pot.games.matrix.partners import Partners
from hm_agent.worlds.melting_pot.games.matrix.pickups import GatheringReader
from hm_agent.worlds.melting_pot.games.matrix.questions.plans import (
    SUBGOALS,
    EvaluatePlan,
    Moment,
    Place,
    PlanSubgoals,
    Seen,
    Site,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import Rules
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.places import unseen_places
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.subgoals import FireAt, Subgoal

LOADED = 1.0
"""READY_TO_SHOOT when the beam can fire."""


class MatrixGame:
    """One matrix game as one player plays it through an episode."""

    subgoals = SUBGOALS
    ready_mark = READY

    def __init__(self, facts: MatrixFacts, eyes: SubstrateVision, inference: Inference = Inference.EXACT) -> None:
        self.facts, self.layout = facts, eyes.layout
        self.players = tuple(facts.sprites.players.values())
        self._state = State(0, (facts.initial_inventory,) * len(facts.resources), None, {})
        partners = Partners(self.layout, facts.beam, self.players)
        self._interactions = InteractionReader(self._state.held, eyes.window, partners)
        self._gatherings = GatheringReader(facts.things, facts.behaviours, facts.initial_inventory, self.players)
        self.rules = Rules(
            behaviours=facts.behaviours,
            things=facts.things,
            payoff=facts.payoff,
            initial_inventory=facts.initial_inventory,
            width=self.layout.width,
            height=self.layout.height,
            length=facts.length,
            players=len(self.players) + 1,
        )
        self.mind = MatrixMind(self.rules, self.players, self._gatherings, lambda: self._state, facts.words, inference)

    # What happens

    def read(self, observation: Observation, view: TextualMap, memory: EntityMemory) -> tuple[Event, ...]:
        here = view.pose.cell if view.pose else self._state.here
        self._state = State(observation.step, self.inventory(observation, view), here, memory.players)
        interactions = self._interactions.read(observation, view, memory)
        clues = self._gatherings.read(observation.step, view, memory.lost, self._state.held)
        return (*interactions, *clues)

    def inventory(self, observation: Observation, view: TextualMap) -> Counts:
        return inventory_of(observation)

    def is_loaded(self, observation: Observation) -> bool:
        return float(observation.fields["READY_TO_SHOOT"]) >= LOADED

    def is_idle(self, view: TextualMap) -> bool:
        return not view.present or view.mark == INTERACTING

    # What to do about it

    def ask_critique(self, briefing: PlanContext, failed: Subgoal) -> None:
        return None

    def default_plan(self, view: TextualMap) -> tuple[Subgoal, ...]:
        return (FireAt(view.pose.cell),) if view.pose else ()

    def ask_plan(self, briefing: PlanContext) -> PlanSubgoals:
        observation, view, memory, strategy = briefing.observation, briefing.view, briefing.memory, briefing.strategy
        assert view.pose is not None, "plans start from a known pose"
        step, seen = observation.step, set(view.in_view)
        return PlanSubgoals(
            rules=self.rules,
            step=step,
            pose=view.pose,
            inventory=self.inventory(observation, view),
            strategy=strategy.words or None,
            target=strategy.target,
            expected=strategy.expected,
            things=tuple(Place(kind, cell, at, cell in seen) for cell, (kind, at) in memory.things.items()),
            sites=tuple(
                Site(kind, cell, memory.emptied.get(cell))
                for cell, kind in memory.sites.items()
                if cell not in memory.things
            ),
            others=tuple(
                Seen(player, seen.cell, seen.step, is_sought(player, strategy.seek))
                for player, seen in memory.players.items()
            ),
            likely=memory.likely_places(strategy.seek or ()),
            unseen=unseen_places(self.layout, view.pose.cell, memory.looked_at, step),
            history=encounters(briefing.history),
            critiques=tuple(briefing.critiques),
            layout=self.layout,
        )

    def ask_evaluation(self, briefing: PlanContext, attempt: PlanOutcome) -> EvaluatePlan:
        before, pose = attempt.question, briefing.view.pose
        assert isinstance(before, PlanSubgoals)
        assert pose is not None, "plans start from a known pose"
        return EvaluatePlan(
            rules=self.rules,
            plan=tuple(map(str, attempt.plan)),
            reward=attempt.reward,
            before=Moment(before.step, before.pose, before.inventory),
            after=Moment(briefing.observation.step, pose, self.inventory(briefing.observation, briefing.view)),
        )
