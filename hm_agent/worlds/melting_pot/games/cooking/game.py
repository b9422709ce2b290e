"""What Collaborative Cooking means: what happens in a kitchen, and what can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.core import Event, Observation
from hm_agent.worlds.melting_pot.facts import Counts, KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.activities import OWN, ActivityReader, Delivery, PaceReader, RoundReader
from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    COOKED,
    DELIVERY,
    POT,
    SOUP,
    Kitchen,
    KitchenRules,
    Station,
)
from hm_agent.worlds.melting_pot.games.cooking.mind import CookingMind, rounds
from hm_agent.worlds.melting_pot.games.cooking.plan_questions import (
    SUBGOALS,
    CritiqueInteraction,
    EvaluateCooking,
    Failures,
    FailureState,
    KitchenMoment,
    PlanCooking,
    Teammate,
    state_of,
)
from hm_agent.worlds.melting_pot.games.cooking.work_costs import work_cost
from hm_agent.worlds.melting_pot.games.game import Game, PlanContext, PlanOutcome, View
from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.subgoals import Interact, Subgoal, Wait


class CookingGame(Game):
    """One kitchen as one cook knows it through an episode."""

    mind: CookingMind
    subgoals = SUBGOALS
    ready_mark = COOKED
    all_return = False

    def __init__(self, facts: KitchenFacts, vision: SubstrateVision, slot: int = 0) -> None:
        self.facts, self.layout = facts, vision.layout
        self.players = facts.others(slot)
        (self._teammate,) = self.players
        self._kitchen = Kitchen(self.layout, facts.recipe)
        self._activities = ActivityReader(self._teammate)
        self._rounds = RoundReader(self._teammate)
        self._pace = PaceReader()
        self._failures = Failures()
        self._pose: Pose | None = None
        self._before: Mapping[Cell, Station] = {}
        self._hands_before: str | None = None
        recipe = facts.recipe
        self.rules = KitchenRules(
            width=self.layout.width,
            height=self.layout.height,
            tomatoes=recipe.tomatoes,
            cooking_steps=recipe.cooking_steps,
            reward=recipe.reward,
            steps=facts.length.least,
        )
        items = [item.name for item in facts.items]
        self.mind = CookingMind(self.rules, self._teammate, items, self.layout, self._kitchen, self._pace)

    # What happens

    def read(self, observation: Observation[View], view: TextualMap, memory: EntityMemory) -> tuple[Event, ...]:
        kitchen, step = self._kitchen, observation.step
        self._before, self._hands_before = dict(kitchen.stations), kitchen.hands
        kitchen.update(step, view)
        deliverers = self._deliverers(observation)
        self._pose = self.mind.here = view.pose or self._pose
        others = len(deliverers) - deliverers.count(OWN)
        activities = self._activities.read(step, view, kitchen, others)
        self._pace.read(step, kitchen, activities)
        return self._rounds.read(step, kitchen, activities, deliverers)

    def _deliverers(self, observation: Observation[View]) -> list[str]:
        """By whom the soups were delivered that have just paid: oneself, if that is where one's own has gone."""
        soups = round(observation.reward / self.facts.recipe.reward)
        ahead = self._kitchen.stations.get(self._pose.place(1, 0)) if self._pose else None
        faces_delivery = ahead is not None and ahead.kind == DELIVERY
        own = soups and self._hands_before == SOUP and self._kitchen.hands is None and faces_delivery
        return [OWN if own and n == 0 else self._teammate for n in range(soups)]

    def inventory(self, observation: Observation[View], view: TextualMap) -> Counts:
        return tuple(int(view.mark == item.name) for item in self.facts.items)

    def is_loaded(self, observation: Observation[View]) -> bool:
        return True

    def is_idle(self, view: TextualMap) -> bool:
        return not view.present

    # What to do about it

    def why_replan(self, events: Sequence[Event]) -> str | None:
        """Every delivery ends the plan."""
        return next((event.describe() for event in events if isinstance(event, Delivery)), None)

    def ask_plan(self, context: PlanContext) -> PlanCooking:
        pose, kitchen = context.view.pose, self._kitchen
        assert pose is not None, "plans start from a known pose"
        reach = kitchen.within_reach(pose.cell)
        in_reach = kitchen.reachable(pose.cell)
        unseen = tuple(sorted(cell for cell in reach if cell not in kitchen.looked_at))
        seen = context.memory.players.get(self._teammate)
        return PlanCooking(
            rules=self.rules,
            step=context.observation.step,
            pose=pose,
            hands=kitchen.hands,
            strategy=context.strategy.words or None,
            role=context.strategy.role,
            expected=context.strategy.expected_role,
            pots=tuple(pot for pot in kitchen.pots if pot.cell in reach),
            stations=tuple(station for _, station in sorted(in_reach.items()) if not station.kind.startswith(POT)),
            spare=tuple(sorted(reach - in_reach.keys() - set(unseen))),
            floor=tuple(sorted(kitchen.room(pose.cell))),
            unseen=unseen,
            teammate=Teammate(seen.cell, seen.mark, seen.step) if seen else None,
            recent=self._rounds.latest,
            pace=self._pace.latest,
            own=work_cost(kitchen, self.layout, pose, own=True),
            history=rounds(context.history),
            critiques=tuple(context.critiques),
            barred=self._failures.barred(kitchen, reach),
            layout=self.layout,
            reach=reach,
        )

    def default_plan(self, view: TextualMap) -> tuple[Subgoal, ...]:
        """Keeps by a pot, where most is to be seen."""
        return tuple(Wait(pot.cell) for pot in self._kitchen.pots[:1])

    def ask_critique(self, context: PlanContext, failed: Subgoal) -> CritiqueInteraction | None:
        if not isinstance(failed, Interact) or self._failures.is_explained(self._failed_state(failed)):
            return None
        return CritiqueInteraction(
            rules=self.rules,
            target=failed.target,
            hands=self._hands_before,
            before=self._before.get(failed.target),
            after=self._kitchen.stations.get(failed.target),
            pots=self._kitchen.pots,
            step=context.observation.step,
        )

    def remember_failure(self, failed: Subgoal, why: str | None) -> None:
        if isinstance(failed, Interact):
            self._failures.add(self._failed_state(failed), why)

    def _failed_state(self, failed: Interact) -> FailureState:
        return state_of(failed.target, self._hands_before, self._before.get(failed.target))

    def ask_evaluation(self, context: PlanContext, outcome: PlanOutcome) -> EvaluateCooking:
        before, pose, kitchen = outcome.question, context.view.pose, self._kitchen
        assert isinstance(before, PlanCooking)
        assert pose is not None, "plans start from a known pose"
        return EvaluateCooking(
            rules=self.rules,
            plan=tuple(map(str, outcome.plan)),
            failed=str(outcome.failed) if outcome.failed else None,
            reward=outcome.reward,
            before=KitchenMoment(before.step, before.pose, before.hands, before.pots),
            after=KitchenMoment(context.observation.step, pose, kitchen.hands, kitchen.pots),
        )
