"""Characters: agents of a hard task that follow rules, which everybody is told.

A *helper* brings about what it wants, thing by thing, going to where it believes each thing to be. A *rival* does the
same against the shared goal: it takes things out of furniture and keeps them. A *silent* one is a helper that sends no
message: its acts alone tell what it knows. A *gossip* passes on what it is told. A *relay* is forgetful: it passes on
only the last fact of what it is told.

`unless` makes a character consider what others know. Of one that passes things on, it holds back the facts of which it
knows that others know them; of any other it stops what it wants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hm_agent.models.prompts import phrase
from hm_agent.worlds.enacttom.tasks.propositions import Proposition

Kind = Literal["helper", "gossip", "rival", "silent", "relay"]
HELPER: Kind = "helper"
GOSSIP: Kind = "gossip"
RIVAL: Kind = "rival"
SILENT: Kind = "silent"
RELAY: Kind = "relay"
BLANK = "___"
"""Stands in a public text for what only others' secrets tell."""


class CharacterRule(BaseModel):
    """The rule of one agent, as it stands in a task file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    wants: tuple[str, ...] = Field(default=(), description="What it brings about, in order, as PDDL propositions.")
    cues: tuple[str, ...] = Field(
        default=(),
        description="For each of its wants, the thing whose place it has to know first; none: no such thing.",
    )
    tells: tuple[str, ...] = Field(default=(), description="Whom it passes on what it is told, in the next turn.")
    announces: bool = Field(
        default=False, description="Whether it begins by telling these all places that it knows, one a turn."
    )
    unless: tuple[str, ...] = Field(
        default=(),
        description="Agents x, y ...: it holds back what it knows to be known by x (that y knows it ...).",
    )
    believes: tuple[str, ...] = Field(default=(), description="Where it saw things last, if they were moved since.")


class Slot(BaseModel):
    """What fills a blank in the public text: where a thing is. Only a character knows, and no agent under test."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fact: str = Field(description="Where the thing is, as a PDDL proposition.")
    instead: tuple[str, ...] = Field(min_length=1, description="Where else it may be as far as others know.")


@dataclass(frozen=True)
class CharacterMind:
    """A checked character. wants, believes: as propositions."""

    kind: str
    wants: tuple[Proposition, ...] = ()
    cues: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    announces: bool = False
    unless: tuple[str, ...] = ()
    believes: tuple[Proposition, ...] = ()

    def words(self, agent: str) -> str:
        """Its rule in English, as everybody is told."""
        wants = [want.words for want in self.wants]
        wants = [f"{want} ({cue})" for want, cue in zip(wants, self.cues, strict=True)] if self.cues else wants
        details: dict[str, object] = {"kind": self.kind, "wants": wants, "tells": list(self.tells)}
        details |= {"unless": list(self.unless), "has_cues": bool(self.cues), "announces": self.announces}
        return " ".join(phrase("enacttom/characters.j2", "rule", agent=agent, **details).split())


def rules_in_words(characters: Mapping[str, CharacterMind]) -> str:
    """What holds of all characters and the rule of each, in sentences; empty without characters."""
    rules = [mind.words(agent) for agent, mind in characters.items()]
    return " ".join([phrase("enacttom/characters.j2", "intro"), *rules]) if rules else ""
