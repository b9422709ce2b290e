"""The puppeteers of unseen scenarios by name, and how one is built from what a scenario's file says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.repeated_games.written_rules import RULES_OF_PLAY, rule_from
from hm_agent.worlds.melting_pot.facts import UnseenFacts
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.puppeteers import (
    CounterEarlierPuppeteer,
    CyclePuppeteer,
    FictitiousPlayPuppeteer,
    GenerousTitForTatPuppeteer,
    GradualPuppeteer,
    MatrixPuppeteer,
    NoisyCopyPuppeteer,
    OutguessPuppeteer,
    RotatingMixturePuppeteer,
    RulePuppeteer,
    SuspiciousTitForTatPuppeteer,
    SwitchAfterLossesPuppeteer,
    TheoryOfMindPuppeteer,
    TitForTwoTatsPuppeteer,
    WinStayLoseShiftPuppeteer,
)

PUPPETEERS: Mapping[str, type[MatrixPuppeteer]] = {
    "cycle": CyclePuppeteer,
    "counter_earlier": CounterEarlierPuppeteer,
    "win_stay_lose_shift": WinStayLoseShiftPuppeteer,
    "rotating_mixture": RotatingMixturePuppeteer,
    "noisy_copy": NoisyCopyPuppeteer,
    "fictitious_play": FictitiousPlayPuppeteer,
    "outguess": OutguessPuppeteer,
    "theory_of_mind": TheoryOfMindPuppeteer,
    "switch_after_losses": SwitchAfterLossesPuppeteer,
    "tit_for_two_tats": TitForTwoTatsPuppeteer,
    "generous_tit_for_tat": GenerousTitForTatPuppeteer,
    "gradual": GradualPuppeteer,
    "suspicious_tit_for_tat": SuspiciousTitForTatPuppeteer,
}
"""The puppeteers by their names in the files of scenarios/; any other name there is that of a rule of play."""
WATCHERS: Mapping[str, int] = {"beats_last_seen": 1, "outguesses_last_seen": 2}
"""Players that no puppeteer directs, since they answer what they see: by name, their order (`LastSeenPlayer`)."""
MARGIN = "margin"
"""A parameter of the puppeteers of all rules, and of no rule itself (`MatrixPuppeteer`)."""


def build_puppeteer(game: MatrixFacts, facts: UnseenFacts) -> MatrixPuppeteer:
    """The puppeteer of an unseen scenario; ConfigError for an unknown puppeteer, parameter or kind."""
    parameters: Mapping[str, Any] = facts.parameters
    if facts.puppeteer in RULES_OF_PLAY and facts.puppeteer not in PUPPETEERS:
        margin = {name: parameters[name] for name in parameters if name == MARGIN}
        of_rule = {name: value for name, value in parameters.items() if name != MARGIN}
        try:
            return RulePuppeteer(game=game, rule=rule_from(facts.puppeteer, of_rule, game.side), **margin)
        except ConfigError as error:
            raise ConfigError(f"{facts.short_name}: {error}") from error
    if facts.puppeteer not in PUPPETEERS:
        known = ", ".join(dict.fromkeys((*PUPPETEERS, *RULES_OF_PLAY, *WATCHERS)))
        raise ConfigError(f"{facts.short_name}: unknown puppeteer {facts.puppeteer!r}: there is {known}")
    try:
        puppeteer = PUPPETEERS[facts.puppeteer](game=game, **parameters)
    except TypeError as error:
        raise ConfigError(f"{facts.short_name}: {facts.puppeteer}: {error}") from error
    if unknown := [kind for kind in puppeteer.named if kind not in game.behaviours]:
        raise ConfigError(
            f"{facts.short_name}: {facts.puppeteer}: unknown kind {unknown[0]!r}: there is {', '.join(game.behaviours)}"
        )
    return puppeteer
