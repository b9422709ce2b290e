"""Reflectors, which learn from finished plans (Hypothetical Minds, appendices C.6 and D.2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from hm_agent.questions import Model, Question, answer_or_none
from hm_agent.theory_of_mind.decision_questions import Critique

EVALUATIONS_SHOWN = 3
"""How many of the latest evaluations the next plan is shown."""


class FinishedPlan(Protocol):
    """A plan and its outcome, as a body asks about them. Asking changes nothing."""

    def ask_critique(self) -> Question[Critique] | None:
        """Asks why the plan failed; None if it did not, or if the reason is known, e.g. because the world tells it."""
        return None

    def remember_failure(self, why: str | None = None) -> None:
        """Remembers the failure, so that the same is not tried again in the same state. why: None if not explained.

        Does nothing if the next question for a plan bars what has failed.
        """
        return

    def ask_evaluation(self) -> Question[Critique]:
        """Asks what the plan achieved, and what to do better."""
        ...


class Reflector(Protocol):
    """Decides what the next plan is to learn from the latest one."""

    async def reflect(self, plan: FinishedPlan) -> Sequence[str]:
        """Returns the critiques to show to the next plan, the latest last."""
        ...


class NoReflection:
    """Learns nothing from plans."""

    def __init__(self, model: Model | None = None) -> None:
        """Takes a model, as all reflectors do, and asks it nothing."""

    async def reflect(self, plan: FinishedPlan) -> Sequence[str]:
        return ()


class FailureReflector:
    """Asks why a plan failed (appendix C.6)."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def reflect(self, plan: FinishedPlan) -> Sequence[str]:
        question = plan.ask_critique()
        plan.remember_failure()
        answer = await answer_or_none(self._model, question) if question else None
        if answer is None:
            return ()
        plan.remember_failure(answer.critique)
        return (answer.critique,)


class PlanReflector:
    """Evaluates every plan, as Reflexion does (appendix D.2)."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._critiques: deque[str] = deque(maxlen=EVALUATIONS_SHOWN)

    async def reflect(self, plan: FinishedPlan) -> Sequence[str]:
        answer = await answer_or_none(self._model, plan.ask_evaluation())
        if answer is not None:
            self._critiques.append(answer.critique)
        return tuple(self._critiques)
