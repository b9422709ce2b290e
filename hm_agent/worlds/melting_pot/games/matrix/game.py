"""The matrix games: reads events from frames, and builds the questions about plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hm_agent.core import Clue, Event, Observation
from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.decision_questions import Plan, ReviewPlan
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.game import LED, Game, PlanContext, PlanOutcome, View
from hm_agent.worlds.melting_pot.games.matrix.best_response import LastSeen
from hm_agent.worlds.melting_pot.games.matrix.collection import MatrixCollection
from hm_agent.worlds.melting_pot.games.matrix.facts import INTERACTING, READY, MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.forced_plans import ForcedPlans
from hm_agent.worlds.melting_pot.games.matrix.history import MatrixHistory
from hm_agent.worlds.melting_pot.games.matrix.interactions import (
    InteractionEvent,
    InteractionReader,
    PartnerTracker,
    inventory_of,
)
from hm_agent.worlds.melting_pot.games.matrix.map_seat import MatrixMapSeat, map_seat
from hm_agent.worlds.melting_pot.games.matrix.mind import MatrixMind
from hm_agent.worlds.melting_pot.games.matrix.pairs.probes import PairProbes
from hm_agent.worlds.melting_pot.games.matrix.pairs.takings import Witnessed, creed_in, takings_in
from hm_agent.worlds.melting_pot.games.matrix.pickups import CollectionPace, GatheringReader
from hm_agent.worlds.melting_pot.games.matrix.rules import LastShown, MatrixRules, matrix_interactions
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat, OtherPlayer, Reach
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy, StrategyWriter
from hm_agent.worlds.melting_pot.games.options import DEFAULT, AgentOptions
from hm_agent.worlds.melting_pot.grid import Cell, Layout, distance
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import PAUSE_STEPS
from hm_agent.worlds.melting_pot.planning.calls import (
    Call,
    FireAt,
    MoveTo,
    Pause,
    Shadow,
    SubstratePlanRecord,
    plan_record,
    players_named,
)

LOADED = 1.0
"""READY_TO_SHOOT when the beam can fire."""
INTERACTION_OVER = phrase("melting_pot/matrix/messages.j2", "interaction_over")
"""Why a plan is asked for after an interaction."""


class MatrixGame(Game):
    """One matrix game as one player plays it through an episode."""

    mind: MatrixMind
    ready_mark = READY

    def __init__(
        self, facts: MatrixFacts, vision: SubstrateVision, options: AgentOptions = DEFAULT, slot: int = 0
    ) -> None:
        self.facts, self.layout = facts, vision.layout
        self.players = facts.others(slot)
        nothing_collected = (facts.initial_inventory,) * len(facts.resources)
        partners = PartnerTracker(self.layout, facts.beam, self.players)
        self._interactions = InteractionReader(nothing_collected, vision.window, partners)
        self._gatherings = GatheringReader(facts.things, facts.behaviours, facts.initial_inventory, self.players)
        self.rules = _rules(facts, self.layout, len(self.players) + 1, options)
        self._pace = CollectionPace(facts.timing.per_thing)
        self._planned_against: dict[str, str | None] = {}
        """The behaviour that led in what each player was known to have taken when the latest plan was asked for."""
        self._has_planned = False
        """True if a plan was asked for since the latest interaction, which makes earlier ones pointless."""
        self.held = nothing_collected
        self.here: Cell | None = None
        self._memory: EntityMemory | None = None
        self.step, self.can_act = 0, True
        self._back_at = 0
        """The step at which the agent comes back, or has come back, from its latest interaction."""
        self._window = vision.window
        self._witnessed: Witnessed | None = None
        self.history = MatrixHistory(self.rules, self._gatherings)
        strategies = StrategyWriter(self.rules, self.players, facts.words)
        self.mind = MatrixMind(self, self.history, strategies, options.inference)
        self.collection = MatrixCollection(self.rules, self.players, self._gatherings, self.history)
        self._forced = ForcedPlans(self.rules, self.players, self.collection)
        if options.opponent_plays:
            self.probes = PairProbes(self, options.opponent_plays)

    # State and events

    def read(self, observation: Observation[View], view: TextualMap, memory: EntityMemory) -> tuple[Event, ...]:
        self.step, self.held, self._memory = observation.step, self.inventory(observation, view), memory
        self.here = view.pose.cell if view.pose else self.here
        self._pace.read(self.step, self.held)
        self._witness(observation, view, memory)
        interactions = self._interactions.read(observation, view, memory)
        self.can_act = not self.is_idle(view) and view.pose is not None
        if interactions:
            self._back_at = self.step + self.rules.timing.away
            timing = self.rules.timing.with_steps_per_thing(self._pace.steps_per_thing)
            self.rules = replace(self.rules, timing=timing)
            self._forced.begin_anew()
            self._has_planned = False
        for event in interactions:
            memory.forget(event.partner or "")  # it respawns somewhere else
        if not self.rules.clues or self._interactions.is_reset:
            return interactions
        return (*interactions, *self._gatherings.read(observation.step, view, memory.disappeared, self.held))

    def _witness(self, observation: Observation[View], view: TextualMap, memory: EntityMemory) -> None:
        """Keeps what is taken before the agent's eyes, on a board of a pair."""
        if (creed := creed_in(observation.view)) is not None:
            before = self._witnessed.takings if self._witnessed else ()
            takings = takings_in(observation.step, view, memory, self.facts.things) if LED in observation.view else ()
            self._witnessed = Witnessed(creed, (*before, *takings), self._window)

    @property
    def unready_for(self) -> int:
        """The least number of steps before the agent holds something: 0 if it does, at least 1 if it doesn't.

        These are the steps until it is back on the map and then to the nearest known thing, 1 if that can't be told.
        """
        if self.rules.is_armed(self.held):
            return 0
        if away := max(0, self._back_at - self.step):
            return away + 1
        if self.here is None or self._memory is None:
            return 1
        return max(1, min((distance(self.here, cell) for cell in self._memory.things), default=1))

    @property
    def situation(self) -> MatrixSeat:
        others = tuple(map(self._other, self.players))
        return MatrixSeat(
            self.rules,
            self.step,
            self.held,
            others,
            self.history.interactions,
            may_watch=self._forced.may_watch(self.held),
            last_shown=self._last_shown,
            reach=self._reach,
            witnessed=self._witnessed,
        )

    @property
    def _last_shown(self) -> LastShown | None:
        """What the only opponent last saw the agent collect; None if nothing, or if it may be another each time.

        None also in a pair, where to find that out is what is asked.
        """
        is_told = self.rules.players == 2 and self._witnessed is None
        shown = self._interactions.last_shown.get(self.players[0]) if is_told else None
        return LastShown(self.rules.behaviours[shown[0]], self.step - shown[1]) if shown else None

    @property
    def _reach(self) -> Reach | None:
        """What the agent can collect, from where it is if it is free to walk."""
        memory = self._memory
        return Reach(self.layout, self.here if self.can_act else None, memory.kinds()) if memory else None

    def _other(self, player: str) -> OtherPlayer:
        """What was seen of another player; where it is matters only to whoever can choose among several."""
        sight = self._memory.players.get(player) if self._memory and len(self.players) > 1 else None
        return OtherPlayer(
            player,
            present=self._gatherings.present_record(player),
            former=self._gatherings.former_records(player),
            seen=LastSeen(sight.step, distance(self.here, sight.cell), sight.mark) if sight and self.here else None,
        )

    def inventory(self, observation: Observation[View], view: TextualMap) -> Counts:
        return inventory_of(observation)

    def is_loaded(self, observation: Observation[View]) -> bool:
        return float(observation.view["READY_TO_SHOOT"]) >= LOADED

    def is_idle(self, view: TextualMap) -> bool:
        return not view.present or view.mark == INTERACTING or self._interactions.is_reset

    # Plans

    def default_plan(self, view: TextualMap) -> tuple[Call, ...]:
        return (FireAt(view.pose.cell),) if view.pose else ()

    def why_replan(self, events: Sequence[Event], rest: Sequence[Call], strategy: MatrixStrategy) -> str | None:
        """Replans after an interaction and, without a strategist, when pickups suggest what the plan doesn't answer."""
        if any(isinstance(event, InteractionEvent) for event in events):
            return INTERACTION_OVER
        clues = [event for event in events if isinstance(event, Clue) and self._is_news_to_plan(event, rest)]
        if clues and strategy.target is None:
            suggested, partner = clues[-1].suggests, clues[-1].partner
            return phrase("melting_pot/matrix/messages.j2", "now_leads", behaviour=suggested, partner=partner)
        return None

    def _is_news_to_plan(self, clue: Clue, rest: Sequence[Call]) -> bool:
        """True if a clue suggests a behaviour that the latest plan knows nothing of and does not answer.

        False if it led already when the plan was asked for; if the clue is slight, since that does not contradict what
        interactions have taught, and who is watching sees more; if the plan itself says what a player must have taken
        to be fired at; if the plan names players and this is none of them; and if the only opponent takes what it held
        the last time, in a game where that is no danger.
        """
        is_watching = bool(rest) and isinstance(rest[0], Shadow)  # until it is clear what the player takes
        is_slight = clue.is_slight and (is_watching or self.collection.inferred_inventory is not None)
        if is_slight or clue.suggests in (None, self._planned_against.get(clue.partner)):
            return False
        judges_itself = bool(rest) and isinstance(rest[0], FireAt) and rest[0].aim.holding is not None
        suggested, last = self.rules.behaviours.index(clue.suggests), self.collection.inferred_inventory
        is_as_before = not self.rules.is_zero_sum and last is not None and suggested == argmax(last)
        is_only_opponent = len(self.players) == 1  # among many, it may be one to seek
        is_answered = is_only_opponent and (is_as_before or self._does_best(rest, suggested))
        named = players_named(rest)
        is_about_others = bool(named) and clue.partner not in named
        return not (judges_itself or is_answered or is_about_others)

    def _does_best(self, rest: Sequence[Call], other: int) -> bool:
        """True if the behaviour to which the rest of a plan leads does best against another one, in a zero-sum game."""
        sites = self._memory.sites if self._memory else {}
        collected = Counter(sites.get(call.target) for call in rest if isinstance(call, MoveTo))
        things = zip(self.rules.things, self.held, strict=True)
        own = argmax(tuple(held + collected[thing] for thing, held in things))
        payoff = self.rules.payoff
        return self.rules.is_zero_sum and own is not None and payoff[own][other] == max(row[other] for row in payoff)

    def forced_plan(self, context: PlanContext) -> tuple[Call, ...]:
        """Waits once no further interaction can be paid before the episode ends; before, see `ForcedPlans.plan`."""
        if self.mind.is_over:
            return (Pause(PAUSE_STEPS),)
        return self._forced.plan(context, self.inventory(context.observation, context.view))

    def ask_plan(self, context: PlanContext) -> Plan:
        self._planned_against = {player: self.collection.leading(player) for player in self.players}
        previous = context.previous if self._has_planned else None
        self._has_planned = True
        return Plan(
            situation=map_seat(self.situation, context, self.layout),
            strategy=context.strategy.words or None,
            others=(),
            history=matrix_interactions(context.history),
            critiques=tuple(context.critiques),
            because=context.because,
            previous=previous,
        )

    def ask_evaluation(self, context: PlanContext, outcome: PlanOutcome) -> ReviewPlan:
        before = outcome.question.situation
        assert isinstance(before, MatrixMapSeat)
        return ReviewPlan(
            situation=map_seat(self.situation, context, self.layout),
            plan=_with_shot_counted(context.previous or plan_record(outcome.plan, 0), context.because),
            because=context.because,
            reward=outcome.reward,
            before=before,
            history=tuple(each for each in matrix_interactions(context.history) if each.step >= before.step),
        )


def _rules(facts: MatrixFacts, layout: Layout, players: int, options: AgentOptions) -> MatrixRules:
    """The rules of a game as an agent with these options is told them."""
    return MatrixRules(
        behaviours=facts.behaviours,
        things=facts.things,
        payoff=facts.payoff,
        initial_inventory=facts.initial_inventory,
        width=layout.width,
        height=layout.height,
        length=facts.length,
        beam=facts.beam,
        regrowth=facts.regrowth,
        timing=facts.timing,
        players=players,
        hints=options.hints,
        order=options.order,
        others_payoff=facts.column.payoff if facts.column else None,
        alike=facts.alike,
        clues=options.clues and not facts.alike,  # of players alike, the taker may not be the one met next
    )


def _with_shot_counted(plan: SubstratePlanRecord, because: str) -> SubstratePlanRecord:
    """The plan, with its current call counted as carried out if it fired and an interaction has ended the plan."""
    current = next(iter(plan.calls[plan.done :]), None)
    is_over = because == INTERACTION_OVER and not (plan.shot or plan.went_on)
    return replace(plan, done=plan.done + 1, left=plan.left[1:]) if is_over and isinstance(current, FireAt) else plan
