"""The questions that revise hypotheses, predict and decide all at once, and the schemas of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Remark, check_all, one_of, some_of
from hm_agent.theory_of_mind.mind import MOST_HYPOTHESES
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.questions import (
    ByBehaviour,
    LeadAnswer,
    Opponent,
    lead_forms,
    names_of,
)
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules, check_players


class RevisionAnswer(BaseModel):
    """A hypothesis that is kept, reworded or new, and the behaviour it predicts.

    of: the number of the one that is kept or reworded, 0 for a new one. hypothesis: empty if it is kept as it is.
    """

    of: int = 0
    hypothesis: Remark = ""
    next: str


def _check_revisions(rules: MatrixRules, answers: Sequence[RevisionAnswer], known: Sequence[Hypothesis]) -> None:
    """Raises ValueError for unknown behaviours and numbers. known: the hypotheses that the question numbers."""
    check_all(*(partial(_check_revision, rules, each, len(known)) for each in answers))


def _check_revision(rules: MatrixRules, answer: RevisionAnswer, known: int) -> None:
    rules.check_behaviour("hypotheses: next", answer.next)
    if not 0 <= answer.of <= known:
        raise ValueError(f"hypotheses: of {answer.of}; there are 1 to {known}, and 0 stands for a new one")


def _revision_forms(rules: MatrixRules, known: Sequence[Hypothesis]) -> Mapping[str, Mapping[str, Any]]:
    return {
        "hypotheses": {"maxItems": MOST_HYPOTHESES},
        "of": {"minimum": 0, "maximum": len(known)},
        "next": one_of(rules.behaviours),
    }


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
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {**_revision_forms(self.rules, self.opponent.hypotheses), **lead_forms(self.rules)}

    def check(self, answer: JointCounterAnswer) -> None:
        check_all(
            lambda: _check_revisions(self.rules, answer.hypotheses, self.opponent.hypotheses),
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
    def revised(self) -> tuple[Hypothesis, ...]:
        """The hypotheses about the player `about`; empty if it is None."""
        return next((other.hypotheses for other in self.opponents if other.player == self.about), ())

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {**_revision_forms(self.rules, self.revised), "seek": some_of(names_of(self.opponents))}

    def check(self, answer: JointChoiceAnswer) -> None:
        check_all(
            lambda: _check_revisions(self.rules, answer.hypotheses, self.revised),
            lambda: self.rules.check("own_next", answer.own_next),
            lambda: check_players("seek", answer.seek, names_of(self.opponents)),
        )
