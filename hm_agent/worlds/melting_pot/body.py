"""What the shared body needs of a player in Melting Pot: what it perceives and remembers, and how it follows plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hm_agent.agents.planning_body import Notes, PlanAsking, PlanFollower, PlanningBody, PlanningState, PlanRequest
from hm_agent.agents.reflection import FinishedPlan, Reflector
from hm_agent.core import Event, Observation
from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Model, Question
from hm_agent.theory_of_mind.decision_questions import Critique, Plan
from hm_agent.theory_of_mind.situation import PlanRecord, SeatSituation
from hm_agent.worlds.melting_pot.facts import Beam, Counts
from hm_agent.worlds.melting_pot.games.game import LED, Game, PlanContext, PlanOutcome, View
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory, PlayerSighting
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver, SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import ActionPlanner
from hm_agent.worlds.melting_pot.planning.calls import Call, MoveTo, plan_record
from hm_agent.worlds.melting_pot.planning.move_inputs import MoveInputs
from hm_agent.worlds.melting_pot.planning.replan_triggers import ReplanTriggers
from hm_agent.worlds.melting_pot.planning.walking import seek_bearings
from hm_agent.worlds.melting_pot.strategy import SubstrateStrategy

RESOURCE_APPEAL = 4.0
"""How many times as likely a player is on a resource cell as on any other open cell: players come to collect."""
EXPECTED_APPEAL = 3.0
"""How many times as likely a player is on a cell of the resource that it is expected to collect as on other ones."""
RELOCATION = 0.07
"""The probability, in each step, that a player out of view goes to wherever players are in the long run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstrateAgentState:
    """What a player believes and plans after a step.

    other_inventory: what the other player of the latest interaction held, by inference. things: kind and step of the
    latest sighting, by cell. plan: the latest calls, with those done. current: the index of the one being followed,
    or of the first that `shot` replaces. shot: the shot on sight that is carried out in place of the rest of the plan,
    None if there is none. over_because: why the plan is over, while the next one waits until the agent can act; None
    while it is followed. route: the cells ahead, the nearest first. failed: the call that failed in this step.
    asked_because: why a plan was asked for in this step, None if none was. skipped: the calls of the plan that were
    skipped because their thing was gone. is_own_map: True if cells are counted from where the player began.
    """

    pose: Pose | None
    inventory: Counts
    other_inventory: Counts | None = None
    subgoal: str | None
    view: TextualMap = field(metadata=UNSHOWN)
    kinds: Sequence[str] = field(default=(), metadata=UNSHOWN)
    things: Mapping[Cell, tuple[str, int]] = field(metadata=UNSHOWN)
    players: Mapping[str, PlayerSighting] = field(metadata=UNSHOWN)
    plan: Sequence[Call] = field(metadata=UNSHOWN)
    current: int = field(metadata=UNSHOWN)
    shot: Call | None = field(default=None, metadata=UNSHOWN)
    over_because: str | None = field(metadata=UNSHOWN)
    route: Sequence[Cell] = field(default=(), metadata=UNSHOWN)
    failed: Call | None = field(metadata=UNSHOWN)
    asked_because: str | None = None
    skipped: Sequence[Call] = ()
    is_own_map: bool = field(default=False, metadata=UNSHOWN)


class SubstrateNotes(Notes[View, SeatSituation, Move]):
    """Perceives and remembers what one player sees.

    observation, view: the latest ones. inventory: what the player holds now. situation: empty, since the game itself
    builds what a question shows, and only when one is asked.
    """

    situation = SeatSituation()

    def __init__(self, game: Game, vision: SubstrateVision, planner: ActionPlanner) -> None:
        self._game, self._planner, self._perceiver = game, planner, Perceiver(vision)
        belief = PlayerBeliefMap(
            game.layout,
            game.players,
            vision.window.left,
            site_ratio=RESOURCE_APPEAL,
            expected_ratio=EXPECTED_APPEAL,
            relocation=RELOCATION,
        )
        self.memory = EntityMemory(game.layout, belief, all_return=game.collection.all_return)
        self._kinds = tuple(dict.fromkeys(vision.roles.kinds.values()))
        self._move = Move.NOOP
        self.inventory: Counts = ()
        self.observation: Observation[View] = Observation(-1, {})
        self.view = TextualMap(None, present=False, mark=None, detections=(), in_view=NOWHERE, unknown_patches=0)

    def read(self, observation: Observation[View]) -> Sequence[Event]:
        self.observation, self.view = observation, self._perceiver.see(observation.view["RGB"], self._move)
        self.memory.update(observation.step, self.view)
        self.inventory = self._game.inventory(observation, self.view)
        return self._game.read(observation, self.view, self.memory)

    def led(self) -> Move | None:
        move = self.observation.view.get(LED)
        return None if move is None else Move(int(move))

    def note_action(self, action: Move) -> None:
        self._move = action

    def shown(self, planning: PlanningState) -> SubstrateAgentState:
        planner = self._planner
        return SubstrateAgentState(
            pose=self.view.pose,
            inventory=self.inventory,
            other_inventory=self._game.collection.inferred_inventory,
            subgoal=str(planning.call) if planning.call else None,
            view=self.view,
            kinds=self._kinds,
            things=dict(self.memory.things),
            players=dict(self.memory.players),
            plan=planner.plan,
            current=planner.current,
            shot=planner.shot,
            over_because=planning.over_because,
            route=planner.route if self.view.pose and not planning.over_because else (),
            failed=planning.failed,
            asked_because=planning.asked_because,
            skipped=planner.skipped,
        )

    def metrics(self) -> Mapping[str, float]:
        """How many cells showed a picture unknown to the atlas, and in how many steps the pose was unknown."""
        return {"unknown_patches": self._perceiver.unknown_patches, "pose_lost_steps": self._perceiver.lost_steps}


class SubstrateFollower(PlanFollower[SeatSituation, Move, SubstrateStrategy]):
    """Follows plans of calls move by move."""

    def __init__(self, game: Game, notes: SubstrateNotes, planner: ActionPlanner) -> None:
        self._game, self._notes, self._planner = game, notes, planner
        self._triggers = ReplanTriggers(game.ready_mark)
        self._strategy: SubstrateStrategy | None = None

    @property
    def plan(self) -> Sequence[Call]:  # type: ignore[override]
        return self._planner.plan

    @property
    def record(self) -> PlanRecord:
        return plan_record(self._planner.plan, self._planner.current)

    @property
    def done(self) -> int:
        return self._planner.current

    @property
    def current(self) -> Call | None:
        return self._planner.call

    @property
    def failed(self) -> Call | None:
        return self._planner.failed

    @property
    def why_ended(self) -> str:
        _, why_over = self._planner.latest_asked
        return why_over

    def follow(self, plan: Sequence[Call], *, is_forced: bool = False) -> None:
        if is_forced:
            self._planner.replace_plan(plan)
        else:
            self._planner.follow(plan)

    def observe(self, situation: SeatSituation, events: Sequence[Event], because: str | None) -> str | None:
        """An event counts for more than what a plan was to be asked for before, and a frame for less."""
        planner, notes, strategy = self._planner, self._notes, self._strategy
        trigger = self._triggers.read(
            notes.observation.step,
            notes.view,
            notes.inventory,
            planner.call,
            strategy.seek if strategy else None,
            is_prepared=planner.fires_on_sight,
        )
        happened = self._game.why_replan(events, planner.rest, strategy) if strategy else None
        return happened or because or trigger

    def heed(self, strategy: SubstrateStrategy, before: SubstrateStrategy | None) -> str | None:
        collection, notes = self._game.collection, self._notes
        self._strategy = strategy
        notes.memory.expect(collection.expected_kind(strategy))
        has_changed = strategy is not before and (before is None or strategy.aims != before.aims)
        if has_changed and not collection.goes_on(self._planner.rest, notes.inventory, strategy):
            return phrase("agent/messages.j2", "strategy_changed")
        return None

    def reflex(self, situation: SeatSituation) -> Move | None:
        """Stands still while no action has any effect, and looks for its bearings while its pose is unknown."""
        if self._game.is_idle(self._notes.view):
            return Move.NOOP
        if self._notes.view.pose is None:
            return seek_bearings(self._notes.view, self._notes.observation.step)
        return None

    def forced_plan(self, situation: SeatSituation, strategy: SubstrateStrategy, because: str | None) -> Sequence[Call]:
        self._planner.count_arrival(self._inputs())
        notes, over, previous = self._notes, because or self._planner.why_over, self._planner.previous
        context = PlanContext(notes.observation, notes.view, notes.memory, strategy, because=over, previous=previous)
        return self._game.forced_plan(context)

    def default_plan(self, situation: SeatSituation) -> Sequence[Call]:
        return self._game.default_plan(self._notes.view) or self._stalest()

    def next_action(self, situation: SeatSituation) -> Move | None:
        return self._planner.next_move(self._inputs())

    def last_resort(self, situation: SeatSituation) -> Move:
        """Walks to the stalest cell after a plan that leads to no move: no second plan is asked for in one step."""
        self._planner.replace_plan(self._stalest())
        return self._planner.next_move(self._inputs()) or Move.TURN_RIGHT

    def _stalest(self) -> Sequence[Call]:
        inputs = self._inputs()
        return (MoveTo(self._notes.memory.looked_at.stalest_cell(inputs.pose.cell, inputs.step)),)

    def _inputs(self) -> MoveInputs:
        """The inputs of the next move, as the strategy has them."""
        notes, strategy, collection = self._notes, self._strategy, self._game.collection
        assert strategy is not None, "a strategy is heeded before any move"
        return MoveInputs(
            step=notes.observation.step,
            view=notes.view,
            memory=notes.memory,
            loaded=self._game.is_loaded(notes.observation),
            seek=strategy.seek,
            covert=strategy.covert,
            armed=collection.is_armed(notes.inventory),
            wanted=collection.wanted(notes.inventory, strategy),
            unwanted=collection.unwanted(notes.inventory, strategy),
            leading=collection.leading,
            has_clear_lead=collection.has_clear_lead,
            count_taken=collection.count_taken,
        )


class SubstratePlans(PlanAsking[SeatSituation, SubstrateStrategy]):
    """Asks for plans, and about those that are over, in the words of the game."""

    def __init__(self, game: Game, notes: SubstrateNotes, planner: ActionPlanner) -> None:
        self._game, self._notes, self._planner = game, notes, planner
        self._asked: Plan | None = None
        """The latest question for a plan."""

    def _context(self, request: PlanRequest[SeatSituation, SubstrateStrategy]) -> PlanContext:
        notes, (previous, _) = self._notes, self._planner.latest_asked
        history, critiques = request.history, request.critiques
        return PlanContext(
            notes.observation, notes.view, notes.memory, request.strategy, history, critiques, request.because, previous
        )

    def ask(self, request: PlanRequest[SeatSituation, SubstrateStrategy]) -> Plan:
        self._asked = self._game.ask_plan(self._context(request))
        return self._asked

    def ended(self, request: PlanRequest[SeatSituation, SubstrateStrategy], reward: float) -> FinishedPlan | None:
        if self._asked is None:
            return None
        outcome = PlanOutcome(self._asked, self._planner.asked_plan, request.failed, reward)
        return _Finished(self._game, self._context(request), outcome)


@dataclass(frozen=True, slots=True)
class _Finished(FinishedPlan):
    """A finished plan as reflectors need it: builds the questions about it, and remembers its failure."""

    game: Game
    context: PlanContext
    outcome: PlanOutcome

    def ask_critique(self) -> Question[Critique] | None:
        return self.game.ask_critique(self.context, self.outcome.failed) if self.outcome.failed else None

    def remember_failure(self, why: str | None = None) -> None:
        if self.outcome.failed:
            self.game.remember_failure(self.outcome.failed, why)

    def ask_evaluation(self) -> Question[Critique]:
        return self.game.ask_evaluation(self.context, self.outcome)


def melting_pot_body(
    game: Game, beam: Beam, vision: SubstrateVision, model: Model, reflector: Reflector
) -> PlanningBody[View, Move, SeatSituation, SubstrateStrategy]:
    """The body of one player."""
    planner = ActionPlanner(game.layout, beam, vision.window, game.ready_mark, game.why_useless)
    notes = SubstrateNotes(game, vision, planner)
    follower, plans = SubstrateFollower(game, notes, planner), SubstratePlans(game, notes, planner)
    return PlanningBody(notes, follower, plans, game.mind, model, reflector, game.probes)
