"""The one agent: it plans subgoals, follows them, and thinks anew when something happens.

What sets agents apart is their strategist; perception, memory and planning are shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hm_agent.agents.reflection import Reflector
from hm_agent.core import Decision, EpisodeStats, Event, Interaction, Observation, Strategy
from hm_agent.models.transcript import Transcript
from hm_agent.questions import Question, answer_or_none
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.games.game import Game, PlanContext, PlanOutcome
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.insight import PresentMind
from hm_agent.worlds.melting_pot.memory.entities import EntityMemory
from hm_agent.worlds.melting_pot.memory.places import stalest_cell
from hm_agent.worlds.melting_pot.memory.player_belief import PlayerBeliefMap
from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver, SubstrateVision
from hm_agent.worlds.melting_pot.perception.textual_map import TextualMap
from hm_agent.worlds.melting_pot.planning.action_planner import ActionPlanner, Situation
from hm_agent.worlds.melting_pot.planning.replan_triggers import ReplanTriggers
from hm_agent.worlds.melting_pot.planning.subgoals import MoveTo, Subgoal, parse_plan
from hm_agent.worlds.melting_pot.planning.walking import seek_bearings

LURE = 4.0
"""Other players are so many times as likely to be met where things grow as elsewhere: they come to collect."""


class ComposedAgent:
    """Perception, memory, a strategist, a subgoal module and an action planner, in this order at every step."""

    def __init__(
        self,
        game: Game,
        eyes: SubstrateVision,
        planner: ActionPlanner,
        strategist: Strategist,
        reflector: Reflector,
        model: Transcript,
    ) -> None:
        self._game, self._planner, self._model = game, planner, model
        self._strategist, self._reflector = strategist, reflector
        self._perceiver, self._surprises = Perceiver(eyes), ReplanTriggers(game.ready_mark)
        self._memory = EntityMemory(PlayerBeliefMap(game.layout, game.players, eyes.window.left, LURE))
        self._strategy: Strategy | None = None
        self._must_plan = True
        self._latest: tuple[Question[Any], Sequence[Subgoal]] | None = None
        """The latest question for a plan, and the plan."""
        self._earned = 0.0
        """Since the latest plan was made."""
        self._failed: Subgoal | None = None
        """The subgoal that has come to nothing at this step."""
        self._move = Move.NOOP
        self._interactions = 0
        self._kinds = tuple(dict.fromkeys(eyes.roles.kinds.values()))

    async def act(self, observation: Observation) -> Decision:
        self._earned, self._failed = self._earned + observation.reward, None
        view = self._perceiver.see(observation.fields["RGB"], self._move)
        self._memory.update(observation.step, view)
        self._must_plan |= self._is_surprised(observation, view)
        events = self._game.read(observation, view, self._memory)
        understood = await self._think(events)
        self._move = await self._choose(observation, view)
        return self._decision(observation, view, events, understood)

    def _is_surprised(self, observation: Observation, view: TextualMap) -> bool:
        seek = self._strategy.seek if self._strategy else None
        inventory = self._game.inventory(observation, view)
        return self._surprises.read(observation.step, view, inventory, self._planner.subgoal, seek)

    async def _think(self, events: Sequence[Event]) -> Sequence[Interaction]:
        """Lets the strategist take in what happened; returns what it understood of it."""
        before, understood = self._strategy, list[Interaction]()
        if self._strategy is None or self._strategist.outdated:
            self._strategy = await self._strategist.open()
        for event in events:
            known = self._strategist.latest
            self._strategy = await self._strategist.revise(event) or self._strategy
            self._must_plan |= event.is_interaction
            if (latest := self._strategist.latest) is not None and latest is not known:
                understood.append(latest)
        self._must_plan |= self._strategy != before
        self._interactions += sum(event.is_interaction for event in events)
        return understood

    async def _choose(self, observation: Observation, view: TextualMap) -> Move:
        if self._game.is_idle(view):
            return Move.NOOP
        if view.pose is None:
            return seek_bearings(view, observation.step)
        assert self._strategy is not None
        loaded = self._game.is_loaded(observation)
        seek, covert = self._strategy.seek, self._strategy.covert
        situation = Situation(observation.step, view, self._memory, loaded, seek, covert)
        move = None if self._must_plan else self._planner.next_move(situation)
        if move is None:
            self._planner.follow(await self._plan(observation, view))
            self._must_plan = False
            move = self._planner.next_move(situation)
        return self._look_around(situation) if move is None else move

    def _look_around(self, situation: Situation) -> Move:
        """What to do with a plan that was moot from the start: explore, rather than ask again at once."""
        place = stalest_cell(self._game.layout, situation.pose.cell, self._memory.looked_at, situation.step)
        self._planner.follow((MoveTo(situation.pose.cell, place),))
        return self._planner.next_move(situation) or Move.TURN_RIGHT

    async def _plan(self, observation: Observation, view: TextualMap) -> Sequence[Subgoal]:
        """Asks for subgoals, with what is to be learnt from the plan before."""
        assert self._strategy is not None
        briefing = PlanContext(observation, view, self._memory, self._strategy, self._strategist.history)
        self._failed = self._planner.failed
        if self._latest is not None:
            attempt = PlanOutcome(*self._latest, self._failed, self._earned)
            briefing = replace(briefing, critiques=await self._reflector.reflect(briefing, attempt))
        question = self._game.ask_plan(briefing)
        plan = await self._answered(question, view)
        self._latest, self._earned = (question, plan), 0.0
        return plan

    async def _answered(self, question: Question[Any], view: TextualMap) -> Sequence[Subgoal]:
        answer = await answer_or_none(self._model, question)
        if answer is None:
            return self._game.default_plan(view)
        return parse_plan(answer.subgoals, self._game.layout, self._game.subgoals)

    def _decision(
        self, observation: Observation, view: TextualMap, events: Sequence[Event], understood: Sequence[Interaction]
    ) -> Decision:
        subgoal, latest = self._planner.subgoal, self._strategist.latest
        return Decision(
            action=int(self._move),
            pose=view.pose,
            inventory=self._game.inventory(observation, view),
            other_inventory=latest.other if latest else None,
            subgoal=str(subgoal) if subgoal else None,
            strategy=self._strategy,
            about=latest.partner if latest else None,
            hypotheses=self._strategist.hypotheses,
            validated=self._strategist.validated,
            events=events,
            understood=understood,
            exchanges=self._model.take(),
            insight=PresentMind(view, self._memory, self._planner, self._kinds, self._failed),
        )

    def vitals(self) -> EpisodeStats:
        return EpisodeStats(
            self._model.usage, self._interactions, self._perceiver.unknown_patches, self._perceiver.lost_steps
        )
