"""What the matrix games mean: their events, the behaviours to predict, and the questions to ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel

from hm_agent.asking import Model, Unanswered
from hm_agent.core import Clue, Counts, Event, Evidence, Observation, Strategy, is_sought
from hm_agent.facts import INTERACTING, READY, MatrixFacts
from hm_agent.games.game import Briefing, Inference
from hm_agent.games.matrix.clues import Gathering, GatheringReader, Life
from hm_agent.games.matrix.counters import Odds, best_meeting, best_target, expected_inventories
from hm_agent.games.matrix.interactions import Interaction, InteractionReader, inventory_of
from hm_agent.games.matrix.partners import Partners
from hm_agent.games.matrix.payoff import argmax, infer_inventory
from hm_agent.games.matrix.questions import (
    SUBGOALS,
    ChoiceAnswer,
    ChooseOpponents,
    CounterAnswer,
    InferInventory,
    Opponent,
    Place,
    PlanSubgoals,
    PredictAndCounter,
    PredictionAnswer,
    PredictNext,
    ProposeHypothesis,
    Seen,
    Site,
)
from hm_agent.games.matrix.rules import Encounter, Rules
from hm_agent.memory.entities import EntityMemory
from hm_agent.memory.places import unseen_places
from hm_agent.perception.perceiver import Eyes
from hm_agent.perception.textual_map import TextualMap
from hm_agent.planning.subgoals import FireAt, Subgoal
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.module import Outlook

LOADED = 1.0
"""READY_TO_SHOOT when the beam can fire."""


class MatrixGame:
    """One matrix game as one player plays it through an episode."""

    subgoals = SUBGOALS
    ready_mark = READY

    def __init__(self, facts: MatrixFacts, eyes: Eyes, inference: Inference = Inference.EXACT) -> None:
        self.facts, self.layout = facts, eyes.layout
        self._inference = inference
        self._step = 0
        self.players = tuple(facts.sprites.players.values())
        self._held = (facts.initial_inventory,) * len(facts.resources)
        partners = Partners(self.layout, facts.beam, self.players)
        self._interactions = InteractionReader(self._held, eyes.window, partners)
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

    @property
    def _is_crowd(self) -> bool:
        """Whether one can choose whom to meet."""
        return len(self.players) > 1

    # What happens

    def read(self, observation: Observation, view: TextualMap, memory: EntityMemory) -> tuple[Event, ...]:
        self._step = observation.step
        self._held = self.inventory(observation, view)
        interactions = self._interactions.read(observation, view, memory)
        clues = self._gatherings.read(observation.step, view, memory.lost, self._held)
        return (*interactions, *clues)

    def inventory(self, observation: Observation, view: TextualMap) -> Counts:
        return inventory_of(observation)

    def is_loaded(self, observation: Observation) -> bool:
        return float(observation.fields["READY_TO_SHOOT"]) >= LOADED

    def is_idle(self, view: TextualMap) -> bool:
        return not view.present or view.mark == INTERACTING

    # What is thought of it

    async def understand(self, event: Event, model: Model) -> Evidence | None:
        if not isinstance(event, Interaction) or event.partner is None:
            return None
        other, main = await self._other_inventory(event, model)
        self._gatherings.met(event.partner, event.step, other)
        return Encounter(
            step=event.step,
            partner=event.partner,
            own=event.own,
            reward=event.reward,
            other=other,
            behaviour=self._behaviour(main),
            own_behaviour=self._behaviour(argmax(event.own)),
            shown=event.shown,
        )

    async def _other_inventory(self, event: Interaction, model: Model) -> tuple[Counts, int | None]:
        if self._inference is Inference.MODEL:
            try:
                answer = await model.answer(InferInventory(self.rules, event.own, event.reward))
            except Unanswered:
                pass  # the calculation below needs no model
            else:
                inventory = self.rules.counts(answer.inventory)
                return inventory, argmax(inventory)
        return infer_inventory(event.own, event.reward, self.facts.payoff, self.facts.initial_inventory)

    def ask_hypothesis(self, history: Sequence[Evidence], best: Bank) -> ProposeHypothesis:
        return ProposeHypothesis(self.rules, self._encounters(history), best)

    def ask_prediction(
        self, history: Sequence[Evidence], hypothesis: str | None, clue: Clue | None = None, *, certain: bool = False
    ) -> PredictAndCounter | PredictNext:
        encounters = self._encounters(history)
        if self._is_crowd:
            return PredictNext(self.rules, encounters, hypothesis)
        question = PredictAndCounter(self.rules, encounters, hypothesis, certain)
        return replace(question, taken=clue.taken, own=clue.own) if isinstance(clue, Gathering) else question

    def predicted(self, answer: BaseModel) -> str | None:
        assert isinstance(answer, CounterAnswer | PredictionAnswer)
        return self._behaviour(argmax(self.rules.counts(answer.other_next)))

    def ask_choice(self, outlooks: Sequence[Outlook]) -> ChooseOpponents | None:
        if not self._is_crowd:
            return None
        return ChooseOpponents(self.rules, tuple(map(self._opponent, outlooks)), self._held, self._step)

    def _opponent(self, outlook: Outlook) -> Opponent:
        clue = outlook.clue
        present = Life(clue.step, clue.taken) if isinstance(clue, Gathering) and any(clue.taken) else None
        return Opponent(
            player=outlook.player,
            history=self._encounters(outlook.history),
            hypothesis=outlook.hypothesis,
            expected=outlook.expected,
            present=present,
            former=self._gatherings.former(outlook.player),
        )

    def strategy(self, answer: BaseModel, *, informed: bool) -> Strategy:
        if isinstance(answer, ChoiceAnswer):
            return self._meeting(self.rules.counts(answer.own_next), tuple(answer.seek))
        assert isinstance(answer, CounterAnswer)
        own, other = self.rules.counts(answer.own_next), self.rules.counts(answer.other_next)
        return self._strategy(own, other if informed else None)

    def answer_to(self, told: Mapping[str, str | None]) -> Strategy:
        odds = {player: self._odds(told.get(player)) for player in self.players}
        expected = expected_inventories(self.rules, ())
        if self._is_crowd:
            return self._meeting(*best_meeting(self.rules, odds, expected, self._held))
        (behaviour,) = (told.get(player) for player in self.players)
        target = best_target(self.rules, odds[self.players[0]], expected)
        return self._strategy(target, expected[self.facts.behaviours.index(behaviour)] if behaviour else None)

    def _odds(self, behaviour: str | None) -> Odds:
        """Certain where the behaviour is known, else all open."""
        shares = [float(behaviour in (None, name)) for name in self.facts.behaviours]
        return tuple(share / sum(shares) for share in shares)

    def _meeting(self, target: Counts, seek: tuple[str, ...]) -> Strategy:
        whom = "anybody" if set(self.players) <= {*seek} or not seek else ", ".join(seek)
        return Strategy(f"hold {self.facts.words(target)} and meet {whom}", target, seek=seek)

    def _strategy(self, target: Counts, expected: Counts | None) -> Strategy:
        against = f", expecting {self.facts.words(expected)}" if expected else ", to see what the opponent plays"
        return Strategy(f"hold {self.facts.words(target)}{against}", target, expected)

    def _encounters(self, history: Sequence[Evidence]) -> tuple[Encounter, ...]:
        return tuple(evidence for evidence in history if isinstance(evidence, Encounter))

    def _behaviour(self, main: int | None) -> str | None:
        return None if main is None else self.facts.behaviours[main]

    # What to do about it

    def ask_critique(self, briefing: Briefing, failed: Subgoal) -> None:
        return None

    def default_plan(self, view: TextualMap) -> tuple[Subgoal, ...]:
        return (FireAt(view.pose.cell),) if view.pose else ()

    def ask_plan(self, briefing: Briefing) -> PlanSubgoals:
        observation, view, memory, strategy = briefing.observation, briefing.view, briefing.memory, briefing.strategy
        assert view.pose is not None, "plans start from a known pose"
        assert strategy.target is not None, "strategies of matrix games have a target inventory"
        step, seen = observation.step, set(view.in_view)
        return PlanSubgoals(
            rules=self.rules,
            step=step,
            pose=view.pose,
            inventory=self.inventory(observation, view),
            strategy=strategy.words,
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
            likely=memory.likely_places(strategy.seek),
            unseen=unseen_places(self.layout, view.pose.cell, memory.looked_at, step),
            layout=self.layout,
        )
