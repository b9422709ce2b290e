"""Rules of play as files write them: a name and parameters, in which actions stand by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from math import isclose, isfinite, log
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.extensions import nearest
from hm_agent.repeated_games import dilemma_rules, mind_rules, rules_of_play
from hm_agent.repeated_games.levels import NAIVE, LevelRule
from hm_agent.repeated_games.payoffs import Side
from hm_agent.repeated_games.rules_of_play import RuleOfPlay, SlippingRule

RULES_OF_PLAY: dict[str, type[RuleOfPlay]] = {
    "pure": rules_of_play.PureRule,
    "mixture": rules_of_play.MixtureRule,
    "cycle": rules_of_play.CycleRule,
    "step": rules_of_play.StepRule,
    "flip": rules_of_play.FlipRule,
    "usual": rules_of_play.UsualRule,
    "copy": rules_of_play.CopyRule,
    "counter_earlier": rules_of_play.CounterEarlierRule,
    "win_stay_lose_shift": rules_of_play.WinStayLoseShiftRule,
    "switch_after_losses": rules_of_play.SwitchAfterLossesRule,
    "fictitious_play": rules_of_play.FictitiousPlayRule,
    "theory_of_mind": mind_rules.TheoryOfMindRule,
    "outguess": mind_rules.OutguessRule,
    "deeper_when_beaten": mind_rules.DeeperWhenBeatenRule,
    "level": LevelRule,
    "grim": dilemma_rules.GrimRule,
    "corrigible": dilemma_rules.CorrigibleRule,
    "tit_for_two_tats": dilemma_rules.TitForTwoTatsRule,
    "generous_tit_for_tat": dilemma_rules.GenerousTitForTatRule,
    "gradual": dilemma_rules.GradualRule,
    "suspicious_tit_for_tat": dilemma_rules.SuspiciousTitForTatRule,
}
"""The rules by their names in the files of scenarios/."""

Parameter = str | int | float | Sequence[str] | Sequence[float]

ACTIONS = ("action", "first", "then", "cooperate", "defect")
"""The parameters that name an action."""
CHANCES = ("tremble", "generosity")
MEMORIES = ("rounds_ago", "window")
"""The parameters that say how many last actions, of the other player or its own, a rule remembers."""
MOST_MEMORIES = 1000
"""How many sequences of actions a rule may tell apart, so that best responses are computed in seconds."""
COUNTS = ("rounds", "half_time", "losses", "times", "patience")
MOST, MOST_ORDER = 100, 4
"""The largest whole numbers."""


def rule_from(name: str, parameters: Mapping[str, Parameter], side: Side) -> RuleOfPlay:
    """Returns the rule of a name for a player who sees the game as `side`.

    Raises ConfigError, with what would be right, for an unknown rule, parameter or action, for a value out of range,
    and for a rule that copies in a game whose players have different actions.
    """
    if name not in RULES_OF_PLAY:
        raise ConfigError(f"rule: no rule {name!r}: {nearest(name, RULES_OF_PLAY)}there are {', '.join(RULES_OF_PLAY)}")
    kind = RULES_OF_PLAY[name]
    known = [field.name for field in fields(kind) if field.name != "side"]
    if unknown := [given for given in parameters if given not in known]:
        raise ConfigError(f"{name}: no parameter {unknown[0]!r}: there is {', '.join(known)}")
    if {"copy", "cooperate"} & {name, *known} and side.actions != side.others:
        raise ConfigError(f"{name}: both players need the same actions, and here they have different ones")
    try:
        return kind(side, **{given: _read(given, value, side) for given, value in parameters.items()})
    except TypeError:
        raise ConfigError(f"{name}: a parameter is missing: say {', '.join(known)}") from None


def rule_in_words(rule: RuleOfPlay) -> str:
    """Returns a rule's name with the parameters that differ from the defaults, e.g. `copy first=rock tremble=0.15`."""
    if isinstance(rule, SlippingRule):
        return rule_in_words(rule.rule)
    name = next(name for name, kind in RULES_OF_PLAY.items() if kind is type(rule))
    given = [(field, getattr(rule, field.name)) for field in fields(rule) if field.name != "side"]
    said = (f"{field.name}={_said(field.name, value, rule.side)}" for field, value in given if value != field.default)
    return " ".join([name, *said])


def _said(name: str, value: Any, side: Side) -> str:
    """A parameter's value, with actions by their names."""
    if name in ACTIONS:
        return side.actions[int(value)]
    if name == "cycle":
        return ",".join(side.actions[action] for action in value)
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _read(name: str, value: Parameter, side: Side) -> object:
    """A parameter's value as its rule takes it, with actions as numbers; raises ConfigError for an invalid one."""
    if name in ACTIONS:
        return _action(name, value, side)
    if name == "cycle":
        if isinstance(value, str) or not isinstance(value, Sequence) or not value:
            raise ConfigError("cycle: say a list of actions")
        return tuple(_action(name, action, side) for action in value)
    if name == "naive":
        return _naive(value)
    if name == "weights":
        return _weights(value, side)
    return _number(name, value, side)


def _action(name: str, value: object, side: Side) -> int:
    if value not in side.actions:
        raise ConfigError(f"{name}: no action {value!r}: there is {', '.join(side.actions)}")
    return side.actions.index(str(value))


def _naive(value: object) -> object:
    if value not in NAIVE:
        raise ConfigError(f"naive: say {', '.join(NAIVE)}, not {value!r}")
    return value


def _weights(value: Parameter, side: Side) -> tuple[float, ...]:
    shares = [share for share in value if isinstance(share, (int, float))] if isinstance(value, Sequence) else []
    if len(shares) != len(side.actions) or min(shares) < 0 or not isclose(sum(shares), 1):
        raise ConfigError(f"weights: say {len(side.actions)} shares, one for each action, that add up to 1")
    return tuple(map(float, shares))


def _number(name: str, value: Parameter, side: Side) -> int | float:
    """A chance, a whole number from 1, or any finite number."""
    if name in (*COUNTS, *MEMORIES, "order", "step"):
        least, most = _range(name, side)
        if not isinstance(value, int) or not least <= value <= most:
            raise ConfigError(f"{name}: say a whole number from {least} to {most}, not {value!r}")
        return value
    if not isinstance(value, (int, float)) or not isfinite(value) or (name in CHANCES and not 0 <= value <= 1):
        raise ConfigError(f"{name}: say {'a number from 0 to 1' if name in CHANCES else 'a number'}, not {value!r}")
    return value


def _range(name: str, side: Side) -> tuple[int, int]:
    """The least and the largest whole number that a parameter may be."""
    if name == "step":
        return 0, len(side.actions) - 1
    if name in MEMORIES:
        return 1, int(log(MOST_MEMORIES, max(len(side.actions), len(side.others))))
    return 1, MOST if name in COUNTS else MOST_ORDER
