"""The body of a player in Melting Pot: perceives, remembers, and plans subgoals and moves, in this order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic

from hm_agent.agents.reflection import Critique, Reflector
from hm_agent.core import Event, Interaction, Observation
from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Model, Question, answer_or_none
from hm_agent.theory_of_mind.mind import Mind
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.game import Game, PlanContext, PlanOutcome, PlanQuestionT, View
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory, PlayerSighting
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver, SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import ActionPlanner
from hm_agent.worlds.melting_pot.planning.replan_triggers import ReplanTriggers
from hm_agent.worlds.melting_pot.planning.situation import Situation
from hm_agent.worlds.melting_pot.planning.subgoals import MoveTo, Subgoal
from hm_agent.worlds.melting_pot.planning.walking import seek_bearings
from hm_agent.worlds.melting_pot.strategy import SubstrateStrategy

RESOURCE_APPEAL = 4.0
"""How many times as likely a player is on a resource cell as on any other open cell: players come to collect."""
EXPECTED_APPEAL = 3.0
"""How many times as likely a player is on a cell of the resource that it is expected to collect as on other ones."""
RELOCATION = 0.07
"""The probability, in each step, that a player out of view is where players are in the long run, no longer near where
it was seen."""


@dataclass(frozen=True, slots=True)
class AgentSnapshot:
    """What a player believes and plans after a step.

    other_inventory: what the other player of the latest interaction held, by inference. things: kind and step of the
    latest sighting, by cell. plan: the latest subgoals, with those done. current: the index of the one being followed,
    or of the first that `shot` replaces. shot: the shot on sight that is carried out in place of the rest of the plan,
    None if there is none. over_because: why the plan is over, while the next one waits until the agent can act; None
    while it is followed. route: the cells ahead, the nearest first. failed: the subgoal that failed in this step.
    asked_because: why a plan was asked for in this step, None if none was. skipped: the subgoals of the plan that were
    skipped because their thing was gone. Only replays show the fields from `view` to `failed`.
    """

    pose: Pose | None
    inventory: Counts
    other_inventory: Counts | None
    subgoal: str | None
    view: TextualMap = field(metadata=UNSHOWN)
    kinds: Sequence[str] = field(metadata=UNSHOWN)
    things: Mapping[Cell, tuple[str, int]] = field(metadata=UNSHOWN)
    players: Mapping[str, PlayerSighting] = field(metadata=UNSHOWN)
    plan: Sequence[Subgoal] = field(metadata=UNSHOWN)
    current: int = field(metadata=UNSHOWN)
    shot: Subgoal | None = field(metadata=UNSHOWN)
    over_because: str | None = field(metadata=UNSHOWN)
    route: Sequence[Cell] = field(metadata=UNSHOWN)
    failed: Subgoal | None = field(metadata=UNSHOWN)
    asked_because: str | None = None
    skipped: Sequence[Subgoal] = ()


class MeltingPotBody(Generic[PlanQuestionT]):
    """One player through one episode: it plans subgoals, follows them, and plans anew when something happens."""

    def __init__(
        self,
        game: Game[PlanQuestionT],
        vision: SubstrateVision,
        planner: ActionPlanner,
        model: Model,
        reflector: Reflector,
    ) -> None:
        self._game, self._planner, self._model, self._reflector = game, planner, model, reflector
        self._perceiver, self._triggers = Perceiver(vision), ReplanTriggers(game.ready_mark)
        belief = PlayerBeliefMap(
            game.layout,
            game.players,
            vision.window.left,
            site_ratio=RESOURCE_APPEAL,
            expected_ratio=EXPECTED_APPEAL,
            relocation=RELOCATION,
        )
        self._memory = EntityMemory(game.layout, belief, all_return=game.collection.all_return)
        self._kinds = tuple(dict.fromkeys(vision.roles.kinds.values()))
        self._strategy: SubstrateStrategy | None = None
        self._replan_reason: str | None = phrase("agent/reasons.j2", "begins")
        """Why a new plan is needed; None while the present one can go on."""
        self._asked_because: str | None = None
        """Why a plan was asked for in this step."""
        self._asked_plan: tuple[PlanQuestionT, Sequence[Subgoal]] | None = None
        """The latest question for a plan, and the plan that answered it; None before the first."""
        self._earned = 0.0
        """The sum of rewards since the latest plan was asked for."""
        self._failed: Subgoal | None = None
        """The subgoal that failed in this step."""
        self._move = Move.NOOP
        self._inventory: Counts = ()
        self._observation: Observation[View] = Observation(-1, {})
        self._view = TextualMap(None, present=False, mark=None, detections=(), in_view=NOWHERE, unknown_patches=0)

    @property
    def mind(self) -> Mind:
        return self._game.mind

    def perceive(self, observation: Observation[View]) -> Sequence[Event]:
        self._earned, self._failed, self._asked_because = self._earned + observation.reward, None, None
        self._observation, self._view = observation, self._perceiver.see(observation.view["RGB"], self._move)
        self._memory.expected_kind = self._game.collection.expected_kind(self._strategy) if self._strategy else None
        self._memory.update(observation.step, self._view)
        self._inventory = self._game.inventory(observation, self._view)
        seek = self._strategy.seek if self._strategy else None
        planner = self._planner
        trigger = self._triggers.read(
            observation.step, self._view, self._inventory, planner.subgoal, seek, is_prepared=planner.fires_on_sight
        )
        events = self._game.read(observation, self._view, self._memory)
        because = self._game.why_replan(events, planner.rest, self._strategy) if self._strategy else None
        self._replan_reason = because or self._replan_reason or trigger
        return events

    async def act(self, strategy: SubstrateStrategy, history: Sequence[Interaction]) -> Move:
        has_changed = self._strategy is None or strategy.aims != self._strategy.aims
        if has_changed and not self._game.collection.goes_on(self._planner.rest, self._inventory, strategy):
            self._replan_reason = self._replan_reason or phrase("agent/reasons.j2", "strategy_changed")
        self._strategy = strategy
        self._move = await self._choose(strategy, history)
        return self._move

    async def _choose(self, strategy: SubstrateStrategy, history: Sequence[Interaction]) -> Move:
        if self._game.is_idle(self._view):
            return Move.NOOP
        if self._view.pose is None:
            return seek_bearings(self._view, self._observation.step)
        situation = self._situation(strategy)
        move = None if self._replan_reason else self._planner.next_move(situation)
        if move is None:
            self._planner.count_arrival(situation)
            await self._plan(strategy, history)
            move = self._planner.next_move(situation)
        return self._explore(situation) if move is None else move

    def _situation(self, strategy: SubstrateStrategy) -> Situation:
        observation, collection = self._observation, self._game.collection
        return Situation(
            step=observation.step,
            view=self._view,
            memory=self._memory,
            loaded=self._game.is_loaded(observation),
            seek=strategy.seek,
            covert=strategy.covert,
            armed=collection.is_armed(self._inventory),
            wanted=collection.wanted(self._inventory, strategy),
            unwanted=collection.unwanted(self._inventory, strategy),
            leading=collection.leading,
            has_clear_lead=collection.has_clear_lead,
            count_taken=collection.count_taken,
        )

    def _explore(self, situation: Situation) -> Move:
        """Walks to the stalest cell after a plan that leads to no move: no second plan is asked for in one step."""
        cell = self._memory.looked_at.stalest_cell(situation.pose.cell, situation.step)
        self._planner.replace_plan((MoveTo(cell),))
        return self._planner.next_move(situation) or Move.TURN_RIGHT

    async def _plan(self, strategy: SubstrateStrategy, history: Sequence[Interaction]) -> None:
        """Follows a new plan: the only one that makes sense, if there is one, else one that the model is asked for.

        The question shows what the reflector has to say of the latest plan that was asked for.
        """
        interrupted_by, self._replan_reason = self._replan_reason, None
        context = PlanContext(
            observation=self._observation,
            view=self._view,
            memory=self._memory,
            strategy=strategy,
            history=history,
            because=interrupted_by or self._planner.why_over,
            previous=self._planner.previous,
        )
        if forced := self._game.forced_plan(context):
            self._planner.replace_plan(forced)
            return
        previous, why_over = self._planner.latest_asked
        context = replace(context, because=interrupted_by or why_over, previous=previous)
        self._asked_because, self._failed = context.because, self._planner.failed
        if self._asked_plan is not None:
            outcome = PlanOutcome(*self._asked_plan, self._failed, self._earned)
            critiques = await self._reflector.reflect(_Finished(self._game, context, outcome))
            context = replace(context, critiques=critiques)
        question = self._game.ask_plan(context)
        answer = await answer_or_none(self._model, question)
        plan = self._game.default_plan(self._view) if answer is None else question.subgoals_of(answer)
        self._asked_plan, self._earned = (question, plan), 0.0
        self._planner.follow(plan)

    def state(self) -> AgentSnapshot:
        subgoal = self._planner.subgoal
        return AgentSnapshot(
            pose=self._view.pose,
            inventory=self._inventory,
            other_inventory=self._game.collection.inferred_inventory,
            subgoal=str(subgoal) if subgoal else None,
            view=self._view,
            kinds=self._kinds,
            things=dict(self._memory.things),
            players=dict(self._memory.players),
            plan=self._planner.plan,
            current=self._planner.current,
            shot=self._planner.shot,
            over_because=self._replan_reason,
            route=self._planner.route if self._view.pose and not self._replan_reason else (),
            failed=self._failed,
            asked_because=self._asked_because,
            skipped=self._planner.skipped,
        )

    def metrics(self) -> Mapping[str, float]:
        """How many cells showed a picture unknown to the atlas, and in how many steps the pose was unknown."""
        return {"unknown_patches": self._perceiver.unknown_patches, "pose_lost_steps": self._perceiver.lost_steps}


@dataclass(frozen=True, slots=True)
class _Finished(Generic[PlanQuestionT]):
    """A finished plan as reflectors need it: builds the questions about it, and remembers its failure."""

    game: Game[PlanQuestionT]
    context: PlanContext
    outcome: PlanOutcome[PlanQuestionT]

    def ask_critique(self) -> Question[Critique] | None:
        return self.game.ask_critique(self.context, self.outcome.failed) if self.outcome.failed else None

    def remember_failure(self, why: str | None = None) -> None:
        if self.outcome.failed:
            self.game.remember_failure(self.outcome.failed, why)

    def ask_evaluation(self) -> Question[Critique]:
        return self.game.ask_evaluation(self.context, self.outcome)
