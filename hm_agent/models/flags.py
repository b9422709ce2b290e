"""The flags that describe a model: which one, how it is sampled, what it may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.command_flags import define_float, define_integer
from hm_agent.config import ConfigError
from hm_agent.models.chat import Sampling
from hm_agent.models.local import LOCAL
from hm_agent.models.settings import BUILTIN, PRESETS, ModelSettings

NAMED_AS_FLAG = ("base_url", "api_key_env", "timeout", "retries", "patience", "offline", "max_calls", "max_cost")
"""The settings that take the value of the flag of the same name."""
Flags = tuple[flags.FlagHolder[Any], ...]


class ModelFlags:
    """Defines the flags among those of a command, and reads their values.

    task: what the model does, for the help. groups: the flags by the titles of the help. unused: by the beginning of a
    model's name, the reason why some flags have no effect for it, and these flags.
    """

    def __init__(self, values: flags.FlagValues, task: str = "answers the agent's questions") -> None:
        here: Mapping[str, Any] = {"flag_values": values}
        which, endpoint, sampled, paid = (
            _name_flags(here, task),
            _endpoint_flags(here),
            _sampling_flags(here),
            _cost_flags(here),
        )
        self._flags = {flag.name: flag for flag in (*which, *endpoint, *sampled, *paid)}
        self.groups: Mapping[str, Flags] = {
            "The model": (*which, *endpoint),
            "How it is sampled": sampled,
            "What it may cost": paid,
        }
        self.unused: Mapping[str, tuple[str, Flags]] = {
            BUILTIN: ("calculates and calls nobody", (*endpoint, *sampled, *paid)),
            LOCAL: ("runs in this process", endpoint),
        }

    def settings(self) -> ModelSettings:
        """Returns the model settings that the flags describe; raises ConfigError for an empty name."""
        name = self._value("model")
        if not name.strip():
            raise ConfigError("--model names no model; see --list")
        preset = PRESETS[self._value("preset")] if self._value("preset") else ModelSettings(name)
        return replace(
            preset,
            name=name if self._flags["model"].present else preset.name,
            sampling=self._sampling(preset.sampling),
            cache=_path(self._value("cache")),
            prices=_path(self._value("prices")),
            **{name: self._value(name) for name in NAMED_AS_FLAG},
        )

    def _sampling(self, preset: Sampling) -> Sampling:
        values = {field.name: self._value(field.name) for field in fields(Sampling)}
        return replace(preset, **{name: value for name, value in values.items() if value is not None})

    def _value(self, flag: str) -> Any:
        return self._flags[flag].value


def _name_flags(here: Mapping[str, Any], task: str) -> Flags:
    about = f"What {task}: builtin, local:smollm2, local:PATH (a GGUF file), or a model's name."
    preset = "A model with its sampling from the paper's table 4; other flags override it."
    return (
        flags.DEFINE_string("model", "builtin", about, **here),
        flags.DEFINE_enum("preset", None, list(PRESETS), preset, **here),
    )


def _endpoint_flags(here: Mapping[str, Any]) -> Flags:
    url = "The endpoint, e.g. http://localhost:8000/v1; by default OPENAI_BASE_URL, else OpenAI's own."
    retries = "How often a failed call is repeated, after growing pauses."
    patience = "How many seconds to wait for an endpoint that worked before and is out of order."
    return (
        flags.DEFINE_string("base_url", None, url, **here),
        flags.DEFINE_string("api_key_env", "OPENAI_API_KEY", "The environment variable with the key.", **here),
        define_float("timeout", 120.0, "How many seconds a call may take.", lower_bound=0.1, **here),
        define_integer("retries", 5, retries, lower_bound=0, **here),
        define_float("patience", 600.0, patience, lower_bound=0, **here),
    )


def _sampling_flags(here: Mapping[str, Any]) -> Flags:
    completions = "How many answers to draw at once; the first valid one counts."
    return (
        define_float(
            "temperature", None, "The sampling temperature; sent only if set, as all of these.", lower_bound=0, **here
        ),
        define_float("top_p", None, "The share of nucleus sampling.", 0, 1, **here),
        define_integer("max_output_tokens", None, "The most tokens of an answer.", lower_bound=1, **here),
        define_integer("completions", None, completions, lower_bound=1, **here),
        flags.DEFINE_string("reasoning_effort", None, "The effort of reasoning models, e.g. low.", **here),
    )


def _cost_flags(here: Mapping[str, Any]) -> Flags:
    prices = "TOML that adds to the listed prices: [name], input, output (USD for a million tokens)."
    return (
        flags.DEFINE_string("cache", None, "An SQLite file that keeps every answer, to use it again.", **here),
        flags.DEFINE_bool("offline", False, "Take answers from --cache alone, and make no calls.", **here),
        define_integer("max_calls", None, "End the run after so many calls.", lower_bound=0, **here),
        define_float("max_cost", None, "End the run once so many USD are spent.", lower_bound=0, **here),
        flags.DEFINE_string("prices", None, prices, **here),
    )


def _path(value: str | None) -> Path | None:
    return Path(value) if value else None
