"""The built-in reasoner's table for Melting Pot: the function that answers each class of question."""

from __future__ import annotations

from hm_agent.models.builtin import ReasonerTable
from hm_agent.worlds.melting_pot.games.cooking.reasoner import answers as cooking
from hm_agent.worlds.melting_pot.games.matrix.reasoner import answers as matrix

ANSWERS: ReasonerTable = {**matrix.ANSWERS, **cooking.ANSWERS}
