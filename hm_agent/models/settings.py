"""Which model answers questions, and how it is reached, sampled and paid for; the paper's models."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from hm_agent.config import ConfigError, given_path
from hm_agent.flags.fields import flag_field
from hm_agent.models.chat import Sampling
from hm_agent.models.prices import RATES, STANDARD

BUILTIN = "builtin"
"""The name of the built-in reasoner, which is no language model."""
PERSON = "human"
"""The name of the agent and of the model of a seat that a person plays."""
PLACE = "python:"
"""The prefix of `module:name`, the place of a function as `register_model` takes it."""

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


@dataclass(frozen=True)
class ModelSettings:
    """Which model answers questions, and how it is reached, sampled and paid for; the helps of flags say more."""

    name: str = BUILTIN
    base_url: str | None = flag_field(
        None, "The endpoint, e.g. http://localhost:8000/v1; by default OPENAI_BASE_URL, else OpenAI's own."
    )
    api_key_env: str = flag_field("OPENAI_API_KEY", "The environment variable with the key.")
    sampling: Sampling = Sampling()
    page: bool = flag_field(False, "Ask a person (--agent=human) on a page on this machine, not in the terminal.")
    timeout: float = flag_field(120.0, "How many seconds a call may take.", lower=0.1)
    retries: int = flag_field(5, "How often a failed call is repeated, after growing pauses.", lower=0)
    patience: float = flag_field(
        600.0, "How many seconds to wait for an endpoint that worked before and is out of order.", lower=0
    )
    cache: Path | None = flag_field(None, "An SQLite file that keeps every answer, to use it again.")
    offline: bool = flag_field(False, "Take answers from --cache alone, and make no calls.")
    max_calls: int | None = flag_field(None, "End the run after so many calls.", lower=0)
    max_cost: float | None = flag_field(
        None, "Spend at most so many USD, and begin no episode that they would not finish.", lower=0
    )
    header: tuple[str, ...] = flag_field(
        (), "Headers of each request, as Name:value, with commas; recorded by name alone.", shown=False
    )
    prices: Path | None = flag_field(
        None, "TOML that overrides the listed prices: [name], input, output, cached_input (USD for a million tokens)."
    )
    rates: str = flag_field(STANDARD, "Which listed prices count: those for batches, say.", choices=tuple(RATES))

    def __post_init__(self) -> None:
        """Converts names of files to paths; raises ConfigError for what `check_fields` can't check."""
        if not isinstance(self.name, str):
            raise ConfigError(f"name={self.name!r}: must be a model's name")
        if not isinstance(self.sampling, Sampling):
            raise ConfigError(f"sampling={self.sampling!r}: must be Sampling")
        headers: object = self.header
        if not (isinstance(headers, tuple | list) and all(isinstance(header, str) for header in headers)):
            raise ConfigError("header: must be a tuple of texts, each like X-Title:value")
        for name in ("cache", "prices"):
            if (path := getattr(self, name)) is not None:
                object.__setattr__(self, name, given_path(name, path, "a file"))

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers by name. Raises ConfigError, which shows no value, for one that is none."""
        named = {}
        for number, header in enumerate(self.header, start=1):
            name, colon, value = (part.strip() for part in header.partition(":"))
            if not (colon and _HEADER_NAME.fullmatch(name) and value.isascii() and value.isprintable()):
                raise ConfigError(f"--header: the {number}. of {len(self.header)} is none: it looks like X-Title:value")
            named[name] = value
        return named

    @property
    def endpoint_url(self) -> str | None:
        """The endpoint's address: `base_url` or, if that is None, OPENAI_BASE_URL; None for OpenAI's own."""
        return os.environ.get("OPENAI_BASE_URL") or None if self.base_url is None else self.base_url

    @property
    def endpoint(self) -> str | None:
        """`endpoint_url` as results may show it: without a name, a password and a query; None for OpenAI's."""
        try:
            parts = urlsplit(self.endpoint_url or "")
        except ValueError:  # it is no URL, which is refused before anything is played
            return None
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")).rstrip("/") or None


PRESETS: Mapping[str, ModelSettings] = {
    "gpt-4": ModelSettings("gpt-4-1106-preview", sampling=Sampling(0.1, 1.0, 4000, 1)),
    "gpt-3.5": ModelSettings("gpt-3.5-turbo-1106", sampling=Sampling(0.2, 1.0, 2000, 1)),
    "llama-3": ModelSettings("Meta-Llama-3-70B-Instruct", sampling=Sampling(0.2, 1.0, 2000, 10)),
}
"""The paper's models (table 4)."""
