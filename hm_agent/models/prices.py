"""Prices of tokens, read from TOML. The price of an unlisted model is unknown, not 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter

from hm_agent.config import ConfigError, read_toml

LISTED = Path(__file__).with_name("prices.toml")
_MILLION = 1_000_000
_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class Price:
    """USD per million tokens of input and of output."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    input: _Dollars
    output: _Dollars

    def of(self, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """Returns the cost of a call in USD, None if its tokens are unknown."""
        if input_tokens is None or output_tokens is None:
            return None
        return (self.input * input_tokens + self.output * output_tokens) / _MILLION


def load_prices(extra: Path | None = None) -> Mapping[str, Price]:
    """Reads prices by model name; the extra file overrides the listed ones. Raises ConfigError if it can't be read."""
    return dict(_read(LISTED)) | (dict(_read(extra)) if extra else {})


def _read(path: Path) -> Mapping[str, Price]:
    try:
        return read_toml(path, TypeAdapter(dict[str, Price]))
    except ConfigError as error:
        raise ConfigError(
            f"--prices={error}; a model's table looks like {LISTED.name}'s: "
            "[name], input = 2.5, output = 10.0 (USD for a million tokens)"
        ) from error
