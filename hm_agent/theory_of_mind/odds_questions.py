"""The questions for chances (agent `hm_odds`): of actions in a table of payoffs, and of what players do elsewhere.

Every template is in prompts/agent/.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, Field

from hm_agent.models.prompts import phrase
from hm_agent.questions import Forms, Words, check_all
from hm_agent.repeated_games.payoffs import Shares
from hm_agent.theory_of_mind.odds import LikelyRule
from hm_agent.theory_of_mind.player_odds import ToldOdds
from hm_agent.theory_of_mind.seat_question import BehaviourT, History, SeatQuestion, answer_about
from hm_agent.theory_of_mind.situation import SeatSituation

MOST_RULES = 8
"""The largest number of rules in an answer to `GiveOdds`."""
MOST_FORESEEN = 4
"""The largest numbers of rules, and of behaviours by each, in an answer to `GiveChances`."""
Percent = Annotated[int, Field(ge=0, le=100)]
Share = Annotated[int, Field(ge=1, le=100)]
RuleT = TypeVar("RuleT")


# In a table of payoffs


class RuleChances(BaseModel):
    """A `LikelyRule` as an answer gives it, in percent."""

    rule: Words
    share: Share
    next: list[Percent]
    then: list[list[Percent]] = Field(default_factory=list)
    lasts: bool = False

    @classmethod
    def of(cls, rule: LikelyRule) -> RuleChances:
        """Rounds to whole percents; a rule that is hardly likely keeps one percent."""
        share = max(1, round(100 * rule.share))
        then = [*map(_percents, rule.then)]
        return cls(rule=rule.words, share=share, next=_percents(rule.next), then=then, lasts=rule.lasts)

    @property
    def likely(self) -> LikelyRule:
        chances, *then = (tuple(percent / 100 for percent in row) for row in (self.next, *self.then))
        return LikelyRule(self.rule, self.share / 100, chances, tuple(then), self.lasts)


def _percents(chances: Shares) -> list[int]:
    return [round(100 * chance) for chance in chances]


class OddsAnswer(BaseModel):
    """The rules by which another player may act."""

    reasoning: str = ""
    rules: list[RuleChances]


@dataclass(frozen=True, slots=True)
class GiveOdds(SeatQuestion[OddsAnswer]):
    """By which rules may another player act, how likely is each, and with which chances does it act by them?

    Asked in worlds where both choose from a few actions (`SeatSituation.side`). history: the interactions with it.
    most: the largest number of rules.
    """

    template = "agent/give_odds.j2"
    schema = OddsAnswer
    situation: SeatSituation
    about: str
    history: History
    most: int = MOST_RULES

    @property
    def forms(self) -> Forms:
        count = len(self.situation.side.others)
        row = {"minItems": count, "maxItems": count}
        return {
            "rules": {"minItems": 1, "maxItems": self.most},
            "next": row,
            "then": {"items": row, "maxItems": len(self.situation.side.actions)},
        }

    def check(self, answer: OddsAnswer) -> None:
        """Raises ValueError for too many rules, rows of a wrong number or length, and chances that are all 0."""
        check_all(
            lambda: _check_count("rules", len(answer.rules), range(1, self.most + 1)),
            *(partial(self._check_rule, rule) for rule in answer.rules),
        )

    def usable_part(self, answer: OddsAnswer) -> OddsAnswer | None:
        """The rules that are valid by themselves."""
        valid = _valid(answer.rules[: self.most], self._check_rule)
        return answer.model_copy(update={"rules": valid}) if valid else None

    def _check_rule(self, rule: RuleChances) -> None:
        side = self.situation.side
        check_all(
            lambda: _check_count("then", len(rule.then), {0, 1, len(side.actions)}),
            lambda: _check_chances("next", rule.next, len(side.others)),
            *(partial(_check_chances, "then", row, len(side.others)) for row in rule.then),
        )


# Elsewhere


class ForeseenBehaviour(BaseModel, Generic[BehaviourT]):
    """A behaviour and its chance, in percent."""

    chance: Share
    behaviour: BehaviourT


class ForeseeingRule(BaseModel, Generic[BehaviourT]):
    """A rule with its share and, by it, the chances of the next behaviours; what they leave open is anything else."""

    rule: Words
    share: Share
    next: list[ForeseenBehaviour[BehaviourT]]

    @property
    def chances(self) -> Mapping[str, float]:
        """By the behaviour in words; they add up to 1 at most."""
        total = max(100, sum(each.chance for each in self.next))
        found: dict[str, float] = {}
        for each in self.next:
            found[each.behaviour.words] = found.get(each.behaviour.words, 0.0) + each.chance / total
        return found


class ChancesAnswer(BaseModel, Generic[BehaviourT]):
    """The rules by which another player may act, and how likely it knows each thing that was asked about."""

    reasoning: str = ""
    rules: list[ForeseeingRule[BehaviourT]]
    knows: list[Percent] = Field(default_factory=list)

    def odds(self, things: Sequence[str]) -> ToldOdds:
        """The chances as a belief. things: those that were asked about."""
        total = sum(rule.share for rule in self.rules)
        rules = [(rule.rule, rule.share / total, rule.chances) for rule in self.rules]
        return ToldOdds(rules, dict(zip(things, (percent / 100 for percent in self.knows), strict=False)))


@dataclass(frozen=True, slots=True)
class GiveChances(SeatQuestion[ChancesAnswer[Any]]):
    """What does another player do next by which rules, how likely is each, and how likely does it know which things?

    history: the interactions with it. most: the largest numbers of rules, and of behaviours by each.
    """

    template = "agent/give_chances.j2"
    situation: SeatSituation
    about: str
    history: History
    most: int = MOST_FORESEEN

    @property
    def schema(self) -> type[BaseModel]:
        return answer_about(ChancesAnswer, self.situation)

    @property
    def things(self) -> Sequence[str]:
        """What the player may know."""
        return self.situation.may_know(self.about)

    @property
    def forms(self) -> Forms:
        few, count = {"minItems": 1, "maxItems": self.most}, len(self.things)
        knows = {"minItems": count, "maxItems": count}
        return {**self.situation.behaviour_forms(self.about), "rules": few, "next": few, "knows": knows}

    def check(self, answer: ChancesAnswer[Any]) -> None:
        """Raises ValueError for too many rules or behaviours, for impossible ones, and for chances that are missing."""
        check_all(
            lambda: _check_count("rules", len(answer.rules), range(1, self.most + 1)),
            *(partial(self._check_rule, rule) for rule in answer.rules),
            lambda: _check_count("knows", len(answer.knows), {len(self.things)}),
        )

    def usable_part(self, answer: ChancesAnswer[Any]) -> ChancesAnswer[Any] | None:
        """The rules that are valid by themselves; what it says of knowledge is left out unless that is complete."""
        valid = _valid(answer.rules[: self.most], self._check_rule)
        knows = answer.knows if len(answer.knows) == len(self.things) else []
        return answer.model_copy(update={"rules": valid, "knows": knows}) if valid else None

    def _check_rule(self, rule: ForeseeingRule[Any]) -> None:
        check_all(
            lambda: _check_count("next", len(rule.next), range(1, self.most + 1)),
            *(partial(self.situation.check_behaviour, self.about, each.behaviour) for each in rule.next),
        )


# Checks


def _valid(rules: Sequence[RuleT], check: Callable[[RuleT], None]) -> list[RuleT]:
    """The rules that pass a check, which raises ValueError for the others."""
    valid = []
    for rule in rules:
        try:
            check(rule)
        except ValueError:
            continue
        valid.append(rule)
    return valid


def _check_count(field: str, given: int, wanted: Collection[int]) -> None:
    if given not in wanted:
        raise ValueError(phrase("agent/messages.j2", "wrong_count", field=field, given=given, wanted=sorted(wanted)))


def _check_chances(field: str, given: Sequence[int], wanted: int) -> None:
    if len(given) != wanted or not sum(given):
        raise ValueError(phrase("agent/messages.j2", "no_chances", field=field, wanted=wanted))
