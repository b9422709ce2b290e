"""The questions that revise hypotheses, predict and decide all at once, and the schemas of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Remark, check_all, one_of, some_of
from hm_agent.theory_of_mind.revisions import ANY, NONE, SOME, RevisedHypothesis, check_revisions, revision_forms
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.questions import (
    ByBehaviour,
    LeadAnswer,
    Opponent,
    lead_forms,
    names_of,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules, check_players


class RevisionAnswer(RevisedHypothesis):
    """One hypothesis about the other player, and the behaviour it predicts."""

    next: str


class JointCounterAnswer(BaseModel):
    """The revised hypotheses, what the other player will hold next in view of all, what to hold against it, and why.

    watch, covert: as in `CounterAnswer`.
    """

    reasoning: str = ""
    hypotheses: list[RevisionAnswer]
    other_next: LeadAnswer
    own_next: dict[str, int]
    watch: bool = False
    covert: bool = False
    why: Remark = ""


@dataclass(frozen=True, slots=True)
class ReviseAndCounter(ByBehaviour, Question[JointCounterAnswer]):
    """Which hypotheses about the only opponent hold, what does each predict, and what to hold in view of all?

    opponent: with its interactions, its hypotheses and its pickups. own: the agent's inventory. step: the present one.
    """

    template = "melting_pot/matrix/revise_and_counter.j2"
    schema = JointCounterAnswer
    rules: MatrixRules
    opponent: Opponent
    own: Counts
    step: int

    @property
    def _counts(self) -> range:
        return SOME if self.opponent.history else ANY

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        revision = revision_forms(self.opponent.hypotheses, self._counts)
        return {**revision, "next": one_of(self.rules.behaviours), **lead_forms(self.rules)}

    def check(self, answer: JointCounterAnswer) -> None:
        check_all(
            lambda: check_revisions(answer.hypotheses, self.opponent.hypotheses, self._counts),
            *(partial(self.rules.check_behaviour, "next", each.next) for each in answer.hypotheses),
            lambda: self.rules.check_lead(answer.other_next.kind, answer.other_next.count),
            lambda: self.rules.check("own_next", answer.own_next),
        )


class JointChoiceAnswer(BaseModel):
    """The revised hypotheses about one player, whom to meet in view of all, what to hold then, and why."""

    reasoning: str = ""
    hypotheses: list[RevisionAnswer]
    seek: list[str] = []
    own_next: dict[str, int]
    watch: bool = False
    covert: bool = False
    why: Remark = ""


@dataclass(frozen=True, slots=True)
class ReviseAndChoose(ByBehaviour, Question[JointChoiceAnswer]):
    """Which hypotheses about a player hold, what does each predict, and whom to meet with what in view of all?

    opponents: all other players. about: the one whose hypotheses are revised, None if nothing new is known of any. own:
    the agent's inventory. step: the present one.
    """

    template = "melting_pot/matrix/revise_and_choose.j2"
    schema = JointChoiceAnswer
    rules: MatrixRules
    opponents: tuple[Opponent, ...]
    about: str | None
    own: Counts
    step: int

    @property
    def _revised(self) -> Opponent | None:
        """The player `about`."""
        return next((other for other in self.opponents if other.player == self.about), None)

    @property
    def _known(self) -> tuple[Hypothesis, ...]:
        return self._revised.hypotheses if self._revised else ()

    @property
    def _counts(self) -> range:
        if self._revised is None:
            return NONE
        return SOME if self._revised.history else ANY

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        revision = revision_forms(self._known, self._counts)
        return {**revision, "next": one_of(self.rules.behaviours), "seek": some_of(names_of(self.opponents))}

    def check(self, answer: JointChoiceAnswer) -> None:
        check_all(
            lambda: check_revisions(answer.hypotheses, self._known, self._counts),
            *(partial(self.rules.check_behaviour, "next", each.next) for each in answer.hypotheses),
            lambda: self.rules.check("own_next", answer.own_next),
            lambda: check_players("seek", answer.seek, names_of(self.opponents)),
        )
