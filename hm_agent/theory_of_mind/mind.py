"""What a game tells strategists about the other players: what to ask, and what the answers mean.

A game builds each question together with the function that reads its answer (`Asking`). It never asks a model itself,
and building a question changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from hm_agent.core import Clue, Event, Hypothesis, Interaction, Strategy
from hm_agent.questions import Asking
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.player_odds import PlayerOdds


class Outcome(StrEnum):
    """The sign of what another strategy would have paid."""

    POSITIVE = "positive"
    NEUTRAL = "neutral"
    NEGATIVE = "negative"


@dataclass(frozen=True, slots=True)
class PlayerBelief:
    """What is believed of one other player.

    hypothesis: the words of the one to act on. expected: the behaviour expected next. right, tested: how often the
    hypothesis was right, of how many times; both are 0 in a world whose questions don't show that. odds: the behaviours
    that may come next, and knows: what it may know, with their chances in percent, where chances are believed.
    """

    name: str
    hypothesis: str | None
    expected: str | None
    right: int = 0
    tested: int = 0
    odds: tuple[tuple[str, int], ...] = ()
    knows: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerModel:
    """What is known and believed of one other player.

    hypothesis: the one to act on. expected: the behaviour it predicts. clue: the latest since the last interaction.
    hypotheses: all that are kept, the oldest first.
    """

    player: str
    history: tuple[Interaction, ...] = ()
    hypothesis: Hypothesis | None = None
    expected: str | None = None
    clue: Clue | None = None
    hypotheses: Bank = ()

    @property
    def is_known(self) -> bool:
        """True once there was an interaction or a clue."""
        return bool(self.history or self.clue)

    @property
    def belief(self) -> PlayerBelief:
        """The part that questions about other players show."""
        return PlayerBelief(self.player, self.hypothesis.words if self.hypothesis else None, self.expected)


class BasicMind(Protocol):
    """What a game tells every strategist.

    players: the names of the others. strategy_now: what the agent has followed up to now, in words, which questions
    show; None before the first.
    """

    players: Sequence[str]
    strategy_now: str | None = None

    @property
    def can_act(self) -> bool:
        """False while no action has any effect, so that decisions are put off where they can be."""
        return True

    @property
    def is_over(self) -> bool:
        """True once nothing is left to decide in the episode, so that no more questions are asked."""
        return False

    @property
    def asks_at_first(self) -> bool:
        """False if `best_response({})` is the only sensible strategy before anything is known of the others."""
        return True

    def ask_behaviour(self, event: Event) -> Asking[Interaction] | None:
        """Asks what the other player did in an event (step 1); None if that is calculated or not to be asked."""
        return None

    def understand(self, event: Event) -> Interaction | None:
        """Turns an event about which no model was asked, or had no valid answer, into an interaction.

        None if it is no interaction with a known player.
        """
        ...

    def is_interaction(self, event: Event) -> bool:
        """True if an event is an interaction that strategists are asked about together with others of its step.

        The strategy is then asked for once, after the last of them.
        """
        return False

    def is_right(self, prediction: str, interaction: Interaction) -> bool | None:
        """Whether a prediction came true; None if the interaction doesn't tell."""
        return None if interaction.behaviour is None else prediction == interaction.behaviour

    def is_informative(self, interaction: Interaction) -> bool:
        """False if an interaction tells nothing about the other player: then nothing is scored, asked or changed."""
        return True

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if the latest interaction was like the one before: if it was expected too, nothing is asked.

        history: the interactions with one player. validated: True if a hypothesis about that player is validated.
        """
        return False

    def explains(self, hypotheses: Bank, history: Sequence[Interaction]) -> bool:
        """True if the hypotheses account for the latest interaction, so that no further one is asked for.

        hypotheses: those about one player, with what they predicted of this interaction. False by default: one is asked
        for until one is validated (Hypothetical Minds, section 3.2).
        """
        return False

    def awaited(self, strategy: Strategy, player: str) -> str | None:
        """The behaviour of a player that a strategy counts on, so that a clue to it is no news; None if it names none.

        None by default: then the strategist's own expectation counts.
        """
        return None

    def in_view_of(self, strategy: Strategy, beliefs: Callable[[], Sequence[PlayerBelief]]) -> Strategy:
        """Returns the strategy, with the beliefs about the other players added in a game whose planning shows them.

        beliefs: gathers these beliefs; a function, since this is called at every step and few games need them.
        """
        return strategy

    def undecided(self) -> Strategy:
        """Returns the strategy of an agent that leaves every decision to planning."""
        ...

    def response_to_rates(self, player: str, rates: Mapping[str, float]) -> Strategy | None:
        """Returns the best strategy against a player that draws its behaviours by these shares, whatever is done.

        None, the default, in a game in which that can't be assumed, since what one does changes what others do.
        """
        return None

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> Strategy:
        """Returns the best strategy against behaviours known for certain, by player; None or no entry: unknown.

        hidden: True if the others must not see what the agent prepares, since they answer that.
        """
        ...


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What another player is predicted to do next.

    behaviours: one by each hypothesis, in their order; one if there is none. strategy: what to do about the last of
    them; None if the question has not asked that.
    """

    behaviours: Sequence[str | None]
    strategy: Strategy | None


class MindReading(BasicMind, Protocol):
    """What a game tells the Theory of Mind module (Hypothetical Minds, appendix C.3, steps 3 to 5)."""

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> Asking[str]:
        """Step 3: what is the other player's strategy? best: earlier hypotheses to refine, the best first."""
        ...

    def ask_prediction(
        self,
        history: Sequence[Interaction],
        hypotheses: Bank,
        *,
        others: Sequence[PlayerBelief] = (),
        clue: Clue | None = None,
        decides: bool = True,
        certain: bool = False,
    ) -> Asking[Foreseen]:
        """Step 4: what will the other player do by each of these hypotheses? The last one is acted on.

        If `ask_choice` gives None, the question also asks what to do about the last one's prediction (step 5). others:
        what is believed of the other players, in view of which to decide. clue: what calls for the question, if no
        interaction does. decides: False if what to do is not asked, since the step has more interactions. certain: True
        if the last hypothesis is known to be true.
        """
        ...

    def ask_choice(self, others: Sequence[PlayerModel]) -> Asking[Strategy] | None:
        """Step 5: what to do, given what is believed of everybody? None if `ask_prediction` has asked it."""
        return None

    def is_answered(self, question: Any, *, by: Any) -> bool:
        """True if the answer to an earlier question of step 5, `by`, still holds for this one, which is not asked."""
        return bool(question == by)


MOST_HYPOTHESES = 5
"""The largest number of hypotheses in an answer to `ask_revision` (top k, table 2)."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One hypothesis as an answer leaves it.

    of: the number of the hypothesis that is kept or reworded, from 1 in the order shown; 0 for a new one. words: empty
    if it is kept as it is. prediction: the behaviour it predicts next.
    """

    of: int
    words: str
    prediction: str | None


@dataclass(frozen=True, slots=True)
class Revised:
    """The hypotheses about one player as an answer leaves them, and what to do in view of all players.

    revisions: those that it leaves out are dropped. foreseen: the behaviour that is expected in view of all of them;
    None if the answer names none.
    """

    revisions: Sequence[Revision]
    strategy: Strategy
    foreseen: str | None = None


class JointMindReading(BasicMind, Protocol):
    """What a game tells agents that revise their hypotheses, predict by each and decide, all in one question."""

    def ask_revision(self, others: Sequence[PlayerModel], about: str | None) -> Asking[Revised]:
        """Which hypotheses about a player to keep, reword or add, what each predicts, and what to do in view of all?

        about: the player whose hypotheses are revised, None if nothing new is known of any.
        """
        ...


@dataclass(frozen=True, slots=True)
class MindsRead:
    """A hypothesis about each player that an answer names, with its prediction, and what to do about them."""

    hypotheses: Mapping[str, Hypothesis]
    strategy: Strategy


class MindPrompting(BasicMind, Protocol):
    """What a game tells Vanilla Mind Prompting, which asks all steps in one question (section 4.5)."""

    def ask_minds(self, others: Sequence[PlayerModel]) -> Asking[MindsRead]:
        """What is each player's strategy, what will it do, and what to do about it?"""
        ...


class OddsReading(BasicMind, Protocol):
    """What a game tells agents that are given chances (`theory_of_mind/player_odds.py`)."""

    @property
    def outdated(self) -> str | None:
        """A player whose chances hold no longer though it was not seen to act, as in another table; None if nobody."""
        return None

    def ask_odds(self, other: PlayerModel) -> Asking[PlayerOdds]:
        """By which rules may a player act, how likely is each, and with which chances does it act by them?"""
        ...

    def respond(self, odds: Mapping[str, PlayerOdds]) -> Strategy:
        """What to do, given what is believed of each player of whom anything is known."""
        ...


class StrategyMaking(BasicMind, Protocol):
    """What a game tells agents that think of their own strategy and model no other player (appendix D.3)."""

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> Asking[Strategy]:
        """Which strategy to follow? best: earlier strategies that paid, to refine."""
        ...


class StrategyValuing(StrategyMaking, Protocol):
    """What a game tells agents that value their own strategies by what these pay or would have paid (appendix E)."""

    def ask_application(self, history: Sequence[Interaction], strategy: str) -> Asking[Strategy]:
        """What does a strategy in words amount to in the present situation?"""
        ...

    def ask_hindsight(self, interaction: Interaction, instead: Strategy) -> Asking[Outcome]:
        """What would an interaction have paid under another strategy?"""
        ...


class Mind(MindReading, JointMindReading, MindPrompting, StrategyValuing, Protocol):
    """What a game tells all kinds of strategists, so that every shared agent can play it."""
