"""What questions about a matrix game show, what the other player may do, and how a play is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hm_agent.models.prompts import phrase
from hm_agent.questions import Forms, one_of
from hm_agent.repeated_games.payoffs import Side
from hm_agent.theory_of_mind.seat_question import check_name
from hm_agent.theory_of_mind.situation import Behaviour, Call, InteractionSeen, SeatSituation
from hm_agent.worlds.matrix_games.views import PastRound, RoundView
from hm_agent.written_calls import CallError, WrittenCall, any_of, read_call, read_calls, shortened

SHOWN_ROUNDS, SHOWN_TABLES = 10, 3
"""How many of the latest rounds a prompt tells one by one, and with their tables; actions of all are counted."""


class NextAction(Behaviour):
    """The other player's action in the next round."""

    action: str

    @property
    def words(self) -> str:
        return self.action


@dataclass(frozen=True, slots=True)
class Play(WrittenCall):
    """Choose an action in this round."""

    function = "play"
    action: str


@dataclass(frozen=True, slots=True)
class RoundPlayed:
    """An interaction: one round. step: its number, from 1. own, behaviour: what the agent and the other played."""

    step: int
    partner: str
    own: str
    behaviour: str
    reward: float

    def shows(self, prediction: str) -> bool:
        return prediction == self.behaviour


@dataclass(frozen=True, slots=True)
class RoundSeen(InteractionSeen):
    """A round was played."""

    interaction: RoundPlayed

    def describe(self) -> str:
        return f"{self.interaction.own} against {self.interaction.behaviour}: {self.interaction.reward:g}"


@dataclass(frozen=True, slots=True)
class RoundSituation(SeatSituation):
    """What a player knows before a round. view: the round as the world shows it. other: the other player's name."""

    blocks = "matrix_games/blocks.j2"
    behaviour = NextAction
    shows_history = True
    most_calls = 1

    view: RoundView
    other: str

    def to_json(self) -> Mapping[str, Any]:
        """What traces show: the number of the round, since the steps before hold the others."""
        return {"round": self.view.round}

    @property
    def tells_reward(self) -> bool:
        return self.view.untold is None

    @property
    def side(self) -> Side:
        return self.view.side

    @property
    def latest(self) -> Sequence[tuple[int, PastRound]]:
        """The latest rounds with their numbers."""
        return list(enumerate(self.view.history, 1))[-SHOWN_ROUNDS:]

    @property
    def latest_tables(self) -> Sequence[tuple[int, PastRound, Side]]:
        """The latest rounds with their numbers and their tables, where every round has its own."""
        rounds = zip(self.view.history, self.view.tables or (), strict=False)
        return [(number, past, side) for number, (past, side) in enumerate(rounds, 1)][-SHOWN_TABLES:]

    @property
    def counts(self) -> Mapping[str, int]:
        """How often the other has played each of its actions."""
        played = Counter(past.other for past in self.view.history)
        return {action: played[action] for action in self.side.others}

    def behaviour_forms(self, about: str | None) -> Forms:
        return {"action": one_of(self.side.others)}

    def check_behaviour(self, about: str, given: Any) -> None:
        check_name("action", given.action, self.side.others)

    def call_patterns(self, barred: Call | None) -> tuple[str, str]:
        pattern = rf"^play\({any_of(self.side.actions)}\)$"
        return pattern, pattern

    def read_plan(self, texts: Sequence[str], barred: Call | None) -> tuple[Play, ...]:
        forms = phrase("matrix_games/messages.j2", "forms")
        return read_calls(texts, partial(_read_play, actions=self.side.actions, forms=forms), forms)


def _read_play(text: str, actions: Sequence[str], forms: str) -> Play:
    _, build, argument = read_call(text, {"play": Play}, forms)
    name = argument.strip(" '\"\n\t")
    if name not in actions:
        refusal = phrase("matrix_games/messages.j2", "no_action", given=shortened(argument), actions=actions)
        raise CallError(refusal)
    return build(name)
