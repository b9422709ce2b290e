"""The history of a matrix game as one player knows it: its interactions, with what each partner held inferred."""

from __future__ import annotations

from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.interactions import InteractionEvent
from hm_agent.worlds.melting_pot.games.matrix.pickups import GatheringReader
from hm_agent.worlds.melting_pot.games.matrix.questions import InventoryAnswer
from hm_agent.worlds.melting_pot.games.matrix.rules import (
    LastShown,
    MatrixInteraction,
    MatrixRules,
    PartnerEvidence,
    infer_inventory,
    is_lead_open,
)


class MatrixHistory:
    """Understands one interaction after the other. interactions: all that were understood, the oldest first.

    gatherings: counts what each partner was seen to take; each interaction is reported to it.
    """

    def __init__(self, rules: MatrixRules, gatherings: GatheringReader) -> None:
        self._rules, self._gatherings = rules, gatherings
        self.interactions: tuple[MatrixInteraction, ...] = ()
        self._came_back: dict[str, int] = {}
        """The step at which each player came back from its latest interaction with the agent."""

    @property
    def inferred_inventory(self) -> Counts | None:
        """What the other player held in the latest interaction, None before the first."""
        return self.interactions[-1].other if self.interactions else None

    def understand(
        self, event: InteractionEvent, partner: str, answer: InventoryAnswer | None = None
    ) -> MatrixInteraction:
        """Adds the interaction, with the partner's inventory from the model's answer, or else from the reward.

        From then on the partner collects anew.
        """
        evidence = self._evidence(partner, event.step)
        if answer:
            other = self._rules.counts(answer.inventory)
            main = argmax(other)
        else:
            other, main = infer_inventory(event.own, event.reward, self._rules.payoff, evidence)
        self._gatherings.reset_partner(partner, event.step, other)
        understood = MatrixInteraction(
            step=event.step,
            partner=partner,
            own=event.own,
            reward=event.reward,
            other=other,
            behaviour=self._behaviour(main),
            own_behaviour=self._behaviour(argmax(event.own)),
            shown=event.shown,
            is_open=main is None if answer else is_lead_open(event.own, event.reward, self._rules.payoff, evidence),
            taken=evidence.taken,
            last_shown=self._last_shown(event),
        )
        self.interactions = (*self.interactions, understood)
        return understood

    def _last_shown(self, event: InteractionEvent) -> LastShown | None:
        if event.last_shown is None:
            return None
        kind, step = event.last_shown
        return LastShown(self._rules.behaviours[kind], max(0, event.step - self._rules.timing.frozen - step))

    def _evidence(self, partner: str, step: int) -> PartnerEvidence:
        """What is known, beside the reward, of a partner's inventory in the interaction that is paid at a step.

        Also records when the partner comes back. If players can't be told apart, this may be another partner than the
        last one, and nobody knows when it came back.
        """
        timing = self._rules.timing
        came_back = self._came_back.get(partner, 0)
        self._came_back[partner] = step + timing.away
        steps = None if self._rules.alike else max(1, step - timing.frozen - came_back)
        taken = self._gatherings.taken(partner)
        return PartnerEvidence(self._rules.initial_inventory, taken, steps, is_alone=self._rules.players == 2)

    def _behaviour(self, main: int | None) -> str | None:
        return None if main is None else self._rules.behaviours[main]
