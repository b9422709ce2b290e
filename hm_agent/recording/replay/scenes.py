"""What a page shows of a step beyond its line in the trace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hm_agent.core import AgentSnapshot, Counts, OpponentState, Step
from hm_agent.models.prompts import render
from hm_agent.questions import Exchange
from hm_agent.recording.replay.strip import Packed
from hm_agent.worlds.melting_pot.grid import Cell


class Scenes:
    """A line of JSON for each step; what is as it was on the line before is left out, and null where it is no more."""

    def __init__(self) -> None:
        self.lines = Packed()
        self._said: dict[str, Any] = {}
        self._known: set[tuple[str, Cell]] = set()

    def add(self, step: Step, others: Sequence[OpponentState], held: tuple[Counts, Counts] | None) -> None:
        """others: what is hidden from the agent. held: by oneself and the other, in the interaction the step began."""
        insight = step.decision.insight
        said = _hidden(others) | (_shown(insight) if insight else {})
        line = {key: said.get(key) for key in said | self._said if said.get(key) != self._said.get(key)}
        self._said = said
        line |= self._memories(step.observation.step, insight) if insight else {}
        asked = [_asked(exchange) for exchange in step.decision.exchanges]
        once = {"held": held, "asked": asked, "failed": insight.failed if insight else None}
        line |= {key: value for key, value in once.items() if value}
        self.lines.add(json.dumps(line, ensure_ascii=True, separators=(",", ":")).encode() + b"\n")

    def _memories(self, step: int, insight: AgentSnapshot) -> dict[str, Any]:
        """What has just been seen, and what is remembered no more."""
        remembered = list(insight.remembered)
        known = {(name, cell) for name, cell, _ in remembered}
        gone, self._known = self._known - known, known
        seen = [(name, *cell) for name, cell, when in remembered if when == step]
        lost = sorted((name, *cell) for name, cell in gone)
        return {key: value for key, value in (("seen", seen), ("gone", lost)) if value}


def _shown(insight: AgentSnapshot) -> dict[str, Any]:
    return {
        "scene": insight.scene,
        "present": insight.present,
        "plan": insight.plan,
        "place": insight.place,
        "route": insight.route,
    }


def _hidden(others: Sequence[OpponentState]) -> dict[str, Any]:
    return {
        "cast": [(other.policy, other.rule) for other in others],
        "aims": [other.behaviour for other in others],
        "inventories": [other.inventory for other in others],
    }


def _asked(exchange: Exchange) -> dict[str, Any]:
    """What differs from run to run; and where no language model was asked, what one would have read."""
    said: dict[str, Any] = {"seconds": round(exchange.seconds, 4)}
    if not exchange.calls:
        return said | {"prompt": render(exchange.question)}
    return said | {"cached": all(call.cached for call in exchange.calls)}
