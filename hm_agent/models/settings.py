"""Which model answers questions, and how it is reached, sampled and paid for; the paper's models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hm_agent.models.chat import Sampling

BUILTIN = "builtin"
"""The name of the built-in reasoner, which is no language model."""


@dataclass(frozen=True)
class ModelSettings:
    """Which model answers questions, and how it is reached, sampled and paid for.

    base_url: of an OpenAI-compatible endpoint; None for OPENAI_BASE_URL or, if unset, OpenAI's own. api_key_env: the
    environment variable that holds the key. timeout: seconds that a call may take. retries: of a failed call. patience:
    seconds to wait for an endpoint that has answered before. cache: the file that keeps every answer. offline: take
    answers from that file alone. max_calls, max_cost (USD): end the run when they are reached. prices: a TOML file that
    adds to the listed prices.
    """

    name: str = BUILTIN
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    sampling: Sampling = field(default_factory=Sampling)
    timeout: float = 120.0
    retries: int = 5
    patience: float = 600.0
    cache: Path | None = None
    offline: bool = False
    max_calls: int | None = None
    max_cost: float | None = None
    prices: Path | None = None

    def __post_init__(self) -> None:
        """Converts names of files to paths."""
        for name in ("cache", "prices"):
            if (path := getattr(self, name)) is not None:
                object.__setattr__(self, name, Path(path))

    @property
    def endpoint_url(self) -> str | None:
        """The endpoint's address: `base_url` or, if that is None, OPENAI_BASE_URL; None for OpenAI's own."""
        return os.environ.get("OPENAI_BASE_URL") or None if self.base_url is None else self.base_url


PRESETS: Mapping[str, ModelSettings] = {
    "gpt-4": ModelSettings("gpt-4-1106-preview", sampling=Sampling(0.1, 1.0, 4000, 1)),
    "gpt-3.5": ModelSettings("gpt-3.5-turbo-1106", sampling=Sampling(0.2, 1.0, 2000, 1)),
    "llama-3": ModelSettings("Meta-Llama-3-70B-Instruct", sampling=Sampling(0.2, 1.0, 2000, 10)),
}
"""The paper's models (table 4)."""
