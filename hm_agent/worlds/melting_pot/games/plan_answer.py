"""The answer to a planning question, which all games share."""

from __future__ import annotations

from pydantic import BaseModel


class PlanAnswer(BaseModel):
    """A few subgoals in order, each a function call."""

    reasoning: str = ""
    subgoals: list[str]
