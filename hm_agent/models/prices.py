"""Prices of tokens: the user's own from TOML, or those that genai-prices lists. An unlisted one is unknown, not 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter

from hm_agent.config import ConfigError, read_toml
from hm_agent.models.chat import Reply

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

OPENAI = "https://api.openai.com/v1"
STANDARD = "standard"
RATES: Mapping[str, Mapping[str, str]] = {
    STANDARD: {},
    "batch": {"processing": "batch"},
    "flex": {"service_tier": "flex"},
    "priority": {"service_tier": "priority"},
}
"""By what --rates says: how genai-prices names these rates."""
_MILLION = 1_000_000
_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class Price:
    """USD per million tokens. cached_input: of input that the endpoint had in its own cache, None for `input`."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    input: _Dollars
    output: _Dollars
    cached_input: _Dollars | None = None

    def of(self, input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None = None) -> float | None:
        """Returns the cost of a call in USD, None if its tokens are unknown. cached_tokens: those of the input."""
        if input_tokens is None or output_tokens is None:
            return None
        cached = min(cached_tokens or 0, input_tokens)
        cheaper = self.input if self.cached_input is None else self.cached_input
        return (self.input * (input_tokens - cached) + cheaper * cached + self.output * output_tokens) / _MILLION


FREE = Price(0.0, 0.0)


@dataclass(frozen=True)
class ListedPrice:
    """What a provider lists for a model, which may depend on the length of the prompt and the time of day."""

    provider: Provider
    model: ModelInfo
    rates: str

    def of(self, input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None = None) -> float | None:
        """As `Price.of`."""
        from genai_prices import Usage

        if input_tokens is None or output_tokens is None:
            return None
        cached = min(cached_tokens or 0, input_tokens)
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached)
        return float(self.model.calc_price(usage, self.provider, price_context=RATES[self.rates]).total_price)


AnyPrice: TypeAlias = Price | ListedPrice


def cost_of(reply: Reply, price: AnyPrice | None) -> float | None:
    """What a reply cost in USD; None without a price, or if its tokens are unknown."""
    return price.of(reply.input_tokens, reply.output_tokens, reply.prompt_cache_tokens) if price else None


def price_of(name: str, endpoint: str | None, own: Path | None = None, rates: str = STANDARD) -> AnyPrice | None:
    """Finds a model's price in the user's own file or, else, in the list of the provider that the endpoint belongs to.

    endpoint: its URL, None for OpenAI's. Returns None if nobody lists one, e.g. for a server of the user's own. Raises
    ConfigError if the file can't be read.
    """
    return load_prices(own).get(name) or _listed_price(name, endpoint or OPENAI, rates)


def _listed_price(name: str, endpoint: str, rates: str) -> ListedPrice | None:
    from hm_agent.models.endpoint.surroundings import is_on_this_machine

    if is_on_this_machine(endpoint):
        return None  # said by a short rule, since the list takes half a second to load
    from genai_prices.data_snapshot import get_snapshot

    try:
        provider, model = get_snapshot().find_provider_model(name, None, None, endpoint)
    except LookupError:
        return None
    price = model.get_prices(datetime.now(UTC))
    return None if price.input_mtok is None else ListedPrice(provider, model, rates)


def load_prices(own: Path | None) -> Mapping[str, Price]:
    """Reads the user's prices by model name, none without a file. Raises ConfigError if it can't be read."""
    if own is None:
        return {}
    try:
        return read_toml(own, TypeAdapter(dict[str, Price]))
    except ConfigError as error:
        raise ConfigError(
            f"--prices={error}; a model's table looks like this: "
            "[name], input = 2.5, output = 10.0, cached_input = 1.25 (USD for a million tokens; the last is optional)"
        ) from error
