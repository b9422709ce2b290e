"""The puppeteers of unseen scenarios, built from what a scenario's file says of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from inspect import signature
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.repeated_games.written_rules import RULES_OF_PLAY, rule_from
from hm_agent.worlds.melting_pot.facts import UnseenFacts
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.puppeteers import CHOICES, Choice, MatrixPuppeteer, by_rule

WATCHERS: Mapping[str, int] = {"beats_last_seen": 1, "outguesses_last_seen": 2}
"""Players that no puppeteer directs, since they answer what they see: by name, their order (`LastSeenPlayer`)."""
FIRST, MARGIN = "first", "margin"
"""Parameters of puppeteers and of no choice (`MatrixPuppeteer`); the first kind by a rule of play is the rule's."""
NAMESAKES = ("cooperate", "defect")
"""Parameters that say a kind, by default the one of their own name."""


def build_puppeteer(game: MatrixFacts, facts: UnseenFacts) -> MatrixPuppeteer:
    """The puppeteer of an unseen scenario; ConfigError for an unknown puppeteer, parameter or kind."""
    name, own = facts.puppeteer, (FIRST, MARGIN) if facts.puppeteer in CHOICES else (MARGIN,)
    of_puppeteer: dict[str, Any] = {key: value for key, value in facts.parameters.items() if key in own}
    of_choice: dict[str, Any] = {key: value for key, value in facts.parameters.items() if key not in own}
    try:
        if name in CHOICES:
            choose: Choice = _choice(name, of_choice, game)
        elif name in RULES_OF_PLAY:
            choose = partial(by_rule, rule=rule_from(name, of_choice, game.side))
        else:
            known = ", ".join(dict.fromkeys((*CHOICES, *RULES_OF_PLAY, *WATCHERS)))
            raise ConfigError(f"unknown puppeteer {name!r}: there is {known}")
        return MatrixPuppeteer(game=game, choose=choose, **_numbered(of_puppeteer, game))
    except ConfigError as error:
        raise ConfigError(f"{facts.short_name}: {error}") from error


def _choice(name: str, parameters: Mapping[str, Any], game: MatrixFacts) -> Choice:
    """The choice of a name with its parameters; ConfigError for an unknown or missing one."""
    _, _, *known = signature(CHOICES[name]).parameters.values()
    names = [each.name for each in known]
    parameters = {**{own: own for own in NAMESAKES if own in names}, **parameters}
    if unknown := [given for given in parameters if given not in names]:
        raise ConfigError(f"{name}: no parameter {unknown[0]!r}: there is {', '.join((*names, FIRST, MARGIN))}")
    if missing := [each.name for each in known if each.default is each.empty and each.name not in parameters]:
        raise ConfigError(f"{name}: a parameter is missing: say {missing[0]!r}")
    return partial(CHOICES[name], **_numbered(parameters, game))


def _numbered(parameters: Mapping[str, Any], game: MatrixFacts) -> dict[str, Any]:
    """Parameters with kinds by their numbers; ConfigError for an unknown kind."""

    def number(kind: object) -> int:
        if kind not in game.behaviours:
            raise ConfigError(f"unknown kind {kind!r}: there is {', '.join(game.behaviours)}")
        return game.behaviours.index(str(kind))

    kinds = {name: number(value) for name, value in parameters.items() if name in (FIRST, *NAMESAKES)}
    several = {name: tuple(map(number, value)) for name, value in parameters.items() if name == "cycle"}
    return {**parameters, **kinds, **several}
