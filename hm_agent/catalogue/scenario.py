"""A scenario as experiments and reports know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hm_agent.config import ConfigError
from hm_agent.core import Seat
from hm_agent.metrics import Measure, Metric, PublishedFigure


@dataclass(frozen=True)
class ScenarioInfo:
    """A scenario as experiments and reports know it.

    name: in results and folders; short_name: as typed. group: the title under which reports gather scenarios of one
    kind, in one unit. about: a few words, e.g. on the others. seats: the seats that agents play. published: results
    of other publications by agent. asked_by: a word that a glob must contain to match the scenario; empty: every glob
    may. has_paid_interactions: True if every interaction pays a reward, so that reports may show the reward from one
    interaction to the next. held_out: True if no constant of an agent or of its reasoner may be chosen by results on
    it, so that it shows how agents do on scenarios that they were not made for; False if constants may be chosen on
    it. order: how deep all players in the background look at others (docs/glossary.md), None if they differ or it is
    unknown. family: the title under which the study of orders gathers scenarios, whose groups may differ. needs_order:
    the least order of the world's agents `order_0`, `order_1` ... that plays it nearly as well as the ceiling, where
    all lower ones stay near the floor (`Suite.needs_are` says how that is known); None if no order does, or it was not
    measured. separates_nobody: True if a shortcut was measured to play it about as well as the ceiling. pair: the name
    that two scenarios, or three, share which look alike at first and have different right answers; means of scores
    count the least of them. is_unproved: True if it lacks the proof that its group has, so that means over groups
    leave it out. has_like_seats: True if seats differ in nothing that matters over many seeds, so that two agents need
    not change places to be compared. needs: what must be installed to play it that the package doesn't bring, in words;
    empty for nothing. is_of_one_mind: True if the seats are situations of one agent, e.g. the boards of a pair, so that
    agents that share them are never compared. prelude: the number of first steps in which nothing that a seat does
    counts.
    """

    world: str
    name: str
    short_name: str
    group: str
    about: str = ""
    seats: tuple[Seat, ...] = ("player_0",)
    metric: Metric = field(default_factory=Metric)
    published: Mapping[str, PublishedFigure] = field(default_factory=dict, hash=False)
    asked_by: str = ""
    has_paid_interactions: bool = False
    held_out: bool = False
    order: int | None = None
    family: str = ""
    needs_order: int | None = None
    separates_nobody: bool = False
    pair: str = ""
    is_unproved: bool = False
    has_like_seats: bool = False
    needs: str = ""
    is_of_one_mind: bool = False
    prelude: int = 0

    @property
    def item(self) -> str:
        """What counts once: the pair, or the scenario itself."""
        return self.pair or self.name

    def refuse_cut(self, max_steps: int | None) -> None:
        """Raises ConfigError if an episode that is cut after `max_steps`, None for a whole one, ends in the prelude."""
        if max_steps is not None and max_steps <= self.prelude:
            raise ConfigError(
                f"max_steps={max_steps}: in the first {self.prelude} steps of {self.short_name} nothing that an agent "
                "does counts; allow more"
            )

    def measured_by(self, measure: Measure | None) -> ScenarioInfo:
        """The scenario with this measure in place of its own, None for its own.

        With another measure, it is in a group and family of that unit, and has no published figures.
        """
        if measure in (None, self.metric.measure):
            return self
        group, family = (f"{title}, {measure.unit}" if title else "" for title in (self.group, self.family))
        return replace(self, metric=self.metric.measured_by(measure), group=group, family=family, published={})
