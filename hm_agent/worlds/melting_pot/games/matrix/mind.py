"""The mind of a matrix game: what is its own in strategists' questions about the other players, and in the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, Protocol

from hm_agent.core import Clue, Event, Interaction, Strategy
from hm_agent.questions import Asking, asking
from hm_agent.repeated_games.payoffs import Shares
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, FollowStrategy, JudgeStrategy
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.language_mind import LanguageMind, Situated, ask_table_odds
from hm_agent.theory_of_mind.mind import Foreseen, Mind, OddsReading, Outcome, PlayerBelief, PlayerModel, Revised
from hm_agent.theory_of_mind.mind_questions import RevisedBeliefs
from hm_agent.theory_of_mind.odds import likeliest
from hm_agent.theory_of_mind.player_odds import PlayerOdds, TableOdds
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    TYPICAL,
    best_target,
    choose_partners,
    expected_inventories,
    is_worthwhile,
    pays_to_watch,
    pure_inventory,
    steps_to_find,
)
from hm_agent.worlds.melting_pot.games.matrix.history import MatrixHistory
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.questions import InferInventory
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, matrix_interactions
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, AmongMany, MatrixSeat
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy, StrategyWriter
from hm_agent.worlds.melting_pot.games.options import Inference

REPETITIONS = 3
"""After so many equal interactions in a row, a rule that looks at the last two moves of both repeats its reply."""
LAST = 1.5
"""While there is time for fewer interactions than this, what to do is asked after each: the next may be the last."""
REVIEW_EVERY = 4
"""After each multiple of so many equal interactions in a row, the agent asks its questions all the same."""


class MatrixSenses(Situated[MatrixSeat], Protocol):
    """What the mind is told of the game at every step; to build the whole situation takes longer.

    can_act: False while the agent is frozen or off the map. unready_for: the least number of steps before it can
    interact.
    """

    @property
    def rules(self) -> MatrixRules: ...

    @property
    def step(self) -> int: ...

    @property
    def can_act(self) -> bool: ...

    @property
    def unready_for(self) -> int: ...


class MatrixMind(LanguageMind[MatrixSeat, MatrixStrategy], Mind, OddsReading):
    """Builds and interprets the questions about the other players of one matrix game."""

    asks_at_first = True

    def __init__(
        self, senses: MatrixSenses, history: MatrixHistory, strategies: StrategyWriter, inference: Inference
    ) -> None:
        super().__init__(strategies.players, senses)
        self._senses, self._inference = senses, inference
        self.history, self.strategies = history, strategies

    @property
    def rules(self) -> MatrixRules:
        return self._senses.rules

    @property
    def can_act(self) -> bool:
        return self._senses.can_act

    @property
    def is_over(self) -> bool:
        """True once no further interaction can be paid before the episode ends."""
        if self.rules.length.one_interaction and self.history.interactions:
            return True
        end = self.rules.length.end
        paid_at = self._senses.step + self._senses.unready_for + self.rules.timing.frozen
        return end is not None and paid_at > end

    @property
    def _is_crowd(self) -> bool:
        """True if there are several other players, so that the agent can choose whom to meet."""
        return len(self.players) > 1

    def ask_behaviour(self, event: Event) -> Asking[MatrixInteraction] | None:
        if not isinstance(event, InteractionEvent) or event.partner is None or self._inference is not Inference.MODEL:
            return None
        question = InferInventory(self.rules, event.own, event.reward)
        return asking(question, partial(self.history.understand, event, event.partner))

    def understand(self, event: Event) -> MatrixInteraction | None:
        if not isinstance(event, InteractionEvent) or event.partner is None:
            return None
        return self.history.understand(event, event.partner)

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if both have repeated their moves REPETITIONS times or more, and a hypothesis is validated.

        Each REVIEW_EVERY-th time is no repetition, so that the agent can think of trying another move; nor is any while
        there is time for fewer than LAST interactions.
        """
        times = _latest_repetitions(met := matrix_interactions(history))
        is_repeated = validated and times >= REPETITIONS and times % REVIEW_EVERY > 0
        left = self.rules.interactions_left(self._senses.step, met[-1].own) if is_repeated else None
        return is_repeated and (left is None or left >= LAST)

    # Questions

    def situation_beside(self, told: Sequence[Interaction], about: str | None = None) -> MatrixSeat:
        """Among many, the interactions that a question tells are not summed up, and only `about` is shown if given."""
        seat = self.situation
        if not self._is_crowd:
            return seat
        others = tuple(other for other in seat.others if about in (None, other.player))
        untold = tuple(each for each in seat.interactions if about is None and each not in told)
        return replace(seat, others=others, interactions=untold)

    def belief(self, other: PlayerModel) -> PlayerBelief:
        """With the record of the hypothesis, since the agent chooses whom to meet by how sure it is of them."""
        if other.hypothesis is None:
            return other.belief
        return replace(other.belief, right=other.hypothesis.right, tested=other.hypothesis.tested)

    def ask_prediction(
        self,
        history: Sequence[Interaction],
        hypotheses: Bank,
        *,
        clue: Clue | None = None,
        certain: bool = False,
        **_: Any,
    ) -> Asking[Foreseen]:
        """Shows no others, on whom what one player does next does not depend.

        Among many, what to do is asked by `ask_choice`, but where one hypothesis is known to be true of all.
        """
        decides = certain or not self._is_crowd
        return super().ask_prediction(history, hypotheses, clue=clue, decides=decides, certain=certain)

    def ask_choice(self, others: Sequence[PlayerModel]) -> Asking[MatrixStrategy] | None:
        if not self._is_crowd:
            return None
        beliefs = tuple(self.belief(each) for each in others if each.hypothesis or each.expected)
        question = ChooseStrategy(self.situation, (), others=beliefs, is_rule=False)
        return asking(question, lambda answer: self.decided(answer.strategy))

    def _revised(self, answer: RevisedBeliefs[Any, Any], *, informed: bool) -> Revised:
        """The only opponent is expected to do what the strategy answers, in view of all hypotheses."""
        given, revised = answer.strategy, super()._revised(answer, informed=informed)
        return replace(revised, foreseen=given.expects.words) if isinstance(given, AgainstOne) else revised

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> Asking[MatrixStrategy]:
        told = matrix_interactions(history)
        question = ChooseStrategy(self.situation_beside(told), told, best=tuple(best))
        return asking(question, lambda answer: replace(self._of_a_rule(answer.strategy), words=answer.strategy.words))

    def ask_application(self, history: Sequence[Interaction], strategy: str) -> Asking[MatrixStrategy]:
        told = matrix_interactions(history)
        question = FollowStrategy(self.situation_beside(told), told, strategy)
        return asking(question, lambda answer: self._of_a_rule(answer.strategy))

    def _of_a_rule(self, given: AgainstOne | AmongMany) -> MatrixStrategy:
        """What a rule of the agent's own amounts to; agents that follow such rules expect nothing of others."""
        return self.decided(given, informed=False)

    def ask_hindsight(self, interaction: Interaction, instead: Strategy) -> Asking[Outcome]:
        (met,) = matrix_interactions([interaction])
        assert isinstance(instead, MatrixStrategy)
        return asking(JudgeStrategy(self.situation, met, instead.target), lambda answer: answer.outcome)

    # Strategies

    def decided(self, given: AgainstOne | AmongMany, *, informed: bool = True) -> MatrixStrategy:
        """The strategy in an answer, with the reason that it gives added to its words.

        Whoever watches many players meets nobody yet, and anybody if the answer names nobody.
        """
        target = self.rules.counts(given.hold)
        if isinstance(given, AgainstOne):
            expected = self._led_by(given.expects.kind, given.expects.count) if informed else None
            watch = given.watch and not self._is_crowd  # one that stands for many can't be watched
            strategy = self.strategies.against_one(target, expected, watch=watch, covert=given.covert)
            if given.show:
                strategy = replace(strategy, words=f"{strategy.words}, after showing it {given.show}", show=given.show)
            seat = self.situation
            is_anything_known = seat.interactions or seat.others[0].present
            strategy = replace(strategy, awaits=given.expects.kind if is_anything_known else None)
        else:
            seek = () if given.watch else tuple(given.seek) or None
            strategy = self.strategies.to_meet(target, seek, covert=given.covert)
        return replace(strategy, words=f"{strategy.words}. {given.words}") if given.words else strategy

    def awaited(self, strategy: Strategy, player: str) -> str | None:
        return strategy.awaits if isinstance(strategy, MatrixStrategy) else None

    def _led_by(self, behaviour: str, count: int) -> Counts:
        """The inventory with this count of one behaviour's resource, and the initial one of all others."""
        return pure_inventory(self.rules, self.rules.behaviours.index(behaviour), count)

    def undecided(self) -> MatrixStrategy:
        return MatrixStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> MatrixStrategy:
        distributions = {player: self._distribution(behaviours.get(player)) for player in self.players}
        expected = expected_inventories(self.rules, ())
        if self._is_crowd:
            seat = self.situation
            search = steps_to_find({other.player: other.seen for other in seat.others}, seat.step)
            best = choose_partners(self.rules, distributions, expected, seat.held, search)
            # `hidden` changes nothing: among many players, somebody nearly always watches.
            return self.strategies.to_meet(best.target, best.seek)
        (behaviour,) = (behaviours.get(player) for player in self.players)
        target = best_target(self.rules, distributions[self.players[0]], expected)
        predicted = expected[self.rules.behaviours.index(behaviour)] if behaviour else None
        return self.strategies.against_one(target, predicted, covert=hidden)

    def ask_odds(self, other: PlayerModel) -> Asking[PlayerOdds]:
        return ask_table_odds(self, other, self._interactions_left, self._moves_in)

    @property
    def _interactions_left(self) -> int:
        """For how many more interactions there is time, if each takes what the latest one took."""
        if self.rules.length.one_interaction:
            return 1
        met = self.history.interactions
        held = met[-1].own if met else pure_inventory(self.rules, 0, TYPICAL)
        remaining = self.rules.length.expected_remaining(self._senses.step)
        return max(1, round(remaining / self.rules.steps_between(held)))

    def _moves_in(self, interaction: Interaction) -> tuple[int, int] | None:
        (met,) = matrix_interactions([interaction])
        if met.own_behaviour is None or met.behaviour is None:
            return None
        return self.rules.behaviours.index(met.own_behaviour), self.rules.behaviours.index(met.behaviour)

    def respond(self, odds: Mapping[str, PlayerOdds]) -> MatrixStrategy:
        """Holds what does best with the chosen kind; among many, what does best with whom it is worth meeting."""
        expected, held = expected_inventories(self.rules, self.history.interactions), self.situation.held
        chances = {player: tuple(each.chances.values()) for player, each in odds.items()}
        if self._is_crowd:
            known = [self._distribution(None), *chances.values()]
            population = tuple(sum(column) / len(known) for column in zip(*known, strict=True))
            distributions = {player: chances.get(player, population) for player in self.players}
            search = steps_to_find({other.player: other.seen for other in self.situation.others}, self._senses.step)
            best = choose_partners(self.rules, distributions, expected, held, search)
            is_worth_it = is_worthwhile(self.rules, best, held)
            return self.strategies.to_meet(best.target if is_worth_it else held, best.seek if is_worth_it else ())
        ((only, shares),) = chances.items()
        about_one = odds[only]
        assert isinstance(about_one, TableOdds)
        target = self.situation.within_reach(best_target(self.rules, shares, expected, held, about_one.choice))
        watch = self.situation.may_watch and pays_to_watch(self.rules, shares, expected, held)
        return self.strategies.against_one(target, expected[likeliest(shares)], watch=watch)

    def response_to_rates(self, player: str, rates: Mapping[str, float]) -> MatrixStrategy | None:
        """Against an only opponent in a zero-sum game; elsewhere cooperation would look as if it did not matter.

        It doesn't watch first: what was seen is what the predictions are made from.
        """
        if self._is_crowd or not self.rules.is_zero_sum:
            return None
        shares = tuple(rates.get(name, 0.0) for name in self.rules.behaviours)
        expected = expected_inventories(self.rules, self.history.interactions)
        target = best_target(self.rules, shares, expected, self.situation.held, self.rules.side.best_against(shares))
        return self.strategies.against_one(target, expected[likeliest(shares)])

    def _distribution(self, behaviour: str | None) -> Shares:
        """The distribution over a player's behaviours: certain if its behaviour is known, else uniform."""
        shares = [float(behaviour in (None, name)) for name in self.rules.behaviours]
        return tuple(share / sum(shares) for share in shares)

    def commit(self, behaviour: str) -> MatrixStrategy:
        """The strategy to hold TYPICAL of one kind, whatever the others do."""
        return self.strategies.to_hold(self.situation.within_reach(self._led_by(behaviour, TYPICAL)))


def _latest_repetitions(history: Sequence[MatrixInteraction]) -> int:
    """How many of the latest interactions in a row had the same moves of both; 0 if the latest ones are unknown."""
    moves = [(interaction.own_behaviour, interaction.behaviour) for interaction in reversed(history)]
    if not moves or None in moves[0]:
        return 0
    return sum(1 for _ in takewhile(lambda pair: pair == moves[0], moves))
