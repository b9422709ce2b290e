"""What is thought of the others in a matrix game: the behaviours to predict, and the questions to ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from hm_agent.core import Clue, Counts, Event, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, answer_or_none
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.module import OpponentModel
from hm_agent.worlds.melting_pot.games.game import Inference
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    TYPICAL,
    Distribution,
    best_target,
    expected_inventories,
    pure_inventory,
)
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.partner_choice import Sighting, best_meeting, steps_to_find
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax, infer_inventory
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering, GatheringReader, Life
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import (
    ChoiceAnswer,
    ChooseOpponents,
    CounterAnswer,
    InferInventory,
    MindAnswer,
    MindsAnswer,
    Opponent,
    PatientAnswer,
    PredictAndCounter,
    PredictionAnswer,
    PredictNext,
    ProposeHypothesis,
    ReadMinds,
)
from hm_agent.worlds.melting_pot.games.matrix.questions.strategies import (
    FollowStrategy,
    JudgeStrategy,
    MakeStrategy,
    StrategyAnswer,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules
from hm_agent.worlds.melting_pot.grid import Cell, distance
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting


@dataclass(frozen=True, slots=True)
class State:
    """What questions are asked in view of.

    held: by oneself. here: where one was last, None while that is unknown. players: where the others were seen last.
    """

    step: int
    held: Counts
    here: Cell | None
    players: Mapping[str, PlayerSighting]

    def sighting(self, player: str) -> Sighting | None:
        """When a player was seen last, and how far from here; None where nothing tells."""
        seen = self.players.get(player)
        return Sighting(seen.step, distance(self.here, seen.cell)) if seen and self.here else None


class MatrixMind:
    """The questions of all kinds of strategists about one matrix game.

    players: the names of the others. gatherings: told of every interaction. state: the present one. words: an inventory
    in words.
    """

    def __init__(
        self,
        rules: Rules,
        players: Sequence[str],
        gatherings: GatheringReader,
        state: Callable[[], State],
        words: Callable[[Counts], str],
        inference: Inference,
    ) -> None:
        self.rules, self.players = rules, players
        self._gatherings, self._state, self._words, self._inference = gatherings, state, words, inference

    @property
    def _is_crowd(self) -> bool:
        """Whether one can choose whom to meet."""
        return len(self.players) > 1

    async def understand(self, event: Event, model: Model) -> Interaction | None:
        if not isinstance(event, InteractionEvent) or event.partner is None:
            return None
        other, main = await self._other_inventory(event, model)
        self._gatherings.met(event.partner, event.step, other)
        return MatrixInteraction(
            step=event.step,
            partner=event.partner,
            own=event.own,
            reward=event.reward,
            other=other,
            behaviour=self._behaviour(main),
            own_behaviour=self._behaviour(argmax(event.own)),
            shown=event.shown,
        )

    async def _other_inventory(self, event: InteractionEvent, model: Model) -> tuple[Counts, int | None]:
        if self._inference is Inference.MODEL:
            answer = await answer_or_none(model, InferInventory(self.rules, event.own, event.reward))
            if answer is not None:
                inventory = self.rules.counts(answer.inventory)
                return inventory, argmax(inventory)
        return infer_inventory(event.own, event.reward, self.rules.payoff, self.rules.initial_inventory)

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> ProposeHypothesis:
        return ProposeHypothesis(self.rules, encounters(history), best)

    def ask_prediction(
        self, history: Sequence[Interaction], hypothesis: str | None, clue: Clue | None = None, *, certain: bool = False
    ) -> PredictAndCounter | PredictNext:
        met = encounters(history)
        if self._is_crowd:
            return PredictNext(self.rules, met, hypothesis)
        question = PredictAndCounter(self.rules, met, hypothesis, certain)
        return replace(question, taken=clue.taken, own=clue.own) if isinstance(clue, Gathering) else question

    def predicted(self, answer: BaseModel) -> str | None:
        assert isinstance(answer, CounterAnswer | PredictionAnswer)
        return self._behaviour(argmax(self.rules.counts(answer.other_next)))

    def ask_choice(self, outlooks: Sequence[OpponentModel]) -> ChooseOpponents | None:
        if not self._is_crowd:
            return None
        state = self._state()
        return ChooseOpponents(self.rules, tuple(map(self._opponent, outlooks)), state.held, state.step)

    def _opponent(self, outlook: OpponentModel) -> Opponent:
        clue = outlook.clue
        present = Life(clue.step, clue.taken) if isinstance(clue, Gathering) and any(clue.taken) else None
        return Opponent(
            player=outlook.player,
            history=encounters(outlook.history),
            hypothesis=outlook.hypothesis,
            expected=outlook.expected,
            present=present,
            former=self._gatherings.former(outlook.player),
            seen=self._state().sighting(outlook.player) if self._is_crowd else None,
        )

    def ask_minds(self, outlooks: Sequence[OpponentModel]) -> ReadMinds:
        state = self._state()
        return ReadMinds(self.rules, tuple(map(self._opponent, outlooks)), state.held, state.step)

    def minds(self, answer: BaseModel) -> Mapping[str, Hypothesis]:
        assert isinstance(answer, MindsAnswer)
        return {mind.player: Hypothesis(mind.hypothesis, prediction=mind.next) for mind in answer.minds}

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> MakeStrategy:
        return MakeStrategy(self.rules, encounters(history), tuple(self.players), best)

    def ask_course(self, history: Sequence[Interaction], strategy: str) -> FollowStrategy:
        return FollowStrategy(self.rules, encounters(history), tuple(self.players), strategy)

    def ask_hindsight(self, evidence: Interaction, instead: Strategy) -> JudgeStrategy:
        assert isinstance(evidence, MatrixInteraction)
        assert instead.target is not None
        return JudgeStrategy(self.rules, evidence, instead.target)

    def strategy(self, answer: BaseModel, *, informed: bool) -> Strategy:
        match answer:
            case CounterAnswer():
                own, other = self.rules.counts(answer.own_next), self.rules.counts(answer.other_next)
                return self._strategy(own, other if informed else None, covert=answer.covert)
            case MindsAnswer() if not self._is_crowd:
                expected = self._expected_inventory(answer.minds) if informed else None
                return self._strategy(self.rules.counts(answer.own_next), expected)
        assert isinstance(answer, ChoiceAnswer | MindsAnswer)
        meeting = self._meeting(self.rules.counts(answer.own_next), _sought(answer))
        return replace(meeting, words=answer.strategy) if isinstance(answer, StrategyAnswer) else meeting

    def _expected_inventory(self, minds: Sequence[MindAnswer]) -> Counts | None:
        """What the one other player will hold if it does as is thought."""
        kinds = (self.rules.behaviours.index(mind.next) for mind in minds)
        return next((pure_inventory(self.rules, kind, TYPICAL) for kind in kinds), None)

    def answer_to(self, told: Mapping[str, str | None]) -> Strategy:
        odds = {player: self._odds(told.get(player)) for player in self.players}
        expected = expected_inventories(self.rules, ())
        if self._is_crowd:
            return self._meeting(*self._best_meeting(odds, expected))
        (behaviour,) = (told.get(player) for player in self.players)
        target = best_target(self.rules, odds[self.players[0]], expected)
        return self._strategy(target, expected[self.rules.behaviours.index(behaviour)] if behaviour else None)

    def _best_meeting(
        self, odds: Mapping[str, Distribution], expected: Sequence[Counts]
    ) -> tuple[Counts, tuple[str, ...]]:
        state = self._state()
        seen = {player: state.sighting(player) for player in self.players}
        best = best_meeting(self.rules, odds, expected, state.held, steps_to_find(seen, state.step))
        return best.target, best.seek

    def _odds(self, behaviour: str | None) -> Distribution:
        """Certain where the behaviour is known, else all open."""
        shares = [float(behaviour in (None, name)) for name in self.rules.behaviours]
        return tuple(share / sum(shares) for share in shares)

    def _meeting(self, target: Counts, seek: tuple[str, ...] | None) -> Strategy:
        whom = "anybody" if seek is None or set(self.players) <= {*seek} else ", ".join(seek)
        what = f"meet {whom}" if whom else "watch the others"
        return Strategy(f"hold {self._words(target)} and {what}", target, seek=seek)

    def _strategy(self, target: Counts, expected: Counts | None, *, covert: bool = False) -> Strategy:
        against = f", expecting {self._words(expected)}" if expected else ", to see what the opponent plays"
        how = ", and collect it unseen" if covert else ""
        return Strategy(f"hold {self._words(target)}{against}{how}", target, expected, covert=covert)

    def _behaviour(self, main: int | None) -> str | None:
        return None if main is None else self.rules.behaviours[main]


def _sought(answer: ChoiceAnswer | MindsAnswer) -> tuple[str, ...] | None:
    """Whom to meet by an answer: nobody yet if it is to watch, anybody if it names none."""
    return () if isinstance(answer, PatientAnswer) and answer.watch else tuple(answer.seek) or None


def encounters(history: Sequence[Interaction]) -> tuple[MatrixInteraction, ...]:
    """The interactions among what happened."""
    return tuple(evidence for evidence in history if isinstance(evidence, MatrixInteraction))
