"""Collaborative Cooking: reads events from frames, and builds the questions about plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hm_agent.core import Event, Observation
from hm_agent.theory_of_mind.decision_questions import Plan, ReviewPlan
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.cooking.activities import Activity
from hm_agent.worlds.melting_pot.games.cooking.counted_on import what_is_gone, what_was_awaited
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.cooking.failures import CritiqueInteraction, Failures, FailureState, state_of
from hm_agent.worlds.melting_pot.games.cooking.kitchen import (
    COOKED,
    DELIVERY,
    POT,
    SOUP,
    Kitchen,
    KitchenRules,
    Station,
)
from hm_agent.worlds.melting_pot.games.cooking.mind import CookingMind
from hm_agent.worlds.melting_pot.games.cooking.roles import KitchenStrategy
from hm_agent.worlds.melting_pot.games.cooking.room_seat import RECENT, KitchenRoomSeat
from hm_agent.worlds.melting_pot.games.cooking.rounds import OWN
from hm_agent.worlds.melting_pot.games.cooking.seat import KitchenSeat
from hm_agent.worlds.melting_pot.games.cooking.watch import TeammateWatch
from hm_agent.worlds.melting_pot.games.cooking.work_costs import work_cost
from hm_agent.worlds.melting_pot.games.game import Collection, Game, PlanContext, PlanOutcome, View, shared_fields
from hm_agent.worlds.melting_pot.games.options import DEFAULT, AgentOptions
from hm_agent.worlds.melting_pot.grid import Cell, Pose, distance
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.calls import Call, Interact, Wait


class CookingGame(Game):
    """One kitchen as one cook knows it through an episode."""

    mind: CookingMind
    ready_mark = COOKED
    collection = Collection()

    def __init__(
        self, facts: KitchenFacts, vision: SubstrateVision, options: AgentOptions = DEFAULT, slot: int = 0
    ) -> None:
        self.facts, self.layout = facts, vision.layout
        self.players = facts.others(slot)
        is_only = len(self.players) == 1
        self._kitchen = Kitchen(self.layout, facts.recipe, vision.patterns.landmarks)
        self._teammates = {player: TeammateWatch(player, is_only=is_only) for player in self.players}
        self._failures = Failures()
        self._pose: Pose | None = None
        """The agent's latest known pose."""
        self._before: Mapping[Cell, Station] = {}
        self._hands_before: str | None = None
        """The stations known in the previous frame, and what the agent held then."""
        recipe = facts.recipe
        self.rules = KitchenRules(
            width=self.layout.width,
            height=self.layout.height,
            tomatoes=recipe.tomatoes,
            cooking_steps=recipe.cooking_steps,
            reward=recipe.reward,
            steps=facts.length.least,
            hints=options.hints,
            rooms=facts.rooms,
            cooks=facts.slots,
        )
        items = [item.name for item in facts.items]
        self._step = 0
        self.mind = CookingMind(self.players, self, items)

    # State and events

    @property
    def situation(self) -> KitchenSeat:
        """What strategists' questions show of the kitchen."""
        return replace(self.situation_beside(self.players[0]), about="")

    def situation_beside(self, player: str) -> KitchenSeat:
        """What a question about one teammate shows of the kitchen."""
        kitchen, teammate = self._kitchen, self._teammates[player]
        return KitchenSeat(
            rules=self.rules,
            step=self._step,
            hands=kitchen.hands,
            pots=kitchen.pots,
            held=teammate.held,
            pace=teammate.pace,
            own=work_cost(kitchen, self.layout, self._pose, own=True),
            other=work_cost(kitchen, self.layout, self._pose, own=False),
            about=player if len(self.players) > 1 else "",
        )

    def read(self, observation: Observation[View], view: TextualMap, memory: EntityMemory) -> tuple[Event, ...]:
        kitchen, step = self._kitchen, observation.step
        self._before, self._hands_before = dict(kitchen.stations), kitchen.hands
        kitchen.update(step, view)
        deliverers = self._deliverers(observation)
        self._pose, self._step = view.pose or self._pose, step
        seen = memory.players
        return tuple(
            end
            for player, teammate in self._teammates.items()
            for end in teammate.read(step, view, kitchen, deliverers, seen.get(player))
        )

    def _deliverers(self, observation: Observation[View]) -> list[str]:
        """Who delivered each soup that has just been paid.

        The agent delivered the first one if it held a soup before, holds nothing now and faces a delivery; the teammate
        that was last known to take soup delivered all others.
        """
        soups = round(observation.reward / self.facts.recipe.reward)
        ahead = self._kitchen.stations.get(self._pose.place(1, 0)) if self._pose else None
        faces_delivery = ahead is not None and ahead.kind == DELIVERY
        own = soups and self._hands_before == SOUP and self._kitchen.hands is None and faces_delivery
        other = max(self._teammates.values(), key=lambda teammate: teammate.soup_since).player
        return [OWN if own and n == 0 else other for n in range(soups)]

    def inventory(self, observation: Observation[View], view: TextualMap) -> Counts:
        return tuple(int(view.mark == item.name) for item in self.facts.items)

    def is_idle(self, view: TextualMap) -> bool:
        return not view.present

    # Plans

    def why_replan(self, events: Sequence[Event], rest: Sequence[Call], strategy: KitchenStrategy) -> str | None:
        """A plan goes on, even after a delivery, until something that it relies on is seen to be gone."""
        kitchen, own = self._kitchen, None
        if rest and isinstance(rest[0], Interact) and kitchen.hands != self._hands_before:
            own, rest = rest[0].target, rest[1:]  # the current call has just been carried out
        gone = what_is_gone(rest, kitchen.hands, self._before, kitchen.stations, self.rules.tomatoes, own)
        return gone or what_was_awaited(rest, self._before, kitchen.stations)

    def why_useless(self, station: Detection, held: str | None, moves: int) -> str | None:
        if station.cell is None or not station.kind.startswith(POT):
            return None
        pot = self._kitchen.as_pot(Station(station.kind, station.cell, station.mark, self._step))
        return pot.why_useless(held, self._step + moves)

    def ask_plan(self, context: PlanContext) -> Plan:
        """Shows rounds only where no strategist has drawn conclusions from them."""
        words = context.strategy.words or None
        return Plan(
            situation=self._room_seat(context, self._latest[-RECENT:]),
            strategy=words,
            others=(),
            history=() if words else self.mind.noticed(context.history),
            critiques=tuple(context.critiques),
            because=context.because,
            previous=context.previous,
        )

    @property
    def _latest(self) -> tuple[Activity, ...]:
        """The latest activities of an only teammate."""
        return self._teammates[self.players[0]].latest if len(self.players) == 1 else ()

    def _room_seat(self, context: PlanContext, recent: tuple[Activity, ...]) -> KitchenRoomSeat:
        """What the agent knows of its room. recent: the teammate's activities to show."""
        pose, kitchen, strategy = context.view.pose, self._kitchen, context.strategy
        assert pose is not None, "plans start from a known pose"
        reach = kitchen.within_reach(pose.cell)
        in_reach = kitchen.reachable(pose.cell)
        unseen = tuple(sorted(cell for cell in reach if cell not in kitchen.looked_at))
        return KitchenRoomSeat(
            **shared_fields(self.situation),
            pose=pose,
            role=strategy.role,
            expected=strategy.expected,
            stations=tuple(station for _, station in sorted(in_reach.items()) if not station.kind.startswith(POT)),
            spare=tuple(sorted(reach - in_reach.keys() - set(unseen))),
            floor=tuple(sorted(kitchen.room(pose.cell))),
            unseen=unseen,
            teammates=tuple(mate.seen for mate in self._teammates.values() if mate.seen),
            recent=recent,
            barred=self._failures.barred(kitchen, reach),
            layout=self.layout,
            reach=reach,
            handover=kitchen.handover,
            parts=dict(strategy.parts) or {player: strategy.expected for player in self.players if strategy.expected},
        )

    def default_plan(self, view: TextualMap) -> tuple[Call, ...]:
        """Waits at the first known pot in reach, where most is to be seen; empty if none is known."""
        reach = self._kitchen.within_reach(view.pose.cell) if view.pose else frozenset[Cell]()
        return tuple(Wait(pot.cell) for pot in self._kitchen.pots if pot.cell in reach)[:1]

    def ask_critique(self, context: PlanContext, failed: Call) -> CritiqueInteraction | None:
        if not isinstance(failed, Interact) or self._failures.is_explained(self._failed_state(failed)):
            return None
        if self._known_reason(failed):
            return None
        return CritiqueInteraction(
            rules=self.rules,
            target=failed.target,
            hands=self._hands_before,
            before=self._before.get(failed.target),
            after=self._kitchen.stations.get(failed.target),
            pots=self._kitchen.pots,
            step=context.observation.step,
            teammate=min(
                (mate.seen for mate in self._teammates.values() if mate.seen),
                key=lambda seen: (-seen.step, distance(seen.cell, failed.target)),
                default=None,
            ),
        )

    def remember_failure(self, failed: Call, why: str | None) -> None:
        if isinstance(failed, Interact):
            self._failures.add(self._failed_state(failed), self._known_reason(failed) or why)

    def _known_reason(self, failed: Interact) -> str | None:
        """Why the target, if it is a pot, refuses what the agent holds now; None if it doesn't."""
        pot = next((pot for pot in self._kitchen.pots if pot.cell == failed.target), None)
        return pot.why_useless(self._kitchen.hands, self._step) if pot else None

    def _failed_state(self, failed: Interact) -> FailureState:
        """The state to bar: the present one if that explains the failure, else the one before the use."""
        if self._known_reason(failed):
            return state_of(failed.target, self._kitchen.hands, self._kitchen.stations.get(failed.target))
        return state_of(failed.target, self._hands_before, self._before.get(failed.target))

    def ask_evaluation(self, context: PlanContext, outcome: PlanOutcome) -> ReviewPlan:
        """Shows what the teammate did meanwhile, or its latest activities if these are more."""
        before, latest = outcome.question.situation, self._latest
        assert isinstance(before, KitchenRoomSeat)
        assert context.previous is not None, "a plan that is over was asked for"
        meanwhile = sum(activity.step > before.step for activity in latest)
        return ReviewPlan(
            situation=self._room_seat(context, latest[-max(RECENT, meanwhile) :]),
            plan=context.previous,
            because=context.because,
            reward=outcome.reward,
            before=before,
        )
