"""Follows a plan of commands, one a turn, and says when another one is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile

from hm_agent.agents.written_body import WrittenFollower
from hm_agent.core import Event
from hm_agent.models.prompts import phrase
from hm_agent.worlds.enacttom.house.commands import IDLE, HouseCommand, Verb
from hm_agent.worlds.enacttom.house.runtime import OutcomeKind
from hm_agent.worlds.enacttom.language.situation import WRITES, HouseSituation, OwnActionFailed, PartnerActed
from hm_agent.worlds.enacttom.tasks.sentences import read_claims

_reason = partial(phrase, "enacttom/messages.j2")

LONGEST_WAIT = 3
"""How many turns an agent waits beyond the end of its plan before it asks for another."""


class CommandFollower(WrittenFollower[HouseSituation, HouseCommand]):
    """Carries out the commands of a plan in order, then waits. agents: all of the household, for reading messages."""

    plan: tuple[HouseCommand, ...]

    def __init__(self, agents: Sequence[str]) -> None:
        super().__init__()
        self._agents = agents
        self._waited = 0
        """How many turns were waited since the plan was carried out."""

    def follow(self, plan: Sequence[HouseCommand], *, is_forced: bool = False) -> None:
        super().follow(plan)
        self._waited = 0

    def next_action(self, situation: HouseSituation) -> HouseCommand:
        command = self.plan[self._done] if self._done < len(self.plan) else IDLE
        if command.verb == Verb.COMMUNICATE:
            return replace(command, claims=read_claims(command.text, self._agents))
        return command

    def observe(self, situation: HouseSituation, events: Sequence[Event], because: str | None) -> str | None:
        return because or self._why_replan(situation, events)

    def _why_replan(self, situation: HouseSituation, events: Sequence[Event]) -> str | None:
        """Counts what was carried out; returns why the plan can't go on, in words, or None."""
        for event in events:
            if isinstance(event, OwnActionFailed):
                outcome = situation.view.outcome
                is_hopeless = outcome is not None and outcome.kind is OutcomeKind.FAILED
                self._failed = self.plan[self._done] if is_hopeless and self._done < len(self.plan) else None
                return event.describe()
        self._advance()
        acts = [event.interaction for event in events if isinstance(event, PartnerActed)]
        if writers := [act.partner for act in acts if act.does == WRITES]:
            return _reason("written", writers=writers)
        named = {name for command in self.plan[self._done :] for name in command.arguments}
        if news := situation.surprises(named):
            return _reason("sees_new", things=news)
        return None if self._done < len(self.plan) else self._why_used_up()

    def _advance(self) -> None:
        """Counts the command that was carried out, or a turn of waiting if the plan was used up."""
        if self._done < len(self.plan):
            self._done += 1
        else:
            self._waited += 1

    def _why_used_up(self) -> str | None:
        """Why a plan that was carried out is to be followed by another; None while the agent waits as planned."""
        waits = len(list(takewhile(lambda command: command.verb == Verb.WAIT, reversed(self.plan))))
        if not waits:
            return phrase("agent/messages.j2", "used_up")
        return None if self._waited < LONGEST_WAIT else _reason("waited", turns=waits + self._waited)
