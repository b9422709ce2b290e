"""The mind of a matrix game: what is its own in strategists' questions about the other players, and in the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import Any, Protocol

from hm_agent.core import Clue, Event, Interaction, Strategy
from hm_agent.questions import Asking, asking
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.language_mind import LanguageMind, Situated, ask_table_odds
from hm_agent.theory_of_mind.language_questions import ChooseStrategy, FollowStrategy, JudgeStrategy, RevisedBeliefs
from hm_agent.theory_of_mind.mind import Foreseen, Mind, OddsReading, Outcome, PlayerBelief, PlayerModel, Revised
from hm_agent.theory_of_mind.odds import likeliest
from hm_agent.theory_of_mind.player_odds import PlayerOdds, TableOdds
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    TYPICAL,
    Distribution,
    best_target,
    choose_partners,
    expected_inventories,
    is_worthwhile,
    pays_to_watch,
    pure_inventory,
    steps_to_find,
)
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.pickups import GatheringReader
from hm_agent.worlds.melting_pot.games.matrix.questions import InferInventory, InventoryAnswer
from hm_agent.worlds.melting_pot.games.matrix.rules import (
    LastShown,
    MatrixInteraction,
    MatrixRules,
    PartnerEvidence,
    infer_inventory,
    is_lead_open,
    matrix_interactions,
)
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, AmongMany, MatrixSeat, NextLead
from hm_agent.worlds.melting_pot.games.options import Inference
from hm_agent.worlds.melting_pot.strategy import SubstrateStrategy

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


@dataclass(frozen=True, slots=True)
class MatrixStrategy(SubstrateStrategy):
    """A strategy in a matrix game.

    target: the inventory to reach before the next interaction, None if planning decides on it. expected: the inventory
    that the other player is expected to hold, None if unknown. watch_first: True to see what the only opponent takes
    before collecting anything; the target is what to hold unless that speaks against it. show: the behaviour whose
    thing to take first before the eyes of the only opponent; None for none. awaits: the behaviour that it
    counts on, so that to see just that is no news; None if nothing was known when it was decided on.
    """

    target: Counts | None = None
    expected: Counts | None = None
    watch_first: bool = False
    show: str | None = None
    awaits: str | None = None

    @property
    def aims(self) -> object:
        """What a plan depends on: all but the words, and of the expected inventory only the kind that leads.

        A plan may wait until the other player has taken most of that kind.
        """
        leading = argmax(self.expected) if self.expected else None
        return self.seek, self.covert, self.watch_first, self.show, self.target, leading


class MatrixMind(LanguageMind[MatrixSeat, MatrixStrategy], Mind, OddsReading):
    """Builds and interprets the questions about the other players of one matrix game.

    players: the names of the others. gatherings: counts what each was seen to take; the mind reports interactions to
    it. words: puts an inventory into words. interactions: all that were understood, the oldest first.
    """

    asks_at_first = True

    def __init__(
        self,
        senses: MatrixSenses,
        players: Sequence[str],
        gatherings: GatheringReader,
        words: Callable[[Counts], str],
        inference: Inference,
    ) -> None:
        super().__init__(players, senses)
        self._senses, self._gatherings, self._words, self._inference = senses, gatherings, words, inference
        self.interactions: tuple[MatrixInteraction, ...] = ()
        self._came_back: dict[str, int] = {}
        """The step at which each player came back from its latest interaction with the agent."""

    @property
    def rules(self) -> MatrixRules:
        return self._senses.rules

    @property
    def can_act(self) -> bool:
        return self._senses.can_act

    @property
    def is_over(self) -> bool:
        """True once no further interaction can be paid before the episode ends."""
        if self.rules.length.one_interaction and self.interactions:
            return True
        end = self.rules.length.end
        paid_at = self._senses.step + self._senses.unready_for + self.rules.timing.frozen
        return end is not None and paid_at > end

    @property
    def inferred_inventory(self) -> Counts | None:
        """What the other player held in the latest interaction, None before the first."""
        return self.interactions[-1].other if self.interactions else None

    @property
    def _is_crowd(self) -> bool:
        """True if there are several other players, so that the agent can choose whom to meet."""
        return len(self.players) > 1

    # Interactions

    def ask_behaviour(self, event: Event) -> Asking[MatrixInteraction] | None:
        if not isinstance(event, InteractionEvent) or event.partner is None or self._inference is not Inference.MODEL:
            return None
        question = InferInventory(self.rules, event.own, event.reward)
        return asking(question, partial(self._understood, event, event.partner))

    def understand(self, event: Event) -> MatrixInteraction | None:
        if not isinstance(event, InteractionEvent) or event.partner is None:
            return None
        return self._understood(event, event.partner, None)

    def _understood(self, event: InteractionEvent, partner: str, answer: InventoryAnswer | None) -> MatrixInteraction:
        """The interaction, with the partner's inventory from the model's answer, or else from the reward.

        Also takes note of it: the partner begins to collect anew.
        """
        evidence = self._evidence(partner, event.step)
        other, main = self._other_inventory(event, answer, evidence)
        self._gatherings.reset_partner(partner, event.step, other)
        understood = MatrixInteraction(
            step=event.step,
            partner=partner,
            own=event.own,
            reward=event.reward,
            other=other,
            behaviour=self._behaviour(main),
            own_behaviour=self._behaviour(argmax(event.own)),
            shown=event.shown,
            is_open=main is None if answer else is_lead_open(event.own, event.reward, self.rules.payoff, evidence),
            taken=evidence.taken,
            last_shown=self._last_shown(event),
        )
        self.interactions = (*self.interactions, understood)
        return understood

    def _last_shown(self, event: InteractionEvent) -> LastShown | None:
        if event.last_shown is None:
            return None
        kind, step = event.last_shown
        return LastShown(self.rules.behaviours[kind], max(0, event.step - self.rules.timing.frozen - step))

    def _evidence(self, partner: str, step: int) -> PartnerEvidence:
        """What is known, beside the reward, of a partner's inventory in the interaction that is paid at a step.

        Also records when the partner comes back. If players can't be told apart, this may be another partner than the
        last one, and nobody knows when it came back.
        """
        began = step - self.rules.timing.frozen
        came_back = self._came_back.get(partner, 0)
        self._came_back[partner] = step + self.rules.timing.away
        steps = None if self.rules.alike else max(1, began - came_back)
        taken = self._gatherings.taken(partner)
        return PartnerEvidence(self.rules.initial_inventory, taken, steps, is_alone=not self._is_crowd)

    def _other_inventory(
        self, event: InteractionEvent, answer: InventoryAnswer | None, evidence: PartnerEvidence
    ) -> tuple[Counts, int | None]:
        """The partner's inventory and the index of its leading resource: from the model's answer or else the reward."""
        if answer is not None:
            inventory = self.rules.counts(answer.inventory)
            return inventory, argmax(inventory)
        return infer_inventory(event.own, event.reward, self.rules.payoff, evidence)

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
        self, history: Sequence[Interaction], hypotheses: Bank, clue: Clue | None = None, *, certain: bool = False
    ) -> Asking[Foreseen]:
        """Among many, what to do is asked by `ask_choice`, but where one hypothesis is known to be true of all."""
        decides = certain or not self._is_crowd
        return self._ask_prediction(history, hypotheses, (), clue, decides=decides, certain=certain)

    def ask_prediction_among(
        self, history: Sequence[Interaction], hypotheses: Bank, others: Sequence[PlayerBelief], *, decides: bool = True
    ) -> Asking[Foreseen]:
        """What one player does next depends on no other."""
        return self.ask_prediction(history, hypotheses)

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
            expected = self._inventory_led(given.expects) if informed else None
            watch = given.watch and not self._is_crowd  # one that stands for many can't be watched
            strategy = self._strategy_against_one(target, expected, watch=watch, covert=given.covert)
            if given.show:
                strategy = replace(strategy, words=f"{strategy.words}, after showing it {given.show}", show=given.show)
            strategy = replace(strategy, awaits=given.expects.kind if self._is_anything_known else None)
        else:
            seek = () if given.watch else tuple(given.seek) or None
            strategy = replace(self._strategy_to_meet(target, seek), covert=given.covert)
        return replace(strategy, words=f"{strategy.words}. {given.words}") if given.words else strategy

    @property
    def _is_anything_known(self) -> bool:
        """True once there was an interaction, or the only opponent was seen to take something."""
        return bool(self.interactions) or self._gatherings.present_record(self.players[0]) is not None

    def awaited(self, strategy: Strategy, player: str) -> str | None:
        return strategy.awaits if isinstance(strategy, MatrixStrategy) else None

    def _inventory_led(self, lead: NextLead) -> Counts:
        """The predicted inventory: the count of the leading resource, the initial one of all others."""
        return pure_inventory(self.rules, self.rules.behaviours.index(lead.kind), lead.count)

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
            return self._strategy_to_meet(best.target, best.seek)
        (behaviour,) = (behaviours.get(player) for player in self.players)
        target = best_target(self.rules, distributions[self.players[0]], expected)
        predicted = expected[self.rules.behaviours.index(behaviour)] if behaviour else None
        return self._strategy_against_one(target, predicted, covert=hidden)

    def ask_odds(self, other: PlayerModel) -> Asking[PlayerOdds]:
        return ask_table_odds(self, other, self._interactions_left, self._moves_in)

    @property
    def _interactions_left(self) -> int:
        """For how many more interactions there is time, if each takes what the latest one took."""
        if self.rules.length.one_interaction:
            return 1
        held = self.interactions[-1].own if self.interactions else pure_inventory(self.rules, 0, TYPICAL)
        remaining = self.rules.length.expected_remaining(self._senses.step)
        return max(1, round(remaining / self.rules.steps_between(held)))

    def _moves_in(self, interaction: Interaction) -> tuple[int, int] | None:
        (met,) = matrix_interactions([interaction])
        if met.own_behaviour is None or met.behaviour is None:
            return None
        return self.rules.behaviours.index(met.own_behaviour), self.rules.behaviours.index(met.behaviour)

    def respond(self, odds: Mapping[str, PlayerOdds]) -> MatrixStrategy:
        """Holds what does best with the chosen kind; among many, what does best with whom it is worth meeting."""
        expected, held = expected_inventories(self.rules, self.interactions), self.situation.held
        chances = {player: tuple(each.chances.values()) for player, each in odds.items()}
        if self._is_crowd:
            known = [self._distribution(None), *chances.values()]
            population = tuple(sum(column) / len(known) for column in zip(*known, strict=True))
            distributions = {player: chances.get(player, population) for player in self.players}
            search = steps_to_find({other.player: other.seen for other in self.situation.others}, self._senses.step)
            best = choose_partners(self.rules, distributions, expected, held, search)
            is_worth_it = is_worthwhile(self.rules, best, held)
            return self._strategy_to_meet(best.target if is_worth_it else held, best.seek if is_worth_it else ())
        ((only, shares),) = chances.items()
        about_one = odds[only]
        assert isinstance(about_one, TableOdds)
        target = best_target(self.rules, shares, expected, held, about_one.choice)
        watch = self.situation.may_watch and pays_to_watch(self.rules, shares, expected, held)
        return self._strategy_against_one(target, expected[likeliest(shares)], watch=watch)

    def response_to_rates(self, player: str, rates: Mapping[str, float]) -> MatrixStrategy | None:
        """Against an only opponent in a zero-sum game; elsewhere cooperation would look as if it did not matter.

        It doesn't watch first: what was seen is what the predictions are made from.
        """
        if self._is_crowd or not self.rules.is_zero_sum:
            return None
        shares = tuple(rates.get(name, 0.0) for name in self.rules.behaviours)
        best = max(range(len(shares)), key=lambda own: self.rules.side.expected(own, shares))
        expected = expected_inventories(self.rules, self.interactions)
        target = best_target(self.rules, shares, expected, self.situation.held, best)
        return self._strategy_against_one(target, expected[likeliest(shares)])

    def _distribution(self, behaviour: str | None) -> Distribution:
        """The distribution over a player's behaviours: certain if its behaviour is known, else uniform."""
        shares = [float(behaviour in (None, name)) for name in self.rules.behaviours]
        return tuple(share / sum(shares) for share in shares)

    def commit(self, behaviour: str) -> MatrixStrategy:
        """The strategy to hold TYPICAL of one kind, whatever the others do."""
        target = pure_inventory(self.rules, self.rules.behaviours.index(behaviour), TYPICAL)
        return MatrixStrategy(f"hold {self._words(target)}", target=target)

    def _strategy_to_meet(self, target: Counts, seek: tuple[str, ...] | None) -> MatrixStrategy:
        """The strategy to hold a target and meet players. seek: None for anybody, empty to meet nobody yet."""
        whom = "anybody" if seek is None or set(self.players) <= {*seek} else ", ".join(seek)
        meeting = f"meet {whom}" if whom else "watch the others"
        return MatrixStrategy(f"hold {self._words(target)} and {meeting}", seek=seek, target=target)

    def _strategy_against_one(
        self, target: Counts, expected: Counts | None, *, watch: bool = False, covert: bool = False
    ) -> MatrixStrategy:
        """The strategy against the only other player. expected: what it is expected to hold, None if unknown."""
        to_learn = "" if self.rules.length.one_interaction else ", to see what the opponent plays"
        against = f", expecting {self._lead_in_words(expected)}" if expected else to_learn
        how = ", and collect it unseen" if covert else ""
        words = f"hold {self._words(target)}{against}{how}"
        return MatrixStrategy(words, covert=covert, target=target, expected=expected, watch_first=watch)

    def _lead_in_words(self, expected: Counts) -> str:
        """The leading kind and its count in words, `paper to lead with 5`; the other counts are not predicted."""
        return f"{self.rules.behaviours[expected.index(max(expected))]} to lead with {max(expected)}"

    def _behaviour(self, main: int | None) -> str | None:
        return None if main is None else self.rules.behaviours[main]


def _latest_repetitions(history: Sequence[MatrixInteraction]) -> int:
    """How many of the latest interactions in a row had the same moves of both; 0 if the latest ones are unknown."""
    moves = [(interaction.own_behaviour, interaction.behaviour) for interaction in reversed(history)]
    if not moves or None in moves[0]:
        return 0
    return sum(1 for _ in takewhile(lambda pair: pair == moves[0], moves))
