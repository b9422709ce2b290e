"""Who is compared with whom: an agent with its model, the bots it met and how it was set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.agents.registry import AGENTS
from hm_agent.recording.result import Result, Setting

CEILING, FLOOR = "oracle", "random"
REFERENCES = (CEILING, FLOOR, "noop")
"""The agents that others are measured by; they don't compete."""

Settings = tuple[tuple[str, Setting], ...]


@dataclass(frozen=True)
class Condition:
    """What has to be the same for episodes to be averaged. settings: by flag, in order, the base seed left out."""

    agent: str
    model: str
    bots: str
    settings: Settings = ()

    @classmethod
    def of(cls, result: Result) -> Condition:
        settings = sorted((flag, value) for flag, value in result.settings.items() if flag != "seed")
        return cls(result.agent, result.model, result.bots, tuple(settings))

    @property
    def conditions(self) -> tuple[str, Setting]:
        """What has to be the same for rewards to be compared: the kind of bots, and where episodes were cut."""
        return self.bots, dict(self.settings).get("max_steps")

    @property
    def is_reference(self) -> bool:
        return self.agent in REFERENCES


def in_order(contestants: Iterable[Condition]) -> list[Condition]:
    """Each once, by their place."""
    return sorted(set(contestants), key=place_of)


def place_of(one: Condition) -> tuple[bool, int, str, str, str, str]:
    """What they are sorted by: agents as the registry has them, then those it doesn't know, references last."""
    known = list(AGENTS)
    number = known.index(one.agent) if one.agent in known else len(known)
    return one.is_reference, number, one.agent, one.model, one.bots, str(one.settings)


def labels(contestants: Sequence[Condition], apart_by: Sequence[str] = ("model", "bots")) -> Mapping[Condition, str]:
    """A short name for each: the agent, and in brackets only what is not the same for all of them.

    apart_by: which fields, besides the settings, may tell them apart.
    """
    telling = [flag for flag in apart_by if len({getattr(one, flag) for one in contestants}) > 1]
    varying = varying_settings(contestants)
    return {one: _label(one, telling, varying) for one in contestants}


def varying_settings(contestants: Iterable[Condition]) -> list[str]:
    """The flags that were not set alike for all, by name."""
    settings = [dict(one.settings) for one in contestants]
    flags = sorted({flag for each in settings for flag in each})
    return [flag for flag in flags if len({repr(each.get(flag, "unknown")) for each in settings}) > 1]


def _label(one: Condition, telling: Sequence[str], varying: Sequence[str]) -> str:
    said = [str(getattr(one, name)) for name in telling]
    settings = dict(one.settings)
    said += [f"{flag}={settings.get(flag, 'unknown')}" for flag in varying]
    return f"{one.agent} ({', '.join(said)})" if said else one.agent
