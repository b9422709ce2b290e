"""The mind of a matrix game: builds strategists' questions about the other players, and interprets the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile

from hm_agent.core import Clue, Event, Hypothesis, Interaction, Strategy
from hm_agent.questions import Asking, asking
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.mind import Foreseen, Mind, MindsRead, OpponentModel, Outcome, Revised, Revision
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    TYPICAL,
    Distribution,
    LastSeen,
    best_target,
    choose_partners,
    expected_inventories,
    pure_inventory,
    steps_to_find,
)
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.joint_questions import (
    JointChoiceAnswer,
    JointCounterAnswer,
    ReviseAndChoose,
    ReviseAndCounter,
    RevisionAnswer,
)
from hm_agent.worlds.melting_pot.games.matrix.pickups import Gathering, GatheringReader, PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.questions import (
    ChoiceAnswer,
    ChooseOpponents,
    CounterAnswer,
    FollowStrategy,
    InferInventory,
    InventoryAnswer,
    JudgeStrategy,
    LeadAnswer,
    MakeStrategy,
    MindsAnswer,
    Opponent,
    PredictAndCounter,
    PredictionAnswer,
    PredictNext,
    ProposeHypothesis,
    ReadMinds,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import (
    MatrixInteraction,
    MatrixRules,
    PartnerEvidence,
    infer_inventory,
    is_lead_open,
)
from hm_agent.worlds.melting_pot.games.options import Inference
from hm_agent.worlds.melting_pot.grid import Cell, distance
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.strategy import SubstrateStrategy

REPETITIONS = 3
"""After so many equal interactions in a row, a rule that looks at the last two moves of both repeats its reply."""
REVIEW_EVERY = 4
"""After each multiple of so many equal interactions in a row, the agent asks its questions all the same."""


@dataclass(frozen=True, slots=True)
class MatrixSituation:
    """What the agent knows at a step.

    held: its inventory. here: its latest known cell, None before it knew any. players: the others' latest sightings.
    sites: the cells where things lie or have lain, with the kind of each. can_act: False while it is frozen or off the
    map. unready_for: the least number of steps before it can interact.
    """

    step: int
    held: Counts
    here: Cell | None
    players: Mapping[str, PlayerSighting]
    sites: Mapping[Cell, str]
    can_act: bool = True
    unready_for: int = 0

    def sighting(self, player: str) -> LastSeen | None:
        """When a player was seen last, and how far from the agent; None if that is unknown."""
        seen = self.players.get(player)
        return LastSeen(seen.step, distance(self.here, seen.cell), seen.mark) if seen and self.here else None


@dataclass(frozen=True, slots=True)
class MatrixStrategy(SubstrateStrategy):
    """A strategy in a matrix game.

    target: the inventory to reach before the next interaction, None if planning decides on it. expected: the inventory
    that the other player is expected to hold, None if unknown. watch_first: True to see what the only opponent takes
    before collecting anything; the target is what to hold unless that speaks against it.
    """

    target: Counts | None = None
    expected: Counts | None = None
    watch_first: bool = False

    @property
    def aims(self) -> object:
        """What a plan depends on: all but the words, and of the expected inventory only the kind that leads.

        A plan may wait until the other player has taken most of that kind.
        """
        leading = argmax(self.expected) if self.expected else None
        return self.seek, self.covert, self.watch_first, self.target, leading


class MatrixMind(Mind):
    """Builds and interprets the questions about the other players of one matrix game.

    players: the names of the others. gatherings: counts what each was seen to take; the mind reports interactions to
    it. situation: the present one, which the game sets at every frame. words: puts an inventory into words.
    inferred_inventory: what the other player held in the latest interaction, None before the first.
    """

    def __init__(
        self,
        rules: MatrixRules,
        players: Sequence[str],
        gatherings: GatheringReader,
        situation: MatrixSituation,
        words: Callable[[Counts], str],
        inference: Inference,
    ) -> None:
        self.rules, self.players, self.situation = rules, players, situation
        self._gatherings, self._words, self._inference = gatherings, words, inference
        self.inferred_inventory: Counts | None = None
        self._came_back: dict[str, int] = {}
        """The step at which each player came back from its latest interaction with the agent."""

    @property
    def can_act(self) -> bool:
        return self.situation.can_act

    @property
    def is_over(self) -> bool:
        """True once no further interaction can be paid before the episode ends."""
        if self.rules.length.one_interaction and self.inferred_inventory is not None:
            return True
        paid_at = self.situation.step + self.situation.unready_for + self.rules.timing.frozen
        return self.rules.length.end is not None and paid_at > self.rules.length.end

    @property
    def _is_crowd(self) -> bool:
        """True if there are several other players, so that the agent can choose whom to meet."""
        return len(self.players) > 1

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
        self.inferred_inventory = other
        return MatrixInteraction(
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
        )

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

        Each REVIEW_EVERY-th time is no repetition, so that the agent can think of trying another move.
        """
        times = _latest_repetitions(matrix_interactions(history))
        return validated and times >= REPETITIONS and times % REVIEW_EVERY > 0

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> Asking[str]:
        question = ProposeHypothesis(self.rules, history[-1].partner, matrix_interactions(history), best)
        return asking(question, lambda answer: answer.hypothesis)

    def ask_prediction(
        self, history: Sequence[Interaction], hypotheses: Bank, clue: Clue | None = None, *, certain: bool = False
    ) -> Asking[Foreseen]:
        met, step = matrix_interactions(history), self.situation.step
        if self._is_crowd and not certain:
            upcoming = PredictNext(self.rules, history[-1].partner, step, met, hypotheses)
            return asking(upcoming, lambda answer: Foreseen(_predicted(answer), None))
        question = PredictAndCounter(self.rules, step, met, hypotheses, certain)
        if isinstance(clue, Gathering):
            question = replace(question, present=_pickup_record(clue), own=clue.own)
        informed = bool(history or hypotheses or clue)
        return asking(question, lambda answer: Foreseen(_predicted(answer), self._counter(answer, informed=informed)))

    def ask_choice(self, opponents: Sequence[OpponentModel]) -> Asking[MatrixStrategy] | None:
        if not self._is_crowd:
            return None
        shown = tuple(map(self._opponent, opponents))
        question = ChooseOpponents(self.rules, shown, self.situation.held, self.situation.step)
        return asking(question, self._choice)

    def _opponent(self, model: OpponentModel) -> Opponent:
        return Opponent(
            player=model.player,
            history=matrix_interactions(model.history),
            hypothesis=model.hypothesis,
            expected=model.expected,
            present=_pickup_record(model.clue),
            former=self._gatherings.former_records(model.player),
            seen=self.situation.sighting(model.player) if self._is_crowd else None,
            hypotheses=model.hypotheses,
        )

    def ask_revision(self, opponents: Sequence[OpponentModel], about: str | None = None) -> Asking[Revised]:
        shown, own, step = tuple(map(self._opponent, opponents)), self.situation.held, self.situation.step
        if self._is_crowd:
            return asking(ReviseAndChoose(self.rules, shown, about, own, step), self._revised_and_chosen)
        informed = opponents[0].is_known
        question = ReviseAndCounter(self.rules, shown[0], own, step)
        return asking(question, lambda answer: self._revised_and_countered(answer, informed=informed))

    def _revised_and_chosen(self, answer: JointChoiceAnswer) -> Revised:
        return Revised(_revisions(answer.hypotheses), _with_reason(self._choice(answer), answer.why))

    def _revised_and_countered(self, answer: JointCounterAnswer, *, informed: bool) -> Revised:
        strategy = _with_reason(self._counter(answer, informed=informed), answer.why)
        return Revised(_revisions(answer.hypotheses), strategy, answer.other_next.kind)

    def ask_minds(self, opponents: Sequence[OpponentModel]) -> Asking[MindsRead]:
        shown = tuple(map(self._opponent, opponents))
        question = ReadMinds(self.rules, shown, self.situation.held, self.situation.step)
        informed = any(opponent.is_known for opponent in opponents)
        return asking(question, lambda answer: self._minds_read(answer, informed=informed))

    def _minds_read(self, answer: MindsAnswer, *, informed: bool) -> MindsRead:
        minds = {mind.player: Hypothesis(mind.hypothesis, prediction=mind.next) for mind in answer.minds}
        if self._is_crowd:
            return MindsRead(minds, self._choice(answer))
        # The inventory that the only other player will hold if it plays as predicted.
        kinds = (self.rules.behaviours.index(mind.next) for mind in answer.minds if informed)
        expected = next((pure_inventory(self.rules, kind, TYPICAL) for kind in kinds), None)
        own = self.rules.counts(answer.own_next)
        return MindsRead(minds, self._strategy_against_one(own, expected, watch=answer.watch, covert=answer.covert))

    def observed_opponents(self) -> tuple[Opponent, ...]:
        """Each other player without its interactions: its pickups since its respawn, and where it was last seen."""
        return tuple(
            replace(self._opponent(OpponentModel(player)), present=self._gatherings.present_record(player))
            for player in self.players
        )

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> Asking[MatrixStrategy]:
        met, own, step = matrix_interactions(history), self.situation.held, self.situation.step
        question = MakeStrategy(self.rules, met, self.observed_opponents(), own, step, best)
        return asking(question, lambda answer: replace(self._choice(answer), words=answer.strategy))

    def ask_application(self, history: Sequence[Interaction], strategy: str) -> Asking[MatrixStrategy]:
        met, own, step = matrix_interactions(history), self.situation.held, self.situation.step
        question = FollowStrategy(self.rules, met, self.observed_opponents(), own, step, strategy)
        return asking(question, self._choice)

    def ask_hindsight(self, interaction: Interaction, instead: Strategy) -> Asking[Outcome]:
        assert isinstance(interaction, MatrixInteraction)
        assert isinstance(instead, MatrixStrategy)
        assert instead.target is not None
        return asking(JudgeStrategy(self.rules, interaction, instead.target), lambda answer: answer.outcome)

    def _counter(self, answer: CounterAnswer | JointCounterAnswer, *, informed: bool) -> MatrixStrategy:
        """The strategy of an answer against one player. informed: False before anything is known of that player."""
        own = self.rules.counts(answer.own_next)
        expected = self._predicted_inventory(answer.other_next) if informed else None
        watch = answer.watch and not self._is_crowd  # among many, this question does not ask for it
        return self._strategy_against_one(own, expected, watch=watch, covert=answer.covert)

    def _choice(self, answer: ChoiceAnswer | MindsAnswer | JointChoiceAnswer) -> MatrixStrategy:
        """The strategy of an answer that says whom to meet: nobody yet if it says to watch many players.

        It meets anybody if the answer names nobody.
        """
        seek = () if answer.watch and self._is_crowd else tuple(answer.seek) or None
        return replace(
            self._strategy_to_meet(self.rules.counts(answer.own_next), seek),
            watch_first=answer.watch and not self._is_crowd,
            covert=answer.covert,
        )

    def _predicted_inventory(self, lead: LeadAnswer) -> Counts:
        """The predicted inventory: the count of the leading resource, the initial one of all others."""
        return pure_inventory(self.rules, self.rules.behaviours.index(lead.kind), lead.count)

    def undecided(self) -> MatrixStrategy:
        return MatrixStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> MatrixStrategy:
        distributions = {player: self._distribution(behaviours.get(player)) for player in self.players}
        expected = expected_inventories(self.rules, ())
        if self._is_crowd:
            seen = {player: self.situation.sighting(player) for player in self.players}
            search = steps_to_find(seen, self.situation.step)
            best = choose_partners(self.rules, distributions, expected, self.situation.held, search)
            # `hidden` changes nothing: among many players, somebody nearly always watches.
            return self._strategy_to_meet(best.target, best.seek)
        (behaviour,) = (behaviours.get(player) for player in self.players)
        target = best_target(self.rules, distributions[self.players[0]], expected)
        predicted = expected[self.rules.behaviours.index(behaviour)] if behaviour else None
        return self._strategy_against_one(target, predicted, covert=hidden)

    def _distribution(self, behaviour: str | None) -> Distribution:
        """The distribution over a player's behaviours: certain if its behaviour is known, else uniform."""
        shares = [float(behaviour in (None, name)) for name in self.rules.behaviours]
        return tuple(share / sum(shares) for share in shares)

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


def _predicted(answer: PredictionAnswer) -> Sequence[str]:
    return *answer.others_predict, answer.other_next.kind


def _revisions(hypotheses: Sequence[RevisionAnswer]) -> Sequence[Revision]:
    return [Revision(each.of, each.hypothesis, each.next) for each in hypotheses]


def _pickup_record(clue: Clue | None) -> PickupRecord | None:
    """The record of a player's pickups since it respawned, from a clue; None if there are none."""
    if not isinstance(clue, Gathering) or not any(clue.taken):
        return None
    return PickupRecord(clue.step, clue.taken, clue.pickups)


def _with_reason(strategy: MatrixStrategy, why: str) -> MatrixStrategy:
    """The strategy with the reason for it added to its words, if one is given."""
    return replace(strategy, words=f"{strategy.words}. {why}") if why else strategy


def _latest_repetitions(history: Sequence[MatrixInteraction]) -> int:
    """How many of the latest interactions in a row had the same moves of both; 0 if the latest ones are unknown."""
    moves = [(interaction.own_behaviour, interaction.behaviour) for interaction in reversed(history)]
    if not moves or None in moves[0]:
        return 0
    return sum(1 for _ in takewhile(lambda pair: pair == moves[0], moves))


def matrix_interactions(history: Sequence[Interaction]) -> tuple[MatrixInteraction, ...]:
    """The interactions of a matrix game in a history."""
    return tuple(interaction for interaction in history if isinstance(interaction, MatrixInteraction))
